// Package ledger is the journal of the records: its entries, and the proof that a store is what its
// journal says.
package ledger

import (
	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/record"
)

// Stream is the journal of puts, promotions and marks.
const Stream = "records"

// KindPut is the kind of an entry with a PutEvent. The others have a MarkEvent.
const KindPut = "put"

// PutEvent records which versions were put. The hashes prove the records.
type PutEvent struct {
	By      string     `json:"by"`
	Role    string     `json:"role"`
	Records []PutEntry `json:"records"`
}

// PutEntry is one version that was put.
type PutEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Status  string `json:"status"` // initial status
	Hash    string `json:"sha256"` // of the record, without its status
}

// MarkEvent records marks, and who set them and why.
type MarkEvent struct {
	By     string      `json:"by"`
	Role   string      `json:"role,omitempty"` // of an agent
	Reason string      `json:"reason"`
	Action string      `json:"action"` // promote, deprecate, …
	Marks  []MarkEntry `json:"marks"`
	// Despite is what a promotion was confirmed despite: why the version is stale.
	Despite []string `json:"despite,omitempty"`
}

// MarkEntry is one mark.
type MarkEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Status  string `json:"status"`
	Why     string `json:"why"`
	Was     int    `json:"was,omitzero"`
	At      string `json:"at"`
}

// MarkEntries returns marks as the journal has them.
func MarkEntries(marks []record.Mark) []MarkEntry {
	out := make([]MarkEntry, len(marks))
	for i, m := range marks {
		out[i] = MarkEntry{m.ID, m.Version, m.Status, m.Reason, m.Was, artifact.FormatInstant(m.At)}
	}
	return out
}

// Hash returns the hash of a version without its status, which may change.
func Hash(r *record.Record) string {
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
		return "" // invalid UTF-8, which the store rejects
	}
	return store.Hash(data)
}
