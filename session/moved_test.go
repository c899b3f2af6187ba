package session_test

import (
	"context"
	"slices"
	"testing"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/graph"
	"brenner/govern/policy"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

// project shows agents one note, and calls checked between a check of it and the following write.
type project struct {
	records *govern.Records
	checked func()
}

func (p *project) RecordsFor(context.Context, string, string, string) (session.ShownRecords, error) {
	h, err := p.records.Head(context.Background(), "note")
	return session.ShownRecords{Text: "a note", Records: []flow.RecordRef{{ID: "note", Version: h.Canonical, Type: record.PaperNote}}}, err
}

func (p *project) StaleRecords(ctx context.Context, thread string, shown []flow.RecordRef) ([]flow.MovedRecord, store.Append, error) {
	var all []contexts.ShownRecord
	for _, r := range shown {
		all = append(all, contexts.ShownRecord{Ref: record.Ref{ID: r.ID, Version: r.Version}})
	}
	moved, hold, err := p.records.NoLongerHold(ctx, thread, all)
	p.checked()
	if len(moved) == 0 {
		return nil, hold, err
	}
	return []flow.MovedRecord{{ID: moved[0].Input.ID, Version: moved[0].Input.Version, Now: moved[0].Now}}, hold, err
}

func (p *project) Patch(context.Context, *session.PatchInput) ([]session.PatchOutcome, error) {
	return nil, nil // no reply patches a text
}

func (p *project) BriefText(context.Context, flow.RecordRef) (string, error) { return "", nil }

func (p *project) CheckPatches(context.Context, *session.PatchInput) ([]settle.Defect, int, error) {
	return nil, 0, nil
}

// A record is promoted between its check and the commit: the commit checks again. The next version
// continues that text, so it needs a rebase, too.
func TestPromotionBetweenCheckAndCommit(t *testing.T) {
	st := opentest.New(t)
	actor := govern.Actor{Name: "operator"}
	d := &govern.Records{
		Source: graph.Source{Store: st}, Types: record.BuiltInTypes(), Access: policy.DefaultAccess(), Now: clock,
		Rules: govern.Rules{Authorities: []string{actor.Name}},
	}
	promote := func(address string) {
		t.Helper()
		if _, err := d.Promote(t.Context(), actor, address, govern.PromoteOptions{Reason: "read by two"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"one", "two"} {
		draft := govern.Draft{ID: "note", Type: record.PaperNote, Module: record.Project, Content: []byte(text), Summary: text}
		if _, err := d.Put(t.Context(), actor, draft); err != nil {
			t.Fatal(err)
		}
	}
	promote("note@v1")
	checks := 0
	r := runner(st, &actors{script: builtInScript()})
	r.Project = &project{d, func() {
		if checks++; checks == 1 {
			promote("note@v2")
		}
	}}
	if _, err := r.Start(t.Context(), brief(2)); err != nil {
		t.Fatal(err)
	}
	h := load(t, st)
	if first, second := h.State.Commits[1].Moved, h.State.Commits[2].Moved; len(first) != 1 || first[0] != (flow.MovedRecord{ID: "note", Version: 1, Now: 2}) || !slices.Equal(second, first) {
		t.Errorf("%v, then %v", first, second)
	}
	if checks != 3 {
		t.Errorf("checked %d times", checks)
	}
	records, err := st.Records(t.Context(), store.Query{ID: thread})
	if err != nil || records[1].Status != record.NeedsRebase || records[2].Status != record.NeedsRebase {
		t.Errorf("%v, %+v", err, records)
	}
	verifyOK(t, st)
}

func (p *project) Write(context.Context, *session.WriteInput) ([]session.PatchOutcome, error) {
	return nil, nil
}

func (p *project) Mistakes(context.Context, *session.WriteInput) ([]settle.Defect, error) {
	return nil, nil
}
