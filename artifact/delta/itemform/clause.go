package itemform

import (
	"bytes"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/lazy"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// Place is where a line is.
type Place struct {
	Above  []byte // the text before it
	Below  []byte // the text behind it
	Alone  bool   // it is a paragraph of its own
	Listed bool   // it is in a list of changes
	Title  bool   // it is a heading, or ends in a colon
	Marked bool   // it is an item of a list
}

// The parts of short sentences.
const (
	shortLead  = `^(?i:(?:and|also|so|then|therefore|thus|hence|finally|next|plus|additionally|furthermore|moreover|in addition|consequently),? )*`
	shortOwn   = `(?:(?:I say,? )?(?:I|[Ww]e)(?:['’]d|['’]ll| would| will| hereby| also| now| therefore| want| wish| like| to| propose| suggest| recommend| should| must| can| need)* |(?i:let['’]?s |let us |please |(?:it is |it['’]s )?time to ))?`
	shortItem  = `(?i:` + kinds + `)` + oneID
	shortList  = `(?i:` + kinds + `)` + idList
	shortEnds  = `(?: *[.;!]?$| (?:because|since|from the|in the|for good)\b| *[,(:—–])`
	shortNow   = `(?: now| instead| rather| therefore| simply)*`
	shortMust  = ` (?:should|must|shall|needs to|has to|ought to|is to)` + shortNow
	shortText  = `(?::? *["“‘']|: *\S| \d| the following| that\b)`
	shortNth   = `^(?i:(?:first|second|third|fourth|next|then|last|finally|lastly|also|secondly|thirdly),? (?:the |an? |my )?)`
	shortTopic = `^(?i:(?:and |also |then |next )?(?:as for|regarding|re|concerning|about|for|on|one for|another for|the same for) )`
	shortSign  = `(?:→|->|=>|➜|⇒|➡)`
)

// shorts are the forms of short sentences that order a change: the groups are the items and the field.
var shorts = []struct {
	operation string
	apart     bool // the line is a paragraph of its own, or in a list of changes
	form      *pattern.Pattern
}{
	{kill, false, pattern.New(shortLead + shortOwn + `(?i:get rid of|do away with|throw out|toss out|toss|kick out|take out|weed out|cross out|strike out|cut|bin|lose|bury|chuck|out with|away with|goodbye,?|farewell,?) ` + shortList + shortEnds)},
	{kill, false, pattern.New(`^(?:No more|RIP,?|R\.I\.P\.,?) ` + shortList + ` *[.!]?$`)},
	{kill, false, pattern.New(shortLead + shortList + ` (?:is|are|goes|go)(?:(?: now| hereby| therefore| thus)* (?:out|history|toast|off the (?:slate|list|table))|(?: now| hereby| therefore| thus)+ (?:gone|dead))` + shortEnds)},
	{kill, false, pattern.New(shortLead + shortList + ` (?:gets?|deserves?) the (?:axe|boot|chop|bin)` + shortEnds)},
	{kill, false, pattern.New(shortLead + shortList + ` (?:can|should|must|needs to|has to|ought to|deserves to)(?: now| therefore)? be (?:crossed (?:off|out)|binned|cut|thrown out|tossed(?: out)?|buried|taken out|taken off|weeded out)` + shortEnds)},
	{kill, true, pattern.New(`^` + shortList + ` *` + shortSign + ` *(?i:dead|out|gone|graveyard|trash|bin|remove|kill|drop|delete|retire|discard)(?:[.!]?| *[(,:—–][^?]*)$`)},
	{kill, false, pattern.New(`^(?i:(?:here (?:it|this) is )?in (?:plain )?(?:words|english)): *(?i:kill|remove|delete|drop|retire) ` + shortList + shortEnds)},
	{kill, true, pattern.New(`^` + shortList + ` *(?::|—|–|=| -) *(?i:dead|out|gone|killed|removed|deleted|dropped|retired)[.!]?$`)},
	{kill, true, pattern.New(`^~~ *` + oneID + `\b[^~]{0,120}~~[.!]?$`)},
	{kill, false, pattern.New(`^(?:❌|🚫|⛔|🗑|✂|💀|☠|🪦)\x{FE0F}? *` + idList + `\b[^?]{0,160}\b(?:out|gone|goes|dead|bye)[.!]?$`)},
	{kill, true, pattern.New(`^(?:❌|🚫|⛔|🗑|✂|💀|☠|🪦)\x{FE0F}? *` + idList + `[.!]?$`)},
	{edit, false, pattern.New(shortLead + `(?i:please )?(?i:have|let|make) ` + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))? read\b`)},
	{edit, false, pattern.New(shortLead + `(?i:please )?[Mm]ake ` + shortItem + `['’]s (\w+(?: \w+){0,3}) (?:\d|["“])`)},
	{edit, false, pattern.New(`^(?i:new|revised|updated|corrected|better|sharper|tighter) (?i:wording|text|statement|claim|version|procedure|formulation|phrasing|attack)(?: for| of) ` + shortItem + ` *: *\S`)},
	{edit, false, pattern.New(shortLead + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))?` + shortMust + ` read\b`)},
	{edit, false, pattern.New(shortLead + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))?` + shortMust + ` (?:say|state|be|become|change to)` + shortText)},
	{edit, false, pattern.New(shortLead + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))?` + shortMust + ` be (?:reworded|rephrased|rewritten|restated|changed|tightened|sharpened|narrowed)(?: to(?: read)?| as)?:? *["“]`)},
	{edit, false, pattern.New(shortLead + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))?(?: now| then)? becomes?(?::? *["“]|: *\S| \d)`)},
	{edit, false, pattern.New(shortLead + shortItem + `(?:['’]s (\w+(?: \w+){0,3}))?(?: now (?:reads|says)| is now)(?::? *["“]|: *\S)`)},
	{edit, false, pattern.New(shortLead + shortItem + shortMust + ` be (?:marked|recorded|set|flagged|listed|treated|regarded|noted|entered|declared)(?: now)? (?:as|to)(?: being)? (?:passed|failed|falsified|verified|challenged|resolved|explained|deferred|blocked|exhausted|unverified|untested)` + shortEnds)},
	{edit, false, pattern.New(shortLead + shortItem + `(?::|,|['’]s)? (?:the )?(\w+(?: \w+){0,3})` + shortMust + ` (?:be|become|go to|drop to|rise to|go (?:up|down) to) (?:\d|["“])`)},
	{edit, false, pattern.New(`^` + shortItem + `(?::|['’]s)? (\w+(?: \w+)?) ?(?::=|=) ?[^\s=]+(?: \S+){0,5}$`)},
	{kill, true, pattern.New(`^(?i:also )?(?:Removed|Killed|Dropped|Retired|Deleted|Withdrew|Discarded|Scrapped) ` + shortList + shortEnds)},
	{edit, true, pattern.New(`^` + shortItem + ` ?` + shortSign + ` ?["“„«]`)},
	{edit, true, pattern.New(`^(A\d{1,3}) ?` + shortSign + ` ?[^\d→]{2,80}$`)},
	{edit, false, pattern.New(shortLead + shortOwn + `(?i:swap|exchange|switch)(?: the (?:order|places|positions) of)? ` + `(?i:` + kinds + `)([A-Z]{1,2}\d{1,3} (?:and|with|&) [A-Z]{1,2}\d{1,3})` + shortEnds)},
	{edit, false, pattern.New(shortLead + shortOwn + `(?i:move|promote|demote) ` + shortItem + ` (?:up |down )?(?:to (?:the )?(?:first|second|third|last|top|bottom|front|end)|ahead of|above|below)\b`)},
	{edit, false, pattern.New(shortLead + shortOwn + `(?i:revive|reinstate|resurrect|restore|bring back|reopen|reactivate|unkill|undelete) ` + shortList + shortEnds)},
	{add, false, pattern.New(`^(?i:another|one more|an additional|a further|a new|a second) ` + noun + ` to (?:list|add|register|record|log|include|note)(?::| —| –) *(\S.*)`)},
	{add, false, pattern.New(`^ADD ([HTAXCP])(?:\d{0,3})(?: ?[:—–-]+ ?| )(["“].+|[A-Za-z].{12,})`)},
	{add, false, pattern.New(`^(?i:` + kinds + `)` + oneID + titleTo + `(\S[^:.]{1,90} ` + titleMark + `[.:]+ *\S.*)$`)},
	{add, false, pattern.New(`^(?i:` + kinds + `)` + oneID + ` \((?i:(?:my|our) (?:addition|suggestion|new \w+|hypothesis|test|own)|added|addition|new)\)(?::| —| –) *(\S.*)$`)},
	{kill, false, pattern.New(`^(?:!|@[a-z][a-z-]* )(?i:kill|remove|delete|drop|retire) ` + shortList + `(?: *$|[.,:(—–-]| [a-z])`)},
	{kill, false, pattern.New(shortTopic + shortList + `[:,] (?i:please |I would |I['’]d |I )*(?i:kill|remove|delete|drop|retire|discard)(?: it| them)?` + shortEnds)},
	{kill, false, pattern.New(shortTopic + shortList + `[:,] (?i:I|we)(?:['’]d| would) (?:like|want|prefer)(?: to (?:see|have))? (?:it|them) (?:killed|removed|deleted|dropped|retired|gone)` + shortEnds)},
	{edit, false, pattern.New(`^(?i:in|for|on) ` + shortItem + `(?:['’]s (\w+))?,? (?i:please )?(?i:replace|change|swap|reword) ` + quoted + `(?: \S+){0,8} (?:with|to|by) `)},
	{edit, false, pattern.New(`^` + shortItem + `(?:\.(\w+))?:? s/[^/\s][^/]*/[^/]*/g?[.]?$`)},
	{edit, false, pattern.New(`^` + shortItem + `[:,] (?i:please )?(?i:raise|lower|set|change|update|increase|reduce|bump) (?:the |its )?(\w+(?: \w+){0,2}) (?:from \S+ )?to \S`)},
	{add, false, pattern.New(`^(?i:` + kinds + `)` + oneID + `:? (\S[^():]{1,80} \((?i:new|proposed|added|my addition)\) *[:—–-]+ *\S.*)$`)},
	{kill, true, pattern.New(shortNth + `(?:kill|removal|deletion) (?:of|for) ` + shortList + shortEnds)},
	{edit, true, pattern.New(shortNth + `(?:edit|revision|rewrite|sharpening) (?:of|to|for) ` + shortItem + `(?:['’]s (\w+(?: \w+)?))?` + shortEnds)},
	{kill, true, pattern.New(`^` + shortList + ` out(?:[.;!]|, [A-Z]{1,2}\d{1,3} (?:in|stays?|remains?)[.!]?)?$`)},
	{add, true, pattern.New(`^\+ ` + oneID + `:? (\S.{5,})$`)},
}

// sames match a short sentence that orders for other items what the sentence or the block before it does.
var sames = []*pattern.Pattern{
	pattern.New(`^(?i:and |also )?(?i:the same|same|ditto|likewise|idem|similarly)(?: goes| applies| holds| here)?(?: for| to| with|:|,| —| –)? ` + shortList + `(?: *[.!;]?$| *[,(:—–])`),
	pattern.New(`^(?i:and |so )?` + shortList + `,? (?i:likewise|ditto|idem|same|the same|too|as well)(?: here)?(?: *[.!;]?$| *[:(—–])`),
}

// clauseClues are parts of words near an id of which every sentence that only the fifth reader knows has one.
var (
	otherWords  = lazy.Of(func() *remark.Words { return remark.WordsOf(otherStems()...) })
	clauseClues = remark.WordsOf("id of", "away", "row out", "oss ", "ick ", "ake out", "ross out", "ut ", "in H", "ose ", "ury ", "huck", "ut with", "way with", "oodbye", "arewell", "o more", "RIP", "R.I.P", " is out", " out", "istory", "toast", " off the", "~~",
		" read", "ecome", " now ", " now:", "should", "must", "shall", "needs to", "has to", "ought", " = ", ":=", "wap ", "xchange", "witch", "ove ", "romote", "ank ", "ut ", "lace ", "emote", "evive", "einstate", "esurrect", "estore", "ring back", "eopen", "eactivate", "nkill", "ndelete",
		"ADD", "ame ", "itto", "ikewise", "dem ", "imilarly", " too", "as well", "(new", "(proposed", "+ ", ": dead", ": out", ": gone", "dead", "the axe", "the boot", "the chop", "ossed", "inned", "uried", " be cut", "ording", "ords:", "nglish:", "→", "->", "=>", "evised", "pdated", "orrected", "New ", "ake ", "evis", "odif", "arpened", "rephras", "arrowed", "ghtened", "efined", "ended to", "dited", "djusted", "restat", "mproved", "hanged", "(rev", "new wording", "etract", "ithdr", "escind", "ecant", "evok", "ack ", "bandon", "ive up", "iving up",
		" set to", " s/", "emoval", "eletion", "ewrite", "edit", "owered", "aised", "eplaced", "educed", "ncreased", "arked", "alsified", "erified", "hallenged", "esolved", "xplained", "(my", "(our", "roposed", "uggested", "ecommended", "equested", "ill ", "emove", "elete", "rop ", "etire", "iscard", "ets ", " set", " mark", "ename", "(was", "(before", "(old", "lease", "❌", "🚫", "⛔", "🗑", "✂", "💀", "☠", "🪦")
	clausePlain = strings.NewReplacer("**", "", "`", "", "__", "", " :", ":", "\u00a0", " ")
	clauseMark  = pattern.New(`^[\s>#*•-]*(?:\d{1,2}[.)] +)?(?:\[[ xX✓]?\] +)?`)
)

// HasClauseWord reports whether a text near an id may order a change in a short sentence, or in another language.
func HasClauseWord(near string) bool { return clauseClues.In(near) || otherWords.Get().In(near) }

// InClauses returns the changes that the sentences of a line order shortly, or in another language than English.
func InClauses(line string, p Place) (all []Attempt) {
	line = clausePlain.Replace(line)
	line = strings.TrimSpace(line[len(clauseMark.FindString(line)):])
	if name, _, ok := strings.Cut(line, ":"); ok && isAgentName(name) {
		return nil
	}
	for _, find := range []func(string) (Attempt, bool){p.inRevised, p.inOtherNew, p.inProposal, inSection} {
		if a, ok := find(line); ok {
			return []Attempt{a}
		}
	}
	before := ""
	for line != "" {
		end := SentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		line = strings.TrimLeft(line[end:], " \t\r\n")
		last := before
		before = sentence
		if found := inPronoun(sentence, last); len(found) > 0 {
			all = append(all, found...)
			continue
		}
		if sentence == "" || !HasID(sentence) && !kindWords.In(sentence) && !strings.HasPrefix(sentence, "ADD ") || strings.HasSuffix(sentence, "?") || awayFrom(sentence) || IsHeld(sentence) {
			continue
		}
		found := p.inShort(sentence)
		if len(found) == 0 {
			found = inOther(sentence)
		}
		if len(found) == 0 {
			found = p.inSame(sentence, last)
		}
		if len(found) == 0 {
			found = p.inHalves(sentence)
		}
		if len(found) == 0 {
			found = p.inShort(fieldOfItem.ReplaceAllString(sentence, "$2's $1$3"))
		}
		all = append(all, found...)
		p.Alone = p.Alone && line == ""
	}
	return all
}

// inShort returns the change that a short sentence orders.
func (p Place) inShort(sentence string) []Attempt {
	if a, ok := inRetraction(sentence); ok {
		return []Attempt{a}
	}
	if a, ok := p.inAltered(sentence); ok {
		return []Attempt{a}
	}
	for i := range shorts {
		f := &shorts[i]
		m := f.form.FindStringSubmatchIndex(sentence)
		if m == nil || f.apart && !p.Alone && !p.Listed {
			continue
		}
		if a, ok := shortOf(f.operation, sentence, m); ok {
			return []Attempt{a}
		}
	}
	return nil
}

// fieldOfItem matches the beginning of a sentence about a field of an item: the groups are the field, the item, and what follows.
var fieldOfItem = pattern.New(`^[Tt]he (\w+(?: \w+)?) of ([A-Z]{1,2}\d{1,3})( (?:becomes|should|must|is now|now (?:reads|says)|shall)\b)`)

// pronounOrder matches a sentence that orders a removal of what the sentence before it is about.
var pronounOrder = pattern.New(`^(?i:(?:so|please|therefore|hence|thus|then),? )*(?i:kill|remove|delete|drop|retire|discard) it` + shortEnds)

// inPronoun returns the removal that a sentence orders of the item with which the sentence before it begins.
func inPronoun(sentence, before string) []Attempt {
	id := ids.FindString(before)
	if !pronounOrder.MatchString(sentence) || id == "" || !strings.HasPrefix(before, id) || idIn([]byte(before)) != id {
		return nil
	}
	s, ok := artifact.SectionOfID(id)
	if !ok || IsHeld(before) || conditionFirst.MatchString(sentence) {
		return nil
	}
	return []Attempt{{Operation: kill, Section: s.String(), ID: id, Says: before}}
}

// inHalves returns the changes of a sentence of two, of which the second has an item of its own as its subject: "Drop H4, and T2 should
// be marked as passed."
func (p Place) inHalves(sentence string) []Attempt {
	m := halves.FindStringSubmatch(sentence)
	if m == nil {
		return nil
	}
	return append(InSentence(m[1]+".", "", p.Listed), p.inShort(m[2])...)
}

// halves matches a sentence of two, with an item as the subject of the second.
var halves = pattern.New(`^([^,;:?]{4,200}?(?:, (?:since|because|as|which|it)[^,;:?]{3,120})?),? (?:and|but|while|whereas) ((?i:(?:hypothesis|test|assumption|anomaly|critique) )?[A-Z]{1,2}\d{1,3} (?:should|must|needs|has|ought|is|can|stays|remains|deserves)\b.*)$`)

// shortOf returns what a form of a short sentence has found, unless what is behind it sets a condition.
func shortOf(operation, sentence string, m []int) (a Attempt, ok bool) {
	rest := sentence[m[1]:]
	if operation == add {
		what, says := sentence[m[2]:m[3]], sentence[m[4]:m[5]]
		if s, isID := artifact.SectionOfID(what); isID {
			return Attempt{Operation: add, Section: s.String(), ID: what, Says: says}, true
		}
		if s, isID := artifact.SectionOfID(what + "1"); isID && len(what) == 1 {
			return Attempt{Operation: add, Section: s.String(), Says: says}, true
		}
		s, isKind := nouns[strings.ToLower(what)]
		return Attempt{Operation: add, Section: s.String(), Says: says}, isKind
	}
	isBehind := strings.ContainsAny(sentence[m[1]-1:m[1]], ",(:") // a reason, unless it begins with a condition
	if r := reasons.FindStringIndex(rest); r != nil && !isBehind {
		rest = rest[:r[0]]
	}
	if isBehind && conditionFirst.MatchString(rest) || !isBehind && conditions.MatchString(rest) {
		return a, false
	}
	a, ok = attemptOf(operation, sentence, m)
	if operation == edit && len(m) > 4 && m[4] >= 0 && a.Field == "" {
		s, _ := artifact.ParseSection(a.Section)
		words := strings.Fields(sentence[m[4]:m[5]])
		a.Field = fieldIn(s, words[len(words)-1])
		ok = ok && (a.Field != "" || scoreWords.Has(strings.ToLower(words[len(words)-1])) || scoreWords.Has(strings.ToLower(words[0])))
	}
	return a, ok
}

var conditionFirst = pattern.New(`^ *(?i:(?:but|though|or|and) )?(?i:if|unless|once|when|until|only|after|later|not yet|provided|assuming|in case|should)\b`)

// scoreWords are words for what an item has besides its fields.
var scoreWords = lazy.WordsOf("score cost wording text title name status rating cost speed potency")

// inSame returns the change that a sentence orders as the sentence before it does, or what is above its line.
func (p Place) inSame(sentence, before string) []Attempt {
	if isFenceLine(bytes.TrimLeft(p.Below[:min(len(p.Below), 40)], " \t\r\n")) {
		return nil // it leads to the block below
	}
	for _, form := range sames {
		if m := form.FindStringSubmatchIndex(sentence); m != nil {
			if a, ok := attemptOf(p.operationBefore(before), sentence, m); ok && a.Operation != "" {
				return []Attempt{a}
			}
		}
	}
	return nil
}

// operationBefore returns the operation that a sentence orders, or if it is empty the last line or the block above, or "".
func (p Place) operationBefore(sentence string) string {
	const most = 2000
	above := bytes.TrimRight(p.Above[max(0, len(p.Above)-most):], " \t\r\n")
	if sentence == "" {
		sentence = strings.ToValidUTF8(string(above[bytes.LastIndexByte(above, '\n')+1:]), "")
		if isFenceLine([]byte(sentence)) {
			above = above[max(0, bytes.LastIndex(above, []byte(`"operation"`))):]
			return operationOf(firstWord(string(bytes.TrimPrefix(above, []byte(`"operation"`)))))
		}
		sentence = clausePlain.Replace(sentence[len(clauseMark.FindString(sentence)):])
	}
	for _, a := range append(InSentence(sentence, "", true), p.inShort(sentence)...) {
		return a.Operation
	}
	return ""
}

// firstWord returns the first word of a text.
func firstWord(text string) string {
	text = strings.TrimLeftFunc(text, func(c rune) bool { return !unicode.IsLetter(c) })
	if end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsLetter(c) }); end >= 0 {
		return text[:end]
	}
	return text
}

// SentenceEnd returns where the first sentence of a text ends.
func SentenceEnd(text string) int {
	for i, c := range text {
		if end := i + len(string(c)); c == '。' || strings.ContainsRune(".!?;", c) && (end == len(text) || text[end] == ' ' || text[end] == '\n') {
			return end
		}
	}
	return len(text)
}

// isAgentName reports whether a word is a name as agents have: RedSky.
func isAgentName(name string) bool {
	small := strings.IndexFunc(name, unicode.IsLower)
	return small > 0 && strings.IndexFunc(name[small:], unicode.IsUpper) >= 0 && !strings.ContainsRune(name, ' ')
}
