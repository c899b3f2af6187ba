// Package loopcmd holds the commands of `brenner loop`.
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
		Use:     "loop",
		GroupID: ui.Everyday,
		Short:   "Run many sessions by a plan, all night, and steer them",
		Long: `A plan (a YAML file; ` + "`brenner schema loop.plan`" + ` is its schema) says which sessions there are to
be, how many at once, what they may cost, and when to stop. ` + "`brenner loop run`" + ` runs them in one
process: no service is needed, a crash loses nothing, and no session is run twice.`,
	}, loopRunCommand(a), loopStatusCommand(a), loopPauseCommand(a), loopStopCommand(a), loopAddCommand(a), loopReportCommand(a))
}

func oneLoop(c *cobra.Command, args []string) error {
	return ui.Args(1, 1, "one loop is needed", "`brenner loop status` shows those there are")(c, args)
}

const steerExits = `

Exit codes: 0 written; 1 it could not be stored; 2 there is no such loop, it has ended, or
an argument is wrong; 75 the store is busy.`

func loopPauseCommand(a *ui.App) *cobra.Command {
	var off bool
	c := ui.InProject(&cobra.Command{
		Use:   "pause NAME",
		Short: "Let a running loop begin no more sessions, until --off",
		Long: `Writes into the loop's journal that no more sessions begin; those under way go on to their
end. The process that runs the loop sees it within a second, and waits. --off ends that, and
the wait for a provider that said when to return. Running the plan anew ends the pause too.`,
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
	c.Flags().BoolVar(&off, "off", false, "let it go on")
	return c
}

func loopStopCommand(a *ui.App) *cobra.Command {
	return ui.InProject(&cobra.Command{
		Use:   "stop NAME",
		Short: "End a loop: the calls under way end, nothing else begins",
		Long: `Writes into the loop's journal that it is to end. The process that runs it lets the calls
under way end, writes the report, and exits with 0. Sessions that were under way stay as
they are: ` + "`brenner session resume`" + ` goes on with one. A loop that nobody runs ends when its
plan is run again.`,
		Example: "  brenner loop stop night" + steerExits,
		Args:    oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			return steer(a, func(p *project.Project) (*project.SteeredLoop, error) {
				return p.StopLoop(c.Context(), args[0])
			})
		},
	})
}

// steer opens a project, tells a loop of it something, and prints what that was.
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
		loop.KindPaused: "paused", loop.KindUnpaused: "no longer paused", loop.KindStopping: "told to stop", loop.KindAdded: "another question was added",
	}[s.Event]
	text := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), done)
	if s.Phase == session.PhaseLeft && !a.Quiet {
		does := "goes on with it"
		switch s.Event {
		case loop.KindStopping:
			does = "ends it, runs no more sessions, and writes the report"
		case loop.KindPaused:
			does = "goes on with it all the same"
		}
		text += "Nobody runs it now: `" + ui.Clean(s.ResumeCommand) + "` " + does + ".\n"
	}
	return text
}

func loopAddCommand(a *ui.App) *cobra.Command {
	var add loop.Addition
	var seed int
	c := ui.InProject(&cobra.Command{
		Use:   "add NAME --question TEXT|@FILE",
		Short: "Give a loop another question, while it runs or while it is left",
		Long: `Adds sessions to the round that is open and to those after it: one for each roster and model
of the plan, or for those that are named. With --after they begin with what an earlier
session came to.`,
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
	f.StringVar(&add.Question, "question", "", "the research question, or @FILE")
	f.StringVar(&add.Context, "context", "", "what every agent is told about it, or @FILE")
	f.StringVar(&add.Roster, "roster", "", "the id of a roster of the plan; all of them if not given")
	f.StringVar(&add.Model, "model", "", "the id of a model of the plan; all of them if not given")
	f.IntVar(&seed, "seed", 0, "the models' seed; what the configuration says of them if not given")
	f.StringVar(&add.After, "after", "", "a session of the store to begin with")
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
	if err := add.Check(); err != nil { // before the project is opened, as every wrong argument
		return err
	}
	return steer(a, func(p *project.Project) (*project.SteeredLoop, error) {
		return p.AddToLoop(c.Context(), name, add)
	})
}
