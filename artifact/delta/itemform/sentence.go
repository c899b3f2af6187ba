package itemform

import (
	"regexp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// The parts of sentences that propose a change.
const (
	begins = `^(?i:(?:additionally|also|furthermore|finally|moreover|secondly|thirdly|next|lastly|therefore|so|hence|thus|then|in addition|consequently|accordingly),? )*`
	kinds  = `(?:(?:the )?(?:hypothesis|test|assumption|anomaly|critique|prediction|item) )?`
	idList = `([A-Z]{1,2}\d{1,3}(?:(?:, and |, | and | & )[A-Z]{1,2}\d{1,3})*)`
	oneID  = `([A-Z]{1,2}\d{1,3})`
	kills  = `(?:kill|remove|delete|drop|retire|discard|eliminate|scrap|withdraw|get rid of)`
	gone   = `(?:killed|removed|deleted|dropped|retired|discarded|eliminated|scrapped|withdrawn)`
	sets   = `(?:[Ss]et|[Cc]hange|[Ll]ower|[Rr]aise|[Rr]educe|[Ii]ncrease|[Uu]pdate|[Mm]ark|[Cc]orrect|[Aa]djust|[Rr]eset|[Rr]eword|[Rr]ephrase)`
	own    = `(?:(?:I|We|we)(?:['’]d| will|['’]ll| would)(?: also| therefore| now| further| then)? |(?:I|We|we)(?:['’]d| would)(?: also| really| now)* like to |[Ll]et(?:['’]s| us)(?: also| now| therefore)? |[Pp]lease (?:also )?)`
	noun   = `(hypothesis|test|assumption|anomaly|critique|prediction)`
	ends   = `(?: *[.;!]?$| *[,(:—–]| (?:because|since|as|from|now|too|entirely|altogether|in favou?r)\b)`
	links  = `^(?i:(?:additionally|also|and|then|furthermore|finally|moreover|secondly|thirdly|next|lastly|in addition|as well),? )+`
	acting = `(?:killing|removing|deleting|dropping|retiring|discarding|eliminating|scrapping|withdrawing)`
	states = `(?:falsified|verified|challenged|resolved|deferred|explained)`
	quoted = `(?:"[^"]+"|“[^”]+”|'[^']+'|\S+)`
)

// proposals are the forms of sentences that propose a change. What is behind a form must not set a condition.
var proposals = []struct {
	operation string
	form      *regexp.Regexp
}{
	{kill, regexp.MustCompile(begins + kinds + idList + ` (?:should|must|has to|have to|ought to)(?: now| therefore| also)? go` + ends)},
	{kill, regexp.MustCompile(begins + kinds + idList + ` (?:is|are) hereby ` + gone + `\b`)},
	{kill, regexp.MustCompile(begins + kinds + idList + ` can (?:now |safely |therefore )?be ` + gone + `(?: now)?` + ends)},
	{kill, regexp.MustCompile(begins + own + kills + ` ` + kinds + idList + ends)},
	{kill, regexp.MustCompile(begins + `(?:I|We|we) can (?:now|therefore|thus|safely|also) ` + kills + ` ` + kinds + idList + ends)},
	{kill, regexp.MustCompile(`\b` + oneID + `\b[^.;?!:]{1,80}(?:,| and|, and| so|, so) (?:I|we)(?:['’]d|['’]ll| will)(?: therefore| also| now)? ` + kills + ` it` + ends)},
	{kill, regexp.MustCompile(links + kills + ` ` + kinds + idList + `(?: as well| too)?` + ends)},
	{kill, regexp.MustCompile(begins + `(?:I|We|we)(?:['’]m| am|['’]re| are)(?: also| now| therefore| hereby)? ` + acting + ` ` + kinds + idList + ends)},
	{kill, regexp.MustCompile(begins + `[Mm]y (?:\w+ )?(?:change|delta|proposal|move|step) is to ` + kills + ` ` + kinds + idList + ends)},
	{kill, regexp.MustCompile(begins + `(?:I|We|we) (?:should|must|need to|have to) (?:also |now )?get rid of ` + kinds + idList + ends)},
	{kill, regexp.MustCompile(`^(?:I|We) (?:also )?(?:submit|make|send|propose|have) (?:\w+ )?(?:deltas|changes): [^.?!]{0,120}\b(?:(?:a|the|one) (?:kill|removal) of|I(?: also)? ` + kills + `) ` + kinds + idList)},
	{edit, regexp.MustCompile(links + `(?i:edit|update|revise|change) ` + kinds + oneID + `(?:: |, )`)},
	{edit, regexp.MustCompile(`^` + oneID + `(?: status)? *(?:→|->|=>|: set status to) *` + states + `\b`)},
	{edit, regexp.MustCompile(begins + `(?:` + own + `)?` + sets + ` ` + kinds + oneID + `['’]s (\w+(?: \w+){0,3}) (?:to|as|from|by) `)},
	{edit, regexp.MustCompile(begins + kinds + oneID + `['’]s (\w+(?: \w+){0,3}) (?:should|must) (?:now )?(?:change to|be (?:changed|set|updated|lowered|raised|marked|reset) (?:to|as|from|by)|become|read|be \d)`)},
	{edit, regexp.MustCompile(begins + `[Ii]n ` + oneID + `(?:['’]s (\w+))?, (?:please )?(?:replace|change|swap) ` + quoted + `(?: \S+){0,8} (?:with|to|by|for) `)},
	{edit, regexp.MustCompile(begins + `(?:` + own + `)?(?:[Ee]dit|[Uu]pdate|[Rr]evise|[Mm]odify|[Rr]ewrite|[Ee]xtend) ` + kinds + oneID + `(?: so that| to (?:include|say|state|read|require|specify))(?: (?:its|the) (\w+))?`)},
	{edit, regexp.MustCompile(begins + kinds + oneID + ` needs (?:a|an|the) [^.;:?]{2,80} as its (\w+(?: \w+)?)`)},
	{add, regexp.MustCompile(begins + `(?:[Ll]et(?:['’]s| us)(?: also)? a|[Pp]lease (?:also )?a|A)dd (?:a |an |one |another )(?:(?:new|further|additional|third|fourth) )?` + noun + ` (?:that|in which|where|according to which) (\S.*)`)},
	{add, regexp.MustCompile(begins + `(?:[Pp]lease (?:also )?r|R)egister (?:as )?(?:a|an|another) (?:new |further )?` + noun + `(?: that|:) *(\S.*)`)},
	{add, regexp.MustCompile(begins + `(?:[Aa] new|[Aa] further|[Aa]n additional) ` + noun + ` (?:should|must|has to|needs to|is to) be (?:registered|added|recorded|opened|entered|included)(?::| that| —| –) *(\S.*)`)},
}

var (
	conditions = regexp.MustCompile(`(?i)\b(?:if|unless|once|when|until|only|after|later|next round|instead|not yet)\b`)
	reasons    = regexp.MustCompile(`(?i)\b(?:because|since|as)\b|[:;—–(]|, (?:it|which|not)\b`)
	earlier    = regexp.MustCompile(`(?i)\b(?:not|never|cannot|if|unless|whether|could|might|once|when|until|after|without|instead|otherwise|already|earlier|previously|next round)\b`)
	elsewhere  = regexp.MustCompile(`(?i)\b(?:(?:next|last|previous|another|in) round|later|unless)\b`)
	newTitle   = regexp.MustCompile(`^(?:New ` + oneID + `|` + oneID + ` [\[(](?i:new|proposed|my proposal|added|addition)[\])])[^\w:—–-]{0,4}(?::| —| –| -) *(\S.*)$`)
	newItems   = regexp.MustCompile(`(?i)^(?:my |the )?(?:new|additional|proposed|further|added)(?: new)? (?:hypotheses|tests|assumptions|anomalies|critiques|predictions)$|^(?:hypotheses|tests|assumptions|anomalies|critiques|predictions) to (?:be )?add(?:ed)?$`)
)

// InSentence returns the change that a sentence proposes.
func InSentence(sentence string) (a Attempt, ok bool) {
	if strings.HasSuffix(sentence, "?") {
		return a, false
	}
	for i := range proposals {
		p := &proposals[i]
		m := p.form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		said, rest := sentence[:m[1]], sentence[m[1]:]
		if p.operation == add {
			said, rest = sentence[:m[4]], ""
			if elsewhere.MatchString(sentence) {
				return a, false
			}
		}
		if r := reasons.FindStringIndex(rest); r != nil {
			rest = rest[:r[0]]
		}
		if earlier.MatchString(said) || conditions.MatchString(rest) {
			return a, false
		}
		return attemptOf(p.operation, sentence, m)
	}
	return a, false
}

// attemptOf returns what a form of a sentence has found.
func attemptOf(operation, sentence string, m []int) (a Attempt, ok bool) {
	group := func(n int) string {
		if 2*n+1 >= len(m) || m[2*n] < 0 {
			return ""
		}
		return sentence[m[2*n]:m[2*n+1]]
	}
	a = Attempt{Operation: operation, ID: group(1), Says: sentence[m[1]:]}
	if operation == add {
		s, known := synonyms.Section(group(1))
		a.ID, a.Section, a.Says = "", s.String(), group(2)
		return a, known
	}
	first, _, _ := strings.Cut(a.ID, " ")
	s, known := artifact.SectionOfID(strings.TrimSuffix(first, ","))
	a.Section = s.String()
	if operation == edit {
		a.Field = fieldIn(s, group(2))
	}
	return a, known
}

// fieldIn returns the field of a section that some words name, as in "speed score", or "".
func fieldIn(s artifact.Section, words string) string {
	name := strings.ReplaceAll(strings.ToLower(words), " ", "_")
	for _, f := range s.Spec().Fields {
		if name == f.Name || strings.HasSuffix(name, "_"+f.Name) || slices.Contains(f.Allowed, name) && f.Kind == artifact.KindScore {
			return f.Name
		}
	}
	return ""
}

// InTitle returns the item that a line calls new: "H4 (new): alpha".
func InTitle(line string) (a Attempt, ok bool) {
	m := newTitle.FindStringSubmatch(line)
	if m == nil {
		return a, false
	}
	a = Attempt{Operation: add, ID: m[1] + m[2], Says: m[3]}
	s, ok := artifact.SectionOfID(a.ID)
	a.Section = s.String()
	return a, ok
}

// IsNewItems reports whether a title, without its marks, is above new items.
func IsNewItems(title string) bool { return newItems.MatchString(title) }

// Clues are the parts of words near an id of which every such sentence has one.
func Clues() []string {
	return []string{
		"should", "must ", "to go", "hereby ", "can ", "like to", "et's ", "et’s ", "et us ", "lease ", "'d ", "’d ", "'ll ", "’ll ", " will ",
		"Set ", "set ", "ower ", "aise ", "educe ", "ncrease ", "ark ", "orrect ", "djust ", "swap ", "xtend ", "eeds ",
		"rid of", "→", "->", "=>", "(new", "(proposed", "(my ", "(added", "(addition", "[new", "[NEW", "(NEW", "[proposed", "(Proposed", "(New", "[New",
	}
}
