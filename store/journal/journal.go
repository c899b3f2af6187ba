// Package journal defines the event format and its hash chain.
//
// A stream is a list of entries. Each carries the hash of the previous one, so that an edited,
// dropped, swapped or inserted entry can be detected from the entries alone. A chain cannot show
// that its tail was cut off; for that, compare a saved hash of the head.
//
// The package is pure, and must not know what the events mean.
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

// Schema is the schema id of an entry.
const Schema = "brenner.journal/v1"

// The codes for a journal that cannot be trusted.
const (
	BrokenChain fault.Code = "BROKEN_CHAIN" // A journal entry was edited, dropped, moved or inserted.
	WrongHead   fault.Code = "WRONG_HEAD"   // The hash is not in the journal: its tail was cut off, or it is another journal.
	BadEntry    fault.Code = "BAD_ENTRY"    // A journal entry is not in canonical form.
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
	Prev   string // the hash of the previous entry; empty for the first
	Hash   string // SHA-256 in hexadecimal
}

// Head is the end of a stream. The zero value is that of an empty stream.
type Head struct {
	Seq  int
	Hash string
}

// Next returns the entry that follows the head.
func (h Head) Next(stream string, at time.Time, kind string, body []byte) (Entry, error) {
	// Without its monotonic reading, the instant equals the one read back.
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

// Head returns the head of a stream that ends with this entry.
func (e *Entry) Head() Head { return Head{Seq: e.Seq, Hash: e.Hash} }

// HeadOf returns the head of a stream of entries.
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

// appendJSON appends the canonical form, with sorted keys.
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

// Check verifies the chain of entries after a head and returns an error for the first one that does
// not fit. Entries that pass round-trip through JSON.
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

// misplaced returns why an entry does not follow a head, or "".
func (e *Entry) misplaced(stream string, from Head) string {
	switch {
	case e.Stream != stream:
		return "it belongs to the stream " + fault.Shown(e.Stream)
	case e.Seq != from.Seq+1:
		return fmt.Sprintf("it has the number %d: an entry is missing or duplicated", e.Seq)
	case e.Prev != from.Hash:
		return "it does not follow the entry before it"
	case e.Hash != e.hash():
		return "its content does not match its hash: it was changed"
	}
	return e.flaw()
}

// CheckHead checks that one of the entries has a saved head's hash; the stream may have grown. If
// not, the tail was cut off, or this is another journal. Check verifies the hashes themselves.
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
		Code: WrongHead, Op: "find the head " + fault.Shown(hash), Detail: "no entry has this hash; " + end,
		Hint: "the last entries were removed, or the hash is of another journal; compare it with the summary of the session",
	}
}
