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
