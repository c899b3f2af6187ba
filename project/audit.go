package project

import (
	"context"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
)

// Sessions returns the sessions of the project.
func (p *Project) Sessions(ctx context.Context) (*audit.List, error) {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return audit.NewList(nil), nil
	}
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	return audit.ListSessions(ctx, st, st)
}

// Status returns the state of a session, with its published file and its mail thread.
func (s *Source) Status(ctx context.Context, h *session.History) (*audit.Summary, error) {
	sum, err := audit.Summarise(ctx, h, s.Locks, s.File)
	if err != nil || s.File != "" {
		return sum, err
	}
	s.Project.ConfirmNext(sum, h.State)
	sum.Artifact = s.artifactFile(ctx, h)
	sum.Edited = s.edited
	s.Project.addThread(ctx, h, sum)
	return sum, nil
}

// OpenEditor opens a session of the project for an operator's changes. It takes no lock: the
// store orders the writes.
func (p *Project) OpenEditor(ctx context.Context, thread, as string) (*session.Editor, error) {
	if _, err := p.Find(ctx, thread); err != nil {
		return nil, err
	}
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	return &session.Editor{Store: st, Now: p.Now, As: as, Authorities: p.Config.Authorities, Project: p.sessionRecords(st)}, nil
}
