// Package stalemate is what a session does instead of going round in circles: it
// sees that it is stuck, and asks somebody who is no party for a ruling.
//
// Detect finds what is stuck in a session's history, NewRequest puts it into a
// document with the positions, other explanations and hashed evidence, ReadVerdict
// reads and checks a ruling, and Ruling makes of it the EDIT of an authority, so that
// the merge stays the only way into an artifact.
//
// The package is pure. It must not know who is asked, or where documents are kept.
package stalemate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge/settle"
)

// The kinds of stalemates.
const (
	Conflict = "conflict" // a CONFLICT that survived a round
	Error    = "error"    // the same error, three times
	Retry    = "retry"    // the same change, tried again as it was refused
	Swing    = "swing"    // two agents who write a field back and forth
	Person   = "person"   // somebody says so
)

// Kinds gives all kinds.
func Kinds() []string { return []string{Conflict, Error, Retry, Swing, Person} }

// TheRules is the party that holds that a refusal was right.
const TheRules = "the rules"

// Case is one thing that is stuck.
type Case struct {
	ID        string // "ST-1a2b3c4d5e6f7081": of what it is about, so that it is found again as the same
	Kind      string
	Place     string // "H2.claim"; an item, or a file, where it is about no field
	Since     int    // the round in which it began
	Round     int    // the round after which it was seen
	Positions []Position
	Log       []string       // what was refused, and why, in order
	Item      artifact.Value // as it stands; nil where it is about none
}

// Position is what one party holds, and would write.
type Position struct {
	Party         string
	Statement     string
	Justification string
	// Edit is the payload that would carry it out; nil for one that changes nothing.
	Edit  artifact.Map
	Delta string // the id of the delta that said it
}

// Moment is one settlement of a session.
type Moment struct {
	Round int // 0: the brief, or what a person did
	At    time.Time
	Out   *settle.Settlement
}

// Attempt is one try to change something that was refused.
type Attempt struct {
	Round   int
	By      string
	Place   string
	Content string // the same for the same change
	Code    fault.Code
	Message string
	Why     string       // what its author said for it
	Edit    artifact.Map // nil where it was no EDIT
	Delta   string
}

// The form of ids. What agents write goes into them, so they are too long for anybody
// to write what gives the id of another case.
const (
	idPrefix = "ST-"
	idBytes  = 8
)

// caseID names a case by what makes it one.
func caseID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idPrefix + hex.EncodeToString(sum[:idBytes])
}

// IsID tells whether a text has the form of a case's id.
func IsID(text string) bool {
	digits, ok := strings.CutPrefix(text, idPrefix)
	return ok && len(digits) == 2*idBytes && strings.Trim(digits, "0123456789abcdef") == ""
}

// shown gives a value as people read it.
func shown(v artifact.Value) string {
	if t, ok := v.(artifact.Text); ok && !delta.Blank(string(t)) {
		return string(t)
	}
	return string(artifact.Canonical(v))
}

// rationale gives what the author of a delta said for it.
func rationale(moments []Moment, id string) string {
	for _, m := range moments {
		for i := range m.Out.Deltas {
			if d := &m.Out.Deltas[i]; d.ID == id && !delta.Blank(d.Rationale) {
				return d.Rationale
			}
		}
	}
	return ""
}

// The states of a stalemate.
const (
	Open      = "open"      // seen, or declared
	Requested = "requested" // an arbiter has the request
	Ruled     = "ruled"     // there is a verdict
	Applied   = "applied"   // it stands in the artifact
	Refused   = "refused"   // it does not, and will not
	Expired   = "expired"   // it was settled before anybody ruled
)

// BadState is the code of a step that a stalemate cannot take.
const BadState fault.Code = "STALEMATE_STATE"

// after says which states may follow a state.
func after(state string) []string {
	switch state {
	case "":
		return []string{Open}
	case Open:
		return []string{Requested, Ruled, Expired}
	case Requested:
		return []string{Requested, Ruled, Expired} // an arbiter whose answer was none may be asked again
	case Ruled:
		return []string{Applied, Refused}
	}
	return nil
}

// May tells whether a state may follow another.
func May(from, to string) bool { return slices.Contains(after(from), to) }

// Waits tells whether somebody is still needed in a state.
func Waits(state string) bool { return state == Open || state == Requested || state == Ruled }

// Step checks that a state may follow another.
func Step(id, from, to string) error {
	if May(from, to) {
		return nil
	}
	f := &fault.Error{Code: BadState, Detail: id + " is " + from + ", and cannot become " + to, Hint: "nothing more can be done with it"}
	if from == "" {
		f.Detail = "there is no stalemate " + id + " yet"
	}
	if Waits(from) {
		f.Hint = "what may follow: " + strings.Join(after(from), ", ")
	}
	return f
}

// BadCase is the code of a stored case that cannot be read.
const BadCase fault.Code = "BAD_STALEMATE"

// JSON gives a case as canonical JSON, for whoever rules on it later.
func (c *Case) JSON() []byte {
	positions, log := artifact.List{}, artifact.List{}
	for _, p := range c.Positions {
		entries := []artifact.Entry{textOf("party", p.Party), textOf("statement", p.Statement), textOf("justification", p.Justification), textOf("delta", p.Delta)}
		if p.Edit != nil {
			entries = append(entries, artifact.Entry{Key: "edit", Value: p.Edit})
		}
		positions = append(positions, artifact.MapOf(entries...))
	}
	for _, line := range c.Log {
		log = append(log, artifact.Text(line))
	}
	return artifact.Canonical(artifact.MapOf(
		textOf("id", c.ID), textOf("kind", c.Kind), textOf("place", c.Place),
		artifact.Entry{Key: "since", Value: artifact.Number(c.Since)}, artifact.Entry{Key: "round", Value: artifact.Number(c.Round)},
		artifact.Entry{Key: "positions", Value: positions}, artifact.Entry{Key: "log", Value: log},
	))
}

// deepest is room for a field's value, and what stands around it.
const deepest = artifact.MaxDepth + 16

// ReadCase reads what JSON wrote; the item is not part of it.
func ReadCase(data []byte) (Case, error) {
	v, err := artifact.ParseValue(data, deepest)
	m, ok := v.(artifact.Map)
	if err != nil || !ok {
		return Case{}, &fault.Error{Code: BadCase, Detail: "a stored stalemate cannot be read", Cause: err}
	}
	number := func(key string) int {
		v, _ := m.Get(key)
		n, _ := v.(artifact.Number)
		return int(n)
	}
	c := Case{ID: optional(m, "id"), Kind: optional(m, "kind"), Place: optional(m, "place"), Since: number("since"), Round: number("round")}
	v, _ = m.Get("positions")
	list, _ := v.(artifact.List)
	for _, e := range list {
		one, _ := e.(artifact.Map)
		p := Position{Party: optional(one, "party"), Statement: optional(one, "statement"), Justification: optional(one, "justification"), Delta: optional(one, "delta")}
		if edit, ok := one.Get("edit"); ok {
			p.Edit, _ = edit.(artifact.Map)
		}
		c.Positions = append(c.Positions, p)
	}
	v, _ = m.Get("log")
	list, _ = v.(artifact.List)
	for _, e := range list {
		line, _ := e.(artifact.Text)
		c.Log = append(c.Log, string(line))
	}
	return c, nil
}
