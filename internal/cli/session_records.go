package cli

import (
	"context"

	"brenner/config"
	"brenner/fault"
	"brenner/flow"
	"brenner/govern"
	"brenner/session"
	"brenner/store"
)

// projectRecords has the assembler say what agents of a session are shown of the
// project's records: what was promoted, of the session's module and of the whole
// project, as far as their role may read it.
func (a *app) projectRecords(cfg *config.Config, st store.Store) func(ctx context.Context, role, module string) (session.Given, error) {
	door := a.door(cfg, st)
	return func(ctx context.Context, role, module string) (session.Given, error) {
		g, err := door.Context(ctx, govern.Request{Role: role, Modules: []string{module}, Canonical: true})
		switch {
		case fault.CodeOf(err) == govern.UnknownRole: // it may read nothing, so it is shown nothing
			return session.Given{}, nil
		case err != nil || len(g.Shown) == 0:
			return session.Given{}, err
		}
		out := session.Given{Text: g.Text, View: g.Spec}
		for _, s := range g.Shown {
			out.Records = append(out.Records, flow.RecordRef{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form), Content: s.Content})
		}
		return out, nil
	}
}
