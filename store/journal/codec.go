package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
)

// JSON returns the entry as one line of canonical JSON, without a line end.
func (e *Entry) JSON() []byte { return e.appendJSON(nil, true) }

// Parse is the inverse of JSON. It checks the form, not the chain.
func Parse(line []byte) (Entry, error) {
	var w struct {
		At     string         `json:"at"`
		Body   jsontext.Value `json:"body"`
		Hash   string         `json:"hash"`
		Kind   string         `json:"kind"`
		Prev   string         `json:"prev"`
		Schema string         `json:"schema"`
		Seq    int            `json:"seq"`
		Stream string         `json:"stream"`
	}
	err := json.Unmarshal(line, &w, json.RejectUnknownMembers(true))
	if err == nil && w.Schema != Schema {
		err = fmt.Errorf("the schema is %s, not %s", fault.Shown(w.Schema), Schema)
	}
	e := Entry{Stream: w.Stream, Seq: w.Seq, Kind: w.Kind, Body: w.Body, Prev: w.Prev, Hash: w.Hash}
	if err == nil {
		e.At, err = artifact.ParseInstant(w.At)
	}
	if flaw := e.flaw(); err == nil && flaw != "" {
		err = errors.New(flaw)
	}
	// An entry has exactly one form: equal content in other bytes was tampered with.
	if err == nil && !bytes.Equal(e.JSON(), line) {
		err = errors.New("it is not in canonical form")
	}
	if err != nil {
		return Entry{}, &fault.Error{
			Code: BadEntry, Op: "read a journal entry", Detail: err.Error(),
			Hint: "restore the line as it was written: entries are never edited",
		}
	}
	return e, nil
}

// flaw returns why an entry would not read back unchanged, or "". Invalid UTF-8 would be replaced
// in the JSON, so that two different entries would have the same hash.
func (e *Entry) flaw() string {
	flaw := e.misfit()
	if flaw == "" && !canonicalObject(e.Body) {
		return notCanonical
	}
	return flaw
}

const notCanonical = "its body is not a JSON object in canonical form"

// misfit returns the flaw of the fields around the body, or "".
func (e *Entry) misfit() string {
	year := e.At.UTC().Year()
	switch {
	case !utf8.ValidString(e.Stream):
		return "the name of its stream is not valid UTF-8"
	case !utf8.ValidString(e.Kind):
		return "its kind is not valid UTF-8"
	case e.Seq < 1:
		return "entries are numbered from 1, not from " + strconv.Itoa(e.Seq)
	case year < 1 || year > 9999:
		return "its year " + strconv.Itoa(year) + " is out of range"
	}
	return ""
}

func canonicalObject(body []byte) bool {
	canonical := jsontext.Value(bytes.Clone(body))
	err := canonical.Canonicalize()
	return err == nil && canonical.Kind() == '{' && bytes.Equal(canonical, body)
}

// Encode returns an event's body as JSON.
func Encode(body any) ([]byte, error) {
	data, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, &fault.Error{Code: BadEntry, Op: "encode an event", Cause: err}
	}
	return data, nil
}

// Decode reads an event's body, without unknown fields. Its errors have the given code.
func Decode[T any](e *Entry, code fault.Code) (T, error) {
	var body T
	if err := json.Unmarshal(e.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		return body, &fault.Error{
			Code: code, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: "cannot decode the event", Cause: err,
			Hint: "it may come from a newer version of this program",
		}
	}
	return body, nil
}
