package agent

import (
	"context"
	"sync"
)

// Limiter limits calls in flight. It is safe for concurrent use.
type Limiter interface {
	// Acquire waits until a call may be sent. release must be called once when the call has ended. Acquire
	// fails if ctx ends or drain is closed first; then the call must not be sent, and there is no release.
	Acquire(ctx context.Context, drain <-chan struct{}) (release func(), failed *Failure)
}

// Limit makes an agent's calls wait for a limiter; nil means no limit.
func Limit(a Agent, l Limiter) Agent {
	if l == nil {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		release, failed := l.Acquire(ctx, c.Drain)
		if failed != nil {
			return Reply{}, failed
		}
		defer release()
		return ask(ctx, a, c)
	})
}

// Slots limits the calls in flight of all agents of this process that share it, such as those at
// one endpoint. Waiting calls are served in order.
type Slots struct{ inFlight chan struct{} }

// NewSlots returns n slots, or nil, which means no limit, if n is below 1.
func NewSlots(n int) *Slots {
	if n < 1 {
		return nil
	}
	return &Slots{make(chan struct{}, n)}
}

// Acquire implements Limiter.
func (s *Slots) Acquire(ctx context.Context, drain <-chan struct{}) (release func(), failed *Failure) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case <-ctx.Done():
	case <-drain:
	case s.inFlight <- struct{}{}:
		if failed := stopped(ctx, drain); failed != nil { // several cases may have been ready, and select picks at random
			<-s.inFlight
			return nil, failed
		}
		return func() { <-s.inFlight }, nil
	}
	return nil, stopped(ctx, drain)
}

// stopped returns the failure of a call that must not be sent, because ctx has ended or drain is closed; else nil.
func stopped(ctx context.Context, drain <-chan struct{}) *Failure {
	switch {
	case ctx.Err() != nil:
		return ContextFailure(ctx)
	case isClosed(drain):
		return &Failure{Code: Stopped, Detail: "stopped before the call was sent", Retry: true, Unsent: true}
	}
	return nil
}

// SharedSlots limits the calls in flight of all processes that take slots from one place, such as a
// database. Waiting calls of this process are served in order.
type SharedSlots struct {
	own  *Slots // this process keeps its limit even if the place forgets its slots
	turn *Slots // one call at a time asks the place
	take Take
	busy sync.WaitGroup // asks the place, or releases
}

// Take waits for a slot of the place until ctx ends, and returns how to release it. Both may block for longer,
// such as on a network.
type Take func(ctx context.Context) (release func(), err error)

// NewSharedSlots returns the limit of this process to n calls, each with a slot from take.
func NewSharedSlots(n int, take Take) *SharedSlots {
	return &SharedSlots{own: NewSlots(n), turn: NewSlots(1), take: take}
}

// Wait waits until the slots of calls that have ended are released. No call may begin meanwhile.
func (s *SharedSlots) Wait() { s.busy.Wait() }

// Acquire implements Limiter. If the place cannot be asked, the call fails without being sent: sending it could
// exceed the limit, and a lasting fault, such as a missing right, would let it wait forever. A retry may help.
func (s *SharedSlots) Acquire(ctx context.Context, drain <-chan struct{}) (release func(), failed *Failure) {
	leave, failed := s.own.Acquire(ctx, drain)
	if failed != nil {
		return nil, failed
	}
	pass, failed := s.turn.Acquire(ctx, drain)
	if failed != nil {
		leave()
		return nil, failed
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := make(chan taken)
	s.busy.Go(func() {
		got := s.ask(asking)
		got.leave = leave
		pass()
		select {
		case answer <- got:
		case <-asking.Done(): // too late
			got.end()
		}
	})
	select {
	case got := <-answer:
		return s.admit(ctx, drain, &got)
	case <-ctx.Done():
	case <-drain:
	}
	return nil, stopped(ctx, drain)
}

// taken is the answer of the place to one call.
type taken struct {
	release func() // nil if there is no slot
	leave   func() // releases the slot of this process
	failed  *Failure
}

func (s *SharedSlots) ask(ctx context.Context) taken {
	release, err := s.take(ctx)
	if err != nil {
		return taken{failed: &Failure{
			Code: Unavailable, Detail: "cannot take a slot of the endpoint", Hint: "check the store with `brenner doctor`",
			Retry: true, Unsent: true, Cause: err,
		}}
	}
	return taken{release: release}
}

// admit returns how to release what was taken. The release does not delay the reply: it may wait for a network.
func (s *SharedSlots) admit(ctx context.Context, drain <-chan struct{}, got *taken) (release func(), failed *Failure) {
	release = func() { s.busy.Go(got.end) }
	if failed = stopped(ctx, drain); failed == nil {
		failed = got.failed
	}
	if failed != nil {
		release()
		return nil, failed
	}
	return release, nil
}

// end releases both slots, first that of the place: the next call of this process then finds it free.
func (t *taken) end() {
	if t.release != nil {
		t.release()
	}
	t.leave()
}
