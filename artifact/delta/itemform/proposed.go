package itemform

import (
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// The parts of lines that propose a change by a noun, or by a verb behind the item.
const (
	proposing = `(?:(?:My|Our|The|my|our|the) )?(?i:proposed|suggested|recommended|requested) `
	shortThen = `(?: *[.!;]?$| (?:because|since|for good)\b| *[,(:—–])`
	statuses  = `(?i:falsified|verified|challenged|resolved|explained|deferred|exhausted|unverified)`
)

// behindItems are further forms of short sentences that order a change: the groups are the items and the field.
var behindItems = []struct {
	operation string
	apart     bool // the line is a paragraph of its own, or an item of a list
	form      *pattern.Pattern
}{
	{edit, false, pattern.New(`^` + proposing + `(?i:edit|update|revision|change|rewording|correction|rename)s? (?:to|of|for)(?: the)? ` + shortItem + `(?: *[:—–] *\S| *[.!]?$)`)},
	{kill, false, pattern.New(`^` + proposing + `(?i:kill|removal|deletion|retirement)s?(?::| —| –| of)(?: the)? ` + shortList + shortThen)},
	{add, false, pattern.New(`^` + proposing + `addition(?::| —| –) (?i:(?:an?|one|the) )?(?:new )?` + noun + `\b(.*)$`)},
	{kill, false, pattern.New(`^` + shortList + `(?: ?:| —| –| -) *(?i:kill|remove|delete|drop|retire|discard) (?:it|them)` + shortThen)},
	{kill, true, pattern.New(`^` + shortList + `(?: ?:| —| –| -) *(?i:kill|remove|delete|drop|retire|discard)(?: *[.!]?$| *[,(—–])`)},
	{kill, false, pattern.New(`^(?:KILL|Kill) ` + shortList + ` *[:—–] *(?i:superseded) *[.!]?$`)},
	{edit, false, pattern.New(`^` + shortItem + `(?: ?:| —| –| -) *(?i:rename|mark|set|reword|change|rephrase|reset)(?: (?:it|this|them|status))? (?:to|as):? *\S`)},
	{kill, false, pattern.New(shortLead + shortList + ` (?i:gets?|is getting) (?i:killed|removed|dropped|deleted|retired|discarded|cut)` + shortThen)},
	{edit, false, pattern.New(`^` + shortItem + `,? (?:the )?(?i:new|revised|updated|corrected|better) (\w+): *["“\p{L}\d]`)},
	{edit, false, pattern.New(`^` + shortItem + `(?:['’]s)? (\w+(?: \w+)?): *["“].+\((?i:was|before|previously|formerly|instead of|old)\b`)},
	{edit, false, pattern.New(`^` + shortItem + ` (?:is|are|has been|should be)(?: now)? ` + statuses + ` *[;,.:—–]+ *(?i:please|kindly) (?i:update|change|edit|mark|record|adjust|reflect|set)\b`)},
	{kill, false, pattern.New(`^(?i:kill|remove|delete|drop|retire) (?:\w+/)` + oneID + shortThen)},
}

// wanted are parts of the verbs behind an item that propose to change it.
var wanted = remark.WordsOf("roposed", "uggested", "ecommended", "equested")

// inProposal returns the change that a line proposes by a noun, or by a verb behind the item.
func (p Place) inProposal(line string) (a Attempt, ok bool) {
	if m := terms.FindSubmatch(p.Below[:min(len(p.Below), 40)]); m != nil && line == kill {
		s, known := artifact.SectionOfID(string(m[1]))
		return Attempt{Operation: kill, Section: s.String(), ID: string(m[1])}, known
	}
	if !wanted.In(line) && !HasID(line) || strings.HasSuffix(line, "?") || awayFrom(line) {
		return a, false
	}
	for i := range behindItems {
		f := &behindItems[i]
		m := f.form.FindStringSubmatchIndex(line)
		if m == nil || f.apart && !p.Alone && !p.Listed && !p.Marked {
			continue
		}
		if a, ok = shortOf(f.operation, line, m); ok {
			return a, true
		}
	}
	return a, false
}

var (
	// terms match what is below the term of a list of definitions.
	terms = pattern.New(`^\r?\n?: +` + oneID + `\b`)
	// killRow matches a row that is a KILL.
	killRow = pattern.New(`^\| *[*_\x60]*([A-Z]{1,2}\d{1,3})[*_\x60]* *\| *[*_\x60]*(?i:kill|remove|delete|drop|retire|discard)[*_\x60]* *\|(.*)`)
	// emptyList matches what is behind the name of an operation that has no items: "edit": [].
	emptyList = pattern.New(`^["']?\s*:\s*\[\s*\]`)
	// toSection matches a sentence that adds an item to a section: the groups are the section and what it says.
	toSection = pattern.New(`^` + shortLead[1:] + `(?i:to|in|into|under) (?i:the |our )?([A-Za-z_]+(?: [a-z]+)?),? (?:(?i:I|we)(?: would| also| now)* )?(?i:please )?(?i:add|append|insert)(?: the following)?: *(\S.*)$`)
	// several matches a title above a list of new items of more than one kind.
	several = pattern.New(`^(?i:(?:also|finally|next|then|and),? )?(?i:(?:please )?add|(?:I|we)(?: also| now| would| will| hereby)* (?:add|propose|suggest)|adding) (?i:(?:the following |these |a |an |one |two |three |four |some |new |more |further |additional )*` +
		`(?:items?|entries|additions|things|(?:hypothesis|test|assumption|anomaly|critique|prediction)(?:(?:,| and|, and| &) (?:the following |an? |one )*(?:new )?(?:hypothesis|test|assumption|anomaly|critique|prediction))+)(?: in (?:plain )?words| in prose| below| here)?)$`)
)

// inSection returns the item that a sentence adds to a section: "To the assumption ledger, add: …".
func inSection(line string) (a Attempt, ok bool) {
	m := toSection.FindStringSubmatch(line)
	if len(m) == 0 || HasID(m[1]) {
		return a, false
	}
	s, ok := sectionIn([]byte(m[1]))
	return Attempt{Operation: add, Section: s.String(), Says: m[2]}, ok
}

// CallsSeveralNew reports whether a title is above a list of new items of more than one kind.
func CallsSeveralNew(title string) bool {
	const longest = 120
	return len(title) <= longest && several.MatchString(title) && !standing.MatchString(title)
}

// IsEmptyList reports whether a text begins with the end of a key whose value is an empty list.
func IsEmptyList(text []byte) bool { return emptyList.Match(text) }

// inKillRow returns the KILL that a row is.
func inKillRow(row string) (a Attempt, ok bool) {
	m := killRow.FindStringSubmatch(row)
	if m == nil {
		return a, false
	}
	s, ok := artifact.SectionOfID(m[1])
	return Attempt{Operation: kill, Section: s.String(), ID: m[1], Says: m[2]}, ok
}

// KindOfItem returns the section that the first word of an item of a list names: "Critique: …", or "".
func KindOfItem(body string) string {
	word, _, ok := strings.Cut(body, ":")
	if !ok {
		return ""
	}
	if s, isKind := nouns[strings.ToLower(strings.Trim(word, "*_ "))]; isKind {
		return s.String()
	}
	return ""
}
