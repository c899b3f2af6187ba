package merge_test

import (
	"slices"
	"strings"
	"unicode"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// drawnLetters are the letters of a batch by author and message.
type drawnLetters map[drawnLetter]*delta.Letter

type drawnLetter struct {
	agent   string
	message int
}

func (all drawnLetters) of(t *rapid.T, agent string, message int, thread bool) *delta.Letter {
	key := drawnLetter{agent, message}
	if _, ok := all[key]; !ok {
		all[key] = anyLetter(t, []string{"Blue", "Crimson"})
		if thread && all[key] != nil {
			all[key].To = []string{"Blue", "Crimson"}
		}
	}
	return all[key]
}

// checkHeard fails if a marked key, "d3 means h2", that its author neither was shown nor gave itself is
// bound to anything but the one item that earlier letters to its author added under that name.
func checkHeard(t *rapid.T, base *artifact.Artifact, it *artifact.Item, v artifact.Value, key string, byID map[string]*delta.Delta, report *merge.Report) {
	switch v := v.(type) {
	case artifact.Map:
		for _, e := range v {
			checkHeard(t, base, it, e.Value, e.Key, byID, report)
		}
	case artifact.Conflict:
		for _, c := range v {
			checkHeard(t, base, it, c.Value, key, byID, report)
		}
	case artifact.Text:
		id, name, ok := strings.Cut(string(v), " means ")
		d := byID[id]
		if name = strings.ToUpper(name); !ok || d == nil || key == "" || d.Place == nil || knows(base, d, name) || d.Target != "" && strings.Contains(d.Target, ".") {
			return
		}
		own, want := heardBy(base, d, name, byID, report)
		switch {
		case own && overheard(base, d, name, byID) && !d.Place.Letter.Direct && key != name && !strings.HasPrefix(key, name+" ("):
			t.Fatalf("%s: %s of %s is in doubt, got %s", it.ID, name, id, key)
		case own:
		case want != "" && key != want:
			t.Fatalf("%s: %s of %s means %s, got %s", it.ID, name, id, want, key)
		case want == "" && key != name && !strings.HasPrefix(key, name+" ("):
			t.Fatalf("%s: %s of %s is unknown, got %s", it.ID, name, id, key)
		}
	}
}

// checkOwn fails if an EDIT or KILL touched a new item for no good reason: a delta of the same author and
// message made it before, under that name, and no earlier letter to its author gave the name to another.
func checkOwn(t *rapid.T, base, out *artifact.Artifact, byID map[string]*delta.Delta, report *merge.Report) {
	for _, row := range report.Deltas {
		d := byID[row.DeltaID]
		id, _, _ := strings.Cut(row.TargetID, ".")
		it, _, _ := out.Find(id)
		if d.Operation == delta.Add || row.Disposition == merge.Rejected || row.Disposition == merge.Duplicate || it == nil || byID[first(it.Created)] == nil {
			continue
		}
		if target, _, _ := strings.Cut(plain(d.Target), "."); d.Place == nil && target == id {
			continue // a file may use the ids that its own items get
		}
		add, name := addCalled(d, addsTo(id, byID, report))
		_, isID := artifact.SectionOfID(name)
		switch {
		case add.Agent != d.Agent || !slices.Contains(namesOf(add), label(name)):
			t.Fatalf("%s of %s touched %s of %s %v", d.Operation, d.Target, id, add.ID, add.Labels)
		case (d.Place == nil) != (add.Place == nil) || d.Place != nil && d.Place.Message != add.Place.Message:
			t.Fatalf("%s of %s touched %s of another message", d.Operation, d.Target, id)
		case d.Operation == delta.Edit && (isID || !strings.ContainsFunc(name, unicode.IsNumber)): // in any order
		case d.Place != nil && d.Place.Block < add.Place.Block || d.Place == nil && d.At.Before(add.At):
			t.Fatalf("%s of %s touched %s, which %s adds later", d.Operation, d.Target, id, add.ID)
		}
		if overheard(base, d, name, byID) {
			t.Fatalf("%s of %s touched %s, but another author's letter has %s, too", d.Operation, d.Target, id, name)
		}
	}
}

// addCalled returns the first of several ADDs of an item that has the name which an EDIT or KILL uses, in the
// same message if there is one, and that name.
func addCalled(d *delta.Delta, adds []*delta.Delta) (add *delta.Delta, name string) {
	row, _, _ := strings.Cut(d.Target, ".")
	for _, other := range adds {
		for _, name := range []string{d.Target, row} {
			if slices.Contains(namesOf(other), label(name)) && (other.Place == nil) == (d.Place == nil) && (d.Place == nil || d.Place.Message == other.Place.Message) {
				return other, name
			}
		}
	}
	return adds[0], row
}

// overheard reports whether an earlier letter of another author to that of a delta gave the name. Only names
// in the form of an id count: others may be plain words.
func overheard(base *artifact.Artifact, d *delta.Delta, name string, byID map[string]*delta.Delta) bool {
	if _, isID := artifact.SectionOfID(name); !isID || d.Place == nil || d.Place.Letter == nil {
		return false
	}
	for _, other := range byID {
		if other.Place == nil || other.Place.Letter == nil || other.Agent == d.Agent || other.Operation != delta.Add {
			continue
		}
		gave := slices.Contains(namesOf(other), name) && !knows(base, other, name)
		if gave && other.Place.Letter.Sent.Before(d.Place.Letter.Sent) && slices.Contains(other.Place.Letter.To, d.Agent) {
			return true
		}
	}
	return false
}

// heardBy returns the hypothesis that the author of a delta means by a name of a letter, and whether it
// gave the name itself.
func heardBy(base *artifact.Artifact, d *delta.Delta, name string, byID map[string]*delta.Delta, report *merge.Report) (own bool, item string) {
	made := make(map[string]bool)
	for _, row := range report.Deltas {
		add := byID[row.DeltaID]
		if add.Operation != delta.Add || add.Place == nil || !slices.Contains(namesOf(add), name) || knows(base, add, name) {
			continue
		}
		if add.Agent == d.Agent && add.Place.Message == d.Place.Message {
			return true, ""
		}
		if d.Place.Letter == nil || add.Place.Letter == nil || !add.Place.Letter.Sent.Before(d.Place.Letter.Sent) {
			continue
		}
		if add.Agent != d.Agent && !slices.Contains(add.Place.Letter.To, d.Agent) {
			continue
		}
		if row.Disposition == merge.Rejected || add.Section != artifact.HypothesisSlate.String() {
			made["none"] = true
			continue
		}
		made[row.TargetID] = true
	}
	if len(made) != 1 || made["none"] {
		return false, ""
	}
	for item = range made {
	}
	return false, item
}
