package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/store"
	"brenner/store/opentest"
)

// dyingStore is a store that fails after some writes, as if killed.
type dyingStore struct {
	store.Store
	left int
}

var errKilled = errors.New("killed")

func (d *dyingStore) Write(ctx context.Context, b store.Batch) error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	return d.Store.Write(ctx, b)
}

const teacher = "RS-20261115-teacher"

// teaching returns a session's lessons with mistakes of agents: an unknown bullet, an
// invalid text, and a duplicate.
func teaching() *keeper.Teaching {
	t := &keeper.Teaching{
		Session: teacher, Entries: 7,
		Credits: []playbook.Credit{{Bullet: "pb-00001", Polarity: playbook.Helpful}, {Bullet: "H3", Polarity: playbook.Helpful}, {Bullet: "pb-00002", Polarity: playbook.Harmful}},
	}
	for _, text := range []string{"Name the mechanism", "two\nlines", "Count the cells", "count the cells.", "Known already"} {
		t.Insights = append(t.Insights, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text})
	}
	return t
}

// teachingStore returns a store with a playbook of two bullets and a session that may teach.
func teachingStore(t *testing.T) opentest.Store {
	t.Helper()
	st := opentest.New(t)
	k := keeperOf(t, st)
	for _, text := range []string{"Known already", "Known, too"} {
		if _, _, err := k.Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text, Person: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := keeper.Begin(t.Context(), st, time.Unix(1, 0), teacher); err != nil {
		t.Fatal(err)
	}
	return st
}

func keeperOf(t *testing.T, st store.Store) *keeper.Keeper {
	t.Helper()
	k, err := keeper.Open(t.Context(), keeper.Options{
		Store: st, Rules: playbook.DefaultRules(), Embedder: &stub{}, Now: func() time.Time { return time.Unix(2, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func state(t *testing.T, st store.Store) string {
	t.Helper()
	text := ""
	for _, b := range keeperOf(t, st).Bullets(nil) {
		text += fmt.Sprintf("%s %s %d %d %d %s\n", b.ID, b.Content, b.Helpful, b.Harmful, b.Neutral, b.Stage)
	}
	taken, err := keeper.HarvestProgress(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(text, taken)
}

// A harvest killed before any of its writes and repeated by another process has the same
// result, and counts nothing twice.
func TestKilledHarvestCanBeRepeated(t *testing.T) {
	undisturbed := teachingStore(t)
	if sum, err := keeperOf(t, undisturbed).Take(t.Context(), "brenner", teaching()); err != nil || sum != (keeper.Learned{Credited: 2, Added: 2, Counted: 0}) {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := state(t, undisturbed)
	killed := 0
	for n := 0; ; n++ {
		st := teachingStore(t)
		_, err := keeperOf(t, &dyingStore{Store: st, left: n}).Take(t.Context(), "brenner", teaching())
		if err == nil {
			break
		}
		killed++
		if taken, err := keeper.HarvestProgress(t.Context(), st); err != nil || taken[teacher] != 0 {
			t.Fatalf("killed before write %d, but recorded as taken: %v, %v", n+1, taken, err)
		}
		for range 2 { // the second time there is nothing to do
			if _, err := keeperOf(t, st).Take(t.Context(), "brenner", teaching()); err != nil {
				t.Fatal(err)
			}
			if got := state(t, st); got != want {
				t.Errorf("killed before write %d:\n%s\nwant\n%s", n+1, got, want)
			}
		}
	}
	if killed != 4 { // credits, two bullets, the mark
		t.Errorf("%d writes, want 4", killed)
	}
}

// A repeated harvest counts an insight for the same bullet, even if another one is more
// similar by now.
func TestRepeatedHarvestKeepsItsBullets(t *testing.T) {
	e := &stub{set: map[string][]float32{"Name it": near(1), "Name the mechanism": near(0.85), "Name mechanisms": near(0.9)}}
	st := opentest.New(t)
	k := openKeeper(t, st, e)
	learn(t, k, playbook.Helpful, "Name it")
	lesson := &keeper.Teaching{Session: teacher, Entries: 1, Insights: []playbook.Insight{{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism"}}}
	if sum, err := k.Take(t.Context(), "brenner", lesson); err != nil || sum.Counted != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	importApart(t, st, e, playbook.Line{Number: 1, ID: "closer", Helpful: 1, Text: "Name mechanisms"})
	lesson.Entries = 2
	if sum, err := k.Take(t.Context(), "brenner", lesson); err != nil || !sum.Nothing() {
		t.Errorf("%+v, %v", sum, err)
	}
	if taken, err := keeper.HarvestProgress(t.Context(), st); err != nil || taken[teacher] != 2 {
		t.Errorf("%v, %v", taken, err)
	}
}

// A keeper credits a bullet that another process added after the keeper was opened.
// Otherwise the credit would be lost, since the harvest is recorded as taken.
func TestHarvestSeesBulletsOfOtherProcesses(t *testing.T) {
	st := teachingStore(t)
	early := keeperOf(t, st)
	out, _, err := keeperOf(t, st).Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Added meanwhile", Person: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := early.Take(t.Context(), "brenner", &keeper.Teaching{Session: teacher, Entries: 7, Credits: []playbook.Credit{{Bullet: out.Bullet, Polarity: playbook.Helpful}}})
	if err != nil || sum.Credited != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}
