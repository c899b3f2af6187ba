// Package schemaform reads replies in the form of the JSON schema: one object with prose and a list of deltas.
//
// Such a reply is kept as it came. This package returns it as Markdown, so that one reader reads all replies, and knows from
// which place of the reply each part of that text comes.
package schemaform

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/markdown"
)

// Reply is such a reply as Markdown: its deltas in fences, then the prose, then what is in members for reasoning.
type Reply struct {
	Text []byte
	// From Prose to ProseEnd is the prose of a reply with a list, which is not a place for deltas. Reasoning begins at Drafts.
	Prose, ProseEnd, Drafts int
	Empty                   bool     // its list of deltas is empty
	Members                 []Member // its texts, numbers and booleans besides prose
	titled                  bool
	src                     []byte
	pieces                  []piece
	lines, starts           []int // where the lines of Text and of the reply begin
}

// Member is a member of the object with its value as JSON.
type Member struct {
	Name  string
	Value []byte
}

// piece is a part of the text that comes from the reply.
type piece struct {
	at, from, n int
	quoted      bool   // it is a JSON string there
	last        [2]int // the place that was looked up last: in the piece, and in the string
}

// member is a member of the object, with its offsets in the reply.
type member struct {
	name          string
	key, from, to int
}

// form collects what a reply is made of.
type form struct {
	src          []byte
	reasoning    int // where the reasoning before the object ends
	open         int // where the object begins
	end          int // and ends
	lists        []member
	rest         int // where the element begins in which a cut list ends, or 0
	prose        *member
	others       []member // texts and numbers
	objects      []member
	drafts       []member
	empty, isCut bool
	titled       bool
}

// Read reads a reply, which may be cut. It returns false if it is not in this form: then it is read as any text. If titled, members
// with texts are text under a title: since the fifth reader.
func Read(reply []byte, cut, titled bool) (*Reply, bool) {
	f := form{src: reply, titled: titled}
	if !f.find() || !f.readMembers(cut) {
		return nil, false
	}
	head, tail, ok := f.around()
	if !ok {
		return nil, false
	}
	return f.markdown(head, tail), true
}

const (
	byteOrder   = "\ufeff"
	longestHead = 400
	fenceMarks  = "```"
)

// find finds where the object begins.
func (f *form) find() bool {
	first := bytes.IndexByte(f.src, '{')
	if first < 0 {
		return false
	}
	if bytes.IndexByte(f.src[:first], '<') >= 0 || bytes.Contains(f.src, []byte("</")) {
		for _, r := range markdown.Reasoning(f.src) {
			if len(bytes.TrimSpace(f.src[f.reasoning:r[0]])) > 0 {
				break
			}
			f.reasoning = r[1]
		}
	}
	if bytes.HasPrefix(f.src[f.reasoning:], []byte(byteOrder)) {
		f.reasoning += len(byteOrder)
	}
	at := bytes.IndexByte(f.src[f.reasoning:], '{')
	f.open = f.reasoning + at
	return at >= 0 && at <= longestHead
}

// around returns the text before the object and behind it, without the marks of a fence of JSON.
func (f *form) around() (head, tail []byte, ok bool) {
	head, tail = bytes.TrimSpace(f.src[f.reasoning:f.open]), bytes.TrimSpace(f.src[f.end:])
	if at := bytes.LastIndex(head, []byte(fenceMarks)); at >= 0 {
		if word := string(bytes.TrimSpace(head[at+len(fenceMarks):])); word != "" && !strings.EqualFold(word, "json") {
			return nil, nil, false
		}
		if head, ok = bytes.TrimSpace(head[:at]), bytes.HasPrefix(tail, []byte(fenceMarks)); !ok && !f.isCut {
			return nil, nil, false
		}
		tail = bytes.TrimSpace(bytes.TrimPrefix(tail, []byte(fenceMarks)))
	}
	if bytes.ContainsAny(head, "`~>") || bytes.ContainsAny(tail, "{`~") {
		return nil, nil, false
	}
	isWhole := len(head) == 0 && len(tail) == 0
	return head, tail, isWhole || f.prose != nil && len(f.lists) > 0
}

// readMembers reads the members of the object. It returns false if that is not a reply.
func (f *form) readMembers(cut bool) bool {
	d := jsontext.NewDecoder(bytes.NewReader(f.src[f.open:]), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	known := make(map[string]bool)
	for d.PeekKind() == '"' {
		m := member{key: f.next(d)}
		key, err := d.ReadToken()
		if err != nil {
			break
		}
		if m.name = key.String(); known[m.name] {
			return false
		}
		known[m.name] = true
		kind := d.PeekKind()
		m.from = f.next(d)
		if err := d.SkipValue(); err != nil {
			f.isCut = cut
			f.readCut(m, kind)
			break
		}
		m.to = f.open + int(d.InputOffset())
		if !f.add(m, kind) {
			return false
		}
	}
	if _, err := d.ReadToken(); err != nil {
		f.isCut = cut
		f.end = len(f.src)
		if !cut {
			return false
		}
	} else {
		f.end = f.open + int(d.InputOffset())
	}
	f.empty = f.empty && !f.isCut
	return f.prose != nil || len(f.lists) > 0 || f.empty
}

// next returns where the next token begins.
func (f *form) next(d *jsontext.Decoder) int {
	at := f.open + int(d.InputOffset())
	for at < len(f.src) && strings.IndexByte(" \t\r\n,:", f.src[at]) >= 0 {
		at++
	}
	return at
}

// add adds a complete member. It returns false if only the reader can tell what it is.
func (f *form) add(m member, kind jsontext.Kind) bool {
	isObject := kind == '[' || kind == '{'
	isList := m.name == "deltas"
	switch {
	case kind == 'n':
	case isList && !isObject:
		return false
	case isList && len(bytes.TrimSpace(f.src[m.from+1:m.to-1])) == 0:
		f.empty = true
	case isList:
		f.lists = append(f.lists, m)
	case m.name == "prose" && kind == '"':
		f.prose = &m
	case isObject:
		f.objects = append(f.objects, m)
	case kind == '"' && isReasoning(m.name):
		f.drafts = append(f.drafts, m)
	default:
		f.others = append(f.others, m)
	}
	return true
}

func isReasoning(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"think", "thought", "reasoning", "scratch", "draft", "analysis"}, func(w string) bool { return strings.Contains(name, w) })
}

// readCut reads the complete elements of the list in which a reply was cut.
func (f *form) readCut(m member, kind jsontext.Kind) {
	if !f.isCut || kind != '[' || m.name != "deltas" {
		return
	}
	d := jsontext.NewDecoder(bytes.NewReader(f.src[m.from:]))
	_, _ = d.ReadToken()
	for d.PeekKind() == '{' {
		at := int(d.InputOffset())
		if d.SkipValue() != nil {
			f.rest = m.from + at
			for f.src[f.rest] != '{' {
				f.rest++
			}
			break
		}
		m.to = m.from + int(d.InputOffset())
	}
	if m.to > 0 || f.rest > 0 {
		f.lists = append(f.lists, m)
	}
}

// markdown returns the reply as text.
func (f *form) markdown(head, tail []byte) *Reply {
	r := &Reply{Empty: f.empty, titled: f.titled, src: f.src}
	for _, m := range f.others {
		r.Members = append(r.Members, Member{m.name, f.src[m.from:m.to]})
	}
	r.exact(f.src[:f.reasoning], 0)
	if f.reasoning > 0 {
		r.write("\n\n")
	}
	r.paragraph(head, f.reasoning)
	for _, m := range f.lists {
		f.fence(r, m)
	}
	r.paragraph(tail, f.end)
	for _, m := range f.objects {
		if f.textsOf(m) != nil {
			continue
		}
		r.write("```json\n{")
		r.exact(f.src[m.key:m.to], m.key)
		r.write("}\n```\n\n")
	}
	r.Prose = len(r.Text)
	if len(r.Text) > f.reasoning+2 && (f.prose != nil || len(f.others) > 0 || slices.ContainsFunc(f.objects, func(m member) bool { return f.textsOf(m) != nil })) {
		r.write("## Prose\n\n") // so that its first sentence is no remark about the last delta
	}
	if f.prose != nil {
		r.unquoted(f.src[f.prose.from:f.prose.to], f.prose.from)
		r.write("\n\n")
	}
	for _, m := range slices.Concat(f.others, f.objects) {
		f.texts(r, m)
	}
	if len(f.lists) == 0 && !f.empty {
		r.Prose = len(r.Text)
	}
	r.ProseEnd = len(r.Text)
	if f.rest > 0 {
		r.write("```delta\n")
		r.exact(f.src[f.rest:], f.rest)
	}
	r.Drafts = len(r.Text)
	for _, m := range f.drafts {
		if f.rest == 0 { // else it would be in the fence
			r.unquoted(f.src[m.from:m.to], m.from)
			r.write("\n\n")
		}
	}
	return r
}

// fence writes each element of a list in a fence of its own. Members that are null are left out: that is how the schema leaves
// out a property.
func (f *form) fence(r *Reply, m member) {
	if m.to == 0 {
		return // only the element in which it was cut
	}
	list := withoutNulls(f.src[m.from:m.to])
	d := jsontext.NewDecoder(bytes.NewReader(list), jsontext.AllowDuplicateNames(true))
	if list[0] == '[' {
		_, _ = d.ReadToken()
	}
	for {
		value, err := d.ReadValue()
		if err != nil { // the end of the list, or of the reply
			return
		}
		to := int(d.InputOffset())
		r.write(fenceMarks + "delta\n")
		r.exact(list[to-len(value):to], m.from+to-len(value))
		r.write("\n```\n\n")
	}
}

func (r *Reply) write(text string) { r.Text = append(r.Text, text...) }

func (r *Reply) exact(text []byte, from int) {
	r.pieces = append(r.pieces, piece{at: len(r.Text), from: from, n: len(text)})
	r.Text = append(r.Text, text...)
}

// paragraph writes a text that is somewhere behind an offset.
func (r *Reply) paragraph(text []byte, from int) {
	if len(text) > 0 {
		r.exact(text, from+max(0, bytes.Index(r.src[from:], text)))
		r.write("\n\n")
	}
}

// unquoted writes the text of a JSON string, or another value as it is.
func (r *Reply) unquoted(raw []byte, from int) {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		r.exact(raw, from)
		return
	}
	r.pieces = append(r.pieces, piece{at: len(r.Text), from: from + 1, n: len(text), quoted: true})
	r.Text = append(r.Text, text...)
}

// Before returns the text for readers that do not know this form. It says what they would not see.
func (r *Reply) Before() string {
	prose := string(r.Text[r.Prose:r.ProseEnd])
	if strings.Contains(prose, fenceMarks) || strings.Contains(prose, "~~~") {
		prose = "## Prose: not part of the list of deltas\n\n" + strings.TrimPrefix(prose, "## Prose\n\n")
	}
	if r.Empty {
		prose = "NO CHANGES: the list of deltas is empty\n\n" + prose
	}
	return string(r.Text[:r.Prose]) + prose + string(r.Text[r.ProseEnd:r.Drafts])
}

// withoutNulls returns JSON in which spaces stand for the members that are null.
func withoutNulls(list []byte) []byte {
	if !bytes.Contains(list, []byte("null")) {
		return list
	}
	out := bytes.Clone(list)
	d := jsontext.NewDecoder(bytes.NewReader(list), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(d.InputOffset())
		if _, err := d.ReadToken(); err != nil {
			return out
		}
		if kind, n := d.StackIndex(d.StackDepth()); kind != '{' || n%2 == 0 || d.PeekKind() != 'n' || d.SkipValue() != nil {
			continue
		}
		blank(out, before+bytes.IndexByte(list[before:], '"'), int(d.InputOffset()))
	}
}

// blank overwrites a member of an object, with the comma behind it, or else the one before it.
func blank(out []byte, from, to int) {
	behind := to
	for behind < len(out) && strings.IndexByte(" \t\r\n", out[behind]) >= 0 {
		behind++
	}
	if behind < len(out) && out[behind] == ',' {
		to = behind + 1
	} else {
		before := from - 1
		for before > 0 && strings.IndexByte(" \t\r\n", out[before]) >= 0 {
			before--
		}
		if out[before] == ',' {
			out[before] = ' '
		}
	}
	for i := from; i < to; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
}
