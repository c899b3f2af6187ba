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

// Plan is what would run, for whoever wants to look at it before.
type Plan struct {
	Kind    string   `json:"kind"`
	Found   bool     `json:"found"`
	Argv    []string `json:"argv"`           // the exact command line
	Env     []string `json:"env"`            // the names of the variables that it sees
	Folder  string   `json:"folder"`         // where it runs: an empty folder, made and removed each time
	Install string   `json:"hint,omitempty"` // how to get it, where it was not found
}

// Plan gives the exact command line and the names of the variables that would run.
func (p *Program) Plan() Plan {
	argv, found := p.argv()
	base := p.WorkDir
	if base == "" {
		base = os.TempDir()
	}
	at := placesIn(filepath.Join(base, "brenner-program-*"))
	plan := Plan{Kind: p.Kind, Found: found, Argv: argv, Folder: at.work}
	for _, pair := range p.environment(at) {
		name, _, _ := strings.Cut(pair, "=")
		plan.Env = append(plan.Env, name)
	}
	if !found {
		plan.Install = p.kind.install
	}
	return plan
}

// CommandLine gives the command line as a shell would take it.
func (p Plan) CommandLine() string {
	words := make([]string, len(p.Argv))
	for i, w := range p.Argv {
		if words[i] = w; w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+", r)
		}) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// How a program is logged in, as far as that can be told without a call.
const (
	LoginKey     = "key"     // a variable holds a key; whether it is accepted, a call will show
	LoginFile    = "login"   // the user has logged in once; it may have expired
	LoginNone    = "none"    // it will not be able to ask anybody
	LoginUnknown = "unknown" // it is a command of the user's own, or has an endpoint that may want no key
)

// Login tells how the program is logged in, and what to do about it.
func (p *Program) Login() (state, detail string) {
	if name, _ := p.key(); name != "" {
		return LoginKey, "the key in " + name
	}
	if p.Kind == Command {
		return LoginUnknown, "a command of one's own: only a call would show"
	}
	if p.BaseURL != "" {
		return LoginUnknown, "no key: " + p.BaseURL + " may want none"
	}
	if len(p.Pass) > 0 {
		return LoginUnknown, "no key; it may log in with what is in " + strings.Join(p.Pass, ", ")
	}
	if dir := p.loginFolder(); dir != "" {
		if path := filepath.Join(dir, p.kind.logins[0]); exists(path) {
			return LoginFile, "the login in " + path
		}
	}
	if p.Kind == Claude && runtime.GOOS == "darwin" {
		return LoginUnknown, "no key; a login would be in the keychain, which is not asked"
	}
	return LoginNone, p.kind.login
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mostForVersion is how long a program may think about its own version.
const mostForVersion = 15 * time.Second

// Version asks the program for its version: its own words, in one line. A command
// of the user's own is not asked: nobody knows what it would do.
func (p *Program) Version(ctx context.Context) (string, error) {
	if p.Kind == Command {
		return "", nil
	}
	argv, found := p.argv()
	if !found {
		return "", p.missing()
	}
	at, err := p.prepare()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(at.root) //nolint:errcheck // a temporary folder
	ctx, cancel := context.WithTimeout(ctx, mostForVersion)
	defer cancel()
	argv = append(slices.Clone(argv[:len(argv)-len(p.kind.args(p))]), "--version")
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = at.work, p.environment(at), &limited{buffer: &out, left: longestPartial}
	supervisor.Together(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", agent.Ended(ctx)
		}
		return "", &agent.Failure{Code: Failed, Detail: fault.Shown(argv[0]) + " does not tell its version", Hint: p.kind.install, Cause: err}
	}
	for line := range strings.Lines(out.String()) {
		if line = p.hide.shown(line); line != "" {
			return line, nil
		}
	}
	return "", &agent.Failure{Code: Failed, Detail: fault.Shown(argv[0]) + " does not tell its version", Hint: p.kind.install}
}

// limited keeps the beginning of what is written.
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
