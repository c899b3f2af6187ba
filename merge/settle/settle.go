// Package settle reads, merges and lints the replies of a round in one pure call. The same
// contributions always settle to the same bytes. A session's replay repeats this call.
package settle

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/internal/fault"
	"brenner/internal/remark"
	"brenner/merge"
)

// Contribution is one party's input at one instant: an agent's reply, or a person's deltas.
type Contribution struct {
	Agent string
	ID    string // of the message: the answered call, or a person's action
	// Text is a Markdown reply with delta fences. It is nil for a missing reply.
	Text []byte
	// File means that Text may also be a file of deltas in JSON, as people send it. An agent's text
	// is always a reply, even if it begins with a bracket.
	File bool
	// Repair is the reply to a repair request. Its blocks replace the unreadable ones.
	Repair []byte
	Shown  int           // the version of the artifact that its author saw
	Letter *delta.Letter // how it was sent, if others could read it
	Known  delta.Known   // the deltas shown in the message that it answers
	// Read is the result of reading Text with Options, if it was read before.
	Read *delta.Reply
	// Base is the artifact shown to an agent, in sessions that follow protocol 2: NO CHANGES is an
	// answer, and a repair replaces the deltas that Defects finds in Text. Otherwise it is nil.
	Base *artifact.Artifact
	// Third reports whether its session follows protocol 3, which has more defects.
	Third bool
	// Reader is the version of the rules by which its session reads replies.
	Reader delta.Reader
	// Records says whether its author may create records of the project.
	Records delta.RecordUse
	// Before are the instants at which its author contributed to the same round. What it said then and
	// says again is a duplicate.
	Before []string
	// Refused are the deltas of its author that were rejected then, by id. They are tried again.
	Refused map[string]bool
	// IsRepair means that Text corrects an earlier reply.
	IsRepair bool
	// Cut and RepairCut report whether Text and Repair end at the limit of their length.
	Cut, RepairCut bool

	// AfterRepair means that Text is a letter that its author sent after the correction of its reply.
	AfterRepair bool

	stamped    stamps
	followed   bool            // it is a reply that letters of its author follow
	recalled   []remark.Remark // what later letters of its author take back of it
	revoked    []remark.Remark // what later letters of its author take back of its correction
	late       []remark.Remark // what it takes back that has been merged
	openFirst  map[int]string  // what later letters of its author leave open of it, by block, since reader/5
	openSecond map[int]string  // what they leave open of its correction
	hide       func([]byte) []byte
}

// Options returns how Text is read.
func (c *Contribution) Options() delta.Options {
	return delta.Options{Reader: c.Reader, Author: c.Agent, Known: c.Known, NoChanges: c.Base != nil, BareNoChanges: !c.Third, Cut: c.Cut, Repair: c.IsRepair, Records: c.Records, Hide: c.hide, Base: c.Base}
}

// Input is everything that settling depends on.
type Input struct {
	Base artifact.Artifact
	At   time.Time // the common instant
	// Message is the number of the first contribution in the thread, from 1.
	Message       int
	Contributions []Contribution
	Rules         merge.Rules
	// Marks are added to the metadata of a new version.
	Marks artifact.Map
	// Renamed maps ids in contributions to the items that they mean here, for a replay in which
	// items got other ids. An id without an item maps to "".
	Renamed map[string]string
	// NoLint leaves out the findings.
	NoLint bool
}

// Settlement is the result of Settle.
type Settlement struct {
	Artifact artifact.Artifact // the base itself if nothing changed
	Changed  bool
	Report   merge.Report
	Readings []Reading // one per contribution with a text
	Deltas   []delta.Delta
	Lint     lint.Result
}

// Settle reads the contributions, merges them, and lints the result.
func Settle(in Input) Settlement {
	var s Settlement
	s.Readings, s.Deltas = Read(in)
	s.Artifact, s.Report = merge.Merge(in.Base, s.Deltas, in.Rules)
	s.setIdle(&in.Base)
	s.Changed = s.Artifact.Metadata.Version != in.Base.Metadata.Version
	if s.Changed && len(in.Marks) > 0 {
		s.Artifact.Metadata.Extra = in.Marks
	}
	if !in.NoLint {
		s.Lint = lint.Check(artifact.Document{Artifact: s.Artifact})
	}
	return s
}

// Read reads the contributions without merging them.
func Read(in Input) (readings []Reading, deltas []delta.Delta) {
	in.setRecalled()
	for i := range in.Contributions {
		c := &in.Contributions[i]
		if c.Text == nil {
			continue
		}
		reading, its := c.read(in.At, in.Message+i, in.Rules)
		c.recall(its, &in.Base)
		readings, deltas = append(readings, reading), append(deltas, its...)
	}
	rename(deltas, in.Renamed, in.Rules.Version == merge.First)
	return readings, deltas
}

// Undated returns the fixed instant of replies without a time, so that reading is repeatable.
func Undated() time.Time { return time.Unix(0, 0).UTC() }

// Reply is a message of an agent in a file.
type Reply struct {
	Agent string
	At    time.Time
	File  string
	Text  []byte

	hash string
}

// ReadReplies reads the deltas in replies. Messages are numbered by content, not by order.
func ReadReplies(replies []Reply, base artifact.Artifact, o delta.Options) ([]delta.Delta, []delta.Note) {
	replies = slices.Clone(replies)
	for i := range replies {
		r := &replies[i]
		sum := sha256.Sum256(r.Text)
		r.hash = hex.EncodeToString(sum[:])
	}
	slices.SortFunc(replies, func(x, y Reply) int {
		return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Agent, y.Agent), strings.Compare(x.hash, y.hash))
	})
	var batch []delta.Delta
	var notes []delta.Note
	for i, r := range replies {
		o.Author = r.Agent
		read := delta.Read(r.Text, o)
		notes = append(notes, notesOf(r.File, read)...)
		if base.Metadata.UpdatedAt != "" && r.At.Equal(Undated()) && len(read.Blocks) > 0 {
			notes = append(notes, delta.Note{
				File: r.File, Line: 1, What: "undated",
				Text: "a reply without a time counts as older than the base; NAME@TIME=FILE lets its edits win",
			})
		}
		batch = append(batch, read.Stamped(delta.Envelope{
			Agent: r.Agent, At: r.At, Message: i + 1,
			MessageID: strings.Join([]string{r.Agent, artifact.FormatInstant(r.At), r.hash}, "/"),
			Shown:     base.Metadata.Version, Unrecorded: true,
		})...)
	}
	return batch, notes
}

func notesOf(path string, r delta.Reply) []delta.Note {
	var notes []delta.Note
	for _, p := range r.Problems {
		notes = append(notes, delta.Note{File: path, Line: p.Line, What: string(p.Code), Text: p.Message})
	}
	for i := range r.Blocks {
		for _, f := range r.Blocks[i].Flags {
			notes = append(notes, delta.Note{File: path, Line: r.Blocks[i].Line, What: f.Name, Text: f.Text})
		}
	}
	return notes
}

// ReadFile reads a file of deltas. Errors name path; hint is for an artifact passed instead.
func ReadFile(path string, data []byte, hint string) ([]delta.Delta, error) {
	if !artifact.IsJSON(data) && len(bytes.TrimSpace(data)) > 0 {
		return nil, &fault.Error{
			Code: artifact.InvalidJSON, Op: "read deltas", Place: path, Detail: "not valid JSON",
			Hint: "pass a Markdown reply with its author: --deltas NAME=" + path,
		}
	}
	deltas, err := delta.ReadFile(data)
	if err == nil && len(deltas) == 1 && slices.Contains(deltas[0].Ignored, "metadata") && slices.Contains(deltas[0].Ignored, "sections") {
		err = &fault.Error{Code: artifact.InvalidJSON, Detail: "this is an artifact, not a file of deltas", Hint: hint}
	}
	return deltas, fault.InFile("read deltas", path, err)
}

// IsDeltaFile reports whether a file is a file of deltas, as `merge --deltas FILE` accepts, rather
// than a reply: by its name, or because all of it is JSON. A reply may begin with a brace.
func IsDeltaFile(file string, data []byte) bool {
	if slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(path.Ext(file))) {
		return true
	}
	_, err := delta.ReadFile(data)
	return err == nil && artifact.IsJSON(data)
}

// CheckFile reports for each row of a file what a merge would do with it on any base.
func CheckFile(path string, data []byte) (delta.Reply, error) {
	var r delta.Reply
	deltas, err := ReadFile(path, data, "`brenner artifact lint` checks one")
	if err != nil {
		return r, err
	}
	lines := delta.Lines(data)
	for i := range deltas {
		b := delta.Block{Index: i + 1, Line: lines[i], Delta: deltas[i], OK: true}
		if code, message := refusedAnyway(&deltas[i]); code != "" {
			b.OK, b.Problems = false, []delta.Located{{Code: code, Message: message, Line: b.Line, Column: 1, Hint: wayOut(&deltas[i], code)}}
		}
		r.Blocks = append(r.Blocks, b)
	}
	if len(deltas) == 0 {
		r.Problems = []delta.Located{{Code: delta.NoDeltas, Message: "the file holds no delta", Line: 1, Column: 1, Hint: "write each change as one JSON object"}}
	}
	return r, nil
}

// refusedAnyway returns why no base could accept a delta. It merges the delta into an empty base: a
// refusal there that concerns the delta alone holds for every base.
func refusedAnyway(d *delta.Delta) (fault.Code, string) {
	_, report := merge.Merge(artifact.Artifact{}, []delta.Delta{*d}, merge.Rules{})
	row := report.Deltas[0]
	switch row.Code {
	case artifact.InvalidJSON, delta.InvalidOperation, delta.InvalidSection, delta.InvalidField, delta.InvalidTimestamp, delta.MissingRequiredField, merge.RTEditOnly:
		return row.Code, row.Message
	}
	if d.Operation == delta.Edit && len(d.Payload) == 0 {
		return delta.MissingRequiredField, "an EDIT needs at least one field in its payload"
	}
	return "", ""
}
