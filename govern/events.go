package govern

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Kinds of entries.
const (
	kindPut      = "put"
	kindPromoted = "promoted"
	kindMarked   = "marked"
	kindRefused  = "refused"
	kindAsked    = "asked"
	kindProduced = "produced"
	kindTried    = "tried"
)

// putEvent records which versions were put. The hashes prove the records.
type putEvent struct {
	By      string     `json:"by"`
	Role    string     `json:"role"`
	Records []putEntry `json:"records"`
}

type putEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Status  string `json:"status"` // initial status
	Hash    string `json:"sha256"` // of the record, without its status
}

type markEvent struct {
	By     string      `json:"by"`
	Role   string      `json:"role,omitempty"` // of an agent
	Reason string      `json:"reason"`
	Action string      `json:"action"` // promote, deprecate, …
	Marks  []markEntry `json:"marks"`
}

type markEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Status  string `json:"status"`
	Why     string `json:"why"`
	Was     int    `json:"was,omitzero"`
	At      string `json:"at"`
}

func markEntries(marks []record.Mark) []markEntry {
	out := make([]markEntry, len(marks))
	for i, m := range marks {
		out[i] = markEntry{m.ID, m.Version, m.Status, m.Reason, m.Was, artifact.FormatInstant(m.At)}
	}
	return out
}

// signature returns the name in a mark, which distinguishes agents from people.
func (a Actor) signature() string {
	if a.person() {
		return a.Name
	}
	return a.Name + ", as " + a.Role
}

type refusedEvent struct {
	By     string     `json:"by"`
	Role   string     `json:"role"`
	Action string     `json:"action"` // read or write
	Type   string     `json:"type"`
	ID     string     `json:"id"`
	Code   fault.Code `json:"code"`
}

// Refusal is a refused attempt.
type Refusal struct {
	At     string `json:"at"`
	By     string `json:"by"`
	Role   string `json:"role"`
	Action string `json:"action"`
	Type   string `json:"type"`
	ID     string `json:"id"`
}

// RefusalList is the newest refused attempts and their total number.
type RefusalList struct {
	Schema   string    `json:"schema"`
	All      int       `json:"all"`
	Attempts []Refusal `json:"attempts"`
}

// Refusals returns the refused attempts, newest first; at most most if that is above 0.
func (rs *Records) Refusals(ctx context.Context, most int) (*RefusalList, error) {
	entries, all, err := rs.newest(ctx, Refusals, most)
	if err != nil {
		return nil, err
	}
	out := &RefusalList{Schema: "brenner.store.refusals/v1", All: all}
	for i := range entries {
		e, err := journal.Decode[refusedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		out.Attempts = append(out.Attempts, Refusal{artifact.FormatInstant(entries[i].At), e.By, e.Role, e.Action, e.Type, e.ID})
	}
	return out, nil
}

// newest returns the last entries of a stream, newest first, and their total number.
func (rs *Records) newest(ctx context.Context, stream string, most int) ([]journal.Entry, int, error) {
	head, err := rs.head(ctx, stream)
	if err != nil || head.Seq == 0 {
		return nil, 0, err
	}
	after := 0
	if most > 0 {
		after = max(0, head.Seq-most)
	}
	entries, err := rs.Store.Entries(ctx, stream, after)
	if err != nil {
		return nil, 0, err
	}
	slices.Reverse(entries)
	return entries, head.Seq, nil
}

// hashOf returns the hash of a version without its status, which may change.
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
		return "" // invalid UTF-8, which the store rejects
	}
	return store.Hash(data)
}
