package flow

import (
	"slices"

	"brenner/internal/fault"
	"brenner/store/journal"
)

// KindPatched is the event of what an answer made of the project's records.
const KindPatched = "records.patched"

// Patched is the outcome of the search/replace blocks, the anchor patches and the records in one answer.
type Patched struct {
	Call    string  `json:"call"` // the answered call
	Agent   string  `json:"agent"`
	Round   int     `json:"round"`
	Changes []Patch `json:"changes"`
}

// RecordKind is the kind of an outcome that is about a record of the answer itself, not about
// search/replace blocks.
const RecordKind = "record"

// Patch is the outcome of the blocks about one text, or of one record of the answer.
type Patch struct {
	Record string `json:"record"`          // "memo-1@v3": the version shown, or what the answer names instead; of a record, its id
	Blocks string `json:"blocks"`          // hash of the parsed blocks, or of the record as it was read
	Text   string `json:"text,omitempty"`  // hash of the text they were applied to
	Patch  string `json:"patch,omitempty"` // hash of the resulting patch
	Made   string `json:"made,omitempty"`  // the version made
	Status string `json:"status,omitempty"`
	// Code, Message and Hint are the reason why no version was made.
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
	Hint    string     `json:"hint,omitempty"`
	Kind    string     `json:"kind,omitempty"` // RecordKind, or "" for blocks
	// Corrected reports that the author sent another record or change instead, when asked.
	Corrected bool `json:"corrected,omitzero"`
}

func (s *State) applyPatched(e *journal.Entry, body *Patched) error {
	c, ok := s.Call(body.Call)
	switch {
	case !ok || c.Status != Replied || c.Agent != body.Agent || c.Round != body.Round:
		return s.badEntry(e, "%s patches records, but has no reply to call %s", fault.Shown(body.Agent), fault.Shown(body.Call))
	case s.PatchesOf(body.Call) != nil:
		return s.badEntry(e, "the answer to %s patches records twice", fault.Shown(body.Call))
	}
	s.Patches = append(slices.Clip(s.Patches), *body)
	if body.made() {
		s.ActiveRound = max(s.ActiveRound, body.Round) // a changed text is a change
	}
	return nil
}

// made reports whether a version was made.
func (p *Patched) made() bool {
	return slices.ContainsFunc(p.Changes, func(c Patch) bool { return c.Made != "" })
}

// PatchesOf returns the outcome of the blocks in the answer to a call; nil if it has no blocks,
// or they were not processed yet.
func (s *State) PatchesOf(call string) *Patched {
	for i := range s.Patches {
		if s.Patches[i].Call == call {
			return &s.Patches[i]
		}
	}
	return nil
}

// LastSettled returns the last settled leg, or nil.
func (s *State) LastSettled() *Leg {
	for i := len(s.Legs) - 1; i >= 0; i-- {
		if s.Legs[i].Settled {
			return &s.Legs[i]
		}
	}
	return nil
}

// RecordsShown returns the records that a commit rests on: those shown to its authors, for a round
// in its messages, for letters in the last message to each author, and those shown to the authors
// of earlier versions, whose text it continues.
func (s *State) RecordsShown(c *Committed) []RecordRef {
	var all []RecordRef
	take := func(k *Kickoff) {
		for _, r := range k.Records {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	open := s.OpenLeg()
	for i := range s.Legs {
		leg := &s.Legs[i]
		if leg == open && c.Source != ByRound {
			continue // nothing was made from it yet
		}
		for j := range leg.Kickoffs {
			take(&leg.Kickoffs[j])
		}
	}
	letters := slices.Clone(c.Letters)
	for i := range s.Commits {
		letters = append(letters, s.Commits[i].Letters...)
	}
	var authors []string
	for _, l := range letters {
		if !slices.Contains(authors, l.Agent) {
			authors = append(authors, l.Agent)
			if k := s.lastKickoff(l.Agent); k != nil {
				take(k)
			}
		}
	}
	return all
}

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

func (s *State) checkMoved(e *journal.Entry, c *Committed) error {
	if len(c.Moved) == 0 {
		return nil
	}
	shown := s.RecordsShown(c)
	for _, m := range c.Moved {
		if m.Now == m.Version || !slices.ContainsFunc(shown, func(r RecordRef) bool { return r.ID == m.ID && r.Version == m.Version }) {
			return s.badEntry(e, "version %d of %s is listed as moved, but was not shown or did not move", m.Version, fault.Shown(m.ID))
		}
	}
	return nil
}

// Made returns the versions of records that the answers made, and how many were refused.
func (s *State) Made() (made []string, refused int) {
	for i := range s.Patches {
		for k := range s.Patches[i].Changes {
			if c := &s.Patches[i].Changes[k]; c.Made != "" {
				made = append(made, c.Made)
			} else if !c.Corrected {
				refused++
			}
		}
	}
	return made, refused
}
