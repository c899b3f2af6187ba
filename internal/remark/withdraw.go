package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// About says which of the blocks above a withdrawal is about, if not the last one.
type About struct {
	All       bool
	Nth       int    // counted from 1
	But       bool   // all but the nth
	Operation string // in capitals
	ID        string // in capitals; without an operation any change of the item
}

// Names reports whether a remark is about a delta in a fence, counted from 1.
func (a About) Names(fence int, operation, target string) bool {
	return a.All || a.Operation == "" && a.ID != "" && a.ID == target || a.Nth > 0 && (a.Nth == fence) != a.But || a.Operation != "" && (operation == a.Operation && (a.ID == "" || a.ID == target)) != a.But
}

// withdraws matches sentences behind a block that take it back.
var withdraws = shape(
	// Ignore that. Do not apply the first block.
	`<well>(?:<cancel>|<never> (?:apply|execute|send|use|merge)) <above><end>`,
	`<well>(?:disregard|<never> (?:apply|merge|execute)(?: yet| for now)?)[.! ]*$`,
	// I withdraw it. I'm withdrawing this. I have to retract that. I take both back.
	`<well><me> (?:(?:have to|must|need to|want to|would like to|hereby|now|therefore|\w+) )?<cancel> <above><end>`,
	`<well><me>(?: am|'m| are|'re) (?:\w+ )?<canceling> <above><end>`,
	`<well><me> (?:\w+ )?take <above> back\b`,
	// I will not send this. I decided not to send this. I am not proposing this.
	`<well><me> ?<wont> (?:\w+ )?(?:<send>|<sending>) <above><end>`,
	`<well><me>(?:'ve| have)? (?:decided|chose|chosen) (?:not to <send>|against) <above><end>`,
	`<well><me> (?:no longer (?:want|propose|mean|stand by) |(?:\w+ )?changed my mind\b)`,
	// I will send this next round.
	`<well><me> <shall> <send> <it>(?: <block>)? (?:in )?(?:the |an? )?(?:next|later|another|following)\b`,
	`<well>let me (?:not do|redo|revise|rephrase|fix|correct|rewrite|restate|rework|reconsider|retry) <above><end>`,
	// It is withdrawn. Both are drafts. The delta above should not be applied.
	`<well><above>(?: \w+)? <is> (?:now )?(?:<canceled>|wrong|rejected)(?:$|[.;:!,]| by\b)`,
	`<well><above>(?: \w+)? <is> (?:(?:only|just|merely|all) )?(?:for |an? |my |thinking (?:out loud|aloud))?(?:<shown>|mistake|error)?(?: only)?(?:$|[.;!,]| of what not\b)`,
	`<well><above>(?: \w+)? (?:<is>|should|must|will) (?:<not> (?:to )?be <applied>(?:$|[.;!,]| yet)|(?:to )?be (?:ignored|disregarded)\b)`,
	`<well><above>(?: \w+)? <is> (?:only to (?:show|illustrate|demonstrate)\b|not (?:meant|proposed|final)(?: to be <applied>)?(?:$|[.;!,])|not (?:my|an?) (?:change|delta|proposal)\b)`,
	`<well>(?:<canceled>|rejected)(?:,? \w+){0,3}[.! ]*$`,
	`<well>(?:<canceled>|rejected): `,
	`<well>(?:examples? only|(?:only|just) an example|draft(?: only)?|<not>(?: to be)? <applied>|not final|for illustration only|not this one)[.! ]*$`,
	// It is someone else's.
	`<well><above>(?: \w+)? <is> not (?:(?:part of|in) my|mine)\b`,
	`<well><above> <is> (?:[a-z]+'s(?: \w+)?(?:$|[.,;! ]+not\b))`,
	`<well><named> <is> (?:quoted|copied|taken|written|sent|proposed) (?:from|by) `,
	`<well>(?:quoted|copied|reproduced|repeated|pasted) from (?:round|the (?:kickoff|prompt|instructions?|critic|template|thread)|[a-z]+'s|[a-z]+$)`,
	`<well><that>\b.{0,60}\b<me> (?:only|just|merely) quote <it>\b`,
	// It is not right, so I leave it out.
	`<well>(?:that |this |it )?(?:<is> )?(?:the )?wrong (?:target|id|item|one|block|delta|kill|edit|version)\b`,
	`<well><above> (?:has|had|uses|used|names|named) (?:the|an?) wrong (?:target|id|item|section|operation|hypothesis)\b`,
	`<well>(?:that kills the wrong\b|(?:<me> )?(?:pasted|copied|sent) the wrong\b)`,
	`<well><me>(?:'ll| will| rather)? leave <above> out\b`,
	`<well><that>\b.{1,80}\b(?:so|and|hence|thus|therefore) <me> (?:leave|left|omit|omitted|skip|skipped|withdraw|retract) (?:it|this|that)\b`,
	`<well>(?:this|that) <block>\b.{1,60}[,;] (?:so )?(?:please )?(?:i )?(?:discard|ignore|disregard|skip|drop) <it>(?:$|[.!])`,
	// But only if T1 fails.
	`^but only (?:if|when|once|after) |^only (?:if|when|once|after) <id> \w+[.!]?$`,
	// No.
	`<well>never ?mind(?:$|[.,;!])`,
	`^no, (?:that|this|it) (?:<is>|would be) (?:too|not|wrong)\b`,
	`^(?:(?:actually|hm+|wait|sorry|oops|well|on reflection|on second thoughts?)[,.:;! —–-]*)+no(?:,? wait)?[.! ]*$`,
	// H2 has a test, so please ignore the block above.
	`(?:[,;:—–-]|\b(?:so|and|but|hence|thus|therefore|please)),? (?:please )?(?:<cancel>|<never> (?:apply|execute|send|use|merge)) (?:<named>|(?:this|that|the) (?:last |previous )?(?:block|delta|one above))<end>`,
	`\b(?:so|and),? please (?:<cancel>|<never> (?:apply|execute|send|use|merge)) (?:it|this|that)<end>`,
	`(?:\b<refAbove>|^(?:this|that) one)\b.*\b<doubt>\b|(?:^|please |[,;] |and |so )(?:ignore|disregard|skip|remove|delete|discard|hold|undo) (?:<refAbove>|(?:this|that) one)(?:<stop>|$)`,
	`(?:^|, |\b(?:so|but|and) )<me> (?:\w+ )?(?:retract|withdraw|rescind|revoke) <above><end>`,
	`\b<me> should(?:n't| not) have (?:sent|written|proposed|included) <above><end>`,
	`(?:^|please |so )(?:treat|regard|consider|read|take) <above> as (?:an? |merely an? |only an? )?(?:<shown>|<canceled>|tentative|not)\b`,
	`^(?:my (?:mistake|bad|error)(?:$|[,.:;!])|(?:oops|sorry)\b.*\bwrong (?:target|id|item|block|delta|hypothesis|test|assumption)\b)`,
	`<well><never> do (?:it|this|that)(?: yet| now)?[.!]?$`,
	`\b<me>(?:'d| would) rather not (?:kill|edit|send|apply|do) (?:<above>|<id>)<end>`,
	`\b<me> (?:pasted|sent|included|copied) (?:<above>) by (?:accident|mistake)\b|\b<me> refuse to (?:send|apply|do) <above><end>`,
	`<well>(?:this|that|the|my) (?:kill|edit|addition)(?: above)? (?:(?:should|must|has to) wait\b|(?:is|was) (?:only meant|premature|conditional|not (?:meant|serious))\b)`,
	// But I won't. I'm taking the kill back. Which I have removed. That would be a mistake.
	`^but <me> ?(?:won't|will not|don't|do not|didn't|did not)(?:$|[.,;]| (?:do|send|propose|apply|mean|recommend|want) (?:it|this|that)\b)|^so <me> (?:don't|do not|won't|will not)[.]?$`,
	`\b<me>(?: am|'m| are|'re) (?:\w+ )?taking <above>(?: of <id>)? back\b`,
	`^(?:which|that|this) <me>(?: have|'ve)? (?:since |now |then )?(?:removed|deleted|withdrawn|retracted|discarded|cut)\b`,
	`^<well>(?:that|this|doing so|sending (?:it|this|that)) would (?:\w+ )?be (?:an? )?(?:\w+ )?(?:mistake|error|wrong|premature|rash|hasty|foolish)(?:$|[.,;!])`,
	`<well>(?:that|<named>) (?:has|had|uses|used) the wrong \w+(?:$|[.,;!])`,
	`<well>(?:please )?use (?:this|the following)(?: one| block| delta)? instead[.:]?$`,
	`<well><that>(?: last)?(?: <block>)?(?: of <id>)? (?:is|was) (?:only |just )?(?:conditional on|an? test of (?:the|my) (?:format|syntax|fence))`,
	`<well>(?:<that>|(?:this|that) (?:last |first )?<block>) (?:is|was) [a-z]+'s(?: (?:deltas?|blocks?|proposal|suggestion|kill|edit|change|version|letter))?(?:[.!]*$|, (?:pasted|copied|quoted|which|and not|for)\b)`,
	`^(?:that|this) needs (?:an? |your )?(?:decision|approval|agreement|confirmation)\b`,
	// Only the second block counts.
	`^only the <nth> (?:<block> )?(?:counts?|applies|is meant|stands|is mine)\b`,
)

var (
	replaces = shape(`<well>(?:please )?use (?:this|the following)(?: one| block| delta)? instead$`)
	refused  = pattern.New(`^no[.! ]*$`)
	clause   = pattern.New(`[,;:(—–]| (?:because|since|as|so|for) `)
	opens    = shape(`<well>`)
	counted  = shape(`\b(<nth>)\b|\b<block> (?:number |no\.? |#)?(\d)\b`)
	many     = shape(`\b(?:both|all|everything|two|three|four|blocks|deltas|changes|kills|edits|proposals|these|those|them)\b`)
	named    = shape(`\b(kill|edit|addition|add)\b(?: (?:of|to|on|for) (<id>))?`)
	only     = shape(`^only the <nth>`)
	numbers  = []string{"first", "second", "third", "fourth", "fifth"}
)

// about returns which blocks a sentence that withdraws some is about.
func about(sentence string) About {
	object := clause.Split(sentence[len(opens.FindString(sentence)):], 2)[0]
	if m := counted.FindStringSubmatch(object); m != nil {
		for i, word := range numbers {
			if digit := string(rune('1' + i)); m[1] == word || m[2] == digit || strings.HasPrefix(m[1], digit) || m[1] == "former" {
				return About{Nth: i + 1, But: only.MatchString(sentence)}
			}
		}
	}
	if many.MatchString(object) {
		return About{All: true}
	}
	if m := named.FindStringSubmatch(object); len(m) > 2 && !strings.Contains(object, "this "+m[1]) {
		return About{Operation: operationOf(m[1]), ID: strings.ToUpper(m[2])}
	}
	return About{}
}

// namedIn returns which blocks a sentence names by their number or operation.
func namedIn(sentence string) About {
	if m := someBlock.FindStringSubmatch(sentence); m != nil && nth(m) > 0 {
		return About{Nth: nth(m)}
	}
	if m := someWhat.FindStringSubmatch(sentence); m != nil {
		return About{Operation: operationOf(m[1]), ID: strings.ToUpper(m[2])}
	}
	return About{}
}

// Behind returns the remark in the first two paragraphs of a text that withdraws the block before it. The
// last sentence of one that leads to another block is about that one.
func (r Rules) Behind(text, block []byte) (Remark, bool) {
	text = r.ownWords(text[:min(len(text), 4*maxProse)], false)
	if r.Close && r.isWide() && (r.isTitleOfNext(text) || r.isAboutOther(text, block)) {
		return Remark{}, false
	}
	if r.Sixth && r.isWide() {
		var none bool
		if text, none = r.withoutCleared(text, block); none {
			return r.behindCleared(text, block)
		}
	}
	if r.Close && r.isWide() && !isFenceWord(text) {
		said, rest, ok := alone(text, block)
		if ok {
			return said, true
		}
		text = rest
	}
	if said, ok := r.takenBack(text, block); ok || !r.Oblique && !r.Findings {
		return said, ok
	}
	if said, ok := r.doubtBehind(text, block); ok && r.Oblique {
		return said, true
	}
	if said, ok := r.inLanguageBehind(text); ok {
		return said, true
	}
	return r.farBehind(text, block)
}

// inLanguageBehind returns the remark in another language than English in the first paragraph of a text behind a block.
func (r Rules) inLanguageBehind(text []byte) (Remark, bool) {
	if !r.isWide() || isFenceWord(text) {
		return Remark{}, false
	}
	first, _ := paragraph(text)
	if isLead(first) {
		first = first[:max(0, bytes.LastIndex(first, []byte("。")), lastEnd(string(first)))]
	}
	return r.inLanguage(first, false)
}

func (r Rules) takenBack(text, block []byte) (Remark, bool) {
	first, rest := paragraph(text)
	if len(first) == 0 || first[0] == '#' || first[0] == '>' {
		return Remark{}, false
	}
	if said, ok := r.withdrawal(first, block); ok {
		return said, true
	}
	if next, _ := paragraph(rest); bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")) && !isLead(first) && len(next) > 0 && next[0] != '#' && next[0] != '>' {
		return r.withdrawal(next, nil)
	}
	return Remark{}, false
}

// withdrawal returns the remark in a paragraph that withdraws a block.
func (r Rules) withdrawal(raw, block []byte) (Remark, bool) {
	if isPlain(raw) {
		return Remark{}, false
	}
	line, _ := unmark(raw)
	if isLead(raw) && !replaces.MatchString(lowered(lastSentence(line))) {
		line = line[:lastEnd(line)]
	}
	lower := r.inWords(lowered(strings.Trim(line, "()[] ")))
	if refused.MatchString(lower) {
		return Remark{Line: line}, true
	}
	for sentence := range sentences(lower) {
		if withdraws.MatchString(sentence) {
			which := about(sentence)
			if r.Oblique && which == (About{}) {
				which = namedIn(sentence)
			}
			return Remark{Line: line, About: which, sentence: sentence}, true
		}
		if contradicts(sentence, block) {
			return Remark{Line: line}, true
		}
	}
	return Remark{}, false
}
