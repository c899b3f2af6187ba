package playbook_test

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"brenner/playbook"
)

func (s *testBook) save() *playbook.Snapshot {
	return &playbook.Snapshot{Schema: playbook.SnapshotSchema, Bullets: s.book.Save()}
}

func (s *testBook) returnTo(saved *playbook.Snapshot) {
	s.t.Helper()
	s.do(playbook.Act{Reason: "a mistake"}, func(d *playbook.Draft) error {
		_, err := d.ReturnTo(saved, func(b *playbook.Saved) playbook.Embedding { return b.Embedding })
		return err
	})
}

// A count that a restored snapshot has taken back is not taken back again, and one that it has
// brought back is.
func TestUndoAfterSnapshot(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("RS-1", playbook.Helpful, "Name the mechanism", "")
	s.credit("RS-2", id, playbook.Helpful)
	before := s.save()
	s.credit("RS-3", id, playbook.Helpful)
	with := s.save()
	s.returnTo(before)
	s.want(t, id, "SHADOW 2/0/0 ")
	if entries := s.undo("RS-3"); len(entries) != 0 {
		t.Errorf("%+v", entries)
	}
	s.returnTo(with)
	s.undo("RS-3")
	s.want(t, id, "SHADOW 2/0/0 ")
	s.returnTo(with)
	s.undo("RS-3")
	s.want(t, id, "SHADOW 2/0/0 ")
	s.undo("RS-2")
	s.want(t, id, "SHADOW 1/0/0 ")
}

// A batch of merges that was reverted does not revert a later one.
func TestUndoOfAnEarlierMerge(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Helpful, "beta", "")
	_, first := s.merge(similar("pb-00001", "pb-00002", 0.9))
	s.undo(first)
	_, second := s.merge(similar("pb-00001", "pb-00002", 0.9))
	if entries := s.undo(first); len(entries) != 0 {
		t.Errorf("%+v", entries)
	}
	s.want(t, "pb-00002", "MERGED 1/0/0 ")
	s.undo(second)
	s.want(t, "pb-00001", "SHADOW 1/0/0 ")
	s.want(t, "pb-00002", "SHADOW 1/0/0 ")
}

// Stages follow from what is left after all is taken back, not from what is left in between.
func TestUndoJudgesOnce(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Helpful, "beta", "")
	s.credit("RS-1", "pb-00002", playbook.Helpful)
	s.learn("", playbook.Harmful, "gamma", "")
	_, batch := s.merge(similar("pb-00001", "pb-00002", 0.9), similar("pb-00001", "pb-00003", 0.9))
	s.want(t, "pb-00001", "STAGING 3/1/0 ")
	s.undo(batch) // without the second one only: 1/1
	s.want(t, "pb-00001", "SHADOW 1/0/0 ")
}

// No gate is applied to imported bullets. What a merge or a session has raised returns to its stage, unless something has
// changed it since.
func TestUndoReturnsToTheStageOfAnImport(t *testing.T) {
	for _, merged := range []string{"helpful=1 harmful=0", "helpful=0 harmful=0"} {
		s := newTestBook(t)
		if n, err := s.imports("[a-1] helpful=6 harmful=0 :: alpha\n[b-1] " + merged + " :: beta\n"); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		for range 2 {
			_, batch := s.merge(similar("a-1", "b-1", 0.9))
			if b := s.find("a-1"); b.Stage != playbook.Staging || b.Review != playbook.Waiting {
				t.Fatalf("got %s, want it in STAGING, waiting for a review", s.state("a-1"))
			}
			s.undo(batch)
			s.want(t, "a-1", "SHADOW 6/0/0 ")
			if again := s.undo(batch); len(again) != 0 {
				t.Errorf("%+v", again)
			}
		}
		s.credit("RS-1", "a-1", playbook.Helpful)
		s.undo("RS-1")
		s.want(t, "a-1", "SHADOW 6/0/0 ")
		s.credit("RS-2", "a-1", playbook.Helpful)
		s.credit("RS-3", "a-1", playbook.Helpful)
		s.undo("RS-2")
		s.want(t, "a-1", "STAGING 7/0/0 waiting")
	}
}

// Whatever snapshots were restored, reverting a session takes away what is in the counters of it, and
// nothing else.
func TestUndoTakesOnlyWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newTestBook(t)
		type shares map[string]int // by bullet and session, what is in the counter
		now := shares{}
		var saved []*playbook.Snapshot
		var then []shares
		var ids []string
		for n := range 3 {
			id, _ := s.learn("", playbook.Helpful, fmt.Sprintf("Lesson %c", 'a'+n), "")
			ids = append(ids, id)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			session := fmt.Sprintf("RS-%d", rapid.IntRange(1, 4).Draw(t, "session"))
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				saved, then = append(saved, s.save()), append(then, maps.Clone(now))
			case 1:
				if len(saved) > 0 {
					n := rapid.IntRange(0, len(saved)-1).Draw(t, "snapshot")
					s.returnTo(saved[n])
					now = maps.Clone(then[n])
				}
			case 2:
				s.undo("RS-1") // states without one of two sessions may be equal
				for _, id := range ids {
					delete(now, id+"RS-1")
				}
			default:
				id := rapid.SampledFrom(ids).Draw(t, "bullet")
				was := s.find(id).Helpful
				s.credit(session, id, playbook.Helpful)
				now[id+session] += s.find(id).Helpful - was
			}
			for _, id := range ids {
				want := 1
				for n := range 4 {
					want += now[fmt.Sprintf("%sRS-%d", id, n+1)]
				}
				if got := s.find(id).Helpful; got != want {
					t.Fatalf("%s has %d counts, want %d", id, got, want)
				}
			}
		}
	})
}
