package govern

import (
	"context"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// Kinds of entries.
const (
	kindPromoted = "promoted"
	kindMarked   = "marked"
	kindRefused  = "refused"
	kindProduced = "produced"
	kindTried    = "tried"
)

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
	Action string     `json:"action"` // read, write, pin, promote or deprecate
	Type   string     `json:"type"`
	ID     string     `json:"id"`
	Code   fault.Code `json:"code"`
	Why    []string   `json:"why,omitempty"` // reasons in the records, such as closed gates
	// Source is the record of the reply that attempted it, if an agent of a session did.
	Source string `json:"source,omitempty"`
}

// Refusal is a refused attempt.
type Refusal struct {
	At     string `json:"at"`
	By     string `json:"by"`
	Role   string `json:"role"`
	Action string `json:"action"`
	Type   string `json:"type"`
	ID     string `json:"id"`
	// Why are the reasons in the records; none means a lack of rights.
	Why []string `json:"why,omitempty"`
	// Source is the record of the reply that attempted it, if an agent of a session did.
	Source string `json:"source,omitempty"`
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
		out.Attempts = append(out.Attempts, Refusal{artifact.FormatInstant(entries[i].At), e.By, e.Role, e.Action, e.Type, e.ID, e.Why, e.Source})
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
