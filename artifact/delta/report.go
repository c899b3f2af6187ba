package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
)

// CheckReport is the result of reading a reply, block by block.
type CheckReport struct {
	Schema   string       `json:"schema"`
	Problems []Located    `json:"problems"`
	Blocks   []CheckBlock `json:"blocks"`
	// NoChanges is the reason of a reply that says NO CHANGES.
	NoChanges *string `json:"no_changes,omitempty"`
}

// CheckBlock is the result of one block.
type CheckBlock struct {
	Index    int            `json:"index"`
	Line     int            `json:"line"`
	OK       bool           `json:"ok"`
	Delta    jsontext.Value `json:"delta"`
	Flags    []string       `json:"flags"`
	Changes  []string       `json:"changes"`
	Problems []Located      `json:"problems"`
}

// Report returns the reply as a value to show.
func (r *Reply) Report() *CheckReport {
	out := &CheckReport{Schema: "brenner.delta.check/v1", Problems: r.Problems}
	if r.NoChanges != nil {
		out.NoChanges = &r.NoChanges.Reason
	}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		block := CheckBlock{Index: b.Index, Line: b.Line, OK: b.OK, Delta: b.Delta.form(), Problems: b.Problems}
		for _, f := range b.Flags {
			block.Flags = append(block.Flags, f.Name)
			block.Changes = append(block.Changes, f.Text)
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

// Clean reports whether every block that was not merely shown could be read.
func (r *Reply) Clean() bool {
	return len(r.Problems) == 0 && !slices.ContainsFunc(r.Blocks, func(b Block) bool { return len(b.Problems) > 0 })
}

// Brief returns what a delta does and to what, as far as it could be read: KILL hypothesis_slate H1.
func (d *Delta) Brief() string {
	return strings.TrimSpace(clipped(d.Operation + " " + d.Section + " " + d.Target))
}

// form returns the delta in the specification's form, or null if nothing could be read.
func (d *Delta) form() jsontext.Value {
	if d.Operation == "" && d.Section == "" && len(d.Payload) == 0 {
		return jsontext.Value("null")
	}
	var payload []artifact.Entry
	for _, f := range d.Payload {
		if f.Value != nil {
			payload = append(payload, artifact.Entry{Key: f.Name, Value: f.Value})
		}
	}
	entries := []artifact.Entry{
		{Key: "operation", Value: artifact.Text(d.Operation)},
		{Key: "section", Value: artifact.Text(d.Section)},
		{Key: "target_id", Value: artifact.Null{}},
		{Key: "payload", Value: artifact.MapOf(payload...)},
	}
	if d.Target != "" {
		entries[2].Value = artifact.Text(d.Target)
	}
	if d.Rationale != "" {
		entries = append(entries, artifact.Entry{Key: "rationale", Value: artifact.Text(d.Rationale)})
	}
	if len(d.Labels) > 0 {
		entries = append(entries, artifact.Entry{Key: "labels", Value: artifact.Texts(d.Labels)})
	}
	return jsontext.Value(artifact.Canonical(artifact.MapOf(entries...)))
}

// Note is something about a reply that its reader should know.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"` // a flag such as "repaired", or a code
	Text string `json:"text"`
}

// Envelope is the source of a delta's author and instant, which never come from the text.
type Envelope struct {
	Agent     string
	At        time.Time
	MessageID string
	Message   int // position of the message in its thread, from 1
	Shown     int // the version of the artifact that the agent was shown
	Letter    *Letter
	// Unrecorded says that what was shown was not recorded; Shown is the base of the merge.
	Unrecorded bool
}

// Stamped returns the deltas of a reply in text order, with author, instant, place and id. A
// refused block becomes a Delta with a Problem, so that the merge accounts for it; its labels still
// refer to the item it did not create. Blocks that were only shown, and records, are omitted.
func (r Reply) Stamped(env Envelope) []Delta {
	deltas := make([]Delta, 0, len(r.Blocks))
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if b.Skipped() || b.OK && b.draft != nil {
			continue
		}
		d := b.Delta
		if !b.OK {
			d.Problem = b.problem()
		}
		d.ID = DerivedID(env.MessageID, strconv.Itoa(b.Index), string(d.Content()))
		d.Agent = env.Agent
		d.Timestamp = artifact.FormatInstant(env.At)
		d.Place = &Place{Message: env.Message, Block: b.Index, Shown: env.Shown, Letter: env.Letter, Unrecorded: env.Unrecorded}
		d.Seal()
		deltas = append(deltas, d)
	}
	return deltas
}

// problem returns the first reason why a block was refused, with its position.
func (b *Block) problem() *Problem {
	p := b.Problems[0]
	message := p.Message
	if where := fmt.Sprintf("line %d, column %d", p.Line, p.Column); !strings.Contains(message, where) {
		message = where + ": " + message
	}
	if more := len(b.Problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &Problem{Code: p.Code, Message: message}
}
