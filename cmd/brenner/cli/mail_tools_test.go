package cli_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/artifact"
)

// description returns what the server says about a tool.
func (a *mcpAgent) description(tool string) string {
	a.t.Helper()
	list, err := a.session.ListTools(a.t.Context(), &mcp.ListToolsParams{})
	if err != nil {
		a.t.Fatal(err)
	}
	for _, t := range list.Tools {
		if t.Name == tool {
			return t.Description
		}
	}
	a.t.Fatalf("no tool %s", tool)
	return ""
}

// An agent that knows nothing but the tools' descriptions writes an answer, a critique and an
// acknowledgement that the session takes.
func TestToolsTeachContributions(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	blue := b.agents["BlueLake"]
	about := blue.description("send_message")
	for _, s := range artifact.Sections() {
		if !strings.Contains(about, "`"+s.Spec().ID+"`") {
			t.Errorf("send_message does not name the section %s", s.Spec().ID)
		}
		for _, f := range s.Spec().Fields {
			if f.Required && !strings.Contains(about, f.Name+"*") {
				t.Errorf("send_message does not name the field %s.%s", s.Spec().ID, f.Name)
			}
		}
	}
	_, example, _ := strings.Cut(about, "````markdown\n")
	example, _, ok := strings.Cut(example, "\n````")
	if !ok {
		t.Fatalf("send_message has no example: %s", about)
	}
	end := b.start(0, "--to", "BlueLake", "--role", "hypothesis_generator", "--rounds", "1", "--question", "Why is the sky dark?", "--thread-id", mailThread)
	id, _ := blue.next("KICKOFF: ")
	blue.acknowledge(id)
	b.checkThread(mailThread, "awaiting_responses", []string{"BlueLake"}, nil)
	claim := strings.NewReplacer("The 240 fish died over ten days and rose together when the water warmed.", "Starlight has not arrived yet.", "§4", "inference", "§9 [inference]", "inference")
	blue.reply(id, claim.Replace(example))
	end()
	blue.write(mailThread, "CRITIQUE: dust is missing", "Dust is missing.\n\n"+delta(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Dust","attack":"It says nothing about dust."},"rationale":"it is missing"}`))
	b.mustRun("session", "compile", mailThread)
	for _, want := range []string{"Starlight has not arrived yet.", "It says nothing about dust."} {
		if out := b.mustRun("session", "show", mailThread); strings.Count(out, want) != 1 {
			t.Errorf("want %q once: %.2000s", want, out)
		}
	}
}
