package ledger

import (
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
	"brenner/store/record"
)

// KindAsked is the kind of an entry with an AskedEvent in the journal of calls.
const KindAsked = "asked"

// AskedEvent is one call of an agent.
type AskedEvent struct {
	Call     string       `json:"call"`
	Role     string       `json:"role"`
	Agent    string       `json:"agent"`
	Model    string       `json:"model"`
	Observed string       `json:"model_observed"`
	Task     string       `json:"task"`
	View     string       `json:"view_hash"`
	Context  []ShownEntry `json:"context"`
	Prompt   string       `json:"prompt"` // hashes, here and below
	Reply    string       `json:"reply"`
	Tokens   int          `json:"tokens"` // of the prompt, as counted here
	Input    int          `json:"input_tokens"`
	Output   int          `json:"output_tokens"`
	Attempts int          `json:"attempts"`
	TookMS   int          `json:"took_ms"`
	Code     fault.Code   `json:"code"`            // of a call without a reply
	Produced []string     `json:"produced"`        // always empty: a ProducedEvent follows
	Asked    string       `json:"asked,omitempty"` // what was really asked: "llama3 at 127.0.0.1:8080"
}

// ProducedEvent is the result of a call.
type ProducedEvent struct {
	Call     string   `json:"call"`
	Produced []string `json:"produced"`
}

// ShownEntry is a version that an agent was shown.
type ShownEntry struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form"`
}

// JournaledCall is a call with its results.
type JournaledCall struct {
	AskedEvent
	At   string
	Used bool // a ProducedEvent exists
}

// ReadCalls returns the calls of a journal, oldest first.
func ReadCalls(entries []journal.Entry) ([]JournaledCall, error) {
	var all []JournaledCall
	place := make(map[string]int)
	for i := range entries {
		if entries[i].Kind == KindAsked {
			e, err := journal.Decode[AskedEvent](&entries[i], journal.BrokenChain)
			if err != nil {
				return nil, err
			}
			place[e.Call] = len(all)
			all = append(all, JournaledCall{AskedEvent: e, At: artifact.FormatInstant(entries[i].At)})
			continue
		}
		e, err := journal.Decode[ProducedEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		if at, ok := place[e.Call]; ok {
			all[at].Used = true
			all[at].Produced = append(all[at].Produced, e.Produced...)
		}
	}
	return all, nil
}

// Call is one call of an agent.
type Call struct {
	ID       string     `json:"call"`
	At       string     `json:"at"`
	Role     string     `json:"role"`
	Agent    string     `json:"agent"`
	Model    string     `json:"model"`
	Observed string     `json:"model_observed"`
	Task     string     `json:"task"`
	View     string     `json:"view_hash"`
	Context  []Shown    `json:"context"`
	Prompt   string     `json:"prompt_sha256"`
	Reply    string     `json:"reply_sha256"`
	Tokens   int        `json:"context_tokens"`
	Input    int        `json:"input_tokens"`
	Output   int        `json:"output_tokens"`
	Attempts int        `json:"attempts"`
	TookMS   int        `json:"took_ms"`
	Code     fault.Code `json:"code"`
	Produced []string   `json:"produced"`
	Asked    string     `json:"asked,omitempty"`
}

// Shown is a version shown to an agent.
type Shown struct {
	Ref  record.Ref `json:",embed"`
	Type string     `json:"type"`
	Form string     `json:"form"`
}
