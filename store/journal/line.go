package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Line is an entry as stored, before parsing. Its bytes are valid until the next line is read.
type Line struct {
	Seq                        int
	At, Kind, Body, Prev, Hash []byte
}

// LineOf returns an entry as stored.
func LineOf(e *Entry) Line {
	return Line{
		Seq: e.Seq, At: []byte(artifact.FormatInstant(e.At)), Kind: []byte(e.Kind), Body: e.Body, Prev: []byte(e.Prev), Hash: []byte(e.Hash),
	}
}

// Entry parses a line. The body is shared with the line.
func (l *Line) Entry(stream string) (Entry, error) {
	at, err := artifact.ParseInstant(string(l.At))
	if err == nil && artifact.FormatInstant(at) != string(l.At) {
		err = fmt.Errorf("the time is not in canonical form")
	}
	if err != nil {
		return Entry{}, &fault.Error{Code: BadEntry, Place: l.place(stream, l.Seq), Cause: err, Hint: broken}
	}
	return Entry{Stream: stream, Seq: l.Seq, At: at, Kind: string(l.Kind), Body: l.Body, Prev: string(l.Prev), Hash: string(l.Hash)}, nil
}

const broken = "the entries before it are intact; nothing from it on can be trusted"

func (l *Line) place(stream string, seq int) string {
	return fmt.Sprintf("%s, entry %d (%s)", fault.Shown(stream), seq, fault.Shown(string(l.Kind)))
}

// Chain verifies a long stream line by line without keeping it. It detects what Check detects,
// except the form of the bodies, which their readers check.
type Chain struct {
	stream string
	seq    int
	hash   []byte // hexadecimal; a string would be allocated for each line
	buffer []byte
}

// Follow begins at a head of a stream.
func Follow(stream string, from Head) *Chain {
	return &Chain{stream: stream, seq: from.Seq, hash: []byte(from.Hash)}
}

// Head returns the current head.
func (c *Chain) Head() Head { return Head{Seq: c.seq, Hash: string(c.hash)} }

// Next verifies a line, or returns why it does not follow the previous one.
func (c *Chain) Next(l *Line) error {
	var detail string
	switch {
	case l.Seq != c.seq+1:
		detail = fmt.Sprintf("it has the number %d: an entry is missing or duplicated", l.Seq)
	case !bytes.Equal(l.Prev, c.hash):
		detail = "it does not follow the entry before it"
	default:
		sum := sha256.Sum256(c.canonical(l))
		var digits [2 * sha256.Size]byte
		hex.Encode(digits[:], sum[:])
		if string(digits[:]) == string(l.Hash) {
			c.seq, c.hash = l.Seq, append(c.hash[:0], digits[:]...)
			return nil
		}
		detail = "its content does not match its hash: it was changed"
	}
	return &fault.Error{Code: BrokenChain, Place: l.place(c.stream, c.seq+1), Detail: detail, Hint: broken}
}

// canonical returns the bytes that the hash covers, as Entry.appendJSON does.
func (c *Chain) canonical(l *Line) []byte {
	b := c.buffer[:0]
	b = appendText(append(b, `{"at":`...), l.At)
	b = append(append(b, `,"body":`...), l.Body...)
	b = appendText(append(b, `,"kind":`...), l.Kind)
	b = appendText(append(b, `,"prev":`...), l.Prev)
	b = artifact.AppendString(append(b, `,"schema":`...), Schema)
	b = strconv.AppendInt(append(b, `,"seq":`...), int64(l.Seq), 10)
	b = artifact.AppendString(append(b, `,"stream":`...), c.stream)
	b = append(b, '}')
	c.buffer = b
	return b
}

// appendText quotes a text, with a fast path for plain ones.
func appendText(b, text []byte) []byte {
	for _, c := range text {
		if c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			return artifact.AppendString(b, string(text))
		}
	}
	b = append(append(b, '"'), text...)
	return append(b, '"')
}
