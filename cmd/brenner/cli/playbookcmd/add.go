package playbookcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
	"brenner/project"
)

type playbookAddOptions struct {
	actFlags
	section    string
	domain     string
	tags       []string
	session    string
	agent      string
	task       string
	confidence float64
}

func playbookAddCommand(a *ui.App) *cobra.Command {
	var opt playbookAddOptions
	c := &cobra.Command{
		Use:   "add TEXT",
		Short: "Take a lesson in: count it for the bullet that says the same, or make it one",
		Long: `Takes a lesson in. If a bullet of the domain says the same already (a cosine from
playbook.match on), that bullet is counted, whatever section it is in: a harmful lesson
that matches a helpful bullet raises its harmful counter. Otherwise the lesson becomes a
bullet, in the stage SHADOW. Texts that differ in a negation, in opposites, in a quantifier
(only, most, some, few), in a number or in a unit are never the same.

Without --agent it is a person's word, with confidence 1.`,
		Example: `  brenner playbook add "Write down what each hypothesis predicts before running the test"
  brenner playbook add --section harmful "Averaging over batches hides the effect"
  brenner playbook add --agent BlueLake --session RS-20261115-cells --tag role:test_designer "Count cells twice"

Exit codes: 0 taken in; 1 it could not be stored; 2 the text cannot be a bullet; 4 --as names
no authority; 75 the store is busy, or the endpoint for embeddings cannot be reached.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return ui.Usage(c, fmt.Sprintf("one text is needed, %d given", len(args)), "put the text in quotation marks")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return playbookAdd(a, c, &opt, args[0]) },
	}
	opt.actFlags.add(c, "why, for the journal")
	f := c.Flags()
	f.StringVar(&opt.section, "section", string(playbook.Helpful), "helpful, harmful or neutral")
	f.StringVar(&opt.domain, "domain", "", "its domain; playbook.domain if not given")
	f.StringArrayVar(&opt.tags, "tag", nil, "a tag; role:NAME keeps the bullet to one role; repeatable")
	f.StringVar(&opt.session, "session", "", "the session that it comes from; a session counts once for a bullet")
	f.StringVar(&opt.agent, "agent", "", "the agent whose word it is; without it, it is a person's")
	f.StringVar(&opt.task, "task", "", "the task that it comes from")
	f.Float64Var(&opt.confidence, "confidence", 0, "how sure the agent is, from 0 to 1; bounded by playbook.confidence.agent")
	return c
}

func playbookAdd(a *ui.App, c *cobra.Command, opt *playbookAddOptions, text string) error {
	if c.Flags().Changed("confidence") && opt.agent == "" {
		return ui.Usage(c, "--confidence belongs to --agent: a person's word counts 1", "")
	}
	return withPlaybook(a, c, &opt.actFlags, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
		r, err := b.AddLesson(c.Context(), act, playbook.Insight{
			Domain: opt.domain, Section: playbook.Section(opt.section), Text: strings.TrimSpace(text), Tags: opt.tags, Confidence: opt.confidence,
			Source: playbook.Source{Session: opt.session, Agent: opt.agent, Task: opt.task},
		})
		if err != nil {
			return nil, err
		}
		v := &changeView{Change: r}
		switch {
		case r.Again:
			v.note = "The session " + ui.Clean(opt.session) + " has said so before: a session counts once."
		case r.Did != "added":
			v.note = fmt.Sprintf("It says the same (cosine %.2f); the text stays as it is.", r.Cosine)
		}
		return v, nil
	})
}

func playbookReplaceCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	c := &cobra.Command{
		Use:   "replace ID TEXT",
		Short: "Correct a bullet: quarantine the old one, and put a new one in its place",
		Long: `Puts a bullet with other words in the place of one: what a bullet says never changes, so
the old one goes into quarantine and the new one says which it supersedes. It begins in
SHADOW, with one word for it: a person's.`,
		Example: `  brenner playbook replace pb-00007 "Count cells twice, by two people" --reason "said more clearly"

Exit codes: 0 done; 1 it could not be stored; 2 there is no such bullet, no reason, or the text
cannot be a bullet; 4 --as names no authority; 75 the store is busy.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return ui.Usage(c, fmt.Sprintf("a bullet and a text are needed, %d given", len(args)), "put the text in quotation marks")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return withPlaybook(a, c, &opt, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
				r, err := b.Correct(c.Context(), act, args[0], strings.TrimSpace(args[1]))
				return &changeView{Change: r}, err
			})
		},
	}
	opt.add(c, "why; needed")
	return c
}

func playbookCreditCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var session string
	said := map[playbook.Section]*bool{}
	c := &cobra.Command{
		Use:   "credit ID…",
		Short: "Count for bullets what came of them: --helpful, --harmful or --neutral",
		Long: `Counts for bullets that they helped, harmed, or did neither, on a person's word. With
--session it counts as that session's, once for each bullet.`,
		Example: `  brenner playbook credit pb-00007 --helpful
  brenner playbook credit pb-00007 pb-00009 --harmful --session RS-20261115-cells --reason "led to a rejected delta"

Exit codes: 0 counted, or it was counted before; 1 it could not be stored; 2 there is no such
bullet; 4 --as names no authority; 75 the store is busy.`,
		Args: someIDs(1, 0),
		RunE: func(c *cobra.Command, args []string) error {
			var polarity []playbook.Section
			for _, s := range playbook.Sections() {
				if *said[s] {
					polarity = append(polarity, s)
				}
			}
			if len(polarity) != 1 {
				return ui.Usage(c, "one of --helpful, --harmful and --neutral is needed", "")
			}
			return withPlaybook(a, c, &opt, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
				act.Session = session
				r, err := b.Each(c.Context(), act, "credited", args, func(draft *playbook.Draft, id string) error {
					_, err := draft.Credit(id, polarity[0])
					return err
				})
				if err != nil {
					return nil, err
				}
				v := &changeView{Change: r}
				if len(r.Entries) == 0 {
					v.note = "The session " + ui.Clean(session) + " has counted so before: a session counts once."
				}
				return v, nil
			})
		},
	}
	opt.add(c, "why, for the journal")
	c.Flags().StringVar(&session, "session", "", "the session in which it showed")
	for _, s := range playbook.Sections() {
		said[s] = c.Flags().Bool(string(s), false, "it was "+string(s))
	}
	return c
}
