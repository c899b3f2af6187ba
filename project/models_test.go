package project

import (
	"strings"
	"sync"
	"testing"

	"brenner/agent"
	"brenner/config"
	"brenner/project/slots"
	"brenner/roster"
	"brenner/session/flow"
)

// A program is told no address that endpoints: does not allow, also in a session that was opened
// before addresses were journaled, and with a tape: a program has no part in it.
func TestProgramsAreToldAllowedAddressesOnly(t *testing.T) {
	cfg := &config.Config{Endpoints: config.Endpoints{LocalOnly: true}}
	cfg.BaseURL = "http://models.example/v1"
	m := &Models{Project: &Project{&Host{}, cfg}, offline: true}
	party := flow.Party{Name: "BlueLake", Via: config.ViaProgram, Program: "codex-cli"}
	const want = "endpoints.local_only refuses models.example"
	if err := m.check([]flow.Party{party}, 0); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("checked: %v", err)
	}
	if _, err := m.programMaker(m.Project.setupOf(&party)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("made: %v", err)
	}
}

// The sessions of a loop are prepared concurrently and share the slots of each endpoint,
// even of one that no party of the plan uses any longer.
func TestLoopSessionsShareEndpointSlots(t *testing.T) {
	cfg := &config.Config{Models: []config.Model{
		{Model: "small", Via: config.ViaOpenAI, BaseURL: "http://localhost:1/v1", Concurrent: 2},
		{Model: "large", Via: config.ViaOpenAI, BaseURL: "http://localhost:2/v1", Concurrent: 2},
	}}
	all := &Models{Project: &Project{&Host{}, cfg}, slots: &slots.Endpoints{}}
	const sessions = 16
	got := make([][2]agent.Limiter, sessions)
	var group sync.WaitGroup
	for i := range sessions {
		group.Go(func() {
			own := all.fork()
			got[i] = [2]agent.Limiter{
				own.limit(all.Project.Party(roster.Entry{Model: "small"}, AgentOverride{})), own.limit(all.Project.Party(roster.Entry{Model: "large"}, AgentOverride{})),
			}
		})
	}
	group.Wait()
	for _, two := range got {
		if two[0] == nil || two[1] == nil || two[0] == two[1] || two != got[0] {
			t.Fatalf("got slots %v, another session has %v", two, got[0])
		}
	}
}
