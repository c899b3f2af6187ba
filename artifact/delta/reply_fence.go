package delta

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// passage is a piece of JSON that holds one or more deltas.
type passage struct {
	text   []byte             // exact JSON
	base   int                // offset of its source in the reply
	fixed  *nearjson.Repaired // how text was repaired; nil if it is the source
	line   int                // of the fence; 0: each delta has its own line
	loose  bool               // it is outside a delta fence
	record bool               // its fence has the word of a record
	flags  []Flag
	// comments are the comments in its source that may hold deltas.
	comments []nearjson.Span
	left     int // where the text after the JSON begins that was left out, or 0
	fate
}

// source returns the offset in the reply of an offset in the text.
func (p *passage) source(offset int) int {
	if p.fixed != nil {
		offset = p.fixed.Source(offset)
	}
	return p.base + offset
}

func (p *passage) flag(name string, texts ...string) {
	p.flags = append(p.flags, Flag{Name: name, Text: strings.Join(texts, "; ")})
}

// span is a value within a text.
type span struct{ from, to int32 }

// readDeltas reads a delta fence; p says what becomes of its deltas.
func (r *reader) readDeltas(b markdown.Block, p *passage) {
	p.text, p.base, p.line = r.src[b.Start:b.End], b.Start, b.Line
	if b.Fence.Mark == ':' {
		p.text, p.base = nearjson.InnerFence(p.text, p.base)
	}
	if !b.Closed {
		p.flag(FlagTruncated, "the closing fence is missing")
	}
	if len(bytes.TrimSpace(p.text)) == 0 {
		if followed := r.second && !b.Closed && fenceFollows(r.src[b.End:]); !followed { // else that has a row of its own
			r.refuse(p, &nearjson.Misfit{What: "the block is empty", Hint: "put one JSON object with operation, section and payload into it"})
		}
		return
	}
	hasLatex := r.third && !r.opt.Strict && nearjson.HasLatex(p.text)
	if r.readWhole(b, p, hasLatex) {
		return
	}
	spans, several, fail := r.split(p.text)
	switch {
	case fail == nil && !several && !hasLatex:
	case r.opt.Strict:
		r.refuse(p, r.explainInexact(p.text, fail))
		return
	default:
		spans, fail = r.repairFence(b, p)
	}
	if len(spans) != 1 || fail != nil || opens(p.text, "[") {
		p.line = 0
	}
	for _, s := range spans {
		if r.full {
			return
		}
		r.element(p, s, 0)
	}
	r.finish(b, p, spans, fail)
}

// readWhole reads a fence with a title, with a single exact delta, or with NO CHANGES. It reports whether it did.
func (r *reader) readWhole(b markdown.Block, p *passage, hasLatex bool) bool {
	return r.readTitled(b, p) || !hasLatex && r.readSingle(p) || r.second && !r.opt.Strict && saysNoChanges(p.text, r.opt.Reader)
}

// titled matches the line above the JSON of a fence that says what it does.
var titled = pattern.New(`^\s*(ADD|EDIT|KILL)[: ]+([a-z]+(?:[_ ][a-z]+)*)(?:[: ]+([A-Z]{1,2}\d{1,3}))?[ \t]*:?[ \t]*\r?\n\s*\{`)

// readTitled reads a delta fence with such a line. If the line does not agree with the JSON, the delta is refused.
func (r *reader) readTitled(b markdown.Block, p *passage) bool {
	const longest = 120
	if !r.third || r.opt.Strict {
		return false
	}
	m := titled.FindSubmatchIndex(p.text[:min(len(p.text), longest)])
	if len(m) == 0 || r.mender.Repair(p.text[m[1]-1:], false).Fail != nil {
		return false
	}
	said := Delta{Operation: string(p.text[m[2]:m[3]]), Section: strings.ReplaceAll(string(p.text[m[4]:m[5]]), " ", "_")}
	if m[6] >= 0 {
		said.Target = string(p.text[m[6]:m[7]])
	}
	before := r.count
	at := b.Start + m[1] - 1
	if b.Fence.Mark == ':' {
		at = p.base + m[1] - 1
	}
	p.flag(FlagRepaired, "the line above the JSON left out")
	b.Start = at
	r.readDeltas(b, p)
	for i := before; i < r.count; i++ {
		row := r.added(i)
		if d := &row.Delta; row.OK && (d.Operation != said.Operation || d.Section != said.Section || said.Target != "" && d.Target != said.Target) {
			row.refuse(refused(AmbiguousDelta, "a delta below a line that says something else: "+said.Operation+" "+said.Section+" "+said.Target, "send it again without that line"))
		}
	}
	return true
}

// added returns a block that was added, from 0.
func (r *reader) added(i int) *Block {
	for _, chunk := range r.chunks {
		if i < len(chunk) {
			return &chunk[i]
		}
		i -= len(chunk)
	}
	return nil
}

// repairFence fixes what is in a delta fence, and finds its values again.
func (r *reader) repairFence(b markdown.Block, p *passage) ([]span, *nearjson.Misfit) {
	if n := r.listIn(p.text); n > 0 && r.mender.Repair(p.text, false).Fail != nil {
		at := bytes.LastIndexByte(p.text[:n], '[')
		p.text, p.base = p.text[at:], p.base+at
		p.flag(FlagNormalised, "taken out of the object around it")
	}
	if r.second && p.fate == (fate{}) {
		p.fate = r.fateInText(nearjson.CommentAbove(p.text))
	}
	spans, fail := r.repair(p)
	if p.left > 0 && r.second && p.fate == (fate{}) {
		p.fate = r.fateBehind(r.src[b.Start:p.left], r.src[p.left:b.End])
	}
	if r.third && fail != nil && fail.Top && len(spans) > 0 && p.fate == (fate{}) { // words, and perhaps more JSON
		at := min(p.base+fail.At, b.End)
		p.fate = r.fateBehind(r.src[b.Start:at], r.src[at:b.End])
	}
	return spans, fail
}

// finish reads what a delta fence has besides the values that could be read.
func (r *reader) finish(b markdown.Block, p *passage, spans []span, fail *nearjson.Misfit) {
	base := p.base // readRest moves it
	if fail != nil {
		r.readRest(b, p, spans, fail)
	} else if r.second && len(p.comments) == 0 && len(bytes.TrimSpace(p.text)) == 0 {
		p.line = b.Line
		r.refuse(p, &nearjson.Misfit{What: "the block has no JSON", Hint: "put one JSON object with operation, section and payload into it"})
	}
	if p.left > 0 && r.second && p.fate == (fate{}) {
		b.Start = p.left
		r.findAnnouncements(b, nil, ordersOf(r.src[b.Start:b.End]))
	}
	for _, c := range p.comments {
		r.showComment(b, base+int(c.From), base+int(c.To))
	}
}

// fenceFollows reports whether a text begins with another delta fence, or a fence of JSON that is meant
// as a delta.
func fenceFollows(text []byte) bool {
	const enough = 400
	line, rest, _ := bytes.Cut(text[:min(len(text), enough)], []byte("\n"))
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return false
	}
	f, ok := markdown.OpenFence(line)
	if ok && f.Is("delta") {
		return true
	}
	rest, _, _ = bytes.Cut(rest, []byte("```"))
	return ok && f.Is(looseWords...) && mentionsOperation(rest)
}

// showComment shows the deltas in a comment.
func (r *reader) showComment(b markdown.Block, from, to int) {
	if !r.second {
		return
	}
	b.Start, b.End = from, to
	done := r.findObjects(r.src[from:to], b, fate{shown: FlagCommented, what: "not read: it is in a comment"})
	if r.opt.Reader.Since(FifthReader) && b.Kind == markdown.Fenced { // also kill H3
		b.Kind = markdown.Prose
		r.findAnnouncements(b, done, ordersOf(r.src[from:to]))
	}
}

// readRest reads what follows the values of a delta fence, and is not JSON.
func (r *reader) readRest(b markdown.Block, p *passage, spans []span, fail *nearjson.Misfit) {
	if len(spans) == 0 {
		p.line = b.Line
	}
	kept := *fail // the search for more reuses it
	fail = &kept
	if before := r.count; r.second && fail.Top {
		done := r.findAfter(p, fail, b)
		if r.count > before {
			if p.fate == (fate{}) {
				r.findAnnouncements(b, done, ordersOf(r.src[b.Start:b.End]))
			}
			return
		}
	}
	r.refuseRest(p, spans, fail, b.End)
	r.refuseOverhung(b)
	if r.second && !fail.Top {
		r.findAfter(p, fail, b)
	}
	if r.second && len(spans) == 0 {
		r.refuseOthers(b, p.fate)
	}
	if r.second && p.fate == (fate{}) {
		rest := afterFirstLine(r.src, b)
		r.findAnnouncements(rest, nil, ordersOf(r.src[rest.Start:rest.End]))
	}
}

// readSingle reads one exact object in one pass. For any other block it does nothing and returns
// false.
func (r *reader) readSingle(p *passage) bool {
	at := len(p.text) - len(bytes.TrimLeft(p.text, " \t\r\n"))
	if p.text[at] != '{' {
		return false
	}
	o, err := r.readObject(p.text[at:], at)
	if err != nil || len(bytes.TrimSpace(p.text[at+int(r.dec.InputOffset()):])) > 0 {
		return false
	}
	r.take(p, o, 0)
	return true
}

// opens reports whether a text begins with a mark.
func opens(text []byte, mark string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte(mark))
}

// explainInexact returns why a text is not exact JSON.
func (r *reader) explainInexact(text []byte, fail *nearjson.Misfit) *nearjson.Misfit {
	fixed := r.mender.Repair(text, false)
	switch {
	case fixed.Fail != nil:
		return fixed.Fail
	case fixed.Changes.Any():
		changes := fixed.Changes.Describe(nil)
		return &nearjson.Misfit{
			At: fixed.Changes.FirstAt(), What: "not exact JSON: read only with " + strings.Join(changes, "; "),
			Hint: "write exact JSON: double quotes, no comments, no trailing commas, one value in a block",
		}
	case fail != nil:
		return fail
	}
	return &nearjson.Misfit{What: "several values in one block", Hint: "write one delta, or a list of deltas"}
}

// repair fixes a passage and finds its values again. A part beyond repair spoils the rest of the
// passage, not the complete values before it.
func (r *reader) repair(p *passage) ([]span, *nearjson.Misfit) {
	fixed := r.mender.Repair(p.text, false)
	if fixed.Fail != nil && r.opt.Records != NoRecords {
		fixed = r.repairQuoted(p.text)
	}
	left := p.text[fixed.End:]
	p.comments = slices.DeleteFunc(slices.Clone(fixed.Comments), func(c nearjson.Span) bool {
		text := p.text[c.From:c.To]
		return bytes.IndexByte(text, '{') < 0 && !(r.opt.Reader.Since(FifthReader) && itemform.HasID(string(text)))
	})
	p.fixed, p.text = fixed, fixed.Text
	spans, _, fail := r.split(fixed.Text)
	if fail != nil {
		fail.At = fixed.Source(fail.At)
	}
	if fixed.Fail != nil {
		fail = fixed.Fail
	}
	notes := fixed.Changes.Describe(func(at int) string { return r.where(p.base + at) })
	if fail != nil && fixed.Fail != nil && fail.Top && len(spans) > 0 && (nearjson.IsChatter(left) || r.second && len(bytes.Trim(left, " \t\r\n`~")) == 0) {
		p.left = p.base + fail.At
		notes = append(notes, "the text after the JSON left out ("+r.where(p.base+fail.At)+")")
		fail = nil
	}
	if len(notes) > 0 && len(spans) > 0 {
		p.flag(FlagRepaired, notes...)
	}
	return spans, fail
}

// split finds where the values of a block end: one, the elements of a list, or several in a row.
func (r *reader) split(text []byte) (spans []span, several bool, fail *nearjson.Misfit) {
	dec := r.decode(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tops := 0
	for len(spans) <= r.opt.MaxBlocks {
		var err error
		depth := dec.StackDepth()
		switch kind := dec.PeekKind(); {
		case (kind == '[' && depth == 0) || kind == ']':
			_, err = dec.ReadToken()
		default:
			var v jsontext.Value
			v, err = dec.ReadValue()
			if err == nil {
				end := dec.InputOffset()
				spans = append(spans, span{int32(end) - int32(len(v)), int32(end)})
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return spans, tops > 1, nil
		case err != nil:
			m, _ := syntax(err)
			return spans, tops > 1, m
		case depth == 0:
			tops++
		}
	}
	return spans, tops > 1, nil
}

// refuseRest records what follows the last value that could be read: the second reader where it
// begins.
func (r *reader) refuseRest(p *passage, spans []span, m *nearjson.Misfit, end int) {
	if r.second && len(spans) > 0 {
		at := p.source(int(spans[len(spans)-1].to))
		for at < end && bytes.IndexByte([]byte(" \t\r\n,"), r.src[at]) >= 0 {
			at++
		}
		if at < end && at <= p.base+m.At {
			p.line, _ = r.place.find(at)
			m.At -= at - p.base
			p.base = at
		}
	}
	r.refuse(p, m)
}

// refuse records a block, or the rest of one, that is not JSON.
func (r *reader) refuse(p *passage, m *nearjson.Misfit) {
	at := r.visible(p.base + m.At)
	problem := r.located(artifact.InvalidJSON, at, "", m.Hint)
	problem.Message = m.What + " (" + r.where(at) + ")"
	line := p.line
	if line == 0 {
		line = problem.Line
	}
	r.put(p, Block{Line: line, Delta: r.sketch(r.src[min(p.base, len(r.src)):]), Flags: p.flags, Problems: []Located{problem}})
}

// fenceWords returns the words after the marks of a fence.
func fenceWords(f markdown.Fence) string {
	return clipped(strings.ToValidUTF8(string(bytes.TrimSpace(f.Info)), ""))
}

// isDeltaFence reports whether a block is a fence for deltas. The third reader knows "json:delta", too, and a word of which
// the reply ends before the rest.
func (r *reader) isDeltaFence(b markdown.Block) bool {
	if isDeltaFence(b.Fence) || !r.third {
		return isDeltaFence(b.Fence)
	}
	word := bytes.ToLower(bytes.TrimSpace(b.Fence.Info[:min(len(b.Fence.Info), 64)]))
	if _, rest, ok := bytes.Cut(word, []byte(":")); ok && begins(rest, "delta") {
		return true
	}
	isLast := !b.Closed && len(bytes.TrimSpace(r.src[b.Start:])) == 0
	return isLast && len(word) > 0 && string(word) == "delta"[:min(len(word), len("delta"))]
}

// isDeltaFence reports whether a word after the marks of a fence begins with delta.
func isDeltaFence(f markdown.Fence) bool {
	if len(f.Info) == 0 || !hasDelta(f.Info) && !bytes.Contains(f.Info, []byte("Δ")) {
		return false
	}
	if f.Is("delta") {
		return true
	}
	const longest = 64
	info := f.Info[:min(len(f.Info), longest)]
	for word := range bytes.FieldsFuncSeq(info, func(c rune) bool { return c == ' ' || c == '\t' || c == '{' || c == '.' || c == ',' || c == '=' }) {
		if begins(word, "delta") || bytes.HasPrefix(word, []byte("Δ")) {
			return true
		}
	}
	return false
}

// begins reports whether a text begins with a word of small letters, in any case.
func begins(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if c := text[i]; c != word[i] && (c < 'A' || c > 'Z' || c|0x20 != word[i]) {
			return false
		}
	}
	return true
}

// fenceName names a fence by its word.
func fenceName(f markdown.Fence) string {
	word, _, _ := bytes.Cut(bytes.TrimSpace(f.Info[:min(len(f.Info), 64)]), []byte(" "))
	if len(word) == 0 {
		return "a fence"
	}
	return "a fence with the word " + clipped(strings.ToValidUTF8(string(word), ""))
}

// NotMeant reports whether the words of a fence say that it holds an example, or what is not proposed.
func NotMeant(f markdown.Fence) bool {
	words := fenceWords(f)
	return remark.SetsFenceAside(words) || remark.IsExampleWord(words)
}
