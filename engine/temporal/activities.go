package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

// activities run sessions and loops on this machine.
type activities struct {
	advance func(ctx context.Context, drain <-chan struct{}, s Session) error
	run     func(ctx context.Context, drain <-chan struct{}, l Loop) error
	slots   *slots

	// hard is the context of what runs. That of an activity ends when its heartbeats cannot be sent, but what runs here
	// continues while the engine is away.
	hard  context.Context
	drain <-chan struct{} // the worker's
	beat  time.Duration
	// tell records a heartbeat of the activity of the context.
	tell func(context.Context) error
	said *said
}

// tellEngine records heartbeats with a client. The SDK's own ones end with the activity's context.
func tellEngine(c client.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		return c.RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken)
	}
}

func (a *activities) session(ctx context.Context, s Session) error {
	if !a.slots.begin() {
		return again(busy, a.beat/30)
	}
	defer a.slots.end()
	return a.perform(ctx, s.Thread, func(ctx context.Context, drain <-chan struct{}) error { return a.advance(ctx, drain, s) })
}

func (a *activities) loop(ctx context.Context, l Loop) error {
	return a.perform(ctx, l.Loop, func(ctx context.Context, drain <-chan struct{}) error { return a.run(ctx, drain, l) })
}

// perform does something, and tells the engine that it is being done. It drains when the worker is stopped or a user
// cancels the workflow, not when the engine is away.
func (a *activities) perform(ctx context.Context, name string, do func(context.Context, <-chan struct{}) error) error {
	ctx = context.WithoutCancel(ctx)
	drain, ended := make(chan struct{}), make(chan error, 1)
	stop := sync.OnceFunc(func() { close(drain) })
	go func() { ended <- do(a.hard, drain) }()
	ticker := time.NewTicker(a.beat / 6)
	defer ticker.Stop()
	stopped, cancelled := a.drain, false
	for {
		select {
		case err := <-ended:
			a.said.ended(name, err, cancelled)
			if cancelled { // then the user knows that it has not ended
				return nil
			}
			return a.failure(err)
		case <-stopped:
			stopped = nil
			stop()
		case <-ticker.C:
			if isUsers(a.sayAlive(ctx)) { // and stays alive until the calls in flight have ended
				cancelled = true
				stop()
			}
		}
	}
}

func (a *activities) sayAlive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.beat/6)
	defer cancel()
	return a.tell(ctx)
}

// isUsers reports whether the answer to a heartbeat says that a user has cancelled or paused the activity. All other
// errors are about the engine.
func isUsers(err error) bool {
	return sdk.IsCanceledError(err) || errors.Is(err, activity.ErrActivityPaused)
}

// failed stands for an error without a code.
const failed fault.Code = "FAILED"

// busy is the kind of failure of a session that reached a worker with no place left.
const busy = "BUSY"

// failure returns what the engine learns of an error: its code. The text may quote what must not leave the machine.
func (a *activities) failure(err error) error {
	code := fault.CodeOf(err)
	switch {
	case err == nil, code == session.NotOpen: // it has ended
		return nil
	case code == project.Drained:
		return again(string(code), time.Second)
	case code == store.Held, code == store.Unreachable: // with no pause that grows: the engine has counted attempts for other reasons
		return again(string(code), a.beat/6)
	case isAboutMachine(code):
		return again(string(code), a.beat/3)
	case code == "":
		code = failed
	}
	return sdk.NewApplicationError(string(code), string(code))
}

// isAboutMachine reports whether another machine may do what this one cannot: trying again here does not help.
func isAboutMachine(code fault.Code) bool {
	switch code {
	case runner.ConfigDiffers, session.PromptsChanged, store.Unsupported, trust.Untrusted, project.NoKey:
		return true
	}
	return false
}

// again is a failure after which the engine passes the session to a worker again.
func again(code string, after time.Duration) error {
	return sdk.NewApplicationErrorWithOptions(code, code, sdk.ApplicationErrorOptions{NextRetryDelay: max(after, time.Millisecond)})
}
