// Package ui is what all commands share: the streams and flags of a run, how results
// and errors are printed, exit codes, and reading what users name. It knows the terminal,
// and nothing of what a command does.
package ui

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"brenner/config"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

// Streams are where a command reads and writes, and what is known about them.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	ErrTTY bool // Err is a terminal
	// Width gives how many columns that terminal has now, 0 where that is not
	// known; it may be nil.
	Width func() int

	Environ []string         // as os.Environ gives it
	Now     func() time.Time // the clock
	// Pause waits so long, or until the context ends; nil waits by the real clock.
	Pause func(context.Context, time.Duration)
	// Interrupts may be nil: then nobody sends signals.
	Interrupts *Interrupts
}

// System gives the streams of the process.
func System() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		ErrTTY: isatty.IsTerminal(os.Stderr.Fd()), Width: widthOfStderr, Environ: os.Environ(), Now: time.Now,
		Interrupts: &Interrupts{},
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

func widthOfStderr() int {
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Logger writes for people on a terminal, and JSON for whoever else listens. With
// --quiet it is failures only, unless -v asks for everything.
func (s *Streams) Logger(verbose, quiet bool) zerolog.Logger {
	level := zerolog.WarnLevel
	switch {
	case verbose:
		level = zerolog.DebugLevel
	case quiet:
		level = zerolog.ErrorLevel
	}
	w := s.Err
	if s.ErrTTY {
		w = zerolog.ConsoleWriter{Out: s.Err}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// Interrupts says what becomes of a signal. Most commands can be ended at any
// instruction; a session that runs would rather end what is under way.
type Interrupts struct {
	mu     sync.Mutex
	drain  chan struct{}
	cancel context.CancelFunc
	word   func()
}

// Signal takes one signal. It gives false if the program should end at once.
func (i *Interrupts) Signal() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.drain != nil:
		i.word()
		close(i.drain)
		i.drain = nil
	case i.cancel != nil:
		i.cancel()
		i.cancel = nil
	default:
		return false
	}
	return true
}

// Gently makes the first signal close the channel, after a word about it, and the
// second one cancel the context; done gives signals their usual meaning back.
func (i *Interrupts) Gently(ctx context.Context, word func()) (hard context.Context, drain <-chan struct{}, done func()) {
	hard, cancel := context.WithCancel(ctx)
	channel := make(chan struct{})
	if i == nil {
		return hard, channel, cancel
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drain, i.cancel, i.word = channel, cancel, word
	return hard, channel, func() {
		cancel()
		i.mu.Lock()
		defer i.mu.Unlock()
		i.drain, i.cancel = nil, nil
	}
}

// App is what all commands share: the streams, and the flags that every command has.
type App struct {
	Streams
	Log     zerolog.Logger
	JSON    bool
	Quiet   bool
	Verbose bool
	Dir     string // what --project names
	printed bool   // a JSON document went out
	drained bool   // standard input was read
	Exit    int    // of a command that was done, but has more to say than 0

	host *project.Host // of this run, once it is needed
}

// The groups of commands in the help text.
const (
	Everyday = "everyday"
	Other    = "other"
)

// Family returns a command that only holds others.
func Family(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	Group(c)
	return c
}

// Group makes a command that only holds others say so, instead of printing help
// and calling it a success when the word after it is misspelt.
func Group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return UnknownCommand(c, args[0])
	}
}

// UnknownCommand is the error of a word that is not a command.
func UnknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if near, ok := text.Nearest(word, names); ok {
		hint = "did you mean `" + c.CommandPath() + " " + near + "`?"
	}
	return Usage(c, "there is no command `"+c.CommandPath()+" "+Clean(word)+"`", hint)
}

// InProject declares -C, --project on a command; Open reads it.
func InProject(c *cobra.Command) *cobra.Command {
	c.Flags().StringP("project", "C", "", "a folder of the project; the working directory if not given ["+config.EnvProject+"]. The project is the nearest folder from there upwards with a "+config.FileName+", or else the repository's root")
	return c
}

// Host is what the application layer gets to know of this process.
func (a *App) Host() *project.Host {
	if a.host == nil {
		a.host = &project.Host{
			Environ: a.Environ, Now: a.Now, Log: a.Log, Pause: a.pause,
			Notice: func(text string) { a.Say("brenner: " + Clean(text) + "\n") },
		}
	}
	return a.host
}

// CloseStore ends a store.
func (a *App) CloseStore(st store.Store) { a.Host().CloseStore(st) }

// Open opens the project of a command.
func (a *App) Open(flags ...config.Flag) (*project.Project, error) { return a.OpenWith("", flags...) }

// OpenWith opens the project of a command, with a configuration file for one session.
func (a *App) OpenWith(sessionConfig string, flags ...config.Flag) (*project.Project, error) {
	return project.Open(a.Host(), config.Options{Dir: a.Dir, SessionConfig: sessionConfig, Flags: flags})
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
	h, err := session.Load(ctx, src.Store, src.Address.Thread)
	if err != nil {
		return err
	}
	return do(ctx, src, h)
}

// WithWhole is WithSession for a command that takes no part of a session.
func (a *App) WithWhole(c *cobra.Command, arg string, do func(context.Context, *project.Source, *session.History) error) error {
	return a.WithSession(c, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := WholeSession(c, src.Address); err != nil {
			return err
		}
		return do(ctx, src, h)
	})
}
