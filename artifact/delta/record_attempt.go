package delta

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/markdown"
)

// attempt is a record, or an operation on one, in a form that is not read. It gets a row, unless a block says the same.
type attempt struct {
	line, first   int // first is the first line of its text
	operation, id string
	what, hint    string
}

// The forms of attempts: keys and values that are not JSON, and lines that say what is to become of a record.
var (
	attemptSection = regexp.MustCompile(`(?i)\bsection\b[^\pL\pN\n]{0,6}[:=>|][^\pL\pN\n]{0,6}(?:project[_ ]records?|records?)\b`)
	attemptWord    = regexp.MustCompile(`(?i)\b(?:operation|op|action)\b[^\pL\pN\n]{0,6}[:=>|]`)
	attemptID      = regexp.MustCompile(`(?i)\b(?:id|target_id)\b[^\pL\pN\n]{0,6}[:=>|][^\pL\pN\n]{0,6}([\w./@-]{1,100})`)
	attemptType    = regexp.MustCompile(`(?im)^[ \t]*(?:type|kind|record_type)[ \t]*:`)
	attemptOrder   = regexp.MustCompile("(?m)^[-+#\\d.) \\t]*[*_`]{0,3}(PROMOTE|DEPRECATE|KILL|Promote|Deprecate|Kill)[*_`]{0,3}:?[ \\t]+(?:record[ \\t]+)?[*_`]{0,3}" +
		"([a-z0-9][\\w./-]*?(?:@v\\d{1,9})?)" + attemptEnd)
	attemptAdd = regexp.MustCompile("(?m)^[-+#\\d.) \\t]*[*_`]{0,3}(?:(?i:delta)[ \\d.:)*_-]+)?(?:(?:Add|New|add|new) (?:a )?(?:new )?(?:project )?[Rr]ecord|(?:# ?|\\*\\*)Record)(?::[*_`]{0,3}|[*_`]{0,3}:)? [*_`]{0,3}([a-z0-9]\\w*[-./][\\w./-]*\\w)" + attemptEnd +
		"|^[-+#\\d.) \\t]*[*_`]{0,3}ADD(?: new)? record:? [*_`]{0,3}([a-z0-9][\\w./-]*)[*_`]{0,3}[ \\t]*[:—–(]")
)

// attemptEnd matches what may be behind the id in such a line.
const attemptEnd = "[*_`]{0,3}[ \\t]*(?:\\r?$|[—–:(,;]|[-.](?:\\s|$))"

// hintRecord says how a record is written.
const hintRecord = "write it as one JSON object with operation, section and payload in a fence that begins with ```delta; leave it out if it is an example"

// isRecordFence reports whether a fence has the word of a record.
func (r *reader) isRecordFence(f markdown.Fence) bool {
	return r.opt.Records != NoRecords && f.Mark != ':' && f.Is("record", "records", "project_record", RecordSection)
}

// holdsRecord reports whether a fence has the word of a record and holds JSON.
func (r *reader) holdsRecord(b markdown.Block) bool {
	text := bytes.TrimLeft(r.src[b.Start:b.End], " \t\r\n")
	return r.isRecordFence(b.Fence) && len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// noteAttempts notes the attempts at records in a part of a reply that is its author's own. Done is what was read as JSON.
func (r *reader) noteAttempts(b markdown.Block, done []span) {
	if r.opt.Records == NoRecords || r.keys != nil {
		return
	}
	text := r.src[b.Start:b.End]
	if b.Kind == markdown.Fenced && len(done) == 0 {
		r.noteBare(b, text)
	}
	r.noteKeys(b, text, done)
	if b.Kind == markdown.Prose {
		r.noteLines(b, text, done)
	}
}

// noteFence notes the attempts at records in a fence, unless its words or the text beside it, from an offset on, disown it.
func (r *reader) noteFence(b markdown.Block, done []span, from int, isOwn bool) {
	if !isOwn || r.opt.Records == NoRecords || NotMeant(b.Fence) {
		return
	}
	to := r.openingLine(b)
	if _, _, ok := r.remarks().Beside(r.src[min(from, to):to], r.src[b.Start:b.End], r.src[b.End:]); !ok {
		r.noteAttempts(b, done)
	}
}

// noteBare notes a fence that holds the fields of a record and no more: as JSON, or above its text.
func (r *reader) noteBare(b markdown.Block, text []byte) {
	const enough = 1000
	a := attempt{operation: Add, what: "a record without operation and section in " + fenceName(b.Fence), hint: hintRecord}
	start := bytes.TrimLeft(text, " \t\r\n[")
	head := text[:min(len(text), enough)]
	switch {
	case len(start) > 0 && start[0] == '{' && b.Fence.Is(looseWords...):
		fixed := r.mender.Repair(start, true)
		if r.effort -= fixed.End; fixed.Fail != nil || r.effort < 0 {
			return
		}
		o, err := r.readObject(fixed.Text, 0)
		if err != nil || o.has(keyOperation) || !r.isRecord(o) {
			return
		}
		if a.id = o.text(keyID); a.id == "" {
			return
		}
	case (r.isRecordFence(b.Fence) || hasPrefix(bytes.TrimLeft(head, " \t\r\n"), "---")) && attemptType.Match(head):
		id := attemptID.FindSubmatch(head)
		if len(id) < 2 {
			return
		}
		a.id = string(id[1])
		a.what = "a record that is not written as JSON"
	default:
		return
	}
	a.line, a.first = b.Line, b.Line
	r.attempts = append(r.attempts, a)
}

// noteKeys notes the records whose keys and values are not JSON.
func (r *reader) noteKeys(b markdown.Block, text []byte, done []span) {
	const near = 600
	for _, m := range attemptSection.FindAllIndex(text, -1) {
		at := b.Start + m[0]
		behind := text[m[1]:min(len(text), m[1]+near)]
		around := text[max(0, m[0]-near/4):min(len(text), m[1]+near/4)]
		id := attemptID.FindSubmatch(behind)
		if inSpans(done, at) || len(id) < 2 || !attemptWord.Match(around) {
			continue
		}
		line, _ := r.place.find(at)
		r.attempts = append(r.attempts, attempt{line: line, first: line - 3, operation: Add, id: string(id[1]), what: "a record that is not written as JSON", hint: hintRecord})
	}
}

// noteLines notes the lines that say what is to become of a record.
func (r *reader) noteLines(b markdown.Block, text []byte, done []span) {
	for _, m := range attemptOrder.FindAllSubmatchIndex(text, -1) {
		word, id := string(text[m[2]:m[3]]), string(text[m[4]:m[5]])
		a := attempt{operation: strings.ToUpper(word), id: id}
		isNamed := strings.Contains(id, "@v") || word == a.operation && (r.opt.Records == OnlyRecords && !isPronoun(id) || strings.Contains(id, "-"))
		if !isNamed || inSpans(done, b.Start+m[2]) {
			continue
		}
		a.what = "a " + a.operation + " of " + clipped(id) + " in words; nothing was done"
		a.hint = "leave it out: people and gates decide what becomes of a record; say in a record why it should"
		a.line, _ = r.place.find(b.Start + m[2])
		a.first = a.line
		r.attempts = append(r.attempts, a)
	}
	for _, m := range attemptAdd.FindAllSubmatchIndex(text, -1) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		if inSpans(done, b.Start+from) {
			continue
		}
		a := attempt{operation: Add, id: string(text[from:to]), what: "a record is announced here, and the reply does not have it", hint: hintRecord}
		a.line, _ = r.place.find(b.Start + from)
		a.first = a.line
		r.attempts = append(r.attempts, a)
	}
}

func isPronoun(word string) bool {
	return slices.Contains([]string{"it", "this", "that", "these", "those", "them", "none", "nothing", "all", "both", "any", "one", "no"}, word)
}

func inSpans(all []span, at int) bool {
	return slices.ContainsFunc(all, func(s span) bool { return int(s.from) <= at && at < int(s.to) })
}

// withAttempts returns the blocks with a row for each attempt of which no block says the same.
func (r *reader) withAttempts(blocks []Block) []Block {
	const most = 100
	if len(r.attempts) == 0 {
		return blocks
	}
	told := make(map[[2]string]bool)
	lines := make(map[int]bool)
	for i := range blocks {
		b := &blocks[i]
		if b.Skipped() {
			continue
		}
		lines[b.Line] = true
		for _, id := range append(slices.Clip(b.Delta.Labels), b.Delta.Target) {
			told[[2]string{b.Delta.Operation, withoutVersion(id)}] = true
		}
	}
	var more []Block
	for _, a := range r.attempts {
		key := [2]string{a.operation, withoutVersion(a.id)}
		seen := told[key] && a.id != ""
		for line := a.first; line <= a.line; line++ {
			seen = seen || lines[line]
		}
		if seen || len(more) == most {
			continue
		}
		told[key] = true
		row := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: RecordSection}}
		row.Problems = []Located{{Code: UnfencedDelta, Message: a.what, Line: a.line, Column: 1, Hint: a.hint}}
		if a.operation == Add {
			row.Delta.label(a.id)
		} else {
			row.Delta.Target = a.id
		}
		more = append(more, row)
	}
	if len(more) == 0 {
		return blocks
	}
	r.meant = true
	all := slices.Concat(blocks, more)
	slices.SortStableFunc(all, func(a, b Block) int { return a.Line - b.Line })
	r.full = r.full || len(all) > r.opt.MaxBlocks
	for i := range all {
		all[i].Index = i + 1
	}
	return all
}

func withoutVersion(id string) string {
	id, _, _ = strings.Cut(strings.TrimSpace(id), "@v")
	return id
}
