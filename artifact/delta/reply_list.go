package delta

import (
	"bytes"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/internal/pattern"
)

// orderOf returns the operation of the list that a line is in or begins, or "". At is where the next
// line begins.
func (r *reader) orderOf(line []byte, l *lineState, c clues, at int) string {
	line = bytes.TrimSpace(line)
	if !itemform.IsTitle(line) {
		if isLetter(line[0]) {
			return "" // running text
		}
		if c.order {
			return "" // an announcement of its own
		}
		return l.above
	}
	l.list = list{}
	title := bytes.Trim(line, lineMarks+":])")
	if section, isNew := itemform.NewItems(string(title)); r.third && isNew && !(r.opt.Reader.Since(FifthReader) && itemform.IsRemark(string(title))) && r.itemsFollow(at, true) {
		l.list = list{section: section}
		return Add
	}
	if r.opt.Reader.Since(FifthReader) {
		if section, isNew := itemform.NewRows(string(title), r.src[at:]); isNew {
			l.list = list{section: section}
			return Add
		}
		if section, isNew := itemform.CallsNew(string(title)); isNew && r.itemsFollow(at, section != "") {
			l.list = list{section: section}
			return Add
		}
		if itemform.CallsSeveralNew(string(title)) && r.itemsFollow(at, true) {
			l.list = list{mixed: true}
			return Add
		}
	}
	if !c.order || !r.itemsFollow(at, false) {
		return ""
	}
	return itemform.OrderOfTitle(title)
}

// itemsFollow reports whether the next line, or a row of the next table, begins with an id. New items need none.
func (r *reader) itemsFollow(at int, isNew bool) bool {
	const most = 5
	rest := r.src[at:min(len(r.src), at+maxWritten)]
	for n := 0; n < most && len(rest) > 0; n++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if body, ids := itemOf(line); ids != nil && body != "" {
			return true
		}
		if isNew && (line[0] == '|' || listItem.Match(line)) {
			return true
		}
		if line[0] != '|' {
			break
		}
	}
	return false
}

// itemOf returns the text of a line that begins with an id, and its words.
func itemOf(line []byte) (body string, words []lineWord) {
	body = strings.ToValidUTF8(string(bytes.TrimLeft(line[:min(len(line), maxAnnouncement)], lineMarks)), "")
	if len(body) < 2 || !isDigit(body[1]) && !strings.HasPrefix(body, "RT") {
		return "", nil
	}
	words = lineWords(body)
	if len(words) == 0 || !isItemID(words[0].text) {
		return "", nil
	}
	if next := after(body, words[0]); isLetter(line[0]) && next != 0 && !isSeparator(next) {
		return "", nil // a sentence
	}
	return body, words
}

// list is the list or the table that a line is in.
type list struct {
	section string // of new items
	mixed   bool   // it has new items of more than one section
	columns itemform.Columns
	indent  int  // of its first item, from 1
	fields  bool // its items are the fields of one
}

var listItem = pattern.New(`^(?:[-*+•▪◦]|\d{1,2}[.)]) +\S`)

// announceNew records the new item of a line without an id below the title of such items.
func (r *reader) announceNew(line []byte, at int, l *lineState) bool {
	trimmed := bytes.TrimSpace(line)
	if l.above != Add || l.list.section == "" && !l.list.mixed || len(trimmed) == 0 {
		return false
	}
	row := string(trimmed[:min(len(trimmed), 2*maxAnnouncement)])
	switch indent := 1 + len(line) - len(unindented(line)); {
	case trimmed[0] == '|' && !l.inTable:
		l.list.columns = itemform.ReadColumns(row, l.list.section)
		return true
	case trimmed[0] == '|':
		if !l.list.columns.IsNew(row) {
			return true
		}
	case !listItem.Match(trimmed) || l.list.indent > 0 && indent > l.list.indent || l.list.fields:
		return l.list.indent > 0 && indent > 1
	default:
		if l.list.indent = indent; itemform.BeginsItem(bytes.TrimLeft(trimmed, "-*+•▪◦ 0123456789.)")) {
			l.list.fields = true
		}
	}
	body := strings.ToValidUTF8(strings.TrimLeft(row, lineMarks), "")
	a := announcement{operation: Add, section: l.list.section, words: itemform.Content(body), shaped: trimmed[0] == '|'}
	if words := lineWords(body); len(a.words) < 2 || itemform.IsNothing(words[0].text) {
		return true
	}
	if l.list.mixed {
		a.section = itemform.KindOfItem(body)
	}
	a.nameIn(body)
	r.promise(a, at+len(line)-len(unindented(line)), trimmed)
	return true
}

// announceItem records what a line below an operation announces, if it begins with an id.
func (r *reader) announceItem(line []byte, at int, l *lineState) bool {
	operation := l.above
	if operation == "" {
		return false
	}
	body, words := itemOf(bytes.TrimSpace(line))
	if words == nil {
		return r.third && r.announceNew(line, at, l)
	}
	for _, w := range words {
		if r.third && operation == Add {
			break // what it says
		}
		switch strings.ToLower(w.text) {
		case "if", "unless", "would", "keep", "not":
			return true
		}
	}
	a := announcement{operation: operation, text: strings.TrimSpace(string(line[:min(len(line), maxAnnouncement)]))}
	a.subject(body, words)
	a.words = itemform.Content(body)
	if operation == Add {
		a.nameIn(body[words[0].end:])
	}
	a.line, a.column = r.place.find(at + len(line) - len(bytes.TrimLeft(line, " \t")))
	a.text = strings.ToValidUTF8(a.text, "")
	r.promises = append(r.promises, a)
	return true
}
