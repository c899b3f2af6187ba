package audit

import (
	"context"

	"brenner/session"
)

// Found is a text with its origin and the inputs behind it.
type Found struct {
	Origin
	Thread       string         `json:"thread_id"`
	Rehearsal    bool           `json:"rehearsal"`
	Model        string         `json:"model"`
	Observed     string         `json:"model_observed"`
	TemplateHash string         `json:"template_hash"`
	View         string         `json:"view_hash"`
	Evidence     []CallEvidence `json:"evidence"`
}

// Find returns where a text in a version of a session came from; version 0 is the newest.
func Find(ctx context.Context, h *session.History, version int, text string) ([]Found, error) {
	origins, err := h.Origins(ctx)
	if err != nil {
		return nil, err
	}
	if h.State.Version() == 0 {
		return nil, nil
	}
	if err := origins.At(version); err != nil {
		return nil, err
	}
	found, err := origins.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, doc := range originsOf(found) {
		one := Found{Origin: doc, Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "", Evidence: []CallEvidence{}}
		if call, ok := h.State.Call(doc.Call); ok {
			var in CallInput
			in.fill(h.State, call)
			s := summaryOf(h.State, call)
			one.Model, one.Observed, one.TemplateHash, one.View, one.Evidence = s.Model, s.Observed, in.TemplateHash, in.View, in.Evidence
		}
		all = append(all, one)
	}
	return all, nil
}
