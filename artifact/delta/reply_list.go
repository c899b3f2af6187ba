package delta

import (
	"bytes"
	"regexp"
	"strings"

	"brenner/artifact/delta/itemform"
)

// orderTitle matches a title that is nothing but an operation.
var orderTitle = regexp.MustCompile(`(?i)^(?:(?:my|the|proposed) )?(?:(add|edit|kill)s?|[a-z]+ to (?:be )?(edit|kill)(?:ed)?)$`)

// orderOf returns the operation of the list that a line is in or begins, or "". At is where the next
// line begins.
func (r *reader) orderOf(line []byte, above string, c clues, at int) string {
	line = bytes.TrimSpace(line)
	if !isTitle(line) {
		if isLetter(line[0]) {
			return "" // running text
		}
		if c.order {
			return "" // an announcement of its own
		}
		return above
	}
	title := bytes.Trim(line, lineMarks+":])")
	isNew := r.third && !c.order && itemform.IsNewItems(string(title))
	if !c.order && !isNew || !r.itemsFollow(at) {
		return ""
	}
	if isNew {
		return Add
	}
	m := orderTitle.FindSubmatch(title)
	if m == nil {
		return ""
	}
	return strings.ToUpper(string(m[1]) + string(m[2]))
}

// itemsFollow reports whether the next line, or a row of the next table, begins with an id.
func (r *reader) itemsFollow(at int) bool {
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

// announceItem records what a line below an operation announces, if it begins with an id.
func (r *reader) announceItem(line []byte, at int, operation string) bool {
	if operation == "" {
		return false
	}
	body, words := itemOf(bytes.TrimSpace(line))
	if words == nil {
		return false
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
	a.words = contentWords(body)
	if operation == Add {
		a.nameIn(body[words[0].end:])
	}
	a.line, a.column = r.place.find(at + len(line) - len(bytes.TrimLeft(line, " \t")))
	a.text = strings.ToValidUTF8(a.text, "")
	r.promises = append(r.promises, a)
	return true
}
