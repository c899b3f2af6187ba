package temporal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"

	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

const secret = "Why do cells age?"

// performed runs an activity that ends when it is drained, or after an hour. says is the engine's answer to heartbeats.
func performed(t *testing.T, says error, stop bool) (drainedAfter time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		worker, begun := make(chan struct{}), time.Now()
		told := 0
		a := &activities{hard: t.Context(), drain: worker, beat: Beat, said: newSaid(func(string, string) {}), tell: func(context.Context) error { told++; return says }}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // as the SDK does if heartbeats fail
		if stop {
			close(worker)
		}
		err = a.perform(ctx, "RS-1", func(ctx context.Context, drain <-chan struct{}) error {
			select {
			case <-drain:
				time.Sleep(time.Hour) // calls in flight
				drainedAfter = time.Since(begun) - time.Hour
				return drained("RS-1")
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if told < 600 {
			t.Errorf("the activity was silent: %d heartbeats in an hour", told)
		}
	})
	return drainedAfter, err
}

// Only a user and the worker's end interrupt what runs. An engine that is away does not.
func TestWhatInterrupts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says   error
		stop   bool
		want   fault.Code
		drains bool
	}{
		"nothing":            {},
		"the engine is away": {says: errors.New("unavailable")},
		"another attempt":    {says: context.Canceled},
		"cancelled":          {says: sdk.NewCanceledError(), drains: true},
		"paused":             {says: activity.ErrActivityPaused, drains: true},
		"stopped":            {stop: true, want: project.Drained, drains: true},
		"both":               {says: sdk.NewCanceledError(), stop: true, drains: true},
	} {
		after, err := performed(t, c.says, c.stop)
		if got := kindOf(err); got != string(c.want) || (after > 0 || c.stop) != c.drains || after > Beat {
			t.Errorf("%s: got %v, drained after %s; want %q, %v", name, err, after, c.want, c.drains)
		}
	}
}

func kindOf(err error) string {
	var e *sdk.ApplicationError
	if errors.As(err, &e) {
		return e.Type()
	}
	return ""
}

// The engine learns the code of an error, not its text, and when to try again.
func TestFailures(t *testing.T) {
	t.Parallel()
	a := &activities{beat: Beat}
	for _, c := range []struct {
		code  fault.Code
		kind  string
		delay time.Duration
	}{
		{session.NotOpen, "", 0},
		{project.Drained, "WORKER_DRAINED", time.Second},
		{store.Held, "HELD", 5 * time.Second},
		{runner.ConfigDiffers, "CONFIG_DIFFERS", 10 * time.Second},
		{session.PromptsChanged, "PROMPTS_CHANGED", 10 * time.Second},
		{store.Unsupported, "STORE_UNSUPPORTED", 10 * time.Second},
		{trust.Untrusted, string(trust.Untrusted), 10 * time.Second},
		{project.NoKey, string(project.NoKey), 10 * time.Second},
		{store.Unreachable, "STORE_UNREACHABLE", 5 * time.Second},
		{"", "FAILED", 0},
	} {
		err := a.failure(&fault.Error{Code: c.code, Detail: secret, Cause: errors.New(secret)})
		if kindOf(err) != c.kind || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v, want %q", c.code, err, c.kind)
		}
		var e *sdk.ApplicationError
		if errors.As(err, &e) && (e.NextRetryDelay() != c.delay || e.NonRetryable()) {
			t.Errorf("%s: tried again after %s, want %s", c.code, e.NextRetryDelay(), c.delay)
		}
	}
	if err := a.failure(nil); err != nil {
		t.Error(err)
	}
}

// A session that reaches a worker without a free slot goes back to the queue.
func TestBusyWorker(t *testing.T) {
	t.Parallel()
	a := &activities{beat: Beat, slots: newSlots(1)}
	if !a.slots.begin() {
		t.Fatal("no slot")
	}
	if err := a.session(t.Context(), Session{}); kindOf(err) != busy {
		t.Errorf("got %v, want %s", err, busy)
	}
}

// A worker says what becomes of a session: each thing once, although it is tried again and again.
func TestWhatAWorkerSays(t *testing.T) {
	t.Parallel()
	var got []string
	s := newSaid(func(name, what string) { got = append(got, name+": "+what) })
	held, differs := &fault.Error{Code: store.Held, Detail: "held"}, &fault.Error{Code: runner.ConfigDiffers, Detail: "differs", Hint: "do it"}
	s.ended("a", held, false)
	s.ended("a", held, false)
	s.ended("b", differs, false)
	s.ended("a", differs, false)
	s.begun("a")
	s.ended("a", errors.Join(errors.New("broken"), errors.New("twice")), false)
	s.begun("a")
	s.ended("a", nil, false)
	s.ended("a", nil, false) // nothing to do
	s.begun("a")
	s.ended("a", drained("a"), false)
	s.begun("a")
	s.ended("a", drained("a"), true)
	want := "a: returned to the queue: held (HELD)|b: returned to the queue: differs; do it (CONFIG_DIFFERS)|a: returned to the queue: differs; do it (CONFIG_DIFFERS)|" +
		"a: begun|a: returned to the queue: broken; twice (FAILED)|a: begun|a: ended|a: begun|a: left to another worker (WORKER_DRAINED)|a: begun|a: stopped after its calls in flight, as its loop or a user of the engine asked"
	if strings.Join(got, "|") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.ReplaceAll(want, "|", "\n"))
	}
}

// An engine that is away is said once, and that it is back, too.
func TestWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked, said := 0, ""
		watch(ctx, time.Second, func(context.Context) error {
			if asked++; asked == 12 {
				cancel()
			}
			if asked%10 > 4 {
				return errors.New("away")
			}
			return nil
		}, func(away error) {
			if said += " back"; away != nil {
				said = strings.TrimSuffix(said, "back") + away.Error()
			}
		})
		if said != " away back" {
			t.Errorf("said%s", said)
		}
	})
}
