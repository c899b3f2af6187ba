// Command brenner runs research sessions and merges what agents contribute, by
// rule, into one auditable artifact.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"brenner/internal/cli"
)

func main() { os.Exit(run()) }

// run is main as an integer, so that deferred calls happen before the exit.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Nothing that runs today can be half done: files are replaced in one step.
	// So an interrupt ends the program at once, also in the middle of a read.
	defer context.AfterFunc(ctx, func() { os.Exit(cli.ExitInterrupted) })()
	return cli.Run(ctx, os.Args[1:], cli.System())
}
