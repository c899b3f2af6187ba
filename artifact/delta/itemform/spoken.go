package itemform

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// Known returns what the version that an agent was shown says of an item. It is nil if no version is known.
type Known func(id string) (text string, ok bool)

// KnownIn returns what a version says of its items.
func KnownIn(a *artifact.Artifact) Known {
	if a == nil {
		return nil
	}
	return func(id string) (text string, ok bool) {
		it, _, ok := a.Find(id)
		if !ok {
			return "", false
		}
		if it.Killed() {
			text = "killed removed dropped dead deleted retired eliminated "
		}
		for _, f := range it.Fields {
			text += fmt.Sprint(f.Value) + "\n"
		}
		return text, true
	}
}

// The parts of sentences that speak of a change without an order in a known form.
const (
	spokenID     = `(?i:` + kinds + `)` + oneID
	spokenKinds  = `(hypothesis|test|assumption|anomaly|critique|prediction|objection)`
	spokenOwn    = `(?:(?i:let me|let['’]s|let us|please|time to|it is time to)(?: also| now| just)* |(?:I|[Ww]e)(?:['’](?:ll|m|ve))?(?: also| now| hereby| therefore| thus| just| will| have| propose to| want to| suggest to)* )`
	spokenField  = `(?:claim|name|title|mechanism|anchors?|falsif\w+|procedure|(?:expected )?outcomes?|potency(?: check| control)?|feasibility|scores?|likelihood(?: ratio)?|status|statement|load|conditions?|predictions?|observations?|resolution|attack|evidence|wording|text|priority|rank|confidence|scale(?: check)?|cost|speed|control)`
	spokenState  = `(?:killed|addressed|resolved|answered|failed|passed|falsified|refuted|confirmed|verified|challenged|explained|deferred|rejected|retired|removed|dropped|deleted|eliminated|superseded|demoted|promoted|closed|updated|revised|sharpened|reworded|rewritten|corrected|untested|blocked|exhausted)`
	spokenMark   = ` *(?::|—|–|→|->|=>|\||=| -|,) *`
	spokenEnds   = `(?:[.!;]?$| *[,(:—–-]| [A-Z]| (?:and|because|since|as|so|for|in)\b)`
	spokenSome   = `(?:an?|one|another|one more|the following|this|its?|my|our)`
	spokenAdding = `(?:add|register|record|include|introduce|enter|propose)`
)

// spoken are the forms of sentences that speak of a change of the item, or a new item of the kind, in the first group. Those that are
// sure are its author's orders, or what it says that it does.
var spoken = []struct {
	operation string
	sure      bool
	cells     bool // what follows says nothing of its own
	form      *pattern.Pattern
}{
	// Delta 2: KILL H2 – no readout. My second delta kills H2.
	{kill, true, false, pattern.New(`^(?i:delta|change|block) #?\d{1,2}(?::|\.|\)| —| –| -|,)? *\(?(?i:kills?|remove[sd]?|retires?|drops?) ` + spokenID + `\b`)},
	{edit, true, false, pattern.New(`^(?i:delta|change|block) #?\d{1,2}(?::|\.|\)| —| –| -|,)? *\(?(?i:edits?|updates?|revises?|sharpens?|rewords?|corrects?) ` + spokenID + `\b`)},
	{kill, true, false, pattern.New(`^(?:[Mm]y|[Tt]he|[Aa]) (?:\w+ )?(?:first|second|third|fourth|fifth|next|last|other|final|further) (?:delta|block|change) (?:kills|removes|retires|drops|deletes) ` + spokenID + `\b`)},
	{edit, true, false, pattern.New(`^(?:[Mm]y|[Tt]he|[Aa]) (?:\w+ )?(?:first|second|third|fourth|fifth|next|last|other|final|further) (?:delta|block|change) (?:edits|updates|revises|sharpens|rewords|changes|corrects|marks|rewrites) ` + spokenID + `\b`)},
	// Mark H2 dead. T2 – mark as failed. Take H2 off the slate. Time to retire H2.
	{kill, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:mark|set|declare|flag|list|record) ` + spokenID + ` (?:as |to )?(?:be )?(?:killed|dead|retired|removed|dropped|deleted|eliminated)` + spokenEnds)},
	{edit, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:mark|set|declare|flag|list|record) ` + spokenID + ` (?:as |to )?(?:be )?` + spokenState + spokenEnds)},
	{kill, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:take) ` + spokenID + ` (?:off\b|out(?: of the (?:slate|list|artifact|table|running)\b|[.;!,]?$))`)},
	{kill, true, false, pattern.New(mentionLead + `(?i:it is |it['’]s )?(?i:time) to (?:kill|retire|remove|drop|delete|discard|bury|eliminate) ` + spokenID + spokenEnds)},
	{edit, true, false, pattern.New(mentionLead + spokenOwn + `(?:resolve|close|settle) ` + spokenID + `[.;!]?$`)},
	// Remove the anchor §12 from H1. Add §14 to the anchors of H1. Add to T1 a control graft.
	{edit, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:remove|drop|delete|strike|cut) (?:the|its|this|that|an?) (?:[^.;?!:,]{0,40} )?` + spokenField + `\b[^.;?!:]{0,40} (?:from|of|in) ` + spokenID + `\b`)},
	{edit, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:add|append|attach) [^.;?!:]{1,60} to (?:the |its )?` + spokenField + ` (?:of|for|in) ` + spokenID + `\b`)},
	{edit, true, false, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:add|append|attach) (?:to|under) ` + spokenID + ` (?:an?|the|another|one more)\b`)},
	{edit, true, false, pattern.New(mentionLead + spokenOwn + `(?:fix|correct|adjust|repair|amend|reword|rewrite|tighten|sharpen|rephrase) (?:the \w+ (?:of|in) )?` + spokenID + `(?:['’]s)?` + spokenEnds)},
	{edit, true, false, pattern.New(`^(?:[Ii]n|[Oo]f|[Ff]or) ` + spokenID + `(?:['’]s \w+)?,? ["“][^"”]{1,120}["”] (?:becomes|should (?:be|read|say)|now reads|is (?:now|replaced)|→|->)`)},
	{edit, true, true, pattern.New(mentionLead + `(?:` + spokenOwn + `)?(?i:re-?order|rearrange|re-?sequence)\b[^.;?!]{0,30}? ` + spokenID + ` (?:before|after|above|below|and|ahead|first|last)\b`)},
	// The same edit applies to H4. Same edit for H4. Likewise for H4. H4: ditto.
	{edit, false, true, pattern.New(`^(?i:and |also )?(?i:(?:the )?same(?: (?:edit|change|correction|fix|update|delta|wording|field|kill)(?: (?:goes|applies|holds|is made))?| goes| applies)? (?:for|to|in)|likewise,?(?: for| to| in)?|ditto(?: for)?|similarly,? for) ` + spokenID + `(?: *[.!;]?$| *[,(:—–]| too| as well)`)},
	{edit, false, true, pattern.New(`^` + spokenID + spokenMark + `(?i:the )?(?i:same|ditto|idem|likewise|as above)(?: (?:edit|change|here|as above|for .*))?[.!]?$`)},
	// T2 status: failed. A3 – new statement: … T1: likelihood ratio 3. mechanism of H1: …
	{edit, false, true, pattern.New(`^` + spokenID + `(?:['’]s|\.|` + spokenMark + `)? *(?:(?:the|new|revised|corrected|updated|its) )*(?i:` + spokenField + `)(?: is now| now|:| →| \||\)| (?:updated|changed|revised|sharpened|corrected|added|reworded|raised|lowered|replaced|set)\b| (?:to )?\d)(.*)$`)},
	{edit, false, true, pattern.New(`^(?:(?:[Tt]he|[Nn]ew|[Rr]evised|[Uu]pdated|[Cc]orrected) )*(?i:` + spokenField + `) (?:of|for|in) ` + spokenID + `(?::| →| \|)(.*)$`)},
	{edit, false, true, pattern.New(`^(P\d{1,3})(?:\.|/|,? |\[| ?\()(?:column |row |cell |for |under )?[A-Z]{1,2}\d{1,3}[)\]]?(?::| →| \|| =) *\S`)},
	{kill, false, true, pattern.New(`^` + spokenID + `(?: status)?(?:` + spokenMark + `| *\()(?:(?:is )?now |mark(?:ed)?(?: as| it)? |set to )?(?:killed|retired|removed|dropped|deleted|eliminated)\b\)?` + spokenEnds)},
	{edit, false, true, pattern.New(`^` + spokenID + `(?: status)?(?:` + spokenMark + `| *\()(?:(?:is )?now |mark(?:ed)?(?: as| it)? |set to )?` + spokenState + `\b\)?` + spokenEnds)},
	{kill, false, true, pattern.New(`^~~ *` + spokenID + `\b[^~]{0,120}~~(?:[.!]?$| *\()`)},
	{kill, false, true, pattern.New(`^(?:❌|✗|✘|🗑|✂|💀)\x{FE0F}? *` + spokenID + `(?:[.!]?$| *\()`)},
	{kill, false, true, pattern.New(`^` + spokenID + `(?::| —| –)? *(?:❌|✗|✘|🗑|💀)\x{FE0F}?[.!]?$`)},
	{edit, false, true, pattern.New(`^` + spokenID + `: ["“]([^"”]{4,})["”][.!]?$`)},
	// T2 also needs a potency check: … We also need a scale check in A2.
	{edit, false, false, pattern.New(mentionLead + spokenID + ` (?:also |still |now |therefore )*(?:needs?|requires|should get|gets|receives) (?:an?|its|another|one more) (?:[\w-]+ ){0,3}?` + spokenField + `\b`)},
	{edit, false, false, pattern.New(mentionLead + `(?:I|[Ww]e) (?:also |still |now |therefore )*(?:need|want|require) (?:an?|another|one more) (?:[\w-]+ ){0,3}?` + spokenField + ` (?:in|for|to|on|of) ` + spokenID + `\b`)},
	// I added an anomaly on reversal. I also registered the reversal as an anomaly. An anomaly should be added: …
	{add, true, true, pattern.New(mentionLead + spokenOwn + spokenAdding + `(?:s|ed|d)? ` + spokenSome + ` (?:[\w-]+ ){0,2}?` + spokenKinds + ` (?:that|on|about|of|with|which|for|named|called|:|—|–)`)},
	{add, true, true, pattern.New(mentionLead + spokenOwn + `(?:add|register|record|include|enter|list)(?:ed)? [^.;?!:]{1,80} as an? (?:new )?` + spokenKinds + `\b`)},
	{add, false, true, pattern.New(mentionLead + `(?:I|[Ww]e) would also ` + spokenAdding + ` ` + spokenSome + ` (?:[\w-]+ ){0,2}?` + spokenKinds + ` (?:that|on|about|of|with|which|named|called|:|—|–)`)},
	{add, false, true, pattern.New(mentionLead + `(?:An?|Another|One more|an?|another|one more) (?:[\w-]+ ){0,2}?` + spokenKinds + `(?: \([^)]{1,60}\))? (?:is|should be|could be|must be|needs to be|has been|ought to be|can be|will be)(?: also| now| hereby| therefore)* (?:added|registered|recorded|included|introduced|entered|proposed)\b`)},
	{add, false, true, pattern.New(`^(?:My|Our|A|The) (?:own |new |further |other |third |fourth |fifth |additional )+` + spokenKinds + `(?: is)?(?: that\b|:| —| –)`)},
	{add, false, true, pattern.New(`^(?:[Nn]ew|[Aa]dditional|[Ff]urther|[Aa]nother) ` + spokenKinds + `(?::| —| –) *\S`)},
	{add, false, true, pattern.New(`^(Hypothesis|Assumption|Anomaly): *[\pL"“][^?]{10,}$`)},
}

// unknownItem matches the beginning of a sentence about an item that the version shown does not have, and ownUnknown one that
// proposes it.
var (
	unknownItem = pattern.New(`^(?:(?:[Nn]ew|[Pp]roposed|[Aa]dded|[Aa]ddition|[Aa]lso)(?::| —| –)? *)?(?i:` + kinds + `)` + oneID + `(?:(?: [^.;:?!]{1,60})?(?::| —| –| -|\.| \() *)(\S.{5,})$`)
	ownUnknown  = pattern.New(mentionLead + spokenOwn + `(?:propose|suggest|add|introduce|register)(?:s|d|ed)? (?i:` + kinds + `)` + oneID + `\b(.*)$`)
	// spokenView matches what an author thinks of a field instead of a new text of it.
	spokenView = pattern.New(`^[\s:=→|)-]*(?i:active|open|alive|live|pending|unchanged|still|un\w+|not|no|none|is|are|was|were|see|same|fine|ok|okay|good|weak|strong|clear|agreed?|correct|sound|missing|too|needs?|lacks?|as|what|why|how|this|that|it|I|we|the (?:same|only|problem))\b`)
	// spokenWords are parts of words of which every sentence that Spoken finds has one, unless it begins with an item.
	spokenWords = remark.WordsOf("elta", "lock", "hange", "ark ", "et ", "eclare", "lag ", "ist ", "ecord", "ake ", "ime to", "esolve", "lose ", "ettle", "emove", "rop ", "elete", "trike", "ut ", "dd ", "dded", "ppend", "ttach", "ix ", "orrect", "djust", "epair", "amend ", "Amend ", "eword", "ewrite", "ighten", "harpen", "ephrase",
		"In ", "in ", "Of ", "For ", "eorder", "e-order", "earrange", "equence", "ame ", "ikewise", "itto", "imilarly", " of ", " for ", "needs", "need ", "equires", "gets", "eceives", "want", "egister", "nclude", "ntroduce", "nter", "ropose", "uggest", "My ", "Our ", "ew ", "dditional", "urther", "nother", "ypothesis:", "ssumption:", "nomaly:", "nomaly")
	kindParts = remark.WordsOf("ypothesis", "nomaly", "ssumption", "test", "Test", "ritique", "rediction", "bjection")
)

// stateOf matches words of titles above lists of how items stand.
var stateOf = pattern.New(`(?i)\b(?:status|states?|standing|summary|overview|slate|scoreboard|ranking)\b`)

// IsState reports whether a title is above a list of how items stand.
func IsState(title string) bool { return standing.MatchString(title) || stateOf.MatchString(title) }

// MaySpeak reports whether a line may speak of a change: it has an item, or a word for one.
func MaySpeak(line string) bool { return HasID(line) || kindParts.In(line) }

// SpokenOf is a change of which a sentence speaks.
type SpokenOf struct {
	Attempt
	Sure bool
}

// Spoken returns the changes of which the sentences of a line speak, and whether they are their author's for sure: orders, or what it
// says that it does. An item that the version shown has as the line says is no change.
func Spoken(line, author string, known Known) (all []SpokenOf) {
	const longest = 4000
	line = clausePlain.Replace(line[:min(len(line), longest)])
	line = strings.TrimSpace(line[len(clauseMark.FindString(line)):])
	if name, _, ok := strings.Cut(line, ":"); ok && name != author && isAgentName(name) {
		return nil
	}
	for line != "" {
		end := SentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		line = strings.TrimLeft(line[end:], " \t\r\n")
		if !MaySpeak(sentence) || strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, ":") || !speaksAs(sentence, author) || awayFrom(sentence) || IsHeld(sentence) {
			continue
		}
		if a, isSure, ok := spokenIn(sentence, known); ok {
			all = append(all, SpokenOf{a, isSure})
		}
	}
	return all
}

// spokenIn returns the change of which a sentence speaks.
func spokenIn(sentence string, known Known) (a Attempt, sure, ok bool) {
	if a, ok = spokenNew(sentence, known); ok {
		return a, false, true
	}
	if !spokenWords.In(sentence) && !beginsWithItem(sentence) {
		return a, false, false
	}
	for i := range spoken {
		f := &spoken[i]
		m := f.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		switch {
		case f.operation == add && HasID(sentence[m[1]:]) && toItem.MatchString(sentence), f.operation != add && isHedgedBeside(sentence, m, f.cells):
			return a, false, false
		case f.operation == add:
			s := nouns[strings.ToLower(sentence[m[2]:m[3]])]
			return Attempt{Operation: add, Section: s.String(), Says: sentence[m[1]:]}, f.sure, true
		}
		if len(m) > 4 && m[4] >= 0 && spokenView.MatchString(sentence[m[4]:m[5]]) || isShown(sentence, m, known) {
			return a, false, false
		}
		a, ok = mentioned(f.operation, sentence, m)
		if section, isItem := artifact.SectionOfID(a.ID); isItem {
			if field, isField := section.Spec().Field(fieldNamed(sentence)); isField {
				a.Field = field.Name
			}
		}
		return a, f.sure, ok
	}
	return a, false, false
}

// isHedgedBeside reports whether the words of a form and those behind it, up to a reason, say that the change is not made. What follows
// a new item, or the text of a field, is its own.
func isHedgedBeside(sentence string, m []int, cells bool) bool {
	said, rest := strings.Replace(sentence[:m[1]], "second ", "", 1), sentence[m[1]:]
	if cells {
		said = ""
	}
	if len(m) > 4 && m[4] >= 0 || strings.HasSuffix(sentence[:m[1]], "(") {
		rest = ""
	}
	if r := reasons.FindStringIndex(rest); r != nil {
		rest = rest[:r[0]]
	}
	return isHedgedIn(quotedText.ReplaceAllString(said+rest, ""))
}

// isShown reports whether the version shown has an item as a sentence says.
func isShown(sentence string, m []int, known Known) bool {
	if known == nil {
		return false
	}
	text, ok := known(sentence[m[2]:m[3]])
	if !ok {
		return false
	}
	value := sentence[m[3]:]
	if len(m) > 4 && m[4] >= 0 {
		value = sentence[m[4]:m[5]]
	}
	value = strings.ToLower(strings.Trim(value, " .:;=→|()\"“”"))
	return len(value) > 2 && strings.Contains(strings.ToLower(text), value)
}

// beginsWithItem reports whether a sentence begins with an item, behind marks.
func beginsWithItem(sentence string) bool {
	at := firstID.FindStringIndex(sentence)
	return len(at) > 0 && at[0] < 16
}

// spokenNew returns the new item that a sentence describes: the version shown has none with its id.
func spokenNew(sentence string, known Known) (a Attempt, ok bool) {
	if known == nil || !HasID(sentence) {
		return a, false
	}
	for _, form := range []*pattern.Pattern{unknownItem, ownUnknown} {
		m := form.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		s, isItem := artifact.SectionOfID(m[1])
		if _, isKnown := known(m[1]); isKnown || !isItem || spokenView.MatchString(m[2]) {
			continue
		}
		return Attempt{Operation: add, ID: m[1], Section: s.String(), Says: m[2]}, true
	}
	return a, false
}

// Count is what a sentence says of how many changes the reply has.
type Count struct {
	Line  int
	Text  string
	Sure  bool // it counts deltas
	left  map[string]int
	total int
}

var (
	countLead  = pattern.New(mentionLead + `(?:(?:[Ii]n|[Ff]or) this (?:round|reply|turn|message),? )?(?:(?:I|[Ww]e)(?:['’](?:ll|m))?(?: will| hereby| now| therefore| also| am| have)* (?:submit|make|send|propose|have|offer|give|contribute|put forward|submitting|sending|making|proposing)|[Tt]his (?:reply|message) (?:has|contains|makes|submits)|(?:[Hh]ere (?:are|come)|[Bb]elow are))\b`)
	countEach  = pattern.New(`\b(?i:(one|two|three|four|five|six|seven|eight|an?|[1-9])) (ADD|EDIT|KILL)s?\b`)
	countTotal = pattern.New(`^[^,;:()]{0,30}\b(?i:(two|three|four|five|six|seven|eight|[2-9])) (?:\w+ )?(deltas|changes)(?:[.:]$| (?:this round|in this (?:round|reply)|below|follow|in total|in all)\b)`)
	numberOf   = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
)

// InCount returns how many changes a line says that the reply has.
func InCount(line string) (c Count, ok bool) {
	line = clausePlain.Replace(line)
	line = strings.TrimSpace(line[len(clauseMark.FindString(line)):])
	for line != "" {
		end := SentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		line = strings.TrimLeft(line[end:], " \t\r\n")
		lead := countLead.FindString(sentence)
		if lead == "" || strings.HasSuffix(sentence, "?") || awayFrom(sentence) && !strings.Contains(sentence, "his round") || isHedgedIn(sentence) {
			continue
		}
		c = Count{Text: sentence, left: make(map[string]int)}
		for _, m := range countEach.FindAllStringSubmatch(sentence, -1) {
			c.left[m[2]] += numeral(m[1])
			c.Sure = true
		}
		if m := countTotal.FindStringSubmatch(sentence[len(lead):]); m != nil && !c.Sure {
			c.total, c.Sure = numeral(m[1]), m[2] != "changes"
		}
		if c.Sure || c.total > 0 {
			return c, true
		}
	}
	return c, false
}

func numeral(word string) int {
	if n := numberOf[strings.ToLower(word)]; n > 0 {
		return n
	}
	return int(word[0] - '0')
}

// Take notes that the reply has a change.
func (c *Count) Take(operation string) {
	c.left[operation]--
	c.total--
}

// Missing returns the operations of the changes that the reply does not have, or "" for any.
func (c *Count) Missing() (all []string) {
	for _, operation := range []string{kill, edit, add} {
		if c.left[operation] > 0 {
			all = append(all, operation)
		}
	}
	if c.total > 0 {
		all = append(all, "")
	}
	return all
}

// plans matches a sentence in which an author lists what it changes.
var plans = pattern.New(`^[^\w]*(?:(?:[Ii]n this (?:reply|round|message)|[Hh]ere|[Tt]his round),? )?(?:I|We)(?: will|['’]ll| hereby| now| therefore)? [a-z]+ [^.;?!]*(?:, | and )[^.;?!]*[.!:]?$`)

// IsPlan reports whether a sentence lists changes of several items, of which the reply has some.
func IsPlan(sentence string, changed func(id string) bool) bool {
	if !plans.MatchString(sentence) || isHedgedIn(sentence) {
		return false
	}
	ids := firstID.FindAllString(sentence, 8)
	for _, id := range ids {
		if changed(id) {
			return len(ids) > 1
		}
	}
	return false
}

var (
	namedField  = pattern.New(`(?i)\b` + spokenField + `\b`)
	spokenNames = map[string]string{
		"scores": "score", "likelihood": "score", "likelihood ratio": "score", "feasibility": "score", "speed": "score", "cost": "score",
		"outcome": "expected_outcomes", "outcomes": "expected_outcomes", "expected outcomes": "expected_outcomes", "potency": "potency_check",
		"potency control": "potency_check", "anchor": "anchors", "scale": "scale_check", "prediction": "predictions",
	}
)

// fieldNamed returns the field that a sentence names, or "".
func fieldNamed(sentence string) string {
	name := strings.ToLower(namedField.FindString(sentence))
	if field := spokenNames[name]; field != "" {
		return field
	}
	return strings.ReplaceAll(name, " ", "_")
}
