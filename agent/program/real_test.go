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

const realAnswer = "Ja: e\u0301, 👩‍🔬 & \"so on\".\n\n```delta\n{\"operation\": \"ADD\"}\n```\n"

// realProgram is a real program that asks a test model.
type realProgram struct {
	*program.Program
	model   *programtest.Model
	options program.Options
	tries   int // for the last question
}

// Ask retries like a session: on a busy machine gemini 0.61.0 sometimes asks its
// model and exits with code 0 and no output.
func (r *realProgram) Ask(ctx context.Context, c agent.Call) (reply agent.Reply, err error) {
	for r.tries = 1; ; r.tries++ {
		reply, err = r.Program.Ask(ctx, c)
		var f *agent.Failure
		if r.options.Kind != program.Gemini || r.tries == 3 || !errors.As(err, &f) || f.Code != program.NoAnswer {
			return reply, err
		}
	}
}

// newReal makes an agent of a kind with the real program.
func newReal(t *testing.T, kind string, o program.Options, answer func(programtest.Question) programtest.Answer) *realProgram {
	t.Helper()
	dir := os.Getenv("BRENNER_REAL_CLIENTS")
	if dir == "" {
		t.Fatal("set BRENNER_REAL_CLIENTS to the directory where scripts/real-clients.sh installed the programs")
	}
	r := &realProgram{model: programtest.NewModel(t, answer)}
	o.Kind, o.Model, o.BaseURL, o.KeyEnv = kind, "double-model", r.model.URL, "REAL_TEST_KEY"
	if kind != program.Gemini {
		o.BaseURL += "/v1"
	}
	o.Spool, o.WorkDir = t.TempDir(), t.TempDir()
	// They must not reach the network.
	o.Environ = []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + filepath.Join(dir, "node_modules", ".bin") + ":/usr/local/bin:/usr/bin:/bin", "REAL_TEST_KEY=sk-real-0123456789abcdef",
		"HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1", "GORACE=atexit_sleep_ms=0", "LANG=C.UTF-8",
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

// left returns the processes with our private directory in their environment.
func (r *realProgram) left(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, path := range files(t, "/proc", "[0-9]*/environ") {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), r.options.WorkDir) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it may have exited
			left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return left
}

// story returns a long text without repetition, which gemini would detect.
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
	for _, kind := range append([]string{program.Codex, program.Gemini}, described()...) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			want := program.Tested(kind)
			r := newReal(t, kind, program.Options{}, always(programtest.Answer{}))
			got, err := r.Version(t.Context())
			if err != nil || !strings.HasSuffix(" "+got, " "+want) {
				t.Errorf("got %q, %v; want %s", got, err, want)
			}
			t.Logf("%s: %s", got, r.Plan().CommandLine())
		})
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
			t.Errorf("got %+v with %d signs of life, want %+v", reply, signs, want)
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

// Text between tool calls is not part of the reply.
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
		// The same, endlessly.
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
			"server error": {programtest.Answer{Status: 500}, agent.Unavailable, true},
			"rate limit":   {programtest.Answer{Status: 429}, agent.RateLimited, true},
			"no key":       {programtest.Answer{Status: 401}, agent.NoAuth, false},
			"refused":      {programtest.Answer{Status: 400}, agent.Refused, false},
			"blank":        {programtest.Answer{}, agent.Empty, true},
			"repetition":   {programtest.Answer{Text: strings.Repeat("and so on ", 2000)}, "", false},
			"cut":          {programtest.Answer{Text: story(), Cut: true}, agent.Cut, true},
		} {
			t.Run(name, func(t *testing.T) {
				r := newReal(t, kind, program.Options{}, always(test.answer))
				if test.want == "" && kind == program.Codex {
					answers(t, r, test.answer.Text) // codex does not detect it
					return
				}
				if test.want == "" {
					test.want = program.TurnLimit // gemini reports "success"
				}
				f := fails(t, t.Context(), r, test.want)
				if f.Retry != test.retry || f.Hint == "" && f.Code != agent.Empty {
					t.Errorf("%+v", f)
				}
				t.Logf("%d requests: %v", len(r.model.Questions()), f)
			})
		}
		t.Run("unreachable", func(t *testing.T) {
			r := newReal(t, kind, program.Options{}, always(programtest.Answer{}))
			r.model.Close()
			if f := fails(t, t.Context(), r, agent.Unavailable); !f.Retry {
				t.Errorf("%+v", f)
			}
		})
	})
}

// Neither program exits by itself.
func TestRealHangs(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		for name, answer := range map[string]programtest.Answer{
			"before it begins": {Hang: true}, "in the middle": {Text: story(), Stall: true},
		} {
			t.Run(name, func(t *testing.T) {
				wall := map[string]time.Duration{program.Codex: 4 * time.Second, program.Gemini: 10 * time.Second}[kind]
				r := newReal(t, kind, program.Options{Wall: wall}, always(answer))
				_ = fails(t, t.Context(), r, agent.TimedOut)
				until(t, "the connection is closed", func() bool { return r.model.Disconnects() > 0 })
			})
		}
	})
}

// A stopped program ends together with the shell that its model started.
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
	if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != agent.Stopped { //nolint:errorlint // the contract requires this type, unwrapped
		t.Errorf("%+v", f)
	}
}

// kill -9 of the asking process ends the program; a finished reply is adopted.
func TestRealKills(t *testing.T) {
	eachReal(t, func(t *testing.T, kind string) {
		r := newReal(t, kind, program.Options{}, func(q programtest.Question) programtest.Answer {
			return programtest.Answer{Hang: q.N == 1, Text: wanted}
		})
		tr := &trial{Program: r.Program, options: r.options}
		_, kill := tr.asker(t)
		until(t, "the model is asked", func() bool { return len(r.model.Questions()) == 1 })
		kill()
		until(t, "the connection is closed", func() bool { return r.model.Disconnects() == 1 })
		answered, kill := tr.asker(t)
		until(t, "the reply is stored", answered)
		kill()
		answers(t, r, wanted)
		if n := len(r.model.Questions()); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}

// The programs that are described as data: a long question arrives whole, the reply is verbatim,
// their counts are read, and a rejected key is recognized.
func TestRealDescribed(t *testing.T) {
	tools := map[string]programtest.Answer{
		program.OpenCode: {Text: "Let me see. ", Tool: "glob", Args: map[string]any{"pattern": "*"}},
		program.Qwen:     {Text: "Let me see. ", Tool: "read_file", Args: map[string]any{"file_path": "/none"}},
		program.Cline:    {Text: "Let me see. ", Tool: "read_files", Args: map[string]any{"files": []map[string]any{{"path": "/none"}}}},
		program.Pi:       {Text: "Let me see. ", Tool: "ls", Args: map[string]any{"path": "."}},
	}
	answer := realAnswer + "\n" + story()[:1200] + "\n" // a terminal would break this line
	for _, kind := range described() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := call("ask")
			c.Turns[0].Text = "What is it? " + strings.Repeat("A long story. ", 20000) + "End."
			r := newReal(t, kind, program.Options{}, func(q programtest.Question) programtest.Answer {
				if a, ok := tools[kind]; ok && q.Tools == 0 {
					return a
				}
				return programtest.Answer{Text: answer}
			})
			reply, err := r.Ask(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			want := agent.Reply{Text: answer, Model: "double-model", Usage: agent.Usage{Input: 5000, Output: 9}, Attempts: 1}
			switch kind {
			case program.Continue:
				want.Usage = reply.Usage // its own estimate
				want.Usage.Guessed = true
			case program.Aider:
				want.Usage.Guessed = true
			}
			asked := r.model.Questions()
			if _, ok := tools[kind]; ok {
				want.Usage = agent.Usage{Input: 10000, Output: 18}
			}
			if want.Text = strings.TrimSpace(want.Text); strings.TrimSpace(reply.Text) != want.Text {
				t.Errorf("got %q, want %q", reply.Text, want.Text)
			}
			if reply.Text = want.Text; reply != want {
				t.Errorf("got %+v, want %+v", reply, want)
			}
			if !strings.Contains(asked[0].Text, c.Turns[0].Text) || asked[0].Model != "double-model" || asked[0].Header.Get("Authorization") != "Bearer sk-real-0123456789abcdef" {
				t.Errorf("%d questions, with %v: %.1000s", len(asked), asked[0].Header, asked[0].Text)
			}
			t.Logf("%d questions; offered %q", len(asked), asked[0].Offered)

			r = newReal(t, kind, program.Options{}, always(programtest.Answer{Status: 401}))
			t.Log(fails(t, t.Context(), r, agent.NoAuth))
		})
	}
}

// With the user's own configuration, Continue starts no tool server of it, and offers its model no tools that change anything.
func TestRealContinueOwnModels(t *testing.T) {
	home, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	r := newReal(t, program.Continue, program.Options{}, always(programtest.Answer{Text: wanted}))
	config := fmt.Sprintf("models: [{name: M, provider: openai, model: double-model, apiBase: %s/v1, apiKey: k, roles: [chat], capabilities: [tool_use]}]\n"+
		"mcpServers: [{name: danger, command: touch, args: [%s]}]\n", r.model.URL, ran)
	if err := os.MkdirAll(filepath.Join(home, ".continue"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".continue", "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	o := r.options
	o.Home, o.KeyEnv, o.BaseURL = home, "", ""
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	answers(t, p, wanted)
	asked := r.model.Questions()
	t.Logf("offered %q", asked[0].Offered)
	if exists(ran) || strings.Contains(strings.ToLower(fmt.Sprint(asked[0].Offered)), "bash") {
		t.Errorf("the tool server ran: %v; offered %q", exists(ran), asked[0].Offered)
	}
}

// Programs that repeat failed requests, and replies that end early: the cause is named after few requests.
func TestRealRepeats(t *testing.T) {
	answer := programtest.Answer{Text: story()[:1200]}
	early, limited := answer, answer
	early.Finish, limited.Finish = programtest.NoFinish, "length"
	for _, test := range []struct {
		kind   string
		answer programtest.Answer
		want   fault.Code
	}{
		{program.Qwen, programtest.Answer{Status: 429}, agent.RateLimited},
		{program.Qwen, programtest.Answer{Status: 500}, agent.Unavailable},
		{program.Continue, programtest.Answer{Status: 429}, agent.RateLimited},
		{program.Aider, programtest.Answer{Status: 429}, agent.RateLimited},
		{program.OpenCode, early, agent.Cut},
		{program.OpenCode, limited, agent.Cut},
		{program.Pi, limited, agent.Cut},
		{program.Cline, limited, agent.Cut},
		{program.Aider, limited, agent.Cut},
	} {
		t.Run(fmt.Sprint(test.kind, test.answer.Status, test.answer.Finish), func(t *testing.T) {
			t.Parallel()
			r := newReal(t, test.kind, program.Options{}, always(test.answer))
			f := fails(t, t.Context(), r, test.want)
			if n := len(r.model.Questions()); n > 16 {
				t.Errorf("%d requests", n)
			}
			t.Logf("%d requests: %v", len(r.model.Questions()), f)
		})
	}
}
