package govern

import (
	"context"
	"strings"

	"brenner/govern/digest"
	"brenner/store"
	"brenner/store/record"
)

// Snapshot is the state of the project for people, from canonical versions only.
type Snapshot struct {
	Schema string `json:"schema"`
	// From are the versions it was made from, in the order of the text.
	From []string `json:"from"`
	Text string   `json:"markdown"`
}

// Snapshot renders the question, the hypotheses and models, the evidence, and the open points.
func (rs *Records) Snapshot(ctx context.Context) (*Snapshot, error) {
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Canonical: true, Live: true})
	if err != nil {
		return nil, err
	}
	byType := make(map[string][]digest.Page)
	for i := range heads {
		h := &heads[i]
		r, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: h.Canonical}, h.Latest)
		if err != nil {
			return nil, err
		}
		content, err := rs.Content(ctx, &r)
		if err != nil {
			return nil, err
		}
		p := digest.Page{Record: r, Content: string(content)}
		if p.Drafts, err = rs.draftsUnder(ctx, &r); err != nil {
			return nil, err
		}
		byType[r.Type] = append(byType[r.Type], p)
	}
	text, from := digest.Write(byType, rs.Types)
	return &Snapshot{Schema: "brenner.store.snapshot/v1", Text: text, From: from}, nil
}

// draftsUnder returns the versions that a version depends on, directly or not, and that are not
// canonical. Messages of sessions and tasks are never canonical, and do not count.
func (rs *Records) draftsUnder(ctx context.Context, r *record.Record) ([]string, error) {
	var out []string
	seen := map[record.Ref]bool{r.Ref(): true}
	for next := []record.Record{*r}; len(next) > 0; next = next[1:] {
		for _, l := range next[0].Links {
			if !record.Depends(l.Relation) || seen[l.Ref()] {
				continue
			}
			seen[l.Ref()] = true
			to, err := rs.Lookup(ctx, l.Ref())
			if err != nil {
				return nil, err
			}
			if to == nil || record.IsRaw(to.Type) || to.Type == record.TaskSpec {
				continue
			}
			next = append(next, *to)
			h, err := rs.HeadByID(ctx, to.ID)
			if err != nil {
				return nil, err
			}
			if to.Status != record.Canonical && h.Canonical != to.Version {
				out = append(out, to.Ref().String()+" ("+to.Status+")")
			}
		}
	}
	return out, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
