package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
)

// The parts of lines that call an item revised, or say what of it has changed.
const (
	revised = `(?i:revised|updated|modified|corrected|sharpened|reworded|rephrased|rewritten|narrowed|tightened|refined|amended|edited|adjusted|reformulated|restated|improved|changed|rev(?:ision|\.)?(?: \d{1,2})?|new (?:claim|wording|text|version|procedure|statement|status))`
	isNow   = `(?i:(?:(?:is|are|was|has been|have been|should be|to be|now) )*)`
	newTo   = `(?i:changed|set|updated|lowered|raised|reworded|rephrased|replaced|corrected|adjusted|increased|reduced|reset|revised|rewritten|extended|narrowed|moved|marked|amended|sharpened|tightened|refined|clarified|broadened|softened|strengthened|shortened|restated|reformulated|edited|modified)`
	retract = `(?i:retract|withdraw|rescind|recant|revoke|take back|pull back|abandon|give up)`
	retring = `(?i:retracting|withdrawing|rescinding|recanting|revoking|taking back|pulling back|abandoning|giving up)`
	ownItem = `(?:(?:my|our|the)(?: own| earlier| previous)? )?(?i:(?:hypothesis|test|assumption|anomaly|critique|prediction|item|alternative) )?`
)

var (
	// revisions match a line that calls an item revised: the groups are the item, or the item behind the word, and what it says.
	revisions = []*pattern.Pattern{
		pattern.New(`^(?i:` + kinds + `)` + oneID + ` *(?:[(\[]|[—–-]+ *)(?i:now |newly )?` + revised + `((?: (?:and )?[a-z_]+){0,3})[)\]]? *(?:[:—–]+ *(.*))?$`),
		pattern.New(`^` + revised + ` (?i:` + kinds + `)` + oneID + `(?: *\(([^()]{1,40})\))? *[:—–]+ *(.*)$`),
		pattern.New(`^(?i:` + kinds + `)` + oneID + `:? *([^()\[\]:]{2,60}) [(\[]` + revised + `[)\]] *[:—–]+ *(\S.*)$`),
	}
	// doneBy matches words by which a revision is another author's, or an earlier one.
	doneBy = pattern.New(`(?i)\b(?:by|in|round|from|last|earlier|version|since|per)\b`)
	// alters matches an item of a list with what of it has changed: the groups are the item and the field.
	alters = pattern.New(`^(?i:` + kinds + `)` + oneID + `(?:['’]s)?(?: ?[:—–-]+ ?| )(?:the )?([A-Za-z_]+(?: [a-z_]+){0,2}?) ` + isNow + newTo + `\b(?:,)? *(?:from .{1,60}? )?(?:(?:to|as|by|with|:)|[.]?$)`)
	states = pattern.New(`^(?i:` + kinds + `)` + oneID + `(?: ?[:—–-]+ ?| )(?:(?i:the )?(status|state)(?: ?[:=]+ ?| ))?(?i:(?:is|now|is now|has been|should be|marked|set|changed)(?: (?:as|to))? )*["“*]?(?i:(falsified|verified|challenged|resolved|explained|deferred|exhausted|unverified))\b`)
	quotes = pattern.New(`["“”„«»]`)
	// retractions match a sentence in which an author takes an own item back.
	retractions = []*pattern.Pattern{
		pattern.New(shortLead + `(?:I|[Ww]e)(?:['’]d|['’]ll| would| will| hereby| also| now| therefore| want| wish| like| to| should| must| have| formally| fully| officially)* ` + retract + ` ` + ownItem + idList + shortEnds),
		pattern.New(shortLead + `(?:I am|I['’]m|[Ww]e are|[Ww]e['’]re)(?: hereby| also| now| therefore| formally)* ` + retring + ` ` + ownItem + idList + shortEnds),
		pattern.New(shortLead + `(?:(?:My|Our|my|our) )?(?i:` + kinds + `|(?:hypothesis|test|assumption|anomaly|critique) )` + idList + `(?: \((?:mine|my own|my \w+)\))? (?:is|are)(?: hereby| now| therefore| thus)* (?:withdrawn|retracted|rescinded|taken back)` + shortEnds),
	}
)

// inRevised returns the item that a line calls revised. What it says is on the line, or below it.
func (p Place) inRevised(line string) (a Attempt, ok bool) {
	if len(line) < 8 || !HasID(line[:min(len(line), 60)]) {
		return a, false
	}
	for _, form := range revisions {
		m := form.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		label, said := line[m[2]:], ""
		if m[6] >= 0 {
			label, said = line[m[2]:m[6]], line[m[6]:m[7]]
		}
		if doneBy.MatchString(label) || said == "" && !p.saysBelow() || isAgentName(firstWord(said)) {
			return a, false
		}
		a, ok = attemptOf(edit, line, m)
		a.Field, a.Says = "", said
		if s, known := artifact.SectionOfID(a.ID); known && m[4] >= 0 {
			a.Field = fieldIn(s, strings.TrimSpace(line[m[4]:m[5]]))
		}
		return a, ok
	}
	return a, false
}

// saysBelow reports whether the line is a title above a text, not above a block.
func (p Place) saysBelow() bool {
	below := bytes.TrimLeft(p.Below[:min(len(p.Below), 200)], " \t\r\n")
	return p.Title && len(below) > 0 && !isFenceLine(below) && below[0] != '{' && below[0] != '#'
}

// inAltered returns the change of an item in a list of changes, and of one in a paragraph of its own that quotes the new text.
func (p Place) inAltered(sentence string) (a Attempt, ok bool) {
	m := alters.FindStringSubmatchIndex(sentence)
	if m == nil {
		if m = states.FindStringSubmatchIndex(sentence); len(m) < 8 || !p.Listed && !(p.Alone && m[4] >= 0) {
			return a, false
		}
		a, ok = attemptOf(edit, sentence, m)
		a.Field, a.Says = "status", sentence[m[6]:]
		return a, ok && !doneBy.MatchString(sentence[m[7]:])
	}
	rest := sentence[m[1]:]
	if !p.Listed && !(p.Alone || p.Marked) || !p.Listed && !quotes.MatchString(rest) || !quotes.MatchString(rest) && doneBy.MatchString(rest) {
		return a, false
	}
	a, ok = attemptOf(edit, sentence, m)
	s, _ := artifact.SectionOfID(a.ID)
	words := strings.Fields(sentence[m[4]:m[5]])
	a.Field = fieldIn(s, sentence[m[4]:m[5]])
	isKnown := a.Field != "" || slices.ContainsFunc(words, func(w string) bool {
		return scoreWords.Has(strings.ToLower(w)) || fieldIn(s, w) != "" || isSynonym(s, w)
	})
	return a, ok && isKnown
}

// inRetraction returns the items that an author takes back.
func inRetraction(sentence string) (a Attempt, ok bool) {
	for _, form := range retractions {
		m := form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		return shortOf(kill, sentence, m)
	}
	return a, false
}

// IsMore reports whether a title is above a list of further changes: "Other updates:".
func IsMore(title string) bool { return len(title) <= 80 && moreChanges.MatchString(title) }

var moreChanges = pattern.New(`^(?i:(?:(?:also|and|other|some|the|my|our|more|further|additional|remaining|smaller|minor|small|these|following|few|a|two|three|four) ){0,4}(?:changes|updates|edits|modifications|revisions|status changes|status updates)(?: (?:i|we) (?:make|made|propose))?(?: (?:to|in|of) (?:the |my |our )?(?:existing |other |artifact|slate|items|hypotheses|tests|assumptions|ledger|register|table| )*)?(?: (?:are|follow|below))?|(?:also|otherwise|further) (?:changed|updated|edited|modified|revised))$`)
