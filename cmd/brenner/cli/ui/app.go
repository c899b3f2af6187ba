// Package ui holds what all commands share: streams, global flags, exit codes, printing
// of results and errors, and reading of input files. It knows nothing about what a
// command does.
package ui

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

// Streams are a command's standard streams and its environment.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	InTTY  bool // In is a terminal
	OutTTY bool // Out is a terminal
	ErrTTY bool // Err is a terminal
	// Width returns the current width of that terminal in columns, or 0 if unknown.
	// It may be nil.
	Width func() int

	Environ []string         // as returned by os.Environ
	Now     func() time.Time // the clock
	// Pause waits for the duration, or until the context ends; nil uses the real clock.
	Pause func(context.Context, time.Duration)
	// Raw makes the terminal of In send each key at once, until restore is called. It may be
	// nil if In does so already.
	Raw func() (restore func(), err error)
	// Flush discards what was typed at In and not yet read. It may be nil.
	Flush func()
	// Interrupts may be nil if no signals are handled.
	Interrupts *Interrupts
}

// System returns the streams of the process.
func System() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY: isatty.IsTerminal(os.Stdin.Fd()), OutTTY: isatty.IsTerminal(os.Stdout.Fd()), ErrTTY: isatty.IsTerminal(os.Stderr.Fd()),
		Width: terminalWidth, Environ: os.Environ(), Now: time.Now, Raw: rawStdin, Flush: flushStdin, Interrupts: &Interrupts{},
	}
}

func (s *Streams) pause(ctx context.Context, d time.Duration) {
	if s.Pause != nil {
		s.Pause(ctx, d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func terminalWidth() int {
	for _, f := range []*os.File{os.Stderr, os.Stdout} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// Interrupts decides the effect of a signal. Most commands can be killed at any time; a
// running session first finishes the calls in flight.
type Interrupts struct {
	mu     sync.Mutex
	drain  chan struct{}
	cancel context.CancelFunc
	notify func()
	leave  func() // called before the program exits at a signal, or nil
}

// beforeExit makes a signal that ends the program call leave first, until done is called.
func (i *Interrupts) beforeExit(leave func()) (done func()) {
	if i == nil {
		return func() {}
	}
	set := func(leave func()) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.leave = leave
	}
	set(leave)
	return func() { set(nil) }
}

// Signal handles one signal. It returns false if the program should exit immediately.
func (i *Interrupts) Signal() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.drain != nil:
		i.notify()
		close(i.drain)
		i.drain = nil
	case i.cancel != nil:
		i.cancel()
		i.cancel = nil
	default:
		if i.leave != nil {
			i.leave()
		}
		return false
	}
	return true
}

// Gently makes the first signal call notify and close drain, and the second one cancel
// hard. done restores the default effect of signals.
func (i *Interrupts) Gently(ctx context.Context, notify func()) (hard context.Context, drain <-chan struct{}, done func()) {
	hard, cancel := context.WithCancel(ctx)
	channel := make(chan struct{})
	if i == nil {
		return hard, channel, cancel
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drain, i.cancel, i.notify = channel, cancel, notify
	return hard, channel, func() {
		cancel()
		i.mu.Lock()
		defer i.mu.Unlock()
		i.drain, i.cancel = nil, nil
	}
}

// Place is where the sessions of loops can run, besides this process.
type Place struct {
	Name string
	// Open connects to it.
	Open func(ctx context.Context, a *App, p *project.Project) (of func(*project.Placing) runner.Place, end func(), err error)
	// Check describes it, and says which of its machines are missing.
	Check func(ctx context.Context, p *project.Project) (found []string, lacks []*fault.Error, err error)
}

// App is the state that all commands share: the streams and the global flags.
type App struct {
	Streams
	Log     zerolog.Logger
	JSON    bool
	Quiet   bool
	Verbose bool
	Plain   bool   // without colours
	Dir     string // value of --project
	Store   string // value of --store
	printed bool   // a JSON document was printed
	Partial any    // partial result of a failed command, for its JSON
	drained bool   // standard input was read
	works   int    // bytes of input that the command works on
	Exit    int    // exit code of a command that returned no error
	// Places are those that --place names; there is no such flag without them.
	Places []Place
	// Rename replaces the commands of brenner in a text by those of the program that runs; nil if that is brenner.
	Rename func(text string) string

	sessionData []byte        // the session's configuration from standard input; nil if not read
	host        *project.Host // created on first use
}

// Named returns a text with its commands as users of this program type them.
func (a *App) Named(text string) string {
	if a.Rename == nil {
		return text
	}
	return a.Rename(text)
}

// Family adds subcommands to a command that does nothing itself.
func Family(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	Group(c)
	return c
}

// Group makes a command without an action of its own reject unknown subcommands, instead
// of printing help and exiting with 0.
func Group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return UnknownCommand(c, args[0])
	}
}

// UnknownCommand returns the error for an unknown subcommand of c.
func UnknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if word, ok := otherWords()[c.Name()+" "+name]; ok {
		hint = word
	} else if word := otherWords()[name]; slices.Contains(names, word) {
		hint = "did you mean `" + c.CommandPath() + " " + word + "`?"
	} else if near, ok := text.Nearest(name, names); ok {
		hint = "did you mean `" + c.CommandPath() + " " + near + "`?"
	}
	return Usage(c, "unknown command `"+c.CommandPath()+" "+Clean(name)+"`", hint)
}

// otherWords returns what people try, and the command or the hint that they need.
func otherWords() map[string]string {
	return map[string]string{
		"ls": "list", "view": "show", "cat": "show", "print": "show", "new": "start", "run": "start", "begin": "start", "continue": "resume",
		"follow": "watch", "tail": "watch", "comment": "note", "fix": "resolve", "edit": "apply", "restart": "resume", "halt": "stop", "kill": "stop",
		"session stop":   "interrupt the process that runs it; `brenner session resume ID` continues it",
		"session kill":   "interrupt the process that runs it; `brenner session resume ID` continues it",
		"session rm":     "sessions are kept: delete the project's .brenner directory to discard all of them",
		"session delete": "sessions are kept: delete the project's .brenner directory to discard all of them",
		"session remove": "sessions are kept: delete the project's .brenner directory to discard all of them",
		"session log":    "`brenner trace list ID` lists the calls of a session",
		"session logs":   "`brenner trace list ID` lists the calls of a session",
		"loop ls":        "did you mean `brenner loop status`?",
		"loop list":      "did you mean `brenner loop status`?",
		"loop show":      "did you mean `brenner loop report NAME`?",
		"loop resume":    "`brenner loop run PLAN` continues a loop; `brenner loop pause NAME --off` ends a pause",
	}
}

// InProject declares -C, --project and --store on a command; Open reads them.
func InProject(c *cobra.Command) *cobra.Command {
	c.Flags().String("store", "", "database of the store: postgres://USER@HOST/DATABASE?project=NAME (default: brenner.yaml, else a file) ["+config.EnvStore+"]")
	c.Flags().StringP("project", "C", "", "directory from which to search upwards for "+config.FileName+", falling back to the repository's root (default: working directory) ["+config.EnvProject+"]")
	return c
}

// Host returns this process as the application layer sees it.
func (a *App) Host() *project.Host {
	if a.host == nil {
		a.host = &project.Host{
			Environ: a.Environ, Now: a.Now, Log: a.Log, Pause: a.pause,
			Notice: func(text string) { a.Say("brenner: " + Clean(text) + "\n") },
		}
	}
	return a.host
}

// CloseStore closes a store and logs a failure.
func (a *App) CloseStore(st store.Store) { a.Host().CloseStore(st) }

// Open opens the project of a command.
func (a *App) Open(flags ...config.Flag) (*project.Project, error) { return a.OpenWith("", flags...) }

// OpenWith is Open with an additional configuration file for one session, or standard input for
// "-", which is read once and kept for further calls.
func (a *App) OpenWith(sessionConfig string, flags ...config.Flag) (*project.Project, error) {
	if sessionConfig == config.Stdin && a.sessionData == nil {
		data, err := a.ReadExact("session configuration", sessionConfig)
		if err != nil {
			return nil, err
		}
		a.sessionData = append([]byte{}, data...)
	}
	return project.Open(a.Host(), config.Options{Dir: a.Dir, SessionConfig: sessionConfig, SessionData: a.sessionData, Flags: append(storeFlag(a.Store), flags...)})
}

// storeFlag returns the key that --store sets, if it has a value.
func storeFlag(address string) []config.Flag {
	if address == "" {
		return nil
	}
	return []config.Flag{{Key: config.StoreAddress, Name: "--store", Values: []string{address}}}
}

// WithSession runs a read-only command on a session or an export.
func (a *App) WithSession(c *cobra.Command, arg string, do func(context.Context, *project.Source, *session.History) error) error {
	ctx := c.Context()
	p, err := a.Open()
	if err != nil {
		return err
	}
	src, err := p.OpenSource(ctx, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(src.Store)
	h, err := src.Load(ctx)
	if err != nil {
		return err
	}
	return do(ctx, src, h)
}

// WithWhole is WithSession for a command that does not accept a part of a session.
func (a *App) WithWhole(c *cobra.Command, arg string, do func(context.Context, *project.Source, *session.History) error) error {
	return a.WithSession(c, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := WholeSession(c, src.Address); err != nil {
			return err
		}
		return do(ctx, src, h)
	})
}
