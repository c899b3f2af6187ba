package server

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// arguments are what a call brought. They are read generously: what is null was
// left out, what nobody knows is ignored, a number may be a text. Whatever cannot
// be read is gathered, and said at once.
type arguments struct {
	given map[string]json.RawMessage
	wrong fault.List
}

func readArguments(raw json.RawMessage) *arguments {
	a := &arguments{given: make(map[string]json.RawMessage)}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return a
	}
	if err := json.Unmarshal(raw, &a.given); err != nil {
		a.bad("arguments", "a JSON object")
	}
	for name, value := range a.given {
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			delete(a.given, name)
		}
	}
	return a
}

func (a *arguments) bad(name, want string) {
	a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s must be %s", name, want)
}

func (a *arguments) has(name string) bool { return a.given[name] != nil }

// text gives a text; a number is one too, as the id of a message may be.
func (a *arguments) text(name string) string {
	raw, ok := a.given[name]
	if !ok {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	a.bad(name, "a text")
	return ""
}

// need gives a text that must be there.
func (a *arguments) need(name string) string {
	text := a.text(name)
	if strings.TrimSpace(text) == "" && (!a.has(name) || name != "body_md") {
		a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s is missing", name)
	}
	return text
}

// names gives a list of texts; a single one stands for a list of one.
func (a *arguments) names(name string) []string {
	raw, ok := a.given[name]
	if !ok {
		return nil
	}
	var all mail.Names
	if all.UnmarshalJSON(raw) != nil {
		a.bad(name, "a list of texts")
	}
	return all
}

func (a *arguments) number(name string) int {
	text := a.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e9 {
		a.bad(name, "a number from 0 on")
		return 0
	}
	return int(n)
}

func (a *arguments) seconds(name string) time.Duration {
	return time.Duration(a.number(name)) * time.Second
}

func (a *arguments) flag(name string) bool { return a.flagOr(name, false) }

func (a *arguments) flagOr(name string, usual bool) bool {
	raw, ok := a.given[name]
	if !ok {
		return usual
	}
	value, err := strconv.ParseBool(strings.Trim(string(raw), `"`))
	if err != nil {
		a.bad(name, "true or false")
	}
	return value
}

func (a *arguments) instant(name string) time.Time {
	text := a.text(name)
	if text == "" {
		return time.Time{}
	}
	at, err := mail.ParseInstant(text)
	if err != nil {
		a.bad(name, "a time such as 2026-01-31T12:00:00Z")
	}
	return at.Time
}
