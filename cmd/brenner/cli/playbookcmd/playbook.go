package playbookcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/project"
)

// Command returns the playbook commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "playbook",
		GroupID: ui.Other,
		Short:   "What the project has learned: lessons, their counters, and the proof of both",
		Long: `The playbook holds short lessons, called bullets, that later sessions get to see. What a
bullet says never changes; it is counted how often it helped and how often it harmed, and
the counters move it: SHADOW, STAGING, PROD, or QUARANTINED. Every change is an entry of a
journal that proves itself.`,
	}
	c.AddCommand(
		playbookAddCommand(a), playbookReplaceCommand(a), playbookCreditCommand(a), playbookListCommand(a), playbookShowCommand(a),
		playbookHistoryCommand(a), playbookPromoteCommand(a), playbookQuarantineCommand(a), playbookRestoreCommand(a), playbookReviewCommand(a),
		playbookRollbackCommand(a), playbookVerifyCommand(a), playbookRenderCommand(a), playbookImportCommand(a), playbookExportCommand(a),
		playbookStatsCommand(a), playbookHarvestCommand(a),
	)
	ui.Group(c)
	return c
}

// withBook opens the playbook of a project, in one of the ways to open it.
func withBook(a *ui.App, c *cobra.Command, dir string, open func(*project.Project, context.Context) (*project.Playbook, error), do func(*project.Playbook) error) error {
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	b, err := open(p, c.Context())
	if err != nil {
		return err
	}
	defer b.Close()
	return do(b)
}

// show prints a result, unless there is an error.
func show(a *ui.App, r ui.Result, err error) error {
	if err != nil {
		return err
	}
	return a.Show(r)
}

// actFlags say who does something to the playbook, and why.
type actFlags struct {
	project string
	as      string
	reason  string
}

func (f *actFlags) add(c *cobra.Command, reason string) {
	ui.AddProjectFlag(c, &f.project)
	c.Flags().StringVar(&f.as, "as", "", "who does it: the operator, or one of the authorities; the operator of brenner.yaml if not given")
	c.Flags().StringVar(&f.reason, "reason", "", reason)
}

// withPlaybook opens the playbook to change it, and shows what became of it.
func withPlaybook(a *ui.App, c *cobra.Command, opt *actFlags, do func(*project.Playbook, playbook.Act) (ui.Result, error)) error {
	return withBook(a, c, opt.project, (*project.Project).ChangePlaybook, func(b *project.Playbook) error {
		act, err := b.Act(opt.as, opt.reason)
		if err != nil {
			return err
		}
		r, err := do(b, act)
		return show(a, r, err)
	})
}

// someIDs refuses other numbers of bullets.
func someIDs(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most > 0 && len(args) > most {
			return ui.Usage(c, fmt.Sprintf("%s needed, %d given", text.Plural(least, "bullet is", "bullets are"), len(args)), "`brenner playbook list` shows their ids")
		}
		return nil
	}
}
