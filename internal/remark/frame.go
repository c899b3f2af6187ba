package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// frame says how far what opens a part of a reply reaches.
type frame int

const (
	noFrame   frame = iota
	partFrame       // up to the next heading or title
	listFrame       // as long as items of a list follow
)

// Frames leave open the blocks in a part of a reply, unless the line before a block calls it its author's.
var (
	// thinks matches titles of thoughts.
	thinks = shape(`^(?:my |the |some |internal |inner |private |raw |rough |quick |hidden )*(?:thinking(?: (?:out loud|aloud|process|trace|steps))?|thoughts?|thought process|train of thought|chain of thought|scratch ?pad|scratch(?: work| notes)?|rough (?:work|notes)|working notes|brainstorm(?:ing)?|musings?|inner monologue|monologue|deliberations?|notes? to (?:self|myself))(?: \([^)]*\))?$`,
		`^(?:my |the )?(?:internal|inner|private|hidden|raw) (?:reasoning|analysis|notes?|thinking|deliberation|monologue)$`)
	// weighing matches titles of options.
	weighing = shape(`^(?:the |my |some |other |possible |candidate )*(?:options|possibilities|choices|scenarios|what[- ]?ifs?|contingenc(?:y|ies)(?: plans?)?|routes|possible (?:moves|changes|actions|edits|deltas)|moves)(?:$|,| \(| (?:<me>|for|on|that|which|considered|weighed|open|not|under|in|with|and)\b)`,
		`^(?:what|things|ideas|moves|changes|deltas|alternatives|paths|roads) (?:that )?(?:(?:<me> (?:have |had |also )*)?(?:considered|weighed|discarded|dropped|rejected|tried|thought (?:about|of)|looked at|decided against|was tempted|toyed)|not (?:taken|chosen|pursued|proposed|sent))\b`,
		`^(?:option|choice|possibility|variant|scenario|route|path|plan) (?:[a-e]|[1-5]|one|two|three|i{1,3})(?:$|[:.,)(—–-]| [—–(:-])`)
	// retells matches titles of what others said, or of what was before.
	retells = shape(`^(?:the |some |a |brief |short |quick |my )*(?:background|history|recap|backstory|context|chronology|timeline|archive|inbox|correspondence|thread|transcript|the story)(?: (?:so far|to date|up to now|of (?:the |this |h\d|our )?.*|and .*|from .*))?$`,
		`^(?:the )?(?:where the (?:debate|discussion|argument|thread) (?:is|stands)|state of (?:play|the (?:debate|discussion|thread|session))|story so far|where (?:we|things) (?:are|stand|stood)(?: now)?|what (?:has )?happened(?: so far| in .*)?|how we got here|what (?:the )?(?:others?|other agents|everyone|colleagues|people|my colleagues)\b.*)$`,
		`^(?:a |the |my |brief |short |quick )*(?:summary|overview|recap|digest|review|reading|minutes) of (?:the )?(?:thread|discussion|debate|others?|other agents|positions?|proposals?|letters|replies|messages|last round|previous round|round \d+|earlier rounds?|what)\b`,
		`^(?:the |from |in )*(?:last|previous|earlier|prior|preceding|past) (?:rounds?|turns?|repl(?:y|ies)|messages?|letters?|sessions?|deltas?|versions?|proposals?|changes?)\b`,
		`^round \d+ (?:recap|summary|history|in review|\(?(?:archive|already merged|merged|past|previous)\)?)`,
		`^(?:the )?(?:others?'?|other agents'?|everyone's|their|colleagues'|panel's|team's) (?:proposals?|positions?|deltas?|views?|messages?|replies|contributions?|suggestions?|changes?)\b`,
		`^(?:received|incoming|forwarded|quoted|pasted|copied)\b|^(?:messages?|letters?|mail|proposals?|suggestions?|positions?) (?:received|from (?:the )?(?:others?|other agents|colleagues|panel|thread))\b|^from the (?:thread|log|archive|transcript|record)\b|^(?:appendix|annex)\b|^kickoff\b`)
	// teaches matches titles of examples and forms.
	teaches = shape(`^(?:the |a |an |my |some |quick |short |delta |block |json |useful )*(?:templates?|format(?:ting)?|syntax|schema|cheat ?sheet|boilerplate|how-?to|primer|tutorial|glossary|examples?|samples?|illustrations?|demo(?:nstration)?s?)(?:$| (?:for|of|to|reminder|notes?|guide|reference|\()\b)`,
		`^(?:how to|how (?:a|one|you|an)|note for (?:new|the new)|for (?:newcomers|new agents|beginners))\b`)
	// postponed matches titles of what is for later.
	postponed = shape(`^(?:the |my |some |a )*(?:parking lot|backlog|deferred|postponed|on hold|not (?:now|yet|this round|for (?:this|now))|wish ?list|icebox|later|for (?:later|(?:the )?next round|another (?:day|round)|(?:a )?(?:future|later) rounds?)|future (?:work|changes|rounds?|deltas?)|next round|drafts?|unsent|not (?:sent|submitted|proposed)|held back|fallbacks?|contingency|plan b)(?:$|[:,(]| \()`)
	// inline matches the beginning of a line of thoughts.
	inline = shape(`^(?:internal|inner|private|hidden) (?:reasoning|monologue|notes?|thinking|analysis|deliberation): |^(?:thinking(?: out loud| aloud)?|my thinking|thoughts|thought process|scratch ?pad|notes? to (?:self|myself)|brainstorm(?:ing)?): `)
	// closes matches sentences behind which nothing is the author's change.
	closes = shape(`\b(?:my |the |this )(?:contribution|reply|answer|submission|deltas?|changes?|proposals?) (?:ends?|stops?|is over|are over) here\b|^(?:end|this is the end) of (?:my |the )?(?:contribution|reply|answer|submission|deltas?|changes)\b`,
		`\b(?:everything|anything|all|whatever|the rest|what (?:comes|follows|stands)) (?:(?:that )?(?:comes |follows |stands |is )?(?:below|after this|from here on|follows|underneath|further down))\b.*\b(?:old|quoted|quotation|history|archive|appendix|notes?|drafts?|not|for reference|background|copied)\b`)
	// offered matches sentences that introduce a list of options.
	offered = shape(`\b(?:two|three|four|several|some|the|these|following|possible|many|my|few) (?:\w+ )?(?:options|possibilities|choices|routes|paths|courses of action|ways (?:to (?:deal|handle|go|proceed|resolve|settle|treat|respond|fix|do|act)|forward|out|of (?:dealing|handling|treating|proceeding|resolving)))\b`,
		`\b(?:options|possibilities|choices)(?: (?:are|include|would be|on the table|open to us|i see|we have|for \S+))?:?$`, `\b<me> (?:could|might|can) (?:\w+ )?(?:either|do (?:one|any) of|go (?:one|either)|choose|pick)\b`, `\bone (?:could|might|can) (?:either|do)\b`,
		`\((?:i|a|1)\) .*\bor (?:else )?\((?:ii|b|2)\) `, `\b(?:one|any|either) of the following\b`, `\b(?:discuss|decide|choose|pick|vote) (?:between|among|which|on which)\b`)
	// chosen matches titles of an option that the author takes.
	chosen = pattern.New(`\b(?:chosen|selected|adopted|my (?:choice|pick|proposal|vote)|i (?:choose|pick|take|propose|go)|which i (?:propose|choose|take)|submitted|proposed)\b`)
	// settles matches titles of an author's changes, which end a frame.
	settles = pattern.New(`\b(?:deltas?|changes?|submission|decisions?|answer|contribution|kill|edit|add|adding|killing|editing|proposed|propose|conclusion|verdict|recommendations?|actions?|final|output|response|now|my|mine|me|submitted|sent|real|chosen|meant|new)\b`)
	prefix  = pattern.New(`^(?:(?:part|section|step|phase|appendix|annex) \w{1,4}|\d{1,2}|[ivx]{1,4}) ?[:.)—–-] ?`)
	// runIn matches a title in bold that stands before a text on its line.
	runIn  = pattern.New(`^(?:[-*+] )?\*\*([^*]{2,60}?)[.:]?\*\*[.:]?(?: |$)`)
	states = pattern.New(`\b(?:is|are|was|were|has|have|does)\b`)
	// marker matches the mark of an item of a list.
	marker = pattern.New(`^(?:[-*+•] |\(?(?:[a-hA-H]|[ivx]{1,3}|\d{1,2})[.)] ?|\*\*\(?(?:[a-hA-H]|[ivx]{1,3}|\d{1,2})[.)]|(?:[-*+•] )?(?:\*\*)?(?i:option|choice|possibility|variant|scenario|route|path|either|or)\b)`)
)

// frameOf returns the frame that a title, in small letters, opens.
func frameOf(title string) frame {
	title = prefix.ReplaceAllString(strings.Trim(strings.TrimRight(title, ".:…"), " *_"), "")
	if name, _, ok := strings.Cut(title, ": "); ok && frameOf(name) != noFrame {
		return partFrame
	}
	for _, of := range [...]*pattern.Pattern{thinks, weighing, retells, teaches, postponed} {
		if of.MatchString(title) && !chosen.MatchString(title) {
			return partFrame
		}
	}
	return noFrame
}

// heads returns the section of a heading that opens a frame.
func (r Rules) heads(title string, level int) (Section, bool) {
	if !r.Oblique {
		return Section{}, false
	}
	kind := r.frameOf(lowered(title))
	if m := otherPart.FindStringSubmatch(strings.Trim(title, " *_:.")); r.Close && len(m) > 1 && !isSame(m[1], r.Author) {
		kind = partFrame
	}
	return Section{level: level, frame: kind, Remark: Remark{Line: title, Open: true}}, kind != noFrame
}

// frameLine is a line between blocks that may open a frame, or end one.
type frameLine struct {
	raw, line, rest []byte // rest is what follows it
	text            string // without its marks
	lower           string // in small letters
	isLabel, isItem bool
}

func readLine(raw, line, rest []byte) *frameLine {
	l := &frameLine{raw: raw, line: line, rest: rest, isItem: marker.Match(line)}
	var isTitle bool
	l.text, isTitle = unmark(line)
	if m := runIn.FindSubmatch(line); m != nil {
		l.text, isTitle = string(m[1]), true
	}
	l.lower = lowered(strings.TrimRight(l.text, ".:! "))
	l.isLabel = isTitle && len(l.text) <= maxLabel && sentenceEnd(l.lower) < 0 && !states.MatchString(l.lower)
	return l
}

// within returns the section at a line that may open a frame, or end one.
func (r Rules) within(s Section, raw, line, rest []byte) Section {
	if s.frame == noFrame && (isRunning(line) || len(bytes.Trim(line, "`")) == 0) {
		return s
	}
	l := readLine(raw, line, rest)
	switch kind := r.opened(l); {
	case s.frame != noFrame && bytes.HasPrefix(line, []byte("</")):
		return Section{}
	case kind != noFrame:
		return Section{level: labelLevel, frame: kind, Remark: Remark{Line: l.text, Open: true}}
	case s.frame != noFrame && l.ends(s.frame):
		return Section{}
	}
	return s
}

// isRunning reports whether a line is long prose without the marks and words of those that open a frame.
func isRunning(line []byte) bool {
	if len(line) <= maxLabel || !isLetter(line[0]) || bytes.ContainsAny(line, ":*<#@") || bytes.Contains(line, []byte(fullColon)) {
		return false
	}
	lower := lowered(string(line))
	isLong := len(line) > 2*maxLabel
	return !closes.MatchString(lower) && (isLong || !offered.MatchString(lower) && !bytes.ContainsAny(line, "_`~") && !hasName(line))
}

// opened returns the frame that a line opens.
func (r Rules) opened(l *frameLine) frame {
	isOffer := offered.MatchString(l.lower) && (isLead(l.line) || len(l.line) <= 2*maxLabel)
	switch {
	case r.isAttribution(l.line, l.rest), l.isLabel && r.frameOf(l.lower) != noFrame, inline.MatchString(l.lower), closes.MatchString(l.lower):
		return partFrame
	case !l.isItem && (isOffer || isLead(l.line) && marker.Match(firstLine(l.rest)) && r.doubts(lastSentence(l.text))):
		return listFrame
	}
	return noFrame
}

// ends reports whether a line ends a frame.
func (l *frameLine) ends(of frame) bool {
	const short = 5
	if of == listFrame {
		return !l.isItem && l.raw[0] != ' ' && l.raw[0] != '\t' && l.line[0] != '`'
	}
	return l.isLabel && !l.isItem && len(strings.Fields(l.lower)) <= short && settles.MatchString(l.lower)
}

// Keeps reports whether a section leaves open the block between two texts, or sets it aside. It ends where the author
// calls a block its own. New is whether another one begins to speak in the text before it.
func (r Rules) Keeps(s *Section, before, block, behind []byte, isNew bool) bool {
	switch {
	case s.Line == "", !isNew && Owns(before, r.Author), s.frame != noFrame && r.calls(before, block), r.Close && r.turnsToOwn(before, block):
		*s = Section{}
		return false
	}
	if s.frame != noFrame {
		s.covered = s.covers(before, behind)
		return s.covered
	}
	return true
}

// covers reports whether a frame reaches a block between two texts. A block behind a list or a table is not in it.
func (s *Section) covers(before, behind []byte) bool {
	line := lastLine(before)
	first := bytes.TrimSpace(line)
	switch isItem := marker.Match(first); {
	case len(first) > 0 && first[0] == '|':
		return false
	case isItem || s.frame == listFrame:
		next, _ := paragraph(behind)
		return isItem && (s.covered || isLead(first) || line[0] == ' ' || marker.Match(next))
	}
	return true
}

// calls reports whether the sentence before a block calls it its author's own: so I kill it.
func (r Rules) calls(text, block []byte) bool {
	raw := lastParagraph(text)
	if len(raw) == 0 {
		return false
	}
	line, _ := unmark(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")))
	return r.actsIn(lastSentence(line), block)
}

// actsIn reports whether the author acts in the last clause of a sentence that says something.
func (r Rules) actsIn(sentence string, block []byte) bool {
	words := r.tokens(strings.Trim(sentence, "()[]. "))
	if len(words) == 0 {
		return false
	}
	l := introduction{title: true, payload: block, hasItem: true, conditional: isConditional(words)}
	acts := false
	for _, c := range clauses(words) {
		p := part{introduction: &l, words: mainPart(c), isLast: true}
		p.kind = kinds(p.words)
		p.look()
		if p.has(author|mine) && p.words[0].kind&suppose == 0 {
			acts = p.isOwn && !p.isBad(negates|suppose|lesson|others|modal|source)
		}
	}
	return acts
}

// doubts reports whether a title leaves open what follows it.
func (r Rules) doubts(title string) bool {
	words := r.tokens(strings.Trim(title, "()[]. "))
	return len(words) > 0 && introduction{title: true}.judge(words) == doubtfully
}

// firstLine returns the first line of a text that is not empty.
func firstLine(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

var (
	// address matches a line with an address that ends in a colon, as mail programs write above a quotation.
	address = pattern.New(`<[^<>@\s]+@[^<>\s]+>.*[:：]$`)
	// headerLine matches a line of a letter's header, in any language.
	headerLine = pattern.New(`^[*_]*\pL[\pL -]{0,14} ?[:：][*_]* ?[^\s"'{\[]`)
	year       = pattern.New(`\b20\d\d\b|20\d\d年`)
	dated      = pattern.New(`^[*_\[<(]*` + agent + `[\]>*_]*(?:,| \||:)? *(?:r(?:ound)? ?\d+|\d{1,2} \pL{3,}\.? .*|\d{1,2}:\d\d)[\]*_):]*$`)
)

// isAttribution reports whether a line says that another has written what follows: with an address, or with a date or a
// round behind a name, or as the header of a letter.
func (r Rules) isAttribution(line, rest []byte) bool {
	if address.Match(line) {
		return true
	}
	if m := dated.FindSubmatch(line); len(m) > 1 {
		return !isSame(string(m[1]), r.Author)
	}
	if !headerLine.Match(line) {
		return false
	}
	const lines = 3
	n, hasYear := 1, year.Match(line)
	for next := range bytes.Lines(rest) {
		if next = bytes.TrimSpace(next); n > lines || !headerLine.Match(next) {
			break
		}
		hasYear = hasYear || year.Match(next)
		n++
	}
	return n >= lines && hasYear
}
