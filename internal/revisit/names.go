package revisit

import (
	"slices"
	"strconv"
	"strings"

	"brenner/internal/pattern"
)

// how is the way in which a clause names changes.
type how int

const (
	byNothing how = iota
	byBlock       // by the number of a block, or its operation: the KILL of H2
	byItem        // by the item alone: H2
	bySection     // the critique
	byMessage     // my first reply
	byRest        // the others
	byOthers      // blocks that do not stand: those that were asked for, or of the text itself
)

// names are the changes that a clause names.
type names struct {
	how
	of     []int // indices of changes that stand
	isKill bool  // the item is to be killed
}

func (n names) any() bool      { return n.how != byNothing }
func (n names) isOthers() bool { return n.how == byOthers }

// isStrong reports whether the changes are named plainly enough that a sentence of an answer is about them.
func (n names) isStrong(f *finder) bool {
	return len(n.of) > 0 && !f.IsLetter && (n.how == byBlock || n.how == byItem && n.isKill)
}

func (n names) with(carried names) names {
	if len(carried.of) == 0 || n.how == byOthers {
		return n
	}
	n.of = union(n.of, carried.of)
	return n
}

func union(a, b []int) []int {
	a = slices.Concat(a, b)
	slices.Sort(a)
	return slices.Compact(a)
}

const (
	aNumber  = `(?:\d{1,3}|one|two|three|four|five)`
	ordinal  = `(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|former|last|latter|erste[nrs]?|zweite[nrs]?|dritte[nrs]?|premier|première|deuxième|troisième|primer[oa]?|segund[oa]|tercer[oa]?)`
	someText = `(?:repl(?:y|ies)|answers?|responses?|messages?|e-?mails?|mails?|letters?|posts?|notes?|submissions?|contributions?|turn|text)`
)

var (
	numbered    = pattern.New(`\b(?:blocks?|deltas?|changes?|blocs?|bloques?|blocos?|numbers?|no\.|nr\.|item) ?#?(` + aNumber + `(?:(?:, ?| and | or | to | ?- ?| ?– ?| ?& ?|, and | und | et | y )(?:block |delta )?#?` + aNumber + `)*)\b|(?:^|[ (])#(\d{1,3})\b|第([一二三四五\d])(?:个|块|条|项|個|塊)`)
	nth         = pattern.New(`\b(` + ordinal + `)(?: (two|three))? (?:\w+ )?(?:blocks?|deltas?|ones?|changes?|kills?|edits?|adds?|additions?|proposals?|bloc|bloque|bloco|änderung)\b|\b(` + ordinal + `)(?: (two|three))? of (?:my|the|these|those|them)\b`)
	spokenOp    = pattern.New(`\b(kill(?:s|ed|ing)?|removals?|deletions?|retirement|edit(?:s|ed|ing)?|adds?|additions?|adding)\b`)
	definite    = pattern.New(`\b(?:the|my|that|this|both|its|den|der|das|die|dem|meinen?|le|la|el|mon|mi|il|mio|o|meu)(?: \w+)?$|^$`)
	nextID      = pattern.New(`^(?: (?:of|to|on|for|von|de|del|des|di|do|the|test|hypothesis|assumption|item)){0,3} ([a-z]{1,2}\d{1,4})\b`)
	lastID      = pattern.New(`\b([a-z]{1,2}\d{1,4}) ?(?:的|'s|の|-)? ?$`)
	itemID      = pattern.New(`\b[a-z]{1,2}\d{1,4}\b`)
	noun        = pattern.New(`\b(?:the|my|that|this|both|die|meine|meinen|la|mi|ma|l')(?: \w+)? ?(critiques?|criticisms?|objections?|kritik|critica|crítica|hypothes[ie]s|hypothese|hipótesis|tests?|assumptions?|annahme|anomal(?:y|ies|ie)|anomalía|predictions?|vorhersage)\b`)
	message     = pattern.New(`\b(?:my|meine[nr]?|mon|ma|mi|mein|minha|la mia)(?: \w+){0,3} (?:` + someText + `|antwort|mail|nachricht|brief|réponse|message|courriel|respuesta|mensaje|correo|resposta|mensagem)\b|\bthe (?:first|last|previous|earlier|original|whole|entire|prior|other)(?: \w+)? ` + someText + `\b|\b(?:what|everything|anything|all)(?: that)? i (?:have |'ve |had )?(?:already )?(?:sent|wrote|written|said|posted|proposed|submitted)\b|我(?:之前|上|前)[^，。]*(?:邮件|回复|消息)`)
	everyOne    = pattern.New(`\ball (?:of )?(?:my |the |these |those |three |two |four )*(?:deltas|changes|blocks|proposals|edits)\b|\beverything\b|\bthe (?:whole|entire) (?:thing|lot|set)\b|\ball of (?:it|them)\b|\bany of (?:it|them|my|the)\b|\banything\b|\bnothing\b|\balles\b|\btout\b|\btodo\b|全部|所有`)
	theRest     = pattern.New(`\b(?:the |my |both |all )?other (?:two|three|four|blocks?|deltas?|ones?|changes?|parts?)\b|\bthe others?\b|\bthe rest\b|\b(?:everything|all|nothing|anything) else\b|\bthe remaining\b|\bden rest\b|\bder rest\b|\bdie anderen\b|\ble reste\b|\bles autres\b|\bel resto\b|\blos otros\b|\blos demás\b|其余|其他`)
	within      = pattern.New(`(\w+) (?:of|in|from|at|to|about|with|for|on) (?:both |all )?$`)
	wholes      = " all everything whole nothing anything none any deltas blocks changes content contents rest both entirety back each half "
	pointsHere  = pattern.New(`\b(?:here|below|following|follows|corrected|fixed|new|replace[sd]?|again|resend|resent|resubmit\w*|counts|above)\b`)
	refersBack  = pattern.New(`\b(?:it|them|they|that|this|both|these|those|which|one|es|ihn|sie)\b|^(?:please )?(?:keep|remove|drop|ignore|skip|withdraw|delete|has|have|is|was|must|should)\b`)
	isPastRound = pattern.New(`\b(?:in|of|from|since|during) (?:the )?(?:(?:last|previous|earlier|first|an earlier) round|round \d)`)
	formal      = pattern.New(`\b(?:format\w*|formatting|commas?|quotes|brackets?|braces?|fences?|syntax|typos?|spelling|wording|indentation|whitespace|json|signature|footnote|subject line|attachment|greeting|order)\b`)
	barely      = pattern.New(`^(?:as (?:for|to)|about|regarding|concerning|on|both|then|also|now|well|and|or)? ?(?:the |my |that )?[^ ]*(?: [^ ]+){0,4}$`)
	verbs       = pattern.New(`\b(?:is|are|was|were|has|have|had|do|does|did|will|would|should|must|can|may|i|we|it|they|please)\b`)
)

// isBareName reports whether a clause has little but a name.
func isBareName(clause string) bool { return barely.MatchString(clause) && !verbs.MatchString(clause) }

// sections are the sections by their nouns.
var sections = []struct{ stem, section string }{
	{"critique", "adversarial_critique"},
	{"criticism", "adversarial_critique"},
	{"objection", "adversarial_critique"},
	{"kritik", "adversarial_critique"},
	{"critica", "adversarial_critique"},
	{"crítica", "adversarial_critique"},
	{"hyp", "hypothesis_slate"},
	{"hip", "hypothesis_slate"},
	{"test", "discriminative_tests"},
	{"assum", "assumption_ledger"},
	{"annahme", "assumption_ledger"},
	{"anomal", "anomaly_register"},
	{"predict", "predictions_table"},
	{"vorher", "predictions_table"},
}

// namesIn returns what a clause, in small letters, names.
func (f *finder) namesIn(clause string, s sentence) names {
	for _, by := range []func(string, sentence) (names, bool){f.byNumber, f.byOperation, f.byNoun, f.byID, f.byMessage, f.byCorrection} {
		if n, ok := by(clause, s); ok {
			return n
		}
	}
	return names{}
}

// byNumber returns the blocks that a clause names by their numbers. Those of a letter may be its own, unless it names the other one.
func (f *finder) byNumber(clause string, s sentence) (n names, ok bool) {
	if f.IsLetter && len(f.Own) > 0 && !message.MatchString(s.lower) || isTitle(clause, s) {
		return n, false
	}
	var all []int
	for _, m := range numbered.FindAllStringSubmatch(clause, -1) {
		all = append(all, numbersIn(m[1]+m[2]+m[3])...)
	}
	for _, m := range nth.FindAllStringSubmatch(clause, -1) {
		word := m[1] + m[3]
		first := number(word)
		if word == "last" || word == "latter" {
			first = f.lastNumber()
		}
		for i := range max(1, number(m[2]+m[4])) {
			all = append(all, first+i)
		}
	}
	if len(all) == 0 {
		return n, false
	}
	letter := f.letterOf(s.lower)
	f.effort += len(f.Standing)
	for i, c := range f.Standing {
		if c.Letter == letter && slices.Contains(all, c.Number) {
			n.of = append(n.of, i)
		}
	}
	return f.orOthers(names{how: byBlock, of: n.of}), true
}

// orOthers returns names, which may be of blocks that do not stand.
func (f *finder) orOthers(n names) names {
	if len(n.of) == 0 {
		n.how = byOthers
	}
	return n
}

// isTitle reports whether a sentence is only the number of the block that follows.
func isTitle(clause string, s sentence) bool {
	return clause == s.lower && len(strings.Fields(clause)) <= 3 && judgeWords(plainly(clause)) == says && judgeForeign(clause) == says
}

func (f *finder) lastNumber() (last int) {
	for _, c := range slices.Concat(f.Standing, f.Asked) {
		last = max(last, c.Number)
	}
	return last
}

// letterOf returns which letter a sentence is about: the last one, unless it names the first.
func (f *finder) letterOf(lower string) int {
	if m := message.FindString(lower); f.IsLetter && strings.Contains(m, "first") && len(f.Standing) > 0 {
		return f.Standing[0].Letter
	}
	return f.lastLetter()
}

func numbersIn(text string) (all []int) {
	isRange := strings.ContainsAny(text, "-–") || strings.Contains(text, " to ")
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,&#-–", c) }) {
		if n := number(word); n > 0 {
			all = append(all, n)
		}
	}
	const most = 100
	if isRange && len(all) == 2 && all[0] < all[1] && all[1] < most {
		for n := all[0] + 1; n < all[1]; n++ {
			all = append(all, n)
		}
	}
	return all
}

var numberWords = [][]string{
	{"one", "first", "1st", "former", "erste", "ersten", "erster", "erstes", "premier", "première", "primer", "primera", "primero", "一"},
	{"two", "second", "2nd", "zweite", "zweiten", "zweiter", "zweites", "deuxième", "segundo", "segunda", "二"},
	{"three", "third", "3rd", "dritte", "dritten", "dritter", "drittes", "troisième", "tercer", "tercera", "三"},
	{"four", "fourth", "4th", "四"},
	{"five", "fifth", "5th", "五"},
}

func number(word string) int {
	for i, words := range numberWords {
		if slices.Contains(words, word) {
			return i + 1
		}
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0
	}
	return n
}

// operationOf returns the operation that a word is for.
func operationOf(word string) string {
	switch {
	case strings.HasPrefix(word, "edit"):
		return "EDIT"
	case strings.HasPrefix(word, "add"):
		return "ADD"
	}
	return "KILL"
}

// byOperation returns the changes that a clause names by their operation, and their item or section.
func (f *finder) byOperation(clause string, s sentence) (n names, ok bool) {
	for _, at := range spokenOp.FindAllStringIndex(clause, -1) {
		word := clause[at[0]:at[1]]
		op, section, id := operationOf(word), sectionIn(clause), idBeside(clause, at)
		isDefinite := definite.MatchString(strings.TrimSpace(clause[:at[0]])) || strings.Contains(s.text, op)
		var more []int
		found := false
		switch {
		case op != "ADD" && id != "":
			more, found = f.ofItem(op, id)
		case isDefinite && section != "":
			more, found = f.inSection(section, op)
		case isDefinite && !isItself(word):
			more, found = f.withOperation(op)
		}
		n.of, ok = append(n.of, more...), ok || found
	}
	if !ok {
		return n, false
	}
	n.how = byBlock
	return f.orOthers(n), true
}

// idBeside returns the id behind an operation in a clause, or right before it.
func idBeside(clause string, at []int) string {
	if m := nextID.FindStringSubmatch(clause[at[1]:]); len(m) > 1 {
		return m[1]
	}
	if m := lastID.FindStringSubmatch(clause[:at[0]]); len(m) > 1 {
		return m[1]
	}
	return ""
}

// ofItem returns the changes of an item with an operation.
func (f *finder) ofItem(op, id string) (of []int, ok bool) {
	f.effort += len(f.Standing)
	is := func(c Change) bool { return c.Operation == op && strings.EqualFold(c.Target, id) }
	for i, c := range f.Standing {
		if is(c) {
			of = append(of, i)
		}
	}
	return of, len(of) > 0 || slices.ContainsFunc(slices.Concat(f.Asked, f.Own), is)
}

// isItself reports whether a word is a verb.
func isItself(word string) bool {
	return strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "ed")
}

// withOperation returns the changes with an operation that no other block of the answer has; in letters, those of the last with one.
func (f *finder) withOperation(op string) (of []int, ok bool) {
	f.effort += len(f.Standing)
	is := func(c Change) bool { return c.Operation == op }
	if slices.ContainsFunc(slices.Concat(f.Asked, f.Own), is) {
		return nil, true
	}
	letter := -1
	for i, c := range slices.Backward(f.Standing) {
		if is(c) && (letter < 0 || letter == c.Letter) {
			of, letter = append(of, i), c.Letter
		}
	}
	return of, len(of) > 0
}

// sectionIn returns the section whose noun a clause has.
func sectionIn(clause string) string {
	m := noun.FindStringSubmatch(clause)
	if m == nil {
		return ""
	}
	for _, s := range sections {
		if strings.HasPrefix(m[1], s.stem) {
			return s.section
		}
	}
	return ""
}

// inSection returns the changes of a section, unless another block of the answer is of that section, too.
func (f *finder) inSection(section, op string) (of []int, ok bool) {
	f.effort += len(f.Standing)
	is := func(c Change) bool { return c.Section == section && (op == "" || c.Operation == op) }
	if slices.ContainsFunc(slices.Concat(f.Asked, f.Own), is) {
		return nil, true
	}
	for i, c := range f.Standing {
		if is(c) {
			of = append(of, i)
		}
	}
	return of, len(of) > 0
}

// byNoun returns the additions that a clause names by their section or name.
func (f *finder) byNoun(clause string, _ sentence) (n names, ok bool) {
	const shortest = 5
	f.effort += len(f.Standing)
	for i, c := range f.Standing {
		if len(c.Name) >= shortest && strings.Contains(clause, strings.ToLower(c.Name)) {
			n.of = append(n.of, i)
		}
	}
	if len(n.of) == 0 {
		section := sectionIn(clause)
		if section == "" {
			return n, false
		}
		if n.of, ok = f.inSection(section, "ADD"); !ok {
			return n, false
		}
	}
	n.how = bySection
	return f.orOthers(n), true
}

// byID returns the changes of the items that a clause names.
func (f *finder) byID(clause string, s sentence) (n names, ok bool) {
	for _, id := range idsIn(clause) {
		is := func(c Change) bool { return strings.EqualFold(c.Target, id) }
		if slices.ContainsFunc(slices.Concat(f.Asked, f.Own), is) {
			continue
		}
		for i, c := range f.Standing {
			if is(c) && c.Operation != "ADD" {
				n.of = append(n.of, i)
				n.isKill = c.Operation == "KILL"
			}
		}
	}
	n.how = byItem
	n.isKill = n.isKill && !pointsHere.MatchString(s.lower) && !formal.MatchString(s.lower) && sectionIn(s.lower) == ""
	return n, len(n.of) > 0
}

// byMessage returns the changes of the messages that a clause names, or all but those that were named.
func (f *finder) byMessage(clause string, s sentence) (n names, ok bool) {
	if theRest.MatchString(clause) {
		for i := range f.Standing {
			if !slices.Contains(f.named, i) && !f.isLater(i) {
				n.of = append(n.of, i)
			}
		}
		n.how = byRest
		return n, true
	}
	at := message.FindStringIndex(clause)
	isEvery := at == nil && everyOne.MatchString(clause)
	if isBare := f.IsLetter && bareRecall.MatchString(s.lower); at == nil && !isEvery && !isBare {
		return n, false
	}
	if at != nil {
		if m := within.FindStringSubmatch(clause[:at[0]]); len(m) > 1 && !strings.Contains(wholes, " "+m[1]+" ") {
			return n, false // the formatting of my first reply
		}
	}
	n.how = byMessage
	if len(at) > 1 && len(idsIn(subject.FindString(clause[at[1]:]))) > 0 {
		return n, true // about an item that no change which stands has
	}
	letter := f.letterOf(clause)
	isSeveral := isEvery || len(at) > 1 && severalTexts.MatchString(clause[at[0]:at[1]]+" ")
	for i := range f.Standing {
		if isSeveral || f.Standing[i].Letter == letter {
			n.of = append(n.of, i)
		}
	}
	return n, true
}

var (
	subject      = pattern.New(`^ (?:about|on|concerning|regarding|re|zu|über|sur|sobre|su)\b[^,.;:]*`)
	severalTexts = pattern.New(`\b(?:replies|answers|responses|messages|e-?mails|mails|letters|posts|notes|everything|anything|all|what)\b`)
	bareRecall   = pattern.New(`^(?:please |sorry[,:] ?)?(?:unsend|recall|withdrawn|retracted|cancell?ed|cancel|never ?mind|disregard|scratch that|ignore that|forget (?:it|that))[.! ]*$`)
	misnamed     = pattern.New(`\bi meant\b|\bmeant to (?:kill|edit|target|write|send|name)\b|\bwrong (?:id|target|item|hypothesis|test|assumption|number|one)\b|\bshould have (?:been|said|read|targeted)\b`)
)

// byCorrection returns the change that a block of the text seems to replace: one like it, of another item.
func (f *finder) byCorrection(clause string, _ sentence) (n names, ok bool) {
	if !misnamed.MatchString(clause) {
		return n, false
	}
	for _, own := range f.Own {
		is := func(c Change) bool {
			return c.Operation == own.Operation && c.Section == own.Section && c.Target != own.Target && own.Target != ""
		}
		if slices.ContainsFunc(f.Asked, is) {
			continue
		}
		var of []int
		for i, c := range f.Standing {
			if is(c) && !f.isLater(i) {
				of = append(of, i)
			}
		}
		if len(of) == 1 {
			n.of = union(n.of, of)
		}
	}
	n.how = byBlock
	return n, len(n.of) > 0
}

// idsIn returns the ids of items in a clause, in small letters.
func idsIn(clause string) (all []string) {
	for _, at := range itemID.FindAllStringIndex(clause, -1) {
		all = append(all, clause[at[0]:at[1]])
	}
	return all
}
