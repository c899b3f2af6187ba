// Package shown is a project's records as sessions see them: what agents are shown of them, which of that no
// longer holds, and the patches and records in replies.
package shown

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"brenner/govern"
	"brenner/govern/brief"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/patch"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Records is a project's store as sessions see it. It is safe for concurrent use.
type Records struct {
	Records *govern.Records
	// Unpinned are tasks of a preview that are not pinned yet, by their address.
	Unpinned map[string]govern.Request

	mu sync.Mutex
	// cached holds the records shown to each role in each module, or for each task. A new journal
	// entry clears it.
	cached  map[[3]string]session.ShownRecords
	decided journal.Head
}

// Creates returns the types of records that agents of a role may create.
func Creates(rs *govern.Records, role string) []string {
	return rs.Types.Names(func(t record.Type) bool {
		return !t.Raw && t.Name != record.ResearchArtifact && rs.Access.MayWrite(role, t.Name)
	})
}

// RecordsFor returns the records that agents of a session are shown: only promoted ones, so the
// result stays the same until the next decision. The agent of a task is shown the context of the task.
func (p *Records) RecordsFor(ctx context.Context, role, module, task string) (session.ShownRecords, error) {
	if q, ok := p.Unpinned[task]; ok {
		return p.assemble(ctx, q)
	}
	decided, err := p.Records.ChangesHead(ctx)
	if err != nil || decided.Seq == 0 { // no records, so none was promoted
		return session.ShownRecords{}, err
	}
	key := [3]string{role, module, task}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decided != decided {
		p.decided, p.cached = decided, make(map[[3]string]session.ShownRecords)
	}
	shown, known := p.cached[key]
	if known {
		return shown, nil
	}
	q := govern.Request{Role: role, Modules: []string{module}, Canonical: true, Session: true}
	if task != "" {
		q = govern.Request{Role: role, Task: task, Full: true, Session: true}
	}
	if shown, err = p.assemble(ctx, q); err == nil {
		p.cached[key] = shown
	}
	return shown, err
}

// assemble selects the records that agents of a session are shown: promoted ones of the
// session's module and of the entire project that their role may read, or the context of their task.
func (p *Records) assemble(ctx context.Context, q govern.Request) (session.ShownRecords, error) {
	role := q.Role
	g, err := p.Records.Context(ctx, q)
	switch {
	case !q.Full && fault.CodeOf(err) == govern.UnknownRole: // a role that may read nothing
		return session.ShownRecords{}, nil
	case err != nil || !q.Full && len(g.Shown) == 0:
		return session.ShownRecords{}, err
	}
	out := p.shown(role, &g.Context)
	if q.Task != "" {
		_, task, _, err := p.Records.Task(ctx, q.Task)
		if err != nil {
			return session.ShownRecords{}, err
		}
		for _, in := range task.Inputs {
			out.Inputs = append(out.Inputs, flow.RecordRef{ID: in.ID, Version: in.Version, Type: in.Type})
		}
	}
	out.Within = func(limit int) (session.ShownRecords, error) {
		c, err := g.Within(limit)
		if err != nil {
			return session.ShownRecords{}, err
		}
		return p.shown(role, &c), nil
	}
	return out, nil
}

func (p *Records) shown(role string, c *contexts.Context) session.ShownRecords {
	out := session.ShownRecords{
		Text: c.Text, View: c.Spec, Tokens: c.Tokens, More: c.More, LeftFields: c.LeftFields, Fields: c.Fields, Over: c.Over,
		Creates: Creates(p.Records, role),
	}
	if len(c.Shown) == 0 {
		out.Text = ""
	}
	for _, l := range c.LeftOut {
		if l.Rule == view.OverBound || l.Rule == contexts.OverTopK {
			out.Left = append(out.Left, flow.RecordRef{ID: l.Ref.ID, Version: l.Ref.Version})
		}
	}
	for _, s := range c.Shown {
		if s.Form == view.Full && s.Type != record.ResearchArtifact && p.Records.Access.MayWrite(role, s.Type) {
			out.Patchable = append(out.Patchable, s.Ref.String())
			out.Hashes = append(out.Hashes, s.Base)
		}
		out.Records = append(out.Records, flow.RecordRef{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form), Content: s.Content})
	}
	return out
}

// BriefText returns the fields of a version of the project's brief, each under its name, or "" if it
// is the brief of another project.
func (p *Records) BriefText(ctx context.Context, ref flow.RecordRef) (string, error) {
	content, err := p.Records.Store.Blob(ctx, ref.Content)
	if fault.CodeOf(err) == store.NoBlob {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	r, _, err := p.Records.Find(ctx, record.Ref{ID: ref.ID, Version: ref.Version}.String())
	if err != nil && fault.CodeOf(err) != store.NoRecord {
		return "", err
	}
	b := brief.Parse(string(content))
	return contexts.BriefText(&r, &b), nil
}

// StaleRecords returns which of the records shown in a session no longer hold.
func (p *Records) StaleRecords(ctx context.Context, thread string, shown []flow.RecordRef) ([]flow.MovedRecord, store.Append, error) {
	var all []contexts.ShownRecord
	for _, r := range shown {
		all = append(all, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}, Type: r.Type, Content: r.Content})
	}
	moved, hold, err := p.Records.NoLongerHold(ctx, thread, all)
	var out []flow.MovedRecord
	for _, m := range moved {
		out = append(out, flow.MovedRecord{ID: m.Input.ID, Version: m.Input.Version, Now: m.Now})
	}
	return out, hold, err
}

// Patch applies the patches in a reply to the records that the agent was shown, within the
// rights of its role.
func (p *Records) Patch(ctx context.Context, in *session.PatchInput) ([]session.PatchOutcome, error) {
	answer := replyTo(in)
	if in.Opened != nil && in.Opened.Task != "" {
		why, err := whyOther(ctx, p.Records, in.Opened)
		if err != nil {
			return nil, err
		}
		if why == "" {
			answer.Task = in.Opened.Task
		}
	}
	all, err := p.Records.PatchBy(ctx, govern.Actor{Name: in.Agent, Role: in.Role}, answer)
	if err != nil {
		return nil, err
	}
	out := make([]session.PatchOutcome, len(all))
	for i := range all {
		beside, err := besideNote(ctx, p.Records, all[i].Made)
		if err != nil {
			return nil, err
		}
		all[i].Warning = withIgnored(nil, all[i].Warning, beside)
		out[i] = patchedBy(&all[i])
	}
	return out, nil
}

// CheckPatches returns what Patch would refuse or leave out, and how many texts it would change.
func (p *Records) CheckPatches(ctx context.Context, in *session.PatchInput) (refused []settle.Defect, applies int, err error) {
	all, err := p.Records.CheckPatches(ctx, govern.Actor{Name: in.Agent, Role: in.Role}, replyTo(in))
	for i := range all {
		one := &all[i]
		if len(one.Problem) == 0 {
			applies++
		}
		for _, q := range one.Problem {
			refused = append(refused, settle.Defect{
				Line: one.Line, Column: 1, Section: settle.TextPatch, Target: one.Name, Code: q.Code, Message: q.Message, Hint: cmp.Or(q.Hint, "correct it, or leave it out"),
				Final: q.Code == policy.OutOfScope || q.Code == patch.BlockShown,
			})
		}
	}
	return refused, applies, err
}

func replyTo(in *session.PatchInput) *govern.Reply {
	answer := &govern.Reply{Text: in.Text, Reader: in.Reader, Source: in.Source, Change: fmt.Sprintf("%s, round %d: the answer to %s", in.Thread, in.Round, in.Call)}
	if in.Rehearsal {
		answer.Tags = []string{record.Rehearsal} // like everything that the session writes
	}
	for _, r := range in.Shown {
		answer.Inputs = append(answer.Inputs, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}, Content: r.Content})
		if r.Form == string(view.Full) {
			answer.Shown = append(answer.Shown, record.Ref{ID: r.ID, Version: r.Version})
		}
	}
	return answer
}

func patchedBy(s *govern.PatchOutcome) session.PatchOutcome {
	out := session.PatchOutcome{Patch: flow.Patch{Record: s.Name, Text: s.Content, Message: s.Warning}, BlocksText: s.Blocks, PatchText: s.Patch}
	switch {
	case s.Made != nil:
		out.Made, out.Status = s.Made.Ref().String(), s.Made.Status
	case len(s.Problem) > 0:
		p := &s.Problem[0]
		out.Code, out.Message, out.Hint = p.Code, p.Message, p.Hint
	}
	return out
}
