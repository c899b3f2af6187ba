package itemform

import (
	"bytes"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
)

var (
	callName   = pattern.New(`(?:"name"\s*:\s*"|<function=)(add|edit|kill)_(\w+)`)
	laterName  = pattern.New(`<(?:invoke|tool|call|action|function|tool_use)\s+name="(add|edit|kill|remove|delete|retire|update)_(\w+)"`)
	callTarget = pattern.New(`"([A-Z]{1,2}\d{1,3})"`)
	laterID    = pattern.New(`["'>]([A-Z]{1,2}\d{1,3})["'<]`)
	sectionKey = pattern.New(`"section"\s*:\s*"(\w+)"|"(\w+_(?:slate|table|tests|ledger|register|critique))"\s*:\s*\[\s*\{`)
)

// Called is a call of a tool whose name says what is done, and with what.
type Called struct {
	At, End    int
	Verb, What string
	target     *pattern.Pattern
}

// InCall returns the call in a line, in one of more forms for later readers.
func InCall(line []byte, more bool) (c Called, ok bool) {
	m, target := callName.FindSubmatchIndex(line), callTarget
	if m == nil && more && bytes.IndexByte(line, '<') >= 0 {
		m, target = laterName.FindSubmatchIndex(line), laterID
	}
	if m == nil {
		return c, false
	}
	return Called{At: m[0], End: m[1], Verb: string(line[m[2]:m[3]]), What: string(line[m[4]:m[5]]), target: target}, true
}

// Target returns the id in what a call is made with, or "".
func (c *Called) Target(rest []byte) string {
	if id := c.target.FindSubmatch(rest); id != nil {
		return string(id[1])
	}
	return ""
}

// ItemsKey returns the section that a key of an object names, and where.
func ItemsKey(text []byte) (s artifact.Section, at int, ok bool) {
	m := sectionKey.FindSubmatchIndex(text)
	if m == nil {
		return s, 0, false
	}
	s, ok = synonyms.Section(string(text[max(m[2], m[4]):max(m[3], m[5])]))
	return s, m[0], ok
}
