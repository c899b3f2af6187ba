package govern_test

import (
	"context"
	"sync"
	"testing"

	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

// Two processes have the same file open, and both have decided before either writes: one
// promotion succeeds, the other is refused.
func TestConcurrentPromotionsByTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	open := func() opentest.Store {
		st, err := opentest.Open(t.Context(), dir)
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
	gate := &barrier{waiting: 2, both: make(chan struct{})}
	ctx := context.WithoutCancel(t.Context())
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i, st := range []store.Store{one, two} {
		all.Go(func() {
			records := k.withStore(&barrierStore{Store: st, gate: gate})
			_, errs[i] = records.Promote(ctx, sydney, []string{"left", "right"}[i], govern.PromoteOptions{Reason: "so"})
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
	k.wantVerified()
}

// barrier blocks callers of pass until all have called it.
type barrier struct {
	mu      sync.Mutex
	waiting int
	both    chan struct{}
}

func (m *barrier) pass() {
	m.mu.Lock()
	if m.waiting--; m.waiting == 0 {
		close(m.both)
	}
	m.mu.Unlock()
	<-m.both
}

// barrierStore is the store of a process that writes after the barrier.
type barrierStore struct {
	store.Store
	gate *barrier
}

func (s *barrierStore) Write(ctx context.Context, b store.Batch) error {
	s.gate.pass()
	return s.Store.Write(ctx, b)
}
