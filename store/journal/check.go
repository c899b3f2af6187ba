package journal

import (
	"fmt"
	"strings"

	"brenner/internal/fault"
)

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
