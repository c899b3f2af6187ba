//go:build realclients

package program_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
	"brenner/internal/fault"
)

// The versions that scripts/real-clients.sh installs.
const (
	codexVersion  = "0.166.0"
	geminiVersion = "0.61.0"
)

const realAnswer = "Ja: e\u0301, 👩‍🔬 & \"so on\".\n\n```delta\n{\"operation\": \"ADD\"}\n```\n"

// genuine is a real program that asks a model of ours.
type genuine struct {
	*program.Program
	model   *programtest.Model
	options program.Options
	tries   int // of the last question
}

// Ask asks as sessions do, which try again where that may help: gemini 0.61.0 now and
// then asks its model and ends with 0 and with nothing on stdout, when the machine is
// busy.
func (r *genuine) Ask(ctx context.Context, c agent.Call) (reply agent.Reply, err error) {
	for r.tries = 1; ; r.tries++ {
		reply, err = r.Program.Ask(ctx, c)
		var f *agent.Failure
		if r.options.Kind != program.Gemini || r.tries == 3 || !errors.As(err, &f) || f.Code != program.NoAnswer {
			return reply, err
		}
	}
}

// newReal makes an agent of a kind whose program is the real one.
func newReal(t *testing.T, kind string, o program.Options, answer func(programtest.Question) programtest.Answer) *genuine {
	t.Helper()
	dir := os.Getenv("BRENNER_REAL_CLIENTS")
	if dir == "" {
		t.Fatal("BRENNER_REAL_CLIENTS has to be where scripts/real-clients.sh has installed the programs")
	}
	r := &genuine{model: programtest.NewModel(t, answer)}
	o.Kind, o.Model, o.BaseURL, o.KeyEnv = kind, "double-model", r.model.URL, "REAL_TEST_KEY"
	if kind == program.Codex {
		o.BaseURL += "/v1"
	}
	o.Spool, o.WorkDir = t.TempDir(), t.TempDir()
	// They may not find a way out, should they look for one.
	o.Environ = []string{
		"PATH=" + filepath.Join(dir, "node_modules", ".bin") + ":/usr/local/bin:/usr/bin:/bin", "REAL_TEST_KEY=sk-real-0123456789abcdef",
		"HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1", "GORACE=atexit_sleep_ms=0",
	}
	o.Pass = []string{"GORACE"}
	r.options = o
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.Program = p
	t.Cleanup(func() {
		if left := r.left(t); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		if left := files(t, o.WorkDir, "*"); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return r
}

// left gives the processes that have a private folder of ours in their environment.
func (r *genuine) left(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, path := range files(t, "/proc", "[0-9]*/environ") {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), r.options.WorkDir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it may be gone
			left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return left
}

// story is a long text in which nothing comes twice: gemini looks out for that.
func story() string {
	var b strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&b, "%x ", n*n*7919)
	}
	return b.String()
}

func always(a programtest.Answer) func(programtest.Question) programtest.Answer {
	return func(programtest.Question) programtest.Answer { return a }
}

func eachReal(t *testing.T, run func(t *testing.T, kind string)) {
	t.Helper()
	for _, kind := range []string{program.Codex, program.Gemini} {
		t.Run(kind, func(t *testing.T) { run(t, kind) })
	}
}

func TestRealVersions(t *testing.T) {
	for kind, want := range map[string]string{program.Codex: codexVersion, program.Gemini: geminiVersion} {
		r := newReal(t, kind, program.Options{}, always(programtest.Answer{}))
		got, err := r.Version(t.Context())
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
		t.Logf("%s: %s: %s", kind, got, r.Plan().CommandLine())
	}
}

func TestRealAnswers(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		r := newReal(t, kind, program.Options{}, always(programtest.Answer{Text: realAnswer}))
		signs := 0
		c := call("ask")
		c.Alive = func() { signs++ }
		c.Turns[0].Text = "What is it? " + strings.Repeat("A long story. ", 20000)
		reply, err := r.Ask(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		want := agent.Reply{Text: realAnswer, Model: "double-model", Usage: agent.Usage{Input: 5000, Output: 9}, Attempts: 1}
		if reply != want || signs == 0 {
			t.Errorf("%+v with %d signs of life, not %+v", reply, signs, want)
		}
		asked := r.model.Questions()
		if len(asked) != r.tries || !strings.HasSuffix(strings.TrimSpace(asked[0].Text), strings.TrimSpace(c.Turns[0].Text)) || asked[0].Model != "double-model" {
			t.Errorf("%d questions: %.2000s", len(asked), fmt.Sprint(asked))
		}
		if key := asked[0].Header.Get("Authorization") + asked[0].Header.Get("X-Goog-Api-Key"); !strings.HasSuffix(key, "sk-real-0123456789abcdef") {
			t.Errorf("the key is %q", key)
		}
		t.Log(asked[0].Header.Get("User-Agent"))
	})
}

// TestRealTools: what is said between tools is no answer.
func TestRealTools(t *testing.T) {
	tools := map[string]programtest.Answer{
		program.Codex:  {Text: "Let me see. ", Tool: "exec_command", Args: map[string]any{"cmd": "ls"}},
		program.Gemini: {Text: "Let me see. ", Tool: "list_directory", Args: map[string]any{"dir_path": "."}},
	}
	eachReal(t, func(t *testing.T, kind string) {
		r := newReal(t, kind, program.Options{}, func(q programtest.Question) programtest.Answer {
			if q.Tools == 0 {
				return tools[kind]
			}
			return programtest.Answer{Text: wanted}
		})
		if reply := answers(t, r, wanted); reply.Usage != (agent.Usage{Input: 10000, Output: 18}) {
			t.Errorf("%+v", reply)
		}
		// The same without an end.
		r = newReal(t, kind, program.Options{Turns: 4}, always(tools[kind]))
		_ = fails(t, t.Context(), r, program.TurnLimit)
		if n := len(r.model.Questions()); n > 12 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}

func TestRealFaults(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		for name, test := range map[string]struct {
			answer programtest.Answer
			want   fault.Code
			retry  bool
		}{
			"a fault of its own": {programtest.Answer{Status: 500}, agent.Unavailable, true},
			"too much":           {programtest.Answer{Status: 429}, agent.RateLimited, true},
			"no key":             {programtest.Answer{Status: 401}, agent.NoAuth, false},
			"no":                 {programtest.Answer{Status: 400}, agent.Refused, false},
			"blank":              {programtest.Answer{}, agent.Empty, true},
			"round and round":    {programtest.Answer{Text: strings.Repeat("and so on ", 2000)}, "", false},
			"cut":                {programtest.Answer{Text: story(), Cut: true}, agent.Cut, true},
		} {
			t.Run(name, func(t *testing.T) {
				r := newReal(t, kind, program.Options{}, always(test.answer))
				if test.want == "" && kind == program.Codex {
					answers(t, r, test.answer.Text) // it does not mind
					return
				}
				if test.want == "" {
					test.want = program.TurnLimit // and it says "success"
				}
				f := fails(t, t.Context(), r, test.want)
				if f.Retry != test.retry || f.Hint == "" && f.Code != agent.Empty {
					t.Errorf("%+v", f)
				}
				t.Logf("%d requests: %v", len(r.model.Questions()), f)
			})
		}
		t.Run("nobody there", func(t *testing.T) {
			r := newReal(t, kind, program.Options{}, always(programtest.Answer{}))
			r.model.Close()
			if f := fails(t, t.Context(), r, agent.Unavailable); !f.Retry {
				t.Errorf("%+v", f)
			}
		})
	})
}

// TestRealHangs: neither of them ends by itself.
func TestRealHangs(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		for name, answer := range map[string]programtest.Answer{
			"before it begins": {Hang: true}, "in the middle": {Text: story(), Stall: true},
		} {
			t.Run(name, func(t *testing.T) {
				wall := map[string]time.Duration{program.Codex: 4 * time.Second, program.Gemini: 10 * time.Second}[kind]
				r := newReal(t, kind, program.Options{Wall: wall}, always(answer))
				_ = fails(t, t.Context(), r, agent.TimedOut)
				until(t, "its connection is closed", func() bool { return r.model.Gone() > 0 })
			})
		}
	})
}

// TestRealStops: a program that is told to end does, with the shell that its model
// has started.
func TestRealStops(t *testing.T) {
	r := newReal(t, program.Codex, program.Options{}, func(q programtest.Question) programtest.Answer {
		if q.Tools == 0 {
			return programtest.Answer{Tool: "exec_command", Args: map[string]any{"cmd": "sleep 1234", "yield_time_ms": 1}}
		}
		return programtest.Answer{Hang: true}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ends := make(chan error, 1)
	go func() {
		_, err := r.Ask(ctx, call("ask"))
		ends <- err
	}()
	until(t, "the shell runs and the model was asked again", func() bool {
		return len(r.model.Questions()) == 2 && strings.Contains(strings.Join(r.left(t), "\n"), "sleep 1234")
	})
	cancel()
	if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != agent.Stopped { //nolint:errorlint // the contract wants the very type
		t.Errorf("%+v", f)
	}
}

// TestRealKills: kill -9 of who asks ends the program, too; and an answer that was
// there is adopted.
func TestRealKills(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		r := newReal(t, kind, program.Options{}, func(q programtest.Question) programtest.Answer {
			return programtest.Answer{Hang: q.N == 1, Text: wanted}
		})
		tr := &trial{Program: r.Program, options: r.options}
		_, kill := tr.asker(t)
		until(t, "the model is asked", func() bool { return len(r.model.Questions()) == 1 })
		kill()
		until(t, "its connection is closed", func() bool { return r.model.Gone() == 1 })
		answered, kill := tr.asker(t)
		until(t, "the answer is there", answered)
		kill()
		answers(t, r, wanted)
		if n := len(r.model.Questions()); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}
