package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// setting returns the sentence of the paragraph before a block, or of the one above it, that leaves open whether the block
// is meant, though the last sentence does not: Suppose that T1 fails. Then H2 has to go.
func (r Rules) setting(text, block []byte) (Remark, bool) {
	raw := lastParagraph(text)
	if len(raw) == 0 || marker.Match(raw) && !isLead(raw) {
		return Remark{}, false
	}
	line := r.lineOf(raw)
	last := lastSentence(line)
	if !r.maySet(line, last) {
		return Remark{}, false
	}
	switch lower := lowered(strings.Trim(last, "()[].: ")); {
	case hands.MatchString(lower) && !thanks.MatchString(lower), manner.MatchString(lower), willSend.MatchString(lower):
		return leavesOpen(last), true
	case r.forbidden(last):
		return leavesOpen(last), true
	case r.actsIn(last, block):
		return Remark{}, false
	case r.attributes(last):
		return leavesOpen(last), true
	}
	rest := strings.TrimSpace(line[:len(line)-len(last)])
	above := ""
	if r.continues(last) {
		above = r.lineOf(lastParagraph(bytes.TrimRight(text[:max(0, bytes.LastIndex(text, raw))], " \t\r\n")))
	}
	if r.Close && OperationIn(block) != "KILL" && comparesBoth(rest) {
		return Remark{}, false
	}
	found, isOpen := r.setIn(strings.TrimSpace(above+" "+rest), block)
	isScience := OperationIn(block) == "ADD" && !isLead(raw) && supposed.MatchString(lowered(found))
	if isScience || isOpen && r.ends(last, block) {
		return Remark{}, false
	}
	return leavesOpen(found), isOpen
}

// setIn returns the last sentence of a text that supposes something, and whether no later one ends that.
func (r Rules) setIn(text string, block []byte) (found string, isOpen bool) {
	for sentence := range sentences(text) {
		if r.sets(sentence) {
			found, isOpen = sentence, true
		} else if isOpen {
			isOpen = !r.ends(sentence, block)
		}
	}
	return found, isOpen
}

// comparesBoth reports whether a text supposes one hypothesis and then another, which compares what they predict.
func comparesBoth(text string) bool {
	all := eitherHolds.FindAllStringSubmatch(lowered(text), -1)
	return len(all) > 1 && all[0][1] != all[len(all)-1][1]
}

var (
	// eitherHolds matches what supposes that a hypothesis is right.
	eitherHolds = pattern.New(`\b(?:suppose|imagine|assume|say) (?:that )?(h\d+) (?:is|were|was) (?:right|true|correct)\b`)
	// forbidding matches sentences that keep a block from being applied, and telling those that say whose it is.
	forbidding = shape(`\b(?:do not|don't|never|not to|should not|must not|shouldn't) (?:yet )?(?:act on|apply|merge|execute|run|count|take|treat) (?:it|this|that|these|them|the (?:<block>|following|next))\b`,
		`\bfor (?:\w+ )?(?:discussion|information|comments?|feedback|reference|review|illustration|comparison|orientation|inspection)(?: purposes)? only\b|\bonly (?:for|as a basis for) (?:\w+ )?(?:discussion|information|comments?|feedback|reference|review|illustration|comparison|orientation)\b|\bonly want (?:\w+ )?(?:comments|feedback|opinions)\b`,
		`^(?:not|no longer) needed\b|\b(?:this|it|that) (?:stays|remains|is only|is just) (?:an? )?(?:plan|idea|thought|note|background)\b|\bnot as (?:an? |my )?(?:delta|change|block)\b`)
	telling = shape(`\b(?:the|this|that|these|those|next|following) (?:next |following )?(?:<block> )?(?:that follows |below |here )?(?:was|were|is|are|has been|came) (?:\w+ )?(?:posted|written|sent|proposed|copied|taken|quoted|drafted|pasted|lifted|contributed) (?:by|from|under)\b`,
		`^(?:an?|the|one|another) (?:\w+ )?(?:paragraph|passage|sentence|line|note|letter|message|page|entry|comment)\b.*\b(?:proposed|suggested|said|read|reads|asked|contained|had|says|proposes)\b`)
	// orders matches an order to another whose name stands before it: RedSky, read your delta again.
	orders = pattern.New(`^@?` + agent + `[,:] (?:please |now |just )?(?:read|look|imagine|try|take|compare|consider|think|picture|replace|swap|send|post|write|check|see|recall|remember|note|explain|tell)\b`)
)

// forbidden reports whether a sentence before a block keeps it from being applied.
func (r Rules) forbidden(sentence string) bool {
	m := orders.FindStringSubmatch(sentence)
	lower := lowered(sentence)
	return len(m) > 1 && !isSame(m[1], r.Author) || forbidding.MatchString(lower) || r.Close && leadsAside.MatchString(lower)
}

// attributes reports whether a sentence before a block says that it is another's.
func (r Rules) attributes(sentence string) bool {
	lower := lowered(strings.Trim(sentence, "()[].: "))
	return telling.MatchString(lower) || quotesBelow.MatchString(lower) && !adopts.MatchString(lower) || isTheirs(sentence, r.Author)
}

// lineOf returns a paragraph in one line, without its marks.
func (r Rules) lineOf(raw []byte) string {
	line, _ := unmark(bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r"), nil), []byte("\n"), []byte(" ")))
	return line
}

// continues reports whether a sentence continues what the paragraph above it says.
func (r Rules) continues(sentence string) bool {
	words := r.tokens(strings.Trim(sentence, "()[]. "))
	if len(words) == 0 {
		return false
	}
	const short = 4
	return isIn(" then it that this they so in the he she its ", words[0].text) && (kinds(words)&(author|mine) == 0) || len(words) <= short && kinds(words)&(author|mine|id) == 0
}

var (
	// supposed matches sentences that suppose something for those that follow.
	supposed = shape(`^(?:so |now |but |and |well )?(?:just )?(?:suppose|imagine|pretend|picture|assume|say)(?: for (?:a moment|now|the sake))?,? (?:that |for |a |an |the |we |i |you |someone |somebody |<id>|t\d)`,
		`^(?:hypothetically|for the sake of (?:argument|discussion)|counterfactually|in theory|in principle|in a (?:world|universe|parallel|different)|let us (?:say|suppose|imagine|assume|pretend)|let's (?:say|suppose|imagine|assume|pretend)|what would (?:it|that|this|a|happen|<id>)|what happens if|thought experiment|as a thought experiment|playing devil's advocate|to play devil's advocate|devil's advocate)\b`)
	// quotesBelow matches sentences about another's text, or an example, that follows.
	quotesBelow = shape(`\b(?:quot(?:e|ed|ing)|copied|copying|copy|past(?:ed|ing|e)|reproduc(?:ed|ing|e)|forward(?:ed|ing)?|repeat(?:ed|ing)?|retyp(?:ed|ing)|verbatim|word[ -]for[ -]word)\b.*\b(?:below|here|this|it|the following|next|in full|so (?:that )?(?:you|we|everyone|nobody|the|others|it)|for (?:you|the record|reference|context|comparison|completeness|convenience|those))\b`,
		`\b(?:below|here|the following|what follows|the next block|this)(?: <block>)? (?:is|are|as|comes|stands|for|only|just|merely|which|was|were)\b.*\b(?:quot(?:e|ed|ation)|copied|pasted|reproduced|forwarded|repeated|cited|verbatim|word[ -]for[ -]word|for (?:reference|context|comparison|illustration)|illustrat\w+|an example|a template|a sample|a draft|a mock-?up)\b`)
	// hands matches sentences that ask another to send the block.
	hands = shape(`\b(?:please |kindly |could you |can you |would you |you (?:can|could|should|may|might|must|will|would|need to|have to|want to|ought to) |you'll |let you |ask you to |invite you to |for you to |up to you to |feel free to )(?:\w+ )?(?:post|send|submit|paste|file|issue|copy|write|reply with|put|make|resend|repost|enter|type|use|adapt|adjust|fill)\b(?: (?:this|it|that|the (?:block|delta|following|kill|edit)|something|yours|one|in)\b.*| as\b.*| like\b.*)?(?: yourself| yourselves| in your (?:own )?(?:name|reply|turn|next reply))?`,
		`^(?:please |just |simply )?(?:put|fill|insert|replace|substitute|adapt|swap|use|copy|paste)(?: in)? (?:your|the right|whatever|as)\b`, `\b<me> can (?:only )?(?:show|offer) (?:you|them)\b`,
		`\b(?:post|send|submit|paste|file|issue|copy) (?:this|it|that|the following|the (?:block|delta)(?: below)?) (?:yourself|yourselves|on (?:your|my) behalf|in your)\b|\byourself(?: (?:with|by|using|like))?\b.*\b(?:following|this|below)?$|\bin your (?:own )?(?:next )?(?:reply|turn|letter|message)\b`)
	// explains matches sentences about how blocks are written.
	explains = shape(`\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|wants? to know|wanted to know|explain(?:s|ed|ing)?|remind(?:s|ed|ing)?|show(?:s|ing)? (?:you|them|him|her)|unsure|unclear|confus\w+)\b.{0,30}\b(?:how|what) (?:an?|the|to|such|our|one|you|<me>) (?:<block>|removal|kill|deletion|retirement|delta|block|remove|kill|edit|add|write|format|retire|delete|phrase)`,
		`^(?:this|the following|a|an|such an?|here is an?|here's an?) (?:little |small |empty |bare |generic |rough )*(?:skeleton|template|stub|boilerplate|scaffold|pattern|form|recipe)\b`,
		`^(?:for whoever|for anyone who|for those who|to anyone who|whoever)\b`)
	// willSend matches sentences about what is sent once something has come to pass.
	willSend = shape(`^(?:one|two|a few|another|some|give me|with)\b.* and <me>(?:'ll| will| would| shall) (?:\w+ )?(?:send|submit|propose|post|file)\b`,
		`\b<me>(?:'ll| will| would| shall| am going to| plan to| intend to| expect to) (?:\w+ )?(?:send|submit|propose|post|file)\b.*\b(?:once|after|when|as soon as|unless|tomorrow|next round|next time|later|if|should)\b`,
		`\bpending <id>`)
	// manner matches sentences that end in how something is sent, and thanks those that only answer another.
	manner = pattern.New(`\bby (?:sending|posting|submitting|writing|issuing|pasting|replying with)(?: (?:this|the following|something like(?: this)?|an? (?:block|delta|kill|edit)))?$|\b(?:you|one) (?:\w+ ){0,6}(?:as follows|like this|like so|this way)$`)
	thanks = pattern.New(`\bas you\b|\bthank`)
	// contrary matches sentences that leave a supposition.
	contrary = pattern.New(`\b(?:not|n't|but|however|instead|yet|in fact|in reality|actually|never|no|neither|nothing)\b`)
)

// settings are the patterns of a paragraph before a block that need no name.
var settings = pattern.SetOf(hands, manner, willSend, forbidding, telling, quotesBelow, supposed, explains, below, leadsAside)

// maySet reports whether a paragraph, or its last sentence with the one above it, may leave a block open. It is quick: most
// do not.
func (r Rules) maySet(line, last string) bool {
	return settings.MayMatch(lowered(line)) || hasName(line) || r.continues(last)
}

// hasName reports whether a text may have a name such as RedSky.
func hasName[T string | []byte](text T) bool {
	for i := 1; i < len(text); i++ {
		if 'A' <= text[i] && text[i] <= 'Z' && 'a' <= text[i-1] && text[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// sets reports whether a sentence puts those that follow, and the block, into doubt.
func (r Rules) sets(sentence string) bool {
	lower := lowered(strings.Trim(sentence, "()[]. "))
	if r.forbidden(sentence) || telling.MatchString(lower) || below.MatchString(lower) && !adopts.MatchString(lower) && !denies.MatchString(lower) || isTheirs(sentence, r.Author) {
		return true
	}
	return supposed.MatchString(lower) || explains.MatchString(lower) || quotesBelow.MatchString(lower) && !adopts.MatchString(lower) || hands.MatchString(lower) && !thanks.MatchString(lower)
}

// ends reports whether a sentence leaves a supposition, or the author acts in it.
func (r Rules) ends(sentence string, block []byte) bool {
	lower := lowered(sentence)
	return contrary.MatchString(lower) && !supposed.MatchString(lower) || r.actsIn(sentence, block)
}

var (
	// indented matches the beginning of a line of code.
	indented = pattern.New(`^(?: {4}|\t)`)
	// notProse matches parts of a change that is not written in a fence, and announcing the beginning of a line that announces one.
	notProse   = pattern.New(`"(?:,|:|\}| *$)|\b(?:ADD|EDIT|KILL)\b`)
	announcing = pattern.New(`^(?i:[*_#]*deltas? ?[\[:(])`)
)

// beginsCode reports whether the text behind a block, and behind the line that closes it, begins with a line of code.
func beginsCode(text []byte) bool {
	for line := range bytes.Lines(text[:min(len(text), maxRemark)]) {
		if len(bytes.Trim(line, " \t\r\n`~:")) > 0 {
			return indented.Match(line)
		}
	}
	return false
}

// through returns the sentence that continues behind a block, unless its author acts in it: Sending … would be premature.
func (r Rules) through(before, block, behind []byte) (Remark, bool) {
	if !r.isWide() {
		return Remark{}, false
	}
	raw := lastParagraph(before)
	next, _ := paragraph(behind)
	if r.Close {
		raw, next = bytes.TrimRight(raw, "—– "), bytes.TrimLeft(next, "—– ")
	}
	if len(raw) == 0 || !isEndOfSentence(next) || isFenceWord(behind) || indented.Match(lastLine(before)) || beginsCode(behind) || announcing.Match(raw) {
		return Remark{}, false
	}
	end := raw[len(raw)-1]
	if isBegun := isLetter(end) || end == ','; !isBegun || marker.Match(raw) {
		return Remark{}, false
	}
	last := lastSentence(r.lineOf(raw))
	if at := operated.FindIndex(raw); len(at) > 0 && at[0] == 0 || r.actsIn(last, block) && kinds(r.tokens(last))&(distance|negates|delays|modal) == 0 {
		return Remark{}, false
	}
	if next[0] == 'I' && !strings.HasPrefix(lowered(last), "instead") && !strings.HasPrefix(lowered(last), "rather") {
		return Remark{}, false
	}
	return Remark{Line: last + " … " + string(next), Open: true}, true
}

// isEndOfSentence reports whether a paragraph behind a block may continue the sentence before it.
func isEndOfSentence(next []byte) bool {
	return bytes.IndexByte(next, ' ') > 0 && ('a' <= next[0] && next[0] <= 'z' || bytes.HasPrefix(next, []byte("I "))) && !infoLine.Match(next) && !notProse.Match(next)
}
