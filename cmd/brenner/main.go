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
	return cli.Run(ctx, os.Args[1:], cli.System())
}
