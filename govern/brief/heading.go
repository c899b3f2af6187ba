package brief

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/markdown"
)

// heading is a heading, a bold line or a label.
type heading struct {
	field Field // Rest for one with another name
	level int
	name  string
	text  string // on the same line
}

// heading returns the heading that a line is or begins with, or nil, and the number of further
// lines that belong to it.
func (r *reader) heading(i int) (*heading, int) {
	one := r.lines[i]
	width, bare := indent(one)
	bare = strings.TrimRight(bare, " \t")
	if !r.prose[i] || bare == "" {
		return nil, 0
	}
	if level := markdown.HeadingLevel(bare); level > 0 && width <= 3 {
		title := strings.TrimRight(strings.TrimRight(bare[level:], "#"), " \t")
		h := r.named(title)
		h.level = level
		return h, 0
	}
	label := r.label(i, width, bare)
	level := 0
	if i+1 < len(r.lines) && r.prose[i+1] && (r.beginsParagraph(i) || fieldOf(bare) != Rest) {
		level = underline(r.lines[i+1])
	}
	switch {
	case level == 0:
		return label, 0
	case label != nil && label.text != "":
		return label, 1 // the line below is a rule
	case fieldOf(bare) != Rest || itemMark(bare) == 0 && isTitle(bare):
		h := r.named(strings.TrimLeft(bare, "*_"))
		h.level = level
		return h, 1
	}
	return label, 0
}

// isTitle reports whether a line above a row of dashes is a heading. A sentence is a text above a
// rule, although Markdown shows it as a heading.
func isTitle(text string) bool {
	return !strings.ContainsAny(text[:1], "|>") && !strings.ContainsAny(text[len(text)-1:], ".!?;,") && len(strings.Fields(text)) <= 8
}

// beginsParagraph reports whether a line has none of its paragraph before it.
func (r *reader) beginsParagraph(i int) bool {
	return i == 0 || strings.TrimSpace(r.lines[i-1]) == "" || !r.prose[i-1] || markdown.HeadingLevel(strings.TrimLeft(r.lines[i-1], " ")) > 0 || isRule(r.lines[i-1])
}

// label reads a bold line, a numbered line with the name of a field, or a label.
func (r *reader) label(i, width int, bare string) *heading {
	level := labelLevel
	rest := bare
	mark := itemMark(bare)
	numbered := mark > 1 && width == 0 && bare[0] <= '9'
	if mark > 0 {
		level, rest = itemLevel+width, strings.TrimLeft(bare[mark:], " \t")
	}
	name, text, bold, ok := splitLabel(rest)
	if !ok {
		if f := fieldOf(rest); f != Rest && numbered { // "1. Goal"
			return &heading{field: f, level: boldLevel, name: rest}
		}
		return nil
	}
	h := &heading{field: r.fieldOf(name), level: level, name: name, text: text}
	switch {
	case bold && text == "" && (mark == 0 || numbered):
		if h.level = boldLevel; h.field == Rest && !r.beginsParagraph(i) {
			return nil
		}
	case h.field == Rest && (mark > 0 || !isName(name)):
		return nil
	}
	return h
}

// splitLabel splits "Name: text", "**Name:** text", "**Name** — text" and "**Name**".
func splitLabel(line string) (name, text string, bold, ok bool) {
	rest := strings.TrimLeft(line, "*_")
	if marks := line[:len(line)-len(rest)]; marks != "" {
		end := strings.Index(rest, marks)
		if end < 0 {
			return "", "", false, false
		}
		name, text = rest[:end], strings.TrimLeft(rest[end+len(marks):], " \t")
		colon := strings.TrimRight(name, ":： ") != name
		after := strings.TrimLeft(text, ":：—–-")
		ok = text == "" || colon || after != text
		return strings.TrimRight(name, ":： "), strings.TrimSpace(after), true, ok
	}
	at := strings.IndexAny(line, ":：")
	if at <= 0 {
		return "", "", false, false
	}
	_, size := utf8.DecodeRuneInString(line[at:])
	text = line[at+size:]
	if text != "" && size == 1 && text[0] != ' ' && text[0] != '\t' {
		return "", "", false, false // as in a time or an address
	}
	return line[:at], strings.TrimSpace(text), false, true
}

// isName reports whether the unknown name of a label looks like one: a few words, the first one
// with a capital letter.
func isName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first) && len(strings.Fields(name)) <= 3 && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && r != ' ' && r != '-'
	})
}

// named reads the title of a heading, which may have text behind the name of a field.
func (r *reader) named(title string) *heading {
	title = strings.TrimSpace(title)
	whole := &heading{field: r.fieldOf(title), name: title}
	if number := strings.TrimLeft(title, "0123456789.) "); number != "" {
		title = number
	}
	name, text, _, ok := splitLabel(title)
	if !ok || text == "" || isQualifier(text) {
		return whole
	}
	if f := r.fieldOf(name); f != Rest {
		return &heading{field: f, name: name, text: text}
	}
	return &heading{name: whole.name}
}

// fieldOf returns the field with a name, or Rest. Below a scope, "out" and "in" are names.
func (r *reader) fieldOf(name string) Field {
	f := fieldOf(name)
	if f != Rest || !slices.ContainsFunc(r.open, func(s section) bool { return s.field == Scope }) {
		return f
	}
	switch plain := plainName(name); {
	case isQualifier(name) || plain == "no" || plain == "not":
		return NonGoals
	case plain == "in" || plain == "yes":
		return Scope
	}
	return Rest
}

// indent returns the indentation of a line in columns, and the rest of the line.
func indent(line string) (int, string) {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		default:
			return width, line[i:]
		}
	}
	return width, ""
}

// itemMark returns the length of the mark of a list item at the start of a text, or 0.
func itemMark(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 9 || digits >= len(text) {
		return 0
	}
	marks := ".)"
	if digits == 0 {
		marks = "-+*•"
	}
	r, size := utf8.DecodeRuneInString(text[digits:])
	if !strings.ContainsRune(marks, r) {
		return 0
	}
	end := digits + size
	if end < len(text) && text[end] != ' ' && text[end] != '\t' {
		return 0
	}
	return end
}

// underline returns the level of the heading that a line underlines, or 0.
func underline(line string) int {
	width, bare := indent(line)
	if width > 3 {
		return 0
	}
	return markdown.UnderlineLevel(bare)
}
