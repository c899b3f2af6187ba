package temporal

import (
	"context"
	"slices"
	"sync"

	"go.temporal.io/sdk/worker"
)

// slots are the sessions that a worker may run at once. Its queues share them: each queue asks for work only while there is
// a slot, and if several are then given some, the engine is given back what is too much.
type slots struct {
	most int

	mu      sync.Mutex
	running int
	freed   chan struct{} // closed when a slot is freed
}

func newSlots(most int) *slots { return &slots{most: most, freed: make(chan struct{})} }

// begin takes a slot, if there is one.
func (s *slots) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running >= s.most {
		return false
	}
	s.running++
	return true
}

func (s *slots) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.wake()
}

// wake tells all who wait for a slot. The caller holds the lock.
func (s *slots) wake() {
	close(s.freed)
	s.freed = make(chan struct{})
}

// ofQueue are the slots as one queue sees them: asked counts its requests for work that are not answered yet, and the
// sessions that were given to it and have not begun.
type ofQueue struct {
	*slots
	asked int
}

var _ worker.SlotSupplier = (*ofQueue)(nil)

// ReserveSlot waits until the queue may ask for work.
func (q *ofQueue) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for {
		permit, freed := q.try()
		if permit != nil {
			return permit, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (q *ofQueue) try() (*worker.SlotPermit, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running+q.asked >= q.most {
		return nil, q.freed
	}
	q.asked++
	return &worker.SlotPermit{UserData: new(bool)}, nil
}

// TryReserveSlot refuses work that was not asked for.
func (*ofQueue) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MarkSlotUsed notes that a session was given to the queue; from now on, its activity counts it.
func (q *ofQueue) MarkSlotUsed(info worker.SlotMarkUsedInfo) {
	used, _ := info.Permit().UserData.(*bool)
	q.answer(used)
}

// ReleaseSlot notes that a request was not answered, or that a session has ended.
func (q *ofQueue) ReleaseSlot(info worker.SlotReleaseInfo) {
	used, _ := info.Permit().UserData.(*bool)
	q.answer(used)
}

func (q *ofQueue) answer(used *bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if used != nil && !*used {
		*used = true
		q.asked--
		q.wake()
	}
}

// MaxSlots implements worker.SlotSupplier.
func (q *ofQueue) MaxSlots() int { return q.most }

// uniqueTags returns the queues of a worker: that of sessions that need nothing, and those of its tags.
func uniqueTags(tags []string) []string {
	all := append([]string{""}, tags...)
	slices.Sort(all)
	return slices.Compact(all)
}
