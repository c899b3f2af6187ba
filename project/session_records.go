package project

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// projectRecords is the project's store as sessions know it. Several of them may ask it
// at once.
type projectRecords struct {
	door *govern.Door

	mu sync.Mutex
	// given is what roles are shown in modules, as long as nobody decides anything: the
	// door's journal then ends where it did.
	given   map[[2]string]session.Given
	decided journal.Head
}

// sessionRecords returns the records of the project as sessions see them.
func (p *Project) sessionRecords(st store.Store) *projectRecords {
	return &projectRecords{door: p.Door(st)}
}

// Given says what agents of a session are shown of the project's records. Only what was
// promoted is, so that it stays the same until the next decision.
func (p *projectRecords) Given(ctx context.Context, role, module string) (session.Given, error) {
	decided, err := p.door.Decided(ctx)
	if err != nil || decided.Seq == 0 { // nobody has put anything, so nothing was promoted
		return session.Given{}, err
	}
	key := [2]string{role, module}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decided != decided {
		p.decided, p.given = decided, make(map[[2]string]session.Given)
	}
	given, known := p.given[key]
	if known {
		return given, nil
	}
	if given, err = p.assemble(ctx, role, module); err == nil {
		p.given[key] = given
	}
	return given, err
}

// assemble has the assembler say what agents of a session are shown of the project's
// records: what was promoted, of the session's module and of the whole project, as far
// as their role may read it.
func (p *projectRecords) assemble(ctx context.Context, role, module string) (session.Given, error) {
	g, err := p.door.Context(ctx, govern.Request{Role: role, Modules: []string{module}, Canonical: true})
	switch {
	case fault.CodeOf(err) == govern.UnknownRole: // it may read nothing, so it is shown nothing
		return session.Given{}, nil
	case err != nil || len(g.Shown) == 0:
		return session.Given{}, err
	}
	out := session.Given{Text: g.Text, View: g.Spec}
	for _, s := range g.Shown {
		if s.Form == view.Full && s.Type != record.ResearchArtifact && p.door.Access.MayWrite(role, s.Type) {
			out.Patchable = append(out.Patchable, s.Ref.String())
		}
		out.Records = append(out.Records, flow.RecordRef{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form), Content: s.Content})
	}
	return out, nil
}

// Moved asks the door which of them were promoted away meanwhile.
func (p *projectRecords) Moved(ctx context.Context, shown []flow.RecordRef) ([]flow.MovedRecord, store.Append, error) {
	var all []contexts.ShownRecord
	for _, r := range shown {
		all = append(all, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}, Type: r.Type, Content: r.Content})
	}
	moved, hold, err := p.door.Overtaken(ctx, all)
	var out []flow.MovedRecord
	for _, m := range moved {
		out = append(out, flow.MovedRecord{ID: m.Input.ID, Version: m.Input.Version, Now: m.Now})
	}
	return out, hold, err
}

// ShowRecords composes the messages once more, with what their agents would be shown
// of the project's records, if it has any.
func (k *Composed) ShowRecords(ctx context.Context, module string) error {
	st, err := k.Project.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return nil
	}
	if err != nil {
		return err
	}
	defer k.Project.CloseStore(st)
	if _, err := session.ShowRecords(ctx, k.Project.sessionRecords(st), cmp.Or(module, record.Project), &k.Input); err != nil {
		return err
	}
	k.Messages, err = kickoff.Compose(k.Input)
	return err
}

// Patch carries out what agents of a session say about the texts that they were shown,
// by the rights of their roles.
func (p *projectRecords) Patch(ctx context.Context, said *session.Patching) ([]session.Patched, error) {
	answer := &govern.Answer{Text: said.Text, Change: fmt.Sprintf("%s, round %d: the answer to %s", said.Thread, said.Round, said.Call)}
	if said.Rehearsal {
		answer.Tags = []string{record.Rehearsal} // as all that the session puts
	}
	for _, r := range said.Shown {
		if r.Form == string(view.Full) {
			answer.Shown = append(answer.Shown, record.Ref{ID: r.ID, Version: r.Version})
		}
	}
	all, err := p.door.PatchBy(ctx, govern.Actor{Name: said.Agent, Role: said.Role}, answer)
	if err != nil {
		return nil, err
	}
	out := make([]session.Patched, len(all))
	for i := range all {
		out[i] = patchedBy(&all[i])
	}
	return out, nil
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
