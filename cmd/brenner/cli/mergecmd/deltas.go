package mergecmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/prompts"
)

// noTime is the instant that replies without a time share. It is fixed, so that
// reading the same reply twice gives the same deltas.
var noTime = time.Unix(0, 0).UTC()

// reply is a message of an agent, given on the command line.
type reply struct {
	agent string
	at    time.Time
	path  string
	text  []byte
	hash  string
}

// readDeltas reads everything that --deltas names. All of it is read before
// anything is merged: one file that cannot be read stops the whole.
func readDeltas(a *ui.App, specs []string, base artifact.Artifact, strict bool) ([]delta.Delta, []delta.Note, error) {
	var batch []delta.Delta
	var replies []reply
	for _, spec := range specs {
		name, path, isReply := strings.Cut(spec, "=")
		if isReply {
			r, err := readReply(a, name, path)
			if err != nil {
				return nil, nil, err
			}
			replies = append(replies, r)
			continue
		}
		data, err := a.ReadFile("deltas", spec)
		if err != nil {
			return nil, nil, err
		}
		deltas, err := readDeltaFile(spec, data)
		if err == nil && isArtifact(deltas) {
			err = fault.InFile("read deltas", spec, anArtifact("did you mean --base?"))
		}
		if err != nil {
			return nil, nil, err
		}
		batch = append(batch, deltas...)
	}
	stamped, notes := stampReplies(replies, base, strict)
	return append(batch, stamped...), notes, nil
}

// readDeltaFile reads a file of deltas.
func readDeltaFile(path string, data []byte) ([]delta.Delta, error) {
	if !artifact.IsJSON(data) && len(bytes.TrimSpace(data)) > 0 {
		return nil, &fault.Error{
			Code: artifact.InvalidJSON, Op: "read deltas", Place: path, Detail: "this is not JSON",
			Hint: "a Markdown reply is given with its author: --deltas NAME=" + path,
		}
	}
	deltas, err := delta.ReadFile(data)
	return deltas, fault.InFile("read deltas", path, err)
}

// isArtifact recognises an artifact that was given in the place of deltas.
func isArtifact(deltas []delta.Delta) bool {
	return len(deltas) == 1 && slices.Contains(deltas[0].Ignored, "metadata") && slices.Contains(deltas[0].Ignored, "sections")
}

func anArtifact(hint string) error {
	return &fault.Error{Code: artifact.InvalidJSON, Detail: "this is an artifact, not a file of deltas", Hint: hint}
}

// readReply reads NAME[@TIME]=FILE.
func readReply(a *ui.App, name, path string) (reply, error) {
	r := reply{agent: name, at: noTime, path: path}
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		instant, err := artifact.ParseInstant(name[at+1:])
		if err != nil {
			return r, &fault.Error{
				Code: fault.Usage, Op: "read --deltas " + name + "=" + path, Place: name[at+1:], Cause: err,
				Hint: "write NAME@2025-12-30T12:00:00Z=reply.md",
			}
		}
		r.agent, r.at = name[:at], instant
	}
	if r.agent == "" {
		return r, &fault.Error{
			Code: fault.Usage, Detail: "--deltas " + name + "=" + path + " names no agent",
			Hint: "write NAME=reply.md",
		}
	}
	text, err := a.ReadFile("reply", path)
	if err != nil {
		return r, err
	}
	sum := sha256.Sum256(text)
	r.text, r.hash = text, hex.EncodeToString(sum[:])
	return r, nil
}

// stampReplies reads the deltas in replies. Messages are numbered by what they
// are, not by where they stood on the command line.
func stampReplies(replies []reply, base artifact.Artifact, strict bool) ([]delta.Delta, []delta.Note) {
	slices.SortFunc(replies, func(x, y reply) int {
		return cmp.Or(x.at.Compare(y.at), strings.Compare(x.agent, y.agent), strings.Compare(x.hash, y.hash))
	})
	var batch []delta.Delta
	var notes []delta.Note
	for i, r := range replies {
		read := delta.Read(r.text, delta.Options{Strict: strict, Examples: workedExamples()})
		notes = append(notes, notesOf(r.path, read)...)
		if base.Metadata.UpdatedAt != "" && r.at.Equal(noTime) && len(read.Blocks) > 0 {
			notes = append(notes, delta.Note{
				File: r.path, Line: 1, What: "undated",
				Text: "a reply without a time counts as older than the base; NAME@TIME=FILE lets its edits win",
			})
		}
		batch = append(batch, read.Stamped(delta.Envelope{
			Agent: r.agent, At: r.at, Message: i + 1,
			MessageID: strings.Join([]string{r.agent, artifact.FormatInstant(r.at), r.hash}, "/"),
			Shown:     base.Metadata.Version,
		})...)
	}
	return batch, notes
}

// notesOf says what was wrong with a reply, and what was mended in it.
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

// workedExamples are the examples of our own prompts. An agent that repeats one
// of them does not mean it.
func workedExamples() []string {
	var examples []string
	for _, t := range prompts.All() {
		examples = append(examples, t.Example())
	}
	return examples
}
