package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/store"
)

func (a *app) playbookHarvestCommand() *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "harvest [ID]",
		Short: "Learn from sessions that have ended, where that has not happened yet",
		Long: `A session teaches the playbook when it ends. Where that could not happen, because the
process was killed, or where people have ruled in the session since, the next
` + "`brenner session start`" + ` catches up on it; this command does so at once.

Nothing counts twice, however often it is called. With ID it learns from one session, also
from one that was imported: those never teach by themselves. A rehearsal teaches nothing.`,
		Example: `  brenner playbook harvest
  brenner playbook harvest RS-20261115-cell-fate

Exit codes: 0 done, even if there was nothing to learn; 1 it could not be stored, or a session is
damaged; 2 there is no such session, it has not ended, or it is a rehearsal; 75 the store is busy,
or the endpoint for embeddings cannot be reached.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.playbookHarvest(c, project, args) },
	}
	addProjectFlag(c, &project)
	return c
}

func (a *app) playbookHarvest(c *cobra.Command, project string, args []string) error {
	ctx := c.Context()
	var threads []string
	if len(args) == 1 {
		thread, err := storedSession(c, args[0])
		if err != nil {
			return err
		}
		threads = []string{thread}
	}
	cfg, err := a.open(project, "", nil)
	if err != nil {
		return err
	}
	res := &harvestResult{Schema: "brenner.playbook.harvest/v1", Sessions: []harvestedSession{}}
	// A look first: where there is no store, none is made.
	look, err := cfg.openToRead(ctx)
	if fault.CodeOf(err) == store.NoStore && len(args) == 0 {
		return a.show(res)
	}
	if err != nil {
		return err
	}
	a.closeStore(look)
	st, err := cfg.openStore(ctx)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	if len(args) == 0 {
		if threads, err = due(ctx, st); err != nil {
			return err
		}
	}
	m := &lessonBook{config: cfg, store: st, counter: tokens.New(), tell: a.learned(false)}
	for _, thread := range threads {
		h, err := session.Load(ctx, st, thread)
		if err != nil {
			return err
		}
		if err := mustTeach(h); err != nil {
			if len(args) == 0 {
				continue // it will, when it ends
			}
			return err
		}
		one, err := m.harvested(ctx, h)
		if err != nil {
			return err
		}
		res.Sessions = append(res.Sessions, one)
	}
	return a.show(res)
}

func (m *lessonBook) harvested(ctx context.Context, h *session.History) (harvestedSession, error) {
	learned, back, err := m.take(ctx, h)
	return harvestedSession{Thread: h.Thread, Learned: learned, RolledBack: back}, err
}

// harvestResult is what the playbook has learned.
type harvestResult struct {
	Schema   string             `json:"schema"`
	Sessions []harvestedSession `json:"sessions"`
}

type harvestedSession struct {
	Thread string `json:"thread_id"`
	keeper.Learned
	RolledBack string `json:"rolled_back"` // what the guardrail took back, and why
}

func (r *harvestResult) document() any { return r }

func (r *harvestResult) text(a *app) error {
	if a.quiet {
		return nil
	}
	var b strings.Builder
	for i := range r.Sessions {
		s := &r.Sessions[i]
		text := learnedText(s.Learned)
		if s.Nothing() {
			text = "nothing new"
		}
		if s.RolledBack != "" {
			text += "; " + clean(s.RolledBack)
		}
		b.WriteString(clean(s.Thread) + ": " + text + "\n")
	}
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing is due: the playbook has learned from every session that ended.\n")
	}
	return a.write([]byte(b.String()))
}
