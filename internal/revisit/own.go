package revisit

import (
	"bytes"
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// Reply is what ReadOwn reads.
type Reply struct {
	Text     []byte
	Author   string   // "" if it is unknown
	Changes  []Change // with the numbers of their blocks in the reply
	IsStrict bool     // what is not understood of a change leaves it open
}

// ReadOwn returns, by index of a change, the sentence of a reply that leaves its own change open, or "". Only sentences that name a
// change count, by the number of its block, its operation, or its section: those of an item also speak of what is known of it.
func ReadOwn(r Reply) []string {
	text := r.Text
	f := own{finder: finder{Context: Context{Standing: r.Changes}}, author: strings.ToLower(r.Author), isStrict: r.IsStrict, open: make([]string, len(r.Changes))}
	f.hasChecked = checked.Match(text)
	paragraph, header := -1, []string(nil)
	all := f.sentences(text)
	for i, s := range all {
		if s.block != paragraph {
			f.before, f.pairs, f.hasTopic, f.hasCount, f.isLater, paragraph, header = nil, nil, false, false, false, s.block, nil
		}
		if cells, ok := cellsOf(text, s); ok {
			if header == nil {
				header = cells
			}
			f.readRow(cells, header, s.sentence)
			continue
		}
		if f.effort > mostEffort {
			f.leaveAll(s.sentence)
			break
		}
		if f.isStrict {
			s.lower = f.withNumbers(s.lower)
			f.readStrict(s)
			f.readFinal(all[i:])
		}
		f.isOther = isOther(s.lower)
		f.readOptions(s.sentence)
		f.readPairs(s.sentence)
		f.readBeside(s)
		if f.read(s.sentence); wholeBack.MatchString(strings.TrimRight(s.lower, ".! ")) && !(len(s.above) > 0 && ofAbove.MatchString(s.lower)) && !s.isQuestion && !rest.MatchString(s.lower) {
			f.leaveAll(s.sentence)
		}
		f.hasCount = countsChanges.MatchString(s.lower)
	}
	return f.open
}

// countsChanges matches a sentence that says how many changes there are.
var countsChanges = pattern.New(`\b(?:two|three|four|five|both|\d|following|these|my)(?: \w+)? (?:blocks|deltas|changes|edits|additions|proposals|objects|versions|kills)\b`)

// NamesOthers reports whether a line names some of the changes of a reply, and not one, which is behind them.
func NamesOthers(line string, before []Change, one Change) bool {
	f := own{finder: finder{Context: Context{Standing: append(slices.Clip(before), one)}}}
	last, isOf := len(before), false
	for _, s := range sentencesIn([]byte(line)) {
		for _, clause := range s.clauses() {
			of := f.namesOwn(clause, s).of
			for _, id := range idsIn(clause) {
				of = append(of, f.onItem(id)...)
			}
			if slices.Contains(of, last) {
				return false
			}
			isOf = isOf || len(of) > 0
		}
	}
	return isOf
}

// own reads what a reply says of its own changes.
type own struct {
	finder
	author     string
	isStrict   bool // see Reply
	open       []string
	hasChecked bool       // there are boxes that are checked
	earlier    []int      // changes above the sentence
	pairs      [][]string // of a number and a word, in this paragraph
	isOther    bool       // the sentence is in another language than English
	hasCount   bool       // the sentence before, of the same paragraph, counts changes
	isLater    bool       // the text since the last fence says that what follows is for another time
	hasTopic   bool       // the sentence before, of the same paragraph, names an item or a change
}

var (
	checked   = pattern.New(`(?m)^[ \t]*(?:[-*+]|\d{1,2}[.)])? *\[[xX✓✔]\] `)
	unchecked = pattern.New(`^\[ ?\] `)
	// mayName matches sentences with a word for a change, or a number of one.
	mayName = pattern.New(`\b(?:blocks?|deltas?|changes?|numbers?|no\.|first|second|third|fourth|fifth|1st|2nd|3rd|last|latter|former|kill|edit|add|addition|removal|deletion|retirement|modification|update|revision|correction|corrected|target|erratum|typo|critique|objection|hypothesis|test|assumption|anomaly|prediction|only|final|apply|should (?:read|say|be))\b|#\d|\(\d\)|\b(?:skip|ignore|drop|hold|park|withdraw|scratch|cancel|pull|ditch|disregard) \d`)
	// back matches what takes a change back, holds it, or calls it something else than a change.
	back = pattern.New(`\b(withdr[ae]w(?:n|al|ing)?|retract(?:ed|ing|ion)?|rescind(?:ed|ing)?|revok(?:e|ed|ing)|revocation|cancel(?:l?ed|l?ing)?|scrap(?:ped|ping)?|scratch(?:ed|ing)?|undo|undone|revert(?:ed|ing)?|disregard(?:ed|ing)?|ignor(?:e|ed|ing)|discarded|dropped|omitted|skipped|skip|unsend|annul(?:led)?|abandoned|` +
		`postpon(?:e|ed|ing)|defer(?:red|ring)?|tak(?:e|en|ing) .{0,40}\bback|took .{0,40}\bback|leav(?:e|ing) .{0,30}\bout|left out|hold(?:ing)? (?:off|back)|held back|hold|on hold|off the table|(?:is|are|was) off|void|moot|obsolete|outdated|premature\w*|hasty|hastily|too (?:early|soon|hasty|quick|fast)|` +
		`tentative\w*|provisional\w*|hypothetical\w*|(?:a|an|only|just|as|my|first|rough) (?:draft|example|placeholder|suggestion|quotation|illustration|sketch)s?|draft|drafts|quoted|conditional\w*|unfinished|for discussion\w*|for later|next round|(?:for|in|until|to) round \d+|wait|waits|waiting|second thoughts?|reconsider|` +
		`only (?:be \w+ )?(?:if|when|once|after)|(?:is|are|applies|counts|stands|holds|takes effect) (?:only )?(?:if|when|once|unless|after)|unless|until|depends? on|pending|to be (?:confirmed|decided|discussed|voted|agreed)|before (?:applying|merging|executing|it is|you)|vote on|decide (?:whether|if)|your (?:consent|approval)|consent|` +
		`(?:pull|ditch|park|shelve|hold|skip|remove|delete|drop|cut|strike|pulled|ditched|parked|shelved) (?:the |my |this |that )?(?:kill|edit|addition|add|block|delta|change|first|second|third|last)\b|parked|shelved|contingent|contingency|rhetorical|bait|provoke|in reserve|sign(?:s|ed)? off|veto|second vote|activated by|made[- ]up|for comparison|only (?:proceed|go ahead|apply|do|execute)|not (?:\w+ )?(?:go|be) in now|leave (?:it|this|that|them) to|i leave|leave the (?:choice|decision)|by (?:mistake|accident)|in error|(?:is|was|are|were) (?:\w+ )?(?:wrong|a mistake|an error|a slip|an accident|mistaken)|mistaken|regret|not sure|unsure|no longer)\b`)
	// stand matches what keeps a change if it is not denied.
	stand  = pattern.New(`\b(stands?|counts?|apply|applied|applies|merged?|executed?|meant|mine|final|submitted|serious|ready|valid|included|include|send|submit|propose|proposing|submitting|urgent|yet|part of|needed|necessary|justified|warranted|want|do it|do this|do that)\b`)
	denial = pattern.New(`\b(?:not|never|no|none|neither|nor|without|hardly|cannot)\b`)
	// acts matches what a change does to an item, which says nothing of the change.
	acts = pattern.New(`\b(?:drop\w*|remov\w+|delet\w+|discard\w*|retir\w+|eliminat\w+|kill\w*|edit\w*|add\w*|ignor\w+|undo\w*|revert\w*|abandon\w*|skip\w*|omit\w*|withdr\w+|retract\w*|hold\w*|scrap\w*|postpon\w*) (?:(?:the|my|a|an|his|their) )?(?:\w+ )?[a-z]{1,2}\d{1,4}\b|\bexamples? (?:of (?:an?|how|what|such|the (?:claim|mechanism|third|hypothesis|test))|that|for)\b|\bdepends? on (?:the |my )?(?:first|second|third|deltas?|blocks?|others?|kill|edit|addition|add)\b`)
	// isDone matches what happens although, or whatever.
	isDone = pattern.New(`^if .*\b(?:can|could|may|might|will|would|should) (?:\w+ ){0,3}be (?:reverted|withdrawn|retracted|revisited|undone|dropped|reconsidered|restored|reopened)|\b(?:may|might|could|can) (?:\w+ )?(?:be|look|seem|sound|appear) .*\b(?:but|yet|still)\b|\b(?:objection|one (?:might|may|could)|some(?:one|body)? (?:might|may|could|will) (?:say|object|argue|think|call|find))\b|\b(?:would|could|might|will|shall) (?:\w+ )?(?:withdraw|retract|drop|take|cancel|revert|reconsider|revoke)\b.*\b(?:if|once|when|unless)\b|\beven (?:if|when|unless)\b|\b(?:not|nothing) (?:\w+ )?(?:depend|wait|conditional|provisional|withdr|retract|take .{0,20}back|cancel|ignor|postpon|regret)\w*|\bno (?:longer (?:conditional|provisional|tentative|hypothetical|premature)|need to wait|reason to (?:wait|withdraw|hold))\b|\b(?:not|never) (?:an? )?(?:draft|example|premature|hypothetical|provisional|tentative|mistake|moot|obsolete)\w*`)
	// erratum matches a sentence that corrects a change of the reply.
	erratum = pattern.New(`\bshould (?:read|say|have (?:said|read|targeted)|target)\b|\bshould have been (?:an? )?(?:"|[a-z]{1,2}\d|kill|edit|add)|\b(?:target|target_id|id|value|field|mechanism|claim|statement|observation|name|number|it) (?:\w+ ){0,4}should be\b|"[^"]*" should be\b|\b(?:correction|corrigendum|erratum|errata|typo)\b|\bwrong (?:id|target|item|hypothesis|test|assumption)\b|\bi meant\b|\breplace [a-z]{1,2}\d+ (?:by|with) [a-z]{1,2}\d+\b|\bmake (?:that|it) [a-z]{1,2}\d|\bread "?[a-z]{1,2}\d+"? (?:wherever|where|for|instead)\b`)
	// ofItem matches the change of an item in other words than its operation.
	ofItem    = pattern.New(`\b(?:the|my|this|that) (?:\w+ )?(?:change|edit|modification|update|revision|rewording|correction|mechanism|claim|wording|procedure|statement) (?:to|of|for|in) ([a-z]{1,2}\d{1,4})\b`)
	ownVerb   = pattern.New(`\b(?:i|we|let me|please)\b(?: \w+){0,3} (?:withdraw|retract|rescind|revoke|cancel|scrap|scratch|disregard|ignore|undo|skip|take back|taking back|withdrawing|retracting|drop|discard|remove|leave out)\b|\b(?:is|are|was|were|be) (?:\w+ )?(?:withdrawn|retracted|cancelled|canceled|revoked|rescinded)\b`)
	speakerOf = pattern.New(`\b(?:is|was|comes|came|quoted|copied|taken|sent|written|posted|forwarded|repeated)(?: \w+){0,2} (?:from|by) ([A-Z][a-z]+[A-Z]\w+)\b|\b(?:is|was) ([A-Z][a-z]+[A-Z]\w+)['’]s(?:$|[,.;)]| (?:own |first |last )?(?:delta|block|kill|edit|add|addition|proposal|change|message|letter|version|text|reply)\b)|^([A-Z][a-z]+[A-Z]\w+)['’]s(?:$|,)|[:–—-] ?([A-Z][a-z]+[A-Z]\w+)(?:['’]s|$|,)|\bwhat ([A-Z][a-z]+[A-Z]\w+) \w+`)
)

// read reads a sentence.
func (f *own) read(s sentence) {
	isBox := unchecked.MatchString(s.lower)
	isAbout := isBox || f.before != nil || mayName.MatchString(s.lower) || len(idsIn(s.lower)) > 0
	if !isAbout || s.isQuestion || isPastRound.MatchString(s.lower) {
		f.before = nil
		return
	}
	if f.isStrict {
		f.readItems(f.inIDs(s))
	} else {
		f.readItems(s)
	}
	switch {
	case f.readOnlySome(s):
		f.before = nil
	case !isBox:
		f.before = f.readClauses(s)
	case f.hasChecked:
		label := unchecked.ReplaceAllString(s.lower, "")
		f.leave(append(f.namesOwn(label, s).of, f.numbered(number(label))...), s)
	}
}

// readClauses reads the clauses of a sentence, and returns the changes that they name.
func (f *own) readClauses(s sentence) (all []int) {
	carried, title, last := names{}, says, says
	s.lower = inBrackets.ReplaceAllString(s.lower, "delta $1 ")
	for _, clause := range s.clauses() {
		n := f.namesFrom(clause, s, carried, all)
		if len(n.of) == 0 {
			if len(strings.Fields(clause)) <= 3 {
				title = f.judgeOwn(clause, names{how: byBlock}, s)
			}
			last = says
			continue
		}
		carried = names{}
		said := f.judgeOwn(clause, n, s)
		if said == says && ifAny.MatchString(s.lower) && applies.MatchString(clause) {
			said = leaves
		}
		if said == says && isBareName(clause) {
			if carried, said = n, title; last == leaves {
				said = leaves // the KILL and the ADD
			}
		}
		if said == leaves {
			f.leave(n.of, s)
		}
		last, title = said, says
		all = append(all, n.of...)
	}
	return all
}

// namesFrom returns the changes that a clause names: itself, with the bare name before it, or as what the clauses before it (all) or
// the sentence before named.
func (f *own) namesFrom(clause string, s sentence, carried names, all []int) names {
	n := f.namesOwn(clause, s)
	switch {
	case len(n.of) > 0:
		return n
	case len(carried.of) > 0:
		return carried
	case len(all) > 0 && refersBack.MatchString(clause):
		return names{how: byBlock, of: all}
	case len(all) == 0 && startsBack.MatchString(clause):
		return names{how: byBlock, of: f.before}
	}
	return names{}
}

var (
	// applyOnly matches sentences that name behind "only", or before it, what is to be applied.
	applyOnly  = pattern.New(`\bonly (?:want |submit |mean |send |propose )?((?:the |my |deltas? |blocks? |changes? |numbers? |last |next )*(?:#?\d\b|kill\b|edit\b|add\b|addition\b|first\b|second\b|third\b|fourth\b|last\b|latter\b|former\b|1st\b|2nd\b|3rd\b|other two\b|others\b).*)|\b(?:apply|use|take|keep|merge|execute|count)(?: only)? (.*) only$|^(?:final|to apply|apply|(?:final )?(?:list of )?(?:deltas?|blocks?|changes?) to (?:apply|merge|be applied|keep)|final (?:deltas?|list|set|answer))\b[^:]*: ?(.*)|\bi (?:\w+ )?(?:submit|send|propose|make|have|end up with) (?:only |just )?(?:one|a single) (?:delta|change|block|kill|edit|addition)(?: this round)?(?:[:—–] ?|, (?:namely )?)(the .*|(?:kill|edit|add)\b.*)|^(?:the|my) (.*) is (?:all|the only (?:change|delta|block|one)|everything)(?: that)? (?:i|we)\b`)
	applies    = pattern.New(`\b(?:apply|applies|applied|applying|use|take|keep|merged?|execute[sd]?|counts?|stands?|meant|mean|final|submit|submitted|mine|want|send|propose|matters?)\b`)
	bareNames  = pattern.New(`#?\b(\d)\b`)
	startsBack = pattern.New(`^(?:so |but |please |and |then )*(?:it|this|that|they|both|these|better|treat|do|don't|ignore|skip|hold|leave|the target|the value|the mechanism)\b`)
)

// mindOf matches sentences in which the author changes its mind about an item.
var mindOf = pattern.New(`\b(?:i|we)\b.*\b(?:chang(?:e|ed|ing) (?:of )?(?:my|our) mind|no longer (?:convinced|sure|certain) |no longer (?:\w+ )?(?:that )?[a-z]{1,2}\d{1,4} (?:must|should|has to|needs to)\b|no longer want to|not (?:so |that |really |quite |entirely )?(?:convinced|sure|certain) (?:any ?more )?(?:that|about|whether)|reconsider|second thoughts? (?:about|on)|was wrong about|too harsh)|\b[a-z]{1,2}\d{1,4} (?:is )?back in\b|(?:not|n't) (?:\w+ )?want [a-z]{1,2}\d{1,4} (?:gone|killed|removed|dead|out)\b|^(?:so |please |but |and )*(?:forget|ignore|disregard) (?:what i (?:said|wrote) )?(?:about|on) |\bdeserves (?:one more|another|a)\b|\bleave (?:it|[a-z]{1,2}\d{1,4}) in\b|\b(?:should|must|may|can) (?:survive|live|stay)\b|\bsurvives? after all\b|: ?(?:keep|kept|stays|spared|not killed|no kill)\b|^whether .*\bto decide\b`)

var (
	// doneIf matches changes under a condition, and handsOver sentences that leave a decision to others.
	doneIf    = pattern.New(`\b(kill|edit|retire|remove|drop|sharpen|change)(?:ed|ing|s)? ([a-z]{1,2}\d{1,4}) (?:only )?(?:if|once|unless|when|as soon as)\b`)
	handsOver = pattern.New(`(?i:\b(?:decision|question|fate|verdict)\b).* to (?:you\b|[A-Z][a-z]+[A-Z])`)
	// quotedOp matches another agent's change, and quotes words for showing it.
	quotedOp = pattern.New(`\b([A-Z][a-z]+[A-Z]\w+)['’]s (?:\w+ )?(?:(KILL|EDIT|ADD)|delta|original|block|version)\b`)
	quotes   = pattern.New(`\b(?:for (?:reference|comparison|completeness|context)|reproduc(?:e|ed)|quote|quoted|repeat|copied|shown? .*first|is shown|two blocks follow|first and then|followed by (?:mine|my))\b`)
	// ifAny matches the beginning of a condition.
	ifAny = pattern.New(`^(?:but |and |so )*(?:if|unless|once|when|should|as soon as|in case) `)
)

// otherWords are common words of other languages.
var otherWords = pattern.New(`\b(?:ich|wir|bitte|nicht|soll|der|den|das|und|je|nous|les?|du|doit|finalement|veuillez|el|los|del|debe|por|al|il|lo|io|deve|não|os?|da|het|niet)\b`)

// isOther reports whether a sentence is in another language than English.
func isOther(lower string) bool {
	return isForeign(lower) && (otherWords.MatchString(lower) || strings.IndexFunc(lower, func(c rune) bool { return c >= 0x400 }) >= 0)
}

// readItems reads a sentence that leaves open whether an item is to be killed.
func (f *own) readItems(s sentence) {
	if m := doneIf.FindStringSubmatch(s.lower); m != nil {
		of, _ := f.ofItem(operationOf(m[1]), m[2])
		f.leave(of, s)
	}
	if m := quotedOp.FindStringSubmatch(s.text); len(m) > 2 && !strings.EqualFold(m[1], f.author) && quotes.MatchString(s.lower) && !agreed.MatchString(s.lower) {
		of, _ := f.withOperation(m[2])
		if m[2] == "" && len(f.earlier) == 0 && len(f.Standing) > 1 {
			of = f.numbered(1)
		}
		f.leave(of, s)
	}
	isKept, isBack, isDenied := foreignKeep.MatchString(s.lower), foreignBack.MatchString(s.lower), foreignNot.MatchString(s.lower)
	isSpared := f.isOther && isKept && !isBack && !isDenied
	if !mindOf.MatchString(s.lower) && !handsOver.MatchString(s.text) && !isSpared || strings.HasPrefix(s.lower, "if ") {
		return
	}
	for _, id := range idsIn(s.lower) {
		of, _ := f.ofItem("KILL", id)
		f.leave(of, s)
	}
}

// readOnlySome reads a sentence that keeps only some changes, and reports whether it is one.
func (f *own) readOnlySome(s sentence) bool {
	m := applyOnly.FindStringSubmatch(strings.TrimRight(s.lower, ".!"))
	if len(m) < 6 || !applies.MatchString(s.lower) && m[3]+m[5] == "" || strings.Contains(s.lower, "not to ") || denial.MatchString(s.lower) {
		return false
	}
	part, _, _ := strings.Cut(strings.Join(m[1:], ""), " because ")
	kept := f.keptBy(part, s)
	if len(kept) == 0 || len(kept) == len(f.Standing) {
		return false
	}
	for i := range f.Standing {
		if !kept[i] {
			f.leave([]int{i}, s)
		}
	}
	return true
}

// keptBy returns the changes that a part of a sentence names, or those with the numbers in it.
func (f *own) keptBy(part string, s sentence) map[int]bool {
	kept := make(map[int]bool)
	keep := func(of []int) {
		for _, i := range of {
			kept[i] = true
		}
	}
	for _, clause := range (&sentence{lower: part, text: part}).clauses() {
		keep(f.namesOwn(clause, s).of)
		if !restOf.MatchString(clause) {
			continue
		}
		for i := range f.Standing {
			if f.open[i] == "" && !slices.Contains(f.before, i) {
				kept[i] = true
			}
		}
	}
	if len(kept) == 0 {
		for _, m := range bareNames.FindAllStringSubmatch(part, -1) {
			keep(f.numbered(number(m[1])))
		}
	}
	return kept
}

// restOf matches what names all changes that were not named before.
var restOf = pattern.New(`other two|others|the rest`)

// mostEffort bounds the changes that are compared with names. If a reply with many changes has too many names, all are left open.
const mostEffort = 1 << 26

func (f *own) leaveAll(s sentence) {
	for i := range f.Standing {
		f.leave([]int{i}, s)
	}
}

func (f *own) leave(of []int, s sentence) {
	for _, i := range of {
		if f.open[i] == "" {
			f.open[i] = s.text
		}
	}
}

// judgeOwn returns what a clause says of the changes that it names.
func (f *own) judgeOwn(clause string, n names, s sentence) verdict {
	plain, inSection := acts.ReplaceAllString(plainly(clause), "acts"), n.how == bySection
	if inSection {
		plain = plainly(clause)
	}
	switch {
	case isDone.MatchString(plain), isDone.MatchString(s.lower), inSection && reported.MatchString(plain):
		return says
	case !inSection && erratum.MatchString(plain), f.isAnothers(s, clause), f.isOther && judgeForeign(clause) == leaves:
		return leaves
	case inSection && back.MatchString(plain):
		if !ownVerb.MatchString(plain) || doubts.MatchString(s.lower) || strings.Contains(s.lower, "'d ") {
			return says
		}
	}
	if f.isStrict {
		plain = strictly(plain)
	}
	said := judgePlain(plain, inSection)
	if said == says && f.isStrict && !inSection && !isBareName(clause) && !understands(plainly(clause), f.hasCount) {
		return leaves
	}
	return said
}

// judgePlain returns what a clause without contractions says by words that take back, keep and deny.
func judgePlain(plain string, inSection bool) verdict {
	at := denial.FindStringIndex(plain)
	if back.MatchString(plain) {
		if len(at) > 1 && back.MatchString(plain[at[1]:]) && !back.MatchString(plain[:at[0]]) && !strings.Contains(plain, "not sure") {
			return says // I do not withdraw it
		}
		return leaves
	}
	const short = 4
	if at != nil && !inSection && (stand.MatchString(plain[at[1]:]) || len(strings.Fields(plain)) <= short && len(plain[at[1]:]) < 5) {
		return leaves
	}
	return says
}

// isAnothers reports whether a clause calls a change another agent's.
func (f *own) isAnothers(s sentence, clause string) bool {
	at := strings.Index(s.lower, clause)
	if at < 0 || len(s.lower) != len(s.text) {
		return false
	}
	m := speakerOf.FindStringSubmatch(s.text[at : at+len(clause)])
	return m != nil && !strings.EqualFold(strings.Join(m[1:], ""), f.author)
}

// cellsOf returns the cells of a row of a table.
func cellsOf(text []byte, s placed) ([]string, bool) {
	const longest = 1000
	if text[s.from] != '|' || s.end-s.from > longest {
		return nil, false
	}
	rest, _, _ := bytes.Cut(text[s.end:min(len(text), s.end+longest)], []byte("\n"))
	line := strings.TrimSpace(string(text[s.from:s.end]) + string(rest))
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") {
		return nil, false
	}
	cells := strings.Split(strings.ToLower(strings.Trim(line, "|")), "|")
	for i, cell := range cells {
		cells[i] = strings.Trim(lightMarks.Replace(cell), " \t.")
	}
	return cells, true
}

var (
	headOfChanges = pattern.New(`^(?:#|no\.?|number|(?:block|delta|change|operation)s?(?: (?:#|no\.?|number))?)$`)
	headOfFate    = pattern.New(`^(?:apply|applied|apply\?|status|state|decision|verdict|use|submit|submitted|final|include|included|action|fate|meant)\??$`)
	heldCell      = pattern.New(`^(?:no|not? .*|❌|✗|✘|x|draft|drop|dropped|withdrawn|retracted|on hold|hold|held|later|wait|waits|postponed|deferred|skip|skipped|rejected|discarded|cancelled|canceled|void|example|quoted|hypothetical|tentative|pending|open|undecided|conditional.*|only if .*|if .*|next round|round \d+)$`)
)

// moreHeld matches cells that strict reading holds back, too.
var moreHeld = pattern.New(`^(?:withdraw|contested|not sent|reject|leave out|remove|delete|dropp?|hold back)$`)

// readRow reads a row of a table that says which changes count.
func (f *own) readRow(cells, header []string, s sentence) {
	which, fate := slices.IndexFunc(header, headOfChanges.MatchString), slices.IndexFunc(header, headOfFate.MatchString)
	if which < 0 || fate < 0 || max(which, fate) >= len(cells) || !heldCell.MatchString(cells[fate]) && !(f.isStrict && moreHeld.MatchString(cells[fate])) {
		return
	}
	of := f.namesOwn(cells[which], s).of
	of = append(of, f.numbered(number(strings.TrimLeft(cells[which], "# ")))...)
	f.leave(of, sentence{text: strings.Join(cells, " | ")})
}
