package artifact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// headingOf reads a heading as Markdown has it, or in a form that can only be meant as one.
func (r *mdReader) headingOf(line string) (level int, title string, ok bool) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return 0, "", false
	}
	if bare := trimSymbols(text); strings.HasPrefix(bare, "#") {
		text = bare
	}
	switch text[0] {
	case '#':
		title = strings.TrimLeft(text, "#")
		level = len(text) - len(title)
		open := title == "" || title[0] == ' ' || title[0] == '\t' || strings.HasPrefix(title, "\u00a0")
		title = closeHashes(strings.Trim(title, " \t\u00a0"))
		return level, title, open || level > 1 && r.isItem(title)
	case '<':
		if len(text) > 4 && text[1]|0x20 == 'h' && '1' <= text[2] && text[2] <= '6' && text[3] == '>' {
			title, _, ok = strings.Cut(text[4:], "</")
			return int(text[2] - '0'), trim(title), ok
		}
		return 0, "", false
	}
	return r.underlined(text)
}

// closeHashes takes the closing hashes off a heading.
func closeHashes(title string) string {
	if rest := strings.TrimRight(title, "#"); strings.HasSuffix(rest, " ") {
		return trim(rest)
	}
	return title
}

// underlined reads the heading of a section or of a new item that has a line of = or - below it.
func (r *mdReader) underlined(text string) (level int, title string, ok bool) {
	if r.rest == "" || r.rest[0] != '=' && r.rest[0] != '-' {
		return 0, "", false
	}
	below, _, _ := strings.Cut(r.rest, "\n")
	below = strings.TrimRight(below, " \t\r")
	if len(below) < 3 || strings.Trim(below, below[:1]) != "" {
		return 0, "", false
	}
	if _, known := parseSectionTitle(text); known {
		r.under = r.line + 1
		return 2, text, true
	}
	id, _, _ := cutPlain(text, ":")
	if !r.inside || !r.section.ValidID(id) || r.ids[r.section][id] != nil {
		return 0, "", false
	}
	r.under = r.line + 1
	return 3, text, true
}

// labelHeading reads a heading below that of an item, such as "#### Mechanism", as a label.
func (r *mdReader) labelHeading(level int, title string) bool {
	label, raw, _ := cutPlain(strings.Trim(title, "*_ "), ":")
	if _, known := r.section.Spec().labelled(label); !known {
		return false
	}
	thread := r.section == ResearchThread && r.ids[ResearchThread] == nil && level > 2
	if !thread && (r.open == nil || level <= r.level) {
		return false
	}
	r.loose = false
	return r.readLabelled("**"+label+"**: "+raw, false)
}

// lowest is the level of an item without a heading: every heading ends it.
const lowest = 7

// lineItem reads the heading of an item that is a line of its own: "**H2: name**", "**H2**: name", or
// "H2: name" before a label or in a list. A text behind it is the main field.
func (r *mdReader) lineItem(line string, bulleted bool) bool {
	h, ok := otherHead(r.section, line)
	if !ok || r.ids[r.section][h.id] != nil || r.headedBelow(h.id) {
		return false
	}
	title, text := line, ""
	switch {
	case r.section.Spec().HasName() && r.headsItem(line, h.id):
	case bulleted && r.listsItem(line, h.id):
		r.variant("list entry", line, h.id)
		title, text = cutListed(line, h.id)
	default:
		return false
	}
	r.closeRun()
	r.loose, r.level = false, lowest
	r.itemHeading(title)
	if spec, _ := r.open.section.Spec().Field(r.open.section.Spec().Main); text != "" {
		r.variant("text behind "+h.id, text, spec.Title)
		r.setLead(spec.Name, Text(readText(text)))
	}
	return true
}

// listsItem reports whether a list entry is an item: it begins with an id, and no item above has a heading.
func (r *mdReader) listsItem(line, id string) bool {
	if r.open != nil && r.level != lowest {
		return false
	}
	at := strings.Index(line, id)
	return at >= 0 && strings.Trim(line[:at], "*_`[(~") == "" && len(line) > at+len(id)
}

// cutListed splits "**H1: name** — text", "[A1] text" and "H1 (name): text" behind the name.
func cutListed(line, id string) (title, text string) {
	const between = " :—–-*."
	if inside, ok := strings.CutPrefix(line, "**"); ok {
		if head, rest, closed := strings.Cut(inside, "**"); closed && strings.Trim(head, "[]() ") != id {
			return head, strings.TrimLeft(rest, between)
		}
	}
	if head, rest, ok := strings.Cut(line, "):"); ok && strings.Contains(head, "(") {
		return head + ")", trim(rest)
	}
	return line, ""
}

func (r *mdReader) headsItem(line, id string) bool {
	if !strings.HasPrefix(line, "**") {
		return strings.HasPrefix(line, id+":") && strings.HasPrefix(strings.TrimLeft(r.rest, " -"), "**")
	}
	label, _, own, labelled := cutLabel(line)
	whole := strings.HasSuffix(line, "**") && strings.Count(line, "**") == 2
	return !own && (whole || labelled && label == id)
}

// headedBelow reports whether a heading in the rest of the section names an item.
func (r *mdReader) headedBelow(id string) bool {
	if r.headed != nil {
		return r.headed[id]
	}
	r.headed = map[string]bool{}
	for line := range strings.Lines(r.rest) {
		text := strings.TrimLeft(line, " ")
		title := strings.TrimLeft(text, "#")
		level := len(text) - len(title)
		if level == 0 {
			continue
		}
		title = strings.TrimSpace(title)
		if r.isSection(level, title) && !r.isItem(title) {
			break
		}
		title, _ = cutMark(title)
		title, _ = readStrikes(title)
		if h, ok := otherHead(r.section, title); ok {
			r.headed[h.id] = true
		}
	}
	return r.headed[id]
}

// trimSymbols takes emoji and other symbols off the beginning of a line.
func trimSymbols(line string) string {
	if line == "" || line[0] < utf8.RuneSelf {
		return line
	}
	return strings.TrimLeftFunc(line, func(c rune) bool {
		return c == ' ' || c >= utf8.RuneSelf && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// head is the heading of an item in the form of another tool.
type head struct{ id, name, remark string }

// otherHead reads "H1 (remark): name", "H1 — name", "[H1] name", "**H1** name", "2.1 H1: name" or
// "Hypothesis 1: name", also with symbols in front.
func otherHead(s Section, text string) (head, bool) {
	if name, target, isLink := strings.Cut(text, "]("); isLink && text[0] == '[' && strings.HasSuffix(target, ")") {
		text = name
	}
	rest := strings.TrimLeftFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	marks := text[:len(text)-len(rest)]
	if numbered := strings.TrimLeft(rest, "0123456789."); numbered != rest && strings.HasPrefix(numbered, " ") {
		rest = trim(numbered)
	}
	rest, ok := cutPrefixOf(s, rest)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	id := s.Spec().Prefix + rest[:digits]
	rest = rest[digits:]
	if !ok || !s.ValidID(id) || !endsHeadID(rest) {
		return head{}, false
	}
	h := head{id: id}
	rest = strings.TrimLeft(rest, "*_`] ")
	for _, brackets := range []string{"()", "[]"} {
		if inside, open := strings.CutPrefix(rest, brackets[:1]); open {
			if inside, after, closed := strings.Cut(inside, brackets[1:]); closed {
				h.remark, rest = trim(inside), after
			}
			break
		}
	}
	h.name = strings.TrimLeft(rest, "*_`]:.)-–—, ")
	for _, mark := range []string{"*", "_", "`"} {
		if mark == "*" || strings.Contains(marks, mark) {
			h.name = strings.TrimRight(h.name, mark+" ")
		}
	}
	return h, true
}

// endsHeadID reports whether an id can end before rest: not in "H2.1", "H2-H3", "H2b" or "H2/H5".
func endsHeadID(rest string) bool {
	if rest == "" || strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "–") {
		return true
	}
	if rest[0] == '.' || rest[0] == '-' {
		return len(rest) == 1 || strings.IndexByte(" *", rest[1]) >= 0
	}
	return strings.IndexByte(" *_`]:)(,", rest[0]) >= 0
}

func cutPrefixOf(s Section, text string) (rest string, ok bool) {
	if s == ResearchThread {
		return text, false
	}
	for _, noun := range nouns[s] {
		if len(text) > len(noun) && strings.EqualFold(text[:len(noun)], noun) {
			text = strings.TrimLeft(text[len(noun):], " #-")
			return strings.TrimPrefix(text, s.Spec().Prefix), true
		}
	}
	rest, ok = strings.CutPrefix(text, s.Spec().Prefix)
	return strings.TrimPrefix(rest, "-"), ok
}

// isItem reports whether a heading in this section names an item of it.
func (r *mdReader) isItem(title string) bool {
	if !r.inside {
		return false
	}
	title, _ = cutMark(title)
	title, _ = readStrikes(title)
	id, _, _ := cutPlain(title, ":")
	if r.section.ValidID(readText(id)) {
		return true
	}
	_, ok := otherHead(r.section, title)
	return ok
}

// likeID reports whether a heading begins with something like an id.
func likeID(title string) bool {
	word, _, _ := strings.Cut(strings.Trim(title, "~* "), " ")
	word = strings.TrimRight(word, ":.,)]~*")
	letters := strings.TrimLeft(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	n := len(word) - len(letters)
	return n > 0 && n < 4 && letters != "" && strings.Trim(letters, "-0123456789.") == ""
}
