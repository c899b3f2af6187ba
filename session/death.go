package session

import (
	"context"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge/settle"
)

// NoReason stands where nobody has said why a hypothesis was killed.
const NoReason = "no reason was given"

// death says why an item was killed: by the reason of the KILL, or else by its
// rationale, which many agents write instead. It is empty where there is neither.
func (h *History) death(ctx context.Context, k *artifact.Kill) (string, error) {
	if !delta.Blank(k.Reason) || k.Stamp == nil {
		return k.Reason, nil
	}
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Version != k.Stamp.Version {
			continue
		}
		in, err := h.input(ctx, h.empty(), &c.Committed, nil)
		if err != nil {
			return "", err
		}
		_, deltas := settle.Read(in)
		for j := range deltas {
			if deltas[j].ID == k.Stamp.Delta {
				return deltas[j].Rationale, nil
			}
		}
	}
	return "", nil
}
