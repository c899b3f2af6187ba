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

// The parts of sentences that speak of a change of an item.
const (
	mentionLead = `^[^\w"“'‘(]*(?:@\w+ )?/?(?i:(?:and|also|so|then|therefore|thus|hence|finally|next|plus|additionally|furthermore|please|p\.?s\.?:?|in addition|to do:?|clearly|in my view|as a result|consequently),? )*`
	mentionID   = `(?i:` + kinds + `)` + oneID
	mentionKill = `kill(?:ed|ing)?|remov(?:e|ed|ing)|delet(?:e|ed|ing)|drop(?:ped|ping)?|retir(?:e|ed|ing)|discard(?:ed|ing)?|eliminat(?:e|ed|ing)|scrap(?:ped|ping)?|scratch(?:ed|ing)?|struck|strike|axed?|withdrawn?|retract(?:ed|ing)?`
	mentionEdit = `reword(?:ed|ing)?|rewrit(?:e|ten|ing)|rephrased?|renamed?|revis(?:e|ed|ing)|updat(?:e|ed|ing)|edit(?:ed|ing)?|amend(?:ed|ing)?|modif(?:y|ied|ying)|reinstated?|restored?|undo|reverted?|undone`
	mentionSet  = `change|replace|set|lower|raise|increase|decrease|reduce|tighten|sharpen|narrow|broaden|mark|correct|fix|adjust|extend|split|combine|put|move|swap|attach|insert|include|shorten|clarify|relabel|bump|rank|rate|promote|demote|flag`
	// mentionObj is an item behind a verb, and what may stand between them.
	mentionObj   = ` (?:(?:the|an?|its|my|our|all|each) [^.;?!:,]{0,60} of |["“'‘][^"”’']{1,80}["”’'] [^.;?!]{0,80} (?:in|of|from|to) )?` + mentionID + `\b`
	mentionOwn   = `\b(?:I|[Ww]e)(?:['’](?:d|ll|ve|m|re))?(?: [a-z]+){0,3} (?:`
	mentionOwned = `) (?:the [a-z]+ of )?` + mentionID + `\b`
	mentionView  = `(?:(?:I|[Ww]e) (?:think|believe|feel|conclude|find|say)(?: that)? )?`
	mentionIs    = `\b[^.;:?!]{0,60}? (?:is|are|gets?|be|being)(?: [a-z]+ly| now| hereby| thus| therefore| also| to be| best)* (?:`
	mentionText  = `(?:→|->|=>|:=)`
	mentionField = `(?:claim|name|title|mechanism|anchors?|falsification|falsifier|procedure|outcomes?|potency(?: check)?|feasibility|scores?|status|statement|load|condition|predictions?|observation|resolution|attack|evidence|wording|text|priority|rank|confidence)`
	mentionThe   = `(?:(?:the|an?|its|my|our|all|each) [^.;?!:]{0,60}?(?: of |, | ?\())?`
)

// verbForms is how many of mentions have an item behind a verb.
const verbForms = 5

// mentions are the forms of sentences that speak of a change. The first group is the item.
var mentions = []struct {
	operation string
	form      *pattern.Pattern
}{
	{kill, pattern.New(mentionLead + `(?i:kill|killed|removed?|deleted?|drop|dropped|retired?|discard|discarded|eliminated?|scrap|scrapped|scratch|scratched|strike|struck|axed?|withdraw|withdrawn|retract|retracted)` + mentionObj)},
	{edit, pattern.New(mentionLead + `(?i:` + mentionEdit + `|` + mentionSet + `)` + mentionObj)},
	{edit, pattern.New(mentionLead + `(?i:add|append|record|register|introduce) (?:a|an|another|one|the|this)\b[^.;?!:]{0,40}? (?:to|under|for) ` + mentionID + `\b`)},
	{kill, pattern.New(mentionOwn + mentionKill + mentionOwned)},
	{edit, pattern.New(mentionOwn + mentionEdit + mentionOwned)},
	{kill, pattern.New(mentionLead + mentionView + mentionID + mentionIs + mentionKill + `)\b`)},
	{kill, pattern.New(mentionLead + `[Tt]he [^.;?!:]{0,60}(?: of |, | ?\()` + mentionID + `\)?,? (?:is|are|gets?)(?: now| hereby| thus| therefore| also)* (?:` + mentionKill + `)\b`)},
	{edit, pattern.New(mentionLead + mentionView + mentionID + mentionIs + mentionEdit + `)\b`)},
	{kill, pattern.New(`^[^\w"“'‘]*` + mentionID + `(?: is| are)?(?: now)?[ :–—-]+(?i:` + mentionKill + `)[^\w]*$`)},
	{kill, pattern.New(`(?i:no longer (?:need|want|hold|keep|defend|support)|dispense with|do without) (?:[^.;?!:]{0,40} )?` + mentionID + `\b`)},
	{edit, pattern.New(`^[^\w"“'‘]*` + mentionID + `(?:['’]s |[ .:])?[^.;?!→]{0,80}?` + mentionText + `[^"“.;?!→]{0,40}["“]`)},
	{edit, pattern.New(`^[^\w"“'‘]*` + mentionID + `(?:['’]s |[ .:]+)[a-z_]+(?: [a-z]+)? *` + mentionText + ` *\d+\W*$`)},
	{edit, pattern.New(mentionLead + mentionID + ` (?:should|must|needs to|ought to|has to) (?:now |also |instead )?(?:have|use|include|get|gain|lose|drop|specify|list|name|cite|carry|say|state|read)\b`)},
	{edit, pattern.New(mentionLead + `(?:[Tt]he )?(?:\w+ )?` + mentionField + ` (?:of|for) ` + mentionID + ` (?:(?:should|must|needs to|has to|ought to)(?: now)? (?:be|read|say|become|state)|is now|now reads)\b`)},
	{edit, pattern.New(mentionLead + mentionID + `['’]s (?:\w+ )?` + mentionField + ` (?:(?:should|must|needs to|has to|ought to)(?: now)? (?:be|read|say|become|state)|is now|now reads)\b`)},
	{edit, pattern.New(mentionLead + mentionID + ` (?:gets|receives|deserves) (?:an? |the )?(?:\w+ )?` + mentionField + `\b`)},
	{edit, pattern.New(mentionLead + mentionID + ` (?:should|must|needs to|ought to|has to) (?:now |also |instead )?be (?:scored|rated|marked|ranked|changed|set|moved|worded|stated|narrowed|broadened|split|raised|lowered)\b`)},
	{kill, pattern.New(mentionLead + mentionID + `,?(?: meanwhile,?| now| too| also)* can (?:now |also )?go\b`)},
	{edit, pattern.New(`^[^\w"“'‘]*(?i:revised|updated|new|corrected|proposed|amended) ` + mentionID + `(?:['’]s)? \w+(?: \w+)?: *\S`)},
}

var (
	// mentionAsks matches the beginning of a polite question, and mentionOwnWish what is no condition without "if".
	mentionAsks    = pattern.New(`^(?i:(?:could|can|would) (?:we|someone)(?: please| kindly)? )`)
	mentionOwnWish = pattern.New(`\b(?:I|[Ww]e) would (?:(?:have|not|rather)\b)?`)
	// moreLabel matches labels of a further change, and operations the words of deltas.
	moreLabel  = pattern.New(`^(?i:(?:and )?(?:one more|another|further|additional|second|last)(?: \w+)?|also|p\.?s\.?|update|finally|note|then|next|in addition)$`)
	operations = pattern.New(`\b(?:ADD|EDIT|KILL)\b`)
)

var (
	// mentionAny matches a verb right before an item, anywhere in a sentence in which an author acts (mentionActor).
	mentionAny = pattern.New(`(?i)\b(?:(kill|killed|killing|remove|removed|removing|delete|deleted|deleting|drop|dropped|dropping|retire|retired|retiring|discard|discarded|discarding|eliminate|eliminated|scrap|scrapped|withdraw|retract)|` +
		`(?:edit|edited|editing|update|updated|updating|revise|revised|revising|reword|reworded|rephrase|rephrased|rewrite|amend|amended|modify|modified|mark|marked|narrow|narrowed|sharpen|sharpened|bump)) ` + `(?-i:` + mentionThe + mentionID + `)\b`)
	// mentionAgain matches a second item behind the same verb: and A2 as falsified.
	mentionAgain = pattern.New(`(?:,|,? and) ` + oneID + ` (?:as|to) \w`)
	// quotedText is left out where words that hedge are looked for.
	quotedText   = pattern.New(`"[^"]*"|“[^”]*”`)
	mentionActor = pattern.New(`^(?:(?:[Aa]nd|[Aa]lso|[Tt]hen),? )*(?i:mark|set|update|edit|revise|kill|remove|drop)\b|\b(?:I|[Ww]e|[Ll]et's|[Ll]et’s|[Ll]et us|[Pp]lease|[Mm]y (?:changes?|deltas?|edits?|updates?|contribution))\b`)
	// mentionAdd matches what an author wants to add, and mentionCode an item in a line of code or a command.
	mentionAdd  = pattern.New(`\b(?i:i|we|let['’]s|please)(?:['’]d| would| will| should| must| also| now| therefore| like to| want to)* (?i:add|include|register|introduce|need|propose|enter|put forward) (?i:an?|another|one more) (?i:new |further |second |third |additional )?(hypothesis|test|assumption|anomaly|critique|prediction)\b(?: [A-Z]{1,2}\d+)?(?: that|:| —| –| on| about| of| with| which|, namely) `)
	mentionCode = pattern.New(`(?i)(?:^|[^\w])(?:(kill|delete|del|remove|drop|pop|retire)\w*|patch|put|update|status|claim|s)\b[^\n]{0,50}?[^\w](?-i:([A-Z]{1,2}\d{1,3}))\b|(?-i:([A-Z]{1,2}\d{1,3}))["'\])]*[^\n]{0,30}?\b(?:killed|status)\b`)
	codeHedge   = pattern.New(`(?i)\b(?:not|never|if|would|could|when)\b`)
	codeMark    = pattern.New(`[{}=$]|/\w|--|\[["']|['"][A-Z]{1,2}\d`)
)

// mentionedIt matches a short sentence about the item of the sentence before it.
var mentionedIt = pattern.New(`^(?i:please )?(?i:(kill|remove|delete|drop|retire|discard|scrap)|(update|edit|revise|reword|fix)|(?:add|record|register|include))(?i: (?:it|them|this|that)\b[^.;?!]{0,60})?[.!]?$`)

// mentionHedge matches what makes a sentence speak of something else than a change of its author's, now.
var mentionHedge = pattern.New(`(?i)\b(?:not|no|never|none|cannot|\w+n['’]t|if|unless|whether|would|could|may|might|when|once|until|after|before|already|earlier|previously|was|were|had|considered|considering|suppose|assuming|either|rather|agree|disagree|second|endorse|vote|who|which|where|why|how|their|his|her|its author|they|later|next|predicts|implies)\b`)

// mentionClues are parts of words of which every sentence that Mentioned finds has one near its item.
var mentionClues = remark.WordsOf("ill", "emov", "elet", "rop", "etir", "iscard", "liminat", "crap", "cratch", "truck", "trike", "axe", "ithdraw", "etract", "eword", "ewrit", "ephras", "enam", "evis", "pdat", "dit", "amend", "odif", "einstat", "estor", "ndo", "evert",
	"hange", "eplace", "et ", "ower", "aise", "ncrease", "ecrease", "educe", "ighten", "harpen", "arrow", "roaden", "ark ", "orrect", "ix ", "djust", "xtend", "plit", "ombine", "ut ", "ove ", "wap ", "ttach", "nsert", "nclude", "horten", "larify", "elabel",
	"dd ", "ppend", "ecord", "egister", "ntroduce", "ELETE", "ATCH", "UT ", "PDATE", "OPERATION", "tatus", " can go", "ambi", "改", "删", "更", "変", "修", " gets", "eceives", "eserves", "ump ", "ank ", "ate ", "romote", "emote", "lag ", " now", "ecomes", "o longer", "ispense", "o without", "→", "->", "=>", ":=", "hould", "ust ", "eeds to", "ught to", "as to", "New ", "new ", "roposed")

// HasMentionWord reports whether a text near an id may speak of a change.
func HasMentionWord(near string) bool { return mentionClues.In(near) }

// Mentioned returns the changes of items that the sentences of a line speak of in words that are no order in a known form. They
// are for a person to see.
func Mentioned(line, author string) (all []Attempt) {
	line = clausePlain.Replace(line)
	line = strings.TrimSpace(line[len(clauseMark.FindString(line)):])
	if name, _, ok := strings.Cut(line, ":"); ok && name != author && isAgentName(name) {
		return nil
	}
	for before := ""; line != ""; {
		end := SentenceEnd(line)
		sentence := strings.TrimSpace(line[:end])
		line = strings.TrimLeft(line[end:], " \t\r\n")
		if asked := mentionAsks.FindString(sentence); asked != "" {
			sentence = "Please " + strings.TrimRight(sentence[len(asked):], "? ") // Could we please drop T4?
		}
		if label, said, ok := strings.Cut(sentence, ": "); ok && moreLabel.MatchString(label) {
			sentence = said // One more thing: …
		}
		if operations.MatchString(sentence) || !mentionClues.In(sentence) && !otherWords.Get().In(sentence) {
			before = sentence
			continue // it is announced, or speaks of no change
		}
		if a, ok := mentionIn(sentence, before, author); ok {
			all = append(all, a)
		}
		all = append(all, mentionsIn(sentence, author)...)
		if _, second, ok := strings.Cut(quotedText.ReplaceAllString(sentence, "it"), ", and "); ok && !isHedgedIn(sentence) {
			if a, ok := mentionIn(second, "", author); ok {
				all = append(all, a)
			}
		}
		before = sentence
	}
	return all
}

// maySpeak reports whether a sentence is its author's, and no question, title or text that is struck out.
func maySpeak(sentence, author string) bool {
	return !strings.HasSuffix(sentence, "?") && !strings.HasSuffix(sentence, ":") && !strings.Contains(sentence, "~~") && speaksAs(sentence, author)
}

// mentionsIn returns the changes of items that stand right behind a verb in a sentence in which its author acts, and those of a line of
// code or of a sentence in another language.
func mentionsIn(sentence, author string) (all []Attempt) {
	if !HasID(sentence) || !maySpeak(sentence, author) {
		return nil
	}
	if mentionActor.MatchString(sentence) && !isHedgedIn(quotedText.ReplaceAllString(sentence, "")) && !awayFrom(sentence) && !IsHeld(sentence) {
		all = mentionsBehind(sentence)
	}
	if m := mentionCode.FindStringSubmatch(sentence); len(m) > 3 && codeMark.MatchString(sentence) && !codeHedge.MatchString(sentence) {
		operation := edit
		if m[1] != "" || strings.Contains(sentence, "killed") {
			operation = kill
		}
		all = mentionOf(all, operation, m[2]+m[3], sentence)
	}
	if m := mentionOther.FindStringIndex(sentence); len(m) > 1 && !notEnglish.MatchString(sentence) && !otherHedge.MatchString(sentence) {
		id := firstID.FindString(sentence[m[1]:])
		if id == "" {
			id = firstID.FindString(sentence)
		}
		operation := edit
		if otherKill.MatchString(sentence[m[0]:m[1]]) {
			operation = kill
		}
		all = mentionOf(all, operation, id, sentence)
	}
	return all
}

// isHedgedIn reports whether a sentence speaks of something else than a change of its author's, now. "I would" is its author's.
func isHedgedIn(sentence string) bool {
	sentence = mentionOwnWish.ReplaceAllStringFunc(sentence, func(said string) string {
		if strings.HasSuffix(said, "would ") {
			return "I "
		}
		return said
	})
	return mentionHedge.MatchString(sentence)
}

// mentionsBehind returns the items right behind verbs of a sentence.
func mentionsBehind(sentence string) (all []Attempt) {
	for rest := sentence; ; {
		m := mentionAny.FindStringSubmatchIndex(rest)
		if m == nil {
			return all
		}
		if w := nextWord(rest[m[5]:]); w == "" || mentionNext.Has(w) {
			operation := edit
			if m[2] >= 0 {
				operation = kill
			}
			all = mentionOf(all, operation, rest[m[4]:m[5]], sentence)
		}
		rest = rest[m[1]:]
		if again := mentionAgain.FindStringSubmatch(rest); again != nil {
			all = mentionOf(all, edit, again[1], sentence)
		}
	}
}

// mentionOf adds the change of an item to a list.
func mentionOf(all []Attempt, operation, id, sentence string) []Attempt {
	s, ok := artifact.SectionOfID(id)
	if !ok {
		return all
	}
	return append(all, Attempt{Operation: operation, ID: id, Section: s.String(), Says: sentence})
}

var (
	// mentionOther matches verbs of other languages for a change, otherHedge what makes a sentence speak of something else, and notEnglish
	// words that only sentences in English have.
	mentionOther = pattern.New(`(?i)(?:^|[^\pL])(?:(?:streiche|lösche|entferne|verwerfe|ändere) (?:sie|ihn|es|das|diese)|(?:je|j['’]) ?(?:modifie|remplace|supprime|retire|change|élimine)|cambio|modifico|elimino|reemplazo|quito|altero|removo|substituo|sostituisco|rimuovo|ich (?:ändere|streiche|lösche|entferne|ersetze|verwerfe)|(?:ändere|streiche|lösche|entferne|ersetze|verwerfe) ich|ik (?:wijzig|schrap|verwijder)|(?:wijzig|schrap|verwijder) ik|zmieniam|usuwam|изменяю|удаляю|заменяю|исправляю)(?:[^\pL]|$)|(?:我|请)[^，。；]{0,12}(?:改为|改成|修改|删除|更新)|(?:我|请)[^，。；]{0,3}把[^，。；]{0,30}(?:改|删|更新)`)
	otherKill    = pattern.New(`(?i)supprim|retir|elimin|élimin|quito|removo|rimuovo|streich|lösch|entfern|verwerf|schrap|verwijder|usuw|удал|删`)
	otherHedge   = pattern.New(`(?i)(?:^|[^\pL])(?:nicht|kein\pL*|nichts|erst|ne|pas|n['’]\pL*|no|non|não|niet|geen|nie|не|нет|wenn|falls|si|se|als|jeśli|если)(?:[^\pL]|$)|不|没|如果|已经|上一轮|建议|同意|是否`)
	notEnglish   = pattern.New(`(?i)(?:^|[^\pL])(?:the|is|of|and|to|that|it|this|with|was|by|for|are|i|would|will|can|could|should|must|has|have|not|be|from|if|both|only|an)(?:[^\pL]|$)`)
)

func mentionIn(sentence, before, author string) (a Attempt, ok bool) {
	if IsHeld(sentence) || !maySpeak(sentence, author) {
		return a, false
	}
	if m := mentionedIt.FindStringSubmatchIndex(sentence); m != nil && HasID(before) && !mentionHedge.MatchString(before) && speaksAs(before, author) {
		return mentionOfLast(before, m)
	}
	if a, ok = mentionedAdd(sentence); ok {
		return a, true
	}
	if !HasID(sentence) {
		return a, false
	}
	for i := range mentions {
		f := &mentions[i]
		m := f.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		said, rest := sentence[:m[1]], sentence[m[1]:]
		if r := reasons.FindStringIndex(rest); r != nil {
			rest = rest[:r[0]]
		}
		if w := nextWord(sentence[m[3]:]); w != "" && !mentionNext.Has(w) && i < verbForms {
			continue // T1 cells
		}
		if isHedged := isHedgedIn(said+" "+rest) && !strings.Contains(said, "o longer"); isHedged || awayFrom(said) {
			return a, false
		}
		return mentioned(f.operation, sentence, m)
	}
	return a, false
}

// mentionedAdd returns what a sentence wants to add.
func mentionedAdd(sentence string) (a Attempt, ok bool) {
	m := mentionAdd.FindStringSubmatchIndex(sentence)
	if len(m) < 4 || mentionHedge.MatchString(sentence[:m[1]]) || awayFrom(sentence) || toItem.MatchString(sentence) {
		return a, false
	}
	s := nouns[strings.ToLower(sentence[m[2]:m[3]])]
	return Attempt{Operation: add, Section: s.String(), Says: sentence[m[1]:]}, true
}

// mentioned returns the change of the item that a form has found.
func mentioned(operation, sentence string, m []int) (a Attempt, ok bool) {
	a = Attempt{Operation: operation, ID: sentence[m[2]:m[3]], Says: sentence[m[1]:]}
	s, ok := artifact.SectionOfID(a.ID)
	a.Section = s.String()
	return a, ok
}

// mentionOfLast returns the change that a short sentence orders for the item of the sentence before it.
func mentionOfLast(before string, m []int) (a Attempt, ok bool) {
	id := firstID.FindString(before)
	s, ok := artifact.SectionOfID(id)
	a = Attempt{Operation: edit, ID: id, Section: s.String(), Says: before}
	if m[2] >= 0 {
		a.Operation = kill
	}
	return a, ok
}

// mentionNext are the words that may follow an item that is changed.
var mentionNext = lazy.WordsOf("to as from by with because since for into so now too entirely altogether outright completely and or in refuted instead accordingly here again")

// nextWord returns the word right behind an id, or "".
func nextWord(rest string) string {
	word, isNext := strings.CutPrefix(rest, " ")
	if end := strings.IndexFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }); end >= 0 {
		word = word[:end]
	}
	if !isNext {
		return ""
	}
	return strings.ToLower(word)
}

var firstID = pattern.New(`\b[A-Z]{1,2}\d{1,3}\b`)

// speaksAs reports whether a sentence names no other agent than its author.
func speaksAs(sentence, author string) bool {
	for w := range strings.FieldsSeq(sentence) {
		if w = strings.Trim(w, ".,;:!?()[]\"'’“”"); isAgentName(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")) && w != author {
			return false
		}
	}
	return true
}

// inLoose returns the changes in the lines of a fence that are commands, or name the state of an item: brenner kill H2, H2: killed.
func inLoose(text []byte) (all []Attempt) {
	at := 0
	for line := range bytes.Lines(text) {
		if m := looseLine.FindSubmatch(line); m != nil {
			id := string(bytes.Join(m[1:], nil))
			if s, ok := artifact.SectionOfID(id); ok {
				all = append(all, Attempt{At: at, Operation: kill, Section: s.String(), ID: id, Says: string(bytes.TrimSpace(line))})
			}
		}
		at += len(line)
	}
	return all
}

// looseLine matches a command with an item, and an item with its state.
var looseLine = pattern.New(`^[ \t]*(?:[$>%#/(] ?)?(?:\w+ ){0,2}?(?i:kill|delete|del|remove|drop|retire|pop)\b[ (:\["'\w]{0,40}?\b([A-Z]{1,2}\d{1,3})\b|(?i:artifact|slate|hypothes\w*|tests?|assumptions?|anomal\w*|critiques?|predictions?)\w*["'\]]*\.(?:pop|remove|delete|kill)\(["']([A-Z]{1,2}\d{1,3})["']|^[ \t]*["']?([A-Z]{1,2}\d{1,3})["']? ?[:=] ?["']?(?i:killed|deleted|removed|retired|dropped)\b`)
