package govern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/govern"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

// Whatever a reply contains, what is put obeys the rights of its author and links only to what it was
// shown or put itself; and to read the reply again, as after a kill at any place between put and
// journal, changes nothing.
func TestRandomRepliesObeyTheRules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		k := newKit(t, opentest.New(t))
		for _, d := range []govern.Draft{draft("n1", record.PaperNote, "one"), draft("n2", record.PaperNote, "two"), draft("hidden", record.PaperNote, "h"), draft("spec", record.ModelSpec, "s")} {
			k.put(d)
		}
		in := k.replied("RS-1", reader.Name, "n1", "n2 summary", "spec")
		pick := func(all ...string) string { return all[r.IntN(len(all))] }
		for i := range 1 + r.IntN(8) {
			d := delta.Draft{
				ID: pick("a", "b", "c", "n1", "n2", "hidden", "spec", "RS-20260202-bb", "no good", ""), Content: pick("x", "y", fmt.Sprint("text ", i), " "), Rationale: pick("", "r"),
				Type:      pick("", record.PaperNote, record.PaperNote, record.PaperNote, record.ModelSpec, record.Reply, record.TaskSpec, "nonsense"),
				Operation: pick(delta.Add, delta.Add, delta.Add, delta.Add, delta.Kill, delta.Promote), Status: pick("", "", "", record.Draft, record.Canonical), Module: pick("", "", "fate", "gene"),
			}
			for range r.IntN(3) {
				d.Links = append(d.Links, pick("cites=", "derives_from=", "likes=", "")+pick("n1", "n1@v1", "n1@v2", "n2", "hidden", "a", "b", "c@v1", "nosuch", "reply/RS-1/"+reader.Name))
			}
			in.Drafts = append(in.Drafts, d)
		}
		first, err := k.WriteBy(k.ctx(), reader, in)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		k.checkWritten(seed, in, first)
		state := k.state()
		for range 2 {
			again, err := k.WriteBy(k.ctx(), reader, in)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i := range first {
				a, b := first[i], again[i]
				if a.Code != b.Code || a.Message != b.Message || a.Mendable != b.Mendable || (a.Made == nil) != (b.Made == nil) || a.Made != nil && a.Made.Ref() != b.Made.Ref() {
					t.Fatalf("seed %d, draft %d: %+v, and then %+v", seed, i, a, b)
				}
			}
			if now := k.state(); now != state {
				t.Fatalf("seed %d: the second reading changed\n%s\nto\n%s", seed, state, now)
			}
		}
		k.wantVerified()
	}
}

// checkWritten checks the outcomes of a reply of the reader.
func (k *kit) checkWritten(seed uint64, in *govern.Writing, all []govern.WriteOutcome) {
	k.Helper()
	allowed := map[string]bool{in.Source.String(): true}
	for _, s := range in.Inputs {
		allowed[s.Ref.String()] = true
	}
	if len(all) != len(in.Drafts) {
		k.Fatalf("seed %d: %d outcomes of %d drafts", seed, len(all), len(in.Drafts))
	}
	for i, o := range all {
		d := &in.Drafts[i]
		if o.Made == nil {
			if o.Code == "" || o.Message == "" || strings.Contains(o.Hint, "--") {
				k.Errorf("seed %d: %+v says too little", seed, o)
			}
			continue
		}
		m := o.Made
		if m.Type != record.PaperNote || m.Status == record.Canonical || m.Module != "fate" || m.Creator != reader.Name || d.Operation != delta.Add || m.ID != d.ID ||
			slices.Contains([]string{"n2", "hidden", "spec"}, m.ID) || !slices.Contains(m.Links, record.Link{Relation: record.DerivesFrom, ID: in.Source.ID, Version: 1}) {
			k.Errorf("seed %d: %+v was put from %+v", seed, m, d)
		}
		for _, l := range m.Links {
			if !allowed[l.Ref().String()] {
				k.Errorf("seed %d: %s links to %s", seed, m.Ref(), l.Ref())
			}
		}
		allowed[m.Ref().String()] = true
	}
}

// state returns all versions and refusals.
func (k *kit) state() string {
	k.Helper()
	all, err := k.Store.Records(k.ctx(), store.Query{})
	if err != nil {
		k.Fatal(err)
	}
	var b strings.Builder
	for i := range all {
		fmt.Fprintln(&b, all[i].Ref(), all[i].Status, all[i].Content, all[i].Links)
	}
	return b.String() + strings.Join(k.refusals(), "\n")
}
