package itemform

import (
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
)

// The parts of sentences in which an author wishes a change, in the middle of other words.
const (
	wishLead  = `(?:\b(?:I|[Ww]e)(?:['’]d| would)(?: also| rather| now| therefore| then| simply| just| even| at least| like to| prefer to| love to| want to| go ahead and| suggest to| propose to)*|\b(?:I|[Ww]e)(?:['’]ll| will| should| must| want to| wish to| also| now| therefore)+|\b(?:I|[Ww]e) (?:suggest|propose|recommend|move|vote)(?: that (?:we|one|somebody|someone)| to| we)?|\b[Ll]et['’]s|\b[Ll]et us|\b[Pp]lease|\b[Mm]y (?:suggestion|proposal|advice|recommendation|preference|vote|request|wish|idea) (?:is|would be|remains)(?: therefore| still)?(?: to| that we)?|\b(?:ask|want|urge) the (?:operator|arbiter|editor) to) `
	wishAlter = `(?:` + statedAlter + `|swap|exchange|substitute|enter|put|write|add|append|insert|note|record|register|state|limit|treat|list|phrase|word|spell out|specify|set|settle on|call|resolve|reset|remove|delete|drop|strike|cut)`
	wishRid   = `(?:` + statedRid + `|take|get rid of|let go of|do without|dispense with)`
	wishMust  = ` (?:should|must|ought to|needs? to|has to|have to|had better|deserves? to)(?: now| also| then| therefore| thus| just| simply| really| at least| rather)* `
	wishLists = `(?:slate|ledger|register|assumptions|anomalies|critiques|critique section|tests|test list|test table|predictions|predictions table|list of (?:assumptions|anomalies|critiques|tests|hypotheses|predictions)|hypotheses)`
	wishText  = `(?:statement|claim|wording|entry|name|text|ledger|register|slate|table|row|line|title|label|procedure|mechanism|observation|attack|resolution|status|condition|formulation)`
	wishNth   = `(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)`
)

var (
	// I would mark A2 as refuted. Please enter "early" for H4 in P2. For T2 I would swap aphidicolin for thymidine.
	wishedKill = pattern.New(wishLead + wishRid + ` (?:(?:the )?(?:\w+ )?)` + spokenID + `(?:\b(?: off| out)?(?:[.!;,:(—–]| [a-z]+\b|$))`)
	wishedEdit = pattern.New(wishLead + wishAlter + ` (?:(?i:` + kinds + `)|[^.;?!]{1,80} (?:of|in|into|to|for|from|under|on|at|with|as) (?:the )?(?:\w+ )?)` + spokenID + `\b`)
	wishedFor  = pattern.New(`\b(?:[Ff]or|[Ii]n|[Oo]n|[Aa]s for|[Rr]egarding|[Aa]s to) ` + spokenID + `,? ` + wishLead + wishAlter + `\b`)
	wishedIt   = pattern.New(wishLead + `(?:(` + wishRid + `)|` + wishAlter + `) (?:it\b|its [a-z]+\b|that (?:one|entry|cell|row|item)\b|["“])`)
	// … or rather X1 should be demoted. The score of T2 should go up. It should be limited to the distal half.
	wishedMust = pattern.New(`\b` + spokenID + `\)?,?` + wishMust + `(?:be (?:(` + statedGone + `)|(?:` + statedDone + `|listed|treated as|stated|phrased|worded|recorded|noted|re-?numbered|spelled out|swapped|supplemented|completed|filled in)\b)|(?:change places|go (?:up|down)|name|list|say so|mention|read|carry|include)\b)`)
	wishedPart = pattern.New(`\b(?i:the|its) (?:\w+ )?` + spokenField + ` (?:of|for|in) ` + spokenID + `\b[^.;?!,]{0,30}?` + wishMust + `(?:be|become|go|read|say|state|drop|rise|include|name)\b`)
	wishedThat = pattern.New(wishMust + `be (?:added|appended|moved|transferred) (?:to|under|into) (?:the )?(?:(?:\w+ )?` + spokenField + ` (?:of|for|in) )?` + spokenID + `\b`)
	mustBeIt   = pattern.New(`\b[Ii]t` + wishMust + `be (?:(` + statedGone + `)|` + statedDone + `)\b`)
	// The statement should read "…". "…" would be a better entry. The ledger should say so.
	wishedSays = pattern.New(`\b[Tt](?:he|hat) (?:\w+ )?` + wishText + wishMust + `(?:read|say|state|be|become|reflect|mention|note)\b|["“][^"”]{3,}["”] (?:would|might) be (?:an? )?(?:better|clearer|more \w+|sharper|safer) (?:\w+ )?` + wishText + `\b`)
	typo       = pattern.New(`\b(?i:typos?|misspellings?|misprints?|spelling mistakes?|wrong (?:word|number|unit|sign)s?) in (?:the \w+ of )?` + spokenID + `\b`)
	notStaying = pattern.New(`\b` + spokenID + ` (?:does not|doesn['’]t|should not|shouldn['’]t|cannot|can['’]t|won['’]t|will not) (?:stay|remain|survive|be kept|stand any longer)(?:[.!;,:]| on the slate| here|$)`)
	// The ledger needs an entry on temperature. This should go into the assumptions. I suggest "…" as a working assumption.
	wishedEntry = pattern.New(`\b(?i:the|our) (` + wishLists + `) (?:needs?|lacks?|wants?|is missing|are missing|misses|should (?:have|get|include|mention|contain)|could use|deserves?) (?:an?|another|one more|something|one) (?:\w+ )?(?:entry|item|line|row|hypothesis|test|assumption|anomaly|critique|prediction|on|for|about|that)\b`)
	wishedInto  = pattern.New(`\b(?:(?:should|must|ought to|needs? to|has to|deserves? to|could)(?: also| really| then)? (?:go|be (?:put|entered|added|listed|recorded|noted|included|written))|belongs?) (?:in|into|to|on|under|among) (?:the|our) (` + wishLists + `)\b`)
	wishedAs    = pattern.New(wishLead + `(?:describe|write|list|register|record|enter|add|put|suggest|propose|note|count|phrase|state|include|file|log|formulate|submit)?[^.;?!]{0,200}? as an? (?:new |working |further |separate |fresh |own |third |fourth |fifth |sixth |additional |explicit )+` + spokenKinds + `\b`)
	suggestsAs  = pattern.New(`\b(?:I|[Ww]e)(?:['’]d| would)? (?:suggest|propose|offer|put forward) [^.;?!]{3,200}? as an? (?:[a-z]+ )?` + spokenKinds + `\b`)
	nthMissing  = pattern.New(`\b[Aa] ` + wishNth + ` ` + spokenKinds + `\b[^.;?!]{0,30}? (?:is (?:missing|needed|due|lacking|called for|in order)|should be (?:on|in|added)|seems? (?:missing|needed))\b`)
	nthDelta    = pattern.New(`\b[Aa] ` + wishNth + ` (?:one|delta|change|block|edit) (?:was|is|should have been|would have been|had been) (?:meant|intended|planned|missing|supposed|to (?:be|come|follow)|left)\b`)
	// The question itself: "I would add to the question …".
	wishedThread = pattern.New(wishLead + wishAlter + ` (?:[^.;?!"“]{0,60} )?(?:the|our) (?:research )?(?:question|thread)\b`)
	// wishedNot matches what an author says instead of changing something, and wishedWait a condition.
	wishedNot  = pattern.New(`(?i)\b(?:not|never|n['’]t|nothing|my (?:mind|credence|confidence|view|prior|bet)|move on|(?:add|note|state|write|put|record|say) (?:that|here|only|my|one)\b|thank)|\b(?:without|before|rather than|instead of) (?:\w+ing)\b`)
	onlyIf     = pattern.New(`(?i)\b(?:if|once|until|as soon as|provided|only (?:when|after))\b|\bbefore (?:[A-Z]|the)`)
	wishedItem = pattern.New(` (?:an?|another|one) (?:\w+ )?(?:hypothesis|test|assumption|anomaly|critique)\b.* [A-Z]{1,2}\d`)
	wishedWait = pattern.New(`(?i)\b(?:if|whether|once|until|as soon as|would have|could have|should have|were to|in case|when)\b`)
)

// sectionOf are the sections that are named in wishLists.
func sectionOf(list string) (artifact.Section, bool) {
	words := strings.Fields(strings.ToLower(list))
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if s, ok := lists[w]; ok {
			return s, true
		}
		if s, ok := nouns[strings.TrimSuffix(w, "s")]; ok {
			return s, true
		}
		if s, ok := synonyms.Section(w); ok {
			return s, true
		}
	}
	return 0, false
}

// wishedIn returns the change that an author wishes in a sentence, in which the topic is what the sentences before it are about.
func (s *Slate) wishedIn(sentence, topic, author string) (found SpokenOf, ok bool) {
	plain := quotedText.ReplaceAllStringFunc(sentence, func(q string) string { return `"` + strings.Repeat("x", min(len(q), 8)) + `"` })
	says := func(m []int) bool { // the author wishes it, and wishes it now
		if len(m) == 0 {
			return false
		}
		before, said, behind := plain[:m[0]], plain[m[0]:m[1]], m[1]
		if len(m) > 3 && m[3] >= 0 {
			behind = m[3]
		}
		clause := before[strings.LastIndexAny(before, ",;:—–")+1:]
		return speaksAs(before+said, author) && !wishedNot.MatchString(clause+strings.Replace(said, "rather", "", 1)) && !wishedWait.MatchString(before) && !onlyIf.MatchString(plain[behind:]) &&
			!underItem.MatchString(plain) && !wishedItem.MatchString(said)
	}
	if s.wishedThread(plain, says) {
		return SpokenOf{Attempt{Operation: edit, Section: artifact.ResearchThread.String(), ID: "RT", Says: sentence}, false}, true
	}
	if HasID(plain) {
		for _, f := range []struct {
			form      *pattern.Pattern
			operation string
		}{{wishedThat, edit}, {wishedFor, edit}, {wishedKill, kill}, {wishedEdit, edit}, {wishedPart, edit}, {wishedMust, edit}, {typo, edit}, {notStaying, kill}} {
			m := f.form.FindStringSubmatchIndex(plain)
			if len(m) == 0 || f.form != notStaying && !says(m) {
				continue
			}
			if len(m) > 4 && m[4] >= 0 && f.form == wishedMust {
				f.operation = kill
			}
			return s.item(f.operation, plain[m[2]:m[3]], plain, false)
		}
	}
	if topic != "" {
		for _, form := range []*pattern.Pattern{wishedIt, mustBeIt, wishedSays} {
			if m := form.FindStringSubmatchIndex(plain); says(m) {
				operation := edit
				if len(m) > 2 && m[2] >= 0 {
					operation = kill
				}
				return s.item(operation, topic, plain, false)
			}
		}
	}
	return s.wishedNew(plain, says)
}

func (s *Slate) wishedThread(plain string, says func([]int) bool) bool {
	return strings.Contains(plain, "question") && says(wishedThread.FindStringIndex(plain)) || strings.Contains(plain, "thread") && says(wishedThread.FindStringIndex(plain))
}

// wishedNew returns the new item that an author wishes.
func (s *Slate) wishedNew(plain string, says func([]int) bool) (found SpokenOf, ok bool) {
	to := func(section artifact.Section) (SpokenOf, bool) {
		return SpokenOf{Attempt{Operation: add, Section: section.String(), Says: plain}, false}, true
	}
	for _, form := range []*pattern.Pattern{wishedEntry, wishedInto} {
		if m := form.FindStringSubmatchIndex(plain); says(m) {
			if section, isList := sectionOf(plain[m[2]:m[3]]); isList && !HasID(plain) {
				return to(section)
			}
		}
	}
	for _, form := range []*pattern.Pattern{wishedAs, suggestsAs} {
		m := form.FindStringSubmatchIndex(plain)
		if !says(m) {
			continue
		}
		if section, isKind := nouns[strings.ToLower(groupOf(plain, m))]; isKind {
			return to(section)
		}
	}
	if m := nthMissing.FindStringSubmatchIndex(plain); says(m) {
		if section := nouns[strings.ToLower(plain[m[4]:m[5]])]; s.isBeyond(section, plain[m[2]:m[3]]) {
			return to(section)
		}
	}
	if m := nthDelta.FindStringIndex(plain); m != nil {
		return SpokenOf{Attempt{Says: plain}, false}, true
	}
	return found, false
}

// isBeyond reports whether a section has no item with a number, or may have none.
func (s *Slate) isBeyond(section artifact.Section, ordinal string) bool {
	n := 0
	for i, w := range ordinals {
		if w == ordinal {
			n = i + 1
		}
	}
	return s.Base != nil && n > len(s.Base.Items(section)) || s.Base == nil && n > 3
}
