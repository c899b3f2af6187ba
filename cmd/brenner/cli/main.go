package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// stopSignals returns the signals that end the program. SIGHUP is one of them unless it
// is ignored (nohup).
func stopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Main runs the program of this process and returns the exit code, so that deferred calls run before os.Exit.
func (x Extension) Main() int {
	if code, ok := project.Supervise(os.Args[1:]); ok {
		return code
	}
	streams := ui.System()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			// Only a running session must shut down in order: files are replaced
			// atomically. Any other command exits immediately, even in a read.
			if !streams.Interrupts.Signal() {
				os.Exit(ui.ExitInterrupted) //nolint:forbidigo // for main, which waits for Run
			}
		}
	}()
	return x.Run(context.Background(), os.Args[1:], streams)
}
