// Package delta defines the change that an agent proposes, and the readers that find such changes
// in files and in agents' replies.
//
// The package is pure. It reports what a text contains and where. Whether a change is allowed, and
// its effect, is up to package merge.
package delta

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/fault"
)

// The operations.
const (
	Add  = "ADD"
	Edit = "EDIT"
	Kill = "KILL"
)

// The codes for an object that is not a valid delta.
const (
	InvalidOperation     fault.Code = "INVALID_OPERATION"      // The operation is not ADD, EDIT or KILL.
	InvalidSection       fault.Code = "INVALID_SECTION"        // Unknown section.
	InvalidField         fault.Code = "INVALID_FIELD"          // Invalid value for a field; the field is refused, the rest of the delta applies.
	InvalidTimestamp     fault.Code = "INVALID_TIMESTAMP"      // The timestamp is not in RFC 3339 format.
	MissingRequiredField fault.Code = "MISSING_REQUIRED_FIELD" // An ADD lacks a required field, or an EDIT changes no field.
)

// Delta is one proposed change. Operation, section and timestamp are kept as written, so that an
// invalid one can be quoted.
//
// Seal must be called after the fields are set and after every later change. ReadFile and
// Reply.Stamped call it.
//
// The fields that decide the order of a batch come first, so that a sort touches little else.
type Delta struct {
	ID     string
	Agent  string
	At     time.Time // Timestamp in UTC; zero if unreadable
	Place  *Place    // position in a thread; nil for deltas from files
	hash   [sha256.Size]byte
	sealed bool

	Labels    []string // an ADD's names for its new item: ref, id, target_id
	Operation string
	Section   string
	Target    string // "" if null or absent
	Payload   Payload
	// Problem is why this row of a file is not a delta.
	Problem *Problem
	// Ignored are the unknown keys of the delta.
	Ignored   []string
	Rationale string
	Timestamp string
}

// Payload is the content of a delta: its fields, sorted by name.
type Payload []Field

// Field is one field of a payload: a value, or the reason why it is not one.
type Field struct {
	Name  string
	Value artifact.Value
	Bad   string
}

// Place is a delta's position in a thread, and the version its author had seen.
type Place struct {
	Message int // position of the message in the thread, from 1
	Block   int // position of the block in the message, from 1
	Shown   int // the version of the artifact that its author was shown
	// Written is the position of the block in its text if that is not Block, because a repair was
	// combined with the reply that it corrects. Repair tells the two texts apart.
	Written int
	Repair  bool
	// Corrects says that it replaces a block of the reply, whose labels mean it from now on.
	Corrects bool
	Letter   *Letter // how its message was sent, if others could read it
	// Unrecorded says that Shown is the base of the merge, because what was shown was not recorded.
	Unrecorded bool
}

// Letter is when a message was sent, and which agents received it. Their later letters may use its
// names of new items.
type Letter struct {
	Sent time.Time
	To   []string
	// Direct says that it answers a question itself, not a letter of another agent.
	Direct bool
	// Before are the instants of earlier merges of the author's messages in the same round.
	Before []time.Time
}

// Source returns the position of the block in the text in which it was written.
func (p *Place) Source() int {
	if p.Written > 0 {
		return p.Written
	}
	return p.Block
}

// Problem is why something that should be a delta is not one.
type Problem struct {
	Code    fault.Code
	Message string
}

// Get returns a field of the payload.
func (p Payload) Get(name string) (Field, bool) {
	if f := p.Find(name); f != nil {
		return *f, true
	}
	return Field{}, false
}

// Find returns a field of the payload, or nil.
func (p Payload) Find(name string) *Field {
	const few = 12 // up to here a linear search is faster
	if len(p) > few {
		at, ok := slices.BinarySearchFunc(p, name, func(f Field, n string) int { return artifact.CompareKeys(f.Name, n) })
		if !ok {
			return nil
		}
		return &p[at]
	}
	for i := range p {
		if p[i].Name == name {
			return &p[i]
		}
	}
	return nil
}

// Text returns the value of a text field, or "".
func (p Payload) Text(name string) string {
	f, _ := p.Get(name)
	t, _ := f.Value.(artifact.Text)
	return string(t)
}

// Seal parses the timestamp and computes the content hash.
func (d *Delta) Seal() { d.seal(make([]byte, 0, 512)) }

// seal writes the content into room, which may grow, and returns it for the next delta.
func (d *Delta) seal(room []byte) []byte {
	d.At = instant(d.Timestamp)
	room = d.appendContent(room[:0])
	d.hash = sha256.Sum256(room)
	d.sealed = true
	return room
}

// instant parses a timestamp, with or without seconds. It returns zero for any other text.
func instant(text string) time.Time {
	const minutes = len("2006-01-02T15:04")
	at, err := artifact.ParseInstant(text)
	if err != nil && len(text) > minutes && strings.IndexByte("Zz+-", text[minutes]) >= 0 {
		at, _ = artifact.ParseInstant(text[:minutes] + ":00" + text[minutes:])
	}
	return at
}

// Hash returns the SHA-256 of Content.
func (d *Delta) Hash() [sha256.Size]byte {
	if !d.sealed {
		return sha256.Sum256(d.Content())
	}
	return d.hash
}

// Content returns the delta as canonical JSON, without id and place, with the instant in UTC.
func (d *Delta) Content() []byte { return d.appendContent(make([]byte, 0, 512)) }

func (d *Delta) appendContent(b []byte) []byte {
	b = artifact.AppendString(append(b, `{"agent":`...), d.Agent)
	if len(d.Labels) > 0 {
		b = append(b, `,"labels":[`...)
		for i, l := range d.Labels {
			if i > 0 {
				b = append(b, ',')
			}
			b = artifact.AppendString(b, l)
		}
		b = append(b, ']')
	}
	b = artifact.AppendString(append(b, `,"operation":`...), d.Operation)
	b = append(b, `,"payload":{`...)
	for i, f := range d.Payload {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(artifact.AppendString(b, f.Name), ':')
		if f.Value == nil {
			// No value may have this key, so no value can be mistaken for it.
			b = append(artifact.AppendString(append(b, '{'), artifact.ConflictKey), ':')
			b = append(artifact.AppendString(b, f.Bad), '}')
			continue
		}
		b = artifact.AppendValue(b, f.Value)
	}
	b = append(b, '}')
	if d.Problem != nil {
		b = artifact.AppendString(append(b, `,"problem":`...), d.Problem.Message)
	}
	b = artifact.AppendString(append(b, `,"rationale":`...), d.Rationale)
	b = artifact.AppendString(append(b, `,"section":`...), d.Section)
	b = artifact.AppendString(append(b, `,"target_id":`...), d.Target)
	b = append(b, `,"timestamp":`...)
	if d.At.IsZero() {
		return append(artifact.AppendString(b, d.Timestamp), '}')
	}
	return append(artifact.AppendInstant(append(b, '"'), d.At), `"}`...)
}

// Blank reports whether s has no visible content.
func Blank(s string) bool {
	if s != "" && ' ' < s[0] && s[0] < utf8.RuneSelf {
		return false // the common case: the end need not be examined
	}
	return strings.TrimSpace(s) == ""
}

// Row is a change that the program itself proposes, as a row of a delta file.
type Row struct {
	Operation string
	Section   artifact.Section
	Target    string
	Payload   artifact.Map
	Rationale string
}

// Value returns the row as a JSON value.
func (r Row) Value() artifact.Value {
	text := func(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }
	return artifact.MapOf(
		text("operation", r.Operation), text("section", r.Section.String()), text("target_id", r.Target),
		artifact.Entry{Key: "payload", Value: r.Payload}, text("rationale", r.Rationale),
	)
}
