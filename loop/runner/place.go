package runner

import (
	"context"
	"errors"
	"slices"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// Place runs the sessions of a loop elsewhere, with Advance.
type Place interface {
	// Run runs a session to its end from its current state and returns when no process runs it any longer. The
	// session has been opened, and its outcome is in its journal. Calling Run again has no further effect.
	//
	// When ctx ends, Run lets the calls in flight finish and starts no others; if the cause is ErrDetached, it
	// returns at once, and the session continues.
	Run(ctx context.Context, c loop.Run) error
}

// ErrDetached is the cause of the end of a context when a run has lost its loop to another process.
var ErrDetached = errors.New("another process runs the loop")

// placed opens a session here and runs it at the run's place.
func (n *run) placed(ctx context.Context, work *loop.Work, c *loop.Run) (*session.History, error) {
	if err := n.open(ctx, work, c); err != nil {
		return nil, err
	}
	c.Job.Thread = c.Thread // it has begun
	if err := n.Place.Run(n.placing, *c); err != nil {
		return nil, err
	}
	return session.Load(ctx, n.Store, c.Thread)
}

// open opens a session unless an earlier run has opened it.
func (n *run) open(ctx context.Context, work *loop.Work, c *loop.Run) error {
	if c.Job.Thread != "" {
		head, err := store.HeadOf(ctx, n.Store, session.Prefix+c.Thread)
		if err != nil || head.Seq > 0 {
			return err
		}
	}
	s, err := n.Sessions(ctx, work, &c.Job)
	if err != nil {
		return err
	}
	s.Brief.Thread = c.Thread
	if err := n.inherit(ctx, work, c.Base, &s.Brief); err != nil {
		return err
	}
	s.limit(c, &s.Brief.Settings)
	begun := c.Job.Thread != ""
	err = s.Runner.Open(ctx, s.Brief)
	switch code := fault.CodeOf(err); {
	case code == store.Held: // another process opens it
		c.Job.Thread = c.Thread
	case code == session.Exists && begun: // an earlier run, which has lost the loop, has opened it meanwhile
		if head, unread := store.HeadOf(ctx, n.Store, session.Prefix+c.Thread); unread == nil && head.Seq > 0 {
			return nil
		}
	}
	return err
}

// after returns the number of entries of the journal of a session that begins again at the run's place.
func (n *run) after(ctx context.Context, c *loop.Run) (int, error) {
	if n.Place == nil || c.Job.Thread == "" {
		return 0, nil
	}
	head, err := store.HeadOf(ctx, n.Store, session.Prefix+c.Thread)
	return head.Seq, err
}

// adopt follows the sessions that an earlier run placed: they may be running.
func (n *run) adopt() {
	var all []loop.Run
	for i := range n.state.Jobs {
		if j := &n.state.Jobs[i]; j.Status == loop.Running {
			all = append(all, runOf(j))
		}
	}
	n.begin(all)
}

// runOf returns the command that a running job came from.
func runOf(j *loop.Job) loop.Run {
	return loop.Run{Job: *j, Thread: j.Thread, Base: j.Base, Reserve: j.Reserved}
}

// Advance runs a session that another process placed, from its current state. It does nothing if the loop no
// longer waits for the session, and fails with store.Held if another process runs it.
//
// A caller may try again after any error: on this machine, or on another one if the error is about what this machine
// has (ConfigDiffers, session.PromptsChanged, agents that cannot be reached).
func (r *Runner) Advance(ctx context.Context, name, thread string) error {
	work, job, err := r.placedJob(ctx, name, thread)
	if err != nil || job.Status != loop.Running { // settled
		return err
	}
	c := runOf(&job)
	s, err := r.Sessions(ctx, &work, &c.Job)
	if err != nil {
		return err
	}
	if s.Lock != "" {
		lease, err := r.Locks.Hold(s.Lock, r.Holder)
		if err != nil {
			return err
		}
		defer r.releaseLock(lease, thread)
	}
	s.Runner.Drain = r.Drain
	s.Runner.Resumable = func(ctx context.Context, now *flow.State) error { // with the session's lease
		_, job, err := r.placedJob(ctx, name, thread)
		if err == nil && (job.Status != loop.Running || job.Attempts != c.Job.Attempts || now.Ended != "" && now.Head.Seq > job.After) {
			err = &fault.Error{Code: session.NotOpen, Detail: "the loop does not wait for " + thread}
		}
		if err == nil && r.Began != nil {
			r.Began(thread)
		}
		return err
	}
	_, err = s.Runner.Resume(ctx, thread, s.raise(&c))
	if fault.CodeOf(err) == session.NotOpen {
		return nil // it has ended
	}
	return err
}

// placedJob returns the work of a loop of which this machine may run sessions, and the job of one.
func (r *Runner) placedJob(ctx context.Context, name, thread string) (work loop.Work, job loop.Job, err error) {
	f := r.Follower
	if f == nil {
		f = &Follower{Store: r.Store}
	}
	err = f.Look(ctx, name, func(s *loop.State) error {
		if err := r.checkPins(&s.Opened); err != nil {
			return err
		}
		i := slices.IndexFunc(s.Jobs, func(j loop.Job) bool { return j.Thread == thread })
		if i < 0 {
			return &fault.Error{Code: session.NoSession, Detail: "loop " + name + " has no session " + fault.Shown(thread)}
		}
		work, job = s.Work, s.Jobs[i]
		return nil
	})
	return work, job, err
}

func (r *Runner) releaseLock(lease store.Lease, thread string) {
	if err := lease.Release(); err != nil {
		r.Log.Warn().Err(err).Str("session", thread).Msg("cannot release the task's lock")
	}
}

// Needs returns what the rosters of loops that have not ended need of machines.
func Needs(ctx context.Context, st store.Store) ([]string, error) {
	streams, err := List(ctx, st)
	var all []string
	for i := range streams {
		s, err := Load(ctx, st, NameOf(&streams[i]))
		if err != nil || s.Ended != "" { // the list of loops shows a damaged one
			continue
		}
		for j := range s.Work.Rosters {
			all = append(all, s.Work.Rosters[j].Needs)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(tag string) bool { return tag == "" }), err
}

// checkPins returns an error if this machine would run sessions of a loop otherwise than the one that began it.
func (r *Runner) checkPins(o *loop.Opened) error {
	switch {
	case o.Pins == nil || r.Pins == nil: // a loop of an earlier program
		return nil
	case o.Pins.Config != r.Pins.Config:
		return &fault.Error{
			Code: ConfigDiffers, Detail: "the configuration of this machine differs from the one that loop " + o.Name + " began with, in what decides results",
			Hint: "use the same brenner.yaml on all machines; `brenner config show --origin` shows where each value comes from",
		}
	case o.Pins.Prompts != r.Pins.Prompts:
		return &fault.Error{
			Code: session.PromptsChanged, Detail: "loop " + o.Name + " began with the prompts and rules of " + fault.Shown(o.Program) + " (" + o.Pins.Prompts + "); this program has " + r.Pins.Prompts,
			Hint: "run the same version of the program on all machines",
		}
	}
	return nil
}
