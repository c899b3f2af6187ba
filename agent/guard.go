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

// Guard enforces the contract of Agent: errors and panics become a *Failure with a
// code, a blank reply that was not cut is a failure, usage is clamped, and Alive is never nil.
func Guard(a Agent) Agent {
	return Func(func(ctx context.Context, c Call) (reply Reply, err error) {
		if ctx.Err() != nil {
			return Reply{}, ContextFailure(ctx)
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
		reply.Attempts, reply.Usage = max(1, reply.Attempts), reply.Usage.clamped()
		if err == nil && reply.isBlank() && strings.TrimSpace(reply.Reasoning) == "" && !reply.Cut {
			err = &Failure{Code: Empty, Detail: "blank reply", Retry: true, Attempts: reply.Attempts, Usage: reply.Usage}
		}
		if err != nil {
			f := failureOf(ctx, err)
			f.Attempts, f.Usage = max(1, f.Attempts), f.Usage.clamped()
			return Reply{}, f
		}
		return reply, nil
	})
}

// Panic is the cause of a Failure that came from a panic.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

func broken(value any) *Failure {
	return &Failure{
		Code: Broken, Detail: "internal error: panic in the code for this agent",
		Hint:     "this is a bug in brenner, not in the agent; please report it",
		Attempts: 1, Cause: &Panic{Value: value, Stack: debug.Stack()},
	}
}

// limitExceeded is the cause of a context that a wrapper of this package cancelled. It
// is a separate type, so that an unrelated cause, such as another agent's failure, is
// not mistaken for this call's.
type limitExceeded struct{ failure Failure }

func (l *limitExceeded) Error() string { return l.failure.Error() }

// ContextFailure returns the failure of a call whose context is done: a limit was
// exceeded, the deadline passed, or the call was cancelled.
func ContextFailure(ctx context.Context) *Failure {
	var ours *limitExceeded
	switch {
	case errors.As(context.Cause(ctx), &ours):
		f := ours.failure
		return &f
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Failure{Code: TimedOut, Detail: "deadline passed before a reply arrived", Cause: ctx.Err()}
	default:
		return &Failure{Code: Stopped, Detail: "stopped before a reply arrived", Cause: ctx.Err()}
	}
}

// failureOf converts any error to a Failure, which is a copy that the caller owns.
func failureOf(ctx context.Context, err error) *Failure {
	var original *Failure
	if errors.As(err, &original) {
		f := *original
		if ctx.Err() != nil && f.fromContext() {
			end := ContextFailure(ctx)
			end.Partial, end.Attempts, end.Usage = f.Partial, f.Attempts, f.Usage
			return end
		}
		return &f
	}
	if ctx.Err() != nil {
		return ContextFailure(ctx)
	}
	// Most unclassified errors come from the network, where a retry often helps.
	// A fault.Error needs a fix, so it is not retried.
	return &Failure{
		Code: Unavailable, Detail: "call failed",
		Hint: fault.HintOf(err), Retry: fault.CodeOf(err) == "", Cause: err,
	}
}

// fromContext reports whether a failure only reflects that the context is done.
// Then the reason is taken from the context.
func (f *Failure) fromContext() bool {
	switch f.Code {
	case Stopped, TimedOut, Idle:
		return true
	}
	return errors.Is(f.Cause, context.Canceled) || errors.Is(f.Cause, context.DeadlineExceeded)
}

// Once caches replies by call id: an answered call is not made again, and of two
// concurrent calls with one id the second waits for the first. A failed call can
// be made again. The cache lives as long as the agent.
func Once(a Agent) Agent { return &once{agent: a, calls: map[string]*callState{}} }

type once struct {
	agent Agent
	mu    sync.Mutex
	calls map[string]*callState
}

// callState is the state of one call id. Sending to turn locks it.
type callState struct {
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
		return Reply{}, ContextFailure(ctx)
	case call.turn <- struct{}{}:
	}
	defer func() { <-call.turn }()
	if call.answered {
		if c.Alive != nil {
			c.Alive()
		}
		return call.reply, nil
	}
	reply, err := ask(ctx, o.agent, c)
	call.answered, call.reply = err == nil, reply
	return reply, err
}

func (o *once) call(id string) *callState {
	o.mu.Lock()
	defer o.mu.Unlock()
	call, ok := o.calls[id]
	if !ok {
		call = &callState{turn: make(chan struct{}, 1)}
		o.calls[id] = call
	}
	return call
}
