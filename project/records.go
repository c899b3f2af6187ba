package project

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/config"
	"brenner/govern"
	"brenner/govern/graph"
	"brenner/govern/shown"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/patch"
	patchfiles "brenner/patch/files"
	"brenner/playbook/embedding/uselite"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
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

// AllCalls returns the agent calls of store commands, with the runs of tasks.
func (r *Records) AllCalls(ctx context.Context) ([]govern.Call, error) {
	return shown.Calls(ctx, r.Records)
}

// Records returns access to the records of a store.
func (p *Project) Records(st store.Store) *govern.Records {
	meaning := session.NewCitations(st)
	authors := audit.NewAuthors(st)
	encoder := uselite.New(uselite.Options{Lower: true})
	return &govern.Records{
		Source: graph.Source{Store: st, LinkTarget: func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error) {
			ref, known, err := meaning.Resolve(ctx, from, to)
			return ref.Type, ref.Content, known, err
		}},
		Types: p.Config.AllTypes(), Access: p.Config.Access(), Views: p.Config.ContextViews(), Now: p.Now, Count: p.Tokens.Count,
		Rules: govern.Rules{
			Compression: p.Config.Records.Compression, Unused: p.Config.Records.Unused, Unattended: p.Config.Records.Unattended,
			Authorities: append([]string{p.Config.Operator}, p.Config.Authorities...), People: p.Config.Records.People, Call: p.Config.Session.Context, Hypotheses: p.Config.Session.Hypotheses,
		},
		Embed: func(ctx context.Context, text string) ([]float32, error) {
			v, err := encoder.Embed(ctx, []string{text})
			if err != nil {
				return nil, err
			}
			return v[0].Values, nil
		},
		ReplyAuthor: func(ctx context.Context, reply record.Ref) (by govern.Author, err error) {
			by.Role, by.Asked, by.Call, err = authors.Of(ctx, reply)
			return by, err
		},
		Artifact: func(ctx context.Context, ref record.Ref) ([]byte, []string, error) {
			return researchArtifact(ctx, st, ref)
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

// NewBrief is the first draft of a project's brief: its text, or only a question.
type NewBrief struct {
	Question string
	Text     []byte
}

func (b *NewBrief) content() []byte {
	if b.Question == "" {
		return b.Text
	}
	question := strings.Join(strings.Fields(b.Question), " ")
	return fmt.Appendf(nil, "# Brief\n\n## Goal\n\n%s\n\n## Scope\n\n## Non-goals\n\n## Constraints\n\n## Audience\n\n## Glossary\n\n## Open questions\n", question)
}

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
	put, err := r.Put(ctx, r.Actor, govern.Draft{ID: govern.BriefID, Type: record.ProjectBrief, Content: b.content()})
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
		return nil, &fault.Error{Code: store.NoRecord, Detail: "the project has no brief yet", Hint: "`brenner project init` creates one, `brenner project brief FILE` stores one; `brenner project brief --help` shows what a brief looks like"}
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
	return record.Head{ID: govern.BriefID}, nil
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
	AddRuling(r, out, out.Base.ID)
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

// sessionRecords returns the records of the project as sessions see them.
func (p *Project) sessionRecords(st store.Store) *shown.Records {
	return &shown.Records{Records: p.Records(st)}
}

// AddRuling adds the stalemate about a text that refused patches, or how the last one was ruled.
func AddRuling(r *patchfiles.Applied, out *govern.Patched, subject string) {
	if out.Stuck != nil && r.Stalemate == "" {
		r.Stalemate, r.Subject = out.Stuck.ID, subject
	}
	if s := out.Ruled; s != nil && r.Ruled == "" {
		r.Ruled = s.ID + " was ruled by " + s.By + " for " + s.Verdict.For + ": " + s.Verdict.RootCause
	}
}
