package session_test

import (
	"context"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/opentest"
)

// interceptedStore calls do right before the first write.
type interceptedStore struct {
	lockingStore
	once sync.Once
	do   func()
}

func (s *interceptedStore) Write(ctx context.Context, b store.Batch) error {
	s.once.Do(s.do)
	return s.lockingStore.Write(ctx, b)
}

// Another process without a common lock opens the session between the check and the first write:
// Start fails and does not change that session.
func TestStartFailsIfOpenedMeanwhile(t *testing.T) {
	theirs := opentest.New(t)
	st := &interceptedStore{lockingStore: theirs}
	var left *session.Result
	st.do = func() {
		other := runner(theirs, &actors{script: builtInScript()})
		other.Locks = memory.New()
		var err error
		if left, err = other.Start(t.Context(), brief(1)); err != nil {
			t.Error(err)
		}
	}
	ours := &actors{script: builtInScript()}
	_, err := runner(st, ours).Start(t.Context(), brief(1))
	if fault.CodeOf(err) != session.Exists || ours.asked.Load() != 0 {
		t.Errorf("%v; %d calls made", err, ours.asked.Load())
	}
	h, err := session.Load(t.Context(), theirs, thread)
	if err != nil || left == nil || h.State.Head != left.State.Head {
		t.Errorf("%v: the other session was changed", err)
	}
}
