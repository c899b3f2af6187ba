package ui

import (
	"context"

	"github.com/spf13/cobra"

	"brenner/project"
	"brenner/session"
)

// WithSession runs a read-only command on a session or an export.
func (a *App) WithSession(c *cobra.Command, project, arg string, do func(context.Context, *project.Source, *session.History) error) error {
	ctx := c.Context()
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	src, err := p.OpenSource(ctx, arg)
	if err != nil {
		return err
	}
	defer a.CloseStore(src.Store)
	h, err := session.Load(ctx, src.Store, src.Address.Thread)
	if err != nil {
		return err
	}
	return do(ctx, src, h)
}
