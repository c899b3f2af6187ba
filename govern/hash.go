package govern

import (
	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/record"
)

// hashOf is the hash of everything in a version that never changes: all but its
// status.
func hashOf(r *record.Record) string {
	data, err := json.Marshal(struct {
		ID        string        `json:"id"`
		Type      string        `json:"type"`
		Version   int           `json:"version"`
		Parent    int           `json:"parent_version"`
		Module    string        `json:"module"`
		Summary   string        `json:"summary"`
		SummaryOf string        `json:"summary_of"`
		SummaryBy string        `json:"summary_by"`
		Content   string        `json:"content"`
		Change    string        `json:"change"`
		Creator   string        `json:"creator"`
		At        string        `json:"created_at"`
		Tags      []string      `json:"tags"`
		Links     []record.Link `json:"links"`
	}{
		r.ID, r.Type, r.Version, r.Parent, r.Module, r.Summary, r.SummaryOf, r.SummaryBy, r.Content, r.Change, r.Creator,
		artifact.FormatInstant(r.At), append([]string{}, r.Tags...), r.Links,
	}, json.Deterministic(true))
	if err != nil {
		return "" // a record that is not UTF-8, which the store does not take
	}
	return store.Hash(data)
}
