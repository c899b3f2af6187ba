package journal

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"brenner/internal/fault"
)

// Encode gives an event's body as JSON.
func Encode(body any) ([]byte, error) {
	data, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, &fault.Error{Code: BadEntry, Op: "encode an event", Cause: err}
	}
	return data, nil
}

// Decode reads an event's body, strictly: what this program does not know, it must not
// pass over. The code is that of a journal which makes no sense to whoever reads it.
func Decode[T any](e *Entry, code fault.Code) (T, error) {
	var body T
	if err := json.Unmarshal(e.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		return body, &fault.Error{
			Code: code, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: "the event cannot be read", Cause: err,
			Hint: "it may come from a newer version of this program",
		}
	}
	return body, nil
}
