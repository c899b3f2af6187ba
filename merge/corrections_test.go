package merge_test

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// checkCorrections fails if an ADD wrote to an existing item, unless it is in a letter and corrects an item
// of an earlier letter of the round: of the same author and section, under a common name or label, and not
// shown to its author. Called says how authors call their items of the base.
func checkCorrections(t *rapid.T, base, out *artifact.Artifact, byID map[string]*delta.Delta, report *merge.Report, rules merge.Rules, called map[string][]calls) {
	corrects := make(map[string]bool)
	for _, w := range report.Warnings {
		if w.Code == merge.CorrectsItem {
			corrects[w.Delta] = true
		}
	}
	adds := make(map[string][]*delta.Delta) // of an item, so far
	target := make(map[string]string)
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		if d.Operation != delta.Add || row.Disposition == merge.Rejected || row.Disposition == merge.Duplicate {
			if corrects[d.ID] {
				t.Fatalf("a warning says that %s corrects an item, got %+v", d.ID, row)
			}
			continue
		}
		it, section, ok := out.Find(row.TargetID)
		if !ok {
			t.Fatalf("%s has no item: %+v", d.ID, row)
		}
		if made := first(it.Created) == d.ID; made == corrects[d.ID] {
			t.Fatalf("%s made %s: %v, corrects: %v", d.ID, it.ID, made, corrects[d.ID])
		}
		if corrects[d.ID] {
			switch {
			case !slices.Contains([]string{merge.Third, merge.Fourth}, rules.Version) || d.Place == nil || d.Place.Letter == nil:
				t.Fatalf("%s is not in a letter of merge/3, got %+v", d.ID, row)
			case it.Created == nil || it.Created.Agent != d.Agent || section.String() != d.Section:
				t.Fatalf("%s of %s corrects %s, which %+v added", d.ID, d.Agent, it.ID, it.Created)
			case knows(base, d, it.ID):
				t.Fatalf("%s corrects %s, which its author was shown", d.ID, it.ID)
			}
			checkEarlier(t, base, d, it, adds[it.ID], called[it.ID])
		}
		adds[it.ID] = append(adds[it.ID], d)
		target[d.ID] = it.ID
	}
	for _, s := range artifact.Sections() {
		for _, it := range out.Items(s) {
			before, _, _ := base.Find(it.ID)
			for _, stamp := range stampsOf(it) {
				d := byID[first(stamp)]
				if d != nil && d.Operation == delta.Add && target[d.ID] != it.ID && (before == nil || !slices.Contains(stampsOf(before), stamp)) {
					t.Fatalf("the ADD %s of %q wrote to %s", d.ID, target[d.ID], it.ID)
				}
			}
		}
	}
}

// checkEarlier fails if no earlier letter of the round added the item under a name of the ADD d.
func checkEarlier(t *rapid.T, base *artifact.Artifact, d *delta.Delta, it *artifact.Item, adds []*delta.Delta, called []calls) {
	if old, _, ok := base.Find(it.ID); ok {
		if !slices.ContainsFunc(d.Place.Letter.Before, func(at time.Time) bool { return at.Equal(old.Created.At) }) {
			t.Fatalf("%s corrects %s, which is not of its round", d.ID, it.ID)
		}
	}
	own := callsOf(base, d)
	shared := slices.ContainsFunc(called, own.shares)
	for _, add := range adds {
		if add.Place == nil || add.Place.Letter == nil || add.Place.Message == d.Place.Message || d.At.Before(add.At) {
			t.Fatalf("%s corrects %s, which %s did not add in an earlier letter", d.ID, it.ID, add.ID)
		}
		shared = shared || own.shares(callsOf(base, add))
	}
	if !shared {
		t.Fatalf("%s %v corrects %s, but has no name of it", d.ID, own, it.ID)
	}
}

// calls is how an author calls an item: by labels, and by a name or a condition.
type calls struct {
	labels []string
	name   string
}

// callsOf returns what the author of an ADD calls its item.
func callsOf(base *artifact.Artifact, d *delta.Delta) calls {
	var c calls
	for _, l := range namesOf(d) {
		if l == sharedName || !knows(base, d, l) {
			c.labels = append(c.labels, l)
		}
	}
	_, c.name, _ = strings.Cut(d.Payload.Text("name"), ": ")
	return c
}

func (c calls) shares(other calls) bool {
	return c.name != "" && c.name == other.name || slices.ContainsFunc(c.labels, func(l string) bool { return slices.Contains(other.labels, l) })
}

// callsIn returns how authors called the items of a merge. One without an id as a label may have its own id,
// because the artifact lists only other ids.
func callsIn(base *artifact.Artifact, byID map[string]*delta.Delta, report *merge.Report) map[string][]calls {
	called := make(map[string][]calls)
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		if d.Operation != delta.Add || row.Disposition == merge.Rejected || row.Disposition == merge.Duplicate {
			continue
		}
		c := callsOf(base, d)
		if !slices.ContainsFunc(c.labels, func(l string) bool { _, isID := artifact.SectionOfID(l); return isID }) {
			c.labels = append(c.labels, row.TargetID)
		}
		called[row.TargetID] = append(called[row.TargetID], c)
	}
	return called
}

// addsTo returns the ADD that made an item, and then those that corrected it.
func addsTo(id string, byID map[string]*delta.Delta, report *merge.Report) []*delta.Delta {
	var all []*delta.Delta
	for _, row := range report.Deltas {
		if d := byID[row.DeltaID]; d.Operation == delta.Add && row.TargetID == id && row.Disposition != merge.Rejected && row.Disposition != merge.Duplicate {
			all = append(all, d)
		}
	}
	return all
}

// wrote reports whether a delta wrote a value of a field.
func wrote(it *artifact.Item, field, id string) bool {
	i := slices.IndexFunc(it.Fields, func(f artifact.Field) bool { return f.Name == field })
	if i < 0 {
		return false
	}
	marks := it.Marks(i)
	return slices.ContainsFunc(marks.By(), func(s *artifact.Stamp) bool { return first(s) == id })
}
