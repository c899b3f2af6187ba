package project

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

// Records is the door to a project's records, and the actor in it.
type Records struct {
	*govern.Door
	Who     govern.Actor
	Project *Project
}

// RecordsOptions say who opens the records, and what for.
type RecordsOptions struct {
	As    string // the actor's name; the operator's if empty
	Role  string // of an agent; empty for a person
	Write bool
	Dry   bool // nothing is written, not even the store's own form
}

// OpenRecords opens the project's records. Without Write no store is made.
func (p *Project) OpenRecords(ctx context.Context, o RecordsOptions) (*Records, error) {
	st, err := p.recordStore(ctx, &o)
	if err != nil {
		return nil, err
	}
	who := govern.Actor{Name: cmp.Or(o.As, p.Config.Operator), Role: o.Role}
	if strings.TrimSpace(who.Name) != who.Name || strings.ContainsFunc(who.Name, unicode.IsControl) {
		_ = st.Close() // nothing was written
		return nil, &fault.Error{Code: govern.BadRecord, Place: "--as " + fault.Shown(who.Name), Detail: "that is no name: it is blank, begins or ends so, or has a control character"}
	}
	return &Records{Door: p.Door(st), Who: who, Project: p}, nil
}

func (p *Project) recordStore(ctx context.Context, o *RecordsOptions) (store.Store, error) {
	switch {
	case o.Write:
		return p.OpenToWrite(ctx)
	case o.Role != "":
		return p.OpenToRefuse(ctx)
	case o.Dry:
		return p.OpenUnchanged(ctx)
	}
	return p.OpenToRead(ctx)
}

// Door makes the way to the records of a store.
func (p *Project) Door(st store.Store) *govern.Door {
	meaning := session.NewMeaning(st)
	return &govern.Door{
		Store: st, Types: p.Config.AllTypes(), Access: p.Config.Access(), Views: p.Config.ContextViews(), Now: p.Now, Count: tokens.New().Count,
		Rules: govern.Rules{
			Compression: p.Config.Records.Compression, Unused: p.Config.Records.Unused, Unattended: p.Config.Records.Unattended,
			Authorities: append([]string{p.Config.Operator}, p.Config.Authorities...), People: p.Config.Records.People, Call: p.Config.Session.Context,
		},
		Artifact: func(ctx context.Context, ref record.Ref) ([]byte, []string, error) {
			return researchArtifact(ctx, st, ref)
		},
		Meant: func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error) {
			ref, known, err := meaning.Of(ctx, from, to)
			return ref.Type, ref.Content, known, err
		},
	}
}

// researchArtifact puts a version of a session's artifact together, and says what
// lint holds against it.
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
