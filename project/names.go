package project

import (
	"context"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
)

// NewestSession returns the id of the session with the latest event.
func (p *Project) NewestSession(ctx context.Context) (string, error) {
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return "", err
	}
	defer p.CloseStore(st)
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return "", err
	}
	if len(streams) == 0 {
		return "", &fault.Error{Code: session.NoSession, Detail: "there are no sessions yet", Hint: "`brenner session start` starts one"}
	}
	return session.ThreadOf(&streams[0]), nil
}

// The lists below are for completion: they are best-effort and empty on errors.

// SessionIDs returns the ids of the project's sessions, newest first.
func (p *Project) SessionIDs(ctx context.Context) []string {
	return p.streamNames(ctx, session.Streams, session.Prefix)
}

// LoopNames returns the names of the project's loops.
func (p *Project) LoopNames(ctx context.Context) []string {
	return p.streamNames(ctx, runner.List, loop.Prefix)
}

func (p *Project) streamNames(ctx context.Context, list func(context.Context, store.Store) ([]store.Stream, error), prefix string) []string {
	st, err := p.OpenUnchanged(ctx)
	if err != nil {
		return nil
	}
	defer p.CloseStore(st)
	streams, err := list(ctx, st)
	if err != nil {
		return nil
	}
	names := make([]string, len(streams))
	for i := range streams {
		names[i] = streams[i].Name[len(prefix):]
	}
	return names
}
