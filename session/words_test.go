package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

// alteredStore is a store in which one record differs from the journal.
type alteredStore struct {
	store.Store
	ref   record.Ref
	alter func(*record.Record)
}

func (a *alteredStore) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	all, err := a.Store.Records(ctx, q)
	all = slices.Clone(all)
	for i := range all {
		if all[i].Ref() == a.ref {
			a.alter(&all[i])
		}
	}
	return all, err
}

// A later program may word records differently as long as it still accepts the current wording.
func TestRewordedSummariesVerify(t *testing.T) {
	h, _ := ruledSession(t)
	p, err := session.VerifyReworded(t.Context(), h.Store, thread, true)
	if err != nil || p.Err() != nil {
		t.Errorf("a program that accepts the current wording: %v, %v; want no faults", err, p.Err())
	}
	p, err = session.VerifyReworded(t.Context(), h.Store, thread, false)
	if err != nil || fault.CodeOf(p.Err()) != store.Damaged {
		t.Errorf("a program without the current wording: %v, %v; want %s", err, p.Err(), store.Damaged)
	}
}

// Verify detects any change of a record, including its wording, as does a later program.
func TestVerifyDetectsAlteredRecords(t *testing.T) {
	h, _ := ruledSession(t)
	all, err := h.Store.Records(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]bool)
	for _, r := range all {
		if kinds[r.Type] {
			continue
		}
		kinds[r.Type] = true
		for name, alter := range map[string]func(*record.Record){
			"summary": func(r *record.Record) { r.Summary = "a false summary" },
			"change":  func(r *record.Record) { r.Change = "nothing" },
			"content": func(r *record.Record) { r.Content, r.SummaryOf = "0", "0" },
			"status":  func(r *record.Record) { r.Status = record.Canonical },
			"creator": func(r *record.Record) { r.Creator = "Mallory" },
			"time":    func(r *record.Record) { r.At = r.At.Add(time.Second) },
			"tags":    func(r *record.Record) { r.Tags = nil },
			"links": func(r *record.Record) {
				r.Links = append(slices.Clip(r.Links), record.Link{Relation: record.Cites, ID: "x", Version: 1})
			},
		} {
			st := &alteredStore{h.Store, r.Ref(), alter}
			today, err := session.Verify(t.Context(), st, thread, "")
			if err != nil || fault.CodeOf(today.Err()) != store.Damaged {
				t.Errorf("%s of %s: %v, %v; want %s", name, r.Ref(), err, today.Err(), store.Damaged)
			}
			tomorrow, err := session.VerifyReworded(t.Context(), st, thread, true)
			if err != nil || fault.CodeOf(tomorrow.Err()) != store.Damaged {
				t.Errorf("%s of %s, tomorrow: %v, %v; want %s", name, r.Ref(), err, tomorrow.Err(), store.Damaged)
			}
		}
	}
	for _, kind := range []string{record.ResearchArtifact, record.Roster, record.Kickoff, record.Reply, record.StalemateRequest, record.StalemateVerdict} {
		if !kinds[kind] {
			t.Errorf("the session has no %s", kind)
		}
	}
}
