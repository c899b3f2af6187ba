package program_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/program"
)

// script writes a shell script.
func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
}

func newProgram(t *testing.T, o program.Options) *program.Program {
	t.Helper()
	o.Spool, o.WorkDir = t.TempDir(), t.TempDir()
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := files(t, o.WorkDir, "*"); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return p
}

func TestVersion(t *testing.T) {
	bin := t.TempDir()
	script(t, filepath.Join(bin, "codex"), `echo; echo "codex-cli 1.2.3 $*"; echo more`)
	script(t, filepath.Join(bin, "gemini"), `echo $$ >"$BIN/pid"; sleep 1234 & wait`)
	script(t, filepath.Join(bin, "claude"), `exit 3`)
	o := program.Options{Kind: program.Codex, Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "BIN=" + bin}, Pass: []string{"BIN"}}
	if got, err := newProgram(t, o).Version(t.Context()); got != "codex-cli 1.2.3 --version" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	o.Kind, o.Model = program.Gemini, "m"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, ends := newProgram(t, o), make(chan error, 1)
	go func() {
		_, err := p.Version(ctx)
		ends <- err
	}()
	until(t, "--version is running", func() bool {
		data, err := os.ReadFile(filepath.Join(bin, "pid"))
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	cancel()
	if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != agent.Stopped { //nolint:errorlint // the contract requires this type, unwrapped
		t.Errorf("%+v", f)
	}
	o.Kind = program.Claude
	if got, err := newProgram(t, o).Version(t.Context()); err == nil {
		t.Errorf("%q", got)
	}
	o.Environ = nil
	if got, err := newProgram(t, o).Version(t.Context()); err == nil {
		t.Errorf("%q", got)
	}
	o.Kind, o.Command = program.Command, []string{"/bin/false"}
	if got, err := newProgram(t, o).Version(t.Context()); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLogin(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	script(t, filepath.Join(home, ".codex", "auth.json"), "")
	script(t, filepath.Join(elsewhere, ".credentials.json"), "")
	for _, test := range []struct {
		options       program.Options
		state, detail string
	}{
		{program.Options{Kind: program.Codex, Home: home}, program.LoginFile, "auth.json"},
		{program.Options{Kind: program.Codex, Home: home, Environ: []string{"OPENAI_API_KEY=k"}}, program.LoginKey, "OPENAI_API_KEY"},
		{program.Options{Kind: program.Codex, KeyEnv: "MINE", Environ: []string{"OPENAI_API_KEY=k"}}, program.LoginNone, "codex login"},
		{program.Options{Kind: program.Codex, BaseURL: "http://localhost"}, program.LoginUnknown, "http://localhost"},
		{program.Options{Kind: program.Gemini, Model: "m", Home: home}, program.LoginNone, "GEMINI_API_KEY"},
		{program.Options{Kind: program.Gemini, Model: "m", Pass: []string{"VERTEX"}}, program.LoginUnknown, "VERTEX"},
		{program.Options{Kind: program.Claude, Environ: []string{"CLAUDE_CONFIG_DIR=" + elsewhere}}, program.LoginFile, elsewhere},
		{program.Options{Kind: program.Command, Command: []string{"cat"}}, program.LoginUnknown, "own"},
	} {
		state, detail := newProgram(t, test.options).Login()
		if state != test.state || !strings.Contains(detail, test.detail) {
			t.Errorf("%+v: %s, %s", test.options, state, detail)
		}
	}
	bin := t.TempDir()
	script(t, filepath.Join(bin, "gemini"), "exit 1")
	p := newProgram(t, program.Options{Kind: program.Gemini, Model: "m", Environ: []string{"PATH=" + bin}})
	wantIn(t, fails(t, t.Context(), p, agent.NoAuth).Hint, "GEMINI_API_KEY")
}

// A program sees only its login, and may renew it.
func TestProgramSeesOnlyItsLogin(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	script(t, filepath.Join(home, ".codex", "auth.json"), "the login")
	script(t, filepath.Join(home, ".codex", "config.toml"), "model = no")
	script(t, filepath.Join(bin, "codex"), `tail -n 1 "$CODEX_HOME/auth.json" >text; echo renewed >"$CODEX_HOME/auth.json"
printf '{"type":"item.completed","item":{"type":"agent_message","text":"%s, %s"}}\n{"type":"turn.completed"}\n' "$(cat text)" "$(ls -A "$CODEX_HOME")"`)
	p := newProgram(t, program.Options{Kind: program.Codex, Home: home, Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}})
	answers(t, p, "the login, auth.json")
	if data, err := os.ReadFile(filepath.Join(home, ".codex", "auth.json")); err != nil || string(data) != "renewed\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// The binary behind npm's wrapper is run directly.
func TestNativeCodex(t *testing.T) {
	dir := t.TempDir()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	wrapper := filepath.Join(dir, "node_modules", "@openai", "codex", "bin", "codex.js")
	native := filepath.Join(dir, "node_modules", "@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", "some-triple", "bin", "codex")
	script(t, wrapper, "")
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(wrapper, filepath.Join(bin, "codex")); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, program.Options{Kind: program.Codex, Environ: []string{"PATH=relative:" + bin}})
	if got := p.Plan().Argv[0]; got != filepath.Join(bin, "codex") {
		t.Error(got)
	}
	script(t, native, "")
	got, err := filepath.EvalSymlinks(p.Plan().Argv[0])
	want, err2 := filepath.EvalSymlinks(native)
	if got != want || err != nil || err2 != nil {
		t.Error(got, err, err2)
	}
}
