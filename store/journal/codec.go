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

// JSON gives the entry as one line of canonical JSON, without the line's end.
func (e *Entry) JSON() []byte { return e.appendJSON(nil, true) }

// Parse reads what JSON wrote. It checks the form, not the chain.
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
	// One entry has one form: a line that says the same in other bytes was changed.
	if err == nil && !bytes.Equal(e.JSON(), line) {
		err = errors.New("it is not in canonical form")
	}
	if err != nil {
		return Entry{}, &fault.Error{
			Code: BadEntry, Op: "read a journal entry", Detail: err.Error(),
			Hint: "give the line as it was written: entries are never edited",
		}
	}
	return e, nil
}

// flaw says why an entry cannot be written down so that it reads back the same,
// or nothing. Text that is not UTF-8 would be replaced in its JSON, and so two
// entries that differ would have one hash.
func (e *Entry) flaw() string {
	flaw := e.misfit()
	if flaw == "" && !canonicalObject(e.Body) {
		return notCanonical
	}
	return flaw
}

const notCanonical = "its body is no JSON object in canonical form"

// misfit is the flaw of what is around the body, or nothing.
func (e *Entry) misfit() string {
	year := e.At.UTC().Year()
	switch {
	case !utf8.ValidString(e.Stream):
		return "the name of its stream is not UTF-8"
	case !utf8.ValidString(e.Kind):
		return "its kind is not UTF-8"
	case e.Seq < 1:
		return "entries are numbered from 1, not from " + strconv.Itoa(e.Seq)
	case year < 1 || year > 9999:
		return "its year is " + strconv.Itoa(year) + ", which an instant cannot have"
	}
	return ""
}

func canonicalObject(body []byte) bool {
	canonical := jsontext.Value(bytes.Clone(body))
	err := canonical.Canonicalize()
	return err == nil && canonical.Kind() == '{' && bytes.Equal(canonical, body)
}

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
