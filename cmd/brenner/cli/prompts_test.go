package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent/openai/openaitest"
	"brenner/cmd/brenner/cli/ui"
)

// atOnce is a project whose endpoint takes a number of calls at a time.
func atOnce(t *testing.T, base string, limit int) string {
	t.Helper()
	dir := t.TempDir()
	text := "question: Why?\nagents:\n  models:\n    - model: m\n      concurrent: " + strconv.Itoa(limit) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "brenner.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_BASE_URL", base)
	return dir
}

const oneDelta = "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"},"rationale":"r"}` + "\n```\n"

// The table fits a narrow terminal, and the rows are all there.
func TestPromptsTryFitsANarrowTerminal(t *testing.T) {
	server := openaitest.New(t, func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: oneDelta} })
	for _, width := range []int{50, 90, 200} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), []string{"prompts", "try", "--model", "a-model-with-a-name", "--base-url", server.BaseURL(), "-C", t.TempDir(), "-q"}, ui.Streams{
			In: strings.NewReader(""), Out: &out, OutTTY: true, Err: &errs, ErrTTY: true, Width: func() int { return width }, Now: time.Now,
		})
		if code != 0 || strings.Count(out.String(), "\x1b[32mcontributed\x1b[0m") != 3 || strings.Count(out.String(), "a-model-with-a-name") != 3 || errs.Len() > 0 {
			t.Fatalf("%d columns, exit %d: %s%s", width, code, out.String(), errs.String())
		}
		for _, role := range []string{"hypothesis_generator", "test_designer", "adversarial_critic"} {
			if !strings.Contains(out.String(), role) {
				t.Errorf("%d columns lack %s: %s", width, role, out.String())
			}
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))); n >= width {
				t.Errorf("%d columns: a line has %d: %s", width, n, line)
			}
		}
	}
}

// As many calls are open at once as the endpoint allows. A terminal shows what was asked and each result.
func TestPromptsTryKeepsTheLimitOfTheEndpoint(t *testing.T) {
	for _, limit := range []int{1, 2, 3} {
		var mu sync.Mutex
		now, most := 0, 0
		full := make(chan struct{}) // closed when as many calls are open as the limit allows
		server := openaitest.New(t, func(openaitest.Request) openaitest.Answer {
			mu.Lock()
			now++
			if now == limit && most < limit {
				close(full)
			}
			most = max(most, now)
			mu.Unlock()
			<-full
			mu.Lock()
			now--
			mu.Unlock()
			return openaitest.Answer{Text: oneDelta}
		})
		dir := atOnce(t, server.BaseURL(), limit)
		var out, errs bytes.Buffer
		code := Run(t.Context(), []string{"prompts", "try", "--model", "m", "-C", dir}, ui.Streams{
			In: strings.NewReader(""), Out: &out, Err: &errs, ErrTTY: true, Environ: os.Environ(), Now: time.Now,
		})
		if code != 0 || most != limit || server.Asked() != 3 {
			t.Errorf("limit %d: exit %d, %d calls, %d at once: %s%s", limit, code, server.Asked(), most, out.String(), errs.String())
		}
		if !strings.HasPrefix(errs.String(), "3 calls at most: ") || strings.Count(errs.String(), ": contributed in ") != 3 {
			t.Errorf("progress: %s", errs.String())
		}
	}
}

// After an interrupt, the calls in flight end and are reported; the others are not made.
func TestPromptsTryInterrupted(t *testing.T) {
	interrupts := &ui.Interrupts{}
	server := openaitest.New(t, func(openaitest.Request) openaitest.Answer {
		interrupts.Signal()
		return openaitest.Answer{Text: oneDelta}
	})
	dir := atOnce(t, server.BaseURL(), 1)
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"prompts", "try", "--model", "m", "-C", dir}, ui.Streams{
		In: strings.NewReader(""), Out: &out, Err: &errs, Environ: os.Environ(), Now: time.Now, Interrupts: interrupts,
	})
	if code != ui.ExitInterrupted || server.Asked() != 1 || strings.Count(out.String(), " contributed ") != 1 || strings.Count(out.String(), "AGENT_STOPPED") != 2 {
		t.Errorf("exit %d, %d calls: %s%s", code, server.Asked(), out.String(), errs.String())
	}
}
