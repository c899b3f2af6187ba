// Command brenner runs research sessions and merges what agents contribute, by
// rule, into one auditable artifact.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
)

// endings are the signals that ask the program to end. A terminal that goes away is one
// of them, unless somebody wanted it to go on without one (nohup).
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

func main() { os.Exit(run()) }

// run is main as an integer, so that deferred calls happen before the exit.
func run() int {
	if code, yes := project.Supervise(os.Args[1:]); yes {
		return code
	}
	streams := ui.System()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			// Nothing but a session that runs can be half done: files are replaced
			// in one step. So a signal ends the program, also in the middle of a read.
			if !streams.Interrupts.Signal() {
				os.Exit(ui.ExitInterrupted)
			}
		}
	}()
	return cli.Run(context.Background(), os.Args[1:], streams)
}
