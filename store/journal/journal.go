// Package journal is the one event format and its hash chain.
//
// A stream is a list of entries. Each carries the hash of the one before it, so
// that an entry that was edited, dropped, swapped or put in between is found by
// anybody who has the entries alone. What a chain cannot show is that its tail
// was cut off: for that, whoever needs the proof keeps the head's hash.
//
// The package is pure, and knows nothing of what the events mean.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Schema names the form of an entry.
const Schema = "brenner.journal/v1"

// The codes of a journal that cannot be trusted.
const (
	BrokenChain fault.Code = "BROKEN_CHAIN"
	WrongHead   fault.Code = "WRONG_HEAD"
	BadEntry    fault.Code = "BAD_ENTRY"
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{BrokenChain: fault.ClassFailed}
}

// Entry is one event of a stream.
type Entry struct {
	Stream string
	Seq    int // from 1
	At     time.Time
	Kind   string
	Body   []byte // a JSON object in canonical form
	Prev   string // the hash of the entry before; empty for the first
	Hash   string // SHA-256 in hexadecimal digits
}

// Head is the end of a stream. The zero value is that of an empty one.
type Head struct {
	Seq  int
	Hash string
}

// Next makes the entry that follows the head.
func (h Head) Next(stream string, at time.Time, kind string, body []byte) (Entry, error) {
	// Without its monotonic reading, the instant equals the one that is read back.
	e := Entry{Stream: stream, Seq: h.Seq + 1, At: at.UTC().Round(0), Kind: kind, Prev: h.Hash}
	canonical := jsontext.Value(bytes.Clone(body))
	err := canonical.Canonicalize()
	e.Body = canonical
	flaw := e.misfit()
	if flaw == "" && (err != nil || canonical.Kind() != '{') {
		flaw = notCanonical
	}
	if flaw != "" {
		return Entry{}, &fault.Error{Code: BadEntry, Op: "journal " + fault.Shown(kind), Detail: flaw, Cause: err}
	}
	e.Hash = e.hash()
	return e, nil
}

// Head gives the head of a stream that ends with this entry.
func (e *Entry) Head() Head { return Head{Seq: e.Seq, Hash: e.Hash} }

// HeadOf gives the head of a stream with these entries.
func HeadOf(entries []Entry) Head {
	if len(entries) == 0 {
		return Head{}
	}
	return entries[len(entries)-1].Head()
}

func (e *Entry) hash() string {
	sum := sha256.Sum256(e.appendJSON(nil, false))
	return hex.EncodeToString(sum[:])
}

// appendJSON writes the canonical form: the keys are in their order.
func (e *Entry) appendJSON(b []byte, withHash bool) []byte {
	b = artifact.AppendString(append(b, `{"at":`...), artifact.FormatInstant(e.At))
	b = append(append(b, `,"body":`...), e.Body...)
	if withHash {
		b = artifact.AppendString(append(b, `,"hash":`...), e.Hash)
	}
	b = artifact.AppendString(append(b, `,"kind":`...), e.Kind)
	b = artifact.AppendString(append(b, `,"prev":`...), e.Prev)
	b = artifact.AppendString(append(b, `,"schema":`...), Schema)
	b = strconv.AppendInt(append(b, `,"seq":`...), int64(e.Seq), 10)
	b = artifact.AppendString(append(b, `,"stream":`...), e.Stream)
	return append(b, '}')
}

// Check follows the chain from a head over entries and names the first one that
// does not belong where it stands. Entries that pass can be written with JSON
// and read back the same.
func Check(stream string, from Head, entries []Entry) error {
	for i := range entries {
		e := &entries[i]
		if detail := e.misplaced(stream, from); detail != "" {
			return &fault.Error{
				Code: BrokenChain, Place: fmt.Sprintf("%s, entry %d (%s)", fault.Shown(stream), from.Seq+1, fault.Shown(e.Kind)), Detail: detail,
				Hint: "the entries before it are intact; nothing from it on can be trusted",
			}
		}
		from = e.Head()
	}
	return nil
}

// misplaced says why an entry does not follow a head, or nothing.
func (e *Entry) misplaced(stream string, from Head) string {
	switch {
	case e.Stream != stream:
		return "it belongs to the stream " + fault.Shown(e.Stream)
	case e.Seq != from.Seq+1:
		return fmt.Sprintf("it has the number %d: an entry is missing or stands twice", e.Seq)
	case e.Prev != from.Hash:
		return "it does not follow the entry before it"
	case e.Hash != e.hash():
		return "its content does not give its hash: it was changed"
	}
	return e.flaw()
}

// CheckHead holds entries against a head's hash that somebody kept. Any of them
// may have it, for a stream goes on after its head was printed. Where none has,
// the tail was cut off, or this is the journal of something else. It looks at
// the hashes only: Check says whether they are true.
func CheckHead(entries []Entry, hash string) error {
	for i := range entries {
		if hash != "" && strings.EqualFold(entries[i].Hash, hash) {
			return nil
		}
	}
	end := "the journal is empty"
	if n := len(entries); n > 0 {
		end = fmt.Sprintf("it ends with entry %d, %s", entries[n-1].Seq, fault.Shown(entries[n-1].Hash))
	}
	return &fault.Error{
		Code: WrongHead, Op: "look for the head " + fault.Shown(hash), Detail: "no entry has this hash; " + end,
		Hint: "entries at its end were removed, or the hash is of another journal; compare it with the summary of the session",
	}
}
