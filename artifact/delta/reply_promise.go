package delta

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	if len(line)-i < len("op: ADD") && len(line)-i < len("KILL H2") && len(line)-i < len("delta") {
		return false
	}
	if emphatic {
		return true
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
		return deltaLine(body, words, emphatic, heading)
	case emphatic:
		for i, w := range words {
			if name := strings.ToLower(w.text); name == "delta" || name == "deltas" {
				return deltaLine(body, words[i:], true, heading)
			}
		}
	}
	return announcement{}, false
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
	separated := strings.IndexByte(":-|=([", after(body, words[0])) >= 0 && after(body, words[0]) != 0
	rest := words[1:]
	for len(rest) > 0 && slices.Contains([]string{"of", "the", "to", "target", "item", "id", "new", "a", "an"}, strings.ToLower(rest[0].text)) {
		rest = rest[1:]
	}
	if len(rest) == 0 || isModal(rest[0].text) {
		return a, false
	}
	direct := a.name(rest[0].text)
	if direct && len(rest) > 1 && isModal(rest[1].text) || direct && after(body, rest[0]) == '?' {
		return a, false
	}
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
func deltaLine(body string, words []lineWord, emphatic, heading bool) (announcement, bool) {
	a := announcement{kind: mentionsDelta}
	mark := after(body, words[0])
	bracket := strings.HasPrefix(body[words[0].end:], "[")
	rest := words[1:]
	if len(rest) > 0 && strings.EqualFold(rest[0].text, "block") {
		rest = rest[1:]
	}
	if len(rest) > 0 && len(rest[0].text) <= 3 {
		a.number, _ = strconv.Atoi(rest[0].text)
	}
	if a.number > 0 {
		rest = rest[1:]
	}
	orders := len(rest) > 0 && isOperation(rest[0].text) && strings.ToUpper(rest[0].text) == rest[0].text
	if !emphatic && mark != ':' && !bracket && a.number == 0 && !orders {
		return a, false
	}
	if !emphatic && a.number > 0 && len(rest) > 0 && strings.IndexByte(":-.|(", after(body, words[len(words)-len(rest)-1])) < 0 {
		return a, false // a sentence
	}
	plural := strings.EqualFold(words[0].text, "deltas")
	for i, w := range rest[:min(len(rest), 5)] {
		if a.operation == "" && isOperation(w.text) && !plural {
			a.operation = strings.ToUpper(w.text)
			for _, next := range rest[i+1 : min(len(rest), i+4)] {
				if a.target == "" {
					a.name(next.text)
				}
			}
		}
	}
	switch {
	case slices.ContainsFunc(rest[:min(len(rest), 3)], func(w lineWord) bool { return isSummaryWord(w.text) }):
	case bracket:
		a.kind = promisesOne
		if len(rest) > 0 && a.section == "" {
			a.name(rest[0].text)
		}
		a.said = len(rest) > 1
	case a.number > 0 || a.operation != "":
		a.kind = promisesOne
	case plural && len(rest) == 0, plural && mark == ':':
		a.kind = promisesSome
	case !plural && mark == ':' && len(rest) > 0:
		a.kind = promisesOne
	}
	return a, true
}

// isSummaryWord reports whether a heading is about deltas rather than for them.
func isSummaryWord(word string) bool {
	switch strings.ToLower(word) {
	case "summary", "overview", "recap", "notes", "note", "rationale", "above", "review", "status", "none", "log", "format":
		return true
	}
	return false
}

// withUnfulfilled returns the blocks with a row for each announcement that the reply does not fulfil.
// Both are in text order, and each is looked at once.
func (r *reader) withUnfulfilled(blocks []Block) []Block {
	if len(r.promises) == 0 || r.keys != nil {
		return blocks
	}
	t := tallyOf(blocks)
	var all []Block
	next := 0
	for i := range r.promises {
		a := &r.promises[i]
		for next < len(blocks) && blocks[next].Line < a.line {
			all = append(all, blocks[next])
			next++
		}
		direct := next < len(blocks) && (i+1 == len(r.promises) || blocks[next].Line < r.promises[i+1].line) && a.means(&blocks[next])
		general := a.kind == promisesSome || a.kind == mentionsDelta
		if general && (!r.meant || i+1 < len(r.promises)) {
			continue // the other announcements have rows, or the reply has a problem
		}
		unfinished := r.opt.Cut && next == len(blocks) && r.open <= a.line
		if !direct && !unfinished && !t.fulfils(a, next < len(blocks)) {
			all = append(all, a.row())
		}
	}
	all = append(all, blocks[next:]...)
	if len(all) == len(blocks) {
		return blocks
	}
	if len(all) > r.opt.MaxBlocks {
		all = all[:r.opt.MaxBlocks]
	}
	for i := range all {
		all[i].Index = i + 1
		r.meant = r.meant || !all[i].Skipped()
	}
	return all
}

// means reports whether a block that follows an announcement is the change that it announces.
func (a *announcement) means(b *Block) bool {
	if b.Skipped() && !b.Flagged(FlagExample) || a.said || a.whole {
		return false
	}
	d := &b.Delta
	row, _, _ := strings.Cut(d.Target, ".")
	switch {
	case d.Operation == "" && d.Section == "": // it is not JSON
		return true
	case a.operation != "" && a.operation != d.Operation, a.section != "" && a.section != d.Section:
		return false
	}
	return a.target == "" || d.Operation == Add || a.target == d.Target || a.target == row
}

func (a *announcement) row() Block {
	b := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: a.section, Target: a.target}}
	if a.operation == Add {
		b.Delta.Target = ""
	}
	b.Problems = []Located{{
		Code: ProseOnly, Line: a.line, Column: a.column,
		Message: fmt.Sprintf("the change is announced and not given: %q", clipped(a.text)),
		Hint:    "write it as one JSON object in a fence that begins with ```delta",
	}}
	return b
}

// tally counts the changes of a reply, accepted or refused, by what they do.
type tally struct {
	total    int
	counts   map[[2]string]int  // by operation and section, either may be ""
	targets  map[[2]string]bool // operation and id
	promised map[[2]string]int  // announcements, by the key that they were counted under
	labels   map[string]bool    // of announced ADDs
	blocks   []Block
	words    map[string]bool // of all texts, once they are needed
}

// containsWords reports whether the changes have all the words of a text.
func (t *tally) containsWords(text string) bool {
	if t.words == nil {
		t.words = make(map[string]bool)
		for i := range t.blocks {
			if d := &t.blocks[i].Delta; !t.blocks[i].Skipped() {
				for _, w := range lineWords(string(d.Content())) {
					t.words[strings.ToLower(w.text)] = true
				}
			}
		}
	}
	_, text, _ = strings.Cut(text, "]")
	for _, w := range lineWords(text) {
		if len(w.text) > 3 && !t.words[strings.ToLower(w.text)] {
			return false
		}
	}
	return true
}

func tallyOf(blocks []Block) *tally {
	t := &tally{blocks: blocks, counts: map[[2]string]int{}, targets: map[[2]string]bool{}, promised: map[[2]string]int{}, labels: map[string]bool{}}
	for i := range blocks {
		b := &blocks[i]
		if b.Skipped() && !b.Flagged(FlagExample) {
			continue
		}
		d := &b.Delta
		t.total++
		for _, key := range [][2]string{{d.Operation, d.Section}, {d.Operation, ""}, {"", d.Section}} {
			if key[0] != "" || key[1] != "" {
				t.counts[key]++
			}
		}
		row, _, _ := strings.Cut(d.Target, ".")
		t.targets[[2]string{d.Operation, d.Target}], t.targets[[2]string{d.Operation, row}] = true, true
		for _, l := range d.Labels {
			t.targets[[2]string{Add, l}] = true
		}
	}
	return t
}

// fulfils reports whether the reply has the change that an announcement means, although none follows
// directly.
func (t *tally) fulfils(a *announcement, later bool) bool {
	key := [2]string{a.operation, a.section}
	if a.said || a.whole {
		return a.said && t.containsWords(a.text)
	}
	switch {
	case a.kind == mentionsDelta:
		return t.total > 0
	case a.kind == promisesSome:
		return later
	case a.target != "" && a.operation == Add:
		if !t.labels[a.target] {
			t.labels[a.target] = true
			t.promised[key]++
		}
		return t.targets[[2]string{Add, a.target}] || t.promised[key] <= t.counts[key]
	case a.target != "" && a.operation != "":
		return t.targets[[2]string{a.operation, a.target}]
	case a.number > 0:
		return t.total >= a.number && (a.operation == "" || t.counts[key] > 0)
	case a.kind == promisesOne && a.number == 0:
		t.promised[key]++
		if key == [2]string{} {
			return t.promised[key] <= t.total
		}
		return t.promised[key] <= t.counts[key]
	}
	return t.counts[key] > 0
}
