package delta

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/markdown"
)

// announcement is a line that announces a change, as far as it says which.
type announcement struct {
	line, column int
	text         string
	operation    string
	section      string
	target       string // an id, of an ADD its label
	number       int    // of "Delta 3", or 0
	kind         announcementKind
	said         bool // the line says what the change is, in words
	whole        bool // the line is the change, in another notation
	keyed        bool // it is written as keys and values
}

// announcementKind is what a reply must hold to fulfil an announcement that no delta follows.
type announcementKind int

const (
	promisesOne   announcementKind = iota // a delta of its own
	mentionsOne                           // a delta of its operation: a summary may mention several at once
	promisesSome                          // a heading for deltas: one that follows
	mentionsDelta                         // any delta
)

// findAnnouncements records the lines of running text that announce changes, but for what has been
// read as an object.
func (r *reader) findAnnouncements(b markdown.Block, done []span) {
	at := b.Start
	described := b.Kind == markdown.Prose && r.possible(r.src[b.Start:b.End])
	for text := range bytes.Lines(r.src[b.Start:b.End]) {
		for len(done) > 0 && int(done[0].to) <= at {
			done = done[1:]
		}
		inside := len(done) > 0 && int(done[0].from) < at
		if !inside {
			r.announceLine(b, text, at, done, described)
		}
		at += len(text)
	}
}

// announceLine records a line that announces a change, or describes one as keys and values.
func (r *reader) announceLine(b markdown.Block, text []byte, at int, done []span, described bool) {
	clipped := text[:min(len(text), maxAnnouncement)]
	var a announcement
	ok := false
	if mayAnnounce(text) {
		a, ok = parseAnnouncement(string(clipped), r.src[at+len(text):min(b.End, at+len(text)+maxFollowing)])
		ok = ok && !(a.keyed && b.Kind == markdown.Fenced)
	}
	if !ok && described {
		rest := text
		if len(done) > 0 && int(done[0].from) < at+len(text) {
			rest = text[:int(done[0].from)-at]
		}
		a, ok = r.describedChange(rest)
	}
	if ok {
		a.line, a.column = r.place.find(at + leadingBlank(text))
		a.text = strings.TrimSpace(strings.ToValidUTF8(string(clipped), ""))
		r.promises = append(r.promises, a)
	}
}

// maxFollowing is how many bytes after "Operation: KILL" are searched for its target.
const maxFollowing = 300

func leadingBlank(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t")) }

// lineMarks may stand before the first word of a line.
const lineMarks = " \t-+>*_#`0123456789.)|~<[(•→✗✓☐"

// mayAnnounce reports whether a line is worth parsing. It is called for every line of text.
func mayAnnounce(line []byte) bool {
	i := 0
	emphatic := false
	for i < len(line) && (line[i] >= 0x80 || strings.IndexByte(lineMarks, line[i]) >= 0) {
		emphatic = emphatic || line[i] == '#' || line[i] == '*' || line[i] == '_'
		i++
	}
	if len(line)-i < len("delta") {
		return false
	}
	if emphatic {
		return true
	}
	if line[i] >= 'A' && line[i] <= 'Z' && i+1 < len(line) {
		if next := line[min(len(line)-1, i+2)]; isDigit(line[i+1]) || isDigit(next) || bytes.HasPrefix(line[i:], []byte("RT")) {
			return true // an id
		}
	}
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("|")) {
		return bytes.Contains(line, []byte(Kill)) || bytes.Contains(line, []byte(Edit)) || bytes.Contains(line, []byte(Add))
	}
	switch line[i] | 0x20 {
	case 'a', 'e', 'k', 'd', 'o':
		return slices.ContainsFunc(announcingWords, func(word string) bool { return begins(line[i:], word) })
	}
	return false
}

var announcingWords = []string{"add", "edit", "kill", "delta", "op", "action"}

// word is a word of a line with its end.
type lineWord struct {
	text string
	end  int
}

func lineWords(line string) []lineWord {
	var words []lineWord
	start := -1
	for i, c := range line + " " {
		inWord := isWordRune(c) || c == '.' && start >= 0 && i+1 < len(line) && isWordRune(rune(line[i+1]))
		switch {
		case inWord && start < 0:
			start = i
		case !inWord && start >= 0:
			words = append(words, lineWord{line[start:i], i})
			start = -1
		}
	}
	return words
}

// parseAnnouncement reads a line that announces a change. Following is the text after it.
func parseAnnouncement(line string, following []byte) (announcement, bool) {
	body := strings.TrimLeft(line, lineMarks)
	marks := line[:len(line)-len(body)]
	heading := strings.Contains(marks, "#")
	emphatic := heading || strings.ContainsAny(marks, "*_")
	listed := strings.ContainsAny(marks, "-+*.)|•→✗✓☐")
	words := lineWords(body)
	if len(words) == 0 {
		return announcement{}, false
	}
	first := words[0].text
	switch plain := strings.ToLower(first); {
	case isOperation(first):
		return operationLine(body, words, emphatic, listed, heading)
	case plain == "operation" || plain == "op" || plain == "action":
		return keyValueLine(body, words, string(following))
	case plain == "delta" && strings.HasSuffix(marks, "<"):
		return tagLine(body, words)
	case plain == "delta" || plain == "deltas":
		return deltaLine(body, words, emphatic)
	case strings.HasPrefix(strings.TrimLeft(marks, " \t"), "|"):
		return tableLine(body)
	case isItemID(first):
		return itemLine(body, slices.DeleteFunc(words, func(w lineWord) bool { return w.text[0] >= utf8.RuneSelf }))
	case emphatic:
		for i, w := range words {
			if name := strings.ToLower(w.text); name == "delta" || name == "deltas" {
				return deltaLine(body, words[i:], true)
			}
		}
	}
	return announcement{}, false
}

// itemLine reads "H2: KILL — reason".
func itemLine(body string, words []lineWord) (announcement, bool) {
	a := announcement{kind: mentionsOne}
	if len(words) < 2 {
		return a, false
	}
	a.operation = words[1].text
	isOrder := words[1].text == Kill || words[1].text == Edit
	if !isOrder || !isSeparator(after(body, words[0])) || len(words) > 2 && isModal(words[2].text) {
		return a, false
	}
	named := a.name(words[0].text)
	return a, named
}

// tableLine reads a row of a table in which one cell is an operation, and another one an item or a
// section.
func tableLine(body string) (announcement, bool) {
	a := announcement{kind: mentionsOne}
	for cell := range strings.SplitSeq(body, "|") {
		switch cell = strings.Trim(cell, " \t*_`\r\n"); {
		case cell == Add || cell == Edit || cell == Kill:
			if a.operation != "" {
				return a, false // a list of all operations
			}
			a.operation = cell
		case a.target == "":
			a.name(cell)
		}
	}
	return a, a.operation != "" && (a.target != "" || a.operation == Add && a.section != "")
}

// after returns the first character after a word, but for spaces and emphasis.
func after(body string, w lineWord) byte {
	rest := strings.TrimLeft(body[w.end:], " \t*_`\"'")
	if rest == "" {
		return 0
	}
	if strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "→") {
		return '-'
	}
	return rest[0]
}

// operationLine reads "KILL H2 — reason" and "**ADD hypothesis**: text".
func operationLine(body string, words []lineWord, emphatic, listed, heading bool) (announcement, bool) {
	op := strings.ToUpper(words[0].text)
	capitals := op == words[0].text
	a := announcement{operation: op, kind: mentionsOne}
	separated := isSeparator(after(body, words[0]))
	rest := withoutArticles(words[1:])
	if len(rest) == 0 || isSentence(body, rest) {
		return a, false
	}
	direct := a.name(rest[0].text)
	for _, w := range rest[:min(len(rest), 4)] {
		if a.target == "" {
			a.name(w.text)
		}
	}
	switch {
	case capitals && (separated || a.target != "" || op == Add && (a.section != "" || emphatic || listed)):
	case (emphatic || listed) && direct && a.target != "":
	case heading && separated:
	default:
		return a, false
	}
	if heading && a.target == "" {
		a.kind = promisesOne
	}
	return a, true
}

func isSeparator(c byte) bool { return c != 0 && strings.IndexByte(":-|=([", c) >= 0 }

func withoutArticles(words []lineWord) []lineWord {
	for len(words) > 0 && slices.Contains([]string{"of", "the", "to", "target", "item", "id", "new", "a", "an"}, strings.ToLower(words[0].text)) {
		words = words[1:]
	}
	return words
}

// isSentence reports whether the words after an operation make a sentence or a question of it.
func isSentence(body string, words []lineWord) bool {
	var a announcement
	switch {
	case isModal(words[0].text), isOperation(words[0].text):
		return true // or a list of all operations
	case !a.name(words[0].text):
		return false
	}
	return len(words) > 1 && isModal(words[1].text) || after(body, words[0]) == '?'
}

// name records an id or the name of a section.
func (a *announcement) name(word string) bool {
	if id, _, _ := strings.Cut(word, "."); isItemID(id) {
		s, _ := artifact.SectionOfID(id)
		a.target, a.section = word, s.String()
		return true
	}
	if s, ok := sectionOf(strings.ToLower(word)); ok && len(word) > 2 && a.section == "" {
		a.section = s.String()
		return true
	}
	return false
}

func isItemID(word string) bool {
	_, ok := artifact.SectionOfID(word)
	return ok && len(word) < 8
}

// isModal reports whether a word makes a sentence of what would be an instruction.
func isModal(word string) bool {
	switch strings.ToLower(word) {
	case "would", "could", "should", "might", "may", "is", "was", "are", "were", "has", "had", "have", "can", "cannot", "did", "does",
		"do", "seems", "will", "must", "needs", "or", "and", "only", "if", "when", "unless":
		return true
	}
	return false
}

// keyValueLine reads "Operation: KILL", with its section and target on the lines after it.
func keyValueLine(body string, words []lineWord, following string) (announcement, bool) {
	a := announcement{kind: promisesOne, keyed: true}
	if len(words) < 2 || !isOperation(words[1].text) || strings.IndexByte(":=|>-", after(body, words[0])) < 0 || after(body, words[0]) == 0 {
		return a, false
	}
	if len(words) > 2 && (isModal(words[2].text) || isOperation(words[2].text)) {
		return a, false // a sentence, or a list of all operations
	}
	a.operation = strings.ToUpper(words[1].text)
	words = append(words[2:], lineWords(following)...)
	for i, w := range words[:max(0, len(words)-1)] {
		switch plain := strings.ToLower(w.text); {
		case plain == keyOperation:
			return a, true
		case strings.HasPrefix(plain, "target"), plain == "item", plain == keyID:
			if next := words[i+1].text; a.target == "" && isItemID(next) {
				a.name(next)
			}
		case plain == keySection:
			if s, ok := sectionOf(words[i+1].text); ok && a.section == "" {
				a.section = s.String()
			}
		}
	}
	return a, true
}

// tagLine reads <delta operation="ADD" …>.
func tagLine(body string, words []lineWord) (announcement, bool) {
	a := announcement{kind: promisesOne, keyed: true}
	for i, w := range words {
		switch {
		case i > 0 && isOperation(w.text) && topKey(words[i-1].text) == keyOperation:
			a.operation = strings.ToUpper(w.text)
		case i > 0 && topKey(words[i-1].text) == keyTarget && isItemID(w.text), i > 0 && topKey(words[i-1].text) == keySection:
			a.name(w.text)
		}
	}
	return a, a.operation != "" && !strings.Contains(body, "{")
}

// deltaLine reads "Delta 3: kill H2", "DELTA[kind]: text" and headings such as "Deltas".
func deltaLine(body string, words []lineWord, emphatic bool) (announcement, bool) {
	var a announcement
	mark := after(body, words[0])
	bracket := strings.HasPrefix(body[words[0].end:], "[")
	rest := a.count(words[1:])
	if !emphatic && !bracket && !a.isTitle(body, words, rest, mark) {
		return a, false
	}
	plural := strings.EqualFold(words[0].text, "deltas")
	if !plural {
		a.order(rest[:min(len(rest), 8)])
	}
	a.kind = a.kindOf(rest, plural, bracket, mark == ':')
	if bracket && a.kind == promisesOne {
		if len(rest) > 0 && a.section == "" {
			a.name(rest[0].text)
		}
		a.said = len(rest) > 1
	}
	return a, true
}

// count records the number of a delta, and returns the words after it.
func (a *announcement) count(words []lineWord) []lineWord {
	if len(words) > 0 && strings.EqualFold(words[0].text, "block") {
		words = words[1:]
	}
	if len(words) > 0 && len(words[0].text) <= 3 {
		a.number, _ = strconv.Atoi(words[0].text)
	}
	if a.number > 0 {
		words = words[1:]
	}
	return words
}

// isTitle reports whether a plain line that begins with the word delta is a title, not a sentence.
func (a *announcement) isTitle(body string, words, rest []lineWord, mark byte) bool {
	if a.number > 0 {
		return len(rest) == 0 || strings.IndexByte(":-.|(", after(body, words[len(words)-len(rest)-1])) >= 0
	}
	orders := len(rest) > 0 && isOperation(rest[0].text) && strings.ToUpper(rest[0].text) == rest[0].text
	return mark == ':' || orders
}

func (a *announcement) kindOf(rest []lineWord, plural, bracket, colon bool) announcementKind {
	switch {
	case slices.ContainsFunc(rest[:min(len(rest), 3)], func(w lineWord) bool { return isSummaryWord(w.text) }):
		return mentionsDelta
	case bracket, a.number > 0, a.operation != "", !plural && colon && len(rest) > 0:
		return promisesOne
	case plural && (len(rest) == 0 || colon):
		return promisesSome
	}
	return mentionsDelta
}

// order records the first operation among words, and the item after it.
func (a *announcement) order(words []lineWord) {
	i := slices.IndexFunc(words, func(w lineWord) bool { return isOperation(w.text) })
	if i < 0 || i > 4 {
		return
	}
	a.operation = strings.ToUpper(words[i].text)
	for _, next := range words[i+1 : min(len(words), i+4)] {
		if a.target == "" {
			a.name(next.text)
		}
	}
}

// isSummaryWord reports whether a heading is about deltas rather than for them.
func isSummaryWord(word string) bool {
	switch strings.ToLower(word) {
	case "summary", "overview", "recap", "notes", "note", "rationale", "above", "review", "status", "none", "log", "format":
		return true
	}
	return false
}
