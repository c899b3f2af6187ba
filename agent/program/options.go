// Package program implements agents that are command line programs: codex, gemini,
// claude, seven that profiles describe as data, or any command that the configuration names.
//
// It promises: a reply is a program's final message, whatever its exit code; each
// program runs in private directories, with a chosen environment, under a supervisor
// that leaves nothing behind; an answered call is not made again, even if the
// caller died before the reply; and known misbehaviour is an *agent.Failure with a hint.
//
// It must not know what is asked, when to retry, or whether the project may name a
// command.
package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program/supervisor"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// Kinds of programs.
const (
	Codex    = "codex-cli"
	Gemini   = "gemini-cli"
	Claude   = "claude-code"
	OpenCode = "opencode"
	Qwen     = "qwen-code"
	Continue = "continue"
	Cline    = "cline"
	Aider    = "aider"
	LLM      = "llm"
	Pi       = "pi"
	Command  = "command" // any command line: question on stdin, reply on stdout
)

// SupervisorMarker is the first argument of a supervisor process: see SupervisorMain.
const SupervisorMarker = supervisor.Marker

// SupervisorMain is the main function of a process started with SupervisorMarker.
// It takes the arguments after the marker and returns the exit code.
func SupervisorMain(args []string) int { return supervisor.Main(args) }

// InvalidSetup is the code of invalid Options.
const InvalidSetup fault.Code = "PROGRAM_SETUP_INVALID" // Invalid settings for a program; nothing was started.

const (
	defaultWall      = 30 * time.Minute
	defaultGrace     = 2 * time.Second
	defaultTurns     = 50
	defaultMaxOutput = 16 << 20
	maxOutputLimit   = 1 << 30
)

// Options configure a program. Kind and Spool are required.
type Options struct {
	Kind string
	// Command is the command to run. For a known kind it replaces the program
	// ("codex", or "node", "gemini.js"); for Command it is the complete command line.
	Command []string
	Model   string // as the program names it
	BaseURL string // of the model; empty leaves it to the program

	// Environ is the environment to choose from, as returned by os.Environ.
	Environ []string `json:"-"`
	KeyEnv  string   // the variable that holds the key; empty means those of the kind
	Pass    []string // further variables for the program; their values are secrets
	// Home is the user's home with the logins of programs; empty means no logins. A
	// program sees only its own login.
	Home string

	Spool   string // where runs are stored, to be adopted after a crash
	WorkDir string // parent of private directories; empty means the system's temporary directory

	Wall      time.Duration // time limit of a run; 0 means 30 minutes
	Grace     time.Duration // between the polite signal and SIGKILL; 0 means 2 s
	Turns     int           // limit of turns with tools; 0 means 50
	MaxOutput int64         // limit of output bytes; 0 means 16 MiB

	Count      func(string) int `json:"-"` // counts tokens if the program does not report them; nil estimates
	Supervisor []string         // the supervisor's command; empty means this binary
}

// String returns the options without secrets.
func (o Options) String() string { return o.Kind + " " + o.Model }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// Kinds returns the kinds of programs.
func Kinds() []string {
	return []string{Codex, Gemini, Claude, OpenCode, Qwen, Continue, Cline, Aider, LLM, Pi, Command}
}

// Executable returns the program that a kind runs, or "" for a user's own command.
func Executable(kind string) string { return kindOf(kind).program }

// Tested returns the version of a kind's program that the tests run, or "".
func Tested(kind string) string { return kindOf(kind).tested }

// Found returns the known kinds whose program is in a directory of path, as in the variable PATH.
func Found(path string) []string {
	return slices.DeleteFunc(Kinds(), func(kind string) bool {
		_, ok := lookPath(Executable(kind), path)
		return kind == Command || !ok
	})
}

// Program is an agent that runs a program.
type Program struct {
	Options
	kind       kind
	hide       secrets
	guessing   bool     // tokens are estimated, not counted
	configured bool     // the user's login file has the model
	login      []string // variables that the login file names
}

// New makes an agent. It starts nothing: a missing program fails when it is asked.
func New(o Options) (*Program, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	guessing := o.Count == nil
	if o.Wall == 0 {
		o.Wall = defaultWall
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Turns == 0 {
		o.Turns = defaultTurns
	}
	if o.MaxOutput == 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.Count == nil {
		o.Count = agent.EstimateTokens
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	p := &Program{Options: o, kind: kindOf(o.Kind), guessing: guessing}
	if p.kind.trim != nil {
		p.readContinue()
	}
	p.hide = secretsOf(p)
	return p, nil
}

// check reports all errors.
func (o *Options) check() error {
	var l fault.List
	wrong := func(hint, format string, args ...any) { l.Add(InvalidSetup, "", hint, format, args...) }
	if !slices.Contains(Kinds(), o.Kind) {
		wrong(text.SuggestOf(o.Kind, Kinds(), "known kinds: "+strings.Join(Kinds(), ", ")),
			"unknown kind of program: %s", fault.Shown(o.Kind))
	}
	if o.Kind == Command && (len(o.Command) == 0 || o.Command[0] == "") || slices.Contains(o.Command[:min(1, len(o.Command))], "") {
		wrong("use a list of arguments, the program first", "empty command line")
	}
	if slices.ContainsFunc(o.Command, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		wrong("", "command line contains NUL bytes")
	}
	o.checkModel(wrong)
	o.checkURL(wrong)
	if !filepath.IsAbs(o.Spool) {
		wrong("", "the directory for runs must be an absolute path")
	}
	if o.WorkDir != "" && !filepath.IsAbs(o.WorkDir) {
		wrong("", "the directory for private directories must be an absolute path")
	}
	if o.Wall < 0 || o.Grace < 0 || o.Turns < 0 || o.MaxOutput < 0 || o.MaxOutput > maxOutputLimit {
		wrong("use 0 for the default", "limit out of range")
	}
	return l.Err()
}

func (o *Options) checkModel(wrong func(hint, format string, args ...any)) {
	if strings.ContainsFunc(o.Model, func(r rune) bool { return r <= ' ' }) || strings.HasPrefix(o.Model, "-") {
		wrong("use the program's own name for the model", "invalid model name %s", fault.Shown(o.Model))
	}
	if o.Kind == Gemini && o.Model == "" {
		wrong("pass --model, or set the model's id in agents.models", "gemini requires a model: without one it asks another model which to use, and may hang")
	}
	if _, described := profiles()[o.Kind]; described && o.Model == "" && o.BaseURL != "" {
		wrong("pass --model, or set the model's id in agents.models", "%s requires a model for its base URL", o.Kind)
	}
}

func (o *Options) checkURL(wrong func(hint, format string, args ...any)) {
	if o.BaseURL == "" {
		return
	}
	if o.Kind == Command {
		wrong("pass the address in the command line", "a command does not support a base URL")
	}
	if !baseurl.Valid(o.BaseURL) {
		wrong(baseurl.Hint, "invalid base URL")
	}
}

// argv returns the command line. If the program was not found, it returns false, and
// the program's bare name comes first.
func (p *Program) argv() ([]string, bool) {
	command := p.Command
	if len(command) == 0 {
		command = []string{p.kind.program}
	}
	path, ok := lookPath(command[0], p.lookup("PATH"))
	if !ok {
		path = command[0]
	}
	if p.Kind == Codex && len(command) == 1 {
		path = nativeCodex(path)
	}
	argv := append([]string{path}, command[1:]...)
	return append(argv, p.kind.args(p)...), ok
}

// lookPath finds a program as a shell does, but never in the current directory.
func lookPath(name, path string) (string, bool) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		abs, err := filepath.Abs(name)
		return abs, err == nil && executable(abs)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ext := range extensions() {
			if file := filepath.Join(dir, name+ext); executable(file) {
				return file, true
			}
		}
	}
	return "", false
}

func extensions() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat", ""}
	}
	return []string{""}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// nativeCodex finds the binary behind npm's wrapper for codex: one process instead of
// two, and none that survives when the wrapper is killed.
func nativeCodex(path string) string {
	script, err := filepath.EvalSymlinks(path)
	if err != nil || filepath.Base(script) != "codex.js" {
		return path
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pkg := filepath.Dir(filepath.Dir(script)) // …/@openai/codex
	name := "codex-" + runtime.GOOS + "-" + arch
	for _, dir := range []string{
		filepath.Join(filepath.Dir(pkg), name), filepath.Join(pkg, "node_modules", "@openai", name), pkg,
	} {
		found, err := filepath.Glob(filepath.Join(dir, "vendor", "*", "bin", "codex"))
		if err == nil && len(found) == 1 && executable(found[0]) {
			return found[0]
		}
	}
	return path
}
