package flow_test

import (
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// stuckJournal returns a session that asks an arbiter for a ruling.
func stuckJournal(t *testing.T) *journalBuilder {
	return newJournal(t, settings(), generator).add(flow.KindStalemate, flow.Stalemated{ID: "ST-1", State: stalemate.Open}).
		stalemate(stalemate.Requested, flow.Stalemated{Began: &flow.Began{Call: "c/1", Agent: "Judge", Round: 1, Leg: 1, Turn: flow.TurnRule, Reserved: 70}})
}

func (tl *journalBuilder) stalemate(to string, m flow.Stalemated) *journalBuilder {
	m.ID, m.State, m.By = "ST-1", to, "Judge"
	return tl.add(flow.KindStalemate, m)
}

var (
	verdict = flow.Stalemated{Verdict: "v", Answered: &flow.Answered{Call: "c/1", Reply: "r", Input: 5, Output: 6}}
	ruling  = flow.Committed{Source: flow.ByPerson, Author: "Judge", At: "2026-01-01T02:00:00Z", Version: 2, Ruling: "ST-1"}
)

func TestArbiterCallCountsAsSpent(t *testing.T) {
	answered := stuckJournal(t).stalemate(stalemate.Ruled, verdict).seal(ruling).stalemate(stalemate.Applied, flow.Stalemated{}).state()
	if c := answered.Rulings; len(c) != 1 || c[0].Status != flow.Replied || answered.Spent.Tokens != 11 {
		t.Errorf("%+v, %v", c, answered.Spent)
	}
	failed := stuckJournal(t).stalemate(stalemate.Requested, flow.Stalemated{Failed: &flow.Failed{Call: "c/1", Code: "X", Spent: 40}}).state()
	if c := failed.Rulings; c[0].Status != flow.Lost || failed.Spent.Tokens != 40 {
		t.Errorf("%+v, %v", c, failed.Spent)
	}
	killed := stuckJournal(t).add(flow.KindResumed, flow.Resumed{}).state()
	if c := killed.Rulings; c[0].Status != flow.Open || killed.Spent.Tokens != 70 {
		t.Errorf("%+v, %v", c, killed.Spent)
	}
}

// A person rules while the arbiter answers: the reply is kept and its cost counted, but it has no
// effect.
func TestLateArbiterReply(t *testing.T) {
	late := flow.Stalemated{Late: true, Reply: "r", Answered: &flow.Answered{Call: "c/1", Reply: "r", Input: 5, Output: 6}}
	ruled := func() *journalBuilder {
		return stuckJournal(t).add(flow.KindStalemate, flow.Stalemated{ID: "ST-1", State: stalemate.Ruled, By: "Sydney", Verdict: "v", Reply: "q"})
	}
	now := ruled().stalemate(stalemate.Ruled, late).state()
	s := now.Stalemates[0]
	if s.By != "Sydney" || s.Verdict != "v" || s.Reply != "q" || len(s.Replies) != 2 || now.Spent.Tokens != 11 || now.Rulings[0].Status != flow.Replied {
		t.Errorf("%+v, %v, %+v", s, now.Spent, now.Rulings)
	}
	lost := ruled().stalemate(stalemate.Ruled, flow.Stalemated{Late: true, Failed: &flow.Failed{Call: "c/1", Code: "X", Spent: 40}}).state()
	if lost.Spent.Tokens != 40 || len(lost.Stalemates[0].Replies) != 1 {
		t.Errorf("%v, %+v", lost.Spent, lost.Stalemates)
	}
	more := late
	more.Verdict = "other"
	for name, tl := range map[string]*journalBuilder{
		"another state":     ruled().stalemate(stalemate.Applied, late),
		"a verdict":         ruled().stalemate(stalemate.Ruled, more),
		"no reply":          ruled().stalemate(stalemate.Ruled, flow.Stalemated{Late: true}),
		"no such stalemate": ruled().add(flow.KindStalemate, flow.Stalemated{ID: "ST-2", Late: true, Answered: late.Answered}),
	} {
		if _, err := flow.Fold(tl.entries); fault.CodeOf(err) != flow.BadSequence {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFoldRefusesInvalidRulings(t *testing.T) {
	stranger := ruling
	stranger.Author = "Mallory"
	for name, c := range map[string]struct {
		journal *journalBuilder
		want    string
	}{
		"asked again in flight": {stuckJournal(t).stalemate(stalemate.Requested, flow.Stalemated{Began: &flow.Began{Call: "c/1"}}), "is not open"},
		"answered unasked":      {stuckJournal(t).stalemate(stalemate.Requested, flow.Stalemated{Answered: &flow.Answered{Call: "c/2"}}), "did not begin"},
		"failed unasked":        {stuckJournal(t).stalemate(stalemate.Requested, flow.Stalemated{Failed: &flow.Failed{Call: "c/2"}}), "did not begin"},
		"answered twice":        {stuckJournal(t).stalemate(stalemate.Requested, verdict).stalemate(stalemate.Requested, verdict), "did not begin"},
		"written before ruled":  {stuckJournal(t).seal(ruling), "that does not exist"},
		"written by another":    {stuckJournal(t).stalemate(stalemate.Ruled, verdict).seal(stranger), "that does not exist"},
	} {
		_, err := flow.Fold(c.journal.entries)
		if fault.CodeOf(err) != flow.BadSequence || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
