package playbook_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/playbook"
)

// merge merges the given pairs in one batch and returns its name.
func (s *testBook) merge(pairs ...playbook.Similar) ([]playbook.Merge, string) {
	s.t.Helper()
	merges, _ := s.book.PlanMerges(pairs)
	batch := playbook.MergeBatch(len(s.entries) + 1)
	s.do(playbook.Act{Session: batch}, func(d *playbook.Draft) error { return d.MergeAll(merges) })
	return merges, batch
}

func similar(a, b string, cosine float64) playbook.Similar {
	return playbook.Similar{A: a, B: b, Cosine: cosine}
}

// In a chain of similar bullets, each is merged only into one that it matches itself.
func TestChainsAreNotFollowed(t *testing.T) {
	s := newTestBook(t)
	for _, text := range []string{"alpha", "beta", "gamma"} {
		s.learn("", playbook.Helpful, text, "")
	}
	merges, _ := s.merge(similar("pb-00001", "pb-00002", 0.85), similar("pb-00002", "pb-00003", 0.99))
	if len(merges) != 1 || merges[0].Stays != "pb-00001" || merges[0].Goes != "pb-00002" || merges[0].Why != "older" {
		t.Fatalf("%+v", merges)
	}
	s.want(t, "pb-00001", "SHADOW 2/0/0 ")
	s.want(t, "pb-00002", "MERGED 1/0/0 ")
	s.want(t, "pb-00003", "SHADOW 1/0/0 ")
}

// Stages follow from the counts of all merged bullets, not from those of the first.
func TestStagesFollowFromAllMerges(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Harmful, "beta", "")
	s.learn("", playbook.Helpful, "gamma", "")
	s.merge(similar("pb-00001", "pb-00002", 0.9), similar("pb-00001", "pb-00003", 0.9))
	s.want(t, "pb-00001", "SHADOW 2/1/0 ")
	s.want(t, "pb-00002", "MERGED 0/1/0 ")
	s.want(t, "pb-00003", "MERGED 1/0/0 ")
}

func TestWhichBulletStays(t *testing.T) {
	s := newTestBook(t)
	for n := range 4 {
		s.learn("", playbook.Helpful, fmt.Sprintf("Text of %c", 'a'+n), "")
	}
	s.do(playbook.Act{Reason: "known"}, func(d *playbook.Draft) error { return d.Promote("pb-00003", playbook.Prod) })
	s.do(playbook.Act{}, func(d *playbook.Draft) error {
		_, err := d.Learn(playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "A person's", Person: true}, nil, playbook.Embedding{})
		return err
	})
	s.do(playbook.Act{}, func(d *playbook.Draft) error {
		_, err := d.Learn(playbook.Insight{Domain: "chem", Section: playbook.Helpful, Text: "Of chemistry"}, nil, playbook.Embedding{})
		return err
	})
	merges, _ := s.book.PlanMerges([]playbook.Similar{
		similar("pb-00001", "pb-00003", 0.9), similar("pb-00002", "pb-00005", 0.9), similar("pb-00004", "pb-00006", 0.9),
		similar("pb-00001", "pb-00005", 0.95),
	})
	want := []playbook.Merge{
		{Stays: "pb-00005", Goes: "pb-00001", Cosine: 0.95, Why: "a person's"}, // nearer than the one in PROD
		{Stays: "pb-00005", Goes: "pb-00002", Cosine: 0.9, Why: "a person's"},
	}
	if !slices.Equal(merges, want) {
		t.Errorf("got %+v, want %+v", merges, want)
	}
}

// A bullet for all roles does not disappear in one for some, and texts that differ in meaning stay
// apart.
func TestSimilarBulletsThatStayApart(t *testing.T) {
	s := newTestBook(t)
	tagged := func(text string, tags ...string) {
		s.do(playbook.Act{}, func(d *playbook.Draft) error {
			_, err := d.Learn(playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: text, Tags: tags}, nil, playbook.Embedding{})
			return err
		})
	}
	tagged("For critics", "role:adversarial_critic")
	tagged("For everyone")
	tagged("Increase the rate")
	tagged("Decrease the rate")
	tagged("For critics too", "role:adversarial_critic", "killed")
	merges, apart := s.book.PlanMerges([]playbook.Similar{
		similar("pb-00001", "pb-00002", 0.9), similar("pb-00003", "pb-00004", 0.98), similar("pb-00001", "pb-00005", 0.9),
	})
	if len(merges) != 1 || merges[0].Goes != "pb-00005" {
		t.Errorf("%+v", merges)
	}
	if len(apart) != 2 || apart[0].Why != "for different roles" || apart[1].Why != "“decrease” and “increase” are opposites" {
		t.Errorf("%+v", apart)
	}
}

// What is said of a merged bullet afterwards counts for the one that stands for it, once for each
// session.
func TestMergedBulletsCountForTheirBullet(t *testing.T) {
	s := newTestBook(t)
	s.learn("RS-1", playbook.Helpful, "alpha", "")
	s.learn("RS-2", playbook.Helpful, "beta", "")
	s.merge(similar("pb-00001", "pb-00002", 0.9))
	for session, want := range map[string]int{"RS-1": 0, "RS-2": 0} {
		if entries := s.credit(session, "pb-00002", playbook.Helpful); len(entries) != want {
			t.Errorf("%s counted again: %+v", session, entries)
		}
	}
	s.credit("RS-3", "pb-00002", playbook.Helpful)
	if id, _ := s.learn("RS-4", playbook.Helpful, "beta too", "pb-00002"); id != "pb-00001" {
		t.Errorf("counted for %s", id)
	}
	s.want(t, "pb-00001", "STAGING 4/0/0 ")
	s.want(t, "pb-00002", "MERGED 1/0/0 ")
	for what, do := range map[string]func(*playbook.Draft) error{
		"promote":    func(d *playbook.Draft) error { return d.Promote("pb-00002", playbook.Prod) },
		"quarantine": func(d *playbook.Draft) error { return d.Quarantine("pb-00002") },
		"replace": func(d *playbook.Draft) error {
			_, err := d.Replace("pb-00001", "Beta.", playbook.Source{}, playbook.Embedding{})
			return err
		},
	} {
		if _, err := s.try(playbook.Act{Reason: "because"}, do); err == nil {
			t.Errorf("%s of a merged bullet was accepted", what)
		}
	}
	// Separated, both have what they had and what came since.
	s.do(playbook.Act{Reason: "not the same"}, func(d *playbook.Draft) error { return d.Restore("pb-00002") })
	s.want(t, "pb-00001", "STAGING 3/0/0 ")
	s.want(t, "pb-00002", "SHADOW 1/0/0 ")
}

// A bullet that a restored snapshot has merged again returns to the stage that it had.
func TestSeparatedAfterSnapshot(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Helpful, "beta", "")
	promote := func(id string) {
		s.do(playbook.Act{Reason: "known"}, func(d *playbook.Draft) error { return d.Promote(id, playbook.Staging) })
	}
	separate := func() {
		s.do(playbook.Act{Reason: "not the same"}, func(d *playbook.Draft) error { return d.Restore("pb-00002") })
	}
	promote("pb-00001")
	promote("pb-00002")
	_, batch := s.merge(similar("pb-00001", "pb-00002", 0.9))
	merged := s.save()
	separate()
	s.returnTo(merged)
	s.want(t, "pb-00001", "STAGING 2/0/0 ")
	s.want(t, "pb-00002", "MERGED 1/0/0 ")
	separate()
	s.want(t, "pb-00002", "STAGING 1/0/0 ")
	merged.Bullets[1].MergedFrom = "" // as an earlier program wrote it
	s.returnTo(merged)
	s.undo(batch)
	s.want(t, "pb-00001", "STAGING 1/0/0 ")
	s.want(t, "pb-00002", "SHADOW 1/0/0 ")
}

// A rollback of a window reaches merged bullets, and spares older ones.
func TestRollbackOfAWindowReachesMerges(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Helpful, "beta", "")
	since := s.now.Add(time.Millisecond)
	s.learn("", playbook.Helpful, "gamma", "")
	s.learn("", playbook.Helpful, "delta", "")
	s.do(playbook.Act{Reason: "known"}, func(d *playbook.Draft) error { return d.Promote("pb-00004", playbook.Prod) })
	s.merge(similar("pb-00001", "pb-00003", 0.9), similar("pb-00002", "pb-00004", 0.9))
	s.want(t, "pb-00001", "SHADOW 2/0/0 ")
	s.want(t, "pb-00004", "PROD 2/0/0 ")
	s.do(playbook.Act{Reason: "errors"}, func(d *playbook.Draft) error {
		_, err := d.Rollback(since, s.now)
		return err
	})
	s.want(t, "pb-00001", "SHADOW 1/0/0 ")
	s.want(t, "pb-00002", "SHADOW 1/0/0 ")
	s.want(t, "pb-00003", "QUARANTINED 1/0/0 ")
	s.want(t, "pb-00004", "QUARANTINED 1/0/0 ")
}

// A session's rollback also takes back what its bullet brought into a merge.
func TestRollbackOfASessionReachesMerges(t *testing.T) {
	s := newTestBook(t)
	s.learn("RS-1", playbook.Helpful, "alpha", "")
	s.learn("RS-2", playbook.Helpful, "beta", "")
	s.credit("RS-3", "pb-00002", playbook.Helpful)
	s.merge(similar("pb-00001", "pb-00002", 0.9))
	s.want(t, "pb-00001", "STAGING 3/0/0 ")
	s.undo("RS-2")
	s.want(t, "pb-00001", "SHADOW 2/0/0 ")
	s.want(t, "pb-00002", "MERGED 1/0/0 ")
}

// Merging adds the counts and keeps everything else of every bullet; rolled back, all is as before.
func TestMergesLoseNothingAndCanBeRolledBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyHistory(t)
		before := s.book.Save()
		var pairs []playbook.Similar
		for a := range before {
			for b := range a {
				if rapid.IntRange(0, 2).Draw(t, "pair") == 0 {
					pairs = append(pairs, similar(before[a].ID, before[b].ID, rapid.Float64Range(0.8, 1).Draw(t, "cosine")))
				}
			}
		}
		merges, batch := s.merge(pairs...)
		goes := make(map[string]string)
		for _, m := range merges {
			if goes[m.Goes] = m.Stays; !slices.ContainsFunc(pairs, func(p playbook.Similar) bool {
				return p.Cosine == m.Cosine && (p.A == m.Goes && p.B == m.Stays || p.B == m.Goes && p.A == m.Stays)
			}) {
				t.Fatalf("not similar: %+v", m)
			}
		}
		for _, b := range before {
			if goes[goes[b.ID]] != "" {
				t.Fatalf("%s was merged into a merged bullet", b.ID)
			}
			sum := [3]int{b.Helpful, b.Harmful, b.Neutral}
			for _, o := range before {
				if goes[o.ID] == b.ID {
					sum[0], sum[1], sum[2] = sum[0]+o.Helpful, sum[1]+o.Harmful, sum[2]+o.Neutral
				}
			}
			now := s.find(b.ID)
			if [3]int{now.Helpful, now.Harmful, now.Neutral} != sum || now.Content != b.Content || now.Source != b.Source || !slices.Equal(now.Tags, b.Tags) {
				t.Fatalf("got %+v, want the counts %v", now, sum)
			}
		}
		if again, _ := s.book.PlanMerges(pairs); len(again) > 0 {
			t.Fatalf("a second run proposes %+v", again)
		}
		s.undo(batch)
		for i, b := range s.book.Save() {
			b.LastSeen = before[i].LastSeen
			// A stage may have fallen: the counters are judged again.
			if b.Helpful != before[i].Helpful || b.Harmful != before[i].Harmful || b.Neutral != before[i].Neutral || b.MergedInto != before[i].MergedInto {
				t.Fatalf("got %+v, want %+v", b, before[i])
			}
			if goes[b.ID] != "" && b.Stage != before[i].Stage {
				t.Fatalf("%s is in %s, want %s", b.ID, b.Stage, before[i].Stage)
			}
		}
	})
}

// Restoring a snapshot returns every bullet of it, and quarantines the others.
func TestReturnToSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyHistory(t)
		saved := &playbook.Snapshot{Schema: playbook.SnapshotSchema, Bullets: s.book.Save()}
		if rapid.Bool().Draw(t, "elsewhere") {
			s = anyHistory(t)
			for n := range s.book.Len() { // an id with another text is refused
				if i := slices.IndexFunc(saved.Bullets, func(b playbook.Saved) bool { return b.ID == s.book.At(n).ID }); i >= 0 && len(saved.Bullets) > 0 {
					s = newTestBook(t)
					break
				}
			}
		} else {
			for n := range min(3, s.book.Len()) {
				s.credit("RS-later", s.book.At(n).ID, rapid.SampledFrom(playbook.Sections()).Draw(t, "section"))
			}
			s.learn("RS-later", playbook.Helpful, "Something later", "")
		}
		s.do(playbook.Act{Reason: "back"}, func(d *playbook.Draft) error {
			_, err := d.ReturnTo(saved, func(b *playbook.Saved) playbook.Embedding { return b.Embedding })
			return err
		})
		now := make(map[string]playbook.Saved)
		for _, b := range s.book.Save() {
			now[b.ID] = b
		}
		for _, b := range saved.Bullets {
			if got := now[b.ID]; got.Hash() != b.Hash() || got.MergedInto != b.MergedInto {
				t.Fatalf("got %+v, want %+v", got, b)
			}
			delete(now, b.ID)
		}
		for _, b := range now {
			if b.Stage != playbook.Quarantined {
				t.Fatalf("%+v is not in the snapshot", b)
			}
		}
	})
}

func TestInvalidSnapshots(t *testing.T) {
	s := newTestBook(t)
	s.learn("", playbook.Helpful, "alpha", "")
	s.learn("", playbook.Helpful, "beta", "")
	for what, damage := range map[string]func(*playbook.Snapshot){
		"schema":       func(x *playbook.Snapshot) { x.Schema = "brenner.roster/v1" },
		"stage":        func(x *playbook.Snapshot) { x.Bullets[0].Stage = "HEAVEN" },
		"counter":      func(x *playbook.Snapshot) { x.Bullets[0].Helpful = -1 },
		"no target":    func(x *playbook.Snapshot) { x.Bullets[0].Stage = playbook.Merged },
		"lost target":  func(x *playbook.Snapshot) { x.Bullets[0].Stage, x.Bullets[0].MergedInto = playbook.Merged, "pb-00009" },
		"itself":       func(x *playbook.Snapshot) { x.Bullets[0].Stage, x.Bullets[0].MergedInto = playbook.Merged, "pb-00001" },
		"twice":        func(x *playbook.Snapshot) { x.Bullets[1] = x.Bullets[0] },
		"another text": func(x *playbook.Snapshot) { x.Bullets[0].Content = "gamma" },
	} {
		saved := &playbook.Snapshot{Schema: playbook.SnapshotSchema, Bullets: s.book.Save()}
		damage(saved)
		_, err := s.try(playbook.Act{Reason: "back"}, func(d *playbook.Draft) error {
			_, err := d.ReturnTo(saved, func(*playbook.Saved) playbook.Embedding { return playbook.Embedding{} })
			return err
		})
		if err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
