package project

import (
	"context"
	"strings"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

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
