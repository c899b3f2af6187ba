// Package program is the kind of agent that is a command line program: codex,
// gemini, claude, or whatever the configuration names.
//
// It promises: a program's answer is its final message, never its exit code; each
// runs in private folders, with an environment that was chosen for it, under a
// supervisor that leaves nothing of it behind; a call that was answered is not put
// again, even if nobody was there to take the answer; and what programs are known
// to do instead of answering is a *agent.Failure that says what to do.
//
// It must not know what is asked, when to ask again, or whether the project may
// name a command: that is for whoever makes the agent.
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

// The kinds of programs.
const (
	Codex   = "codex-cli"
	Gemini  = "gemini-cli"
	Claude  = "claude-code"
	Command = "command" // any command line: the question on stdin, the answer on stdout
)

// SupervisorMarker is the first argument of a process that is a supervisor, and
// not the program that a user has started: see SupervisorMain.
const SupervisorMarker = supervisor.Marker

// SupervisorMain is what a process does that was started with the SupervisorMarker;
// it takes the arguments after that and gives the exit code.
func SupervisorMain(args []string) int { return supervisor.Main(args) }

// InvalidSetup is the code of agents that cannot be made.
const InvalidSetup fault.Code = "PROGRAM_SETUP_INVALID" // Invalid settings for a program; nothing was started.

const (
	defaultWall      = 30 * time.Minute
	defaultGrace     = 2 * time.Second
	defaultTurns     = 50
	defaultMaxOutput = 16 << 20
	mostOutput       = 1 << 30
)

// Options say which program is asked, and how. Kind and Spool are needed.
type Options struct {
	Kind string
	// Command is what runs: for a known kind in the place of its program ("codex",
	// or "node", "gemini.js"), for Command the whole command line.
	Command []string
	Model   string // as the program names it
	BaseURL string // of the model, where the program takes one; empty leaves it to the program

	// Environ is the environment that a program's is chosen from, as of os.Environ.
	Environ []string `json:"-"`
	KeyEnv  string   // the variable that holds the key; empty means those of the kind
	Pass    []string // further variables that the program may see; their values are taken for secrets
	// Home is where the user's logins to the programs are; empty means that they
	// have none. A program sees its own login there, and nothing else of it.
	Home string

	Spool   string // where runs are written down, to be adopted after a crash
	WorkDir string // where private folders are made; empty means the system's place for temporary files

	Wall      time.Duration // how long a run may take; 0 means half an hour
	Grace     time.Duration // between the polite end and the certain one; 0 means two seconds
	Turns     int           // how many turns with tools a run may take; 0 means 50
	MaxOutput int64         // bytes that a run may write; 0 means 16 MiB

	Count      func(string) int `json:"-"` // counts the tokens of a text, where the program does not say; nil guesses
	Supervisor []string         // the command that becomes a supervisor; empty means this binary
}

// String gives what may be shown of the options.
func (o Options) String() string { return o.Kind + " " + o.Model }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// Kinds gives the kinds of programs.
func Kinds() []string { return []string{Codex, Gemini, Claude, Command} }

// Program is one program as an agent.
type Program struct {
	Options
	kind     kind
	hide     secrets
	guessing bool // tokens are not really counted
}

// New makes an agent. It starts nothing: a program that is not there shows when it
// is asked.
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
		o.Count = agent.Guess
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	p := &Program{Options: o, kind: kindOf(o.Kind), guessing: guessing}
	p.hide = secretsOf(p)
	return p, nil
}

// check says everything that is wrong at once.
func (o *Options) check() error {
	var l fault.List
	wrong := func(hint, format string, args ...any) { l.Add(InvalidSetup, "", hint, format, args...) }
	if !slices.Contains(Kinds(), o.Kind) {
		wrong(text.SuggestOf(o.Kind, Kinds(), "known kinds: "+strings.Join(Kinds(), ", ")),
			"%s is no kind of program", fault.Shown(o.Kind))
	}
	if o.Kind == Command && (len(o.Command) == 0 || o.Command[0] == "") || slices.Contains(o.Command[:min(1, len(o.Command))], "") {
		wrong("write it as a list of words, the program first", "the command line is empty")
	}
	if slices.ContainsFunc(o.Command, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		wrong("", "a command line cannot hold NUL bytes")
	}
	if strings.ContainsFunc(o.Model, func(r rune) bool { return r <= ' ' }) || strings.HasPrefix(o.Model, "-") {
		wrong("write it as the program's own option for it wants it", "%s is no name of a model", fault.Shown(o.Model))
	}
	if o.Kind == Gemini && o.Model == "" {
		wrong("name one with --model, or give the roster's model an id in agents.models", "gemini needs the name of a model: without one it asks another model first which to take, and may hang there")
	}
	o.checkURL(wrong)
	if !filepath.IsAbs(o.Spool) {
		wrong("", "the folder for the runs of programs has to be a whole path")
	}
	if o.WorkDir != "" && !filepath.IsAbs(o.WorkDir) {
		wrong("", "the folder for private folders has to be a whole path")
	}
	if o.Wall < 0 || o.Grace < 0 || o.Turns < 0 || o.MaxOutput < 0 || o.MaxOutput > mostOutput {
		wrong("zero means the usual limit", "a limit of programs is out of range")
	}
	return l.Err()
}

func (o *Options) checkURL(wrong func(hint, format string, args ...any)) {
	if o.BaseURL == "" {
		return
	}
	if o.Kind == Command {
		wrong("give the command its address in its own words", "a command of one's own takes no base URL")
	}
	if !baseurl.Valid(o.BaseURL) {
		wrong(baseurl.Hint, "the base URL is no address of an endpoint")
	}
}

// argv is the whole command line; false means that its program was not found, and
// stands there by its name alone.
func (p *Program) argv() ([]string, bool) {
	words := p.Command
	if len(words) == 0 {
		words = []string{p.kind.program}
	}
	path, ok := find(words[0], p.lookup("PATH"))
	if !ok {
		path = words[0]
	}
	if p.Kind == Codex && len(words) == 1 {
		path = native(path)
	}
	argv := append([]string{path}, words[1:]...)
	return append(argv, p.kind.args(p)...), ok
}

// find looks for a program as a shell does, but never in the folder where we are.
func find(name, path string) (string, bool) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		whole, err := filepath.Abs(name)
		return whole, err == nil && runs(whole)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, end := range endings() {
			if whole := filepath.Join(dir, name+end); runs(whole) {
				return whole, true
			}
		}
	}
	return "", false
}

func endings() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd", ".bat", ""}
	}
	return []string{""}
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// native finds the program itself behind npm's wrapper for codex: one process
// instead of two, and none that lives on when the wrapper is killed.
func native(path string) string {
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
	for _, place := range []string{
		filepath.Join(filepath.Dir(pkg), name), filepath.Join(pkg, "node_modules", "@openai", name), pkg,
	} {
		found, err := filepath.Glob(filepath.Join(place, "vendor", "*", "bin", "codex"))
		if err == nil && len(found) == 1 && runs(found[0]) {
			return found[0]
		}
	}
	return path
}
