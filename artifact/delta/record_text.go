package delta

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/nearjson"
	"brenner/internal/markdown"
)

// The content of a record is Markdown in a text of JSON. Agents forget to escape its line breaks and quotation marks. Then
// a fence in the content seems to end the fence around the record, and a quotation seems to end the text.

// hidden stands for the first mark of a fence in the content of a record, while a reply is read. The next mark says which.
const hidden = 0x7f

// maxHidden is how many records with fences in unescaped content a reply may have.
const maxHidden = 64

// hideFences hides the fences in unescaped contents of records. All places in the text stay the same.
func (r *reader) hideFences() {
	if bytes.IndexByte(r.src, hidden) >= 0 {
		return
	}
	for range maxHidden {
		from, to := r.spanning()
		if to == 0 {
			return
		}
		r.hold(from, to)
		if !r.hides {
			r.src, r.hides = bytes.Clone(r.src), true
			r.place.src = r.src
		}
		for line := range bytes.Lines(r.src[from:to]) {
			if line = bytes.TrimLeft(line, " \t>"); len(line) > 2 && strings.IndexByte("`~:", line[0]) >= 0 && line[0] == line[1] {
				line[0] = hidden
			}
		}
	}
}

// spanning returns where a record begins and ends that is longer than the delta fence in which it begins, and is
// followed by the end of a fence. It returns 0 if there is none.
func (r *reader) spanning() (from, to int) {
	for b := range markdown.Blocks(r.src, r.opt.Reader.Scanner()) {
		if b.Kind != markdown.Fenced || !b.Own() || !isDeltaFence(b.Fence) || b.Start < r.hideFrom || r.effort < 0 {
			continue
		}
		text := r.src[b.Start:b.End]
		at := leadingSpace(text)
		if at == len(text) || text[at] != '{' || r.mender.Repair(text[at:], true).Fail == nil || len(r.sketchID(text)) == 0 {
			continue
		}
		from = b.Start + at
		fixed := r.mender.Repair(r.src[from:], true)
		r.effort -= fixed.End
		to = from + fixed.End
		rest := bytes.TrimLeft(r.src[min(to, len(r.src)):], " \t\r\n")
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		if fixed.Fail != nil || to <= b.End || len(rest) > 0 && !b.Fence.ClosedBy(bytes.TrimRight(line, " \t\r")) {
			to = r.overhang(b)
		} else if o, err := r.readObject(fixed.Text, 0); err != nil || !isRecordSection(o.text(keySection)) {
			continue
		}
		if to > 0 {
			r.hideFrom = to
			return from, to
		}
	}
	return 0, 0
}

// overhang returns where a record ends that cannot be read and whose content is open at the end of its fence: it shows a
// fence, perhaps of a whole delta, which is its text and not a delta of its own. Behind the fence there must be braces that
// end what did not begin there, and the mark that ends the fence. Else it returns 0.
func (r *reader) overhang(in markdown.Block) int {
	if !endsInText(r.src[in.Start:in.End]) {
		return 0
	}
	var whole []span
	depth := 0
	for at := in.End; at < len(r.src) && r.effort >= 0; {
		line, _, _ := bytes.Cut(r.src[at:], []byte("\n"))
		begin := leadingSpace(line)
		if depth < 0 && in.Fence.ClosedBy(bytes.TrimSpace(line)) {
			r.overhung = append(r.overhung, whole...)
			return at
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
		at += len(line) + 1
	}
	return 0
}

// refuseOverhung refuses the deltas in the content of a record that could not be read.
func (r *reader) refuseOverhung(in markdown.Block) {
	for _, s := range r.overhung {
		if from, to := int(s.from), int(s.to); in.Start < from && to <= in.End {
			b := in
			b.Start, b.End = from, to
			r.findObjects(r.src[from:to], b, refused(AmbiguousDelta, "a delta that seems to be in the content of a record that cannot be read",
				"send it again in a fence of its own if it is meant; leave it out if it is text of that record, and write the line breaks and quotation marks of a content as \\n and \\\""))
		}
	}
}

// endsInText reports whether JSON ends in a text that is not closed.
func endsInText(json []byte) bool {
	inside := false
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] == '"':
			inside = !inside
		case json[i] == '\\' && inside:
			i++
		}
	}
	return inside
}

// Extent is a part of a text, in bytes.
type Extent struct{ From, To int }

// Held returns the parts of a reply that are deltas or records, whatever becomes of them, in order and apart: what is
// written in one is its text and nothing of its own. The older readers did not ask.
func Held(reply []byte, version Reader) []Extent {
	if !version.atLeast(ThirdReader) {
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

// unhide restores the marks of fences in a value.
func (r *reader) unhide(f *written) {
	text, ok := f.value.(artifact.Text)
	if !ok || !r.hides {
		return
	}
	marks := []byte(text)
	for i := range len(marks) - 1 {
		if marks[i] == hidden {
			marks[i] = marks[i+1]
		}
	}
	f.value = artifact.Text(marks)
}

// recordID matches the id of a record that cannot be read, and recordHead the section of a delta.
var (
	recordHead = regexp.MustCompile(`"section"\s{0,9}:\s{0,9}"(\w{1,40})"`)
	recordID   = regexp.MustCompile(`"id"\s{0,9}:\s{0,9}"([\w.@/-]{1,100})"\s{0,9}[,}]`)
)

// sketchID returns the id of a record that cannot be read: the whole match and the id, or nil if it is not a record.
func (r *reader) sketchID(text []byte) [][]byte {
	text = text[:min(len(text), maxSketch)]
	if r.opt.Records == NoRecords {
		return nil
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
	fixed := r.mender.RepairQuotes(text)
	if fixed.Fail != nil {
		return false
	}
	o, err := r.readObject(bytes.TrimSpace(fixed.Text), 0)
	if err != nil || !isRecordSection(o.text(keySection)) {
		return false
	}
	for _, f := range o.fields {
		if topKey(f.name) == "" && recordField(f.name) == "" {
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

// recordLine matches the beginning of a line that announces a record: "DELTA[record]: text", "### ADD record".
var recordLine = regexp.MustCompile(`^[^\pL]*(?:(?i:delta)[ \d.:)*_-]+|(?i:new)[ |]+)?(?:(?i:delta) ?[\[({]|ADD[ |:*_\x60]+)(?i:project[_ ]records?|records?)\b[\])}*_]*`)

// withRecord returns the changes that a line announces, with the record that it does.
func (r *reader) withRecord(all []announcement, line string) []announcement {
	if r.opt.Records == NoRecords {
		return all
	}
	m := recordLine.FindStringIndex(line)
	switch {
	case m == nil:
	case len(all) == 0:
		all = []announcement{{operation: Add, section: RecordSection, words: contentWords(line[m[1]:]), ahead: strings.ContainsAny(line[:m[1]], "[({")}}
	case all[0].section == "":
		all[0].operation, all[0].section = Add, RecordSection
	}
	return all
}
