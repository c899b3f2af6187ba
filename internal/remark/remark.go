// Package remark reads what the text beside a block of a reply says of it: that it is not meant as a change.
package remark

import (
	"bytes"
	"strings"

	"brenner/internal/lazy"
	"brenner/internal/pattern"
)

// maxRemark is how many bytes beside a block are searched for a remark about it.
const maxRemark = 300

// Remark is a line beside a block that says that the block is not a change of its author: an example, a
// draft, another author's text, or something to be left out.
type Remark struct {
	Line    string
	Several bool // it speaks of all blocks that follow it directly
	Open    bool // it only leaves open whether the block is meant
	Ahead   bool // it speaks of the block that follows it, even if it withdraws the one above
	Kept    int  // how many of the blocks above it a remark keeps, or Some; 0 if it does not choose
	About        // which blocks above it a remark behind a block speaks of

	sentence string // of the line, if it is known which one says it
}

// The words of remarks. Lines are matched in lower case, without marks and their last colon. Only titles
// count (headings, lines in bold, and lines that end in a colon), except where a line forbids.
const (
	articles = `^(?:(?:an?|the|this is|here is|here's|here are|some|my|our|as|one|just|only|for|these are|two|three|another) )*`
	shows    = `(?:examples?|samples?|templates?|illustrations?|drafts?|quot(?:ations?|es?)|demos?|hypothetical(?:ly)?)`
	stale    = `(?:rejected|discarded|abandoned|obsolete|superseded|withdrawn|retracted|old|outdated|earlier|previous(?:ly)?|before|bad|wrong|incorrect|invalid|unused|dropped|quoted|forwarded|struck|deprecated|malformed|broken|faulty)`
	changes  = `(?:drafts?|versions?|deltas?|blocks?|changes?|attempts?|ideas?|options?|proposals?|kills?|edits?|adds?|alternatives?|rounds?|repl(?:y|ies)|examples?|ones?|formats?|messages?|texts?)`
	forbid   = `(?:do not|don't|never|not)(?: to)?(?: be)?(?: yet)? (?:appl(?:y|ied)|execut(?:e|ed)|send|sent|merged?|run)`
	begin    = `^[\^↑⬆☝👆\x{fe0f}]* *(?:step \d+[.:] )?(?:(?:actually|wait|no wait|no|hmm|sorry|oops|correction|please|update|edit|note|hold on|on reflection|on second thoughts?)[,.:;! —–-]+)*`
)

// Other authors, in their own case: a name such as RedSky, or who it is, and what they have written.
const (
	agent  = `([A-Z][a-z]+(?:[A-Z][a-z]*)+\d*)`
	role   = `[Tt]he (?:\w+ ){0,2}(?:critic|operator|agent|reviewer)|[Aa]nother agent|[Aa]gent [A-Z\d]\w*|(?:[Tt]hey|[Hh]e|[Ss]he|[Ss]ome(?:one|body)(?: else)?)`
	theirs = `(?i:deltas?|message|reply|proposal|block|contribution|letter|mail|kill|edit|add)`
)

var (
	disowns = pattern.New(articles + `(?:bad |wrong |incorrect |first |old |rough |rejected |counter-?)*` + shows + `(?:$|[,.;]|,? [(—–-]|,? (?:of|for|that|which|i|in|from|only|not|\d+)\b|,? ` + changes + `\b)|` +
		articles + stale + `(?:$|,? \(|,? not |,? ` + changes + `(?:$|,? \(| (?:of|from|in|by|that|which|i|we) ))|` +
		`\b(?:this|an?|the|following) (?:\w+ )?` + shows + `$|` +
		`\((?:[^)]* )?(?:not (?:chosen|applied|final|proposed|meant|recommended|preferred|adopted|used|submitted|sent|mine)|do not apply|don't apply|rejected|discarded|drafts?|examples?|withdrawn|retracted|reference|hypothetical|quoted|illustration)(?: [^)]*)?\)|` +
		`\bfor (?:illustration|reference)\b|\bwhat not to (?:do|send|write)\b|\bnot (?:my|an?) (?:change|delta|proposal)\b|\bnot (?:proposed|final|chosen|meant)$|\bdecided against\b|` +
		`^my (?:first|initial|original) (?:version|attempt|draft|try|idea)\b|\bi (?:had |have )?(?:initially|first|originally) (?:wrote|written|sent|proposed|drafted)\b|\balmost (?:sent|wrote)\b|\bnot (?:submitt(?:ed|ing)|sending|proposing|included|part of)\b|` +
		`\bdecided not to\b|\bwhich (?:i|we) (?:reject|discard|drop)|^deferred\b|^for (?:the )?next round$|^scratch(?: work)?$|\bcopied from\b|^superseded by\b|\bconsidered and rejected\b|\b(?:ideas?|options?) (?:that )?(?:i|we) (?:dropped|rejected)\b|^internal monologue$|` +
		`^(?:instead of|rather than|not) this$|^e\.g\.?,?$|^conditional on\b|\bexamples? only\b|\b(?:only|just|merely) (?:an? )?(?:examples?|illustrations?|drafts?|demos?)\b|` +
		`^i (?:\w+ )?(?:considered|thought (?:of|about)|rejected|discarded|was tempted)\b|^i (?:will|would|do|did) not (?:propose|suggest|make|kill|edit|add|send)\b|` +
		`^(?:the |an? )?(?:deltas?|blocks?|kickoff)(?:'s)? (?:format|syntax|template)s?(?: is| looks like this)?$|^(?:the )?(?:format|syntax)(?: is| of .*)?$|` +
		`^(?:in )?round \d+,? (?:i|we) (?:sent|wrote|proposed)\b|\b(?:was|were) (?:my|our|the) .{0,30}\bround \d|\b(?:ignore|disregard) (?:it|this|that|these|the following)\b|\b` + forbid + `\b`)
	// supposes matches titles about what may come later.
	supposes = pattern.New(`^i (?:\w+ )?(?:considered|thought (?:of|about)) .*\b(?:but|and) (?:then )?(?:rejected|dropped|discarded|abandoned|decided against)\b|\b(?:would|could|might|should) (?:then |also |now )?(?:have )?(?:send|sent|write|written|looks? like)\b|\blooks? like(?: this)?$|^if [^,]*$|^(?:when|once|after|as soon as) .*, (?:then )?(?:send|submit|apply|merge|execute)\b|^(?:if|should) .*, (?:then )?(?:i (?:will |would |shall )?)?(?:then )?(?:send|submit|kill|edit|add|write|apply|merge|execute)\b|^next round,? (?:i|we)\b[^;]*$`)
	// calls matches lines that are no titles.
	calls = pattern.New(`^(?:this|the following|what follows|here) is (?:only |just |merely )?(?:an? |the )?(?:\w+ )?` + shows + `(?:$|[.!,]| only| of (?:what i|the format))|^(?:rough |bad |discarded |rejected |first |old )*` + shows + `(?: \d+)?[.! ]*$`)
	// owned matches titles in which the author then speaks of its own change.
	owned = pattern.New(`^(?:i|we) follow\b|\b(?:in|use|using|with|per) (?:the|its|that|this) (?:\w+ )?(?:format|form|syntax|structure|style|schema)\b|\band (?:now |then |so |therefore )?(?:i )?(?:add|edit|kill|propose|change|sharpen)\b|[,;.!?:—–"”)] ?(?:and |but |then |so )*(?:this|these|here|i|we|my|our|now|so|hence|therefore|thus)\b|\b(?:but|instead|revised|sharpened|updated|corrected|fixed|again|replace[ds]?|final (?:deltas?|version|changes?))\b`)
	// forbids matches lines that are no titles.
	forbids = pattern.New(`^(?:please )?(?:` + forbid + `(?: (?:this|it|that|these|the following)(?: \w+)?)?|(?:ignore|disregard|skip) (?:it|this|that|these|the following)(?: \w+)?)[.! ]*$`)
	ahead   = pattern.New(`^(?:please )?(?:do not|don't|never|not) [^.]*\b(?:this|it|these|apply|merge|execute)[.! ]*$`)
	several = pattern.New(`\b(?:these|those|both|two|three|all|examples|drafts|samples|templates|options|blocks|deltas|changes|versions|ideas|attempts|proposals|alternatives)\b`)

	// attributes, possesses and passes match titles in their own case that name another author, and what follows.
	attributes = pattern.New(`(?:^|[ \]@])(?:` + agent + `|` + role + `)(?: \([^)]{1,40}\))? (?:ha[sd] )?(?:wrote|writes|said|says|proposed|proposes|suggest(?:s|ed)|sent|posted|replied|argue[sd]|put it)\b(.*)$`)
	wrote      = pattern.New(`^@?((?:[\pL\d.-]+ ){0,2}?[\pL\d.-]+)(?: \([^)]{1,40}\))? (?:ha[sd] )?(?:wrote|writes|sent|posted)\b(.*)$`)
	noAuthor   = pattern.New(`(?i)\b(?:i|we|it|this|that|these|which|what|as|and|to|be|is|are|was|were|not|my|our|deltas?|blocks?|changes?|edits?|kills?|\pL{1,2}\d+)\b`)
	possesses  = pattern.New(`^(?:From )?(?:` + agent + `|` + role + `)['’]s (?:\w+ )?` + theirs + `\b(.*)$`)
	opposes    = pattern.New(`\b(?:disagree|object|oppose|reject|dispute|contest|refuse|against)\b.*(?: (?:from|by) ` + agent + `()| ` + agent + `['’]s (?:\w+ )?` + theirs + `())$`)
	passes     = pattern.New(`(?:^From|\b[Qq]uot(?:ed|ing)(?: from| by)?|\b[Ff]orwarded(?: from| by)|\b(?:posted|written|sent|copied) by|^` + theirs + ` (?:from|by)) ` + agent + `(?: \([^)]{1,40}\))?$()`)
	speaks     = pattern.New(`^(?:(?:Agent|From|Author): ?)?\[?` + agent + `\]?(?: \([^)]{1,40}\))?$`)
	plays      = pattern.New(`^` + agent + ` \([^)]{1,40}\): `)
	discusses  = pattern.New(`\b(?i:i|we|my|our|so|hence|thus|therefore|that|about|which|is|are|fails|agree|add|edit)\b|(?:\S+ ){5}`)

	quotes = pattern.New(`\b(?:says|said|reads|wrote|writes|sent)$`) // without a colon
)

// Before returns the remark at the end of a text, about the block that follows it. The names of other
// authors than the block's own count; if that is unknown (""), only where they are said to have written
// something. The block may be unknown (nil).
func (r Rules) Before(text, block []byte) (Remark, bool) {
	text = r.ownWords(r.trimLines(text[max(0, len(text)-4*maxProse):]), true)
	if r.Oblique {
		return r.obliqueBefore(withoutRulers(text), block)
	}
	if said, ok := inTitle(text, r.Author); ok {
		return said, true
	}
	return inProse(text, r.Author)
}

// obliqueBefore is Before for rules by which a block is taken only if what stands beside it is clear.
func (r Rules) obliqueBefore(text, block []byte) (Remark, bool) {
	if said, ok := muses(text); ok {
		return said, true
	}
	if r.Close && !r.Patches {
		if r.isClearedAbove(text, block) {
			return Remark{}, false
		}
		if said, ok := r.closeBefore(text, block); ok || r.isPlainly(text, block) {
			return said, ok
		}
	}
	if said, ok := r.ofOthers(text); r.Choosing && ok {
		return said, true
	}
	if said, ok := r.doubtBefore(text, block); ok || r.Patches {
		return said, ok
	}
	if said, ok := r.inLanguage(lastLine(text), true); ok {
		return said, true
	}
	return r.setting(text, block)
}

// closeBefore returns the remark of a line directly above a block by its marks, or about the item of the block.
func (r Rules) closeBefore(text, block []byte) (Remark, bool) {
	if said, ok := r.marked(text); ok {
		return said, true
	}
	if said, ok := keepsTarget(text, block); ok {
		return said, true
	}
	return declinesTarget(text, block)
}

// rulers matches lines that only divide, at the end of a text.
var rulers = pattern.New(`(?:\n[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*)+\s*$`)

func withoutRulers(text []byte) []byte {
	if end := bytes.TrimRight(text, " \t\r\n"); len(end) > 0 && strings.IndexByte("-*_=", end[len(end)-1]) >= 0 {
		return rulers.ReplaceAll(text, []byte("\n"))
	}
	return text
}

// inTitle returns the remark in the last line of a text.
func inTitle(text []byte, author string) (Remark, bool) {
	isApart := bytes.HasSuffix(text, []byte("\n\n"))
	text = bytes.TrimRight(text[max(0, len(text)-maxRemark):], " \t\r\n\"'")
	raw := text[bytes.LastIndexByte(text, '\n')+1:]
	isLong := len(raw) == len(text) && len(text) == maxRemark // a line of prose
	if isLong || len(raw) == 0 || raw[0] == '>' && isApart {
		return Remark{}, false
	}
	if announced(text, author) {
		line, _ := unmark(raw)
		return Remark{Line: line}, true
	}
	if !mayBeTitle(raw) && !mayForbid(raw) || isPlain(raw) {
		return Remark{}, false
	}
	line, title := unmark(raw)
	line = lastSentence(line)
	lower := lowered(line)
	title = title || quotes.MatchString(lower)
	switch {
	case denies.MatchString(lower):
	case isSpeaker(line, author),
		!title && isSaidAside(strings.Trim(lower, "()[] ")),
		title && (raw[0] != '#' && (supposes.MatchString(lower) || waits.MatchString(lower)) || isSetAside(lower) || isOthers(line, author, bytes.HasPrefix(raw, []byte("#")))):
		return Remark{Line: line, Several: several.MatchString(lower), Ahead: ahead.MatchString(lower)}, true
	}
	return Remark{}, false
}

// isSaidAside reports whether a sentence outside titles says that the block below is not a change.
func isSaidAside(sentence string) bool {
	return forbids.MatchString(sentence) || calls.MatchString(sentence) || asideToo.MatchString(sentence)
}

// mayBeTitle reports whether a line has the marks of a title, or may be only a name.
func mayBeTitle(raw []byte) bool {
	const shortest = 40
	last := raw[len(raw)-1]
	return len(raw) < shortest || last == ':' || last == '*' || last == '_' || last == '>' || last == fullColon[2] || raw[0] == '#' || raw[0] == '*' || raw[0] == ' '
}

// mayForbid reports whether a line begins like one of forbids or calls.
func mayForbid(raw []byte) bool {
	first := bytes.TrimLeft(raw, " \t*_>-(`")
	return len(first) > 0 && strings.IndexByte("pdnistwh", first[0]|0x20) >= 0
}

// isOthers reports whether a title names another author of what follows.
func isOthers(title, author string, heading bool) bool {
	for _, pattern := range [...]*pattern.Pattern{attributes, wrote, passes, possesses, opposes} {
		if author == "" && heading && pattern == possesses {
			return false // it may be the author's own name
		}
		m := pattern.FindStringSubmatch(title)
		if len(m) > 2 && (m[1] == "" || !isSame(m[1], author)) && !discusses.MatchString(m[2]) && (pattern != wrote || !noAuthor.MatchString(m[1])) {
			return true
		}
	}
	return false
}

// isSame reports whether two names are the same, however they are spelled.
func isSame(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
}

// isSpeaker reports whether a line is only the name of another author, or what one with a role says. If the author is unknown, it may be
// the author's own.
func isSpeaker(line, author string) bool {
	if author == "" {
		return false
	}
	for _, pattern := range [...]*pattern.Pattern{speaks, plays} {
		if m := pattern.FindStringSubmatch(line); len(m) > 1 && !isSame(m[1], author) {
			return true
		}
	}
	return false
}

// Owns reports whether the last line of a text is a title that calls what follows the author's own.
func Owns(text []byte, author string) bool {
	line, title := unmark(lastLine(text))
	return title && (owning.MatchString(strings.ToLower(line)) || author != "" && beginsWith(line, author))
}

// beginsWith reports whether a line begins with a name, and not with a longer word.
func beginsWith(line, name string) bool {
	rest, ok := strings.CutPrefix(line, name)
	return ok && (rest == "" || !isLetter(rest[0]))
}

var owning = pattern.New(`^(?:here(?: is|'s|’s| are) )?(?:my|our) (?:\w+ )?(?:deltas?|changes?|kill|edit|add|answer|reply|contribution|proposal)\b|^i (?:now |therefore |hence )?(?:add|edit|kill|propose)\b`)

// unmark removes the marks of a line and its last colon. It also reports whether the line is a title: a
// heading, a line in bold, or one that ends in a colon.
func unmark(raw []byte) (line string, title bool) {
	line = strings.TrimRight(string(raw), " \t\r")
	title = strings.HasPrefix(strings.TrimLeft(line, " "), "#") || strings.HasPrefix(line, "<summary>") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
	line = strings.TrimSpace(unemphasised(strings.TrimLeft(line, " \t#>-+•❌✗✘🚫\ufeff\u200b\u00a0")))
	if line != "" && isDigit(line[0]) {
		line = number.ReplaceAllString(line, "")
	}
	if cut := strings.TrimSuffix(strings.TrimSuffix(line, ":"), fullColon); cut != line {
		line, title = strings.TrimSpace(cut), true
	}
	return line, title
}

var (
	emphasis = strings.NewReplacer("*", "", "_", "", "`", "", "~~", "", "<summary>", "", "</summary>", "", "<b>", "", "</b>", "", "<strong>", "", "</strong>", "")
	number   = pattern.New(`^\d{1,3}[.)] +`)
)

// unemphasised returns a text without marks of emphasis and code.
func unemphasised(text string) string {
	if !strings.ContainsAny(text, "*_`~<") {
		return text
	}
	return emphasis.Replace(text)
}

// clues are the beginnings of words in remarks, by their first two bytes; _ is a space. Lines without any, and without a
// name, need no further look.
var clues = lazy.Of(func() clueIndex { return indexed(remarkClues) })

// clueIndex holds the beginnings of words by their first two letters.
type clueIndex [][32][]string

func indexed(all string) clueIndex {
	by := make(clueIndex, 26)
	for clue := range strings.FieldsSeq(all) {
		of := &by[clue[0]-'a'][clue[1]&31]
		*of = append(*of, strings.ReplaceAll(clue[1:], "_", " "))
	}
	return by
}

const remarkClues = "dry practi format advice counterfactu candidat parallel not never ignor disregard don skip exampl sampl templat illustr draft quot demo hypothet reject discard abandon " +
	"obsolete supersed withdr retract old outdat earlier previous before bad wrong incorrect invalid unused dropped " +
	"forward struck reference against instead rather condition consider thought tempted would could might should look e.g " +
	"next format syntax round agent critic operator think reason scratch analysis brainstorm back mind nevermind cancel " +
	"undo strike drop mistake error scrap forget redo void rescind revoke longer changed submi almost initial first " +
	"original decided deferred copied internal show sugg attempt going avoid only provided conting subject depend unless " +
	"pending once soon hold keep leav omit but yet malform broken faulty deprec contain inclu prompt kickoff instruct " +
	"brief notes rough thinking someo wrote writes sent posted already last assum fallback when mine neither no, no. won " +
	"revert everything meant revis correct fix rewrit rework obsolet moot taken pasted repeat reproduc actually hmm wait " +
	"sorry oops kill edit stay accident refus premature prematur literal asked told deleted tentat treat plan world later " +
	"delet apart except merge execut unfinish placehold todo wip incompl quoting merged record warning naive event mistak " +
	"remov correction stays second respon forbid allow prohibit slip apply until comparison context reminder entwurf " +
	"beispiel nicht borrador ejemplo aplicar brouillon exempl bozza esempio rascunho about_to need_to do_not do_no " +
	"working_on work_in use_this use_block use_the use_it for_the_ for_ill for_ref for_con for_lat for_nex for_com " +
	"for_exam for_a_ for_an for_some one_o one_c one_m one_p one_w let_me let_us let's if_ from_the from_round from_an " +
	"part_of other_than other_agent in_case in_this both_ your_ex they_w were_ well,_ take_ says said tells cut_ " +
	"stand_by stands_ case_of doing_ "

// isPlain reports whether a line has no clue and no name such as RedSky.
func isPlain(line []byte) bool {
	clues := clues.Get()
	for i := 0; i < len(line); i++ {
		if !isLetter(line[i]) {
			if isIdeograph(line[i]) {
				return false
			}
			continue
		}
		if clues.begin(line[i:]) {
			return false
		}
		for i++; i < len(line) && isLetter(line[i]); i++ {
			if line[i] < 'a' && line[i-1] >= 'a' {
				return false
			}
		}
	}
	return true
}

// begin reports whether a text that begins with a letter begins with a clue, in any case.
func (c clueIndex) begin(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	for _, rest := range c[text[0]|0x20-'a'][text[1]&31] {
		n := 0
		for n < len(rest) && n+1 < len(text) && text[n+1]|0x20 == rest[n]|0x20 {
			n++
		}
		if n == len(rest) {
			return true
		}
	}
	return false
}

// isIdeograph reports whether a byte begins a letter of Chinese or Japanese.
func isIdeograph(c byte) bool { return 0xe3 <= c && c <= 0xe9 }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
