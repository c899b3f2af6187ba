package remark

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"brenner/internal/pattern"
)

// Rules are the rules by which the text beside the blocks of an author is read. The author may be unknown ("").
type Rules struct {
	Author   string
	Oblique  bool    // a block is taken only if what stands beside it is clear
	Findings bool    // the blocks are findings of a critic, who writes of records: only what takes them back counts
	Patches  bool    // the blocks are patches of texts: "the second patch" is one of them
	Choosing bool    // sentences that keep only some of several blocks count, and lines that name another author
	Firm     bool    // an answer that shows a block for some purpose only, or says no, declines it
	Close    bool    // marks, lone titles and notes around a block and in it count
	Sixth    bool    // the rules that reader/6 has beyond those before
	Seventh  bool    // those that reader/7 has
	Answer   *Answer // the reply answers a request for corrections; nil otherwise

	Whole  *Whole  // the reply; nil if not known
	Above  Above   // the blocks above; nil if not known
	Memory *Memory // of this author's text; nil if nothing is kept
}

// Above tells of the blocks of a reply above one.
type Above interface {
	Kills(id string) bool // a KILL of an item is among them
}

// isWide reports whether the text around a block is read beyond the sentences beside it.
func (r Rules) isWide() bool { return r.Oblique && !r.Patches }

// doubtBefore returns the sentence at the end of a text that leaves open whether the block that follows is its author's change.
func (r Rules) doubtBefore(text, block []byte) (Remark, bool) {
	if last := lastLine(text); isHeading(last) {
		line, _ := unmark(last)
		return Remark{Line: line, Open: true}, r.doubtHeading(line)
	}
	raw := bareParagraph(text)
	if len(raw) == 0 || ruler.Match(raw) {
		return Remark{}, false
	}
	line, title := unmark(bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r"), nil), []byte("\n"), []byte(" ")))
	if isBold := title && !isLead(raw); isBold {
		return Remark{Line: line, Open: true}, r.doubtHeading(line)
	}
	line = postscript.ReplaceAllString(line, "")
	last := r.ending(line)
	words := r.tokens(strings.Trim(last, "()[]. "))
	switch {
	case r.Close && !isLead(raw) && isOfParts(lowered(last)):
		return Remark{}, false
	case foreign.MatchString(lowered(last)):
		return leavesOpen(last), true
	case fileTitle.MatchString(line), isRoleWord(words):
		return Remark{}, false // who speaks is known to the scanner
	}
	isQuestion := strings.HasSuffix(line, "?")
	isLed := title || isLeading(line, words) && !isQuestion || bytes.IndexByte(raw, ':') < 0 && isShowing(words)
	l := introduction{title: isLed || !r.Patches && mayLead(raw, words), caption: !isLed, question: isQuestion, payload: block}
	r.lookAround(&l, text, raw, line, last)
	if !l.mayRefer(words) || l.judge(words) != doubtfully {
		return Remark{}, false
	}
	return leavesOpen(last), true
}

// isHeading reports whether a line is a heading, or the summary of what can be unfolded.
func isHeading(line []byte) bool {
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("<summary>"))
}

// isRoleWord reports whether a line is nothing, or a word for who speaks.
func isRoleWord(words []token) bool {
	return len(words) == 0 || isIn(" assistant ai bot ", words[0].text) && len(words) < 4 || len(words) == 1 && words[0].text == "a"
}

// ending returns the last sentence of a line, without one in quotation marks before it.
func (r Rules) ending(line string) string {
	last := lastSentence(line)
	if r.Close {
		last = behindQuote(last)
	}
	return last
}

// mayRefer reports whether a sentence may be about the block: it leads to it, or has a word that may stand for it, or "to
// be". It is quick: most statements are about something else.
func (l *introduction) mayRefer(words []token) bool {
	return l.title || l.question || slices.ContainsFunc(words, func(t token) bool {
		return t.kind&(pointer|block) != 0 || t.text == "it" || t.text == "follows" || t.text == "be"
	})
}

// mayLead reports whether a line that does not lead to a block may yet be its title: it has no end, or speaks of a block.
func mayLead(raw []byte, words []token) bool {
	return isUnended(raw) || !marker.Match(raw) && mentions(words)
}

// mentions reports whether a sentence has a word for the block.
func mentions(words []token) bool {
	for i, t := range words {
		isReply := isIn(" in of to for ", wordAt(words, i-2)) && isIn(" reply message letter contribution submission ", t.text) // in this reply
		if t.kind&block != 0 && t.kind&(pastForm|acts) == 0 && !isReply && (isIn(" the this ", wordAt(words, i-1)) || !strings.HasSuffix(t.text, "s") && isIn(" the this ", wordAt(words, i-2))) {
			return kinds(words)&id == 0 && !isIn(" use using ", wordAt(words, 1))
		}
	}
	return false
}

// bareParagraph returns the last paragraph of a text, without a tag before it and the brackets of a note.
func bareParagraph(text []byte) []byte {
	raw := lastParagraph(text)
	if at := bytes.LastIndexByte(raw, '>'); at >= 0 && bytes.IndexByte(raw[:at], '<') >= 0 {
		raw = bytes.TrimSpace(raw[at+1:])
	}
	if len(raw) > maxLabel && raw[0] == '[' && raw[len(raw)-1] == ']' {
		raw = raw[1 : len(raw)-1]
	}
	return raw
}

// lookAround sets what the last sentence of a line follows: a block, and other sentences of the line.
func (r Rules) lookAround(l *introduction, text, raw []byte, line, last string) {
	if above := bytes.TrimRight(text[:max(0, bytes.LastIndex(text, raw))], " \t\r\n"); len(above) > 0 {
		l.isBehind = strings.IndexByte("`~}]'", above[len(above)-1]) >= 0
	}
	l.isForeign = strings.IndexFunc(last, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsLetter(c) }) >= 0
	if rest := line[:len(line)-len(last)]; rest != "" {
		before := r.tokens(lastSentence(strings.TrimRight(rest, ".!? ")))
		l.follows, l.hasItem = true, kinds(r.tokens(rest))&(id|thing) != 0
		l.supposed = len(before) > 0 && isIn(" suppose imagine picture pretend ", before[0].text)
	}
}

// leavesOpen returns the remark of a sentence before a block.
func leavesOpen(sentence string) Remark {
	return Remark{Line: sentence, Open: true, Several: isSeveral(lowered(sentence))}
}

// isUnended reports whether a line has no mark at its end, and is neither one of a list nor a summary of operations.
func isUnended(raw []byte) bool {
	end := raw[len(raw)-1]
	return bytes.IndexByte(raw, ' ') > 0 && (isLetter(end) || isDigit(end) || end == ')') && strings.IndexByte("*-+", raw[0]) < 0 && !number.Match(raw) && bytes.IndexByte(raw, ':') < 0 && !operated.Match(raw)
}

// isSeveral reports whether a sentence, in small letters, speaks of all blocks that follow it: these ideas, but not this one of the ideas.
func isSeveral(sentence string) bool {
	return several.MatchString(sentence) && (!single.MatchString(sentence) || plural.MatchString(sentence))
}

var (
	operated = pattern.New(`\b(?:ADD|EDIT|KILL|PROMOTE|DEPRECATE|PIN|MERGE|DELETE)\b`)
	single   = pattern.New(`\bthis\b`)
	plural   = pattern.New(`\b(?:these|those|both|all|two|three)\b`)
	// infoLine matches a line of words that open a block, as a fence without its marks has: json title="delta 1", BEGIN DELTA.
	infoLine   = pattern.New(`(?i)^(?:(?:begin )?(?:deltas?|json5?|jsonc|ya?ml|records?)(?:[ \t]+(?:[\w-]+=\S.*|[{\[(].*)|[ :])?|\[tool_calls\].*)$`)
	postscript = pattern.New(`^(?i:p\. ?s\.?:?|ps:) `)
	fileTitle  = pattern.New(`(?i)^(?:(?:file|filename|path)[: ]+\S+|\S+\.(?:md|json|jsonl|txt|ya?ml))$`)
	object     = pattern.New(`\{\s*\\?["']`) // the beginning of a block
)

// openingIn returns where the first line of words that open a block begins, or the end of the text.
func openingIn(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		if strings.IndexByte("bdjyr[BDJYR", line[0]) >= 0 && infoLine.Match(bytes.TrimRight(line, "\r\n")) {
			return at
		}
		at += len(line)
	}
	return at
}

// isLeading reports whether a sentence without a colon leads to the block below it.
func isLeading(line string, words []token) bool {
	k, end := kinds(words), last(words)
	isShort := len(words) <= 3 && end.text[0] == '@' && isIn(" from author agent @ ", words[0].text) || line[0] == '(' && k&(lesson|distance) != 0 || len(words) <= 3 && (k&lesson != 0 || !strings.HasSuffix(line, "]") && k&(past|delays) != 0 && k&(author|mine|thing|finite|says|acts) == 0)
	isOpen := isIn(" is was reads read says said wrote writes sent like this ", end.text) || end.kind&open != 0 && k&(source|modal) != 0
	isLike := isIn(" this so follows following ", end.text) && isIn(" like as the ", wordAt(words, len(words)-2))
	return end.text == "follows" || isLike || isShort && k&id == 0 || isOpen && !strings.HasSuffix(line, ".") ||
		slices.ContainsFunc(words, func(t token) bool { return t.kind&pointer != 0 && isIn(" following below ", t.text) })
}

// isShowing reports whether a sentence shows what stands below it: EV-2 ends with these lines. Here is what the log has.
func isShowing(words []token) bool {
	n, k := len(words), kinds(words)
	if n < 3 || k&(author|mine) != 0 {
		return false
	}
	first, second, before, end := words[0].text, words[1].text, words[n-2].text, words[n-1].text
	if first == "here" && isIn(" it they ", second) {
		return k&(source|others) != 0
	}
	return isIn(" way lines words ", end) && isIn(" this these following ", before) || end == "full" && before == "in" || first == "here" && second == "is" && words[2].text == "what" && k&source != 0 || first == "this" && second == "is" && isIn(" block delta ", wordAt(words, 3)) && k&source != 0 ||
		isIn(" block delta batch ", end) && k&says != 0 && k&(source|others) != 0 && k&(id|negates) == 0
}

// doubtHeading reports whether a heading leaves it open.
func (r Rules) doubtHeading(line string) bool {
	k := kind(0)
	words := r.tokens(line)
	if len(words) == 0 || fileTitle.MatchString(line) {
		return false
	}
	for i, t := range words {
		if !isDigit(t.text[0]) && (i == 0 || !isIn(" nobody nothing none without nowhere hardly ", t.text)) {
			k |= t.kind
		}
		if i > 0 && (words[i-1].kind&others != 0 && (t.kind&block != 0 || isIn(" position plan text ", t.text)) || isIn(" from by ", words[i-1].text) && t.text[0] == '@') {
			return true
		}
	}
	if words[0].text == "from" || strings.HasSuffix(line, "?") && k&pointer != 0 {
		return true
	}
	return k&(id|mine|author) == 0 && (k&source != 0 && k&says != 0 || k&(distance|past|lesson|delays|negates) != 0)
}

// doubtBehind returns the sentence behind a block that leaves it open.
func (r Rules) doubtBehind(text, block []byte) (Remark, bool) {
	const most = 2
	text = text[:min(len(text), maxRemark)]
	raw, _ := paragraph(text[:openingIn(text)])
	if at := bytes.Index(raw, []byte("```")); at >= 0 {
		raw = raw[:bytes.LastIndexAny(raw[:at], ".!?")+1] // the rest leads to the next block
	}
	if len(raw) == 0 || isFenceWord(text) || object.Match(raw) || strings.IndexByte(">|#{<\\", raw[0]) >= 0 {
		return Remark{}, false
	}
	line, _ := unmark(raw)
	said := Remark{Line: line, Open: true}
	if isLead(raw) {
		line = line[:lastEnd(line)]
	}
	if raw[0] == '(' && len(raw) < maxLabel && r.isDistant(line) {
		return said, true
	}
	n, hasItem := 0, false
	for sentence := range sentences(strings.Trim(line, "()[] ")) {
		a := r.behind(sentence, block)
		if n++; n > most || len(a.words) == 0 || hasItem && a.at(0) == "it" {
			break
		}
		if r.Close && isCounted(sentence) {
			break
		}
		if !r.isClosing(sentence, a) && r.leavesOpen(a) {
			said.About, said.sentence = namedIn(lowered(sentence)), sentence
			return said, true
		}
		hasItem = a.has(id | thing)
	}
	return Remark{}, false
}

// leavesOpen reports whether a sentence behind a block leaves it open.
func (r Rules) leavesOpen(a *after) bool {
	return a.mayTurn() && a.shows(behindSignals) || r.Close && a.shows(lateSignals)
}

// isDistant reports whether a short line in brackets keeps away from the block above it.
func (r Rules) isDistant(line string) bool {
	k := kinds(r.tokens(line))
	return k&(id|thing|plain) == 0 && k&(source|says|lesson|distance|negates|delays|past) != 0
}

// lastParagraph returns the last paragraph of a text, which ends in prose, or nothing.
func lastParagraph(text []byte) []byte {
	text = bytes.TrimRight(text[max(0, len(text)-maxProse):], " \t\r\n\"'")
	for at := len(text); ; {
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		line := bytes.TrimSpace(text[start:at])
		isProse := len(line) > 0 && strings.IndexByte(">|#`~<{}:\\", line[0]) < 0 && !(bytes.IndexByte(line, '{') > 0 && object.Match(line))
		isBegun := at < len(text)
		switch isItem := isProse && strings.IndexByte("*-+", line[0]) >= 0; {
		case !isProse, isBegun && (isItem || line[len(line)-1] == ':'):
			return bytes.TrimSpace(text[at:])
		case isItem:
			return line
		case start == 0 && len(text) == maxProse:
			return nil // it is long
		case start == 0:
			return text
		}
		at = start - 1
	}
}

// isFenceWord reports whether the first line of a text opens a fence, or has only the words of one.
func isFenceWord(text []byte) bool {
	rest := bytes.TrimLeft(text[:min(len(text), maxRemark)], " \t\r\n:`~*_'")
	marks := text[:min(len(text), maxRemark)-len(rest)]
	marks = bytes.TrimSpace(marks[bytes.LastIndexByte(marks, '\n')+1:])
	if len(marks) > 1 && strings.IndexByte("`~:'", marks[0]) >= 0 {
		return true
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, isWord := 0, false
	for word := range bytes.FieldsFuncSeq(line, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if n++; n == 1 {
			isWord = isIn(" delta deltas json yaml record ", strings.ToLower(string(word)))
		}
		if !isWord || n > 2 {
			return false
		}
	}
	return isWord
}

// OperationIn returns the operation of a block, if it has only one.
func OperationIn(block []byte) string {
	found := len(operationNames)
	for at := 0; found > 0; {
		i := bytes.IndexByte(block[at:], '"')
		if i < 0 {
			break
		}
		at += i + 1
		for n, name := range operationNames[:found] {
			if end := at + len(name); end < len(block) && block[end] == '"' && bytes.EqualFold(block[at:end], []byte(name)) {
				found = n
				break
			}
		}
	}
	if found == len(operationNames) {
		return ""
	}
	return operationNames[found]
}

var operationNames = []string{"KILL", "EDIT", "ADD"}
