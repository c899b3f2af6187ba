package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program/supervisor"
	"brenner/internal/fault"
)

// Plan describes how the program would be run.
type Plan struct {
	Kind    string   `json:"kind"`
	Found   bool     `json:"found"`
	Argv    []string `json:"argv"`           // the exact command line
	Env     []string `json:"env"`            // names of the variables that it sees
	Dir     string   `json:"folder"`         // its working directory, created empty for each run
	Install string   `json:"hint,omitempty"` // how to install it, if it was not found
}

// Plan returns the command line and the names of the variables that would be used.
func (p *Program) Plan() Plan {
	argv, found := p.argv()
	base := p.WorkDir
	if base == "" {
		base = os.TempDir()
	}
	at := runDirsIn(filepath.Join(base, privatePrefix+"*"))
	plan := Plan{Kind: p.Kind, Found: found, Argv: argv, Dir: at.work}
	for _, pair := range p.environment(at) {
		name, _, _ := strings.Cut(pair, "=")
		plan.Env = append(plan.Env, name)
	}
	plan.Env = append(plan.Env, supervisor.MarkVariable)
	slices.Sort(plan.Env)
	if !found {
		_, plan.Install = p.Problem()
	}
	return plan
}

// Problem returns why a program that was not found cannot be run, and what to do about it.
func (p *Program) Problem() (why, hint string) {
	argv, _ := p.argv()
	if info, err := os.Stat(argv[0]); err == nil && strings.ContainsRune(argv[0], '/') && info.Mode().IsRegular() {
		return "not executable", "run `chmod +x " + Plan{Argv: argv[:1]}.CommandLine() + "`"
	}
	return "not found", p.kind.install
}

// CommandLine returns the command line, quoted for a shell.
func (p Plan) CommandLine() string {
	args := make([]string, len(p.Argv))
	for i, arg := range p.Argv {
		if args[i] = arg; arg == "" || strings.ContainsFunc(arg, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+", r)
		}) {
			args[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(args, " ")
}

// How a program is logged in, as far as this is known without running it.
const (
	LoginKey     = "key"     // a variable holds a key, which may be invalid
	LoginFile    = "login"   // the user has logged in; the login may have expired
	LoginNone    = "none"    // not logged in
	LoginUnknown = "unknown" // a user's command, or an endpoint that may not require a key
)

// Login returns how the program is logged in, with details or a hint.
func (p *Program) Login() (state, detail string) {
	if name, _ := p.key(); name != "" && (!p.configured || !p.usesLogin()) {
		return LoginKey, "key in " + name
	}
	if p.Kind == Command {
		return LoginUnknown, "a user's own command; not checked"
	}
	if p.BaseURL != "" {
		return LoginUnknown, "no key; " + p.BaseURL + " may not require one"
	}
	if len(p.Pass) > 0 && !p.configured {
		return LoginUnknown, "no key; it may log in with " + strings.Join(p.Pass, ", ")
	}
	if dir := p.loginDir(); dir != "" {
		for _, name := range p.kind.logins[:min(1, len(p.kind.logins))] {
			if path := filepath.Join(dir, name); exists(path) {
				return LoginFile, "login in " + path
			}
		}
	}
	if p.otherProvider() {
		return LoginUnknown, "no key; " + p.provider() + " may not require one"
	}
	if p.Kind == Claude && runtime.GOOS == "darwin" {
		return LoginUnknown, "no key; a login in the keychain is not checked"
	}
	return LoginNone, p.kind.login
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// versionTimeout limits a run with --version.
const versionTimeout = 20 * time.Second

// Version returns the first line of the program's --version. A user's own command
// is not run, because its effects are unknown.
func (p *Program) Version(ctx context.Context) (string, error) {
	if p.Kind == Command {
		return "", nil
	}
	argv, found := p.argv()
	if !found {
		return "", p.missing()
	}
	scratch, err := OpenScratch(p.WorkDir)
	if err != nil {
		return "", err
	}
	defer scratch.Close()
	at := runDirsIn(scratch.Dir)
	mark, err := supervisor.Mark(at.root)
	if err = errors.Join(err, p.populate(at)); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	argv = append(slices.Clone(argv[:len(argv)-len(p.kind.args(p))]), "--version")
	var out, errs bytes.Buffer // pi writes it to stderr
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = at.work, append(p.environment(at), mark)
	cmd.Stdout, cmd.Stderr = &limited{buffer: &out, left: longestPartial}, &limited{buffer: &errs, left: longestPartial}
	supervisor.KillGroupOnCancel(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", agent.ContextFailure(ctx)
		}
		return "", &agent.Failure{Code: Failed, Detail: fault.Shown(argv[0]) + ": cannot determine version", Hint: p.kind.install, Cause: err}
	}
	for line := range strings.Lines(out.String() + "\n" + errs.String()) {
		if line = p.hide.shown(line); line != "" {
			return strings.Replace(line, ", version ", " ", 1), nil // as llm writes it
		}
	}
	return "", &agent.Failure{Code: Failed, Detail: fault.Shown(argv[0]) + ": cannot determine version", Hint: p.kind.install}
}

// limited keeps the beginning of its input.
type limited struct {
	buffer *bytes.Buffer
	left   int
}

func (l *limited) Write(data []byte) (int, error) {
	keep := min(l.left, len(data))
	l.left -= keep
	_, err := l.buffer.Write(data[:keep])
	return len(data), errors.Join(err)
}
