package project

import (
	"context"
	"path/filepath"
	"slices"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/project/publish"
	"brenner/session"
	"brenner/store"
)

// published returns the directory of the published artifacts.
func (p *Project) published() *publish.Dir {
	return &publish.Dir{Path: filepath.Join(p.StateDir(), "sessions"), Log: p.Log}
}

// Publish writes the newest version of an artifact to the project's state directory.
func (p *Project) Publish(ctx context.Context, h *session.History) (string, error) {
	return p.published().Publish(ctx, h)
}

// Load reads the session of the source's address. Unless the source is an export, or
// another process runs the session, its artifact files follow.
func (s *Source) Load(ctx context.Context) (*session.History, error) {
	h, err := session.Load(ctx, s.Store, s.Address.Thread)
	if err == nil {
		s.artifactFile(ctx, h)
	}
	return h, err
}

// artifactFile brings the artifact files of a session up to date and returns the path of
// the current Markdown, if any. A failure is logged: reading does not depend on the files.
func (s *Source) artifactFile(ctx context.Context, h *session.History) string {
	path, err := s.restore(ctx, h)
	s.edited = nil
	for _, e := range fault.All(err) {
		if e.Code == publish.NotGenerated {
			s.edited = append(s.edited, e.Place)
		}
	}
	if err != nil {
		s.warn(h.Thread, err)
	}
	return path
}

// restore writes the artifact files that are missing or old, unless the source is an export or
// another process runs the session: that process writes them when it ends.
func (s *Source) restore(ctx context.Context, h *session.History) (string, error) {
	if s.File != "" || s.Project == nil {
		return "", nil
	}
	if _, held, err := s.Locks.HolderOf(h.Thread); err == nil && held {
		return s.Project.published().Current(ctx, h)
	}
	path, err := s.Project.published().Update(ctx, h)
	if path != "" {
		s.Project.ignoreState() // with a database, these files may be the first in the state directory
	}
	return path, err
}

// warn says, once for each session, why artifact files could not be written.
func (s *Source) warn(thread string, err error) {
	if !slices.Contains(s.Project.warned, thread) {
		s.Project.warnUnpublished(thread, err)
		s.Project.warned = append(s.Project.warned, thread)
	}
}

func (h *Host) warnUnpublished(thread string, err error) {
	for _, e := range fault.All(err) {
		h.Log.Warn().Err(e).Str("session", thread).Str("code", string(e.Code)).Str("hint", e.Hint).Msg("cannot write the artifact file; the session itself is stored")
	}
}

// followLoop updates the artifact files of a loop's sessions: the disk may have been full,
// or the process was killed.
func (p *Project) followLoop(ctx context.Context, st store.Store, s *loop.State) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if ctx.Err() != nil {
			return // the next run of the command writes them
		}
		if j.Settled.Version == 0 || p.published().Holds(j.Thread, j.Settled.Artifact) {
			continue
		}
		h, err := session.Load(ctx, st, j.Thread)
		if err == nil {
			_, err = p.published().Update(ctx, h)
		}
		if err != nil && ctx.Err() == nil {
			p.warnUnpublished(j.Thread, err)
		}
	}
}
