package session

import (
	"context"

	"brenner/artifact"
	"brenner/kickoff"
	"brenner/session/flow"
)

// Memory provides the lessons of earlier sessions of a project.
type Memory interface {
	// Recall returns the lessons for one agent's message, and the ids of those that did not fit.
	Recall(ctx context.Context, about LessonQuery) (LessonSet, error)
}

// LessonQuery describes the agent and the subject for which lessons are sought.
type LessonQuery struct {
	Thread, Agent, Role, Question string
	Domain                        string  // of the session; "" if it is not pinned
	Own                           []Claim // live hypotheses of this agent
	Killed                        []Claim // killed hypotheses of this session
}

// Claim is a hypothesis and, if it was killed, the reason if one was given.
type Claim struct{ Item, Text, Reason string }

// LessonSet is the lessons shown to an agent, and the ids of those that did not fit.
type LessonSet struct {
	Lessons []kickoff.Bullet
	Omitted []string
}

func (r LessonSet) ids() []string {
	var ids []string
	for _, l := range r.Lessons {
		ids = append(ids, l.ID)
	}
	return ids
}

// addLessons adds lessons to the messages of a leg. An unreadable playbook is reported and does
// not stop the session.
func (s *run) addLessons(ctx context.Context, state *flow.State, in *kickoff.Input) map[string]LessonSet {
	if s.Memory == nil || state.Opened.Rehearsal != "" || state.Opened.Task != "" { // lessons are about research sessions
		return nil
	}
	in.Learns, in.Lessons = true, make(map[string][]kickoff.Bullet)
	all := make(map[string]LessonSet)
	killed := s.killedClaims(ctx)
	for _, to := range in.Recipients {
		entry, _ := in.Roster.Find(to)
		about := LessonQuery{Thread: state.Opened.Thread, Domain: state.Opened.Domain, Agent: to, Role: string(entry.Role), Question: state.Opened.Question, Killed: killed}
		for _, h := range s.current.Items(artifact.HypothesisSlate) {
			if !h.Killed() && h.Created != nil && h.Created.Agent == to {
				about.Own = append(about.Own, claimOf(h))
			}
		}
		got, err := s.Memory.Recall(ctx, about)
		if err != nil {
			s.Log.Warn().Err(err).Str("agent", to).Msg("cannot read the playbook; continuing without lessons")
			continue
		}
		all[to], in.Lessons[to] = got, got.Lessons
	}
	return all
}

// maxClaim bounds the compared part of a claim; some agents write pages.
const maxClaim = 400

func claimOf(h *artifact.Item) Claim {
	return Claim{Item: h.ID, Text: clip(h.Text("claim"), maxClaim)}
}

func (s *run) killedClaims(ctx context.Context) []Claim {
	var all []Claim
	for _, it := range s.current.Items(artifact.HypothesisSlate) {
		if !it.Killed() {
			continue
		}
		why, err := s.history().killReason(ctx, it.Kill)
		if err != nil {
			s.Log.Warn().Err(err).Str("item", it.ID).Msg("cannot read why the item was killed; continuing without the reason")
		}
		c := claimOf(it)
		c.Reason = clip(why, maxClaim)
		all = append(all, c)
	}
	return all
}
