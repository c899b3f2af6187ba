package program_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
	"brenner/internal/fault"
)

// each runs a test for every kind of program.
func each(t *testing.T, run func(t *testing.T, kind string)) {
	t.Helper()
	for _, kind := range program.Kinds() {
		t.Run(kind, func(t *testing.T) { run(t, kind) })
	}
}

const wanted = "It is a signal.\n"

func TestReplies(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		tr := newTrial(t, kind, program.Options{}, []string{wanted}, programtest.Answers)
		reply := answers(t, tr, wanted)
		models := map[string]string{program.Gemini: "double-gemini", program.Claude: "double-claude"}
		usage := agent.Usage{Input: 4958, Output: 7}
		switch kind {
		case program.Command, program.Continue: // they report none
			usage = agent.Usage{Input: 3, Output: 4, Guessed: true}
		case program.Aider: // rounds it
			usage = agent.Usage{Input: 5000, Output: 7, Guessed: true}
		}
		if want := (agent.Reply{Text: wanted, Model: cmp.Or(models[kind], "double-model"), Usage: usage, Attempts: 1}); reply != want {
			t.Errorf("got %+v, want %+v", reply, want)
		}
	})
}

// Neither exit code 0 nor output on stderr is a reply.
func TestNoReply(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		want, plain := program.NoAnswer, []string{program.Command, program.Continue} // their output does not mark its end
		if slices.Contains(plain, kind) {
			want = agent.Empty
		}
		f := fails(t, t.Context(), newTrial(t, kind, program.Options{}, nil, programtest.Silent), want)
		if !f.Retry || f.Attempts != 1 {
			t.Errorf("%+v", f)
		}
		if slices.Contains(plain, kind) {
			want = program.OnStderr
		}
		f = fails(t, t.Context(), newTrial(t, kind, program.Options{}, []string{wanted}, programtest.OnStderr), want)
		wantIn(t, f.Detail, "It is a signal.")
		wantIn(t, f.Partial, "[stderr]\nIt is a signal.")
		if f.Hint == "" {
			t.Error("no hint")
		}
	})
}

func TestHangs(t *testing.T) {
	for _, behaviour := range []string{programtest.Hangs, programtest.HangsDeaf, programtest.OwnSession} {
		t.Run(behaviour, func(t *testing.T) {
			o := program.Options{Wall: 400 * time.Millisecond, Grace: 100 * time.Millisecond}
			tr := newTrial(t, program.Codex, o, nil, behaviour)
			f := fails(t, t.Context(), tr, agent.TimedOut)
			wantIn(t, f.Detail, "400ms")
			if !f.Retry || !f.Usage.Guessed || f.Usage.Input == 0 {
				t.Errorf("%+v", f)
			}
			// The same on cancellation, even if it ignores signals.
			o.Wall = 0
			tr = newTrial(t, program.Gemini, o, nil, behaviour)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ends := make(chan error, 1)
			go func() {
				_, err := tr.Ask(ctx, call("ask"))
				ends <- err
			}()
			mark := map[string]string{programtest.Hangs: "asked", programtest.HangsDeaf: "deaf", programtest.OwnSession: "child"}[behaviour]
			until(t, "the program is running", func() bool { return tr.Count(mark) > 0 })
			cancel()
			if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != agent.Stopped { //nolint:errorlint // the contract requires this type, unwrapped
				t.Errorf("%+v", f)
			}
		})
	}
}

// Processes left behind are killed, wherever they are, and the reply counts.
func TestOrphansAreKilled(t *testing.T) {
	for _, behaviour := range []string{programtest.LeavesChild, programtest.Escapes} {
		t.Run(behaviour, func(t *testing.T) {
			tr := newTrial(t, program.Gemini, program.Options{}, []string{wanted}, behaviour)
			answers(t, tr, wanted)
			if tr.Count("child") != 1 {
				t.Error("no child was started")
			}
		})
	}
	f := fails(t, t.Context(), newTrial(t, program.Codex, program.Options{}, nil, programtest.WrapperDies), program.NoAnswer)
	wantIn(t, f.Detail, "killed leftover processes (1): ")
}

func TestLimits(t *testing.T) {
	for _, kind := range []string{program.Codex, program.Gemini, program.Claude} {
		f := fails(t, t.Context(), newTrial(t, kind, program.Options{Turns: 7}, nil, programtest.Loops), program.TurnLimit)
		wantIn(t, f.Detail, "more than 7 turns")
	}
	for _, behaviour := range []string{programtest.Floods, programtest.FloodsErr} {
		tr := newTrial(t, program.Command, program.Options{MaxOutput: 1 << 20}, nil, behaviour)
		f := fails(t, t.Context(), tr, agent.TooLarge)
		if len(f.Partial) > 200<<10 || len(f.Partial) == 0 {
			t.Errorf("%d bytes of evidence", len(f.Partial))
		}
		for _, name := range files(t, tr.options.Spool, "*/std*") {
			if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	for _, kind := range []string{program.Codex, program.Gemini, program.Claude} {
		f := fails(t, t.Context(), newTrial(t, kind, program.Options{}, nil, programtest.NotLoggedIn), agent.NoAuth)
		wantIn(t, f.Hint, "log", "KEY")
		if f.Retry || f.Usage != (agent.Usage{}) {
			t.Errorf("%+v", f)
		}
	}
	each(t, func(t *testing.T, kind string) {
		f := fails(t, t.Context(), newTrial(t, kind, program.Options{}, nil, programtest.Crashes), program.Failed)
		wantIn(t, f.Detail, "killed")
		if !f.Retry {
			t.Errorf("%+v", f)
		}
	})
	f := fails(t, t.Context(), newTrial(t, program.Command, program.Options{}, nil, "unknown"), program.Failed)
	wantIn(t, f.Detail, "exit code 64", "no such behaviour")
	wantIn(t, f.Hint, "brenner doctor")
	if f.Retry {
		t.Errorf("%+v", f)
	}
}

func TestMissing(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		o := program.Options{Kind: kind, Model: "m", Spool: t.TempDir(), WorkDir: t.TempDir(), Environ: []string{"PATH=" + t.TempDir()}}
		if kind == program.Command {
			o.Command = []string{"no-such-program", "--really"}
		}
		p, err := program.New(o)
		if err != nil {
			t.Fatal(err)
		}
		f := fails(t, t.Context(), p, program.Missing)
		if f.Hint == "" || f.Retry {
			t.Errorf("%+v", f)
		}
		if plan := p.Plan(); plan.Found || plan.Install == "" {
			t.Errorf("%+v", plan)
		}
	})
	// A broken executable is detected by running it.
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("#!/no/such/shell\n"), 0o700); err != nil { //nolint:gosec // it must look like a program
		t.Fatal(err)
	}
	p, err := program.New(program.Options{Kind: program.Command, Command: []string{broken}, Spool: t.TempDir(), WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, fails(t, t.Context(), p, program.Missing).Detail, "cannot start")
}

// A program sees private directories and a chosen environment.
func TestProgramEnvironment(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		o := program.Options{
			Environ: []string{
				"PATH=" + os.Getenv("PATH"), "HOME=/home/user", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "HTTPS_PROXY=http://proxy", "AWS_SECRET_ACCESS_KEY=no",
				"OPENAI_API_KEY=sk-o", "GEMINI_API_KEY=sk-g", "ANTHROPIC_API_KEY=sk-a", "MINE=yes", "OTHER=no", "TMPDIR=/elsewhere",
			},
			Pass: []string{"MINE"},
		}
		tr := newTrial(t, kind, o, nil, programtest.PrintsEnv)
		reply, err := tr.Ask(t.Context(), call("ask"))
		if err != nil {
			t.Fatal(err)
		}
		var saw struct {
			Dir      string
			Files    int
			Env      []string
			Question string
			Args     []string
		}
		if err := json.Unmarshal([]byte(reply.Text), &saw); err != nil {
			t.Fatal(err)
		}
		files := 1 // .git
		if kind == program.Command {
			files = 0
		}
		if saw.Files != files || !strings.HasPrefix(saw.Dir, tr.options.WorkDir) || saw.Question != "What is it?\n" {
			t.Errorf("%+v", saw)
		}
		keys := map[string]string{program.Gemini: "GEMINI_API_KEY=sk-g", program.Claude: "ANTHROPIC_API_KEY=sk-a", program.Command: "none"}
		var names []string
		for _, pair := range saw.Env {
			name, value, _ := strings.Cut(pair, "=")
			names = append(names, name)
			if (name == "HOME" || name == "TMPDIR" || name == "CODEX_HOME" || name == "GEMINI_CLI_HOME" || name == "CLAUDE_CONFIG_DIR" ||
				name == "CONTINUE_GLOBAL_DIR" || name == "LLM_USER_PATH" || name == "PI_CODING_AGENT_DIR") &&
				!strings.HasPrefix(value, tr.options.WorkDir) || value == "no" {
				t.Error(pair)
			}
			if strings.HasSuffix(name, "API_KEY") && pair != cmp.Or(keys[kind], "OPENAI_API_KEY=sk-o") && pair != "CODEX_API_KEY=sk-o" {
				t.Error(pair)
			}
		}
		for _, name := range []string{"LC_ALL", "HTTPS_PROXY", "MINE", "TMPDIR"} {
			if !slices.Contains(names, name) {
				t.Errorf("%s is not in %q", name, names)
			}
		}
		slices.Sort(names)
		names = slices.DeleteFunc(names, func(n string) bool { return n == "PWD" }) // set by exec
		if plan := tr.Plan(); !slices.Equal(plan.Env, names) || !plan.Found {
			t.Errorf("plan has %q, program saw %q", plan.Env, names)
		}
	})
}

func TestSecretsAreMasked(t *testing.T) {
	const canary = "sk-canary-0123456789abcdef"
	each(t, func(t *testing.T, kind string) {
		o := program.Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "SECRET_KEY=" + canary}, Pass: []string{"SECRET_KEY"}}
		tr := newTrial(t, kind, o, nil, programtest.LeaksKey)
		f := fails(t, t.Context(), tr, program.Failed)
		if strings.Contains(f.Error()+f.Hint+f.Partial, canary) || strings.Contains(f.Detail+f.Partial, "\x1b") {
			t.Errorf("%v, %q", f, f.Partial)
		}
		wantIn(t, f.Error()+f.Partial, "[secret]")
		for _, name := range files(t, tr.options.Spool, "*/*") {
			if data, err := os.ReadFile(name); err != nil || strings.Contains(string(data), canary) {
				t.Errorf("%s: %v\n%s", name, err, data)
			}
		}
		reply, err := newTrial(t, kind, o, []string{"It is " + canary + "."}, programtest.Answers).Ask(t.Context(), call("ask"))
		if err != nil || reply.Text != "It is [secret]." {
			t.Errorf("%+v, %v", reply, err)
		}
	})
}

func TestTruncated(t *testing.T) {
	o := program.Options{Count: func(string) int { return 20000 }}
	f := fails(t, t.Context(), newTrial(t, program.Codex, o, []string{wanted}, programtest.Answers), agent.Truncated)
	if f.Retry || f.Usage.Input != 4958 {
		t.Errorf("%+v", f)
	}
}

func TestRepairTurnsAreOneQuestion(t *testing.T) {
	tr := newTrial(t, program.Command, program.Options{}, nil, programtest.PrintsEnv)
	c := call("ask")
	c.Turns = append(c.Turns, agent.Turn{Own: true, Text: "It is."}, agent.Turn{Text: "Please fix it."})
	reply, err := tr.Ask(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, reply.Text, `"question":"What is it?\n\n\n---\n\nYou have answered this:\n\nIt is.\n\n---\n\nPlease fix it."`)
}

func TestUnusableSpool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []program.Options{{Spool: filepath.Join(file, "spool")}, {WorkDir: file, Spool: t.TempDir()}} {
		o.Kind, o.Command = program.Command, []string{"/bin/sh"}
		p, err := program.New(o)
		if err != nil {
			t.Fatal(err)
		}
		_ = fails(t, t.Context(), p, program.BadSpool)
	}
	tr := newTrial(t, program.Command, program.Options{Supervisor: []string{"/no/such/supervisor"}}, nil, programtest.Answers)
	_ = fails(t, t.Context(), tr, program.Lost)
}

func TestNew_InvalidOptions(t *testing.T) {
	spool := t.TempDir()
	for want, o := range map[string]program.Options{
		"did you mean codex-cli":      {Kind: "codex-clli", Spool: spool},
		"the program first":           {Kind: program.Command, Spool: spool},
		"pass --model":                {Kind: program.Gemini, Spool: spool},
		"own name for the model":      {Kind: program.Codex, Model: "--yolo", Spool: spool},
		"write it like http":          {Kind: program.Codex, BaseURL: "localhost", Spool: spool},
		"must be an absolute path":    {Kind: program.Codex, Spool: "runs"},
		"limit out of range":          {Kind: program.Codex, Spool: spool, Turns: -1},
		"does not support a base URL": {Kind: program.Command, Command: []string{"cat"}, BaseURL: "http://localhost", Spool: spool},
		"contains NUL bytes":          {Kind: program.Command, Command: []string{"cat", "\x00"}, Spool: spool},
	} {
		_, err := program.New(o)
		if fault.CodeOf(err) != program.InvalidSetup {
			t.Errorf("%s: %v", want, err)
			continue
		}
		wantIn(t, err.Error()+fault.HintOf(err), want)
	}
	p, err := program.New(program.Options{Kind: program.Codex, Model: "gpt-5", BaseURL: "http://localhost/v1/", Spool: spool})
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, p.Plan().CommandLine(), "codex exec --json", " -m gpt-5 ", `'model_providers.brenner={name="brenner",base_url="http://localhost/v1",`)
}
