package revisit

import (
	"slices"
	"strconv"
	"strings"

	"brenner/internal/pattern"
)

// What only strict reading knows of sentences about a reply's own changes.

// readStrict reads a sentence by the rules of strict reading.
func (f *own) readStrict(s placed) {
	if s.isQuestion || isPastRound.MatchString(s.lower) {
		return
	}
	lower := strings.TrimRight(s.lower, ".!: ")
	f.readJoint(s, lower)
	f.readLead(s, lower)
	if len(s.earlier) == 0 {
		f.readParts(s.sentence, lower)
	}
	f.readKept(s.sentence)
	f.readForeign(s, lower)
	if m := goesItself.FindStringSubmatch(lower); m != nil {
		of, _ := f.withOperation(operationOf(m[1]))
		f.leave(of, s.sentence)
	}
	if m := numberFirst.FindStringSubmatch(lower); m != nil {
		f.leave(f.numbered(number(m[1])), s.sentence)
	}
	if notSent.MatchString(lower) {
		f.leaveAll(s.sentence)
	}
}

var (
	notIt      = pattern.New(`^(?:but |and |yet )?(?:it|this|that|they) (?:is|was|are|were|does|do|did) not$`)
	whichDoes  = pattern.New(`^(.*\b(?:an?|the|\w+s)(?: [\w-]+){1,4}) (?:that|which|who|whose) .*$`)
	ofAuthor   = pattern.New(`\b(?:that|which) (?:i|we|you|is|was|are|were|should|must|may|can|need|needs)\b`)
	isIndirect = pattern.New(`\b(?:it|that|this) (?:is|was|would be|will be|may be|might be|seems) (?:wrong|premature|hasty|too (?:early|soon)|a mistake|an error) to\b`)
)

// strictly returns a clause without what describes something else than a change: an anomaly about cells that revert.
func strictly(plain string) string {
	if isIndirect.MatchString(plain) || notIt.MatchString(plain) {
		return ""
	}
	if m := whichDoes.FindStringSubmatch(plain); len(m) > 1 && !ofAuthor.MatchString(plain) {
		if isAbout, isUnderstood := weighClause(m[1], false); isAbout && isUnderstood {
			return m[1]
		}
	}
	return plain
}

var (
	// orJoint matches what makes the fences around it alternatives, and joint what replaces the fence above by the one below.
	orJoint = pattern.New(`^(?:or|versus|vs|alternatively|oder|ou|o bien)\b`)
	joint   = pattern.New(`^(?:(?:and|but|so|no|nope|hm+|well|wait|sorry|oops|actually|maybe|perhaps|even|much|therefore|hence|then|ok|okay|now)[,.:;… ]*)*(?:instead|rather|better|i mean|i meant|that is|\(corrected\)|again|this one|take two|retry|try again|second (?:attempt|try|version)|another (?:attempt|try)|(?:a |the |my )?(?:shorter|better|milder|cleaner|corrected|fixed|revised) version|wrong (?:id|target|one)\b.*|not this one\b.*|(?:the|my) (?:honest|real|actual|right) (?:way|one|version)|on (?:second|further) thoughts?|with (?:a fresh head|fresh eyes))$|\b(?:i|we)(?: then| therefore| hence)? (?:instead |rather )?(?:did|do|chose) (?:something else|this|the following)(?: instead)?$|^[^,]*, i instead (?:do|did|propose|submit|send)\b|\btherefore,? instead$`)
)

// readJoint reads a line between two fences that replaces the one above or makes them alternatives.
func (f *own) readJoint(s placed, lower string) {
	const longest = 10 // words
	if len(s.above) == 0 || len(s.below) == 0 {
		return
	}
	switch isShort := s.isLead || len(strings.Fields(lower)) <= longest; {
	case orJoint.MatchString(lower):
		f.leave(slices.Concat(s.above, s.below), s.sentence)
	case isShort && joint.MatchString(lower) && !f.replacesItem(s.above, s.below):
		f.leave(s.above, s.sentence)
	}
}

// replacesItem reports whether changes kill an item, and others add one to its section.
func (f *own) replacesItem(above, below []int) bool {
	last, next := f.Standing[above[len(above)-1]], f.Standing[below[0]]
	return last.Operation == "KILL" && next.Operation == "ADD" && last.Section == next.Section
}

var (
	// strictLead matches what leads to a change that is not made now, or not by the author.
	strictLead = pattern.New(`\b(?:i|we|one)(?:'d| would)(?: then| now| normally| probably| have| precisely| just)* (?:write|send|submit|apply|react|answer|post|file|written|sent|submitted)\b|^if (?:not|so|yes)\b|\bwe(?:'d| could| might)(?: then| also)* (?:do|apply|send|use|write)\b|\bwe would(?: then)? (?:apply|send|write)\b|\bif i were\b|\b(?:i|we) (?:was|were) (?:going|about|planning) to\b|^\[?(?:note|idea|quote|quoted|draft|context|comment|example|fyi|later)\]|^(?:yesterday|earlier|previously|last (?:round|week|time)|originally|for (?:next time|later|the next round|the future))$|\bnegative ?(?:→|->|=>)|^according to \w+, (?:we|one|i) `)
	// forLater matches what makes the next fence one for another time.
	forLater    = pattern.New(`^for (?:next time|later|the next round|a later round|the future)(?:$|[,:]| (?:i|we|there|here)\b)`)
	noChangesIn = pattern.New(`\bno changes?\b`)
	several     = pattern.New(`\b(?:these|both|two|three|package|set|all)\b`)
	byOther     = pattern.New(`^(?:\(?\d\)?[.)]? )?([A-Z][a-z]+[A-Z]\w+)(?:, (?:hypothesis|test|assumption|anomaly|critique|prediction)\b|['’]s (?:package|set|bundle|proposals|deltas|changes)\b)|\b(?:to be signed|signed|to (?:submit|send)|for) (?:by )?([A-Z][a-z]+[A-Z]\w+)(?: to (?:submit|send|sign)\b|$)|^(?:below|above|following)?:? ?([A-Z][a-z]+[A-Z]\w+)['’]s (?:KILL|EDIT|ADD)\b`)
)

// readLead reads a sentence directly above a fence.
func (f *own) readLead(s placed, lower string) {
	f.isLater = f.isLater || s.isLead && forLater.MatchString(lower)
	if len(s.below) == 0 || noChangesIn.MatchString(lower) || notLeads.MatchString(lower) && !strictLead.MatchString(lower) {
		return
	}
	m := byOther.FindStringSubmatch(s.text)
	isOther := m != nil && !strings.EqualFold(strings.Join(m[1:], ""), f.author)
	if !isOther && !f.isLater && !strictLead.MatchString(lower) {
		return
	}
	of := s.below
	if isOther || several.MatchString(lower) || s.isLead && len(strings.Fields(lower)) == 1 {
		of = s.chain
	}
	f.leave(of, s.sentence)
}

var (
	firstThen = pattern.New(`\bfirst[,:]? (.+?)[,;]?(?: and)? (?:then|second|secondly|followed by|afterwards)[,:]? (.+)`)
	thenFirst = pattern.New(`^(.+) first, (?:and )?(.+) (?:second|next|last|then|after(?:wards)?)$`)
	twoFollow = pattern.New(`(?:\bfollows?(?: is| are)?[:,]?|\bbelow:) (.+?),?(?: and|, then| followed by) (.+)`)
	toShow    = pattern.New(`\b(?:asked|used|meant) to show\b.*\bhere (?:it )?is\b(.*), followed by (.+)`)
	heldPart  = pattern.New(`\b(?:rejected|discarded|drafts?|original|before|examples?|quot\w+|cop(?:y|ied)|repeat\w*|reproduc\w+|show|asked to|reference|hypothetical|in case|if|template|theirs|object to)\b`)
	whoseName = pattern.New(`\b[A-Z][a-z]+[A-Z]\w+(?:['’]s)?\b`)
	beforeOwn = pattern.New(`^before (?:my own|mine)\b`)
)

// readParts reads a sentence before all changes that says of two what they are: first what I rejected, then what I submit.
func (f *own) readParts(s sentence, lower string) {
	if beforeOwn.MatchString(lower) {
		f.leave(f.numbered(1), s)
		return
	}
	for _, p := range []*pattern.Pattern{toShow, firstThen, thenFirst, twoFollow} {
		m := p.FindStringSubmatch(lower)
		if len(m) < 3 || f.lastNumber() < 2 {
			continue
		}
		if first, second := p == toShow || f.isHeldPart(m[1], s), f.isHeldPart(m[2], s); first && !second {
			f.leave(f.numbered(1), s)
		}
		return
	}
}

// isHeldPart reports whether a part of a sentence calls a change something else than the author's.
func (f *own) isHeldPart(part string, s sentence) bool {
	if heldPart.MatchString(part) {
		return true
	}
	for _, name := range whoseName.FindAllString(s.text, -1) {
		lower := strings.ToLower(name)
		agent := strings.TrimSuffix(strings.TrimSuffix(lower, "'s"), "’s")
		if strings.Contains(part, lower) && agent != f.author && !strings.Contains(part, "to "+agent) && !strings.Contains(part, "my ") {
			return true
		}
	}
	return false
}

var (
	staysAlive = pattern.New(`\b([a-z]{1,2}\d{1,4})(?: hypothesis| test| assumption| critique)? (?:is |was |has been |should |must |can |may |will |to |be |therefore |thus |still |then )*(?:kept|stays?|remains?|survives?|retained|spared|lives?)\b`)
	keepAlive  = pattern.New(`\b(?:i|we|i'd rather|i therefore|i thus|i will|i'll|let's|let us|better|rather|should|must|therefore|thus|then|and) (?:keep|retain|spare)(?: the)? ([a-z]{1,2}\d{1,4})\b`)
	notGone    = pattern.New(`\b([a-z]{1,2}\d{1,4})(?: hypothesis| test| assumption| critique)? (?:should|must|ought|can|is|may|shall|does)(?: not|n't)(?: to| yet| now)?(?: be)? (?:removed?|killed?|dropped|deleted|go|retired|discarded|die)\b`)
	maybeAlive = pattern.New(`\b(?:if|unless|whether|would|could|might|until|when|why|suppose|claims?|argue\w*|wants?|says?|thinks?|asks?|while|although|though|even)\b`)
)

// readKept reads a sentence that keeps the item of a KILL.
func (f *own) readKept(s sentence) {
	lower := f.withIDs(s.lower)
	if maybeAlive.MatchString(lower) || len(whoseName.FindString(s.text)) > 0 {
		return
	}
	for _, p := range []*pattern.Pattern{staysAlive, keepAlive, notGone} {
		for _, m := range p.FindAllStringSubmatch(lower, -1) {
			of, _ := f.ofItem("KILL", m[1])
			f.leave(of, s)
		}
	}
}

// withIDs returns a sentence, in small letters, with the ids of the items of KILLs in place of their names.
func (f *own) withIDs(lower string) string {
	const shortest = 4
	for _, c := range f.Standing {
		if name := strings.ToLower(c.Name); c.Operation == "KILL" && len(name) >= shortest && strings.Contains(lower, name) {
			lower = strings.ReplaceAll(strings.ReplaceAll(lower, "the "+name, strings.ToLower(c.Target)), name, strings.ToLower(c.Target))
		}
	}
	return lower
}

// inIDs returns a sentence with ids in place of names.
func (f *own) inIDs(s sentence) sentence {
	s.lower = f.withIDs(s.lower)
	return s
}

var (
	foreignLive  = pattern.New(`bleib|\breste|\bgard|\blaiss|qued[ae]|mantien|mantengo|conserv|\bresta|\btenere|保留|留着|残す|남긴|남겨`)
	foreignGone  = pattern.New(`\bno (?:elimino|borro|quito|retiro)\b|\bne (?:supprime|retire|élimine)|nicht (?:\p{L}+ )?(?:streich|lösch|entfern|kill)|不(?:应该|该|要|会)?(?:删除|移除|取消)`)
	foreignOp    = pattern.New(`(?:retire|retiro|ziehe|annule|ignor\p{L}*|ritiro|anulo)\b.*\b(suppression|supresión|eliminación|löschung|streich\p{L}*|eliminazione|modification|modificación|änderung)`)
	foreignNth   = pattern.New(`\b(?:retire|retiro|ziehe|annule|ritiro|anulo|bitte|ignor\p{L}*)\b.*\b(premi[eè]re?|primer[oa]?|erste[nrs]?|primo|second[eo]?|deuxième|segund[oa]|zweite[nrs]?|letzte[nrs]?|derni[eè]re?|últim[oa]|ultimo)\b`)
	foreignDraft = pattern.New(`nur ein (?:entwurf|beispiel)|qu'un (?:brouillon|ex[e]mple)|s[oó]lo (?:era |es )?un (?:borrador|ejemplo)|solo una bozza|只是(?:草稿|例子|示例)|^更正|目标应`)
)

// readForeign reads a sentence in another language than English.
func (f *own) readForeign(s placed, lower string) {
	if !isForeign(lower) {
		return
	}
	if foreignLive.MatchString(lower) || foreignGone.MatchString(lower) {
		for _, id := range idsIn(f.withIDs(lower)) {
			of, _ := f.ofItem("KILL", id)
			f.leave(of, s.sentence)
		}
	}
	if m := foreignOp.FindStringSubmatch(lower); m != nil {
		operation := "KILL"
		if strings.HasPrefix(m[1], "mod") || strings.HasPrefix(m[1], "änd") {
			operation = "EDIT"
		}
		of, _ := f.withOperation(operation)
		f.leave(of, s.sentence)
	}
	if m := foreignNth.FindStringSubmatch(lower); m != nil {
		n := 1
		switch m[1][0] {
		case 's', 'd', 'z':
			n = 2
		case 'l', 'u':
			n = f.lastNumber()
		}
		if strings.HasPrefix(m[1], "derni") || strings.HasPrefix(m[1], "ú") {
			n = f.lastNumber()
		}
		f.leave(f.numbered(n), s.sentence)
	}
	if foreignDraft.MatchString(lower) {
		f.leave(s.above, s.sentence)
	}
}

var (
	goesItself  = pattern.New(`\bit(?:'s| is) the (kill|removal|deletion|edit|addition) that (?:goes|is (?:wrong|out|off|dropped))\b`)
	numberFirst = pattern.New(`^(?:delta |block |change |#)?(\d)\b[^\d]*(?:→|->|=>|:)[ ❌✗]*(?:dropped|not sent|withdrawn|removed|omitted|skip(?:ped)?|withdraw)$`)
	notSent     = pattern.New(`^draft for (?:discussion|comments?|review|feedback)\b|\bnot a submission\b|\bi(?:'ll| will)(?: only)? submit (?:it|them|this|these|the package) (?:in round|once|later|next|when|after)\b`)
	letter      = pattern.New(`\b(delta|block|change|version|option) ([a-e])\b`)
	inSquare    = pattern.New(`\[(\d)\]`)
	middle      = pattern.New(`\bthe middle (?:one|block|delta|change)\b`)
	finalTitle  = pattern.New(`\b(?:summary|list|overview) of (?:the |my |all )?(?:final |submitted |actual )+(?:changes|deltas|edits)\b|\bnet (?:change|effect|result)\b|^(?:the |my )?final (?:changes|deltas|list|set)\b`)
)

// withNumbers returns a sentence, in small letters, with numbers in place of other names of blocks.
func (f *own) withNumbers(lower string) string {
	if f.lastNumber() == 3 {
		lower = middle.ReplaceAllString(lower, "delta 2")
	}
	lower = inSquare.ReplaceAllString(lower, "delta $1")
	if m := letter.FindStringSubmatch(lower); m != nil {
		lower = strings.ReplaceAll(lower, m[0], m[1]+" "+strconv.Itoa(int(m[2][0]-'a')+1))
	}
	return lower
}

// readFinal reads a list of the changes that a reply makes in the end, from its title on: those that it leaves out are left open.
func (f *own) readFinal(all []placed) {
	title := all[0]
	at := finalTitle.FindStringIndex(title.lower)
	if len(at) < 2 || title.isQuestion || staysAlive.MatchString(f.withIDs(title.lower)) || denial.MatchString(title.lower) {
		return
	}
	const most = 20
	kept := make(map[int]bool)
	parts := []string{title.lower[at[1]:]}
	for _, s := range all[1:min(len(all), most)] {
		if s.block != title.block {
			break
		}
		parts = append(parts, s.lower)
	}
	for i, part := range parts {
		of := f.allNamed(part)
		if len(of) == 0 && (i > 0 || len(strings.Fields(part)) > 2) {
			return // not only changes
		}
		for _, at := range of {
			kept[at] = true
		}
	}
	if len(kept) == 0 {
		return
	}
	for i := range f.Standing {
		if !kept[i] {
			f.leave([]int{i}, title.sentence)
		}
	}
}

// allNamed returns the changes that a part of a sentence names in any way.
func (f *own) allNamed(part string) (of []int) {
	part = f.withIDs(part)
	s := sentence{text: strings.ToUpper(part), lower: part}
	for _, clause := range s.clauses() {
		of = append(of, f.namesOwn(clause, s).of...)
		for _, id := range idsIn(clause) {
			of = append(of, f.onItem(id)...)
		}
		for _, m := range oneOperation.FindAllStringSubmatch(clause, -1) {
			more, _ := f.withOperation(strings.ToUpper(m[1]))
			of = append(of, more...)
		}
		if n, ok := f.byNoun("the "+clause, s); ok {
			of = append(of, n.of...)
		}
	}
	return of
}

// oneOperation matches a change that is only named by what it does.
var oneOperation = pattern.New(`\b(?:one|an?|and|plus|,|^)? ?(kill|edit|add)\b`)
