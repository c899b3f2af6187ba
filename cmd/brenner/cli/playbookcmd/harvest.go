package playbookcmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

func playbookHarvestCommand(a *ui.App) *cobra.Command {
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
		RunE: func(c *cobra.Command, args []string) error { return playbookHarvest(a, c, project, args) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func playbookHarvest(a *ui.App, c *cobra.Command, dir string, args []string) error {
	ctx := c.Context()
	var threads []string
	if len(args) == 1 {
		thread, err := ui.StoredSession(c, args[0])
		if err != nil {
			return err
		}
		threads = []string{thread}
	}
	p, err := a.Open(dir, "", nil)
	if err != nil {
		return err
	}
	res := &harvestResult{Schema: "brenner.playbook.harvest/v1", Sessions: []harvestedSession{}}
	// A look first: where there is no store, none is made.
	look, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore && len(args) == 0 {
		return a.Show(res)
	}
	if err != nil {
		return err
	}
	a.CloseStore(look)
	st, err := p.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer a.CloseStore(st)
	if len(args) == 0 {
		if threads, err = project.Due(ctx, st); err != nil {
			return err
		}
	}
	m := &project.LessonBook{Project: p, Store: st, Counter: tokens.New(), Tell: a.Learned(false)}
	for _, thread := range threads {
		h, err := session.Load(ctx, st, thread)
		if err != nil {
			return err
		}
		if err := project.MustTeach(h); err != nil {
			if len(args) == 0 {
				continue // it will, when it ends
			}
			return err
		}
		one, err := harvested(m, ctx, h)
		if err != nil {
			return err
		}
		res.Sessions = append(res.Sessions, one)
	}
	return a.Show(res)
}

func harvested(m *project.LessonBook, ctx context.Context, h *session.History) (harvestedSession, error) {
	learned, back, err := m.Take(ctx, h)
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

func (r *harvestResult) Print(a *ui.App) error {
	if a.Quiet {
		return nil
	}
	var b strings.Builder
	for i := range r.Sessions {
		s := &r.Sessions[i]
		text := project.LearnedText(s.Learned)
		if s.Nothing() {
			text = "nothing new"
		}
		if s.RolledBack != "" {
			text += "; " + ui.Clean(s.RolledBack)
		}
		b.WriteString(ui.Clean(s.Thread) + ": " + text + "\n")
	}
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing is due: the playbook has learned from every session that ended.\n")
	}
	return a.Write([]byte(b.String()))
}
