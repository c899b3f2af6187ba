// Package loopcmd implements `brenner loop`.
package loopcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/loop"
	"brenner/project"
	"brenner/session"
)

// Command returns the loop commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "loop",
		Short: "Run and steer many sessions unattended",
		Long: `A plan is a YAML file (schema: ` + "`brenner schema loop.plan`" + `) that defines the sessions, how
many run concurrently, their budget, and when to stop. ` + "`brenner loop run`" + ` runs them in one
process: no service is needed, a crash loses nothing, and no session runs twice.`,
	}, loopRunCommand(a), ui.LoopArg(a, loopStatusCommand(a)), ui.LoopArg(a, loopPauseCommand(a)), ui.LoopArg(a, loopStopCommand(a)),
		ui.LoopArg(a, loopAddCommand(a)), ui.LoopArg(a, loopReportCommand(a)))
}

func oneLoop(c *cobra.Command, args []string) error {
	return ui.Args(1, 1, "`brenner loop status` lists the loops")(c, args)
}

const steerExits = `

Exit codes: 0 journaled; 1 storing failed; 2 no such loop, it has ended, or invalid
argument; 75 the store is busy.`

func loopPauseCommand(a *ui.App) *cobra.Command {
	var off bool
	c := ui.InProject(&cobra.Command{
		Use:   "pause NAME",
		Short: "Pause a loop: start no more sessions",
		Long: `Journals that no more sessions start; running sessions continue. The process that runs
the loop notices within a second. --off ends the pause, and also a wait for a provider's
retry time. Running the plan again ends the pause too.`,
		Example: "  brenner loop pause night\n  brenner loop pause night --off" + steerExits,
		Args:    oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			return steer(a, func(p *project.Project) (*project.SteeredLoop, error) {
				if off {
					return p.UnpauseLoop(c.Context(), args[0])
				}
				return p.PauseLoop(c.Context(), args[0])
			})
		},
	})
	c.Flags().BoolVar(&off, "off", false, "end the pause")
	return c
}

func loopStopCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "stop NAME",
		Short: "Stop a loop after the calls in flight",
		Long: `Journals a stop request. The process that runs the loop waits for the calls in flight,
writes the report, and exits by what is done. Incomplete sessions can be continued with
` + "`brenner session resume`" + `. A loop that is not running ends when its plan is run again.`,
		Example: "  brenner loop stop night" + steerExits,
		Args:    oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			return steer(a, func(p *project.Project) (*project.SteeredLoop, error) {
				return p.StopLoop(c.Context(), args[0])
			})
		},
	})
}

// steer opens the project, applies do to a loop, and prints the result.
func steer(a *ui.App, do func(*project.Project) (*project.SteeredLoop, error)) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	s, err := do(p)
	return ui.Show(a, s, err, steeredText)
}

func steeredText(a *ui.App, s *project.SteeredLoop) string {
	done := map[string]string{
		loop.KindPaused: "paused", loop.KindUnpaused: "no longer paused", loop.KindStopping: "stop requested", loop.KindAdded: "question added",
	}[s.Event]
	if s.Event == loop.KindUnpaused && !s.WasPaused {
		done = "was not paused and does not wait"
		if s.Waited {
			done = "asks again at once"
		}
	}
	text := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), done)
	if s.Phase == project.PhaseSubmitted && !a.Quiet {
		text += "It is not running: the next machine that continues it follows this.\n"
	}
	if s.Phase == session.PhaseLeft && !a.Quiet {
		does := "continues it"
		switch s.Event {
		case loop.KindStopping:
			does = "ends it and writes the report, without running more sessions"
		case loop.KindPaused:
			does = "ends the pause and continues it"
		}
		text += a.Named("It is not running: `" + ui.Clean(s.ResumeCommand) + "` " + does + ".\n")
	}
	return text
}

func loopAddCommand(a *ui.App) *cobra.Command {
	var add loop.Addition
	var seed int
	c := ui.InProject(&cobra.Command{
		Use:   "add NAME --question TEXT|@FILE",
		Short: "Add a question to a loop",
		Long: `Adds sessions to the open round and all later rounds: one for each roster and model of
the plan, or only those named by flags. With --after, they start from the artifact of an
earlier session. The loop need not be running.`,
		Example: `  brenner loop add night --question "Does temperature shift the gradient?"
  brenner loop add night --question @q.txt --roster three --after RS-20261115-night-0003` + steerExits,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("seed") {
				add.Seed = &seed
			}
			return loopAdd(a, c, args[0], add)
		},
	})
	f := c.Flags()
	f.StringVar(&add.Question, "question", "", "research question, or @FILE")
	f.StringVar(&add.Context, "context", "", "background for all agents, or @FILE")
	f.StringVar(&add.Roster, "roster", "", "roster id in the plan (default: all)")
	f.StringVar(&add.Model, "model", "", "model id in the plan (default: all)")
	f.IntVar(&seed, "seed", 0, "seed for the models (default: from the configuration)")
	f.StringVar(&add.After, "after", "", "session whose artifact to start from")
	return c
}

func loopAdd(a *ui.App, c *cobra.Command, name string, add loop.Addition) error {
	var err error
	if add.Question, err = a.Inline("--question", add.Question); err != nil {
		return err
	}
	if add.Context, err = a.Inline("--context", add.Context); err != nil {
		return err
	}
	if err := add.Check(); err != nil { // before the project is opened
		return err
	}
	return steer(a, func(p *project.Project) (*project.SteeredLoop, error) {
		return p.AddToLoop(c.Context(), name, add)
	})
}
