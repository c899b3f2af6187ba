package temporal

import (
	"context"
	"testing"
	"testing/synctest"

	"go.temporal.io/sdk/worker"
)

type released struct {
	worker.SlotReleaseInfo
	permit *worker.SlotPermit
}

func (r released) Permit() *worker.SlotPermit { return r.permit }

type marked struct {
	worker.SlotMarkUsedInfo
	permit *worker.SlotPermit
}

func (m marked) Permit() *worker.SlotPermit { return m.permit }

// Each queue asks while there is a free slot; sessions of all queues fill them.
func TestQueuesShareSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(2)
		one, other := &ofQueue{slots: s}, &ofQueue{slots: s}
		reserve := func(q *ofQueue) *worker.SlotPermit {
			p, err := q.ReserveSlot(t.Context(), nil)
			if err != nil {
				t.Error(err)
			}
			return p
		}
		first, second, third := reserve(one), reserve(one), reserve(other)
		got := make(chan *worker.SlotPermit)
		go func() { got <- reserve(one) }()
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("a queue asks for more than there are slots")
		default:
		}
		one.ReleaseSlot(released{permit: second}) // there was no work
		second = <-got
		for _, p := range []*worker.SlotPermit{first, second} {
			one.MarkSlotUsed(marked{permit: p})
			if !s.begin() {
				t.Error("no slot for a session")
			}
		}
		other.MarkSlotUsed(marked{permit: third})
		if s.begin() {
			t.Error("a third session began")
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		if _, err := other.ReserveSlot(ctx, nil); err == nil {
			t.Error("a queue asks although all slots are taken")
		}
		s.end()
		one.ReleaseSlot(released{permit: first})
		reserve(other)
		if other.TryReserveSlot(nil) != nil || other.MaxSlots() != 2 || other.asked != 1 || one.asked != 0 {
			t.Errorf("%d and %d requests, want 1 and 0", other.asked, one.asked)
		}
	})
}
