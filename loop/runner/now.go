package runner

import (
	"context"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
)

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
