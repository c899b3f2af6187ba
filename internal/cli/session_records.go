package cli

import (
	"context"
	"fmt"

	"brenner/config"
	"brenner/fault"
	"brenner/flow"
	"brenner/govern"
	"brenner/record"
	"brenner/session"
	"brenner/store"
	"brenner/view"
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
			if s.Form == view.Full && s.Type != record.ResearchArtifact && door.Access.MayWrite(role, s.Type) {
				out.Patchable = append(out.Patchable, s.Ref.String())
			}
			out.Records = append(out.Records, flow.RecordRef{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form), Content: s.Content})
		}
		return out, nil
	}
}

// patchRecords carries out what agents of a session say about the texts that they were
// shown, by the rights of their roles.
func (a *app) patchRecords(cfg *config.Config, st store.Store) func(ctx context.Context, p *session.Patching) ([]session.Patched, error) {
	door := a.door(cfg, st)
	return func(ctx context.Context, p *session.Patching) ([]session.Patched, error) {
		answer := &govern.Answer{Text: p.Text, Change: fmt.Sprintf("%s, round %d: the answer to %s", p.Thread, p.Round, p.Call)}
		if p.Rehearsal {
			answer.Tags = []string{"rehearsal"} // as all that the session puts
		}
		for _, r := range p.Shown {
			if r.Form == string(view.Full) {
				answer.Shown = append(answer.Shown, record.Ref{ID: r.ID, Version: r.Version})
			}
		}
		said, err := door.PatchBy(ctx, govern.Actor{Name: p.Agent, Role: p.Role}, answer)
		if err != nil {
			return nil, err
		}
		out := make([]session.Patched, len(said))
		for i := range said {
			out[i] = patchedBy(&said[i])
		}
		return out, nil
	}
}

func patchedBy(s *govern.Said) session.Patched {
	out := session.Patched{Patch: flow.Patch{Record: s.Name, Text: s.Content, Message: s.Warning}, BlocksText: s.Blocks, PatchText: s.Patch}
	switch {
	case s.Made != nil:
		out.Made, out.Status = s.Made.Ref().String(), s.Made.Status
	case len(s.Problem) > 0:
		p := &s.Problem[0]
		out.Code, out.Message, out.Hint = p.Code, p.Message, p.Hint
	}
	return out
}
