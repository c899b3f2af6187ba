package project

import (
	"context"
	"os"
	"path/filepath"

	"brenner/internal/files"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
)

// publishMissing writes the artifacts of a loop's sessions beside the store that are not
// there: the disk may have been full when they were made, or the process was killed.
func (p *Project) publishMissing(ctx context.Context, st store.Store, s *loop.State) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if ctx.Err() != nil {
			return // the same command makes up for it
		}
		if j.Settled.Version == 0 || p.published(j) {
			continue
		}
		h, err := session.Load(ctx, st, j.Thread)
		if err == nil {
			_, err = p.Publish(ctx, h)
		}
		if err != nil && ctx.Err() == nil {
			p.Log.Warn().Err(err).Str("session", j.Thread).Msg("the artifact could not be written beside the store; the session itself is stored")
		}
	}
}

// published reports whether the artifact of a session is beside the store. Of a session
// that was run several times an earlier version may be there.
func (p *Project) published(j *loop.Job) bool {
	dir := p.publishedDir(j.Thread)
	if _, err := os.Stat(filepath.Join(dir, "artifact.md")); err != nil {
		return false
	}
	file := filepath.Join(dir, "artifact.json")
	if j.Attempts > 1 {
		data, err := files.Read(file)
		return err == nil && store.Hash(data) == j.Settled.Artifact
	}
	_, err := os.Stat(file)
	return err == nil
}
