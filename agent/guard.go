package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"brenner/internal/fault"
)

// Guard holds a kind to the contract, so that no kind has to think of all of it:
// every error becomes a *Failure with a code, a panic becomes one too, a blank
// answer is none, no call costs less than nothing or more than can be true, and Alive
// can be called without asking whether it is there.
func Guard(a Agent) Agent {
	return Func(func(ctx context.Context, c Call) (reply Reply, err error) {
		if ctx.Err() != nil {
			return Reply{}, Ended(ctx)
		}
		defer func() {
			if p := recover(); p != nil {
				reply, err = Reply{}, broken(p)
			}
		}()
		if c.Alive == nil {
			c.Alive = func() {}
		}
		reply, err = a.Ask(ctx, c)
		reply.Attempts, reply.Usage = max(1, reply.Attempts), reply.Usage.believable()
		if err == nil && strings.TrimSpace(reply.Text) == "" {
			err = &Failure{Code: Empty, Detail: "the answer is blank", Retry: true, Attempts: reply.Attempts, Usage: reply.Usage}
		}
		if err != nil {
			f := failureOf(ctx, err)
			f.Attempts, f.Usage = max(1, f.Attempts), f.Usage.believable()
			return Reply{}, f
		}
		return reply, nil
	})
}

// Panic is the cause of a Failure that a panic became.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

func broken(value any) *Failure {
	return &Failure{
		Code: Broken, Detail: "the program's own code for this agent panicked",
		Hint:     "this is a fault of brenner, not of the agent: please report it",
		Attempts: 1, Cause: &Panic{Value: value, Stack: debug.Stack()},
	}
}

// limitPassed is the cause of a context that a wrapper of ours has ended. It is a
// type of its own, so that a stranger's cancellation (with the failure of another
// agent, say) is never taken for a verdict on this one.
type limitPassed struct{ failure Failure }

func (l *limitPassed) Error() string { return l.failure.Error() }

// Ended gives the failure of a call whose context is over: a limit of ours was
// passed, the caller's time is up, or somebody stopped the call.
func Ended(ctx context.Context) *Failure {
	var ours *limitPassed
	switch {
	case errors.As(context.Cause(ctx), &ours):
		f := ours.failure
		return &f
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Failure{Code: TimedOut, Detail: "the time for the call was up before an answer came", Cause: ctx.Err()}
	default:
		return &Failure{Code: Stopped, Detail: "the call was stopped before an answer came", Cause: ctx.Err()}
	}
}

// failureOf makes a Failure of any error. Every wrapper goes through it; what it
// gives is the caller's own copy.
func failureOf(ctx context.Context, err error) *Failure {
	var said *Failure
	if errors.As(err, &said) {
		f := *said
		if ctx.Err() != nil && f.fromTheEnd() {
			end := Ended(ctx)
			end.Partial, end.Attempts, end.Usage = f.Partial, f.Attempts, f.Usage
			return end
		}
		return &f
	}
	if ctx.Err() != nil {
		return Ended(ctx)
	}
	// Most errors that nobody has judged come from a network, where a second try
	// often helps; a fault of ours says what to mend, and no second try mends it.
	return &Failure{
		Code: Unavailable, Detail: "the agent could not be asked",
		Hint: fault.HintOf(err), Retry: fault.CodeOf(err) == "", Cause: err,
	}
}

// fromTheEnd tells whether a failure is the echo of a context that is over. The
// agent cannot know why it is; the context does.
func (f *Failure) fromTheEnd() bool {
	switch f.Code {
	case Stopped, TimedOut, Idle:
		return true
	}
	return errors.Is(f.Cause, context.Canceled) || errors.Is(f.Cause, context.DeadlineExceeded)
}

// Once remembers answers by call id: a call that was answered is not put again,
// and of two equal calls at one time the second waits for the first. A call that
// failed is free to be tried again. The memory ends with the agent.
func Once(a Agent) Agent { return &once{agent: a, calls: map[string]*remembered{}} }

type once struct {
	agent Agent
	mu    sync.Mutex
	calls map[string]*remembered
}

// remembered is one call id. Who holds turn may look at the answer and ask for it.
type remembered struct {
	turn     chan struct{}
	answered bool
	reply    Reply
}

func (o *once) Ask(ctx context.Context, c Call) (Reply, error) {
	if c.ID == "" {
		return o.agent.Ask(ctx, c)
	}
	call := o.call(c.ID)
	select {
	case <-ctx.Done():
		return Reply{}, Ended(ctx)
	case call.turn <- struct{}{}:
	}
	defer func() { <-call.turn }()
	if call.answered {
		if c.Alive != nil {
			c.Alive()
		}
		return call.reply, nil
	}
	reply, err := put(ctx, o.agent, c)
	call.answered, call.reply = err == nil, reply
	return reply, err
}

func (o *once) call(id string) *remembered {
	o.mu.Lock()
	defer o.mu.Unlock()
	call, ok := o.calls[id]
	if !ok {
		call = &remembered{turn: make(chan struct{}, 1)}
		o.calls[id] = call
	}
	return call
}
