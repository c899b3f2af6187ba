package project

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/tokens"
	"brenner/patch"
	patchfiles "brenner/patch/files"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Records provides access to a project's records as one actor.
type Records struct {
	*govern.Records
	Actor   govern.Actor
	Project *Project
}

// RecordsOptions configure how the records are opened.
type RecordsOptions struct {
	As    string // the actor's name; the operator's if empty
	Role  string // of an agent; empty for a person
	Write bool
	Dry   bool // nothing is written; the store is not upgraded either
}

// OpenRecords opens the project's records. Without Write no store is created.
func (p *Project) OpenRecords(ctx context.Context, o RecordsOptions) (*Records, error) {
	st, err := p.recordStore(ctx, &o)
	if err != nil {
		return nil, err
	}
	who := govern.Actor{Name: cmp.Or(o.As, p.Config.Operator), Role: o.Role}
	if strings.TrimSpace(who.Name) != who.Name || strings.ContainsFunc(who.Name, unicode.IsControl) {
		_ = st.Close() // nothing was written
		return nil, &fault.Error{Code: govern.BadRecord, Place: "--as " + fault.Shown(who.Name), Detail: "invalid name: it is blank, has spaces around it, or a control character"}
	}
	return &Records{Records: p.Records(st), Actor: who, Project: p}, nil
}

func (p *Project) recordStore(ctx context.Context, o *RecordsOptions) (store.Store, error) {
	switch {
	case o.Write:
		return p.OpenToWrite(ctx)
	case o.Role != "":
		return p.OpenForRole(ctx)
	case o.Dry:
		return p.OpenUnchanged(ctx)
	}
	return p.OpenToRead(ctx)
}

// Records returns access to the records of a store.
func (p *Project) Records(st store.Store) *govern.Records {
	meaning := session.NewCitations(st)
	return &govern.Records{
		Store: st, Types: p.Config.AllTypes(), Access: p.Config.Access(), Views: p.Config.ContextViews(), Now: p.Now, Count: tokens.New().Count,
		Rules: govern.Rules{
			Compression: p.Config.Records.Compression, Unused: p.Config.Records.Unused, Unattended: p.Config.Records.Unattended,
			Authorities: append([]string{p.Config.Operator}, p.Config.Authorities...), People: p.Config.Records.People, Call: p.Config.Session.Context,
		},
		Artifact: func(ctx context.Context, ref record.Ref) ([]byte, []string, error) {
			return researchArtifact(ctx, st, ref)
		},
		LinkTarget: func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error) {
			ref, known, err := meaning.Resolve(ctx, from, to)
			return ref.Type, ref.Content, known, err
		},
	}
}

// researchArtifact assembles a version of a session's artifact, and returns the lint
// findings against it.
func researchArtifact(ctx context.Context, st store.Store, ref record.Ref) ([]byte, []string, error) {
	h, err := session.Load(ctx, st, ref.ID)
	if fault.CodeOf(err) == session.NoSession {
		return nil, nil, &fault.Error{Code: store.NoRecord, Detail: "no session wrote " + ref.String()}
	}
	if err != nil {
		return nil, nil, err
	}
	art, err := h.Artifact(ctx, ref.Version)
	if err != nil {
		return nil, nil, err
	}
	var faults []string
	for _, f := range lint.Check(artifact.Document{Artifact: art}).Findings {
		if f.Severity == lint.Error {
			faults = append(faults, strings.TrimSpace(f.Item+" "+f.Message))
		}
	}
	return art.JSON(), faults, nil
}

// briefID is the default id of a brief.
const briefID = "project-brief"

// NewBrief is the first draft of a project's brief: its text, or only a question.
type NewBrief struct {
	Question string
	Text     []byte
}

func (b *NewBrief) content() []byte {
	if b.Question == "" {
		return b.Text
	}
	return fmt.Appendf(nil, "# Brief\n\n%s\n\n## Goals\n\n- To be written.\n\n## Constraints\n\n- To be written.\n\n## Out of scope\n\n## Open questions\n\n- %s\n", b.Question, b.summary())
}

func (b *NewBrief) summary() string { return strings.Join(strings.Fields(b.Question), " ") }

// InitBrief stores the first draft of the project's brief, and creates the project's
// configuration if it is missing.
func (r *Records) InitBrief(ctx context.Context, b *NewBrief) (*govern.Written, error) {
	heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(heads) > 0 {
		return nil, &fault.Error{Code: files.AlreadyExists, Detail: "the project already has a brief: " + heads[0].ID, Hint: "`brenner project brief FILE -m REASON` adds a new version"}
	}
	put, err := r.Put(ctx, r.Actor, govern.Draft{ID: briefID, Type: record.ProjectBrief, Content: b.content(), Summary: b.summary()})
	if err != nil {
		return nil, err
	}
	// Only now: a refused draft leaves nothing behind.
	dir := r.Project.Config.Project.Dir // where the brief is stored, too
	if _, err := Init(dir, config.Starter{Question: b.Question}); err != nil && fault.CodeOf(err) != files.AlreadyExists {
		return nil, err
	}
	return govern.NewWritten(put...), nil
}

// PutBrief stores a new version of the project's brief, or the first one.
func (r *Records) PutBrief(ctx context.Context, draft govern.Draft) (*govern.Written, error) {
	h, err := r.brief(ctx)
	if err != nil {
		return nil, err
	}
	draft.ID, draft.Type = h.ID, record.ProjectBrief
	put, err := r.Put(ctx, r.Actor, draft)
	if err != nil {
		return nil, err
	}
	return govern.NewWritten(put...), nil
}

// ShowBrief returns the project's brief: the canonical version, or else the latest
// draft.
func (r *Records) ShowBrief(ctx context.Context) (*govern.RecordText, error) {
	h, err := r.brief(ctx)
	if err != nil {
		return nil, err
	}
	if h.Latest == 0 {
		return nil, &fault.Error{Code: store.NoRecord, Detail: "the project has no brief yet", Hint: "`brenner project init` creates one, `brenner project brief FILE` stores one"}
	}
	return r.Show(ctx, r.Actor, h.ID)
}

// brief returns the record of the project's brief: the canonical one, or else the newest,
// or else one that is not stored yet.
func (r *Records) brief(ctx context.Context) (record.Head, error) {
	for _, canonical := range []bool{true, false} {
		heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Canonical: canonical, Live: true, Newest: true, Limit: 1})
		if err != nil {
			return record.Head{}, err
		}
		if len(heads) > 0 {
			return heads[0], nil
		}
	}
	return record.Head{ID: briefID}, nil
}

// RecordPatches are patches of one record.
type RecordPatches struct {
	Patches patchfiles.Sources
	Address string // the record; results for an older version need a rebase
	Change  string // what changed, and why; defaults to the notes of each patch
	Summary string // of the last version; extracted from the text if empty
	DryRun  bool   // PatchRecord writes nothing, and returns a diff
}

// CheckRecord reports whether patches apply to a record.
func CheckRecord(ctx context.Context, d *govern.Records, who govern.Actor, q *RecordPatches) (*patchfiles.Checked, error) {
	r, _, err := patchRecord(ctx, d, who, q, true)
	if err != nil {
		return nil, err
	}
	return r.Checked(), nil
}

// PatchRecord applies patches to a record: all of them or none. Each makes a new version.
func PatchRecord(ctx context.Context, d *govern.Records, who govern.Actor, q *RecordPatches) (*patchfiles.Applied, error) {
	r, out, err := patchRecord(ctx, d, who, q, q.DryRun)
	if err != nil {
		return nil, err
	}
	if r.DryRun = q.DryRun; r.OK && q.DryRun {
		name := out.Base.String()
		r.Diff = patch.Unified("a/"+name, "b/"+name, out.Before.Canonical(), out.After.Canonical())
	}
	return r, nil
}

// patchRecord applies no patch if one of them cannot be read.
func patchRecord(ctx context.Context, d *govern.Records, who govern.Actor, q *RecordPatches, try bool) (*patchfiles.Applied, *govern.Patched, error) {
	if r := q.Patches.Unapplied(); !r.OK {
		return r, nil, nil
	}
	p := &govern.Patching{Address: q.Address, Change: q.Change, Summary: q.Summary, Try: try}
	for i := range q.Patches {
		p.Patches = append(p.Patches, q.Patches[i].Patch)
	}
	out, err := d.Patch(ctx, who, p)
	if err != nil {
		return nil, nil, err
	}
	hintAtVersion(out)
	r := q.Patches.Compared(out.Base.String(), out.Reports)
	for i := range out.Put {
		made := &out.Put[i].Record
		r.Patches[i].Version, r.Patches[i].Status = made.Ref().String(), made.Status
		r.Written = append(r.Written, r.Patches[i].Version)
	}
	if out.Stuck != nil {
		r.Stalemate, r.Record = out.Stuck.ID, out.Base.ID
	}
	return r, out, nil
}

// hintAtVersion adds to each hint how to keep the result of a patch for an older version.
func hintAtVersion(out *govern.Patched) {
	for i := range out.Reports {
		problems := out.Reports[i].Problems
		for j := range problems {
			if p := &problems[j]; p.Behind > 0 {
				p.Hint += fmt.Sprintf("; --record %s@v%d keeps its result as an alternative", out.Base.ID, out.Base.Version-p.Behind)
			}
		}
	}
}

// projectRecords is the project's store as sessions see it. It is safe for concurrent use.
type projectRecords struct {
	records *govern.Records

	mu sync.Mutex
	// cached holds the records shown to each role in each module. A new journal entry clears
	// it.
	cached  map[[2]string]session.ShownRecords
	decided journal.Head
}

// sessionRecords returns the records of the project as sessions see them.
func (p *Project) sessionRecords(st store.Store) *projectRecords {
	return &projectRecords{records: p.Records(st)}
}

// RecordsFor returns the records that agents of a session are shown: only promoted ones, so the
// result stays the same until the next decision.
func (p *projectRecords) RecordsFor(ctx context.Context, role, module string) (session.ShownRecords, error) {
	decided, err := p.records.ChangesHead(ctx)
	if err != nil || decided.Seq == 0 { // no records, so none was promoted
		return session.ShownRecords{}, err
	}
	key := [2]string{role, module}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decided != decided {
		p.decided, p.cached = decided, make(map[[2]string]session.ShownRecords)
	}
	shown, known := p.cached[key]
	if known {
		return shown, nil
	}
	if shown, err = p.assemble(ctx, role, module); err == nil {
		p.cached[key] = shown
	}
	return shown, err
}

// assemble selects the records that agents of a session are shown: promoted ones of the
// session's module and of the entire project that their role may read.
func (p *projectRecords) assemble(ctx context.Context, role, module string) (session.ShownRecords, error) {
	g, err := p.records.Context(ctx, govern.Request{Role: role, Modules: []string{module}, Canonical: true})
	switch {
	case fault.CodeOf(err) == govern.UnknownRole: // a role that may read nothing
		return session.ShownRecords{}, nil
	case err != nil || len(g.Shown) == 0:
		return session.ShownRecords{}, err
	}
	out := session.ShownRecords{Text: g.Text, View: g.Spec}
	for _, s := range g.Shown {
		if s.Form == view.Full && s.Type != record.ResearchArtifact && p.records.Access.MayWrite(role, s.Type) {
			out.Patchable = append(out.Patchable, s.Ref.String())
		}
		out.Records = append(out.Records, flow.RecordRef{ID: s.Ref.ID, Version: s.Ref.Version, Type: s.Type, Form: string(s.Form), Content: s.Content})
	}
	return out, nil
}

// StaleRecords returns which of the shown records were superseded meanwhile.
func (p *projectRecords) StaleRecords(ctx context.Context, shown []flow.RecordRef) ([]flow.MovedRecord, store.Append, error) {
	var all []contexts.ShownRecord
	for _, r := range shown {
		all = append(all, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}, Type: r.Type, Content: r.Content})
	}
	moved, hold, err := p.records.NoLongerCanonical(ctx, all)
	var out []flow.MovedRecord
	for _, m := range moved {
		out = append(out, flow.MovedRecord{ID: m.Input.ID, Version: m.Input.Version, Now: m.Now})
	}
	return out, hold, err
}

// Patch applies the patches in a reply to the records that the agent was shown, within the
// rights of its role.
func (p *projectRecords) Patch(ctx context.Context, in *session.PatchInput) ([]session.PatchOutcome, error) {
	all, err := p.records.PatchBy(ctx, govern.Actor{Name: in.Agent, Role: in.Role}, replyTo(in))
	if err != nil {
		return nil, err
	}
	out := make([]session.PatchOutcome, len(all))
	for i := range all {
		out[i] = patchedBy(&all[i])
	}
	return out, nil
}

// Applies reports whether Patch would apply all patches of a reply.
func (p *projectRecords) Applies(ctx context.Context, in *session.PatchInput) (bool, error) {
	return p.records.Applies(ctx, govern.Actor{Name: in.Agent, Role: in.Role}, replyTo(in))
}

func replyTo(in *session.PatchInput) *govern.Reply {
	answer := &govern.Reply{Text: in.Text, Reader: in.Reader, Change: fmt.Sprintf("%s, round %d: the answer to %s", in.Thread, in.Round, in.Call)}
	if in.Rehearsal {
		answer.Tags = []string{record.Rehearsal} // like everything that the session writes
	}
	for _, r := range in.Shown {
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
