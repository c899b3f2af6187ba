package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/session"
	"brenner/session/flow"
)

// ConflictList is the open conflicts of a session.
type ConflictList struct {
	Schema    string         `json:"schema"`
	Thread    string         `json:"thread_id"`
	Version   int            `json:"version"`
	Conflicts []OpenConflict `json:"conflicts"`
}

// OpenConflict is an undecided place.
type OpenConflict struct {
	Place      string          `json:"place"`
	Candidates []OpenCandidate `json:"candidates"`
}

// OpenCandidate is one agent's value for it.
type OpenCandidate struct {
	Agent     string         `json:"agent"`
	Delta     string         `json:"delta_id"`
	Value     jsontext.Value `json:"value"`
	At        string         `json:"at"`
	Rationale string         `json:"rationale"`
	Text      string         `json:"-"` // Value as readable text
	Anchors   []string       `json:"-"` // of its delta
	Call      string         `json:"-"` // whose reply has it, or ""
}

// OpenConflicts returns the open conflicts at one place or, if that is empty, everywhere.
func OpenConflicts(ctx context.Context, h *session.History, place string) (*ConflictList, error) {
	now, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return nil, err
	}
	places := session.Conflicts(&now)
	if place != "" {
		if _, err := session.ConflictAt(&now, place); err != nil {
			return nil, err
		}
		places = []string{place}
	}
	res := &ConflictList{Schema: "brenner.session.conflicts/v1", Thread: h.Thread, Version: h.State.Version(), Conflicts: []OpenConflict{}}
	if len(places) == 0 {
		return res, nil
	}
	origins, err := OriginsOf(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, place := range places {
		open, err := conflictOf(ctx, origins, &now, place)
		if err != nil {
			return nil, err
		}
		res.Conflicts = append(res.Conflicts, open)
	}
	return res, nil
}

func conflictOf(ctx context.Context, origins *Origins, now *artifact.Artifact, place string) (OpenConflict, error) {
	open := OpenConflict{Place: place}
	conflict, err := session.ConflictAt(now, place)
	if err != nil {
		return open, err
	}
	item, field, _ := strings.Cut(place, ".")
	by, err := origins.Blame(ctx, item, field)
	if err != nil {
		return open, err
	}
	for _, candidate := range conflict {
		one := OpenCandidate{Agent: candidate.Agent, Delta: candidate.Delta, Value: artifact.Canonical(candidate.Value)}
		for i := range by {
			if by[i].Delta == candidate.Delta {
				one.At, one.Rationale, one.Text, one.Call = by[i].At, by[i].Rationale, by[i].Text, by[i].Call
			}
		}
		if w := origins.deltas[candidate.Delta]; w != nil {
			if anchors := w.delta.Payload.Find("anchors"); anchors != nil {
				list, _ := anchors.Value.(artifact.List)
				for _, anchor := range list {
					one.Anchors = append(one.Anchors, session.PlainText(anchor))
				}
			}
		}
		open.Candidates = append(open.Candidates, one)
	}
	return open, nil
}

// Decision is a conflict that a person or an arbiter decided.
type Decision struct {
	Place   string
	Version int
	Author  string
	At      string
	Ruling  string // the stalemate that it rules on, or ""
}

// maxDecisions bounds the list of decisions.
const maxDecisions = 100

// Decisions returns the conflicts that people and arbiters decided, newest first.
func Decisions(ctx context.Context, h *session.History) ([]Decision, error) {
	var all []Decision
	for i := len(h.State.Commits) - 1; i > 0 && len(all) < maxDecisions; i-- {
		c := &h.State.Commits[i]
		if c.Source != flow.ByPerson {
			continue
		}
		before, err := h.Artifact(ctx, c.Version-1)
		if err != nil {
			return nil, err
		}
		open := session.Conflicts(&before)
		if len(open) == 0 {
			continue
		}
		after, err := h.Artifact(ctx, c.Version)
		if err != nil {
			return nil, err
		}
		left := session.Conflicts(&after)
		for _, place := range open {
			if !slices.Contains(left, place) {
				all = append(all, Decision{place, c.Version, c.Author, c.At, c.Ruling})
			}
		}
	}
	return all, nil
}
