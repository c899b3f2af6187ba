package stalemate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// ReadBrought reads a request that somebody brings. Beyond what ReadRequest looks at,
// it must be fair: a question that names nobody, and parties that nobody can take for
// one of the other explanations.
func ReadBrought(data []byte) (Request, []*fault.Error, error) {
	r, warnings, err := ReadRequest(data)
	if err != nil {
		return r, warnings, err
	}
	var list fault.List
	for i, h := range r.Parties {
		before := Request{Parties: r.Parties[:i]}
		if before.IsParty(h.Name) {
			list.Add(delta.InvalidField, "hypotheses", "give each party a name of its own", "the party %s stands twice, in other capitals", fault.Shown(h.Name))
		}
		if reserved(h.Name) {
			list.Add(delta.InvalidField, "hypotheses", "give the party another name", "%s is what an explanation that nobody holds is called", fault.Shown(h.Name))
		}
	}
	for _, name := range r.Names() {
		if names(r.Arbitration, name) {
			list.Add(delta.InvalidField, "arbitration_request", "ask the same of everybody: name no party and no explanation", "the question names %s", fault.Shown(name))
		}
	}
	return r, warnings, list.Err()
}

// reserved tells whether a name is one that explanations have: a D and a number.
func reserved(name string) bool {
	name = strings.TrimSpace(name)
	return len(name) > 1 && (name[0] == 'D' || name[0] == 'd') && strings.Trim(name[1:], "0123456789") == ""
}

// names tells whether a name stands in a text as a word of its own, in whatever case.
func names(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(strings.TrimSpace(name))
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for at := 0; name != ""; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += len(name)
	}
	return false
}

// Bring adds the parties of a request that a person brings to a case. A ruling for one
// that has written nothing writes what it states, unless the verdict gives a value.
func Bring(c *Case, r *Request) {
	for _, h := range r.Parties {
		known := false
		for i := range c.Positions {
			known = known || c.Positions[i].Party == h.Name
		}
		if !known {
			c.Positions = append(c.Positions, Position{Party: h.Name, Statement: h.Statement, Justification: h.Justification, Edit: stated(c.Place, h.Statement)})
		}
	}
}

// stated is the payload that makes a field say what a party states; nil where the
// place is no field.
func stated(place, statement string) artifact.Map {
	id, path, ok := strings.Cut(place, ".")
	if _, isItem := artifact.SectionOfID(id); !ok || !isItem {
		return nil
	}
	s := spot{}
	s.field, s.key, _ = strings.Cut(path, ".")
	return s.edit(artifact.Text(statement))
}
