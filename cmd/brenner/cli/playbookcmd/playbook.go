package playbookcmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
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

// desk is an open playbook, with what is needed to work on it.
type desk struct {
	*keeper.Keeper
	app     *ui.App
	project *project.Project
	store   store.Store
}

// openPlaybook opens the playbook of a project. A command that only looks makes no
// store: where there is none, it finds an empty playbook.
func openPlaybook(ctx context.Context, a *ui.App, dir string) (*desk, error) {
	return deskOn(ctx, a, dir, func(ctx context.Context, p *project.Project) (store.Store, error) {
		st, err := p.OpenToRead(ctx)
		if fault.CodeOf(err) == store.NoStore {
			return memory.New(), nil
		}
		return st, err
	})
}

// deskOn opens the playbook in a store.
func deskOn(ctx context.Context, a *ui.App, project string, open func(context.Context, *project.Project) (store.Store, error)) (*desk, error) {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return nil, err
	}
	e, err := p.Embedder()
	if err != nil {
		return nil, err
	}
	st, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: st, Rules: p.Config.Playbook.Rules, Embedder: e, Now: a.Now})
	if err != nil {
		a.CloseStore(st)
		return nil, err
	}
	return &desk{Keeper: k, app: a, project: p, store: st}, nil
}

// openToSearch opens a playbook in order to search it, which may have to write: with
// another model, bullets are embedded anew. Where there is no store, none is made, and
// where it cannot be written, the new vectors are forgotten.
func openToSearch(ctx context.Context, a *ui.App, dir string) (*desk, error) {
	return deskOn(ctx, a, dir, func(ctx context.Context, p *project.Project) (store.Store, error) {
		st, err := p.OpenToRead(ctx)
		if fault.CodeOf(err) == store.NoStore {
			return memory.New(), nil
		}
		if err != nil {
			return nil, err
		}
		return &project.LateStore{Store: st, Open: func(ctx context.Context, before store.Store) (store.Store, error) {
			return project.ToKeepVectors(ctx, before, func(ctx context.Context) (store.Store, error) { return p.OpenStore(ctx) })
		}}, nil
	})
}

func (d *desk) close() { d.app.CloseStore(d.store) }

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

// act gives who acts. Only people who have a say may: what they say is worth more than
// an agent's word.
func (d *desk) act(f *actFlags) (playbook.Act, error) {
	as := f.as
	if as == "" {
		as = d.project.Config.Operator
	}
	if as != d.project.Config.Operator && !slices.Contains(d.project.Config.Authorities, as) {
		return playbook.Act{}, &fault.Error{
			Code: session.NotAllowed, Detail: fault.Shown(as) + " is no authority of this project",
			Hint: "the operator and those under authorities: in " + config.FileName + " decide about the playbook",
		}
	}
	return playbook.Act{Actor: as, Reason: f.reason}, nil
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
