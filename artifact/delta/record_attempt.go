package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta/recordform"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// attempt is a record, or an operation on one, in a form that is not read. It gets a row, unless a block says the same.
type attempt struct {
	line, first   int // first is the first line of its text
	operation, id string
	what, hint    string
	shown         bool // it has a row already, in which it is only shown
	example       bool // it is only shown
}

// The forms of keys and values of records that are not JSON.
var (
	attemptSection = pattern.New(`(?i)\bsection\b[^\pL\pN\n]{0,6}[:=>|][^\pL\pN\n]{0,6}(?:project[_ ]records?|records?)\b`)
	attemptWord    = pattern.New(`(?i)\b(?:operation|op|action)\b[^\pL\pN\n]{0,6}[:=>|]`)
	attemptID      = pattern.New(`(?i)\b(?:id|target_id)\b[^\pL\pN\n]{0,6}[:=>|][^\pL\pN\n]{0,6}([\w./@-]{1,100})`)
)

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
	r.noteKeys(b, text, done)
	r.noteForms(b, text, done)
	if b.Kind == markdown.Prose {
		r.noteLines(b, text, done)
	}
}

// formWords are the words of fences in which a record may be written in another form.
var formWords = append(slices.Clone(looseWords), "yaml", "yml", "toml", "ini", "xml", "html", "markdown", "md", "text", "txt", "plaintext", "frontmatter", "tool_call", "tool_code")

// noteFence notes the attempts at records in a fence, unless its words or the text beside it, from an offset on, disown
// it: then they are only shown, and it returns false.
func (r *reader) noteFence(b markdown.Block, done []span, from int, isOwn bool) bool {
	if r.opt.Records == NoRecords {
		return false
	}
	to := remark.OpeningLine(r.src, b.Start)
	isMeant := (isOwn || inDoubt(b)) && !NotMeant(b.Fence)
	if isMeant {
		_, _, isDisowned := r.remarks().Beside(r.src[min(from, to):to], r.src[b.Start:b.End], r.src[b.End:])
		isMeant = !isDisowned
	}
	if isMeant {
		r.noteAttempts(b, done)
		return true
	}
	for _, found := range r.formsIn(b, done) {
		if found.ID != "" && r.keys == nil {
			line, _ := r.place.find(b.Start + found.At)
			r.attempts = append(r.attempts, attempt{line: line, first: line + 1, operation: Add, id: found.ID, example: true})
		}
	}
	return false
}

// formsIn returns the records in a block that are written in another form. In a fence of code, only calls are.
func (r *reader) formsIn(b markdown.Block, done []span) []recordform.Attempt {
	isFence, only, find := b.Kind == markdown.Fenced, r.opt.Records == OnlyRecords, recordform.Find
	id, isNamed := recordform.OfFence(b.Fence.Info, only)
	switch {
	case isFence && b.Fence.Is("diff", "patch"):
		return nil
	case isFence && !b.Fence.Is(formWords...) && !r.isRecordFence(b.Fence) && !isNamed:
		find = recordform.FindCalls
	}
	rest := done
	isDone := func(at int) bool { // the places are in order
		for len(rest) > 0 && int(rest[0].to) <= b.Start+at {
			rest = rest[1:]
		}
		return len(rest) > 0 && int(rest[0].from) <= b.Start+at
	}
	all := find(r.src[b.Start:b.End], only || r.isRecordFence(b.Fence) || isNamed, isDone)
	if isFence && isNamed && len(all) == 0 && len(done) == 0 && (only || id != "") {
		return []recordform.Attempt{{ID: id, At: remark.OpeningLine(r.src, b.Start) - b.Start, Form: "the text of " + fenceName(b.Fence)}}
	}
	return all
}

// noteForms notes the records that are written in another form. Text behind the front matter of one may be its content.
func (r *reader) noteForms(b markdown.Block, text []byte, done []span) {
	const near = 400
	isFence := b.Kind == markdown.Fenced
	for _, found := range r.formsIn(b, done) {
		a := attempt{operation: Add, id: found.ID, hint: hintRecord, what: "a record written as " + found.Form + ", not as JSON"}
		if !isFence && r.fateInText(text[max(0, found.At-near):found.At]) != (fate{}) {
			continue
		}
		switch {
		case found.Form == recordform.AsJSON && isFence:
			a.what = "a record without operation and section in " + fenceName(b.Fence)
		case found.Form == recordform.AsJSON:
			a.what = "a record without operation and section, outside a fence"
		case found.Body > 0 && !isFence && !r.inRecord(b.Start+found.Body):
			from, to := b.Start+found.Body, len(r.src)
			if found.Form != recordform.AsFrontMatter {
				to = r.indentedEnd(from)
			}
			r.framed = span{int32(from), int32(to)}
			r.hold(b.Start+found.At, to)
		case found.Form == recordform.AsTags && !isFence:
			r.hold(b.Start+found.At, b.Start+found.At+max(0, bytes.Index(r.src[b.Start+found.At:], []byte(found.Tag+">"))))
		}
		a.line, _ = r.place.find(b.Start + found.At)
		a.first = a.line + 1 // a block on its line is another one
		r.attempts = append(r.attempts, a)
	}
}

// indentedEnd returns where the indented lines end that begin at an offset.
func (r *reader) indentedEnd(at int) int {
	for line := range bytes.Lines(r.src[at:]) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != ' ' && line[0] != '\t' {
			break
		}
		at += len(line)
	}
	return at
}

// inRecord reports whether an offset is in the text of a record that is not written as JSON.
func (r *reader) inRecord(at int) bool { return int(r.framed.from) <= at && at < int(r.framed.to) }

// refuseFramed refuses the deltas in such a text, from a row on.
func (r *reader) refuseFramed(row int) {
	if r.framed.to == 0 || row == r.count {
		return
	}
	from, _ := r.place.find(int(r.framed.from))
	to, _ := r.place.find(int(r.framed.to))
	for ; row < r.count; row++ {
		if b := r.added(row); from <= b.Line && b.Line <= to {
			b.refuseOK(fateFramed)
		}
	}
}

// noteKeys notes the records whose keys and values are not JSON.
func (r *reader) noteKeys(b markdown.Block, text []byte, done []span) {
	const near = 600
	for _, m := range attemptSection.FindAllIndex(text, -1) {
		at := b.Start + m[0]
		behind := text[m[1]:min(len(text), m[1]+near)]
		if end := nextObject.FindIndex(behind); end != nil {
			behind = behind[:end[0]]
		}
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
	for _, o := range recordform.Orders(text, r.opt.Records == OnlyRecords) {
		if inSpans(done, b.Start+o.At) {
			continue
		}
		a := attempt{operation: o.Word, id: o.ID, what: "a record is announced here, and the reply does not have it", hint: hintRecord}
		if a.operation != Add {
			a.what = "a " + a.operation + " of " + clipped(a.id) + " in words; nothing was done"
			a.hint = "leave it out: people and gates decide what becomes of a record; say in a record why it should"
		}
		a.line, _ = r.place.find(b.Start + o.At)
		a.first = a.line
		r.attempts = append(r.attempts, a)
	}
}

// noteNested notes the records, and the changes beside them, in a fence that shows others, as noteFence does.
func (r *reader) noteNested(in markdown.Block, done []span, from int, isOwn bool) {
	if !r.noteFence(in, done, from, isOwn) {
		return
	}
	from = len(r.attempts)
	isRecord := false
	for row := r.count - 1; row >= 0; row-- {
		b := r.added(row)
		if b.Line <= in.Line {
			break
		}
		if !b.Flagged(FlagNested) {
			continue
		}
		a := attempt{line: b.Line, first: b.Line + 1, operation: b.Delta.Operation, id: b.Delta.Target, shown: true}
		if b.draft != nil {
			a.id, isRecord = b.draft.ID, true
		}
		r.attempts = append(r.attempts, a)
	}
	if !isRecord {
		r.attempts = r.attempts[:from]
	}
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
		row := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: RecordSection}}
		if a.example {
			row.Delta.label(a.id)
			row.show(fate{shown: FlagExample, what: "not read: its fence, or the text beside it, says that it is not meant"})
			more = append(more, row)
			continue
		}
		told[key], r.meant = true, true
		if a.shown {
			refuseShown(blocks, a.line)
			continue
		}
		row.Problems = []Located{{Code: UnfencedDelta, Message: a.what, Line: a.line, Column: 1, Hint: a.hint}}
		if a.operation == Add {
			row.Delta.label(a.id)
		} else {
			row.Delta.Target = a.id
		}
		more = append(more, row)
	}
	return r.withRows(blocks, more)
}

// withRows returns blocks and more rows, in text order.
func (r *reader) withRows(blocks, more []Block) []Block {
	if len(more) == 0 {
		return blocks
	}
	all := slices.Concat(blocks, more)
	slices.SortStableFunc(all, func(a, b Block) int { return a.Line - b.Line })
	r.full = r.full || len(all) > r.opt.MaxBlocks
	for i := range all {
		all[i].Index = i + 1
	}
	return all
}

// refuseShown refuses the blocks of a line that were only shown because of the fence around them.
func refuseShown(blocks []Block, line int) {
	for i := range blocks {
		if b := &blocks[i]; b.Line == line && b.Flagged(FlagNested) {
			b.refuse(fateNested)
			b.Flags = nil
		}
	}
}

func withoutVersion(id string) string {
	id, _, _ = strings.Cut(strings.TrimSpace(id), "@v")
	return id
}
