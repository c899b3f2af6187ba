// Package runner runs loops: it executes what package loop commands, several
// sessions at once in one process, over a store that they share.
//
// What a session may spend is set aside, in the journal, before it begins; what it
// did spend is settled after it. A run may be killed at any instruction: the next
// one goes on with the sessions that were under way, and no session that came to
// its end is run again. It must not know how an agent is reached, nor where a
// session's brief comes from.
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

// Session is how one session of a loop is run.
type Session struct {
	Brief  session.Brief
	Runner *session.Runner
	// Change, if not nil, is what becomes of the settings of a session that is resumed.
	Change func(*flow.Settings)
}

// Runner runs loops.
type Runner struct {
	Store store.Store
	Locks store.Locks
	Now   func() time.Time
	Log   zerolog.Logger
	// Sessions prepares the session of a job. It is called from several goroutines.
	Sessions func(context.Context, *loop.Work, *loop.Job) (*Session, error)
	// Observe, if not nil, is told of every entry after it was stored, in order,
	// with the state after it. It must not keep the state.
	Observe func(*journal.Entry, *loop.State)
	// Finished, if not nil, is told of a session that was run and has a version: it came to
	// its end, was left, or is to be gone on with later. From its goroutine.
	Finished func(context.Context, *session.History) error
	// Drain, when it is closed, lets the calls under way end and begins no others.
	Drain <-chan struct{}
	// Poll is how often is looked for what people wrote; 0 is half a second.
	Poll time.Duration
	// Holder says who we are, for whoever else wants the loop.
	Holder store.Holder
}

// Hold keeps other processes from a loop until it is released. Whoever starts or resumes
// one holds it, from before the look at how it stands until its report is out.
func (r *Runner) Hold(name string) (release func(), err error) {
	free, err := r.Locks.Hold(Lock(name), r.Holder)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := free(); err != nil {
			r.Log.Warn().Err(err).Str("loop", name).Msg("the loop's lock could not be released")
		}
	}, nil
}

// Start opens a loop and runs it. A loop of that name must not exist yet. Blobs are
// the files that the work names by their hashes.
func (r *Runner) Start(ctx context.Context, o loop.Opened, blobs [][]byte) (*loop.State, error) {
	there, err := r.Store.Entries(ctx, loop.Prefix+o.Name, 0)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, exists(o.Name)
	}
	o.Rules = loop.Rules
	l := r.ledger(o.Name, &loop.State{}, &loop.State{})
	if err := l.writer.Keep(drafted(loop.KindOpened, o, blobs...)); err != nil {
		return nil, err
	}
	err = l.flush(ctx)
	if fault.CodeOf(err) == store.Moved {
		return nil, exists(o.Name) // another process has opened it
	}
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l)
}

func exists(name string) error {
	return &fault.Error{Code: Exists, Detail: "there is a loop " + name + " already", Hint: "`brenner loop status " + name + "` shows it"}
}

// Resume goes on with a loop that was left. Change, if not nil, says what is otherwise
// from now on.
func (r *Runner) Resume(ctx context.Context, name string, change func(*loop.State) loop.Resumed) (*loop.State, error) {
	entries, err := loaded(ctx, r.Store, name)
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
	if err := r.settleAbandoned(ctx, l); err != nil {
		return nil, err
	}
	err = l.write(ctx, loop.KindResumed, func(s *loop.State) (any, error) {
		if change == nil {
			return loop.Resumed{}, nil
		}
		return change(s), nil
	})
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l)
}

// ledger returns the ledger of a loop. Seen is its state once more, of which nothing is
// shared with the other.
func (r *Runner) ledger(name string, state, seen *loop.State) *ledger {
	l := newLedger(r.Store, name, r.Now, state)
	l.writer.Wrote, l.writer.Seen = r.Observe, seen
	return l
}

// eachSession reads the sessions of jobs, on all processors: a night has thousands. Those
// of which nothing is stored are left out. What is done with one may not touch another.
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

// Refresh takes into a state, for whoever looks at it, what people have decided since, and
// how far those sessions have come that are under way, or were when the loop was killed. The
// state is then no longer that of the journal, and nothing may be decided by it.
func Refresh(ctx context.Context, st store.Store, s *loop.State) error {
	if err := Decided(ctx, st, s); err != nil {
		return err
	}
	var running []*loop.Job
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Status == loop.Running {
			running = append(running, j)
		}
	}
	return eachSession(ctx, st, running, func(_ context.Context, i int, h *session.History) error {
		t := &running[i].Settled
		t.Version, t.Spent = h.State.Version(), h.State.Spent.Tokens
		return nil
	})
}

// Decided is what people have done since: with the sessions that needed one, and with those
// that the loop had given up. What is under way stays as the journal has it, so that what
// sessions spent is what the loop has spent: a report is held to that.
func Decided(ctx context.Context, st store.Store, s *loop.State) error {
	if err := AsNow(ctx, st, s); err != nil {
		return err
	}
	needing := s.Needing() // one that was taken out of the store keeps what is known of it
	return eachSession(ctx, st, needing, func(_ context.Context, i int, h *session.History) error {
		t := &needing[i].Settled
		t.Version, t.Conflicts, t.Stalemates = h.State.Version(), 0, 0
		countNeeds(h.State, t)
		return nil
	})
}

// AsNow is the first part of that, and enough for who only counts sessions: what was made
// of those that the loop had given up.
func AsNow(ctx context.Context, st store.Store, s *loop.State) error {
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
			continue // then what the loop says of it is all there is; verify says what is wrong
		}
		s.See(settledBy(j.Number, h.State))
	}
	return nil
}

// givenUp tells whether the loop itself makes nothing more of a session that has not come
// to its end.
func givenUp(s *loop.State, j *loop.Job) bool {
	switch j.Status {
	case loop.Broken, loop.Cut:
		return true
	case loop.Waiting:
		return s.Ended != ""
	}
	return false
}

// abandoned says what a session came to that a killed run left: it waits to be gone on
// with. What its calls may have cost is spent, whether or not that ever happens.
func (r *Runner) abandoned(ctx context.Context, j *loop.Job) (loop.Settled, error) {
	out := loop.Settled{Job: j.Number, Outcome: loop.Aside, Spent: j.Settled.Spent, SpentUSD: j.Settled.SpentUSD}
	h, err := session.Load(ctx, r.Store, j.Thread)
	if fault.CodeOf(err) == session.NoSession {
		return out, nil // it was killed before anything of it was stored, and so before any call
	}
	if err != nil {
		return out, err
	}
	out = settledBy(j.Number, h.State)
	out.Outcome, out.Code, out.Detail, out.RetryAt = loop.Aside, "", "", ""
	return out, nil
}

// settleAbandoned settles the sessions that a killed run left under way, before another
// run begins.
func (r *Runner) settleAbandoned(ctx context.Context, l *ledger) error {
	for i := range l.state.Jobs {
		j := &l.state.Jobs[i]
		if j.Status != loop.Running {
			continue
		}
		out, err := r.abandoned(ctx, j)
		if err != nil {
			return err
		}
		if err := l.fact(loop.KindSettled, out); err != nil {
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
)

// ledger writes a loop's journal and keeps the state that it stands for.
type ledger struct {
	state  *loop.State
	writer store.Ledger[loop.State]
}

// errBehind says that another process has written to the journal: see store.ErrBehind.
var errBehind = store.ErrBehind

// newLedger returns the ledger of a loop in a state.
func newLedger(st store.Store, name string, now func() time.Time, state *loop.State) *ledger {
	return &ledger{state: state, writer: store.Ledger[loop.State]{
		Store: st, Stream: loop.Prefix + name, Now: now, Head: state.Head, State: state, Apply: (*loop.State).Apply,
	}}
}

// drafted returns a draft of one event.
func drafted(kind string, body any, blobs ...[]byte) *store.Draft {
	return &store.Draft{Events: []store.Event{{Kind: kind, Body: body}}, Blobs: blobs}
}

// keep takes an event into the state. It is stored with the next flush: before a session
// is begun by it, and before anything is waited for.
func (l *ledger) keep(kind string, body any) error { return l.writer.Keep(drafted(kind, body)) }

// fact keeps an event that stays true whatever others write.
func (l *ledger) fact(kind string, body any) error {
	d := drafted(kind, body)
	d.Fact = true
	return l.writer.Keep(d)
}

// flush stores what is held.
func (l *ledger) flush(ctx context.Context) error { return l.writer.Flush(ctx) }

// write stores an event. Prepare makes it from the state as it is; it may be asked
// again, for people write to the journal of a loop that runs. A nil body is none.
func (l *ledger) write(ctx context.Context, kind string, prepare func(*loop.State) (any, error)) error {
	return l.writer.Update(ctx, func(s *loop.State) (*store.Draft, error) {
		body, err := prepare(s)
		if err != nil || body == nil {
			return nil, err
		}
		return drafted(kind, body), nil
	})
}
