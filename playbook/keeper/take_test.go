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
	"brenner/store/memory"
)

// dying is a store whose process is killed before its n-th write.
type dying struct {
	store.Store
	left int
}

var errKilled = errors.New("killed")

func (d *dying) Write(ctx context.Context, b store.Batch) error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	return d.Store.Write(ctx, b)
}

const pupil = "RS-20261115-pupil"

// teaching is what a session teaches, with what agents get wrong: a bullet that is not
// there, a text that is none, and the same thing said twice.
func teaching() *keeper.Teaching {
	t := &keeper.Teaching{
		Session: pupil, Entries: 7,
		Credits: []playbook.Credit{{Bullet: "pb-00001", Polarity: playbook.Helpful}, {Bullet: "H3", Polarity: playbook.Helpful}, {Bullet: "pb-00002", Polarity: playbook.Harmful}},
	}
	for _, text := range []string{"Name the mechanism", "two\nlines", "Count the cells", "count the cells.", "Known already"} {
		t.Insights = append(t.Insights, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text})
	}
	return t
}

// taught gives a store with a playbook of two bullets, and a session that may teach.
func taught(t *testing.T) *memory.Store {
	t.Helper()
	st := memory.New()
	k := keeperOf(t, st)
	for _, text := range []string{"Known already", "Known, too"} {
		if _, _, err := k.Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text, Person: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := keeper.Begin(t.Context(), st, time.Unix(1, 0), pupil); err != nil {
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
	taken, err := keeper.Taken(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(text, taken)
}

// Killed before any of its writes, and taken up again by another process: the playbook
// is as if nothing had happened, and nothing has counted twice.
func TestAHarvestThatWasKilled(t *testing.T) {
	whole := taught(t)
	if sum, err := keeperOf(t, whole).Take(t.Context(), "brenner", teaching()); err != nil || sum != (keeper.Learned{Credited: 2, Added: 2, Counted: 0}) {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := state(t, whole)
	killed := 0
	for n := 0; ; n++ {
		st := taught(t)
		_, err := keeperOf(t, &dying{Store: st, left: n}).Take(t.Context(), "brenner", teaching())
		if err == nil {
			break
		}
		killed++
		if taken, err := keeper.Taken(t.Context(), st); err != nil || taken[pupil] != 0 {
			t.Fatalf("killed before write %d, and said to be taken: %v, %v", n+1, taken, err)
		}
		for range 2 { // the second time there is nothing left to do
			if _, err := keeperOf(t, st).Take(t.Context(), "brenner", teaching()); err != nil {
				t.Fatal(err)
			}
			if got := state(t, st); got != want {
				t.Errorf("killed before write %d:\n%s\nwant\n%s", n+1, got, want)
			}
		}
	}
	if killed != 4 { // credits, two bullets, the mark
		t.Errorf("%d writes", killed)
	}
}

// What was taken in stays where it was counted, even if something is more like it by the
// time it is taken in again.
func TestAHarvestDoesNotMoveOn(t *testing.T) {
	e := &stub{set: map[string][]float32{"Name it": near(1), "Name the mechanism": near(0.85), "Name mechanisms": near(0.9)}}
	st := memory.New()
	k := opened(t, st, e)
	learn(t, k, playbook.Helpful, "Name it")
	say := &keeper.Teaching{Session: pupil, Entries: 1, Insights: []playbook.Insight{{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism"}}}
	if sum, err := k.Take(t.Context(), "brenner", say); err != nil || sum.Counted != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if _, err := k.Import(t.Context(), playbook.Act{Actor: "Sydney"}, []playbook.Line{{Number: 1, ID: "closer", Helpful: 1, Text: "Name mechanisms"}}, playbook.Into{Domain: "general"}, nil); err != nil {
		t.Fatal(err)
	}
	say.Entries = 2
	if sum, err := k.Take(t.Context(), "brenner", say); err != nil || !sum.Nothing() {
		t.Errorf("%+v, %v", sum, err)
	}
	if taken, err := keeper.Taken(t.Context(), st); err != nil || taken[pupil] != 2 {
		t.Errorf("%v, %v", taken, err)
	}
}

// A keeper that was opened before another process added a bullet credits it all the same: a
// harvest is marked as taken in, and nobody would come back for the credit.
func TestAHarvestSeesWhatOthersHaveAdded(t *testing.T) {
	st := taught(t)
	early := keeperOf(t, st)
	out, _, err := keeperOf(t, st).Learn(t.Context(), playbook.Act{Actor: "Sydney"}, playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Added meanwhile", Person: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := early.Take(t.Context(), "brenner", &keeper.Teaching{Session: pupil, Entries: 7, Credits: []playbook.Credit{{Bullet: out.Bullet, Polarity: playbook.Helpful}}})
	if err != nil || sum.Credited != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}
