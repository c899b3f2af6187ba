package playbookcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook"
	"brenner/project"
	"brenner/store"
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
	return withPlaybook(a, c, &opt.actFlags, func(d *desk, act playbook.Act) error {
		act.Session = opt.session
		i := playbook.Insight{
			Domain: opt.domain, Section: playbook.Section(opt.section), Text: strings.TrimSpace(text), Tags: opt.tags,
			Person: opt.agent == "", Confidence: opt.confidence,
			Source: playbook.Source{Session: opt.session, Agent: opt.agent, Task: opt.task},
		}
		if i.Domain == "" {
			i.Domain = d.project.Config.Playbook.Domain
		}
		if i.Person {
			i.Source.Agent = act.Actor
		}
		out, entries, err := d.Learn(c.Context(), act, i)
		if err != nil {
			return err
		}
		did := "counted"
		if out.Added {
			did = "added"
		}
		r, err := d.changed(did, []string{out.Bullet}, entries)
		if err != nil {
			return err
		}
		r.Cosine = out.Cosine
		for _, n := range out.Near {
			r.Near = append(r.Near, nearBullet{ID: n.ID, Cosine: n.Cosine, Why: n.Why})
		}
		switch {
		case out.Again:
			r.note = "The session " + ui.Clean(opt.session) + " has said so before: a session counts once."
		case !out.Added:
			r.note = fmt.Sprintf("It says the same (cosine %.2f); the text stays as it is.", out.Cosine)
		}
		return a.Show(r)
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
			return playbookDo(a, c, &opt, func(d *desk, act playbook.Act) (*bulletChange, error) {
				id, entries, err := d.Replace(c.Context(), act, args[0], strings.TrimSpace(args[1]))
				if err != nil {
					return nil, err
				}
				r, err := d.changed("replaced", []string{args[0], id}, entries)
				return r, err
			})
		},
	}
	opt.add(c, "why; needed")
	return c
}

// playbookDo does something to the playbook under a person's name, and shows what.
func playbookDo(a *ui.App, c *cobra.Command, opt *actFlags, do func(*desk, playbook.Act) (*bulletChange, error)) error {
	return withPlaybook(a, c, opt, func(d *desk, act playbook.Act) error {
		r, err := do(d, act)
		if err != nil {
			return err
		}
		return a.Show(r)
	})
}

// withPlaybook opens the playbook for somebody who changes it.
func withPlaybook(a *ui.App, c *cobra.Command, opt *actFlags, do func(*desk, playbook.Act) error) error {
	d, err := deskOn(c.Context(), a, opt.project, func(ctx context.Context, p *project.Project) (store.Store, error) { return p.OpenToWrite(ctx) })
	if err != nil {
		return err
	}
	defer d.close()
	act, err := d.act(opt)
	if err != nil {
		return err
	}
	return do(d, act)
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
			return playbookDo(a, c, &opt, func(d *desk, act playbook.Act) (*bulletChange, error) {
				act.Session = session
				entries, err := d.Do(c.Context(), act, func(draft *playbook.Draft) error {
					for _, id := range args {
						if _, err := draft.Credit(id, polarity[0]); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return nil, err
				}
				r, err := d.changed("credited", args, entries)
				if err == nil && len(entries) == 0 {
					r.note = "The session " + ui.Clean(session) + " has counted so before: a session counts once."
				}
				return r, err
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
