package settle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// Undated returns the instant that replies without a time share. It is fixed, so that
// reading the same reply twice gives the same deltas.
func Undated() time.Time { return time.Unix(0, 0).UTC() }

// Reply is a message of an agent in a file.
type Reply struct {
	Agent string
	At    time.Time
	File  string
	Text  []byte

	hash string
}

// ReadReplies reads the deltas in replies. Messages are numbered by what they are, not
// by the order in which they are given.
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
