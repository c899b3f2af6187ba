package program_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/internal/fault"
)

// What programs write about requests that fail.
const (
	aiderFails    = `echo 'litellm.RateLimitError: OpenAIException - Rate limit reached'; echo 'Retrying in 0.2 seconds...'`
	qwenFails     = `mkdir -p "$HOME/.qwen/debug"; echo "2026 [WARN] Attempt 1 failed with status 500. Retrying with backoff in 2s... {" >>"$HOME/.qwen/debug/s.txt"`
	continueFails = `mkdir -p "$HOME/.continue/logs"; echo '2026 [debug]: Retry attempt {"attempt":0,"delay":6,"error":"429 Rate limit reached"}' >>"$HOME/.continue/logs/cn.log"`
	openCodeFails = `echo '{"type":"text","part":{"text":"half"}}'; echo '{"type":"step_finish","part":{"reason":"unknown","tokens":{"input":0,"output":0}}}'`
)

// A program that repeats failed requests is stopped, and the cause is named, also if the time runs out.
func TestRepeatedFailures(t *testing.T) {
	for name, test := range map[string]struct {
		kind, line string
		wall       time.Duration
		want       fault.Code
	}{
		"aider":               {program.Aider, strings.Repeat(aiderFails+"; ", 3), 0, agent.RateLimited},
		"qwen":                {program.Qwen, strings.Repeat(qwenFails+"; ", 3), 0, agent.Unavailable},
		"continue":            {program.Continue, strings.Repeat(continueFails+"; ", 3), 0, agent.RateLimited},
		"opencode":            {program.OpenCode, openCodeFails, 0, agent.Cut},
		"aider, time is up":   {program.Aider, aiderFails, 2 * time.Second, agent.RateLimited},
		"aider, other reason": {program.Aider, `echo 'litellm.OddError: something odd'`, 2 * time.Second, agent.TimedOut},
		"aider, no reason":    {program.Aider, `echo Aider`, 2 * time.Second, agent.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := t.TempDir()
			script(t, filepath.Join(bin, program.Executable(test.kind)), "cat >/dev/null; "+test.line+"\nexec sleep 1234")
			p := newProgram(t, program.Options{
				Kind: test.kind, Model: "m", BaseURL: "http://127.0.0.1:1/v1", Wall: test.wall, Grace: 10 * time.Millisecond,
				Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "OPENAI_API_KEY=key-0123456789"},
			})
			f := fails(t, t.Context(), p, test.want)
			if !f.Retry || f.Hint == "" || f.Usage.Input == 0 {
				t.Errorf("%+v", f)
			}
		})
	}
}
