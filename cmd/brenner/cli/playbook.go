package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/endpoint"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
)

func (a *app) playbookCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "playbook",
		GroupID: other,
		Short:   "What the project has learned: lessons, their counters, and the proof of both",
		Long: `The playbook holds short lessons, called bullets, that later sessions get to see. What a
bullet says never changes; it is counted how often it helped and how often it harmed, and
the counters move it: SHADOW, STAGING, PROD, or QUARANTINED. Every change is an entry of a
journal that proves itself.`,
	}
	c.AddCommand(
		a.playbookAddCommand(), a.playbookReplaceCommand(), a.playbookCreditCommand(), a.playbookListCommand(), a.playbookShowCommand(),
		a.playbookHistoryCommand(), a.playbookPromoteCommand(), a.playbookQuarantineCommand(), a.playbookRestoreCommand(), a.playbookReviewCommand(),
		a.playbookRollbackCommand(), a.playbookVerifyCommand(), a.playbookRenderCommand(), a.playbookImportCommand(), a.playbookExportCommand(),
		a.playbookStatsCommand(), a.playbookHarvestCommand(),
	)
	group(c)
	return c
}

// desk is an open playbook, with what is needed to work on it.
type desk struct {
	*keeper.Keeper
	app    *app
	config *Project
	store  store.Store
}

// openPlaybook opens the playbook of a project. A command that only looks makes no
// store: where there is none, it finds an empty playbook.
func (a *app) openPlaybook(ctx context.Context, project string) (*desk, error) {
	return a.deskOn(ctx, project, func(ctx context.Context, cfg *Project) (store.Store, error) {
		st, err := cfg.openToRead(ctx)
		if fault.CodeOf(err) == store.NoStore {
			return memory.New(), nil
		}
		return st, err
	})
}

// deskOn opens the playbook in a store.
func (a *app) deskOn(ctx context.Context, project string, open func(context.Context, *Project) (store.Store, error)) (*desk, error) {
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return nil, err
	}
	e, err := cfg.embedder()
	if err != nil {
		return nil, err
	}
	st, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: st, Rules: cfg.Playbook.Rules, Embedder: e, Now: a.Now})
	if err != nil {
		a.closeStore(st)
		return nil, err
	}
	return &desk{Keeper: k, app: a, config: cfg, store: st}, nil
}

// openToSearch opens a playbook in order to search it, which may have to write: with
// another model, bullets are embedded anew. Where there is no store, none is made, and
// where it cannot be written, the new vectors are forgotten.
func (a *app) openToSearch(ctx context.Context, project string) (*desk, error) {
	return a.deskOn(ctx, project, func(ctx context.Context, cfg *Project) (store.Store, error) {
		st, err := cfg.openToRead(ctx)
		if fault.CodeOf(err) == store.NoStore {
			return memory.New(), nil
		}
		if err != nil {
			return nil, err
		}
		return &lateStore{Store: st, open: func(ctx context.Context, before store.Store) (store.Store, error) {
			return toKeepVectors(ctx, before, func(ctx context.Context) (store.Store, error) { return cfg.openStore(ctx) })
		}}, nil
	})
}

// toKeepVectors opens a store that was read for writing, or makes one to forget.
func toKeepVectors(ctx context.Context, before store.Store, open func(context.Context) (store.Store, error)) (store.Store, error) {
	st, err := open(ctx)
	if fault.CodeOf(err) == store.Unwritable {
		return scratch(ctx, before, playbook.Stream)
	}
	if err != nil {
		return nil, err
	}
	return st, before.Close()
}

func (d *desk) close() { d.app.closeStore(d.store) }

// embedder gives what makes vectors: the model that is part of the program, or an
// endpoint. A key goes to an address of a file only where the user trusts that file.
func (p *Project) embedder() (embedding.Embedder, error) {
	e := p.Playbook.Embedding
	if e.Model == "" && e.BaseURL == "" {
		return uselite.New(uselite.Options{Lower: true}), nil
	}
	if e.Model == "" || e.BaseURL == "" {
		return nil, &fault.Error{
			Code: embedding.Setup, Place: "playbook.embedding", Detail: "an endpoint needs both model and base_url",
			Hint: "set both, or none for the model that is part of the program",
		}
	}
	name := e.KeyEnv
	if name == "" {
		name = envKey
	}
	key := p.variable(name)
	if key != "" {
		m := &models{config: p}
		what := fmt.Sprintf("send the key of %s to %s", name, e.BaseURL)
		for _, k := range []string{"playbook.embedding.base_url", "playbook.embedding.key_env"} {
			if err := m.mustTrust(p.Origin(k), what); err != nil {
				return nil, err
			}
		}
	}
	return endpoint.New(endpoint.Options{
		BaseURL: e.BaseURL, Key: key, KeyName: name, Model: e.Model, Client: &http.Client{Timeout: p.Timeouts.Call},
	})
}

// actFlags say who does something to the playbook, and why.
type actFlags struct {
	project string
	as      string
	reason  string
}

func (f *actFlags) add(c *cobra.Command, reason string) {
	addProjectFlag(c, &f.project)
	c.Flags().StringVar(&f.as, "as", "", "who does it: the operator, or one of the authorities; the operator of brenner.yaml if not given")
	c.Flags().StringVar(&f.reason, "reason", "", reason)
}

// act gives who acts. Only people who have a say may: what they say is worth more than
// an agent's word.
func (d *desk) act(f *actFlags) (playbook.Act, error) {
	as := f.as
	if as == "" {
		as = d.config.Operator
	}
	if as != d.config.Operator && !slices.Contains(d.config.Authorities, as) {
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
			return usage(c, fmt.Sprintf("%s needed, %d given", plural(least, "bullet is", "bullets are"), len(args)), "`brenner playbook list` shows their ids")
		}
		return nil
	}
}
