// Package ui is what all commands share: the streams and flags of a run, how results
// and errors are printed, exit codes, and reading what users name. It knows the terminal,
// and nothing of what a command does.
package ui

import (
	"context"
	"io"
	"os"
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
