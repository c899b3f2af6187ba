//go:build realclients

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brenner/agent/openai/openaitest"
	"brenner/agent/program/programtest"
)

// TestRealMixedSession uses a model behind an API, the real codex and the real gemini, all
// on loopback. The trace names each program with its version, and the model.
func TestRealMixedSession(t *testing.T) {
	clients := os.Getenv("BRENNER_REAL_CLIENTS")
	if clients == "" {
		t.Fatal("BRENNER_REAL_CLIENTS must be the directory in which scripts/real-clients.sh installed the programs")
	}
	const reply = "I add one.\n\n```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"a claim"},"rationale":"r"}` + "\n```\n"
	api := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: reply} })
	model := programtest.NewModel(t, func(programtest.Question) programtest.Answer { return programtest.Answer{Text: reply} })
	dir := t.TempDir()
	settings := fmt.Sprintf(`question: Why is the sky dark at night?
roster:
  entries:
    - {agentName: BlueLake, role: hypothesis_generator, program: codex-cli, model: C}
    - {agentName: GreenValley, role: adversarial_critic, program: gemini-cli, model: G}
    - {agentName: RedSky, role: test_designer, model: M}
agents:
  models:
    - {model: C, via: program, id: double-codex, base_url: '%[1]s/v1'}
    - {model: G, via: program, id: double-gemini, base_url: '%[1]s'}
    - {model: M, via: openai, id: double-api, base_url: '%[2]s'}
`, model.URL, api.BaseURL())
	if err := os.WriteFile(filepath.Join(dir, "brenner.yaml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "brenner")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command(bin, args...)
		c.Dir = dir
		c.Env = []string{
			"PATH=" + filepath.Join(clients, "node_modules", ".bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "OPENAI_API_KEY=sk-real-0123456789abcdef",
			"GEMINI_API_KEY=x", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1",
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("brenner %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("trust")
	run("session", "start", "--rounds", "2", "--thread-id", "RS-20261115-mixed")
	trace := run("trace", "list", "RS-20261115-mixed")
	for _, want := range []string{"codex-cli 0.166.0", "gemini-cli 0.61.0", "double-api"} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace does not name %s:\n%s", want, trace)
		}
	}
	run("verify")
}
