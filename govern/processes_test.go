package govern_test

import (
	"context"
	"sync"
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// Two processes have the same file open, and both have decided before either of
// them writes: one promotion holds, the other is refused with words, and the
// journal has one winner.
func TestTwoProcessesPromote(t *testing.T) {
	dir := t.TempDir()
	open := func() *sqlite.Store {
		st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	one, two := open(), open()
	k := newKit(t, one)
	for _, id := range []string{"left", "right"} {
		k.put(draft(id, record.ModelSpec, id))
	}
	gate := &meeting{waiting: 2, both: make(chan struct{})}
	ctx := context.WithoutCancel(t.Context())
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i, st := range []store.Store{one, two} {
		all.Go(func() {
			door := k.through(&met{Store: st, gate: gate})
			_, errs[i] = door.Promote(ctx, sydney, []string{"left", "right"}[i], govern.PromoteOptions{Reason: "so"})
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatal(errs)
	}
	for _, err := range errs {
		if err != nil && fault.CodeOf(err) != policy.Blocked {
			t.Error(err)
		}
	}
	heads, err := two.Heads(ctx, store.HeadQuery{Types: []string{record.ModelSpec}, Canonical: true})
	if err != nil || len(heads) != 1 {
		t.Errorf("%v, %v", heads, err)
	}
	k.proven()
}

// meeting lets nobody pass before all have come.
type meeting struct {
	mu      sync.Mutex
	waiting int
	both    chan struct{}
}

func (m *meeting) pass() {
	m.mu.Lock()
	if m.waiting--; m.waiting == 0 {
		close(m.both)
	}
	m.mu.Unlock()
	<-m.both
}

// met is a store of a process that writes after the meeting.
type met struct {
	store.Store
	gate *meeting
}

func (s *met) Write(ctx context.Context, b store.Batch) error {
	s.gate.pass()
	return s.Store.Write(ctx, b)
}
