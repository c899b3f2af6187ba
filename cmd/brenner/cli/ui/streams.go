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
	"golang.org/x/term"
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
