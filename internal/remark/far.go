package remark

import (
	"bytes"
	"slices"
	"strings"

	"brenner/internal/pattern"
)

var (
	// otherNames are words for a block that the forms of sentences do not have.
	otherNames = pattern.New(`\b(?:patch(es)?|(?:diff|record|lesson|proposal)(s)?)\b`)
	findings   = pattern.New(`\b(?:finding|verdict|objection)s?\b`)
	noChanges  = pattern.New(`^no changes?(?: (?:needed|required|at all))?[ .:;,—–-]+`)
	// pointsUp matches sentences about the block above, however far it is.
	pointsUp = shape(`\b(?:the|this|that|my|both|these|those|all)(?: \w+)? <block> (?:further )?above\b|\bthe above <block>\b`)
	dismiss  = shape(`<well>never ?mind <above><end>`)
)

// inWords returns a sentence, in small letters, with "block" for any other word for one, and without a line that there
// are no changes before it. Rules without oblique sentences know only blocks and deltas.
func (r Rules) inWords(sentence string) string {
	names := otherNames
	switch {
	case r.Findings:
		names = findings
	case !r.Oblique:
		return sentence
	}
	if strings.HasPrefix(sentence, "no ") {
		sentence = noChanges.ReplaceAllString(sentence, "")
	}
	return names.ReplaceAllStringFunc(sentence, func(name string) string {
		if strings.HasSuffix(name, "s") {
			return "blocks"
		}
		return "block"
	})
}

// farBehind returns the remark in the text between a block and the next one that withdraws the block above.
func (r Rules) farBehind(text, block []byte) (Remark, bool) {
	const farthest = 4 * maxProse
	text = bytes.TrimLeft(text[:min(len(text), farthest)], " \t\r\n:`~")
	text = text[:nextBlock(text)]
	hasAbove := slices.ContainsFunc(aboveWords, func(word []byte) bool { return bytes.Contains(text, word) })
	if !hasAbove && !r.isWide() {
		return Remark{}, false
	}
	for para := range bytes.SplitSeq(r.trimLines(text), []byte("\n\n")) {
		para = bytes.TrimSpace(para)
		if len(para) == 0 || strings.IndexByte("#>|", para[0]) >= 0 {
			continue
		}
		line, _ := unmark(bytes.ReplaceAll(para, []byte("\n"), []byte(" ")))
		if isLead(para) {
			line = line[:lastEnd(line)] // the rest leads to the next block
		}
		turned := ""
		for sentence := range sentences(strings.Trim(line, "()[] ")) {
			lower := r.inWords(turned + lowered(sentence))
			turned = r.turned(lower)
			if hasAbove && pointsUp.MatchString(lower) && (withdraws.MatchString(lower) || dismiss.MatchString(lower)) {
				return Remark{Line: sentence, About: about(lower)}, true
			}
			if r.isWide() && r.retreats(sentence, lower, block) {
				return Remark{Line: sentence, Open: true, About: namedIn(lower)}, true
			}
		}
	}
	return Remark{}, false
}

var (
	// retreat matches sentences that take back what the author has sent, and turn those that change its mind.
	retreat = shape(`\b<me> (?:\w+ )?(?:take|took|am taking|are taking) (?:(?:this|that|the|my) )?(?:(?:<block>|removal|deletion) )?back\b`,
		`\b(?:take|taking|took) back (?:this|that|the|my) (?:<block>|removal|deletion)\b`,
		`(?:^|[,;:—–] ?|\b(?:so|please|and|but|let me|let us|let's|must|will|would|should|i'd|i'll|to|i|we) )(?:please )?(?:scratch|strike|scrap|forget|disregard|ignore|withdraw|retract|rescind|revoke|undo|cancel|revert|pull|skip|hold off on|do not apply|don't apply|do not execute|don't execute|do not merge|don't merge) (?:this|that|the|my)(?: (?:above|last|whole|entire|proposed|first))? (?:<block>|removal|deletion|retirement)\b`,
		`^(?:(?:no|actually|hmm+|wait|sorry|ok|okay|oh|well|in fact|hm),? )*(?:scratch|strike|scrap|forget|disregard|ignore|undo|cancel) (?:that|this|it|all that|all this|the above)$`,
		`^(?:(?:no|actually|hmm+|wait|sorry|ok|okay|oh|well),? )*(?:never ?mind|<me> (?:have |'ve )?changed my mind|changed my mind)\b`,
		`\b(?:the|this|that|my) (?:<block>|removal)(?: above)? (?:is|was|should be|must be|has to be|stands|ought to be) (?:therefore |hence |now |hereby )?(?:premature|withdrawn|retracted|ignored|disregarded|void|off the table|cancelled|canceled|suspended|on hold|moot|a mistake|an error|not (?:mine|meant|to be|justified|warranted|ready))\b`,
		`\b<me> (?:do not|don't|would not|wouldn't|won't|will not|cannot|can't) (?:\w+ )?(?:propose|submit|endorse|stand by|support|want|recommend|mean|back|defend) (?:this|that|the|my) (?:<block>|removal)\b`)
	turn = shape(`^(?:but |so |and |hmm,? |wait,? |then again,? )*(?:on reflection|on second thoughts?|come to think of it|thinking about it(?: more| again)?|having (?:slept|thought|re-?read|written|looked)\b|re-?reading\b|now that <me>|looking (?:again|back)|after all)\b`)
	// spare matches what leaves an item as it is.
	spare = shape(`\b(<id>) (?:(?:should|must|has to|had better|ought to|can|may|will|needs to|gets to|would) (?:\w+ )?(?:stay|live|survive|be kept|be spared|remain)|stays|lives)\b`,
		`\b(?:nvm|never ?mind|forget) (?:about )?(<id>)\b`,
		`\b(?:keep|keeping|kept|spare|leave|leaving) (<id>)(?:$|[,.;]| (?:for now|after all|alive|in|on|as|where|until|a while|around|alone)\b)`,
		`\b(?:do not|don't|should not|shouldn't|must not|would not|wouldn't|cannot|can't|not to|not|never|rather not|premature to|too early to|wrong to|mistake to) (?:yet )?(?:kill|remove|drop|retire|delete|edit|change|touch|narrow) (<id>)\b`)
)

var retreating = pattern.SetOf(retreat, retreatToo, spare, turn)

// delegates matches sentences that leave it to others which of several blocks counts.
var delegates = shape(`\b(?:leave|leaving) (?:the |this |that )?(?:choice|decision|call|pick)? ?(?:to|with) (?:the |you\b|others\b)`, `^(?:it is |it's )?(?:your|the moderator's|the panel's) (?:call|choice|decision|pick)\b`,
	`\b(?:pick|choose|take|apply|use|merge|tell me|let me know|decide|vote) (?:whichever|whatever|which(?: one)?\b|only one|just one|exactly one|either|one of (?:them|the two|these|both))`, `\b(?:these|those|they|the (?:two|three)(?: <block>)?|the <block>s?) are (?:mutually exclusive|alternatives|either[- ]or|exclusive)\b`,
	`\bonly one of (?:them|these|the <block>s?) (?:should|may|must|is to|counts|applies)\b`)

// Spares returns the remarks in the text behind the last block of a reply that leave the target of a KILL as it is, or
// leave the choice among the blocks to others.
func (r Rules) Spares(text []byte) (all []Remark) {
	if !r.Oblique {
		return nil
	}
	for para := range bytes.SplitSeq(r.trimLines(text), []byte("\n\n")) {
		if para = bytes.TrimSpace(para); len(para) == 0 || strings.IndexByte("#>|", para[0]) >= 0 || len(para) > maxProse {
			continue
		}
		turned := ""
		for sentence := range sentences(r.lineOf(para)) {
			lower := turned + lowered(sentence)
			turned = r.turned(lower)
			all = append(all, r.sparedBy(sentence, lower)...)
		}
	}
	return all
}

// sparedBy returns the remarks of one sentence.
func (r Rules) sparedBy(sentence, lower string) (all []Remark) {
	if delegates.MatchString(lower) && !(r.Close && leavesItems(lower)) {
		return []Remark{{Line: sentence, Open: true, About: About{All: true}}}
	}
	if said, ok := keepsWords(sentence, lower); ok && r.Close {
		return []Remark{said}
	}
	if said := listed(sentence, lower); len(said) > 0 && r.Close && r.Answer == nil {
		return said
	}
	if said, ok := keepsSome(sentence, r.inWords(lower)); ok && r.Choosing {
		return []Remark{said}
	}
	m, id := r.sparedIn(lower), r.untouchedIn(lower)
	if m == nil && id == "" || r.isNoSpare(sentence, lower) {
		return nil
	}
	if id != "" {
		all = append(all, Remark{Line: sentence, About: About{Operation: "EDIT", ID: id}})
	}
	if m != nil {
		all = append(all, Remark{Line: sentence, About: About{Operation: "KILL", ID: strings.ToUpper(strings.Join(m[1:], ""))}})
	}
	return all
}

// untouched matches sentences that leave all of an item as it is: H1 stays as it is. I leave H1 untouched. Do not edit H1.
var untouched = shape(`^(?:(?:so|but|and|for now|for the moment|<well>|<me> think)[, ]*)*(<id>) (?:should |must |will |may |is to |can |still |therefore )*(?:stays?|remains?|(?:is|be) (?:kept|left)) (?:exactly |just |completely |entirely |fully )?(?:as (?:it )?(?:is|was|stands)|unchanged|untouched|the same|unedited|alone)<end>`,
	`^(?:(?:so|but|and|for now|for the moment|please|<well>|<me>(?: am|'m| will|'ll| would|'d)?(?: rather)?|let us|let's)[, ]*)*(?:leave|leaving|keep|keeping|left) (<id>) (?:exactly |just |completely )?(?:as (?:it )?(?:is|was|stands)|unchanged|untouched|unedited|alone)<end>`,
	`^(?:(?:so|but|and|please|<well>)[, ]*)*(?:(?:do not|don't|never) (?:edit|change|touch|reword|modify|alter|update|amend) (<id>)|(?:no (?:changes?|edits?)|nothing) (?:(?:is|are) (?:needed|required|necessary|to be made|made) )?(?:to|for|on|in) (<id>)(?: (?:is|are) (?:needed|required|necessary|proposed|made))?)<end>`)

// untouchedIn returns the item that a sentence, in small letters, leaves as it is in all respects, or "".
func (r Rules) untouchedIn(lower string) string {
	if !r.Sixth {
		return ""
	}
	m := untouched.FindStringSubmatch(lower)
	return strings.ToUpper(strings.Join(m[min(1, len(m)):], ""))
}

// isNoSpare reports whether a sentence is a condition, a question or about what others say.
func (r Rules) isNoSpare(sentence, lower string) bool {
	return strings.HasPrefix(lower, "if ") || strings.HasPrefix(lower, "unless ") || strings.HasSuffix(lower, "?") ||
		kinds(r.tokens(sentence))&(source|others) != 0 && !(r.Close && ownSpare.MatchString(lower))
}

// sparedIn returns the match of a sentence, in small letters, that leaves an item as it is.
func (r Rules) sparedIn(lower string) []string {
	if m := spare.FindStringSubmatch(lower); m != nil || !r.Close {
		return m
	}
	if m := spareToo.FindStringSubmatch(lower); m != nil {
		return m
	}
	if turnsBack.MatchString(lower) {
		return spareTurn.FindStringSubmatch(lower)
	}
	return nil
}

// retreats reports whether a sentence somewhere behind a block takes it back, or leaves its target as it is.
func (r Rules) retreats(sentence, lower string, block []byte) bool {
	if id := r.untouchedIn(lower); id != "" && does(block, "EDIT", id) && !r.isNoSpare(sentence, lower) {
		return true
	}
	if !retreating.MayMatch(lower) && !(r.Close && r.sparedIn(lower) != nil) || isSupposed(lower) {
		return false
	}
	if retreat.MatchString(lower) || r.Close && retreatToo.MatchString(lower) {
		return true
	}
	if m := r.sparedIn(lower); m != nil && does(block, "KILL", strings.Join(m[1:], "")) {
		return r.behind(sentence, block).kind&(source|others) == 0
	}
	return turn.MatchString(lower) && r.turnsFrom(sentence, block)
}

// isSupposed reports whether a sentence, in small letters, is a condition or about what may come later.
func isSupposed(lower string) bool {
	return strings.HasPrefix(lower, "if ") || strings.HasPrefix(lower, "unless ") || supposes.MatchString(lower)
}

// turnsFrom reports whether a sentence that changes its author's mind is about a block above it.
func (r Rules) turnsFrom(sentence string, block []byte) bool {
	a := r.behind(sentence, block)
	return a.target && OperationIn(block) != "ADD" || a.pointsBehind(1) && (a.has(negates|distance|delays|modal) || a.isRefused())
}

var aboveWords = [][]byte{[]byte("above"), []byte("Above"), []byte("ABOVE")}

// nextBlock returns where the line begins at which a block may begin, or the end of the text.
func nextBlock(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		rest := bytes.TrimLeft(line, " \t>")
		if len(rest) > 0 && (rest[0] == '{' || rest[0] == '<') || bytes.HasPrefix(rest, []byte("```")) || bytes.HasPrefix(rest, []byte("~~~")) || bytes.HasPrefix(rest, []byte(":::")) {
			return at
		}
		at += len(line)
	}
	return at
}
