// Package cli is the command line: one file a command, each with its options, its
// wiring and a result. It is the only package that sees both the pure packages
// and the shell, and the only one that prints.
package cli

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
)

// Streams are where a command reads and writes, and what is known about them.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	ErrTTY bool // Err is a terminal

	Environ []string         // as os.Environ gives it
	Now     func() time.Time // the clock
	// Interrupts may be nil: then nobody sends signals.
	Interrupts *Interrupts
}

// System gives the streams of the process.
func System() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		ErrTTY: isatty.IsTerminal(os.Stderr.Fd()), Environ: os.Environ(), Now: time.Now,
		Interrupts: &Interrupts{},
	}
}

// logger writes for people on a terminal, and JSON for whoever else listens.
func (s *Streams) logger(verbose bool) zerolog.Logger {
	level := zerolog.WarnLevel
	if verbose {
		level = zerolog.DebugLevel
	}
	w := s.Err
	if s.ErrTTY {
		w = zerolog.ConsoleWriter{Out: s.Err}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}
