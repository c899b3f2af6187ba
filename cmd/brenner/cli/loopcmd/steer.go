package loopcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session"
)

const steerExits = `

Exit codes: 0 written; 1 it could not be stored; 2 there is no such loop, it has ended, or
an argument is wrong; 75 the store is busy.`

func loopPauseCommand(a *ui.App) *cobra.Command {
	var project string
	var off bool
	c := &cobra.Command{
		Use:   "pause NAME",
		Short: "Let a running loop begin no more sessions, until --off",
		Long: `Writes into the loop's journal that no more sessions begin; those under way go on to their
end. The process that runs the loop sees it within a second, and waits. --off ends that, and
the wait for a provider that said when to return. Running the plan anew ends the pause too.`,
		Example: "  brenner loop pause night\n  brenner loop pause night --off" + steerExits,
		Args:    oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			kind, done := loop.KindPaused, "paused"
			if off {
				kind, done = loop.KindUnpaused, "no longer paused"
			}
			return steer(a, c, project, args[0], kind, done, func(by string, _ *loop.State) (any, [][]byte, error) {
				return loop.Paused{By: by}, nil, nil
			})
		},
	}
	ui.AddProjectFlag(c, &project)
	c.Flags().BoolVar(&off, "off", false, "let it go on")
	return c
}

func loopStopCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "stop NAME",
		Short: "End a loop: the calls under way end, nothing else begins",
		Long: `Writes into the loop's journal that it is to end. The process that runs it lets the calls
under way end, writes the report, and exits with 0. Sessions that were under way stay as
they are: ` + "`brenner session resume`" + ` goes on with one. A loop that nobody runs ends when its
plan is run again.`,
		Example: "  brenner loop stop night" + steerExits,
		Args:    oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			return steer(a, c, project, args[0], loop.KindStopping, "told to stop", func(by string, _ *loop.State) (any, [][]byte, error) {
				return loop.Stopping{By: by}, nil, nil
			})
		},
	}
	ui.AddProjectFlag(c, &project)
	return c
}

// steer writes a person's word into a loop's journal.
func steer(a *ui.App, c *cobra.Command, project, name, kind, done string, prepare func(by string, s *loop.State) (any, [][]byte, error)) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	st, err := p.OpenLoops(c.Context(), name)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	state, err := runner.Steer(c.Context(), st, a.Now, name, kind, func(s *loop.State) (any, [][]byte, error) {
		return prepare(p.Config.Operator, s)
	})
	if err != nil {
		return err
	}
	s := summarise(p, st, state)
	return a.Show(&steered{Schema: "brenner.loop.steer/v1", Loop: name, Event: kind, Phase: s.Phase, Sessions: s.Planned, Entry: s.Entries, Head: s.Head, done: done, goesOn: s.goesOn})
}

// steered is a word that a loop was told.
type steered struct {
	Schema   string `json:"schema"`
	Loop     string `json:"loop"`
	Event    string `json:"event"`
	Phase    string `json:"phase"`
	Sessions int    `json:"sessions"` // of all rounds
	Entry    int    `json:"entry"`
	Head     string `json:"head"`
	done     string
	goesOn   string
}

func (s *steered) Print(a *ui.App) error {
	text := fmt.Sprintf("%s: %s\n", ui.Clean(s.Loop), s.done)
	if s.Phase == session.PhaseLeft && !a.Quiet {
		does := "goes on with it"
		switch s.Event {
		case loop.KindStopping:
			does = "ends it, runs no more sessions, and writes the report"
		case loop.KindPaused:
			does = "goes on with it all the same"
		}
		text += "Nobody runs it now: `" + ui.Clean(s.goesOn) + "` " + does + ".\n"
	}
	return a.Write([]byte(text))
}

type addOptions struct {
	project, question, context string
	roster, model, after       string
	seed                       int
	seeded                     bool
}

func loopAddCommand(a *ui.App) *cobra.Command {
	var opt addOptions
	c := &cobra.Command{
		Use:   "add NAME --question TEXT|@FILE",
		Short: "Give a loop another question, while it runs or while it is left",
		Long: `Adds sessions to the round that is open and to those after it: one for each roster and model
of the plan, or for those that are named. With --after they begin with what an earlier
session came to.`,
		Example: `  brenner loop add night --question "Does temperature shift the gradient?"
  brenner loop add night --question @q.txt --roster three --after RS-20261115-night-0003` + steerExits,
		Args: oneLoop,
		RunE: func(c *cobra.Command, args []string) error {
			opt.seeded = c.Flags().Changed("seed")
			return loopAdd(a, c, &opt, args[0])
		},
	}
	ui.AddProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVar(&opt.question, "question", "", "the research question, or @FILE")
	f.StringVar(&opt.context, "context", "", "what every agent is told about it, or @FILE")
	f.StringVar(&opt.roster, "roster", "", "the id of a roster of the plan; all of them if not given")
	f.StringVar(&opt.model, "model", "", "the id of a model of the plan; all of them if not given")
	f.IntVar(&opt.seed, "seed", 0, "the models' seed; what the configuration says of them if not given")
	f.StringVar(&opt.after, "after", "", "a session of the store to begin with")
	return c
}

func loopAdd(a *ui.App, c *cobra.Command, opt *addOptions, name string) error {
	question, err := a.Inline("--question", opt.question)
	if err != nil {
		return err
	}
	context, err := a.Inline("--context", opt.context)
	if err != nil {
		return err
	}
	q := loop.Question{Question: strings.TrimSpace(question), Context: strings.TrimSpace(context)}
	switch {
	case q.Question == "":
		return ui.Usage(c, "the question is missing", "give it with --question \"…\"")
	case opt.seed < 0 || opt.seed > loop.MostSeed:
		return ui.Usage(c, fmt.Sprintf("--seed cannot be %d", opt.seed), fmt.Sprintf("0 to %d are possible", loop.MostSeed))
	case opt.after != "" && !artifact.IsThreadID(opt.after):
		return ui.Usage(c, "--after "+ui.Clean(fault.Shown(opt.after))+" is no session", "`brenner session list` shows those there are")
	}
	if opt.after != "" {
		if err := mustHaveIn(a, c, opt.project, opt.after); err != nil {
			return err
		}
	}
	return steer(a, c, opt.project, name, loop.KindAdded, "another question was added", func(by string, s *loop.State) (any, [][]byte, error) {
		added, err := opt.added(c, q, s)
		added.By = by
		return added, nil, err
	})
}

// added gives what a question adds to a loop, within the limits that a plan has.
func (opt *addOptions) added(c *cobra.Command, q loop.Question, s *loop.State) (added loop.Added, err error) {
	for n, taken := len(s.Work.Questions)+1, true; taken; n++ { // a plan may call its own so
		q.ID = fmt.Sprintf("added-%d", n)
		_, taken = s.Work.Question(q.ID)
	}
	added.Questions = []loop.Question{q}
	rosters, err := chosen(c, "roster", opt.roster, ids(s.Work.Rosters, func(r loop.Roster) string { return r.ID }))
	if err != nil {
		return added, err
	}
	models, err := chosen(c, "model", opt.model, ids(s.Work.Models, func(m loop.PlanModel) string { return m.ID }))
	if err != nil {
		return added, err
	}
	if len(models) == 0 {
		models = []string{""}
	}
	var seed *int
	if opt.seeded {
		seed = &opt.seed
	}
	for _, r := range rosters {
		for _, m := range models {
			added.Cells = append(added.Cells, loop.Cell{Question: q.ID, Roster: r, Model: m, Seed: seed, After: opt.after})
		}
	}
	if n := len(s.Work.Cells) + len(added.Cells); n > loop.MostSessions {
		return added, ui.Usage(c, fmt.Sprintf("the loop would have %d sessions a round; %d are the most", n, loop.MostSessions), "begin another one")
	}
	if n := s.PlannedWith(len(added.Cells)); !loop.ValidName(s.Opened.Name, n) {
		return added, ui.Usage(c, fmt.Sprintf("%d sessions are too many for a loop with so long a name", n), "begin another one, with a shorter name:")
	}
	return added, nil
}

func ids[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = id(e)
	}
	return out
}

// chosen gives the one that is named, or all of them.
func chosen(c *cobra.Command, what, name string, all []string) ([]string, error) {
	if name == "" {
		return all, nil
	}
	if !slices.Contains(all, name) {
		return nil, ui.Usage(c, "the plan has no "+what+" "+ui.Clean(fault.Shown(name)), "it has "+cmp.Or(strings.Join(all, ", "), "none"))
	}
	return []string{name}, nil
}

// mustHaveIn looks for a session in a project's store.
func mustHaveIn(a *ui.App, c *cobra.Command, project, thread string) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	return p.MustHave(c.Context(), thread)
}
