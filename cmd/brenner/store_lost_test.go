package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"brenner/agent/openai/openaitest"
)

// A run whose store is deleted stops asking, and says where the content is.
func TestLostStoreEndsTheRun(t *testing.T) {
	const plan = `schema: brenner.loop.plan/v1
questions: [{id: a, question: "Why?"}, {id: b, question: "How?"}, {id: c, question: "Who?"}, {id: d, question: "Where?"}]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator, model: m}, {agentName: RedSky, role: test_designer, model: m}]}]
session: {rounds: 2}
models: [{model_id: m, via: openai}]
concurrency: 1
`
	for name, args := range map[string][]string{
		"session": {"session", "start", "--question", "Why?", "--preset", "default-3-agent", "--via", "openai", "--model", "m", "--rounds", "3"},
		"loop":    {"loop", "run", "night.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var once sync.Once
			models := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
				once.Do(func() {
					if err := os.Remove(filepath.Join(dir, ".brenner", "brenner.db")); err != nil {
						t.Error(err)
					}
				})
				return behave(r, r.N)
			})
			for file, text := range map[string]string{
				"night.yaml": plan, "brenner.yaml": "agents: {models: [{model: m, id: m}]}\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c := exec.Command("brenner", args...)
			c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=atexit_sleep_ms=0", "OPENAI_BASE_URL=" + models.BaseURL()}
			out, err := c.CombinedOutput()
			if c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "brenner.db: while in use, the file was moved, deleted or replaced; everything that was in it is now in ") {
				t.Errorf("%v\n%s", err, out)
			}
			if asked := models.Asked(); asked < 1 || asked > 3 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}
