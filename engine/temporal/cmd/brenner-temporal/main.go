// Command brenner-temporal is brenner for several machines: the sessions of loops run on workers that a Temporal server
// finds.
package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
	"brenner/engine/temporal"
	"brenner/loop/runner"
	"brenner/project"
)

func main() { os.Exit(program(temporal.Beat).Main()) }

// program returns brenner with workers that are taken for dead after some time of silence.
func program(beat time.Duration) cli.Extension {
	return cli.Extension{
		Program: "brenner-temporal",
		Commands: []func(*ui.App) *cobra.Command{
			func(a *ui.App) *cobra.Command { return workerCommand(a, beat) }, submitCommand, scheduleCommand,
		},
		Places: []ui.Place{{Name: temporal.PlaceName, Open: func(ctx context.Context, _ *ui.App, p *project.Project) (func(*project.Placing) runner.Place, func(), error) {
			e, err := temporal.Connect(ctx, p)
			if err != nil {
				return nil, nil, err
			}
			of, end := e.Places()
			return of, func() { end(); e.Close() }, nil
		}, Check: temporal.Check}},
	}
}
