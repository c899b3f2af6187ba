package delta

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/markdown"
)

// announcement is what a line, or a group of lines, says about a change.
type announcement struct {
	line, column int
	text         string
	operation    string // "" if it does not say
	section      string
	targets      []string // ids, of an ADD its label
	number       int      // of "Delta 3", or 0
	words        []string // what the change says, as stems
	whole        bool     // it is the change, in another notation
}

// findAnnouncements records the lines of a text that announce changes, but for what has been read as
// an object.
func (r *reader) findAnnouncements(b markdown.Block, done []span, c clues) {
	text := r.src[b.Start:b.End]
	written := c.written && b.Kind == markdown.Prose && r.possible(text)
	if !written && !c.mayAnnounce() {
		return // as most texts
	}
	at, paragraph, idle := b.Start, b.Start, false
	for line := range bytes.Lines(text) {
		for len(done) > 0 && int(done[0].to) <= at {
			done = done[1:]
		}
		from := at
		at += len(line)
		switch {
		case len(done) > 0 && int(done[0].from) < from:
			continue
		case len(bytes.TrimSpace(line)) == 0:
			paragraph = at
			continue
		case len(done) > 0 && int(done[0].from) < at:
			line = line[:int(done[0].from)-from]
		}
		idle = isIdle(line, idle)
		if idle {
			continue
		}
		of := cluesOf(line)
		if written && of.written {
			if m := writtenOperation.FindSubmatchIndex(line); m != nil {
				r.announceWritten(b, paragraph, from+m[2], from+m[3])
				paragraph = at
				continue
			}
		}
		if of.mayAnnounce() {
			r.announceLine(line, from)
		}
	}
}

// maxAnnouncement is how many bytes of a line are searched for an announcement.
const maxAnnouncement = 120

// announceLine records what a line announces.
func (r *reader) announceLine(line []byte, at int) {
	text := strings.ToValidUTF8(string(line[:min(len(line), maxAnnouncement)]), "")
	all := parseAnnouncements(text)
	if len(all) == 0 {
		return
	}
	number, column := r.place.find(at + len(line) - len(bytes.TrimLeft(line, " \t")))
	for _, a := range all {
		a.line, a.column, a.text = number, column, strings.TrimSpace(text)
		r.promises = append(r.promises, a)
	}
}

// announceWritten records a change in keys and values, which has its operation between two offsets
// and begins no earlier than its paragraph.
func (r *reader) announceWritten(b markdown.Block, paragraph, from, to int) {
	end := writtenEnd(r.src[:b.End], to)
	rest, _, _ := bytes.Cut(r.src[to:end], []byte("\n"))
	if next := lineWords(string(rest)); len(next) > 0 && (isOperation(next[0].text) || isModal(next[0].text)) {
		return // a list of all operations, or a sentence
	}
	group := r.src[max(paragraph, from-maxWritten):end]
	a := announcement{operation: strings.ToUpper(string(r.src[from:to])), whole: true}
	a.section = r.sketch(group).Section
	for _, w := range lineWords(string(group)) {
		if isID := isItemID(w.text); a.section == "" || isID && len(a.targets) == 0 && a.operation != Add {
			a.name(w.text)
		}
	}
	if a.section == "" && len(a.targets) == 0 && !isAboutSections(group) {
		return
	}
	start := bytes.LastIndexByte(r.src[:from], '\n') + 1
	a.words = contentWords(string(r.src[max(start, from-maxWritten):end]))
	a.line, a.column = r.place.find(from)
	line := r.src[start:]
	line, _, _ = bytes.Cut(line[:min(len(line), maxAnnouncement)], []byte("\n"))
	a.text = strings.TrimSpace(strings.ToValidUTF8(string(line), ""))
	r.promises = append(r.promises, a)
}

// maxWritten is how many bytes on either side of an operation belong to a change in keys and values.
const maxWritten = 400

// writtenEnd returns where a change in keys and values ends: at an empty line, or before the next
// operation.
func writtenEnd(src []byte, at int) int {
	rest := src[at:min(len(src), at+maxWritten)]
	if m := writtenOperation.FindIndex(rest); m != nil {
		rest = rest[:bytes.LastIndexByte(rest[:m[0]], '\n')+1]
	}
	if i := bytes.Index(rest, []byte("\n\n")); i >= 0 {
		rest = rest[:i]
	}
	return at + len(rest)
}

// isIdle reports whether a line is under words that say that what follows is not proposed: options
// that were rejected, plans, and what others did.
func isIdle(line []byte, was bool) bool {
	const longest = 200
	trimmed := bytes.TrimSpace(line)
	first, _ := utf8.DecodeRune(trimmed)
	isTitle := first == '#' || bytes.HasSuffix(bytes.TrimRight(trimmed, "*_"), []byte(":")) || bytes.HasPrefix(trimmed, []byte("**")) && bytes.HasSuffix(trimmed, []byte("**"))
	switch {
	case len(trimmed) > longest:
		return was && !unicode.IsLetter(first)
	case isTitle || first == '|' && !was:
		return mayBeIdle(trimmed) && idleTitle.Match(trimmed)
	case unicode.IsLetter(first):
		return false // running text: a list has ended
	}
	return was
}

var idleTitle = regexp.MustCompile(`(?i)\b(?:reject|discard|considered|options?\b|alternatives\b|weighed|withdrawn|declined|not (?:proposed|proposing|done)|no longer|next (?:round|step)|` +
	`(?:planned|plans?|left|pending) (?:for|to)\b|future|later rounds?|pending|recap|so far|(?:last|previous|earlier) round|(?:in|of|from) round \d|round \d+ (?:changes|summary|deltas)|` +
	`what (?:happened|changed)|history|others? (?:did|proposed|changed)|protocol|meaning|legend)`)

// mayBeIdle reports whether a word of a line begins as idleTitle needs it.
func mayBeIdle(line []byte) bool {
	const beginnings = " reje disc cons opti alte weig with decl not  no l next plan left pend futu late reca so f last prev earl in r of r from roun what hist othe prot mean lege "
	for i := 0; i+4 <= len(line); i++ {
		switch {
		case line[i] >= utf8.RuneSelf:
			return true
		case !isLetter(line[i]) || i > 0 && (isLetter(line[i-1]) || isDigit(line[i-1]) || line[i-1] == '_'):
			continue
		}
		var word [4]byte
		for j, c := range line[i : i+4] {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			word[j] = c
		}
		if strings.Contains(beginnings, string(word[:])) {
			return true
		}
	}
	return false
}

// lineMarks may stand before the first word of a line.
const lineMarks = " \t-+>*_#`0123456789.)|~<[(•→✗✓☐"

var (
	inlineTags = regexp.MustCompile(`</?(?:b|strong|em|i|u|li|p|h\d|code|span|td|tr|summary)\b[^<>]{0,60}>`)
	listMark   = regexp.MustCompile(`^[\s>|#*_-]*(?:\[[ xX✓]?\]|\(?[a-zA-Z][.)]|\(?[ivxIVX]{1,4}[.)])\s`)
	deltaMark  = regexp.MustCompile(`(?:^|\b)(?:DELTA ?[\[(]|(?i:^delta ?\[))([^\])]{2,40})[\])]`)
	deltaTitle = regexp.MustCompile(`(?i)^(?:(?:my|the|proposed|final|next|first|second|third|new) ){0,2}deltas?(?: block)?(?:[ #]*(\d{1,3})(?:(?: of |/)\d{1,3})?)?[*_\x60]*(?:\s*[:.(—–-]+|\s*$|\s+(?:ADD|EDIT|KILL)\b)`)
	idFirst    = regexp.MustCompile(`^([A-Z]{1,2}\d{1,3}(?:\.\w+)?|RT)[*_\x60]*\s*(?:→|->|=>|:|—|–|=)\s*[*_\x60]*(ADD|EDIT|KILL)\b`)
	aliases    = map[string]string{"UPDATE": Edit, "MODIFY": Edit, "REVISE": Edit, "DELETE": Kill, "REMOVE": Kill}
)

// withoutInvisible removes what a reader does not see.
var withoutInvisible = strings.NewReplacer("\u00a0", " ", "\u200b", "", "\ufeff", "")

// mayList reports whether listMark may match a line: behind marks, a bracket, or a few letters with a
// dot or a parenthesis.
func mayList(line string) bool {
	rest := strings.TrimLeft(line, " \t\n\f\r>|#*_-")
	if rest == "" || rest[0] == '[' || rest[0] == '(' {
		return rest != ""
	}
	n := 0
	for n < len(rest) && n < 5 && isLetter(rest[n]) {
		n++
	}
	return n > 0 && n < len(rest) && (rest[n] == '.' || rest[n] == ')')
}

// parseAnnouncements reads a line that announces changes.
func parseAnnouncements(line string) []announcement {
	line = withoutInvisible.Replace(line)
	if strings.IndexByte(line, '<') >= 0 {
		line = inlineTags.ReplaceAllString(line, "")
	}
	if strings.Contains(line, "~~") {
		return nil // struck out
	}
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), "|") {
		line = tableRow(line)
	}
	mark := ""
	if mayList(line) {
		mark = listMark.FindString(line)
	}
	rest := line[len(mark):]
	body := strings.TrimLeftFunc(rest, func(c rune) bool {
		return strings.ContainsRune(lineMarks, c) || c >= 0x80 && !unicode.IsLetter(c) || c == '{' || c == ':'
	})
	marks := mark + rest[:len(rest)-len(body)]
	t := title{heading: strings.Contains(marks, "#"), listed: mark != "" || strings.ContainsAny(marks, "-+*.)|•→✗✓☐")}
	t.emphatic = t.heading || strings.ContainsAny(marks, "*_")
	if a, ok := kindMark(body); ok {
		return []announcement{a}
	}
	if len(body) > 2 && (isDigit(body[1]) || isDigit(body[2]) || body[:2] == "RT") {
		if m := idFirst.FindStringSubmatchIndex(body); m != nil {
			return t.operations(body[m[4]:m[5]] + " " + body[m[2]:m[3]] + body[m[5]:])
		}
	}
	if !hasDelta([]byte(body)) {
		return t.operations(body)
	}
	m := deltaTitle.FindStringSubmatchIndex(body)
	if m == nil {
		return t.operations(body)
	}
	number := 0
	if m[2] >= 0 {
		number, _ = strconv.Atoi(body[m[2]:m[3]])
	}
	what := body[m[1]:]
	if i := strings.LastIndexAny(body[:m[1]], " "); strings.HasSuffix(body[:m[1]], Add) || strings.HasSuffix(body[:m[1]], Edit) || strings.HasSuffix(body[:m[1]], Kill) {
		what = body[i+1:]
	}
	t.emphatic = true
	all := t.operations(strings.TrimLeft(what, " *_`()—–-"))
	switch {
	case len(all) == 0 && number > 0:
		a := announcement{words: contentWords(what)}
		if words := lineWords(what); len(words) > 0 && isOperation(words[0].text) {
			a.operation = strings.ToUpper(words[0].text)
		}
		all = append(all, a)
	case len(all) == 0:
		return nil
	}
	all[0].number = number
	return all
}

// tableRow returns a row of a table with the cell that is an operation before the others.
func tableRow(line string) string {
	cells := strings.Split(strings.Trim(line, " \t\r\n|"), "|")
	isOrder := func(cell string) bool {
		cell = strings.Trim(cell, " \t*_`")
		return cell == Add || cell == Edit || cell == Kill
	}
	i := slices.IndexFunc(cells, isOrder)
	if i < 0 || slices.ContainsFunc(cells[i+1:], isOrder) { // or a list of all operations
		return "| " + strings.Join(cells, "|")
	}
	others := strings.Join(append(slices.Clone(cells[:i]), cells[i+1:]...), "|")
	return "| " + strings.Trim(cells[i], " \t*_`") + " " + strings.TrimLeft(others, " \t0123456789.#|")
}

// kindMark reads "DELTA[kind]: text", anywhere in a line.
func kindMark(body string) (a announcement, ok bool) {
	if strings.IndexAny(body, "[(") < 0 {
		return a, false
	}
	m := deltaMark.FindStringSubmatchIndex(body)
	if m == nil {
		return a, false
	}
	for _, w := range lineWords(body[m[2]:m[3]]) {
		switch {
		case isOperation(w.text):
			a.operation, ok = strings.ToUpper(w.text), true
		case a.name(w.text):
			ok = true
		}
	}
	if a.operation != "" && len(a.targets) == 0 {
		for _, w := range lineWords(body[m[1]:]) {
			if a.name(w.text) {
				break
			}
		}
	}
	a.words = contentWords(body[m[1]:])
	return a, ok
}

// title is how a line begins.
type title struct{ heading, emphatic, listed bool }

var nextOperation = regexp.MustCompile(`(?:[;,+&/]|\b(?:and|then)\b)\s*[*_\x60]*(ADD|EDIT|KILL)\b`)

// operations reads "KILL H2 — reason; EDIT H1: text".
func (t title) operations(body string) []announcement {
	var all []announcement
	for body != "" {
		part, rest := body, ""
		if m := t.next(body); m != nil {
			part, rest = body[:m[0]], body[m[2]:]
		}
		a, ok := t.operation(part)
		if ok {
			all = append(all, a)
		} else if len(all) == 0 {
			words := lineWords(part)
			if len(words) == 0 || !isOperation(words[0].text) {
				return nil
			}
		}
		body = rest
		t.listed = true
	}
	return all
}

// next finds the next operation behind the first one.
func (title) next(body string) []int {
	if !cluesOf([]byte(body[1:])).operation {
		return nil
	}
	return nextOperation.FindStringSubmatchIndex(body)
}

// operation reads "KILL H2 — reason", "KILL H1 and H2" and "**ADD hypothesis**: text".
func (t title) operation(body string) (a announcement, ok bool) {
	words := lineWords(body)
	if len(words) == 0 {
		return a, false
	}
	a.operation = strings.ToUpper(words[0].text)
	capitals := a.operation == words[0].text
	meant, isAlias := aliases[words[0].text]
	if isAlias {
		a.operation = meant
	} else if !isOperation(a.operation) {
		return a, false
	}
	separated := isSeparator(after(body, words[0]))
	rest := withoutArticles(words[1:])
	if len(rest) == 0 || isOperation(rest[0].text) || isModal(rest[0].text) || isNothing(rest[0].text) || isDigit(rest[0].text[0]) {
		return a, false
	}
	last := a.subject(body, rest)
	if isAlias && (len(a.targets) == 0 || last > 0 && !isItemID(rest[0].text)) {
		return a, false
	}
	next := after(body, rest[last])
	ends := next == 0 || next == '.' || isSeparator(next)
	if len(a.targets) > 0 && last+1 < len(rest) && (isModal(rest[last+1].text) && !ends || ends && isNothing(rest[last+1].text)) || next == '?' {
		return a, false // a sentence, a question, or what is not proposed
	}
	reasoned := last+1 < len(rest) && slices.Contains([]string{"because", "since", "as"}, rest[last+1].text)
	a.words = contentWords(body[words[0].end:])
	named := len(a.targets) > 0 || a.section != ""
	switch {
	case a.operation != Add:
		return a, len(a.targets) > 0 && (capitals || (t.emphatic || t.listed) && last == 0 && (ends || reasoned)) || a.section != "" && capitals && ends
	case capitals:
		return a, named || separated || t.emphatic || t.listed
	}
	return a, t.heading && (separated || named) || (t.emphatic || t.listed) && last == 0 && named && ends
}

// subject records what an operation applies to, and returns the last word that names it.
func (a *announcement) subject(body string, words []lineWord) (last int) {
	for i, w := range words[:min(len(words), 4)] {
		if a.name(w.text) {
			last = i
		}
		if len(a.targets) > 0 {
			break
		}
	}
	for i := last + 1; len(a.targets) > 0 && i < len(words); i++ {
		if between := strings.Trim(body[words[i-1].end:words[i].end-len(words[i].text)], " ,&+/*_`-–"); between != "" {
			break
		}
		if a.name(words[i].text) {
			last = i
		} else if words[i].text != "and" {
			break
		}
	}
	return last
}

// name records an id or the name of a section.
func (a *announcement) name(word string) bool {
	if id, _, _ := strings.Cut(word, "."); isItemID(id) {
		s, _ := artifact.SectionOfID(id)
		if a.section != "" && a.section != s.String() {
			return false // what the change is about
		}
		a.section = s.String()
		a.add(word)
		return true
	}
	if s, ok := sectionOf(strings.ToLower(word)); ok && len(word) > 2 && a.section == "" {
		a.section = s.String()
		return true
	}
	return false
}

func (a *announcement) add(target string) {
	if target != "" && !slices.Contains(a.targets, target) {
		a.targets = append(a.targets, target)
	}
}

func isItemID(word string) bool {
	_, ok := artifact.SectionOfID(word)
	return ok && len(word) < 8
}
