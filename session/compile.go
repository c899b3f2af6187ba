package session

import (
	"context"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/session/letters"
)

// Error codes of threads that cannot be merged in their current state.
const (
	RoundOpen fault.Code = "ROUND_OPEN" // The thread cannot be compiled while a round is not settled.
	NoLetters fault.Code = "NO_LETTERS" // The mail thread has no unmerged messages from its agents.
)

// Compile merges the letters in a session's thread that no call has consumed: critiques, late
// answers, or answers to another tool's questions. The letters of each round share a timestamp
// and make one version.
func (r *Runner) Compile(ctx context.Context, thread string) (*Result, error) {
	return r.compile(ctx, thread, nil)
}

// Adopt opens a session for a thread that another tool began, and compiles it.
func (r *Runner) Adopt(ctx context.Context, b Brief) (*Result, error) {
	return r.compile(ctx, b.Thread, &b)
}

func (r *Runner) compile(ctx context.Context, thread string, b *Brief) (*Result, error) {
	lease, err := r.hold(thread) // an active run collects its answers itself
	if err != nil {
		return nil, err
	}
	defer r.release(thread, lease)
	l, err := r.reopen(ctx, thread)
	if err != nil {
		return nil, err
	}
	rows, letters, err := r.unread(ctx, l.state, thread, b)
	if err != nil {
		return &Result{State: l.state, Letters: rows}, err
	}
	if l.state.Head.Seq == 0 {
		if err := l.write(ctx, func(*flow.State) (*draft, error) { return b.open(false) }); err != nil {
			return nil, err
		}
	}
	res, err := r.merge(ctx, l, letters, rows)
	if err == nil {
		res.Letters = rows
	}
	return res, err
}

// unread returns what is known of all messages of a thread, and the letters that are not merged yet,
// or an error if there are none.
func (r *Runner) unread(ctx context.Context, state *flow.State, thread string, b *Brief) ([]letters.Row, []letters.Letter, error) {
	var parties []flow.Party
	var authorities []string
	switch {
	case state.Head.Seq > 0:
		if leg := state.OpenLeg(); leg != nil {
			return nil, nil, &fault.Error{
				Code: RoundOpen, Detail: "round " + itoa(leg.Round) + " of " + thread + " is not settled yet",
				Hint: "`brenner session resume " + thread + "` collects the replies; no agent is asked twice",
			}
		}
		parties, authorities = state.ByMail(), state.LetterAuthorities()
		r.Mail.Restore(state.Mailboxes(), state.TakenMessages())
	case b == nil:
		return nil, nil, noSession(thread)
	default:
		parties, authorities = b.Agents, b.Rules.Authorities
	}
	all, err := r.Mail.Letters(ctx, thread, parties)
	if err != nil {
		return nil, nil, err
	}
	rows, fresh := letters.AccountFor(state, letters.WithAuthorities(all, authorities))
	if len(fresh) == 0 {
		return rows, nil, &fault.Error{
			Code: NoLetters, Detail: "thread " + thread + " has no unmerged messages from its agents",
			Hint: "`brenner mail thread " + thread + "` lists its messages; `brenner session status " + thread + "` shows which agents have answered",
		}
	}
	return rows, fresh, nil
}

func (r *Runner) merge(ctx context.Context, l *ledger, letters []letters.Letter, rows []letters.Row) (*Result, error) {
	s := &run{Runner: r, ledger: l, agents: map[string]agent.Agent{}, began: r.Now()}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	before := len(l.state.Commits)
	if before == 0 {
		if err := s.brief(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.mergeLetters(ctx, letters, rows); err != nil {
		return nil, err
	}
	if len(l.state.Legs) == 0 && l.state.Ended == "" {
		if err := s.end(ctx, flow.EndCompiled); err != nil {
			return nil, err
		}
	}
	return s.result(before), nil
}
