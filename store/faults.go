package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
)

// Faults are what a verification found: none means that everything is as it was
// written. Every proof of a journal, or of what one stands for, ends with them.
type Faults []error

// Add takes errors in; nil is none.
func (f *Faults) Add(found ...error) {
	for _, err := range found {
		if err != nil {
			*f = append(*f, err)
		}
	}
}

// Details returns each fault once, as JSON shows it.
func (f Faults) Details() []fault.Detail { return fault.Details(f...) }

// MarshalJSONTo implements json.MarshalerTo.
func (f Faults) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, f.Details()) }
