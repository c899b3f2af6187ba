package delta

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"

	"brenner/internal/pattern"
)

// orders are the words for operations; the first three in any case, the others with a capital.
var orders = [...]struct{ word, operation string }{
	{Add, Add},
	{Edit, Edit},
	{Kill, Kill},
	{"UPDATE", Edit},
	{"MODIFY", Edit},
	{"REVISE", Edit},
	{"DELETE", Kill},
	{"REMOVE", Kill},
	{"DROP", Kill},
	{"REJECT", Kill},
	{"DEPRECATE", Kill},
	{"RETIRE", Kill},
	{"DISCARD", Kill},
}

// operationOf returns the operation that a word stands for, or "".
func operationOf[T string | []byte](word T) string {
	for i, o := range orders {
		if len(word) == len(o.word) && word[0]&^0x20 == o.word[0] && (i < 3 || word[0] == o.word[0]) && strings.EqualFold(string(word), o.word) {
			return o.operation
		}
	}
	return ""
}

// nextOrder returns where the next word for an operation begins and ends, also one in the plural, or
// two zeros.
func nextOrder(text []byte, at int) (from, to int) {
	for ; at < len(text); at++ {
		if n := orderAt(text, at); n > 0 {
			return at, at + n
		}
	}
	return 0, 0
}

// orderAt returns the length of the word for an operation that begins at an offset, or 0.
func orderAt(text []byte, at int) int {
	switch text[at] {
	case 'a', 'A', 'e', 'E', 'k', 'K', 'U', 'M', 'R', 'D':
	default:
		return 0
	}
	if at > 0 && (isLetter(text[at-1]) || isDigit(text[at-1])) {
		return 0
	}
	n := 1
	for at+n < len(text) && isLetter(text[at+n]) {
		n++
	}
	if n < 3 || n > len("DEPRECATE") || !endsWord(text[at+n:]) {
		return 0
	}
	if operationOf(text[at:at+n]) != "" || text[at+n-1]|0x20 == 's' && operationOf(text[at:at+n-1]) != "" {
		return n
	}
	return 0
}

// endsWord reports whether a text begins with no letter or digit.
func endsWord(text []byte) bool {
	c, _ := utf8.DecodeRune(text)
	return !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

// keyBefore matches the name of a key and the marks up to its value.
var keyBefore = pattern.New(`(?i)\b(?:operation|op|action|type|command|kind|verdict|decision|change)(?:[^\pL\pN.,;?!\n]|[>:]\s*\n\s*|&(?:quot|#34|#39);|</?\w{1,20}>\s*){1,24}$`)

// written returns where the next operation between two offsets stands that is the value of such a key,
// or a key or an element itself, or two zeros.
func (r *reader) written(at, end int) (from, to int) {
	for {
		from, to = nextOrder(r.src[:end], at)
		if to == 0 || r.isWritten(from, to) {
			break
		}
		at = to
	}
	if to > 0 && r.src[to-1]|0x20 == 's' {
		to-- // the plural
	}
	return from, to
}

func (r *reader) isWritten(from, to int) bool {
	const near = 64
	const marks = " \t\r\n\"'`*_\\[“”"
	before, behind := r.src[max(0, from-near):from], r.src[to:min(len(r.src), to+near)]
	isPlural := r.src[to-1]|0x20 == 's'
	link := bytes.TrimRight(before, marks)
	if len(link) == 0 {
		link = []byte("\n")
	}
	last := link[len(link)-1]
	quoted := len(before) > 0 && strings.IndexByte("\"'", before[len(before)-1]) >= 0
	switch {
	case quoted && bytes.HasPrefix(bytes.TrimLeft(behind, "\"' \t"), []byte(":")):
		return true
	case last == '<' && len(link) == len(before):
		return len(behind) > 0 && (behind[0] == ' ' || behind[0] == '>')
	case bytes.HasPrefix(bytes.TrimLeft(behind, "*_"), []byte(":")):
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		rest, _, _ := bytes.Cut(behind, []byte("\n"))
		if len(bytes.Trim(line, lineMarks)) == 0 && len(bytes.Trim(rest, " \t\r*_:")) == 0 {
			return true
		}
	}
	return !isPlural && (strings.IndexByte(":=>|-;", last) >= 0 || bytes.HasSuffix(link, []byte("→"))) && hasKey(before) && keyBefore.Match(before)
}

// hasKey reports whether a text has a word that keyBefore may match.
func hasKey(text []byte) bool {
	for i := range text {
		if !isLetter(text[i]) || i > 0 && isWordByte(text[i-1]) {
			continue
		}
		for _, key := range [...]string{"op", "action", "type", "command", "kind", "verdict", "decision", "change"} {
			if begins(text[i:], key) {
				return true
			}
		}
	}
	return false
}

// findWritten refuses the changes in a fence that are not written as JSON. Done is what was read as
// JSON.
func (r *reader) findWritten(b markdown.Block, done []span, f fate) {
	last := b.Start
	for from, to := r.written(b.Start, b.End); to > 0 && !r.full; from, to = r.written(to, b.End) {
		before := r.src[max(last, from-maxWritten):from]
		last = to
		for len(done) > 0 && int(done[0].to) <= from {
			done = done[1:]
		}
		if len(done) > 0 && int(done[0].from) <= from {
			continue
		}
		a := announcement{operation: operationOf(r.src[from:to])}
		if a.about(before, r.src[to:r.writtenEnd(to, b.End)]); a.section == "" && len(a.targets) == 0 {
			continue
		}
		line, _ := r.place.find(from)
		row := Block{Line: line, Delta: Delta{Operation: a.operation, Section: a.section}}
		if len(a.targets) > 0 {
			row.Delta.Target = a.targets[0]
		}
		r.put(&passage{fate: f, base: from}, row)
	}
}

// refuseOthers refuses all changes but the first in a delta fence that is not JSON.
func (r *reader) refuseOthers(b markdown.Block, f fate) {
	text := r.src[b.Start:b.End]
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 || start[0] == '{' || start[0] == '[' {
		return
	}
	if _, to := r.written(b.Start, b.End); to > 0 {
		if f == (fate{}) {
			f = refused(artifact.InvalidJSON, "a delta that is not written as JSON", "write it as one JSON object in a fence of its own")
		}
		r.findWritten(b, []span{{int32(b.Start), int32(to)}}, f)
	}
}

// sketch returns what the beginning of an unreadable delta says about itself.
func (r *reader) sketch(text []byte) Delta {
	const enough = 400
	if !r.second {
		return Delta{}
	}
	whole := text[:min(len(text), maxSketch)]
	for _, end := range []string{"```", "~~~", ":::"} {
		whole, _, _ = bytes.Cut(whole, []byte(end))
	}
	text = whole[:min(len(whole), enough)]
	if !r.possible(text) {
		return Delta{}
	}
	d := sketchOf(text)
	d.sketchName(whole)
	r.sketchRecord(&d, whole)
	return d
}

// maxSketch is how much of an unreadable delta is searched for what its author calls its item.
const maxSketch = 2000

// ownName and ownRef match what the author of an ADD calls its item.
var (
	ownName = pattern.New(`"name"\s{0,9}:\s{0,9}"([^"\\\n]{1,200})"\s{0,9}[,}]`)
	ownRef  = pattern.New(`"ref"\s{0,9}:\s{0,9}"([\w.-]{1,64})"\s{0,9}[,}]`)
)

// sketchName adds the name and the label of an unreadable ADD, so that its correction can be told from
// others. A text with several deltas has none of its own.
func (d *Delta) sketchName(text []byte) {
	if d.Operation != Add || bytes.Count(text, []byte("peration\"")) != 1 {
		return
	}
	if all := ownName.FindAllSubmatch(text, 2); len(all) == 1 {
		d.Payload = Payload{{Name: "name", Value: artifact.Text(all[0][1])}}
	}
	if all := ownRef.FindAllSubmatch(text, 2); len(all) == 1 {
		d.Labels = []string{string(all[0][1])}
	}
}

func sketchOf(text []byte) Delta {
	const enough = 8
	var d Delta
	for n, at := 0, nearjson.NextKey(text, 0); n < enough && at >= 0; at = nearjson.NextKey(text, at) {
		key, begin, end, ok := nearjson.SketchedValue(text, at)
		if !ok {
			at++
			continue
		}
		n, at = n+1, end
		switch key, word := topKey(key), string(text[begin:end]); {
		case key == keyOperation && isOperation(word) && d.Operation == "":
			d.Operation = strings.ToUpper(word)
		case key == keySection && d.Section == "":
			if s, ok := synonyms.Section(word); ok {
				d.Section = s.String()
			}
		case key == keyTarget && isItemID(word) && d.Target == "":
			d.Target = word
		}
	}
	if d.Operation == Add {
		d.Target = ""
	}
	return d
}

// around returns the beginning of an object that cannot be read, up to its first end.
func (r *reader) around(text []byte, end int) []byte {
	const more = 400
	if !r.second {
		return text[:end]
	}
	rest := text[end:min(len(text), end+more)]
	if i := bytes.IndexByte(rest, '}'); i >= 0 {
		rest = rest[:i]
	}
	return text[:end+len(rest)]
}

// visible returns an offset, or the last one before it at which something stands.
func (r *reader) visible(at int) int {
	if !r.second {
		return at
	}
	at = min(at, len(r.src))
	if len(bytes.TrimLeft(r.src[at:min(len(r.src), at+1)], " \t\r\n")) > 0 {
		return at
	}
	return max(0, len(bytes.TrimRight(r.src[:at], " \t\r\n"))-1)
}

// afterFirstLine returns a block without its first line.
func afterFirstLine(src []byte, b markdown.Block) markdown.Block {
	i := bytes.IndexByte(src[b.Start:b.End], '\n')
	if i < 0 {
		i = b.End - b.Start - 1
	}
	b.Start = min(b.End, b.Start+i+1)
	return b
}
