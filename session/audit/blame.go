package audit

import (
	"context"

	"brenner/session"
)

// Blame lists the authors of an item.
type Blame struct {
	Schema    string   `json:"schema"`
	Thread    string   `json:"thread_id"`
	Version   int      `json:"version"`
	Item      string   `json:"item"`
	Field     string   `json:"field"`
	Rehearsal bool     `json:"rehearsal"`
	Origins   []Origin `json:"origins"`
}

// BlameItem returns the authors of the item or field at an address.
func BlameItem(ctx context.Context, h *session.History, at session.Address) (*Blame, error) {
	origins, err := OriginsOf(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := origins.Select(at.Version); err != nil {
		return nil, err
	}
	found, err := origins.Blame(ctx, at.Item, at.Field)
	if err != nil {
		return nil, err
	}
	return &Blame{
		Schema: "brenner.blame/v1", Thread: h.Thread, Version: origins.Version(), Item: at.Item,
		Field: at.Field, Rehearsal: h.State.Opened.Rehearsal != "", Origins: found,
	}, nil
}

// FoundText is a text with its origin and the inputs behind it.
type FoundText struct {
	Origin
	Thread       string         `json:"thread_id"`
	Rehearsal    bool           `json:"rehearsal"`
	Model        string         `json:"model"`
	Observed     string         `json:"model_observed"`
	TemplateHash string         `json:"template_hash"`
	View         string         `json:"view_hash"`
	Evidence     []CallEvidence `json:"evidence"`
}

// Find returns the origins of a text in a version of a session; version 0 is the newest.
func Find(ctx context.Context, h *session.History, version int, text string) ([]FoundText, error) {
	origins, err := OriginsOf(ctx, h)
	if err != nil {
		return nil, err
	}
	if h.State.Version() == 0 {
		return nil, nil
	}
	if err := origins.Select(version); err != nil {
		return nil, err
	}
	found, err := origins.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	var all []FoundText
	for i := range found {
		one := FoundText{Origin: found[i], Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != ""}
		if call, ok := h.State.Call(one.Call); ok {
			var in CallInput
			in.fill(h.State, call)
			s := summaryOf(h.State, call)
			one.Model, one.Observed, one.TemplateHash, one.View, one.Evidence = s.Model, s.Observed, in.TemplateHash, in.View, in.Evidence
		}
		all = append(all, one)
	}
	return all, nil
}
