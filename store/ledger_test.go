package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// history is the state of a journal whose entries name their writer and the number of entries
// that the writer knew.
type history struct {
	by    []string
	knew  []int
	facts int
}

type note struct {
	By   string `json:"by"`
	Knew int    `json:"knew"`
}

// errWrong rejects an entry whose writer did not know all entries before it.
var errWrong = errors.New("it was decided from another state")

func apply(s *history, e *journal.Entry) error {
	body, err := journal.Decode[note](e, journal.BadEntry)
	if err != nil {
		return err
	}
	if e.Kind == "fact" {
		s.facts++
	} else if body.Knew != len(s.by) {
		return fmt.Errorf("entry %d knew %d: %w", e.Seq, body.Knew, errWrong)
	}
	s.by, s.knew = append(s.by, body.By), append(s.knew, body.Knew)
	return nil
}

func clone(s *history) *history {
	return &history{by: slices.Clip(s.by), knew: slices.Clip(s.knew), facts: s.facts}
}

const stream = "history"

func ledgerOf(st store.Store) *store.Ledger[history] {
	return &store.Ledger[history]{Store: st, Stream: stream, Now: time.Now, State: &history{}, Seen: &history{}, Apply: apply, Clone: clone}
}

func noteBy(s *history, who string) *store.Draft {
	return &store.Draft{Events: []store.Event{{Kind: "note", Body: note{By: who, Knew: len(s.by)}}}}
}

func bothStores(t *testing.T, test func(t *testing.T, open func() store.Store)) {
	t.Run("memory", func(t *testing.T) {
		test(t, func() store.Store { return memory.New() })
	})
	t.Run("sqlite", func(t *testing.T) {
		n := 0
		test(t, func() store.Store {
			n++
			st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), fmt.Sprint(n)), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			})
			return st
		})
	})
}

// Several ledgers write to one stream concurrently: every draft is stored once, each was decided
// from all entries before it, and every ledger sees all entries in order.
func TestLedgersWriteConcurrently(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			st := open()
			writers, each := rapid.IntRange(1, 5).Draw(t, "writers"), rapid.IntRange(1, 6).Draw(t, "each")
			if err := ledgerOf(st).Update(context.Background(), func(s *history) (*store.Draft, error) { return noteBy(s, "first"), nil }); err != nil {
				t.Fatal(err)
			}
			var group errgroup.Group
			seen := make([][]int, writers)
			for w := range writers {
				group.Go(func() error {
					l := ledgerOf(st)
					if err := l.Refresh(context.Background()); err != nil {
						return err
					}
					l.Seen = clone(l.State)
					l.Wrote = func(e *journal.Entry, s *history) {
						if e.Seq == len(s.by) {
							seen[w] = append(seen[w], e.Seq)
						}
					}
					for n := range each {
						who := fmt.Sprintf("writer %d, %d", w, n)
						if err := l.Update(context.Background(), func(s *history) (*store.Draft, error) { return noteBy(s, who), nil }); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			end := ledgerOf(st)
			if err := end.Refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got, want := len(end.State.by), 1+writers*each; got != want {
				t.Errorf("got %d entries, want %d", got, want)
			}
			if once := slices.Compact(slices.Sorted(slices.Values(end.State.by))); len(once) != len(end.State.by) {
				t.Errorf("a draft was stored twice: %q", end.State.by)
			}
			for w, seqs := range seen {
				for i := 1; i < len(seqs); i++ {
					if seqs[i] != seqs[i-1]+1 {
						t.Errorf("writer %d saw the entries %v, with a gap", w, seqs)
					}
				}
			}
		})
	})
}

// If another process wrote first, held drafts are dropped, but facts are kept after its entries.
func TestLedgerKeepsFactsAfterConflict(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		st := open()
		one, other := ledgerOf(st), ledgerOf(st)
		add := func(l *store.Ledger[history], who string) {
			t.Helper()
			if err := l.Update(t.Context(), func(s *history) (*store.Draft, error) { return noteBy(s, who), nil }); err != nil {
				t.Fatal(err)
			}
		}
		add(one, "one")
		if err := other.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		fact := noteBy(one.State, "a fact")
		fact.Events[0].Kind, fact.Fact = "fact", true
		for _, d := range []*store.Draft{fact, {Events: []store.Event{{Kind: "note", Body: note{By: "a decision", Knew: 2}}}}} {
			if err := one.Keep(d); err != nil {
				t.Fatal(err)
			}
		}
		add(other, "other")
		if err := one.Flush(t.Context()); !errors.Is(err, store.ErrBehind) {
			t.Fatalf("got %v, want %v", err, store.ErrBehind)
		}
		if want := []string{"one", "other", "a fact"}; !slices.Equal(one.State.by, want) {
			t.Errorf("the state is %q, want %q", one.State.by, want)
		}
		if err := one.Flush(t.Context()); err != nil || one.Holding() {
			t.Errorf("the fact was not stored: %v", err)
		}
	})
}

// An invalid draft is rejected before it is stored, and leaves no trace.
func TestLedgerRejectsInvalidDrafts(t *testing.T) {
	st := memory.New()
	l := ledgerOf(st)
	err := l.Keep(&store.Draft{Events: []store.Event{{Kind: "note", Body: note{Knew: 0}}, {Kind: "note", Body: note{Knew: 7}}}})
	if !errors.Is(err, errWrong) || len(l.State.by) != 0 || l.Holding() || l.Head.Seq != 0 {
		t.Errorf("got %v, want %v; the state is %+v", err, errWrong, *l.State)
	}
}

// A stream to be created is not written to if it already exists.
func TestLedgerCreatesAStreamOnce(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		st := open()
		for i, want := range []fault.Code{"", store.Moved} {
			l := ledgerOf(st)
			if err := l.Keep(noteBy(l.State, "opener")); err != nil {
				t.Fatal(err)
			}
			if err := l.Flush(t.Context()); fault.CodeOf(err) != want {
				t.Errorf("attempt %d: got %v, want the code %q", i+1, err, want)
			}
		}
	})
}

// Another stream that a draft holds must not move before the draft is stored.
func TestLedgerHoldsOtherStreams(t *testing.T) {
	st := memory.New()
	l := ledgerOf(st)
	prepared := 0
	prepare := func(s *history) (*store.Draft, error) {
		prepared++
		d := noteBy(s, "me")
		head, err := store.HeadOf(t.Context(), st, "others")
		d.Holds = []store.Append{{Stream: "others", After: head}}
		if prepared == 2 {
			other := ledgerOf(st)
			other.Stream = "others"
			err = other.Update(t.Context(), func(s *history) (*store.Draft, error) { return noteBy(s, "other"), nil })
		}
		return d, err
	}
	for range 2 {
		if err := l.Update(t.Context(), prepare); err != nil {
			t.Fatal(err)
		}
	}
	if prepared != 3 || len(l.State.by) != 2 {
		t.Errorf("prepared %d times, want 3; %d entries, want 2", prepared, len(l.State.by))
	}
}

// stuck refuses every write as if its stream had moved.
type stuck struct{ store.Store }

func (stuck) Write(context.Context, store.Batch) error {
	return &fault.Error{Code: store.Moved, Detail: "the head is another one"}
}

// A store whose head does not match its last entry is damaged; retrying would never end.
func TestLedgerReportsADamagedHead(t *testing.T) {
	st := memory.New()
	first := ledgerOf(st)
	if err := first.Update(t.Context(), func(s *history) (*store.Draft, error) { return noteBy(s, "Anna"), nil }); err != nil {
		t.Fatal(err)
	}
	first.Store = stuck{st}
	alone := &store.Ledger[struct{}]{Store: stuck{st}, Stream: stream, Now: time.Now, Head: first.Head, Reload: func(ctx context.Context) (journal.Head, error) {
		return store.HeadOf(ctx, st, stream)
	}}
	for name, err := range map[string]error{
		"with a state": first.Update(t.Context(), func(s *history) (*store.Draft, error) { return noteBy(s, "Anna"), nil }),
		"without one":  alone.Update(t.Context(), func(*struct{}) (*store.Draft, error) { return noteBy(&history{}, "Anna"), nil }),
	} {
		if fault.CodeOf(err) != store.Damaged {
			t.Errorf("%s: got %v, want %s", name, err, store.Damaged)
		}
	}
}
