package keeper_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/opentest"
)

// importApart imports lines without comparing them.
func importApart(t *testing.T, st store.Store, e embedding.Embedder, lines ...playbook.Line) {
	t.Helper()
	rules := playbook.DefaultRules()
	rules.Match = 2
	k, err := keeper.Open(t.Context(), keeper.Options{Store: st, Rules: rules, Embedder: e})
	if err == nil {
		_, err = k.Import(t.Context(), playbook.Act{Actor: "Sydney"}, lines, playbook.Into{Domain: "general"}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func verified(t *testing.T, st store.Store) {
	t.Helper()
	if p, err := keeper.Verify(t.Context(), st, ""); err != nil || len(p.Faults) > 0 {
		t.Fatalf("%+v, %v", p, err)
	}
}

// A line that was counted for a bullet may have the id of an unrelated one, as exports of two
// projects do. Later lines that resemble it are not counted for that one.
func TestImportedLinesUnderTheIDOfAnotherBullet(t *testing.T) {
	e := &stub{set: map[string][]float32{
		"Name the mechanism": near(1), "Say how it works": near(0.9), "Explain how it works": near(0.9), "Use a clock": near(0, 2),
	}}
	st := opentest.New(t)
	k := openKeeper(t, st, e)
	learn(t, k, playbook.Helpful, "Name the mechanism")
	learn(t, k, playbook.Helpful, "Use a clock")
	got, err := k.Import(t.Context(), playbook.Act{Actor: "Sydney"}, []playbook.Line{
		{Number: 1, ID: "pb-00002", Helpful: 4, Text: "Say how it works"},
		{Number: 2, ID: "pb-00003", Helpful: 4, Text: "Explain how it works"},
	}, playbook.Into{Domain: "general"}, nil)
	if err != nil || len(got) != 2 || got[0].Bullet != "pb-00001" || got[1].Bullet != "pb-00001" {
		t.Errorf("%+v, %v", got, err)
	}
	if b, err := k.Find("pb-00002"); err != nil || b.Helpful != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	verified(t, st)
}

// Imported lines obey the rule for new lessons, also among each other; a second import changes
// nothing.
func TestImportedLinesMatchByMeaning(t *testing.T) {
	e := &stub{set: map[string][]float32{
		"Name the mechanism": near(1), "Always name how it works": near(0.8000001), "Say how it works": near(0.79),
		"Never name the mechanism": near(0.95), "Count cells": near(0, 2), "Count the cells": near(0, 2),
	}}
	st := opentest.New(t)
	k := openKeeper(t, st, e)
	learn(t, k, playbook.Helpful, "Name the mechanism")
	lines := []playbook.Line{
		{Number: 1, ID: "a-1", Helpful: 4, Text: "Always name how it works"},
		{Number: 2, ID: "a-2", Helpful: 2, Text: "Say how it works"},
		{Number: 3, ID: "a-3", Helpful: 2, Text: "Never name the mechanism"},
		{Number: 4, ID: "a-4", Helpful: 3, Text: "Count cells"},
		{Number: 5, ID: "a-5", Harmful: 9, Text: "Count the cells"},
		{Number: 6, ID: "pb-00001", Helpful: 9, Text: "name the mechanism"},
	}
	told := func() (out []string) {
		t.Helper()
		got, err := k.Import(t.Context(), playbook.Act{Actor: "Sydney"}, lines, playbook.Into{Domain: "general"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range got {
			out = append(out, fmt.Sprintf("%s %s %s %.2f", l.ID, l.Did, l.Bullet, l.Cosine))
		}
		return out
	}
	want := []string{"a-1 counted pb-00001 0.80", "a-2 added a-2 0.00", "a-3 added a-3 0.00", "a-4 added a-4 0.00", "a-5 counted a-4 1.00", "pb-00001 counted pb-00001 1.00"}
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	head := k.Head()
	if got := strings.Join(told(), " "); strings.Contains(got, "counted") || strings.Contains(got, "added") || k.Head() != head {
		t.Errorf("second import: %s", got)
	}
	if b, err := k.Find("pb-00001"); err != nil || b.Helpful != 3 || len(k.Bullets(nil)) != 4 {
		t.Errorf("%+v, %v", b, err)
	}
	verified(t, st)
}

// word returns a number in letters, since texts with different numbers are different lessons.
func word(n int) string {
	return "x" + strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(n))
}

// Among 1,000 bullets exactly the planted copies are found; merging them loses nothing, and a
// rollback undoes it.
func TestDedupeOfAThousandBullets(t *testing.T) {
	const originals, copies, opposites = 900, 60, 40
	e := &stub{length: 512, set: map[string][]float32{}}
	var lines []playbook.Line
	add := func(text string) {
		n := len(lines) + 1
		lines = append(lines, playbook.Line{Number: n, ID: fmt.Sprintf("l-%d", n), Helpful: 1 + n%3, Harmful: n % 2, Text: text})
	}
	beside := func(of, text string, share float32) { // a vector near that of another text
		vectors, err := e.Embed(t.Context(), []string{of, "noise " + text})
		if err != nil {
			t.Fatal(err)
		}
		mixed := make([]float32, 512)
		for i := range mixed {
			mixed[i] = vectors[0].Values[i] + share*vectors[1].Values[i]
		}
		e.set[text] = mixed
	}
	planted := map[string]string{}
	for n := range originals {
		add("Increase the gain of channel " + word(n))
	}
	for n := range copies {
		of := n * 15
		text := "Increase the gain of the channel called " + word(of)
		beside(lines[of].Text, text, 0.3)
		add(text)
		planted[lines[len(lines)-1].ID] = lines[of].ID
	}
	for n := range opposites {
		of := n*15 + 7
		text := "Decrease the gain of channel " + word(of)
		beside(lines[of].Text, text, 0.1)
		add(text)
	}
	st := opentest.New(t)
	importApart(t, st, e, lines...)
	k := openKeeper(t, st, e)
	head, act := k.Head(), playbook.Act{Actor: "Sydney"}
	plan, err := k.Dedupe(t.Context(), act, keeper.DedupeOptions{})
	if err != nil || plan.Compared != 1000 || len(plan.Merges) != copies || len(plan.Apart) != opposites || k.Head() != head {
		t.Fatalf("%d compared, %d merges, %d apart, %v", plan.Compared, len(plan.Merges), len(plan.Apart), err)
	}
	for _, m := range plan.Merges {
		if planted[m.Goes] != m.Stays || m.Cosine < 0.8 {
			t.Errorf("%+v", m)
		}
	}
	before := k.Bullets(nil)
	done, err := k.Dedupe(t.Context(), act, keeper.DedupeOptions{Apply: true})
	if err != nil || len(done.Merges) != copies || done.Batch == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	verified(t, st)
	sum := func(live bool) (helpful, harmful int) {
		for _, b := range k.Bullets(func(b *playbook.Bullet) bool { return !live || b.Stage != playbook.Merged }) {
			helpful, harmful = helpful+b.Helpful, harmful+b.Harmful
		}
		return helpful, harmful
	}
	helpful, harmful := 0, 0
	for _, b := range before {
		helpful, harmful = helpful+b.Helpful, harmful+b.Harmful
		if now, err := k.Find(b.ID); err != nil || now.Content != b.Content || now.Source != b.Source {
			t.Fatalf("%+v, %v", now, err)
		}
	}
	if a, b := sum(true); a != helpful || b != harmful {
		t.Errorf("the counts are %d and %d, want %d and %d", a, b, helpful, harmful)
	}
	if again, err := k.Dedupe(t.Context(), act, keeper.DedupeOptions{Apply: true}); err != nil || len(again.Merges)+len(again.Entries) > 0 {
		t.Errorf("a second run merges %d, %v", len(again.Merges), err)
	}
	h, err := k.History(t.Context(), keeper.HistoryOptions{Bullet: done.Merges[0].Stays})
	if err != nil || !slices.ContainsFunc(h.Entries, func(e playbook.Entry) bool { return e.Op == playbook.OpAdd && e.Bullet == done.Merges[0].Goes }) {
		t.Errorf("the history lacks that of the merged bullet: %v", err)
	}
	act.Reason = "not the same after all"
	if _, err := k.Rollback(t.Context(), act, keeper.Rollback{Session: done.Batch}); err != nil {
		t.Fatal(err)
	}
	for i, b := range k.Bullets(nil) {
		if b.Hash() != before[i].Hash() && (b.Stage != before[i].Stage || b.Helpful != before[i].Helpful || b.Harmful != before[i].Harmful) {
			t.Fatalf("got %+v, want %+v", b, before[i])
		}
	}
	verified(t, st)
}

// Bullets of different domains, and quarantined ones, are not merged.
func TestDedupeKeepsDomainsApart(t *testing.T) {
	e := &stub{set: map[string][]float32{"Name it": near(1), "Name it well": near(0.9), "Name it so": near(0.91)}}
	k := openKeeper(t, opentest.New(t), e)
	act := playbook.Act{Actor: "Sydney", Reason: "because"}
	for text, domain := range map[string]string{"Name it": "general", "Name it well": "chem"} {
		if _, _, err := k.Learn(t.Context(), act, playbook.Insight{Domain: domain, Section: playbook.Helpful, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	importApart(t, k.Store, e, playbook.Line{Number: 1, ID: "q", Text: "Name it so"})
	if _, err := k.Do(t.Context(), act, func(d *playbook.Draft) error { return d.Quarantine("q") }); err != nil {
		t.Fatal(err)
	}
	if out, err := k.Dedupe(t.Context(), act, keeper.DedupeOptions{}); err != nil || len(out.Merges) > 0 || out.Compared != 2 {
		t.Errorf("%+v, %v", out, err)
	}
}

// A restored snapshot brings back a playbook that was lost, vectors included.
func TestSnapshotRestoresALostPlaybook(t *testing.T) {
	e := &stub{}
	k := openKeeper(t, opentest.New(t), e)
	learn(t, k, playbook.Helpful, "Name the mechanism")
	learn(t, k, playbook.Harmful, "Skip the controls")
	saved, err := k.Snapshot(t.Context())
	if err != nil || saved.Entries != 2 || saved.Head != k.Head().Hash {
		t.Fatalf("%+v, %v", saved, err)
	}
	elsewhere := opentest.New(t)
	lost := openKeeper(t, elsewhere, e)
	act := playbook.Act{Actor: "Sydney"}
	if _, _, err := lost.ReturnTo(t.Context(), act, saved, true); fault.CodeOf(err) != playbook.NoReason {
		t.Error(err)
	}
	act.Reason = "the disk was lost"
	if out, _, err := lost.ReturnTo(t.Context(), act, saved, false); err != nil || len(out.Added) != 2 || len(lost.Bullets(nil)) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, _, err := lost.ReturnTo(t.Context(), act, saved, true); err != nil || len(lost.Bullets(nil)) != 2 {
		t.Error(err)
	}
	if out, _ := learn(t, lost, playbook.Helpful, "name the mechanism."); out.Bullet != "pb-00001" || out.Added {
		t.Errorf("%+v", out)
	}
	if got, err := lost.Similar(t.Context(), "Skip the controls", 1, func(*playbook.Bullet) bool { return true }); err != nil || len(got) != 1 || got[0].ID != "pb-00002" {
		t.Errorf("%+v, %v", got, err)
	}
	verified(t, elsewhere)
}
