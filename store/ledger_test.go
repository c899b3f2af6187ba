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

// said is the state of a journal whose entries each say who wrote it, and how many
// entries it then knew.
type said struct {
	by    []string
	knew  []int
	facts int
}

type saying struct {
	By   string `json:"by"`
	Knew int    `json:"knew"`
}

// errWrong refuses an entry that was written without knowing all before it.
var errWrong = errors.New("it was decided on something else")

func apply(s *said, e *journal.Entry) error {
	body, err := journal.Decode[saying](e, journal.BadEntry)
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

func clone(s *said) *said {
	return &said{by: slices.Clip(s.by), knew: slices.Clip(s.knew), facts: s.facts}
}

const stream = "said"

func ledgerOf(st store.Store) *store.Ledger[said] {
	return &store.Ledger[said]{Store: st, Stream: stream, Now: time.Now, State: &said{}, Seen: &said{}, Apply: apply, Clone: clone}
}

func saysOf(s *said, who string) *store.Draft {
	return &store.Draft{Events: []store.Event{{Kind: "say", Body: saying{By: who, Knew: len(s.by)}}}}
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

// Any number of ledgers write to one stream at once: every draft is stored once, each
// was decided on all that stands before it, and every ledger sees all entries in order.
func TestLedgersWriteAtOnce(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			st := open()
			writers, each := rapid.IntRange(1, 5).Draw(t, "writers"), rapid.IntRange(1, 6).Draw(t, "each")
			if err := ledgerOf(st).Update(context.Background(), func(s *said) (*store.Draft, error) { return saysOf(s, "first"), nil }); err != nil {
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
					l.Wrote = func(e *journal.Entry, s *said) {
						if e.Seq == len(s.by) {
							seen[w] = append(seen[w], e.Seq)
						}
					}
					for n := range each {
						who := fmt.Sprintf("writer %d, %d", w, n)
						if err := l.Update(context.Background(), func(s *said) (*store.Draft, error) { return saysOf(s, who), nil }); err != nil {
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
				t.Errorf("%d entries are stored, want %d", got, want)
			}
			if once := slices.Compact(slices.Sorted(slices.Values(end.State.by))); len(once) != len(end.State.by) {
				t.Errorf("a draft was stored twice: %q", end.State.by)
			}
			for w, seqs := range seen {
				for i := 1; i < len(seqs); i++ {
					if seqs[i] != seqs[i-1]+1 {
						t.Errorf("writer %d was told of the entries %v: they have a gap", w, seqs)
					}
				}
			}
		})
	})
}

// What is held is forgotten when others write, but for facts, which stand behind that.
func TestLedgerHoldsFactsAgain(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		st := open()
		one, other := ledgerOf(st), ledgerOf(st)
		say := func(l *store.Ledger[said], who string) {
			t.Helper()
			if err := l.Update(t.Context(), func(s *said) (*store.Draft, error) { return saysOf(s, who), nil }); err != nil {
				t.Fatal(err)
			}
		}
		say(one, "one")
		if err := other.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		fact := saysOf(one.State, "a fact")
		fact.Events[0].Kind, fact.Fact = "fact", true
		for _, d := range []*store.Draft{fact, {Events: []store.Event{{Kind: "say", Body: saying{By: "a decision", Knew: 2}}}}} {
			if err := one.Keep(d); err != nil {
				t.Fatal(err)
			}
		}
		say(other, "other")
		if err := one.Flush(t.Context()); !errors.Is(err, store.ErrBehind) {
			t.Fatalf("a moved head came back as %v, want %v", err, store.ErrBehind)
		}
		if want := []string{"one", "other", "a fact"}; !slices.Equal(one.State.by, want) {
			t.Errorf("the state is %q, want %q", one.State.by, want)
		}
		if err := one.Flush(t.Context()); err != nil || one.Holding() {
			t.Errorf("the fact was not stored: %v", err)
		}
	})
}

// A draft that makes no sense is refused before it is stored, and leaves no trace.
func TestLedgerRefusesWhatMakesNoSense(t *testing.T) {
	st := memory.New()
	l := ledgerOf(st)
	err := l.Keep(&store.Draft{Events: []store.Event{{Kind: "say", Body: saying{Knew: 0}}, {Kind: "say", Body: saying{Knew: 7}}}})
	if !errors.Is(err, errWrong) || len(l.State.by) != 0 || l.Holding() || l.Head.Seq != 0 {
		t.Errorf("the refusal is %v, want %v; the state is %+v", err, errWrong, *l.State)
	}
}

// A stream that was to be opened and is there already is not written to.
func TestLedgerOpensAStreamOnce(t *testing.T) {
	bothStores(t, func(t *testing.T, open func() store.Store) {
		st := open()
		for i, want := range []fault.Code{"", store.Moved} {
			l := ledgerOf(st)
			if err := l.Keep(saysOf(l.State, "opener")); err != nil {
				t.Fatal(err)
			}
			if err := l.Flush(t.Context()); fault.CodeOf(err) != want {
				t.Errorf("opening number %d: %v, want the code %q", i+1, err, want)
			}
		}
	})
}

// A stream of others that a draft holds must not move before it is stored.
func TestLedgerHoldsOtherStreams(t *testing.T) {
	st := memory.New()
	l := ledgerOf(st)
	asked := 0
	prepare := func(s *said) (*store.Draft, error) {
		asked++
		d := saysOf(s, "me")
		head, err := store.HeadOf(t.Context(), st, "others")
		d.Holds = []store.Append{{Stream: "others", After: head}}
		if asked == 2 {
			other := ledgerOf(st)
			other.Stream = "others"
			err = other.Update(t.Context(), func(s *said) (*store.Draft, error) { return saysOf(s, "other"), nil })
		}
		return d, err
	}
	for range 2 {
		if err := l.Update(t.Context(), prepare); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 3 || len(l.State.by) != 2 {
		t.Errorf("it was asked %d times, want 3; %d entries, want 2", asked, len(l.State.by))
	}
}

// stuck refuses every write as if its stream had moved.
type stuck struct{ store.Store }

func (stuck) Write(context.Context, store.Batch) error {
	return &fault.Error{Code: store.Moved, Detail: "the head is another one"}
}

// A store whose head is not that of its last entry is damaged: asking again would not end.
func TestLedgerEndsAtADamagedHead(t *testing.T) {
	st := memory.New()
	first := ledgerOf(st)
	if err := first.Update(t.Context(), func(s *said) (*store.Draft, error) { return saysOf(s, "Anna"), nil }); err != nil {
		t.Fatal(err)
	}
	first.Store = stuck{st}
	alone := &store.Ledger[struct{}]{Store: stuck{st}, Stream: stream, Now: time.Now, Head: first.Head, Reload: func(ctx context.Context) (journal.Head, error) {
		return store.HeadOf(ctx, st, stream)
	}}
	for name, err := range map[string]error{
		"with a state": first.Update(t.Context(), func(s *said) (*store.Draft, error) { return saysOf(s, "Anna"), nil }),
		"without one":  alone.Update(t.Context(), func(*struct{}) (*store.Draft, error) { return saysOf(&said{}, "Anna"), nil }),
	} {
		if fault.CodeOf(err) != store.Damaged {
			t.Errorf("%s: got %v, want %s", name, err, store.Damaged)
		}
	}
}
