package flow

import (
	"slices"

	"brenner/internal/fault"
	"brenner/store/journal"
)

// KindPatched is the event of what came of the search/replace blocks in an answer.
const KindPatched = "records.patched"

// Patched is what came of the search/replace blocks in one answer.
type Patched struct {
	Call    string  `json:"call"` // the one that was answered
	Agent   string  `json:"agent"`
	Round   int     `json:"round"`
	Changes []Patch `json:"changes"`
}

// Patch is what came of the blocks about one text.
type Patch struct {
	Record string `json:"record"`          // "memo-1@v3": the version that was shown, or what the answer names instead
	Blocks string `json:"blocks"`          // hash of the blocks, as they were understood
	Text   string `json:"text,omitempty"`  // hash of the text that they were held against
	Patch  string `json:"patch,omitempty"` // hash of the patch that they became
	Made   string `json:"made,omitempty"`  // the version that it made
	Status string `json:"status,omitempty"`
	// Why nothing was made of them.
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	Hint    string     `json:"hint,omitempty"`
}

func (s *State) patched(e *journal.Entry, body *Patched) error {
	c, ok := s.Call(body.Call)
	switch {
	case !ok || c.Status != Replied || c.Agent != body.Agent || c.Round != body.Round:
		return s.wrong(e, "%s patches records by an answer that it did not give: %s", fault.Shown(body.Agent), fault.Shown(body.Call))
	case s.PatchesOf(body.Call) != nil:
		return s.wrong(e, "the answer to %s patches records twice", fault.Shown(body.Call))
	}
	s.Patches = append(slices.Clip(s.Patches), *body)
	if slices.ContainsFunc(body.Changes, func(c Patch) bool { return c.Made != "" }) {
		s.Stirred = max(s.Stirred, body.Round) // a text has changed: that is something new
	}
	return nil
}

// PatchesOf gives what came of the blocks in the answer to a call; nil where nobody
// looked yet, or there were none.
func (s *State) PatchesOf(call string) *Patched {
	for i := range s.Patches {
		if s.Patches[i].Call == call {
			return &s.Patches[i]
		}
	}
	return nil
}

// LastSettled gives the last leg whose answers were merged, or nil.
func (s *State) LastSettled() *Leg {
	for i := len(s.Legs) - 1; i >= 0; i-- {
		if s.Legs[i].Settled {
			return &s.Legs[i]
		}
	}
	return nil
}

// Shown gives the records that the authors of a commit were shown: those of a round
// by its messages, those of letters by the last one that each of them was sent.
// People look for themselves.
func (s *State) Shown(c *Committed) []RecordRef {
	var all []RecordRef
	take := func(k *Kickoff) {
		for _, r := range k.Records {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	switch c.Source {
	case ByRound:
		if leg := s.OpenLeg(); leg != nil {
			for i := range leg.Kickoffs {
				take(&leg.Kickoffs[i])
			}
		}
	case ByThread:
		var authors []string
		for _, l := range c.Letters {
			if !slices.Contains(authors, l.Agent) {
				authors = append(authors, l.Agent)
				if k := s.lastKickoff(l.Agent); k != nil {
					take(k)
				}
			}
		}
	}
	return all
}

// lastKickoff gives the last message that was composed for an agent.
func (s *State) lastKickoff(agent string) *Kickoff {
	for i := len(s.Legs) - 1; i >= 0; i-- {
		for j := range s.Legs[i].Kickoffs {
			if k := &s.Legs[i].Kickoffs[j]; k.Agent == agent {
				return k
			}
		}
	}
	return nil
}

// moved refuses records that moved and that nobody was shown.
func (s *State) moved(e *journal.Entry, c *Committed) error {
	if len(c.Moved) == 0 {
		return nil
	}
	shown := s.Shown(c)
	for _, m := range c.Moved {
		if m.Now == m.Version || !slices.ContainsFunc(shown, func(r RecordRef) bool { return r.ID == m.ID && r.Version == m.Version }) {
			return s.wrong(e, "version %d of %s moved, but nobody was shown it, or it did not", m.Version, fault.Shown(m.ID))
		}
	}
	return nil
}
