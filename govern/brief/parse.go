package brief

import (
	"slices"
	"strings"
	"unicode"

	"brenner/internal/markdown"
)

// Parse reads a brief. It recognizes headings of any level, bold lines used as headings, and
// labels such as "Goal: …", also in lists. Headings in code, comments and quotations do not count.
// The goal ends at the next heading, of any level. A text that is a single paragraph without a heading
// is the goal, unless it says that something is out of scope.
func Parse(text string) Brief {
	var b Brief
	r := read(text)
	for f := range fieldCount {
		if b.texts[f] = join(r.out, f); f != Rest && b.texts[f] == placeholder {
			b.texts[f] = ""
		}
	}
	if !hasWord(b.texts[Goal]) {
		b.texts[Goal] = ""
	}
	b.unread, b.hidden = r.unread, r.hidden()
	return b
}

// placeholder is what earlier programs wrote into the fields of a new brief.
const placeholder = "- To be written."

// line is one line of a brief, and the field it belongs to.
type line struct {
	field  Field
	text   string // without the heading or label of the field
	starts bool   // it begins a part of its field
	title  string // of a heading that begins no field
}

// join returns the text of a field, without rules at the ends of its parts.
func join(lines []line, f Field) string {
	var parts, part []string
	flush := func() {
		for len(part) > 0 && isRule(part[len(part)-1]) {
			part = part[:len(part)-1]
		}
		for len(part) > 0 && isRule(part[0]) {
			part = part[1:]
		}
		if len(part) > 0 {
			parts = append(parts, strings.Join(part, "\n"))
		}
		part = nil
	}
	before := Rest
	for _, l := range lines {
		if l.field == f {
			if l.starts || before != f {
				flush()
			}
			part = append(part, strings.TrimRight(l.text, " \t"))
		}
		before = l.field
	}
	flush()
	return strings.Join(parts, "\n\n")
}

// isRule reports whether a line is blank or a rule.
func isRule(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || strings.Trim(text, "=") == "" || markdown.IsBreak([]byte(text))
}

// Levels of headings, besides the six of Markdown.
const (
	boldLevel  = 7 // a bold line, or a numbered one
	labelLevel = 8
	itemLevel  = 9 // a label that begins a list item, plus its indentation
)

// section is an open section.
type section struct {
	field Field
	level int
	// inline is set for a label with text: it ends with its paragraph and the list after it.
	inline bool
}

type reader struct {
	lines []string
	prose []bool    // running text: not code, comments or quotations
	code  []bool    // code or comments
	open  []section // the innermost last
	blank bool      // the line before is blank
	out   []line
	// unread is a line that names a field in a way that is not read: in a table, or in HTML.
	unread string
}

// read assigns each line of a text to a field.
func read(text string) *reader {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	r := &reader{lines: strings.Split(text, "\n"), blank: true}
	r.scan(text)
	r.endQuotations()
	if r.isParagraph() {
		for i, one := range r.lines {
			r.out = append(r.out, line{field: Goal, text: one, starts: i == 0})
		}
		return r
	}
	for len(r.out) < len(r.lines) {
		r.read(len(r.out))
	}
	return r
}

// scan finds out which lines are running text, and which are code or comments.
func (r *reader) scan(text string) {
	r.prose, r.code = make([]bool, len(r.lines)), make([]bool, len(r.lines))
	at, i := 0, 0 // the offset of line i
	for b := range markdown.Blocks([]byte(text), markdown.First) {
		for ; i < len(r.lines) && at < b.End; i++ {
			if at >= b.Start {
				r.prose[i] = b.Kind == markdown.Prose && !b.Quoted
				r.code[i] = b.Kind != markdown.Prose
			}
			at += len(r.lines[i]) + 1
		}
	}
}

// endQuotations ends each quotation at the first line without its mark. For Markdown, text right
// below a quotation continues it, which is rarely meant.
func (r *reader) endQuotations() {
	quoted := false
	for i, one := range r.lines {
		width, bare := indent(one)
		switch {
		case r.code[i]:
			quoted = quoted && strings.HasPrefix(bare, ">")
		case strings.HasPrefix(bare, ">"):
			quoted = quoted || !r.prose[i]
		case r.prose[i] || bare == "" || width > 3 || strings.ContainsAny(bare[:1], "`~<:"):
			quoted = false
		default:
			r.prose[i] = quoted
		}
	}
}

// isParagraph reports whether the text is a single paragraph.
func (r *reader) isParagraph() bool {
	last := -1
	for i, one := range r.lines {
		if strings.TrimSpace(one) == "" {
			continue
		}
		width, bare := indent(one)
		if !r.prose[i] || width > 3 || itemMark(bare) > 0 || isRule(one) || last >= 0 && i != last+1 {
			return false
		}
		if h, _ := r.heading(i); h != nil && (h.field != Rest || h.level < labelLevel) {
			return false
		}
		if unreadField(bare) != Rest {
			return false
		}
		last = i
	}
	return last >= 0 && !speaksOfScope(strings.Join(r.lines, " "))
}

// read assigns a line, and those that belong to its heading.
func (r *reader) read(i int) {
	blank := strings.TrimSpace(r.lines[i]) == ""
	if !blank {
		r.leave(i)
	}
	h, more := r.heading(i)
	if h != nil && r.begin(h) {
		r.out = append(r.out, line{field: h.field, text: h.text, starts: true})
		for range more {
			r.out = append(r.out, line{field: h.field})
		}
	} else {
		for n := range more + 1 {
			r.out = append(r.out, line{field: r.field(), text: r.textOf(i + n)})
		}
		if h != nil && h.level <= boldLevel {
			r.out[i].title = h.name
		}
		if _, bare := indent(r.lines[i]); r.unread == "" && r.prose[i] && r.field() != Glossary && unreadField(bare) != Rest {
			r.unread = bare
		}
	}
	r.blank = blank
}

// unreadField returns the field that a row of a table or a heading in HTML names, or Rest.
func unreadField(bare string) Field {
	switch {
	case strings.HasPrefix(bare, "<"):
		for tag := strings.IndexByte(bare, '<'); tag >= 0; tag = strings.IndexByte(bare, '<') {
			end := strings.IndexByte(bare[tag:], '>')
			if end < 0 {
				return Rest
			}
			bare = bare[:tag] + " " + bare[tag+end+1:]
		}
		if h := (&reader{}).named(strings.TrimSpace(bare)); strings.TrimSpace(bare) != "" {
			return h.field
		}
	case strings.Contains(bare, "|"):
		cell, _, _ := strings.Cut(strings.TrimLeft(bare, "| \t"), "|")
		if f := fieldOf(strings.Trim(cell, " \t*_:")); f != Glossary {
			return f // a table of words is usual
		}
	}
	return Rest
}

// hidden returns the titles above text that belongs to no field.
func (r *reader) hidden() []string {
	var out []string
	title := ""
	for i := range r.out {
		switch l := &r.out[i]; {
		case l.field != Rest:
			title = ""
		case l.title != "":
			title = strings.Trim(l.title, "*_ ")
		case hasWord(l.text):
			name := title
			if name == "" {
				name = untitled
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

const untitled = "text without a heading"

func (r *reader) field() Field {
	if len(r.open) == 0 {
		return Rest
	}
	return r.open[len(r.open)-1].field
}

// textOf returns a line, in the section of a list item without the indentation of the item.
func (r *reader) textOf(i int) string {
	text := r.lines[i]
	if len(r.open) > 0 {
		if level := r.open[len(r.open)-1].level; level >= itemLevel {
			bare := strings.TrimLeft(text, " ")
			return text[min(len(text)-len(bare), level-itemLevel+2):]
		}
	}
	return text
}

// leave closes the labels that end before a line.
func (r *reader) leave(i int) {
	width, bare := indent(r.lines[i])
	isItem := r.prose[i] && itemMark(bare) > 0
	for len(r.open) > 0 {
		s := &r.open[len(r.open)-1]
		ends := s.inline && r.blank && !isItem && width < 2
		if s.level >= itemLevel {
			ends = width <= s.level-itemLevel && (isItem || r.blank)
		}
		if !ends {
			return
		}
		r.open = r.open[:len(r.open)-1]
	}
}

// begin closes the sections that end at a heading, and reports whether the heading begins a field.
// Any other heading is text of the section around it.
func (r *reader) begin(h *heading) bool {
	if h.level >= boldLevel && r.inGlossary() {
		return false // it explains a word
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].level >= h.level {
		r.open = r.open[:len(r.open)-1]
	}
	if h.field == Rest {
		// The goal is the text directly below its heading.
		if r.field() == Goal && (h.level < boldLevel || h.level == boldLevel && r.hasGoal()) {
			r.open = append(r.open, section{level: h.level})
		}
		return false
	}
	r.open = append(r.open, section{h.field, h.level, h.level == labelLevel && h.text != ""})
	return true
}

// hasGoal reports whether there is text of the goal: a bold line above it may be the goal.
func (r *reader) hasGoal() bool {
	return slices.ContainsFunc(r.out, func(l line) bool { return l.field == Goal && hasWord(l.text) })
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// inGlossary reports whether a line is in a glossary that has a heading of Markdown.
func (r *reader) inGlossary() bool {
	for _, s := range r.open {
		if s.field == Glossary && s.level < boldLevel {
			return true
		}
	}
	return false
}
