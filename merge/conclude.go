package merge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/text"
)

func (p *pass) report(out *artifact.Artifact) Report {
	r := Report{
		Version: out.Metadata.Version, Applied: p.applied, Deltas: p.rows,
		Warnings: p.warnings, Conflicts: p.conflicts(out),
	}
	r.Warnings = append(p.basics(), r.Warnings...)
	r.Warnings = append(r.Warnings, p.postConditions(out)...)
	return r
}

// basics returns the warnings about the input of the merge.
func (p *pass) basics() []Warning {
	var w []Warning
	if p.base.HasContent() && !p.base.HasProvenance() {
		w = append(w, Warning{
			Code:    NoProvenance,
			Message: "the base does not say which deltas it came from; a delta that was merged before would be merged again",
		})
	}
	for s, used := range p.openUsed {
		if used {
			w = append(w, Warning{
				Code:    WriteScope,
				Message: "no role of the roster owns " + artifact.Section(s).String() + "; it is open to all of them",
			})
		}
	}
	return w
}

// postConditions returns the warnings that the specification requires about the merged artifact.
func (p *pass) postConditions(out *artifact.Artifact) []Warning {
	var w []Warning
	if !anyActive(out.Items(artifact.HypothesisSlate), (*artifact.Item).ThirdAlternative) {
		w = append(w, Warning{Code: NoThirdAlternative, Message: "no active hypothesis is a third alternative"})
	}
	if !anyActive(out.Items(artifact.AssumptionLedger), (*artifact.Item).ScaleCheck) {
		w = append(w, Warning{Code: NoScaleCheck, Message: "no active assumption is a scale check"})
	}
	for _, s := range artifact.Sections() {
		least := p.index.rules.limit(s).Min
		if n := countActive(out.Items(s), least); n < least {
			w = append(w, Warning{Code: BelowMinimum, Message: belowMinimum(s, n, least)})
		}
	}
	return w
}

func anyActive(items []*artifact.Item, is func(*artifact.Item) bool) bool {
	return slices.ContainsFunc(items, func(it *artifact.Item) bool { return !it.Killed() && is(it) })
}

// countActive counts items that were not killed, up to most.
func countActive(items []*artifact.Item, most int) int {
	n := 0
	for _, it := range items {
		if n == most {
			break
		}
		if !it.Killed() {
			n++
		}
	}
	return n
}

func belowMinimum(s artifact.Section, n, least int) string {
	return s.String() + " has " + text.Count(n, "active item") + "; at least " + text.Count(least, "active item") + " asked for"
}

// conflicts lists the undecided fields. Rebuilt sections recorded whether they have any.
func (p *pass) conflicts(out *artifact.Artifact) []Conflict {
	var list []Conflict
	for s, items := range out.Sections {
		if state := p.sections[s]; state != nil && state.closed && !state.split {
			continue
		}
		for _, it := range items {
			for i := range it.Fields {
				list = fieldConflicts(list, it, &it.Fields[i])
			}
		}
	}
	return list
}

func fieldConflicts(list []Conflict, it *artifact.Item, f *artifact.Field) []Conflict {
	switch v := f.Value.(type) {
	case artifact.Conflict:
		return append(list, Conflict{it.ID, f.Name, v})
	case artifact.Map:
		for _, e := range v {
			if c, ok := e.Value.(artifact.Conflict); ok {
				list = append(list, Conflict{it.ID, f.Name + "." + e.Key, c})
			}
		}
	}
	return list
}

// split reports whether a field, or a key of it, is undecided.
func split(f *artifact.Field) bool {
	switch v := f.Value.(type) {
	case artifact.Conflict:
		return true
	case artifact.Map:
		for i := range v {
			if _, ok := v[i].Value.(artifact.Conflict); ok {
				return true
			}
		}
	}
	return false
}

func splits(fields []artifact.Field) bool {
	for i := range fields {
		if split(&fields[i]) {
			return true
		}
	}
	return false
}

// commitMetadata increments the version and fills in what the base omits.
func (p *pass) commitMetadata(m *artifact.Metadata) {
	m.Version = p.version
	m.Rules = cmp.Or(p.index.rules.Version, Version)
	if p.index.rules.Roster != nil {
		m.Roster = p.index.rules.Roster
	}
	if m.Status == "" {
		m.Status = "active"
	}
	first, last := p.commitContributors(m)
	if m.CreatedAt == "" {
		m.CreatedAt = artifact.FormatInstant(first)
	}
	if old, err := artifact.ParseInstant(m.UpdatedAt); err != nil || old.Before(last) {
		m.UpdatedAt = artifact.FormatInstant(last)
	}
}

// commitContributors lists the authors of effective deltas, and returns the first and last instant.
func (p *pass) commitContributors(m *artifact.Metadata) (first, last time.Time) {
	list := slices.Clone(m.Contributors)
	place := make(map[string]int, len(list))
	for i, c := range list {
		place[c.Agent] = i
	}
	for _, who := range p.counted {
		newest := who.newest.At
		if first.IsZero() || who.oldest.At.Before(first) {
			first = who.oldest.At
		}
		if last.Before(newest) {
			last = newest
		}
		i, ok := place[who.Agent]
		if !ok {
			i = len(list)
			list = append(list, artifact.Contributor{Agent: who.Agent})
		}
		if who.Program != "" || who.Model != "" {
			list[i].Program, list[i].Model = who.Program, who.Model
		}
		list[i].Asked = addAsked(list[i].Asked, who.asked)
		if old, err := artifact.ParseInstant(list[i].ContributedAt); err != nil || old.Before(newest) {
			list[i].ContributedAt = artifact.FormatInstant(newest)
		}
	}
	m.Contributors = list
	return first, last
}

// addAsked adds what was asked to a list of what was asked before: an agent may have been reached in
// another way in an earlier round.
func addAsked(list, asked string) string {
	const separator = "; "
	for one := range strings.SplitSeq(asked, separator) {
		switch {
		case list == "":
			list = one
		case one != "" && !slices.Contains(strings.Split(list, separator), one):
			list += separator + one
		}
	}
	return list
}
