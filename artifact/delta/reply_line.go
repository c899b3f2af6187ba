package delta

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
)

// lineMarks may stand before the first word of a line.
const lineMarks = " \t-+>*_#`0123456789.)|~<[(•→✗✓☐"

var (
	listMark   = pattern.New(`^[\s>|#*_-]*(?:\[[ xX✓]?\]|\(?[a-zA-Z][.)]|\(?[ivxIVX]{1,4}[.)])\s`)
	deltaMark  = pattern.New(`\bDELTA ?[\[({]([^\])}]{2,40})[\])}]|^[\s*_\x60#>-]*(?i:delta) ?[\[{]([^\]}]{2,40})[\]}]`)
	deltaTitle = pattern.New(`(?i)^(?:(?:my|the|proposed|final|next|first|second|third|new) ){0,2}deltas?(?: block)?(?:[ #]*(\d{1,3})(?:(?: of |/)\d{1,3})?)?[*_\x60]*(?:\s*[:.(—–-]+|\s*$|\s+(?:ADD|EDIT|KILL)\b)`)
)

// title is how a line begins.
type title struct{ heading, emphatic, listed bool }

// parseAnnouncements reads a line that announces changes.
func (r *reader) parseAnnouncements(line string) []announcement {
	line = itemform.PlainLine(line)
	if strings.Contains(line, "~~") {
		return nil // struck out
	}
	isDelta := hasDelta([]byte(line))
	if a, ok := r.kindMark(line); isDelta && ok {
		return []announcement{a}
	}
	mark := ""
	if itemform.MayList(line) {
		mark = listMark.FindString(line)
	}
	rest := line[len(mark):]
	body := strings.TrimLeftFunc(rest, func(c rune) bool {
		return strings.ContainsRune(lineMarks, c) || c >= 0x80 && !unicode.IsLetter(c) || strings.ContainsRune("{:/!@", c)
	})
	marks := mark + rest[:len(rest)-len(body)]
	t := title{heading: strings.Contains(marks, "#"), listed: mark != "" || strings.ContainsAny(marks, "-+*.)|•→✗✓☐</!@")}
	t.emphatic = t.heading || strings.ContainsAny(marks, "*_")
	if !isDelta {
		return t.changes(body)
	}
	m := deltaTitle.FindStringSubmatchIndex(body)
	if m == nil {
		return t.changes(body)
	}
	number := 0
	if m[2] >= 0 {
		number, _ = strconv.Atoi(body[m[2]:m[3]])
	}
	what := body[m[1]:]
	if i := strings.LastIndexByte(body[:m[1]], ' '); synonyms.IsOperation(body[i+1 : m[1]]) {
		what = body[i+1:]
	}
	t.emphatic = true
	all := t.changes(strings.TrimLeft(what, " *_`()—–-"))
	if len(all) == 0 && number == 0 {
		return nil
	}
	if len(all) == 0 {
		all = []announcement{{words: itemform.Content(what)}}
		if words := lineWords(what); len(words) > 0 && synonyms.IsOperation(words[0].text) {
			all[0].operation = strings.ToUpper(words[0].text)
		}
	}
	all[0].number = number
	return all
}

// kindMark reads "DELTA[kind]: text", anywhere in a line.
func (r *reader) kindMark(line string) (a announcement, ok bool) {
	if !strings.ContainsAny(line, "[({") {
		return a, false
	}
	m := deltaMark.FindStringSubmatchIndex(line)
	if m == nil {
		return a, false
	}
	kind := line[max(m[2], m[4]):max(m[3], m[5])]
	for _, w := range lineWords(kind) {
		switch {
		case synonyms.IsOperation(w.text):
			a.operation, ok = strings.ToUpper(w.text), true
		case a.name(w.text):
			ok = true
		}
	}
	says := lineWords(line[m[1]:])
	if ok && a.operation == "" && len(says) > 1 && r.opt.Reader.Since(FifthReader) { // DELTA[hypothesis]: kill H2
		order, of := synonyms.Operation(says[0].text), a
		of.subject(line[m[1]:], withoutArticles(says[1:]))
		if order == Add {
			a.operation = order
		} else if order != "" && len(of.targets) > 0 {
			a.operation, a.targets = order, of.targets
		}
	}
	if a.operation != "" && len(a.targets) == 0 {
		for i := 0; i < len(says) && !a.name(says[i].text); {
			i++
		}
	}
	a.words, a.ahead = itemform.Content(line[m[1]:]), true
	if len(says) > 0 && isCapital(says[0].text) {
		a.called = a.words
	}
	return a, ok
}

// nameIn records the name of what is added: a few words that begin with a capital, up to a mark.
func (a *announcement) nameIn(behind string) {
	const most = 6
	for _, part := range strings.FieldsFunc(behind, func(c rune) bool { return strings.ContainsRune(":;|()[]*`—–.,\n", c) }) {
		words := withoutArticles(lineWords(part))
		for len(words) > 0 && new(announcement).name(words[0].text) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if isCapital(words[0].text) && len(words) <= most {
			a.called = itemform.Content(part)
		}
		return
	}
}

// changes reads the operations of a line: in capitals, its first word, and what follows a colon.
func (t title) changes(body string) []announcement {
	words := lineWords(body)
	if len(words) > 0 && after(body, words[0]) == ':' && synonyms.Operation(strings.TrimSuffix(words[0].text, "s")) != "" { // KILLs: H2
		words[0].text = strings.TrimSuffix(words[0].text, "s")
	}
	isOrder := func(i int) bool {
		w := words[i]
		glued := strings.HasPrefix(body[w.end:], "-") && w.end+1 < len(body) && isLetter(body[w.end+1]) // an add-on
		if synonyms.Operation(w.text) == "" || glued {
			return false
		}
		return i == 0 || w.text == strings.ToUpper(w.text) || strings.ContainsAny(body[words[i-1].end:w.end-len(w.text)], ":→")
	}
	var all []announcement
	for i, from := 0, 0; i < len(words); i++ {
		if !isOrder(i) {
			continue
		}
		next := i + 1
		for next < len(words) && !isOrder(next) {
			next++
		}
		l := clause{title: t, body: body, all: words[:i], before: words[from:i], order: words[i], behind: withoutArticles(words[i+1 : next])}
		if a, ok := l.read(); ok {
			all = append(all, a)
		}
		from = i + 1
	}
	return all
}

// clause is an operation with the words on both sides, up to the next operation.
type clause struct {
	title
	body           string
	all            []lineWord // before it in the line
	before, behind []lineWord
	order          lineWord
}

// read returns what a clause announces: an operation and what it applies to. A sentence that weighs,
// forbids or tells of a change announces none.
func (l clause) read() (a announcement, ok bool) {
	a.operation = synonyms.Operation(l.order.text)
	if l.isWeighed() || !l.names(&a) {
		return a, false
	}
	behind := l.body[l.order.end:]
	a.words = itemform.Content(behind)
	if a.operation == Add {
		a.nameIn(behind)
	}
	return a, true
}

// names records what an operation applies to. It returns false if the clause announces nothing.
func (l clause) names(a *announcement) bool {
	if id := l.idBefore(); id != "" && a.operation != Add {
		return a.name(id)
	}
	last := a.subject(l.body, l.behind)
	if a.operation == Add {
		return l.adds(a, last)
	}
	if len(l.behind) == 0 || !l.applies(a, last) {
		return false
	}
	a.field = l.field(a.section, last)
	return true
}

// field returns the field that an EDIT names behind its target ("H1.claim", "H1: claim = text"), or "".
func (l clause) field(section string, last int) string {
	s, _ := artifact.ParseSection(section)
	isField := func(name string) bool { return s.Spec().Rank(name) < len(s.Spec().Fields) }
	if _, name, _ := strings.Cut(l.behind[last].text, "."); isField(name) {
		return name
	}
	if last+1 == len(l.behind) || !isField(l.behind[last+1].text) {
		return ""
	}
	next := after(l.body, l.behind[last+1])
	if isSeparator(next) || next == 0 || last+2 < len(l.behind) && l.behind[last+2].text == "to" {
		return l.behind[last+1].text
	}
	return ""
}

// adds reports whether an ADD is announced. In capitals it names a section or a label, or begins the
// line as a title does.
func (l clause) adds(a *announcement, last int) bool {
	capitals, named := l.order.text == Add, a.section != ""
	next := after(l.body, l.order)
	switch {
	case capitals && l.isBehind(): // "New test (ADD): text"
		a.section = ""
		return l.isApart() && slices.ContainsFunc(l.before, func(w lineWord) bool { return a.name(w.text) })
	case len(l.behind) == 0 || itemform.IsNothing(l.behind[0].text):
		return false
	case len(l.before) > 0:
		return capitals && l.isApart() && named
	case capitals:
		return named || isSeparator(next) || l.isMarked()
	}
	ends, weighed := l.end(last)
	isTitle := l.heading && (isSeparator(next) || named)
	return !weighed && (isTitle || ends && l.isMarked() && last == 0 && named)
}

// isBehind reports whether an operation follows what it applies to, in a title.
func (l clause) isBehind() bool {
	return len(l.before) > 0 && l.emphatic && (len(l.behind) == 0 || after(l.body, l.order) == ')')
}

// isMarked reports whether the line is a title or an item of a list.
func (l clause) isMarked() bool { return l.emphatic || l.listed }

// applies reports whether an EDIT or KILL names its target: in capitals anywhere, else as a title or
// with nothing behind it but a reason.
func (l clause) applies(a *announcement, last int) bool {
	ends, weighed := l.end(last)
	first, word := isItemID(l.behind[0].text), l.order.text
	switch {
	case weighed || itemform.IsNothing(l.behind[0].text):
		return false
	case len(a.targets) == 0:
		return a.section != "" && ends && word == a.operation && l.isApart()
	case word == a.operation:
		return l.isApart() || first || last == 1
	case word == strings.ToUpper(word): // another word for it
		return first
	}
	if last == 1 && isKind(l.behind[0].text) { // Kill hypothesis H2
		l.behind, last = l.behind[1:], 0
	}
	return last == 0 && l.isInstruction(ends)
}

// isKind reports whether a word names a kind of items.
func isKind(word string) bool {
	var a announcement
	return a.name(word) && a.section != "" && len(a.targets) == 0
}

// isInstruction reports whether an operation in small letters, with its target right behind it, is
// all of a line but for a reason.
func (l clause) isInstruction(ends bool) bool {
	if len(l.before) == 0 && l.isMarked() {
		return ends || len(l.behind) > 1 && slices.Contains([]string{"because", "since", "as"}, l.behind[1].text)
	}
	return ends && after(l.body, l.behind[0]) != ',' && (len(l.before) > 0 || l.order.text[0] < 'a')
}

// isApart reports whether an operation begins its line, or follows a mark or "and".
func (l clause) isApart() bool {
	if len(l.before) == 0 {
		return true
	}
	w := l.before[len(l.before)-1]
	between := l.body[w.end : l.order.end-len(l.order.text)]
	return strings.ContainsAny(between, ":;,|()[]{}=/&+→—–>\"") || strings.Contains(between, " - ") || w.text == "and" || w.text == "then"
}

// idBefore returns the id that stands before an operation in its clause, separated by a mark, or "".
// The operation ends its phrase.
func (l clause) idBefore() string {
	next := after(l.body, l.order)
	switch {
	case len(l.behind) == 0:
	case !isSeparator(next) && strings.IndexByte(")].\"", next) < 0,
		strings.IndexByte(":|", next) >= 0 && isItemID(l.behind[0].text): // its target follows
		return ""
	}
	found := ""
	for i, w := range l.before {
		id, _, _ := strings.Cut(w.text, ".")
		isID, between := isItemID(id), ""
		if i > 0 {
			between = l.body[l.before[i-1].end : w.end-len(w.text)]
		}
		if strings.ContainsAny(between, ".;") || isID && strings.Contains(between, ",") {
			found = "" // another clause
		}
		if isID && found == "" && strings.ContainsAny(l.body[w.end:l.order.end-len(l.order.text)], ":|=([→—–>\"") {
			found = w.text
		}
	}
	return found
}

// isWeighed reports whether the words around an operation say that it is not proposed, or by another.
func (l clause) isWeighed() bool {
	if after(l.body, l.order) == '?' || l.isConsequence() {
		return true
	}
	if len(l.behind) > 0 && (isDigit(l.behind[0].text[0]) || itemform.IsModal(l.behind[0].text) && !isSeparator(after(l.body, l.order))) {
		return true
	}
	weighed, own, other := false, false, false
	for i, w := range l.all {
		if i > 0 && strings.ContainsAny(l.body[l.all[i-1].end:w.end-len(w.text)], ";.!") {
			weighed, own, other = false, false, false // another sentence
		}
		switch strings.ToLower(w.text) {
		case "not", "never", "no", "whether", "if", "else", "would", "could", "may", "might", "cannot", "why", "against", "unless", "without", "considered", "consider",
			"instead", "earlier", "previously", "already", "after", "once", "when", "until", "had", "was", "were", "been", "don", "didn", "won", "wouldn", "rather", "than", "option", "otherwise":
			weighed = true
		case "like": // I would like to
			weighed = false
		case "i", "we", "my":
			own = true
		}
		small := strings.IndexFunc(w.text, unicode.IsLower)
		other = other || small > 0 && strings.IndexFunc(w.text[small:], unicode.IsUpper) >= 0 // RedSky
	}
	return weighed || other && !own && !l.isApart()
}

// isConsequence reports whether an operation is one of two that are compared, or what would follow from
// an outcome.
func (l clause) isConsequence() bool {
	if len(l.all) == 0 {
		return false
	}
	last := l.all[len(l.all)-1]
	switch strings.ToLower(last.text) {
	case "vs", "versus", "or":
		return true
	}
	switch strings.ToLower(l.all[0].text) {
	case "outcome", "consequence":
		return true
	case "in":
		if len(l.all) > 1 && l.all[1].text == "case" {
			return true
		}
	}
	between := l.body[last.end : l.order.end-len(l.order.text)]
	return l.order.text != strings.ToUpper(l.order.text) && (strings.Contains(between, "→") || strings.Contains(between, "->")) && l.idBefore() == ""
}

// end reports whether the words that name what a change applies to, up to the last, end a phrase, and
// whether what follows says that the change is not proposed.
func (l clause) end(last int) (ends, weighed bool) {
	next := after(l.body, l.behind[last])
	ends = next == 0 || next == '.' || isSeparator(next)
	if next == '?' || last+1 >= len(l.behind) {
		return ends, next == '?'
	}
	follows := l.behind[last+1].text
	return ends, itemform.IsModal(follows) && !ends || itemform.IsNothing(follows) && ends
}

// subject records what an operation applies to, and returns the last word that names it.
func (a *announcement) subject(body string, words []lineWord) (last int) {
	for i, w := range words[:min(len(words), 4)] {
		if s, ok := artifact.ParseSection(a.section); ok && isDigit(w.text[0]) && i > 0 && last == i-1 { // hypothesis 2
			w.text = s.Spec().Prefix + w.text
		}
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
		if !slices.Contains(a.targets, word) {
			a.targets = append(a.targets, word)
		}
		return true
	}
	if s, ok := synonyms.Section(strings.ToLower(word)); ok && len(word) > 2 && a.section == "" {
		a.section = s.String()
		return true
	}
	return false
}

func isItemID(word string) bool {
	_, ok := artifact.SectionOfID(word)
	return ok && len(word) < 8
}
