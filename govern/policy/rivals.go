package policy

import (
	"cmp"
	"slices"

	"brenner/store/record"
)

// Rivals groups live records of key types by the place that they compete for: their type and
// module. Records that a promotion displaced do not compete, and a group has at least two records.
func Rivals(live []record.Head) [][]record.Head {
	heads := slices.DeleteFunc(slices.Clone(live), func(h record.Head) bool { return h.Status == record.Alternative && !h.Forked() })
	slices.SortStableFunc(heads, func(a, b record.Head) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Module, b.Module))
	})
	var out [][]record.Head
	for len(heads) > 0 {
		n := 1
		for n < len(heads) && heads[n].Type == heads[0].Type && heads[n].Module == heads[0].Module {
			n++
		}
		if n > 1 {
			out = append(out, heads[:n])
		}
		heads = heads[n:]
	}
	return out
}

// Unsuperseded returns the records of a group that no other one supersedes, directly or through
// others, given the links to their last versions. Records that only supersede each other in a
// circle all stay.
func Unsuperseded(group []record.Head, links []record.Edge) []record.Head {
	live := make(map[string]bool)
	for i := range group {
		live[group[i].ID] = true
	}
	over := make(map[string][]string) // what each one supersedes
	superseded := make(map[string]bool)
	for _, e := range links {
		if e.Relation == record.Supersedes && e.From.ID != e.To.ID && live[e.From.ID] {
			over[e.From.ID] = append(over[e.From.ID], e.To.ID)
			superseded[e.To.ID] = true
		}
	}
	ended := make(map[string]bool)
	var next []string
	for i := range group {
		if !superseded[group[i].ID] {
			next = append(next, over[group[i].ID]...)
		}
	}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		if !ended[id] {
			ended[id] = true
			next = append(next, over[id]...)
		}
	}
	return slices.DeleteFunc(slices.Clone(group), func(h record.Head) bool { return ended[h.ID] })
}
