// Package settle is what happens to the answers of a round: they are read, merged
// and linted, in one pure call. The same contributions always settle to the same
// bytes; a session's replay is nothing but this call again.
package settle

import (
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/merge"
)

// Contribution is what one party contributes at one instant: an agent's reply, or
// the deltas of a person.
type Contribution struct {
	Agent string
	ID    string // of the message: the call that was answered, or what a person did
	// Text is a Markdown reply with delta fences; nil for somebody who did not
	// answer, and keeps the number of the message only.
	Text []byte
	// File says that Text may also be a file of deltas in JSON, as people send
	// it. What agents write is a reply, even if it begins with a bracket.
	File bool
	// Repair is the answer to the question for better blocks, or nil. What it
	// holds takes the place of the blocks that could not be read.
	Repair []byte
	Shown  int         // the version of the artifact that its author saw
	Known  delta.Known // the deltas that the message showed which it answers
	// Read is what the reader made of Text, where it was read before; or nil.
	Read *delta.Reply
}

// Input is everything that settling depends on.
type Input struct {
	Base artifact.Artifact
	At   time.Time // the instant of all of it
	// Message is the number of the first contribution in the thread, from 1.
	Message       int
	Contributions []Contribution
	Rules         merge.Rules
	// Marks are kept in the metadata of a new version.
	Marks artifact.Map
	// Renamed are ids that contributions use and the items that they mean here:
	// for a replay in which items got other ids. An id that means nothing any
	// more is renamed to "".
	Renamed map[string]string
}

// Settlement is what became of the contributions.
type Settlement struct {
	Artifact artifact.Artifact // the base itself if nothing changed
	Changed  bool
	Report   merge.Report
	Readings []Reading // one for each contribution that came
	Deltas   []delta.Delta
	Lint     lint.Result
}

// Settle reads the contributions, merges what they say, and lints the result.
func Settle(in Input) Settlement {
	var s Settlement
	s.Readings, s.Deltas = Read(in)
	s.Artifact, s.Report = merge.Merge(in.Base, s.Deltas, in.Rules)
	s.Changed = s.Artifact.Metadata.Version != in.Base.Metadata.Version
	if s.Changed && len(in.Marks) > 0 {
		s.Artifact.Metadata.Extra = in.Marks
	}
	s.Lint = lint.Check(artifact.Document{Artifact: s.Artifact})
	return s
}

// Read reads the contributions, and does nothing with what they say.
func Read(in Input) (readings []Reading, deltas []delta.Delta) {
	for i := range in.Contributions {
		c := &in.Contributions[i]
		if c.Text == nil {
			continue
		}
		reading, its := c.read(in.At, in.Message+i)
		readings, deltas = append(readings, reading), append(deltas, its...)
	}
	rename(deltas, in.Renamed)
	return readings, deltas
}
