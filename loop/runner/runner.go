// Package runner runs loops. It executes the commands of package loop, with several
// sessions running concurrently in one process over a shared store.
//
// A session's budget is reserved in the journal before it starts, and settled after it
// ends. A run may be killed at any instruction: the next one resumes the sessions that were
// running, and never repeats a finished session. The package must not know how agents are
// reached, nor where a session's brief comes from.
package runner

import (
	"context"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Session is a prepared session of a loop.
type Session struct {
	Brief  session.Brief
	Runner *session.Runner
	// Change, if not nil, changes the settings of a session that is resumed.
	Change func(*flow.Settings)
	// Lock, if not empty, is held while the session runs: only one process at a time runs a task.
	Lock string
}

// Runner runs loops.
type Runner struct {
	Store store.Store
	Locks store.Locks
	Now   func() time.Time
	Log   zerolog.Logger
	// Sessions prepares the session of a job. It is called from several goroutines.
	Sessions func(context.Context, *loop.Work, *loop.Job) (*Session, error)
	// Observe, if not nil, is called with every entry after it was stored, in order, and
	// the state after it. It must not keep the state.
	Observe func(*journal.Entry, *loop.State)
	// Finished, if not nil, is called after a session has run, ended or not, if it has a
	// version. It is called from the session's goroutine.
	Finished func(context.Context, *session.History) error
	// Drain, when closed, lets the calls in flight finish and starts no others.
	Drain <-chan struct{}
	// Poll is how often to check for operator input; 0 means half a second.
	Poll time.Duration
	// Holder identifies this process to others that try to take the lock.
	Holder store.Holder
	// Place runs the sessions; nil means this process.
	Place Place
	// Pins identify what this machine has; nil skips the comparison.
	Pins *loop.Pins
	// Began, if not nil, is called when Advance begins a session that is not at its end.
	Began func(thread string)
	// At says where the run takes place.
	At loop.At
	// Follower reads loops for Advance; nil reads them completely each time.
	Follower *Follower

	lost <-chan struct{} // closed when the lease is lost; nil if that cannot happen
}

// Hold locks a loop against other processes until release is called. Callers of Start and
// Resume hold the lock from before they read the state until the report is written. A run whose lease is lost
// ends.
func (r *Runner) Hold(name string) (release func(), err error) {
	lease, err := r.Locks.Hold(Lock(name), r.Holder)
	if err != nil {
		return nil, err
	}
	r.lost = lease.Lost()
	return func() {
		if err := lease.Release(); err != nil {
			r.Log.Warn().Err(err).Str("loop", name).Msg("cannot release the loop's lock")
		}
	}, nil
}

// Start opens a loop and runs it. No loop of that name may exist. Blobs are the files that
// the work names by hash.
func (r *Runner) Start(ctx context.Context, o loop.Opened, blobs [][]byte) (*loop.State, error) {
	there, err := r.Store.Entries(ctx, loop.Prefix+o.Name, 0)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, loopExists(o.Name)
	}
	o.Rules, o.Pins, o.At = loop.Rules, r.Pins, r.At
	l := r.ledger(o.Name, &loop.State{}, &loop.State{})
	if err := l.writer.Keep(newDraft(loop.KindOpened, o, blobs...)); err != nil {
		return nil, err
	}
	err = l.flush(ctx)
	if fault.CodeOf(err) == store.Moved {
		return nil, loopExists(o.Name) // another process has opened it
	}
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l)
}

func loopExists(name string) error {
	return &fault.Error{Code: Exists, Detail: "loop " + name + " already exists", Hint: "`brenner loop status " + name + "` shows it"}
}

// Resume resumes a loop. Change, if not nil, returns the changes that apply from now on.
func (r *Runner) Resume(ctx context.Context, name string, change func(*loop.State) loop.Resumed) (*loop.State, error) {
	entries, err := loadEntries(ctx, r.Store, name)
	if err != nil {
		return nil, err
	}
	state, err := loop.Fold(entries)
	if err != nil {
		return nil, err
	}
	seen, err := loop.Fold(entries)
	if err != nil {
		return nil, err
	}
	l := r.ledger(name, state, seen)
	if r.Place == nil { // otherwise they may be running
		err = r.settleAbandoned(ctx, l)
	} else {
		err = r.checkPins(&state.Opened)
	}
	if err != nil {
		return nil, err
	}
	err = l.write(ctx, loop.KindResumed, func(s *loop.State) (any, error) {
		resumed := loop.Resumed{}
		if change != nil {
			resumed = change(s)
		}
		resumed.Placed, resumed.At = r.Place != nil, r.At
		return resumed, nil
	})
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l)
}

// ledger returns the ledger of a loop. Seen is a second copy of its state that shares
// nothing with the first.
func (r *Runner) ledger(name string, state, seen *loop.State) *ledger {
	l := newLedger(r.Store, name, r.Now, state)
	l.writer.Wrote, l.writer.Seen = r.Observe, seen
	l.writer.Overtaken, l.writer.Runs = overtakenError, func(s *loop.State) int { return s.Runs }
	return l
}

// eachSession loads the sessions of jobs and calls do for each, concurrently. Sessions of
// which nothing is stored are skipped.
func eachSession(ctx context.Context, st store.Store, jobs []*loop.Job, do func(ctx context.Context, i int, h *session.History) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		group.Go(func() error {
			h, err := session.Load(ctx, st, j.Thread)
			switch {
			case fault.CodeOf(err) == session.NoSession:
				return nil
			case err != nil:
				return err
			}
			return do(ctx, i, h)
		})
	}
	return group.Wait()
}

// Refresh updates a state for display, with later decisions of people and the progress of
// running sessions. The state then differs from the journal, and must not be used to decide
// anything.
func Refresh(ctx context.Context, st store.Store, s *loop.State) error {
	if err := RefreshDecisions(ctx, st, s); err != nil {
		return err
	}
	var running []*loop.Job
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Status == loop.Running {
			running = append(running, j)
		}
		if j.Thread == "" {
			continue
		}
		if h, err := session.Load(ctx, st, j.Thread); err == nil { // verify reports the error
			j.Others = otherModels(h.State)
		}
	}
	return eachSession(ctx, st, running, func(_ context.Context, i int, h *session.History) error {
		t := &running[i].Settled
		t.Version, t.Spent = h.State.Version(), h.State.Spent.Tokens
		return nil
	})
}

// RefreshDecisions updates a state with what people have done since: with sessions that
// needed a decision, and with those that the loop had given up. Running sessions stay as in
// the journal, so that the costs in a report add up.
func RefreshDecisions(ctx context.Context, st store.Store, s *loop.State) error {
	if err := refreshGivenUp(ctx, st, s); err != nil {
		return err
	}
	var needing []*loop.Job // a session removed from the store stays unchanged
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Settled.Needs() > 0 || j.HasErrors() {
			needing = append(needing, j)
		}
	}
	return eachSession(ctx, st, needing, func(_ context.Context, i int, h *session.History) error {
		t := &needing[i].Settled
		if needing[i].HasErrors() {
			t.Errors = outcomeOf(0, h.State).Errors
		}
		if needing[i].Final() {
			needing[i].ByHand = max(0, h.State.Spent.Tokens-t.Spent)
		}
		t.Version, t.Conflicts, t.Stalemates = h.State.Version(), 0, 0
		countNeeds(h.State, t)
		return nil
	})
}

// refreshGivenUp updates a state with the sessions that the loop had given up and the
// operator resumed.
func refreshGivenUp(ctx context.Context, st store.Store, s *loop.State) error {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Thread == "" || !givenUp(s, j) {
			continue
		}
		h, err := session.Load(ctx, st, j.Thread)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // keep what the loop's journal has; verify reports the error
		}
		s.UpdateByHand(settledBy(j.Number, h.State, &s.Opened))
	}
	return nil
}

// givenUp reports whether the loop will not run an unfinished session again.
func givenUp(s *loop.State, j *loop.Job) bool {
	switch j.Status {
	case loop.Broken, loop.Cut:
		return true
	case loop.Waiting:
		return s.Ended != ""
	}
	return false
}

// abandoned returns the outcome of a session that a killed run left: it waits to be
// resumed. The possible cost of its calls counts as spent.
func (r *Runner) abandoned(ctx context.Context, o *loop.Opened, j *loop.Job) (loop.Settled, error) {
	out := loop.Settled{
		Job: j.Number, Outcome: loop.Interrupted, Spent: j.Settled.Spent, SpentUSD: j.Settled.SpentUSD, Lost: j.Settled.Lost, LostUSD: j.Settled.LostUSD,
	}
	h, err := session.Load(ctx, r.Store, j.Thread)
	if fault.CodeOf(err) == session.NoSession {
		return out, nil // killed before anything was stored, so before any call
	}
	if err != nil {
		return out, err
	}
	out = settledBy(j.Number, h.State, o)
	out.Outcome, out.Code, out.Detail, out.RetryAt = loop.Interrupted, "", "", ""
	out.Trouble, out.Nothing, out.Silent, out.Idle = "", false, 0, nil
	return out, nil
}

// settleAbandoned settles the sessions that a killed run left running, before another run
// starts.
func (r *Runner) settleAbandoned(ctx context.Context, l *ledger) error {
	for i := range l.state.Jobs {
		j := &l.state.Jobs[i]
		if j.Status != loop.Running {
			continue
		}
		out, err := r.abandoned(ctx, &l.state.Opened, j)
		if err != nil {
			return err
		}
		if err := l.keepFact(loop.KindSettled, out); err != nil {
			return err
		}
	}
	return nil
}

// The codes of loops.
const (
	NoLoop  fault.Code = "NO_LOOP"     // No loop with this name.
	IsEnded fault.Code = "LOOP_ENDED"  // The loop has ended and accepts no more input.
	Exists  fault.Code = "LOOP_EXISTS" // A loop with this name already exists.

	ConfigDiffers fault.Code = "CONFIG_DIFFERS" // The loop began with other settings than this machine has.
)

// ledger writes a loop's journal and keeps its state.
type ledger struct {
	state  *loop.State
	writer store.Ledger[loop.State]
}

// errBehind means that another process has written to the journal: see store.ErrBehind.
var errBehind = store.ErrBehind

// newLedger returns the ledger of a loop in a state.
func newLedger(st store.Store, name string, now func() time.Time, state *loop.State) *ledger {
	return &ledger{state: state, writer: store.Ledger[loop.State]{
		Store: st, Stream: loop.Prefix + name, Now: now, Head: state.Head, State: state, Apply: (*loop.State).Apply,
	}}
}

// newDraft returns a draft of one event.
func newDraft(kind string, body any, blobs ...[]byte) *store.Draft {
	return &store.Draft{Events: []store.Event{{Kind: kind, Body: body}}, Blobs: blobs}
}

// keep applies an event to the state. The next flush stores it, before any session starts
// and before any wait.
func (l *ledger) keep(kind string, body any) error { return l.writer.Keep(newDraft(kind, body)) }

// keepFact keeps an event that stays true whatever other processes write.
func (l *ledger) keepFact(kind string, body any) error {
	d := newDraft(kind, body)
	d.Fact = true
	return l.writer.Keep(d)
}

// flush stores the held events.
func (l *ledger) flush(ctx context.Context) error { return l.writer.Flush(ctx) }

// write stores an event. Prepare makes it from the current state, and may be called several
// times, since operators write to the journal of a running loop. A nil body means no event.
func (l *ledger) write(ctx context.Context, kind string, prepare func(*loop.State) (any, error)) error {
	return l.writer.Update(ctx, func(s *loop.State) (*store.Draft, error) {
		body, err := prepare(s)
		if err != nil || body == nil {
			return nil, err
		}
		return newDraft(kind, body), nil
	})
}
