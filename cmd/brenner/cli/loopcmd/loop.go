package loopcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
)

// Command returns the loop commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "loop",
		GroupID: ui.Everyday,
		Short:   "Run many sessions by a plan, all night, and steer them",
		Long: `A plan (a YAML file; ` + "`brenner schema loop.plan`" + ` is its schema) says which sessions there are to
be, how many at once, what they may cost, and when to stop. ` + "`brenner loop run`" + ` runs them in one
process: no service is needed, a crash loses nothing, and no session is run twice.`,
	}
	c.AddCommand(loopRunCommand(a), loopStatusCommand(a), loopPauseCommand(a), loopStopCommand(a), loopAddCommand(a), loopReportCommand(a))
	ui.Group(c)
	return c
}

func oneLoop(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return ui.Usage(c, fmt.Sprintf("one loop is needed, %d given", len(args)), "`brenner loop status` shows those there are")
	}
	return nil
}
