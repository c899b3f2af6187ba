package playbookcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
)

// moveCommand is a command by which a person moves bullets.
func moveCommand(a *ui.App, c *cobra.Command, did string, move func(*playbook.Draft, string) error) *cobra.Command {
	var opt actFlags
	c.Args = someIDs(1, 0)
	c.RunE = func(c *cobra.Command, args []string) error {
		return withPlaybook(a, c, &opt, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
			r, err := b.Each(c.Context(), act, did, args, move)
			return &changeView{Change: r}, err
		})
	}
	opt.add(c, "why; needed")
	return c
}

const moveCodes = `

Exit codes: 0 done; 1 it could not be stored; 2 there is no such bullet, no reason, or its stage
does not allow it, and nothing is written; 4 --as names no authority; 75 the store is busy.`

func playbookPromoteCommand(a *ui.App) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "promote ID…",
		Short: "Move bullets up on a person's word, whatever their counters say",
		Long: `Moves bullets up without waiting for their counters: to STAGING, or to PROD, where every
session sees them. The journal calls it "force".`,
		Example: `  brenner playbook promote pb-00007 --to PROD --reason "we have done so for years"` + moveCodes,
	}
	c.Flags().StringVar(&to, "to", string(playbook.Prod), "STAGING or PROD")
	return moveCommand(a, c, "promoted", func(d *playbook.Draft, id string) error { return d.Promote(id, playbook.Stage(strings.ToUpper(to))) })
}

func playbookQuarantineCommand(a *ui.App) *cobra.Command {
	return moveCommand(a, &cobra.Command{
		Use:     "quarantine ID…",
		Short:   "Take bullets out of every prompt",
		Long:    `Takes bullets out of every prompt until a person restores them. They are still counted.`,
		Example: `  brenner playbook quarantine pb-00007 --reason "it leads to overfitting"` + moveCodes,
	}, "quarantined", (*playbook.Draft).Quarantine)
}

func playbookRestoreCommand(a *ui.App) *cobra.Command {
	return moveCommand(a, &cobra.Command{
		Use:     "restore ID…",
		Short:   "Let bullets out of quarantine, to SHADOW",
		Long:    `Lets bullets out of quarantine: nothing but a person does. They begin again in SHADOW.`,
		Example: `  brenner playbook restore pb-00007 --reason "the harm was of another cause"` + moveCodes,
	}, "restored", (*playbook.Draft).Restore)
}

func playbookReviewCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var approve, reject bool
	c := &cobra.Command{
		Use:   "review [ID…]",
		Short: "List the bullets that wait for a person, or decide about some",
		Long: `Lists the bullets whose counters would have them in PROD, but whose confidence is below
playbook.prod.confidence: a person decides. --approve moves them to PROD, --reject into
quarantine.`,
		Example: `  brenner playbook review
  brenner playbook review pb-00007 --approve --reason "checked against the data"
  brenner playbook review pb-00009 --reject --reason "too broad"

Exit codes: 0 listed or done; 1 it could not be stored; 2 there is no such bullet, no reason, or
it does not wait, and nothing is written; 4 --as names no authority; 75 the store is busy.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && !approve && !reject:
				return playbookWaiting(a, c, opt.project)
			case approve == reject:
				return ui.Usage(c, "one of --approve and --reject is needed to decide", "")
			case len(args) == 0:
				return ui.Usage(c, "which bullets?", "`brenner playbook review` lists those that wait")
			}
			did := "approved"
			if reject {
				did = "rejected"
			}
			return withPlaybook(a, c, &opt, func(b *project.Playbook, act playbook.Act) (ui.Result, error) {
				r, err := b.Each(c.Context(), act, did, args, func(d *playbook.Draft, id string) error { return d.Review(id, approve) })
				return &changeView{Change: r}, err
			})
		},
	}
	opt.add(c, "why; needed to decide")
	c.Flags().BoolVar(&approve, "approve", false, "move them to PROD")
	c.Flags().BoolVar(&reject, "reject", false, "move them into quarantine")
	return c
}

func playbookWaiting(a *ui.App, c *cobra.Command, dir string) error {
	return withBook(a, c, dir, (*project.Project).OpenPlaybook, func(b *project.Playbook) error {
		l, err := b.List(c.Context(), keeper.ListOptions{Waiting: true})
		if err != nil {
			return err
		}
		v := &listView{List: l, none: "No bullet waits for a person.\n"}
		if n := len(l.Bullets); n > 0 {
			v.hint = fmt.Sprintf("%s for a person: brenner playbook review ID --approve|--reject --reason …\n", text.Plural(n, "bullet waits", "bullets wait"))
		}
		return a.Show(v)
	})
}
