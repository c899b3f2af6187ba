// Package delta holds the change that an agent proposes, and the readers that
// find such changes in files and in what agents write.
//
// The package is pure. It says what stands in a text and where; whether a change
// may be made, and what becomes of it, is the merge's business.
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

// The codes of a delta that is not one.
const (
	InvalidOperation     fault.Code = "INVALID_OPERATION"
	InvalidSection       fault.Code = "INVALID_SECTION"
	InvalidField         fault.Code = "INVALID_FIELD"
	InvalidTimestamp     fault.Code = "INVALID_TIMESTAMP"
	MissingRequiredField fault.Code = "MISSING_REQUIRED_FIELD"
)

// Delta is one proposed change. Operation, section and timestamp are kept as
// they were written, so that a wrong one can be named.
//
// A Delta is sealed by Seal, which ReadFile and Reply.Stamped call; whoever
// changes a field afterwards seals it again.
//
// The fields that decide the order of a batch stand first: who sorts one reads
// little else.
type Delta struct {
	ID     string
	Agent  string
	At     time.Time // Timestamp in UTC; zero where it cannot be read
	Place  *Place    // where it stood in a thread; nil for deltas from files
	hash   [sha256.Size]byte
	sealed bool

	Labels    []string // an ADD's names for the item it makes: ref, id, target_id
	Operation string
	Section   string
	Target    string // "" where it was null or absent
	Payload   Payload
	// Problem is what made this row of a file no delta at all.
	Problem *Problem
	// Ignored are the keys of the delta that mean nothing to anyone.
	Ignored   []string
	Rationale string
	Timestamp string
}

// Payload is the content of a delta: its fields, sorted by name.
type Payload []Field

// Field is one field of a payload: a value, or the reason why it cannot be one.
type Field struct {
	Name  string
	Value artifact.Value
	Bad   string
}

// Place says where in a thread a delta stood, and what its author had seen.
type Place struct {
	Message int // order of the message in the thread, from 1
	Block   int // place of the block in the message, from 1
	Shown   int // the version of the artifact that its author was shown
}

// Problem is why something that should be a delta is none.
type Problem struct {
	Code    fault.Code
	Message string
}

// Get finds a field of the payload.
func (p Payload) Get(name string) (Field, bool) {
	if f := p.Find(name); f != nil {
		return *f, true
	}
	return Field{}, false
}

// Find gives a field of the payload, or nil.
func (p Payload) Find(name string) *Field {
	const few = 12 // up to here looking at each is faster
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

// Text gives a payload field that is a text, or "".
func (p Payload) Text(name string) string {
	f, _ := p.Get(name)
	t, _ := f.Value.(artifact.Text)
	return string(t)
}

// Seal reads the timestamp and computes the content's hash.
func (d *Delta) Seal() {
	d.At, _ = artifact.ParseInstant(d.Timestamp)
	d.hash = sha256.Sum256(d.Content())
	d.sealed = true
}

// Hash is the SHA-256 of Content.
func (d *Delta) Hash() [sha256.Size]byte {
	if !d.sealed {
		return sha256.Sum256(d.Content())
	}
	return d.hash
}

// Content gives what the delta says, without its id and its place, as canonical
// JSON. Equal instants count as equal however they were written.
func (d *Delta) Content() []byte {
	when := d.Timestamp
	if !d.At.IsZero() {
		when = artifact.FormatInstant(d.At)
	}
	b := make([]byte, 0, 512)
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
			// No value may have this key, so that no value is taken for it.
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
	b = artifact.AppendString(append(b, `,"timestamp":`...), when)
	return append(b, '}')
}

// Blank tells whether a text says nothing.
func Blank(s string) bool {
	if s != "" && ' ' < s[0] && s[0] < utf8.RuneSelf {
		return false // as nearly all do: its end need not be looked at
	}
	return strings.TrimSpace(s) == ""
}

// Row is a change that this program itself proposes, as it stands in a file of deltas.
type Row struct {
	Operation string
	Section   artifact.Section
	Target    string
	Payload   artifact.Map
	Rationale string
}

// Value gives the row as JSON has it.
func (r Row) Value() artifact.Value {
	text := func(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }
	return artifact.MapOf(
		text("operation", r.Operation), text("section", r.Section.String()), text("target_id", r.Target),
		artifact.Entry{Key: "payload", Value: r.Payload}, text("rationale", r.Rationale),
	)
}
