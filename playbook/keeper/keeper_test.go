package keeper_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/opentest"
)

// near returns a vector with a cosine to (1, 0, …), in the plane of another axis.
func near(cosine float64, axis ...int) []float32 {
	v := make([]float32, 8)
	side := 1
	if len(axis) > 0 {
		side = axis[0]
	}
	v[0], v[side] = float32(cosine), float32(math.Sqrt(1-cosine*cosine))
	return v
}

func openKeeper(t *testing.T, st store.Store, e embedding.Embedder) *keeper.Keeper {
	t.Helper()
	k, err := keeper.Open(t.Context(), keeper.Options{Store: st, Rules: playbook.DefaultRules(), Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func learn(t *testing.T, k *keeper.Keeper, section playbook.Section, text string) (playbook.Outcome, []playbook.Entry) {
	t.Helper()
	out, entries, err := k.Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "general", Section: section, Text: text, Person: true})
	if err != nil {
		t.Fatal(err)
	}
	return out, entries
}

// The specification's example: a cosine of 0.85 is the same lesson, 0.79 is not.
func TestThreshold(t *testing.T) {
	e := &stub{set: map[string][]float32{
		"Use careful prompt engineering":       near(0.99999),
		"Prompt engineering improves accuracy": near(0.85),
		"Prompts are hard":                     near(0.79),
	}}
	k := openKeeper(t, opentest.New(t), e)
	first, _ := learn(t, k, playbook.Helpful, "Use careful prompt engineering")
	second, entries := learn(t, k, playbook.Helpful, "Prompt engineering improves accuracy")
	if second.Added || second.Bullet != first.Bullet || second.Cosine < 0.84 || len(entries) != 1 || entries[0].Op != playbook.OpCount {
		t.Errorf("%+v, %+v", second, entries)
	}
	third, _ := learn(t, k, playbook.Helpful, "Prompts are hard")
	if b, err := k.Find(first.Bullet); err != nil || b.Helpful != 2 || b.Content != "Use careful prompt engineering" || !third.Added {
		t.Errorf("%+v, %+v, %v", b, third, err)
	}
}

func TestSameTextNeedsNoVector(t *testing.T) {
	e := &stub{}
	k := openKeeper(t, opentest.New(t), e)
	learn(t, k, playbook.Helpful, "Name the mechanism")
	before := e.calls.Load()
	for _, same := range []string{"Name the mechanism", "name  the MECHANISM.", "Ｎame the mechanism"} {
		if out, _ := learn(t, k, playbook.Helpful, same); out.Added {
			t.Errorf("%q was added as a new bullet", same)
		}
	}
	if n := e.calls.Load(); n != before {
		t.Errorf("%d vectors were made", n-before)
	}
	if out, _ := learn(t, k, playbook.Helpful, "Add 5 mM glucose"); !out.Added {
		t.Error("not added")
	}
	if out, _ := learn(t, k, playbook.Helpful, "Add 5 MM glucose"); !out.Added || len(out.Near) != 1 {
		t.Errorf("a text with another unit was not added: %+v", out)
	}
}

func TestSameTextInAnotherDomainIsNew(t *testing.T) {
	k := openKeeper(t, opentest.New(t), &stub{})
	learn(t, k, playbook.Helpful, "Name the mechanism")
	out, _, err := k.Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "cooking", Section: playbook.Helpful, Text: "Name the mechanism"})
	if err != nil || !out.Added {
		t.Errorf("%+v, %v", out, err)
	}
}

// With another model, bullets are embedded again and found.
func TestChangedModelEmbedsAgain(t *testing.T) {
	st := opentest.New(t)
	old := &stub{name: "old", set: map[string][]float32{"Name the mechanism": near(0.9)}}
	learn(t, openKeeper(t, st, old), playbook.Helpful, "Name the mechanism")
	fresh := &stub{name: "new", set: map[string][]float32{"Name the mechanism": near(0.9), "Say how it works": near(0.95)}}
	k := openKeeper(t, st, fresh)
	out, _ := learn(t, k, playbook.Helpful, "Say how it works")
	if out.Added {
		t.Errorf("%+v", out)
	}
	b, err := k.Find(out.Bullet)
	if err != nil || b.Embedding.Model != "new" || b.Helpful != 2 {
		t.Errorf("%+v, %v", b, err)
	}
	var ops []playbook.Op
	if err := k.Walk(t.Context(), func(e *playbook.Entry) error { ops = append(ops, e.Op); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []playbook.Op{playbook.OpAdd, playbook.OpEmbed, playbook.OpCount}; !slices.Equal(ops, want) {
		t.Errorf("%v", ops)
	}
}

// Two processes with different models embed each other's bullets again, so that no lesson is
// added twice.
func TestTwoModelsConcurrently(t *testing.T) {
	st := opentest.New(t)
	set := map[string][]float32{"Name the mechanism": near(0.9), "Say how it works": near(0.95), "Tell what it does": near(0.93)}
	one, other := openKeeper(t, st, &stub{name: "one", set: set}), openKeeper(t, st, &stub{name: "other", set: set})
	learn(t, one, playbook.Helpful, "Name the mechanism")
	learn(t, one, playbook.Helpful, "Something else entirely")
	if out, _ := learn(t, other, playbook.Helpful, "Say how it works"); out.Added {
		t.Errorf("%+v", out)
	}
	if out, _ := learn(t, one, playbook.Helpful, "Tell what it does"); out.Added {
		t.Errorf("%+v", out)
	}
}

// Vectors of another length under the same model name count as another model's.
func TestSameNameWithOtherLengthIsAnotherModel(t *testing.T) {
	st := opentest.New(t)
	short := &stub{set: map[string][]float32{"Name the mechanism": {0.9, 0.4}}}
	learn(t, openKeeper(t, st, short), playbook.Helpful, "Name the mechanism")
	long := &stub{set: map[string][]float32{"Name the mechanism": near(0.9), "Say how it works": near(0.95)}}
	k := openKeeper(t, st, long)
	if out, _ := learn(t, k, playbook.Helpful, "Say how it works"); out.Added {
		t.Errorf("%+v", out)
	}
	// Changed again while the keeper is open.
	long.set = map[string][]float32{"Name the mechanism": {0.9, 0.4}, "Tell what it does": {0.92, 0.4}}
	if out, _ := learn(t, k, playbook.Helpful, "Tell what it does"); out.Added {
		t.Errorf("%+v", out)
	}
	if r, err := keeper.Verify(t.Context(), st, k.Head().Hash); err != nil || r.Bullets != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Every process reads the others' entries before it decides.
func TestConcurrentKeepers(t *testing.T) {
	dir := t.TempDir()
	const keepers, times = 3, 12
	var all sync.WaitGroup
	for n := range keepers {
		st, err := opentest.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		k := openKeeper(t, st, &stub{})
		all.Go(func() {
			for i := range times {
				act := playbook.Act{Actor: "Sydney", Session: fmt.Sprintf("RS-%d-%d", n, i)}
				_, _, err := k.Learn(t.Context(), act, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism"})
				if err == nil {
					_, _, err = k.Learn(t.Context(), act, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: fmt.Sprintf("Keeper %d says %d", n, i)})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	st, err := opentest.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	k := openKeeper(t, st, &stub{})
	bullets := k.Bullets(nil)
	same := slices.IndexFunc(bullets, func(b *playbook.Bullet) bool { return b.Content == "Name the mechanism" })
	if len(bullets) != 1+keepers*times || bullets[same].Helpful != keepers*times {
		t.Errorf("%d bullets, %d counted", len(bullets), bullets[same].Helpful)
	}
	if _, err := keeper.Verify(t.Context(), st, k.Head().Hash); err != nil {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	e := &stub{set: map[string][]float32{"cells": near(0.99999), "Cells count": near(0.7, 1), "Cells wait": near(0.75, 2), "Critics doubt": near(0.5, 3)}}
	k := openKeeper(t, opentest.New(t), e)
	promote := func(id string) {
		t.Helper()
		_, err := k.Do(t.Context(), playbook.Act{Actor: "Sydney", Reason: "known"}, func(d *playbook.Draft) error { return d.Promote(id, playbook.Prod) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"Critics doubt", "Cells count", "Cells wait"} {
		i := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text, Person: true}
		if text == "Critics doubt" {
			i.Tags = []string{"role:adversarial_critic"}
		}
		out, _, err := k.Learn(t.Context(), playbook.Act{Actor: "Sydney"}, i)
		if err != nil || !out.Added {
			t.Fatal(out, err)
		}
		promote(out.Bullet)
	}
	shadow, _ := learn(t, k, playbook.Helpful, "Unseen so far")
	w := keeper.Selection{Domain: "general", Session: "RS-1", Role: "adversarial_critic", About: "cells", Tokens: 1000, Count: func(s string) int { return len(strings.Fields(s)) }}
	w.Line = func(b *playbook.Bullet) string { return b.ID + " " + b.Content + "\n" }
	r, err := k.Choose(t.Context(), w)
	if err != nil || !slices.Equal(r.Taken, []string{"pb-00003", "pb-00002", "pb-00001"}) {
		t.Errorf("%+v, %v", r, err)
	}
	w.Role = "test_designer"
	if r, err = k.Choose(t.Context(), w); err != nil || !slices.Equal(r.Taken, []string{"pb-00003", "pb-00002"}) {
		t.Errorf("%+v, %v", r, err)
	}
	w.Tokens = 5 // one
	if r, err = k.Choose(t.Context(), w); err != nil || len(r.Left) == 0 || w.Count(r.Text) > w.Tokens {
		t.Errorf("%+v, %v", r, err)
	}
	// One harmful match equals its support: the next prompt omits it.
	learn(t, k, playbook.Harmful, "Cells wait")
	w.Tokens = 1000
	if r, err = k.Choose(t.Context(), w); err != nil || !slices.Equal(r.Taken, []string{"pb-00002"}) || strings.Contains(r.Text, shadow.Bullet) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestActorIsRequired(t *testing.T) {
	k := openKeeper(t, opentest.New(t), &stub{})
	if _, err := k.Do(t.Context(), playbook.Act{}, func(*playbook.Draft) error { return nil }); fault.CodeOf(err) != playbook.BadBullet {
		t.Error(err)
	}
}

func TestImportIsAllOrNone(t *testing.T) {
	k := openKeeper(t, opentest.New(t), &stub{})
	act := playbook.Act{Actor: "Sydney"}
	learn(t, k, playbook.Helpful, "Name the mechanism")
	lines := []playbook.Line{{Number: 1, ID: "a-1", Text: "New"}, {Number: 2, ID: "pb-00001", Text: "Something else"}}
	if out, err := k.Import(t.Context(), act, lines, playbook.Into{Domain: "general"}, nil); out != nil || fault.CodeOf(err) != playbook.BadLine || len(k.Bullets(nil)) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	progress := 0
	if out, err := k.Import(t.Context(), act, lines[:1], playbook.Into{Domain: "general"}, func(done, of int) { progress = done*10 + of }); len(out) != 1 || out[0].Did != playbook.ImportAdded || err != nil || progress != 11 {
		t.Errorf("%+v, error %v, progress %d", out, err, progress)
	}
	if out, _ := learn(t, k, playbook.Helpful, "new"); out.Added {
		t.Error("an imported bullet was not found")
	}
	if _, err := k.Import(t.Context(), act, nil, playbook.Into{Domain: "\n"}, nil); err == nil {
		t.Error("an invalid domain was accepted")
	}
}

func TestBuiltInModel(t *testing.T) {
	k := openKeeper(t, opentest.New(t), uselite.New(uselite.Options{Lower: true}))
	first, _ := learn(t, k, playbook.Helpful, "Write down what each hypothesis predicts before running the test")
	again, _ := learn(t, k, playbook.Helpful, "Before running the test, write down what every hypothesis predicts")
	if again.Added || again.Bullet != first.Bullet {
		t.Errorf("%+v", again)
	}
	up, _ := learn(t, k, playbook.Helpful, "Increase the learning rate")
	down, _ := learn(t, k, playbook.Helpful, "Decrease the learning rate")
	if !up.Added || !down.Added || len(down.Near) != 1 || down.Near[0].ID != up.Bullet || !strings.Contains(down.Near[0].Why, "opposites") {
		t.Errorf("%+v, %+v", up, down)
	}
}

func TestClock(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k, err := keeper.Open(t.Context(), keeper.Options{Store: opentest.New(t), Rules: playbook.DefaultRules(), Embedder: &stub{}, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	if _, entries := learn(t, k, playbook.Helpful, "Name the mechanism"); !entries[0].At.Equal(at) {
		t.Errorf("%+v", entries)
	}
}
