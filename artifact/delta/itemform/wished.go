package itemform

import (
	"cmp"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// The parts of sentences in which an author wishes a change, in the middle of other words.
const (
	wishLead  = `(?:\b(?:I|[Ww]e)(?:['’]d| would)(?: also| rather| now| therefore| then| simply| just| even| at least| like to| prefer to| love to| want to| go ahead and| suggest to| propose to)*|\b(?:I|[Ww]e)(?:['’]ll| will| should| must| want to| wish to| also| now| therefore)+|\b(?:I|[Ww]e) (?:suggest|propose|recommend|move|vote)(?: that (?:we|one|some(?:body|one))| to| we)?|\b[Ll]et['’]s|\b[Ll]et us|\b[Ll]et me|\b[Pp]lease|\b[Kk]indly|\b(?i:some(?:body|one)|one|the operator|the arbiter|the editor) (?:should|must|ought to|has to)|\b[Mm]y (?:suggestion|proposal|advice|recommendation|preference|vote|request|wish|idea) (?:is|would be|remains)(?: therefore| still)?(?: to| that we)?|\b(?:ask|want|urge) the (?:operator|arbiter|editor) to) `
	wishAlter = `(?:` + statedAlter + `|swap|exchange|substitute|enter|put|write|add|append|insert|note|record|register|state|limit|treat|list|phrase|word|spell out|specify|set|settle on|call|resolve|reset|remove|delete|drop|strike|cut)`
	wishRid   = `(?:` + statedRid + `|take|get rid of|let go of|do without|dispense with)`
	wishMust  = ` (?:should|must|ought to|needs? to|has to|have to|had better|deserves? to)(?: now| also| then| therefore| thus| just| simply| really| at least| rather)* `
	wishLists = `(?:(?:anomaly |assumptions? |hypothesis |critique |test )?(?:slate|ledger|register|list)|slate|ledger|register|assumptions|anomalies|critiques|critique section|tests|test list|test table|predictions|predictions table|list of (?:assumptions|anomalies|critiques|tests|hypotheses|predictions)|hypotheses)`
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
	wishedPart = pattern.New(`\b(?i:the|its) (?:\w+ )?(?:` + spokenField + `|entry|cell|value|number|figure|word) (?:of|for|in|under) ` + spokenID + `\b[^.;?!,]{0,30}?` + wishMust + `(?:be|become|go|read|say|state|drop|rise|include|name)\b`)
	wishedThat = pattern.New(wishMust + `be (?:added|appended|moved|transferred) (?:to|under|into) (?:the )?(?:(?:\w+ )?` + spokenField + ` (?:of|for|in) )?` + spokenID + `\b`)
	mustBeIt   = pattern.New(`\b(?:[Ii]t` + wishMust + `(?:be (?:(` + statedGone + `)\b|(?:` + statedDone + `)\b|\d|["“])|(?:read|say|state) ["“\d])|(?:[Tt]hey|[Bb]oth|[Tt]he two)` + wishMust + `be (?:one|a single|merged|combined|unified|collapsed|folded)\b)`)
	// The statement should read "…". "…" would be a better entry. The ledger should say so.
	wishedSays = pattern.New(`\b[Tt](?:he|hat) (?:\w+ )?` + wishText + wishMust + `(?:read|say|state|be|become|reflect|mention|note)\b|["“][^"”]{3,}["”] (?:would|might) be (?:an? )?(?:better|clearer|more \w+|sharper|safer) (?:\w+ )?` + wishText + `\b`)
	// H4 may be struck off the list. I ask that H4 be removed. It is high time that H2 left. Consider C2 answered. H4: out.
	mayGo      = pattern.New(`\b` + spokenID + `,? (?:may|can)(?: now| also| then| therefore| thus| just| simply| safely)* be (?:(?:` + statedGone + `|struck (?:off|out)|taken (?:off|out)|crossed (?:off|out)|let go|closed|put to rest)\b)`)
	askedThat  = pattern.New(`\b(?:ask|request|propose|suggest|recommend|move|vote|see to it|make sure|ensure|see)(?: that)? ` + spokenID + ` (?:is |gets |be |goes\b|is to be )(?:(` + statedGone + `)\b|` + statedDone + `\b)?`)
	askedItBe  = pattern.New(`\b(?:ask|request|propose|suggest|recommend|move|vote|see to it|make sure|ensure) that (?:it|they|this)(?: both)? (?:is |gets |be )(?:(` + statedGone + `)\b|` + statedDone + `\b)`)
	highTime   = pattern.New(`\b[Tt]ime (?:that |for )` + spokenID + ` (?:left|went|was (?:` + statedGone + `)|to (?:go|leave|retire))\b`)
	considered = pattern.New(`^[^\w]*(?:[Pp]lease )?(?:[Cc]onsider|[Tt]reat|[Rr]egard|[Cc]ount|[Tt]ake) ` + spokenID + ` (?:to be |as )?(?:(` + statedGone + `|dead|gone)|` + statedState + `)\b`)
	isOut      = pattern.New(`\b` + spokenID + `: (?:out|remove|drop|delete|retire)[.!]?$`)
	// The status of C1 is "answered". A3 deserves the qualifier … My second change concerns A2. As to T2, X should become Y.
	statusOf   = pattern.New(`\b[Tt]he (?:status|state) of ` + spokenID + ` (?:is|becomes|should be|must be)(?: now)? ["“]?(?:` + statedState + `|x+)\b`)
	deserved   = pattern.New(`\b` + spokenID + ` (?:also |now |therefore )*(?:deserves|wants|should (?:get|have|carry|come with)|needs|could use|calls for) (?:an?|the|some|its own) (?:\w+ ){0,2}?(?:qualifiers?|qualification|caveat|limits?|restriction|note|footnote|number|unit|clause|exception|remark|condition|deadline|reference|citation|control|threshold|value|sentence)\b`)
	concerning = pattern.New(`\b[Mm]y (?:\w+ )?(?:first|second|third|fourth|fifth|next|last|other|final|further|remaining) (?:change|delta|edit|request|proposal|correction) (?:concerns|is about|affects|touches|is on|is to|is for|regards) ` + spokenID + `\b`)
	asTo       = pattern.New(`\b(?:[Aa]s to|[Aa]s for|[Rr]egarding|[Cc]oncerning) ` + spokenID + `,? [^.;?!]{3,80}` + wishMust + `(?:give way|be (?:` + statedDone + `|` + statedGone + `)|become|read|say)\b`)
	typo       = pattern.New(`\b(?i:typos?|misspellings?|misprints?|spelling mistakes?|wrong (?:word|number|unit|sign)s?) in (?:the \w+ of )?` + spokenID + `\b`)
	notStaying = pattern.New(`\b` + spokenID + ` (?:does not|doesn['’]t|should not|shouldn['’]t|cannot|can['’]t|won['’]t|will not) (?:stay|remain|survive|be kept|stand any longer)(?:[.!;,:]| on the slate| here|$)`)
	// The ledger needs an entry on temperature. This should go into the assumptions. I suggest "…" as a working assumption.
	wishedEntry = pattern.New(`\b(?i:the|our) (` + wishLists + `) (?:(?:needs?|lacks?|wants?|is missing|are missing|misses|should (?:have|get|include|mention|contain)|could use|deserves?) (?:an?|another|one more|something|one) (?:\w+ )?(?:entry|item|line|row|hypothesis|test|assumption|anomaly|critique|prediction|on|for|about|that)\b|(?:is missing|lacks|misses|omits) (?:the|any|what)\b)`)
	worthAs     = pattern.New(`\bworth (?:recording|adding|registering|noting|logging|listing|entering|stating|keeping) as an? (?:\w+ )?` + spokenKinds + `\b`)
	wishedInto  = pattern.New(`\b(?:(?:should|must|ought to|needs? to|has to|deserves? to|could)(?: also| really| then)? (?:go|be (?:put|entered|added|listed|recorded|noted|included|written))|belongs?) (?:in|into|to|on|under|among) (?:the|our) (` + wishLists + `)\b`)
	wishedAs    = pattern.New(wishLead + `(?:describe|write|list|register|record|enter|add|put|suggest|propose|note|count|phrase|state|include|file|log|formulate|submit)?[^.;?!]{0,200}? as an? (?:new |working |further |separate |fresh |own |third |fourth |fifth |sixth |additional |explicit )+` + spokenKinds + `\b`)
	suggestsAs  = pattern.New(`\b(?:I|[Ww]e)(?:['’]d| would)? (?:suggest|propose|offer|put forward) [^.;?!]{3,200}? as an? (?:[a-z]+ )?` + spokenKinds + `\b`)
	nthMissing  = pattern.New(`\b[Aa] ` + wishNth + ` ` + spokenKinds + `\b[^.;?!]{0,30}? (?:is (?:missing|needed|due|lacking|called for|in order)|should be (?:on|in|added)|seems? (?:missing|needed))\b`)
	nthDelta    = pattern.New(`\b[Aa] ` + wishNth + ` (?:one|delta|change|block|edit) (?:was|is|should have been|would have been|had been) (?:meant|intended|planned|missing|supposed|to (?:be|come|follow)|left)\b`)
	rowID       = pattern.New(`\bP\d{1,3}\b`)
	// The question itself: "I would add to the question …".
	wishedThread = pattern.New(wishLead + wishAlter + ` (?:[^.;?!"“]{0,60} )?(?:the|our) (?:research )?(?:question|thread)\b`)
	// wishedNot matches what an author says instead of changing something, and wishedWait a condition.
	wishedNot  = pattern.New(`(?i)\b(?:not|never|n['’]t|nothing|my (?:mind|credence|confidence|view|prior|bet)|move on|(?:add|note|state|write|put|record|say) (?:that|here|only|my|one)\b|thank)|\b(?:without|before|rather than|instead of) (?:\w+ing)\b`)
	onlyIf     = pattern.New(`(?i)\b(?:if|once|until|as soon as|provided|only (?:when|after))\b|\bbefore (?:[A-Z]|the)`)
	wishedItem = pattern.New(` (?:an?|another|one) (?:\w+ )?(?:hypothesis|test|assumption|anomaly|critique)\b.* [A-Z]{1,2}\d`)
	wishedWait = pattern.New(`(?i)\b(?:if|whether|once|until|as soon as|would have|could have|should have|were to|in case|when)\b`)
)

// wishWords are parts of words that every sentence with a wish has one of.
var wishWords = remark.WordsOf("'d ", "’d ", "would", "'ll ", "’ll ", "will", "should", "must", "ought", "need", "has to", "have to", "had better", "want", "wish", "uggest", "ropos", "ecommend", "move", "vote", "et's ", "et’s ", "et us", "lease", "dvice", "reference", "equest", "idea", "urge", "ask ", "deserve", "might", "could", "ask", "equest", "may ", "can ", "ime ", "onsider", "reat ", "egard", "ount ", "ake ", ": ", "tatus", "tate of", "calls for", "y ", "make sure", "nsure", "see ", "worth", "s to ", "s for ", "omits",
	"typo", "isspelling", "isprint", "mistake", "wrong", "not ", "n't", "n’t", "lack", "missing", "misses", "belong", "offer", "put forward", " one ", "delta", "change", "block", "edit")

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

// wish is a sentence in which an author may wish a change: its words without those that it quotes.
type wish struct{ plain, author string }

// isMeant reports whether the words that a form has found are the author's wish, and one for now.
func (w *wish) isMeant(m []int) bool {
	if len(m) == 0 {
		return false
	}
	before, said, behind := w.plain[:m[0]], w.plain[m[0]:m[1]], m[1]
	if len(m) > 3 && m[3] >= 0 {
		behind = m[3]
	}
	clause := before[strings.LastIndexAny(before, ",;:—–")+1:]
	return speaksAs(before+said, w.author) && !wishedNot.MatchString(clause+strings.Replace(said, "rather", "", 1)) && !wishedWait.MatchString(before) && !onlyIf.MatchString(w.plain[behind:]) &&
		!underItem.MatchString(w.plain) && !wishedItem.MatchString(said)
}

// wished are the forms of sentences in which an author wishes a change of the item in the first group, and aboutIt those about the item
// that the sentences before are about.
var (
	wished = []struct {
		form      *pattern.Pattern
		operation string
	}{
		{wishedThat, edit},
		{wishedFor, edit},
		{wishedKill, kill},
		{wishedEdit, edit},
		{wishedPart, edit},
		{wishedMust, edit},
		{typo, edit},
		{notStaying, kill},
		{mayGo, kill},
		{askedThat, edit},
		{highTime, kill},
		{considered, edit},
		{isOut, kill},
		{statusOf, edit},
		{deserved, edit},
		{concerning, edit},
		{asTo, edit},
	}
	aboutIt = []*pattern.Pattern{wishedIt, mustBeIt, askedItBe, wishedSays}
)

// wishedIn returns the change that an author wishes in a sentence, in which the topic is what the sentences before it are about.
func (s *Slate) wishedIn(sentence, topic, author string) (found SpokenOf, ok bool) {
	if !wishWords.In(sentence) {
		return found, false
	}
	w := &wish{author: author, plain: quotedText.ReplaceAllStringFunc(sentence, func(q string) string { return `"` + strings.Repeat("x", min(len(q), 8)) + `"` })}
	if (strings.Contains(w.plain, "question") || strings.Contains(w.plain, "thread")) && w.isMeant(wishedThread.FindStringIndex(w.plain)) {
		return SpokenOf{Attempt{Operation: edit, Section: artifact.ResearchThread.String(), ID: "RT", Says: sentence}, false}, true
	}
	if operation, id := w.item(topic); id != "" {
		return s.item(operation, id, w.plain, false)
	}
	return s.wishedNew(w)
}

// item returns the operation that an author wishes for an item, which may be the topic of the sentences before, or "".
func (w *wish) item(topic string) (operation, id string) {
	forms := wished
	if !HasID(w.plain) {
		forms = nil
	}
	for i := range forms {
		f := &forms[i]
		m := f.form.FindStringSubmatchIndex(w.plain)
		switch {
		case len(m) == 0 || f.form != notStaying && !w.isMeant(m):
		case (f.form == wishedMust || f.form == askedThat || f.form == considered) && len(m) > 4 && m[4] >= 0:
			return kill, w.plain[m[2]:m[3]]
		case f.form == wishedPart && rowID.MatchString(w.plain):
			return edit, rowID.FindString(w.plain)
		case f.form == mayGo && w.plain[m[2]] != 'H':
			return edit, w.plain[m[2]:m[3]]
		default:
			return f.operation, w.plain[m[2]:m[3]]
		}
	}
	for _, form := range aboutIt {
		m := form.FindStringSubmatchIndex(w.plain)
		if !w.isMeant(m) {
			continue
		}
		operation = edit
		if len(m) > 2 && m[2] >= 0 {
			operation = kill
		}
		return operation, cmp.Or(firstID.FindString(w.plain[:m[0]]), topic)
	}
	return "", ""
}

// wishedNew returns the new item that an author wishes.
func (s *Slate) wishedNew(w *wish) (found SpokenOf, ok bool) {
	to := func(section artifact.Section) (SpokenOf, bool) {
		return SpokenOf{Attempt{Operation: add, Section: section.String(), Says: w.plain}, false}, true
	}
	for _, form := range []*pattern.Pattern{wishedEntry, wishedInto} {
		if m := form.FindStringSubmatchIndex(w.plain); w.isMeant(m) {
			if section, isList := sectionOf(w.plain[m[2]:m[3]]); isList && !HasID(w.plain) {
				return to(section)
			}
		}
	}
	for _, form := range []*pattern.Pattern{wishedAs, suggestsAs, worthAs} {
		m := form.FindStringSubmatchIndex(w.plain)
		if !w.isMeant(m) {
			continue
		}
		if section, isKind := nouns[strings.ToLower(groupOf(w.plain, m))]; isKind {
			return to(section)
		}
	}
	if m := nthMissing.FindStringSubmatchIndex(w.plain); w.isMeant(m) {
		if section := nouns[strings.ToLower(w.plain[m[4]:m[5]])]; s.isBeyond(section, w.plain[m[2]:m[3]]) {
			return to(section)
		}
	}
	if m := nthDelta.FindStringIndex(w.plain); m != nil {
		return SpokenOf{Attempt{Says: w.plain}, false}, true
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
