package patch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

const bom = "\ufeff"

// emptyHash is the hash of the empty text, which authors write if the right one is unknown.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Text is a text to be patched: its canonical form, to which hashes and offsets refer, and its
// bytes, whose line ends and byte order mark a patch preserves.
type Text struct {
	raw   string
	canon string
	hash  string
	lines []int // offsets of line starts in canon; made on first use
}

// NewText returns the text of a file. It rejects invalid UTF-8.
func NewText(raw []byte) (*Text, []Problem) {
	s := string(raw)
	if !utf8.ValidString(s) {
		return nil, []Problem{notUTF8("the base", s)}
	}
	canon := Canonical(s)
	return &Text{raw: s, canon: canon, hash: Hash(canon)}, nil
}

func notUTF8(what, s string) Problem {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line := 1 + strings.Count(s[:at], "\n")
	return Problem{
		Code: InvalidUTF8, Line: line,
		Message: fmt.Sprintf("%s is not valid UTF-8: byte %#02x at line %d, offset %d", what, s[at], line, at),
		Hint:    "save it as UTF-8",
	}
}

// Canonical returns the canonical form of a text: without U+FEFF, with LF line ends.
func Canonical(s string) string {
	if strings.Contains(s, bom) {
		s = strings.ReplaceAll(s, bom, "")
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

// Hash returns the SHA-256 of a canonical text in hexadecimal.
func Hash(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(sum[:])
}

// Canonical returns the canonical text.
func (t *Text) Canonical() string { return t.canon }

// Hash returns the hash of the canonical text.
func (t *Text) Hash() string { return t.hash }

// Bytes returns the text as in its file.
func (t *Text) Bytes() []byte { return []byte(t.raw) }

// line returns the line of an offset in the canonical text, from 1.
func (t *Text) line(offset int) int {
	if t.lines == nil {
		t.lines = lineStarts(t.canon)
	}
	return sort.SearchInts(t.lines, offset+1)
}

func (t *Text) column(offset int) int {
	line := t.line(offset)
	start := t.lines[line-1]
	return 1 + utf8.RuneCountInString(t.canon[start:offset])
}

func lineStarts(s string) []int {
	starts := make([]int, 1, 2+strings.Count(s, "\n"))
	at := 0
	for line := range strings.SplitAfterSeq(s, "\n") {
		at += len(line)
		starts = append(starts, at)
	}
	return starts[:len(starts)-1] // the last one is the end
}

// lineEnd returns the most frequent line end; of equals, the first.
func lineEnd(raw string) string {
	kinds := []string{"\n", "\r\n", "\r"}
	counts, first := [3]int{}, [3]int{}
	for i := 0; i < len(raw); i++ {
		at := strings.IndexAny(raw[i:], "\r\n")
		if at < 0 {
			break
		}
		i += at
		kind := 0
		switch {
		case strings.HasPrefix(raw[i:], "\r\n"):
			kind = 1
		case raw[i] == '\r':
			kind = 2
		}
		if counts[kind] == 0 {
			first[kind] = i
		}
		counts[kind]++
		i += len(kinds[kind]) - 1
	}
	best := 0
	for k := range kinds {
		if counts[k] > counts[best] || counts[k] == counts[best] && counts[k] > 0 && first[k] < first[best] {
			best = k
		}
	}
	return kinds[best]
}

type edit struct {
	start, end int
	with       string
	op         int // its operation, from 1
}

// replace returns the file's bytes after edits, which are sorted and do not overlap.
// Everything else stays byte by byte; new lines get the file's line end.
func (t *Text) replace(edits []edit) string {
	if t.raw == t.canon {
		return splice(t.canon, edits)
	}
	offsets := make([]int, 0, 2*len(edits))
	for _, e := range edits {
		offsets = append(offsets, e.start, e.end)
	}
	places := t.inRaw(offsets)
	w := joiner{}
	w.out.Grow(len(t.raw))
	eol, from := lineEnd(t.raw), 0
	for i, e := range edits {
		w.add(t.raw[from:places[2*i]])
		w.add(strings.ReplaceAll(e.with, "\n", eol))
		from = places[2*i+1]
	}
	w.add(t.raw[from:])
	return w.out.String()
}

func splice(s string, edits []edit) string {
	var out strings.Builder
	out.Grow(len(s))
	from := 0
	for _, e := range edits {
		out.WriteString(s[from:e.start])
		out.WriteString(e.with)
		from = e.end
	}
	out.WriteString(s[from:])
	return out.String()
}

// inRaw maps offsets in the canonical text, sorted pairs of start and end, to offsets in the
// bytes. A start is where its first character begins, an end where the last character before it
// ends, so that invisible bytes between two edits are kept.
func (t *Text) inRaw(offsets []int) []int {
	places := make([]int, len(offsets))
	next, canon := 0, 0
	take := func(raw int, start bool) {
		for next < len(offsets) && offsets[next] == canon && (next%2 == 0) == start {
			places[next] = raw
			next++
		}
	}
	for raw := 0; raw < len(t.raw) && next < len(offsets); {
		if strings.HasPrefix(t.raw[raw:], bom) {
			raw += len(bom)
			continue
		}
		take(raw, true)
		raw += rawLength(t.raw[raw:])
		canon++
		take(raw, false)
	}
	return places
}

func rawLength(raw string) int {
	if raw[0] != '\r' {
		return 1
	}
	n := 1
	for strings.HasPrefix(raw[n:], bom) {
		n += len(bom)
	}
	if strings.HasPrefix(raw[n:], "\n") {
		return n + 1
	}
	return 1
}

// joiner concatenates pieces of a file so that a CR at the end of one and an LF at the
// beginning of the next do not become one line end.
type joiner struct {
	out strings.Builder
	cr  bool // the output ends with a CR
}

func (j *joiner) add(piece string) {
	visible := strings.TrimLeft(piece, bom)
	if visible == "" {
		j.out.WriteString(piece)
		return
	}
	if j.cr && visible[0] == '\n' {
		j.out.WriteByte('\r')
	}
	j.out.WriteString(piece)
	j.cr = strings.HasSuffix(strings.TrimRight(piece, bom), "\r")
}

func (t *Text) rewrite(content string) string {
	head := t.raw[:len(t.raw)-len(strings.TrimLeft(t.raw, bom))]
	return head + strings.ReplaceAll(content, "\n", lineEnd(t.raw))
}
