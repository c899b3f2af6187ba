package project

import (
	"testing"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
)

// Of two processes that resume a session, the second one has its end, not what it loaded before.
func TestResumedByAnother(t *testing.T) {
	p := loopProject(t)
	p.Config.Question, p.Config.Session.Rounds = "Why is the sky dark at night?", 1
	res := roster.Resolution{
		Roster:  roster.Roster{Mode: roster.Unified, Entries: []roster.Entry{{Agent: "BlueLake", Role: "hypothesis_generator"}}},
		Origins: make([]roster.EntryOrigin, 1),
	}
	composed, err := p.Compose(kickoff.Input{Roster: res.Roster}, res)
	if err != nil {
		t.Fatal(err)
	}
	script, err := rehearsal.Parse([]byte("schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - name: BlueLake\n    rounds: [{reply: Nothing.}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := composed.Prepare(t.Context(), &StartOptions{Agents: AgentOptions{Scripted: true}, Script: script})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	drained := make(chan struct{})
	close(drained)
	if err := j.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := j.Run(t.Context(), Watch{Drain: drained})
	if err != nil || left.History.State.Ended != flow.EndInterrupted {
		t.Fatalf("a drained run: %+v, %v", left, err)
	}
	resume := func() *Job {
		j, err := p.PrepareResume(t.Context(), left.History.Thread, &ResumeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(j.Close)
		return j
	}
	first, second := resume(), resume()
	if _, err := first.Run(t.Context(), Watch{}); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Run(t.Context(), Watch{}); fault.CodeOf(err) != session.NotOpen || second.History.State.Ended != flow.EndRounds {
		t.Errorf("the second one: %v, ended %q", err, second.History.State.Ended)
	}
}
