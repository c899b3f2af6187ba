package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/record"
)

// basis collects what an arbiter needs to rule on a case: the question, the brief, and whatever the
// parties cite of what they were shown.
func (h *History) basis(ctx context.Context, c *stalemate.Case, moments []stalemate.Moment) (*stalemate.Basis, error) {
	o := &h.State.Opened
	b := &stalemate.Basis{Moments: moments, Attempts: h.attempts(), Bound: stalemate.EvidenceBound(h.callLimits()...)}
	var err error
	if b.Text, err = h.patchedText(ctx, c); err != nil {
		return nil, err
	}
	if b.First, err = h.questionAndBrief(ctx); err != nil {
		return nil, err
	}
	words := c.Words(moments) + string(artifact.Canonical(c.Item))
	first := &sources{h: h, words: words, seen: make(map[string]bool)}
	shown := h.recordsShown()
	for _, e := range o.Evidence {
		b.IDs = append(b.IDs, e.ID)
		if err := first.add(ctx, e.ID, e.Hash, stalemate.Document{Type: stalemate.TypeEvidence, Description: e.ID + ", " + e.Name + ".", Where: "the messages to the agents, `brenner trace list " + h.Thread + "`"}); err != nil {
			return nil, err
		}
	}
	for _, ref := range shown {
		b.IDs = append(b.IDs, ref.ID)
		if ref.Type == record.ProjectBrief || ref.Content == "" {
			continue
		}
		if err := first.add(ctx, ref.ID, ref.Content, stalemate.Document{Type: stalemate.TypeRecord, Description: "The record " + refOf(ref) + ".", Where: showRecord(ref)}); err != nil {
			return nil, err
		}
	}
	b.Documents = slices.Concat(first.docs, h.citedItems(c, words, moments))
	b.Documents = append(b.Documents,
		stalemate.Document{Type: stalemate.TypeContext, Description: "The context of the session.", Text: o.Context},
		stalemate.Document{Type: stalemate.TypeContext, Description: "The constraints of the session.", Text: strings.Join(o.Constraints, "\n")})
	if o.Excerpt != "" && strings.Contains(words, "§") {
		text, err := h.Store.Blob(ctx, o.Excerpt)
		if err != nil {
			return nil, err
		}
		b.Documents = append(b.Documents, stalemate.Document{Type: stalemate.TypeContext, Description: "The excerpt that the session was given.", Text: string(text), Near: sectionsIn(words)})
	}
	return b, nil
}

// questionAndBrief returns what every arbiter is shown: the question, and the brief that the agents were shown.
func (h *History) questionAndBrief(ctx context.Context) ([]stalemate.Document, error) {
	docs := []stalemate.Document{{Type: stalemate.TypeQuestion, Description: "The question of the session.", Text: h.State.Opened.Question}}
	for _, ref := range h.recordsShown() {
		if ref.Type != record.ProjectBrief || h.project == nil {
			continue
		}
		text, err := h.project.BriefText(ctx, ref)
		if err != nil {
			return nil, err
		}
		docs = append(docs, stalemate.Document{Type: stalemate.TypeBrief, Description: "The brief of the project, " + refOf(ref) + ".", Text: text, Where: showRecord(ref)})
	}
	return docs, nil
}

// sources collects documents that are cited.
type sources struct {
	h     *History
	words string // that cite
	seen  map[string]bool
	docs  []stalemate.Document
}

// add adds a stored text if it is cited by its id. A text that is not in this store, such as that of an
// imported session, cannot be shown.
func (s *sources) add(ctx context.Context, id, hash string, d stalemate.Document) error {
	if s.seen[hash] || !stalemate.Cites(s.words, id) {
		return nil
	}
	text, err := s.h.Store.Blob(ctx, hash)
	if err != nil && fault.CodeOf(err) != store.NoBlob {
		return err
	}
	d.Text, d.Near = string(text), stalemate.Quotes(s.words)
	s.seen[hash], s.docs = true, append(s.docs, d)
	return nil
}

// citedItems returns the other items of the artifact that are cited.
func (h *History) citedItems(c *stalemate.Case, words string, moments []stalemate.Moment) []stalemate.Document {
	if len(moments) == 0 {
		return nil
	}
	about, _, _ := strings.Cut(c.Place, ".")
	var docs []stalemate.Document
	a := &moments[len(moments)-1].Out.Artifact
	for _, section := range artifact.Sections() {
		for _, it := range a.Sections[section] {
			if it.ID != about && stalemate.Cites(words, it.ID) {
				docs = append(docs, stalemate.Document{
					Type: stalemate.TypeItem, Description: "The item " + it.ID + ", which is cited.",
					Text: string(artifact.Canonical(stalemate.ItemValue(it))), Where: "`brenner session show " + h.Thread + "`",
				})
			}
		}
	}
	return docs
}

// recordsShown returns the records that the agents were shown, the newest version of each.
func (h *History) recordsShown() []flow.RecordRef {
	var all []flow.RecordRef
	for _, ref := range h.State.RecordsShown(&flow.Committed{Source: flow.ByRound}) {
		at := slices.IndexFunc(all, func(r flow.RecordRef) bool { return r.ID == ref.ID })
		switch {
		case at < 0:
			all = append(all, ref)
		case all[at].Version < ref.Version:
			all[at] = ref
		}
	}
	return all
}

func showRecord(ref flow.RecordRef) string { return "`brenner store show " + refOf(ref) + "`" }

// sectionsIn returns the sections of an excerpt that a text cites, such as "§12".
func sectionsIn(words string) []string {
	var all []string
	for i, part := range strings.Split(words, "§") {
		n := 0
		if _, err := fmt.Sscanf(part, "%d", &n); i > 0 && err == nil {
			all = append(all, fmt.Sprintf("§%d", n))
		}
	}
	return all
}

// callLimits returns the tokens that a call to the arbiter may send, by the session and by its model; 0 if there
// is no limit.
func (h *History) callLimits() []int {
	limits := []int{h.State.Settings.Context}
	if a := h.State.Arbiter; a != nil && a.Way != nil {
		limits = append(limits, a.Way.Context)
	}
	return limits
}
