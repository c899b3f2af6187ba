package openai

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// How an answer can end. Endpoints have more words; those that mean a whole answer
// are all the same here.
const (
	stopped  = "stop"
	length   = "length"
	filtered = "content_filter"
)

var errMalformed = errors.New("not what was agreed on")

// answer is what has come of an answer so far.
type answer struct {
	text    strings.Builder
	refusal strings.Builder
	model   string
	finish  string // one of the words above; empty while it goes on
	usage   usage
	// How many tokens came, by our own count of the pieces, and how many of them are
	// thoughts.
	tokens, thoughts int
	letters          int  // of text and refusal
	disguises        bool // the piece that is taken in has bytes in disguise

	limit    int
	count    func(string) int
	progress func(int)
}

// add takes in a piece of text.
func (a *answer) add(piece string) error {
	if piece == "" {
		return nil
	}
	piece = a.bare(piece)
	if a.text.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.letters += utf8.RuneCountInString(piece)
	a.text.WriteString(piece)
	a.came(piece)
	return nil
}

// refuse takes in a piece of what a model says in place of an answer.
func (a *answer) refuse(piece string) error {
	piece = a.bare(piece)
	a.letters += utf8.RuneCountInString(piece)
	if a.refusal.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.refusal.WriteString(piece)
	a.came(piece)
	return nil
}

// think takes in what a model wrote to itself: it costs, but is no part of the
// answer.
func (a *answer) think(piece string) { a.thoughts += a.came(a.bare(piece)) }

func (a *answer) came(piece string) int {
	if piece == "" {
		return 0
	}
	n := a.count(piece)
	a.tokens += n
	a.progress(a.tokens)
	return n
}

// decode reads a piece of JSON, and is as patient with it as it is fast: a stream
// has thousands of pieces, and none is worth losing for a key that stands twice.
func decode(data []byte, v any) error {
	err := jsonv2.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return errors.Join(errMalformed, err)
	}
	return nil
}

// words is a text that some endpoints give in parts.
type words string

func (w *words) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil { // null is no text
		*w = words(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*w += words(p.Text)
	}
	return nil
}

// clip gives the beginning of a text, without half a character at its end.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
