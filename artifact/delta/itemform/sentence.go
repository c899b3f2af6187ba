package itemform

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"

	"brenner/internal/pattern"
)

// The parts of sentences that propose a change.
const (
	begins = `^(?i:(?:additionally|also|furthermore|finally|moreover|secondly|thirdly|next|lastly|therefore|so|hence|thus|then|in addition|consequently|accordingly),? )*`
	kinds  = `(?:(?:the )?(?:hypothesis|test|assumption|anomaly|critique|prediction|item) )?`
	idList = `([A-Z]{1,2}\d{1,3}(?:(?:, and |, | and | & )[A-Z]{1,2}\d{1,3})*)`
	oneID  = `([A-Z]{1,2}\d{1,3})`
	kills  = `(?:kill|remove|delete|drop|retire|discard|eliminate|scrap|withdraw|get rid of)`
	gone   = `(?:killed|removed|deleted|dropped|retired|discarded|eliminated|scrapped|withdrawn)`
	noun   = `(hypothesis|test|assumption|anomaly|critique|prediction)`
	ends   = `(?: *[.;!]?$| *[,(:—–]| (?:because|since|as|from|now|too|entirely|altogether|in favou?r)\b)`
	quoted = `(?:"[^"]+"|“[^”]+”|'[^']+'|\S+)`
)

// proposals are the forms of sentences that propose a change. What is behind a form must not set a condition.
var proposals = []struct {
	operation string
	has       string // part of every such sentence
	form      *pattern.Pattern
}{
	{kill, " it", pattern.New(`\b` + oneID + `\b[^.;?!:]{1,80}(?:,| and|, and| so|, so) (?:I|we)(?:['’]d|['’]ll| will)(?: therefore| also| now)? ` + kills + ` it` + ends)},
	{kill, "s: ", pattern.New(`^(?:I|We) (?:also )?(?:submit|make|send|propose|have) (?:\w+ )?(?:deltas|changes): [^.?!]{0,120}\b(?:(?:a|the|one) (?:kill|removal) of|I(?: also)? ` + kills + `) ` + kinds + idList)},
	{edit, "s ", pattern.New(begins + kinds + oneID + `['’]s (\w+(?: \w+){0,3}) (?:should|must) (?:now )?(?:change to|be (?:changed|set|updated|lowered|raised|marked|reset) (?:to|as|from|by)|become|read|be \d)`)},
	{edit, "n ", pattern.New(begins + `[Ii]n ` + oneID + `(?:['’]s (\w+))?, (?:please )?(?:replace|change|swap) ` + quoted + `(?: \S+){0,8} (?:with|to|by|for) `)},
	{edit, " as its ", pattern.New(begins + kinds + oneID + ` needs (?:a|an|the) [^.;:?]{2,80} as its (\w+(?: \w+)?)`)},
	{kill, "~~", pattern.New(`^~~ *` + oneID + `\b[^~]{0,100}~~[^\w]{0,8}(?:(?:is|are|now) )*(?:dead|` + gone + `)\b`)},
	{add, " be ", pattern.New(begins + `(?:[Aa] new|[Aa] further|[Aa]n additional) ` + noun + ` (?:should|must|has to|needs to|is to) be (?:registered|added|recorded|opened|entered|included)(?::| that| —| –) *(\S.*)`)},
}

var (
	conditions = pattern.New(`(?i)\b(?:if|unless|once|when|until|only|after|later|next round|instead|not yet)\b`)
	reasons    = pattern.New(`(?i)\b(?:because|since|as)\b|[:;—–(]|, (?:it|which|not)\b`)
	earlier    = pattern.New(`(?i)\b(?:not|never|cannot|if|unless|whether|could|might|once|when|until|after|without|instead|otherwise|already|earlier|previously|next round)\b`)
	elsewhere  = pattern.New(`(?i)\b(?:(?:next|last|previous|another|in) round|later|unless)\b`)
	inRound    = pattern.New(`(?i)\b(?:rounds? \d|rounds? (?:one|two|three|ago|before)|(?:this|that|each|every) round's)`)
	takenBack  = pattern.New(`(?i)\b(?:(?:but|though|however|yet),? (?:not (?:yet|now)|only (?:if|once|when|after)|I (?:will|would|do|['’]ll|have) (?:wait|not|hold|rather))|left to|left for|is (?:not|premature|wrong|tempting|too early)|would be)\b`)
	toItem     = pattern.New(`\b(?:to|into|under) (?:the )?(?:\w+ of )?[A-Z]{1,2}\d`)
	boxes      = strings.NewReplacer(`\boxed{`, "", `\text{`, "", `\textbf{`, "", `\mathbf{`, "", "$", "")
)

// InSentence returns the changes that a sentence proposes. Before is the sentence before it; listed is whether it is in a
// list of changes.
func InSentence(sentence, before string, listed bool) []Attempt {
	if strings.Contains(sentence, `\boxed`) {
		sentence = boxes.Replace(sentence)
	}
	if all := inOrders(sentence, before, listed); len(all) > 0 {
		return all
	}
	if a, ok := inProposal(sentence); ok {
		return []Attempt{a}
	}
	return nil
}

// inProposal returns the change that a sentence in one of the known forms proposes.
func inProposal(sentence string) (a Attempt, ok bool) {
	if strings.HasSuffix(sentence, "?") || !HasID(sentence) && !kindWords.In(sentence) {
		return a, false
	}
	for i := range proposals {
		p := &proposals[i]
		if !strings.Contains(sentence, p.has) {
			continue
		}
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

// HasID reports whether a text may have an id in it.
func HasID(s string) bool {
	for i := 1; i < len(s); i++ {
		if c := s[i]; '0' <= c && c <= '9' && 'A' <= s[i-1] && s[i-1] <= 'Z' {
			return true
		}
	}
	return false
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
