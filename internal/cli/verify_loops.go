package cli

import (
	"context"
	"fmt"

	"brenner/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
)

// verifyLoops proves the loops of a store: the chain of each journal, that its events
// may follow each other, and that its sessions are there and came to what it says.
func verifyLoops(ctx context.Context, st store.Store) ([]*checkedLoop, error) {
	streams, err := runner.List(ctx, st)
	var all []*checkedLoop
	for i := range streams {
		l := &checkedLoop{Name: runner.NameOf(&streams[i])}
		all = append(all, l)
		s, err := runner.Load(ctx, st, l.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			l.found = append(l.found, err)
			continue
		}
		l.Entries, l.Head = s.Head.Seq, s.Head.Hash
		for i := range s.Jobs {
			if err := verifyJob(ctx, st, &s.Jobs[i]); err != nil {
				l.found = append(l.found, err)
			}
		}
	}
	return all, err
}

// verifyJob compares what a loop says of a session with the session. A person may have
// gone on with it since: the version that it came to in the loop stays what it was.
func verifyJob(ctx context.Context, st store.Store, j *loop.Job) error {
	t := &j.Settled
	if j.Thread == "" || t.Version == 0 {
		return nil
	}
	wrong := func(detail string) error {
		return &fault.Error{
			Code: store.Damaged, Place: j.Thread, Detail: detail,
			Hint: "the journal of the loop or of the session was made anew, or taken out of the store",
		}
	}
	h, err := session.Load(ctx, st, j.Thread)
	switch {
	case fault.CodeOf(err) == session.NoSession:
		return wrong("the loop came to a version of it, and the store has no such session")
	case err != nil:
		return nil // that was said of the session
	}
	for i := range h.State.Commits {
		if c := &h.State.Commits[i]; c.Version == t.Version {
			if c.Artifact != t.Artifact {
				return wrong(fmt.Sprintf("the loop says that its version %d is another one", t.Version))
			}
			if (t.Outcome == loop.Done || t.Outcome == loop.Short) && h.State.Spent.Tokens < t.Spent {
				return wrong(fmt.Sprintf("the loop says that it spent %d tokens, and the session only %d", t.Spent, h.State.Spent.Tokens))
			}
			return nil
		}
	}
	return wrong(fmt.Sprintf("the loop says that it came to version %d, and there is none", t.Version))
}
