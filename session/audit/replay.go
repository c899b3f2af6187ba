package audit

import (
	"context"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
)

// Replay is a session that was settled again.
type Replay struct {
	Schema   string            `json:"schema"`
	Thread   string            `json:"thread_id"`
	Equal    bool              `json:"equal"`
	Versions []ReplayedVersion `json:"versions"`
	Faults   []fault.Detail    `json:"faults"`
}

// ReplayedVersion is a version as it was committed and as it was settled again.
type ReplayedVersion struct {
	Version  int    `json:"version"`
	From     string `json:"from"`
	Round    int    `json:"round,omitzero"`
	Author   string `json:"author,omitempty"`
	Entry    int    `json:"entry"`
	SHA256   string `json:"sha256"` // as it was committed
	Replayed string `json:"replayed"`
	OK       bool   `json:"ok"`
	// Lint names the rules of another program whose findings were not compared.
	Lint     string `json:"other_lint,omitempty"`
	Reworded bool   `json:"reworded,omitzero"` // its report says the same in other words
}

// ReplaySession settles a session again, and compares each version with the one that
// was committed. A version that differs is part of the result.
func ReplaySession(ctx context.Context, h *session.History) (*Replay, error) {
	all, err := h.Replay(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Replay{Schema: "brenner.session.replay/v1", Thread: h.Thread, Equal: err == nil, Versions: []ReplayedVersion{}, Faults: fault.Details(err)}
	for i := range all {
		c, got := &all[i].Commit, store.Hash(all[i].Settlement.Artifact.JSON())
		r.Versions = append(r.Versions, ReplayedVersion{
			Version: c.Version, From: c.Source, Round: c.Round, Author: c.Author, Entry: c.Seq, SHA256: c.Artifact, Replayed: got,
			OK: got == c.Artifact && all[i].Settlement.Artifact.Metadata.Version == c.Version, Lint: all[i].Then.Lint, Reworded: all[i].Then.Reworded,
		})
	}
	return r, nil
}
