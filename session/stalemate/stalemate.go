// Package stalemate detects that a session is stuck and asks an independent arbiter for a ruling.
//
// Detect finds stalemates in a session's history. NewRequest documents one with positions, other
// explanations and hashed evidence. ReadVerdict reads and checks a ruling, and Ruling turns it into
// the EDIT of an authority, so that the merge stays the only way into an artifact.
//
// The package is pure. It must not know which arbiter is asked, or where documents are kept.
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

// Kinds of stalemates.
const (
	Conflict = "conflict" // a CONFLICT that survived a round
	Error    = "error"    // the same error three times
	Retry    = "retry"    // a refused change tried again unchanged
	Swing    = "swing"    // two agents that write a field back and forth
	Person   = "person"   // declared by a person
)

// Kinds returns all kinds.
func Kinds() []string { return []string{Conflict, Error, Retry, Swing, Person} }

// TheRules is the party that defends a refusal.
const TheRules = "the rules"

// Case is one stalemate.
type Case struct {
	ID        string // "ST-1a2b3c4d5e6f7081": derived from its subject, so that it is recognized again
	Kind      string
	Place     string // "H2.claim"; an item or a file if it is about no field
	Since     int    // the round in which it began
	Round     int    // the round after which it was detected
	Positions []Position
	Log       []string       // what was refused and why, in order
	Earlier   []string       // other refusals about the same subject
	Item      artifact.Value // its current value; nil if the case is about no item
}

// Position is the view of one party and the change that it would make.
type Position struct {
	Party         string
	Statement     string
	Justification string
	// Edit is the payload that would carry it out; nil if it changes nothing.
	Edit  artifact.Map
	Delta string // id of the delta that stated it
}

// Moment is one settlement of a session.
type Moment struct {
	Round int // 0: the brief, or a person's change
	At    time.Time
	Out   *settle.Settlement
}

// Attempt is a refused change.
type Attempt struct {
	Round   int
	At      time.Time // in a store, where there are no rounds
	By      string
	Place   string
	Content string // equal for equal changes
	Code    fault.Code
	Message string
	Why     string       // the author's rationale
	Edit    artifact.Map // nil if it was not an EDIT
	Delta   string
}

// Form of ids: a hash of agents' texts, long enough that an agent cannot forge another case's id.
const (
	idPrefix = "ST-"
	idBytes  = 8
)

// caseID returns an id derived from what identifies a case.
func caseID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return idPrefix + hex.EncodeToString(sum[:idBytes])
}

// NextID returns the id of a case that is opened again after the one with this id was closed.
func NextID(id string) string { return caseID(id, "again") }

// IsID reports whether a text has the form of a case's id.
func IsID(text string) bool {
	digits, ok := strings.CutPrefix(text, idPrefix)
	return ok && len(digits) == 2*idBytes && strings.Trim(digits, "0123456789abcdef") == ""
}

func statementOf(v artifact.Value) string {
	if t, ok := v.(artifact.Text); ok && !delta.Blank(string(t)) {
		return string(t)
	}
	return string(artifact.Canonical(v))
}

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

// States of a stalemate.
const (
	Open      = "open"      // detected or declared
	Requested = "requested" // sent to an arbiter
	Ruled     = "ruled"     // there is a verdict
	Applied   = "applied"   // the verdict is in the artifact
	Refused   = "refused"   // the verdict cannot be applied
	Expired   = "expired"   // settled before a ruling
	Withdrawn = "withdrawn" // closed by a person without a ruling
)

// BadState is the code of an invalid transition.
const BadState fault.Code = "STALEMATE_STATE" // The stalemate's state does not allow this step.

func nextStates(state string) []string {
	switch state {
	case "":
		return []string{Open}
	case Open:
		return []string{Open, Requested, Ruled, Expired, Withdrawn} // a model may be asked for explanations first
	case Requested:
		return []string{Requested, Ruled, Expired, Withdrawn} // an arbiter may be asked again after a reply without a verdict
	case Ruled:
		return []string{Applied, Refused}
	}
	return nil
}

// CanFollow reports whether a state may follow another.
func CanFollow(from, to string) bool { return slices.Contains(nextStates(from), to) }

// Waits reports whether a state needs further action.
func Waits(state string) bool { return state == Open || state == Requested || state == Ruled }

// CheckTransition returns an error if a state may not follow another.
func CheckTransition(id, from, to string) error {
	if CanFollow(from, to) {
		return nil
	}
	f := &fault.Error{Code: BadState, Detail: id + " is " + from + " and cannot become " + to, Hint: "the stalemate is closed; to have it ruled on again, open it again with `brenner stalemate open`"}
	if from == "" {
		f.Detail, f.Hint = "no stalemate "+id, "`brenner stalemate list` lists the stalemates"
	}
	if Waits(from) {
		f.Hint = "allowed next: " + strings.Join(nextStates(from), ", ")
	}
	return f
}

// BadCase is the code of a stored case that cannot be read.
const BadCase fault.Code = "BAD_STALEMATE" // A stored stalemate cannot be read.

// JSON returns a case as canonical JSON, for a later ruling.
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

// maxCaseDepth leaves room for a field's value and what encloses it.
const maxCaseDepth = artifact.MaxDepth + 16

// ReadCase reads the output of Case.JSON, which does not include the item.
func ReadCase(data []byte) (Case, error) {
	v, err := artifact.ParseValue(data, maxCaseDepth)
	m, ok := v.(artifact.Map)
	if err != nil || !ok {
		return Case{}, &fault.Error{Code: BadCase, Detail: "cannot read a stored stalemate", Cause: err}
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
