package delta

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/recordform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// The texts of deltas are Markdown in JSON. Agents forget to escape line breaks and quotation marks. Then a fence in a text
// seems to end the fence around the delta, or the running text in which the delta is, and a quotation seems to end the text.

// maxHidden is how many deltas with fences in unescaped texts a reply may have.
const maxHidden = 64

// hideFences hides the fences in unescaped texts of deltas from the scanner. All places in the text stay the same.
func (r *reader) hideFences() {
	if !r.third || !nearjson.FenceInText(r.src) {
		return
	}
	for range maxHidden {
		from, to := r.spanning()
		if to == 0 {
			return
		}
		r.hold(from, to)
		if r.hideFrom == 0 {
			r.scanned = bytes.Clone(r.src)
		}
		r.hideFrom = to
		nearjson.HideMarks(r.scanned[from:to])
	}
}

// spanning returns where a delta begins and ends that is longer than the delta fence or the running text in which it
// begins, because a text of it shows a fence. It returns 0 if there is none.
func (r *reader) spanning() (from, to int) {
	end := 0 // of the last block
	for b := range markdown.Blocks(r.scanned, r.opt.Reader.Scanner()) {
		before := b // the line that opens a fence may have text before it
		before.Kind, before.Start, before.End = markdown.Prose, end, remark.OpeningLine(r.src, b.Start)
		end = max(end, b.End)
		if b.End <= r.hideFrom || r.effort < 0 || !b.Own() && !inDoubt(b) {
			continue
		}
		if from = -1; b.Kind == markdown.Fenced && max(before.Start, r.hideFrom) < before.End {
			from = r.openObject(before)
		}
		if from >= 0 {
			b = before
		} else if from = r.openObject(b); from < 0 {
			continue
		}
		fixed := r.mender.Repair(r.src[from:], true)
		r.effort -= fixed.End
		if to = from + fixed.End; fixed.Fail != nil || to <= b.End || !r.endsLine(to) {
			to = r.overhang(b)
		} else if o, err := r.readObject(fixed.Text, 0); err != nil || !o.isChange() && !r.isRecord(o) {
			continue
		}
		if to > 0 {
			return from, to
		}
	}
	return 0, 0
}

// openObject returns where a delta or a record begins that is open at the end of a block, or -1.
func (r *reader) openObject(b markdown.Block) int {
	text := r.src[b.Start:b.End]
	isFence := b.Kind == markdown.Fenced
	if isFence && b.Closed && !isDeltaFence(b.Fence) || b.Kind == markdown.Verbatim {
		return -1
	}
	for pos := max(0, r.hideFrom-b.Start); r.effort >= 0; {
		i := bytes.IndexByte(text[pos:], '{')
		if i < 0 {
			return -1
		}
		pos += i
		if !beginsObject(text[pos:]) {
			pos++
			continue
		}
		fixed := r.mender.Repair(text[pos:], true)
		if fixed.Fail == nil {
			pos += max(fixed.End, 1)
			continue
		}
		r.effort -= fixed.End
		if nearjson.EndsInText(text[pos:]) && (r.mentions(r.around(text[pos:], fixed.End)) || r.sketchID(text[pos:]) != nil || !isFence && r.showsRecord(text[pos:])) {
			return b.Start + pos
		}
		pos++
	}
	return -1
}

// showsRecord reports whether an object that cannot be read is a record without an operation.
func (r *reader) showsRecord(text []byte) bool {
	return r.opt.Records != NoRecords && len(recordform.Find(text[:min(len(text), maxSketch)], r.opt.Records == OnlyRecords, func(int) bool { return false })) > 0
}

// endsLine reports whether nothing is behind an offset on its line.
func (r *reader) endsLine(at int) bool {
	line, _, _ := bytes.Cut(r.src[min(at, len(r.src)):], []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}

// overhang returns where a delta ends that cannot be read and of which a text is open at the end of its block: it shows a
// fence, perhaps of a whole delta, which is its text and not a delta of its own. Behind the fence there must be braces that
// end what did not begin there. Else it returns 0.
func (r *reader) overhang(in markdown.Block) int {
	var whole []span
	depth, end := 0, 0
	for at := in.End; at < len(r.src) && r.effort >= 0; {
		line, _, _ := bytes.Cut(r.src[at:], []byte("\n"))
		begin := nearjson.LeadingSpace(line)
		if end > 0 && (in.Kind == markdown.Prose || nearjson.IsFenceLine(line[begin:])) {
			break
		}
		r.effort -= len(line)
		if begin < len(line) && line[begin] == '{' { // a whole object has no loose brace
			fixed := r.mender.Repair(r.src[at+begin:], true)
			if r.effort -= fixed.End; fixed.Fail == nil && fixed.End > 0 {
				at += begin
				whole = append(whole, span{int32(at), int32(at + fixed.End)})
				at += fixed.End
				continue
			}
		}
		depth += bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
		if at += len(line) + 1; depth < 0 {
			end = min(at, len(r.src))
		}
	}
	if end > 0 {
		r.overhung = append(r.overhung, whole...)
	}
	return end
}

// refuseOverhung refuses the deltas in the text of a delta in a fence that could not be read.
func (r *reader) refuseOverhung(in markdown.Block) {
	shown := bytes.IndexByte(r.scanned[in.Start:in.End], nearjson.Hidden)
	if shown < 0 || r.hideFrom == 0 {
		return
	}
	var done []span
	for _, s := range r.overhung {
		if from, to := int(s.from), int(s.to); in.Start < from && to <= in.End {
			b := in
			b.Start, b.End = from, to
			r.findObjects(r.src[from:to], b, fateOverhung)
			done = append(done, s)
		}
	}
	in.Start += shown
	r.findWritten(in, done, fateOverhung)
}

// passOverhung refuses the delta in running text in which the text of an unreadable one ends, and returns where it ends, or 0.
func (r *reader) passOverhung(at int, in markdown.Block) int {
	for _, s := range r.overhung {
		if from, to := int(s.from), int(s.to); from < at && at < to && to <= in.End {
			in.Start, in.End = from, to
			r.findObjects(r.src[from:to], in, fateOverhung)
			return to
		}
	}
	return 0
}

// Extent is a part of a text, in bytes.
type Extent struct{ From, To int }

// Held returns the parts of a reply that are deltas or records, whatever becomes of them, in order and apart: what is
// written in one is its text and nothing of its own. The older readers did not ask.
func Held(reply []byte, version Reader) []Extent {
	if !version.Since(ThirdReader) {
		return nil
	}
	r := newReader(reply, Options{Reader: version, Records: WithRecords, MaxBlocks: DefaultMaxBlocks})
	r.held = &[]Extent{}
	r.hideFences()
	r.read()
	slices.SortFunc(*r.held, func(a, b Extent) int { return a.From - b.From })
	apart := (*r.held)[:0]
	for _, e := range *r.held {
		if last := len(apart) - 1; last >= 0 && e.From <= apart[last].To {
			apart[last].To = max(apart[last].To, e.To)
			continue
		}
		apart = append(apart, e)
	}
	return apart
}

func (r *reader) hold(from, to int) {
	if r.held != nil {
		*r.held = append(*r.held, Extent{from, to})
	}
}

// recordID matches the id of a record that cannot be read, recordHead the section of a delta, and nextObject the beginning
// of another one.
var (
	recordHead = pattern.New(`"section"\s{0,9}:\s{0,9}"(\w{1,40})"`)
	nextObject = pattern.New(`\n[ \t\r]*\n[ \t]*(?:\{|<[\w/])`)
	recordID   = pattern.New(`"id"\s{0,9}:\s{0,9}"([\w.@/-]{1,100})"\s{0,9}[,}]`)
)

// sketchID returns the id of a record that cannot be read: the whole match and the id, or nil if it is not a record.
func (r *reader) sketchID(text []byte) [][]byte {
	if r.opt.Records == NoRecords {
		return nil
	}
	text = text[:min(len(text), maxSketch)]
	if m := nextObject.FindIndex(text); m != nil {
		text = text[:m[0]]
	}
	if head := recordHead.FindSubmatch(text); len(head) == 0 || !isRecordSection(string(head[1])) {
		return nil
	}
	if id := recordID.FindSubmatch(text); id != nil && bytes.Count(text, []byte("peration\"")) == 1 { // of one delta
		return id
	}
	return [][]byte{nil, nil}
}

// sketchRecord says of an unreadable delta that it is a record.
func (r *reader) sketchRecord(d *Delta, text []byte) {
	id := r.sketchID(text)
	if id == nil {
		return
	}
	d.Section, d.Target, d.Payload, d.Labels = RecordSection, "", nil, nil
	d.label(string(id[1]))
}

// repairQuoted repairs a fence that could not be repaired, if it holds one record in whose texts quotation marks are not
// escaped, and it is clear which: every quotation mark either ends a text, as the key behind it shows, or is inside one.
func (r *reader) repairQuoted(text []byte) *nearjson.Repaired {
	if r.opt.Strict || r.sketchID(text) == nil || !r.isQuoted(text) {
		return r.mender.Repair(text, false)
	}
	return r.mender.RepairQuotes(text)
}

func (r *reader) isQuoted(text []byte) bool {
	if r.third && (r.mender.Repair(text, true).Fail == nil || nearjson.HasFenceLine(text) || lacksComma(text)) {
		return false // the record is sound, and something else follows it; or other blocks or fields may be in it
	}
	fixed := r.mender.RepairQuotes(text)
	if fixed.Fail != nil {
		return false
	}
	o, err := r.readObject(bytes.TrimSpace(fixed.Text), 0)
	if err != nil || !isRecordSection(o.text(keySection)) {
		return false
	}
	for _, f := range o.fields {
		if synonyms.Key(f.name) == "" && recordField(f.name) == "" {
			return false
		}
	}
	for _, f := range o.payload {
		if recordField(f.name) == "" {
			return false
		}
	}
	return true
}

// uncut matches a key directly behind a quotation mark.
var uncut = pattern.New(`"[ \t\r\n]*"([a-z_]+)"[ \t\r\n]*:`)

// lacksComma reports whether a comma may be missing before a field of a record.
func lacksComma(text []byte) bool {
	return slices.ContainsFunc(uncut.FindAllSubmatch(text, -1), func(m [][]byte) bool {
		name := string(m[1])
		return synonyms.Key(name) != "" || recordField(name) != ""
	})
}

// recordLine matches the beginning of a line that announces a record: "DELTA[record]: text", "### ADD record".
var recordLine = pattern.New(`^[^\pL]*(?:(?i:delta)[ \d.:)*_-]+|(?i:new)[ |]+)?(?:(?i:delta) ?[\[({]|ADD[ |:*_\x60]+)(?i:project[_ ]records?|records?)\b[\])}*_]*`)

// withRecord returns the changes that a line announces, with the record that it does.
func (r *reader) withRecord(all []announcement, line string) []announcement {
	if r.opt.Records == NoRecords {
		return all
	}
	m := recordLine.FindStringIndex(line)
	switch {
	case m == nil:
	case len(all) == 0:
		all = []announcement{{operation: Add, section: RecordSection, words: itemform.Content(line[m[1]:]), ahead: strings.ContainsAny(line[:m[1]], "[({")}}
	case all[0].section == "":
		all[0].operation, all[0].section = Add, RecordSection
	}
	return all
}
