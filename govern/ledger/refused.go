package ledger

import (
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// TriedEvent is a refused patch in the journal.
type TriedEvent struct {
	By      string     `json:"by"`
	Role    string     `json:"role"`
	ID      string     `json:"id"`
	Version int        `json:"version"` // that it was applied to
	Patch   string     `json:"patch"`   // hash
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Why     string     `json:"why"`
}

// RefusedEvent is a refused attempt in the journal.
type RefusedEvent struct {
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

// ReadRefusals returns the list of the attempts in entries, of which there are all in total.
func ReadRefusals(entries []journal.Entry, all int) (*RefusalList, error) {
	out := &RefusalList{Schema: "brenner.store.refusals/v1", All: all}
	for i := range entries {
		e, err := journal.Decode[RefusedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		out.Attempts = append(out.Attempts, Refusal{artifact.FormatInstant(entries[i].At), e.By, e.Role, e.Action, e.Type, e.ID, e.Why, e.Source})
	}
	return out, nil
}
