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
	"time"

	"github.com/rs/zerolog"

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
