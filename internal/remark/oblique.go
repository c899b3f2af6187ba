package remark

import (
	"bytes"
	"strings"
)

// Rules are the rules by which the text beside the blocks of an author is read. The author may be unknown ("").
type Rules struct {
	Author  string
	Oblique bool // sentences that set a block aside without any of the usual words count, too
}

// wordClasses are the classes of words in phrases.
var wordClasses = map[string]string{
	"ME":     "i we",
	"IT":     "this that it _above",
	"PERSON": "@ someone somebody anyone nobody people others they he she some colleague colleagues reader readers reviewer reviewers critic critics sceptic sceptics skeptic skeptics camp panel team author authors student students undergraduate referee referees opponent opponents agent agents predecessor friend expert experts newcomer beginner mind myself",
	"WOULD":  "would could might may will can should must",
	"IF":     "would could might i'd we'd",
	"HAVE":   "have has had",
	"ADV":    "-ly now then also still even just only once never all too yet here first soon nearly almost",
	"WRITE": "write writes wrote written send sends sent sending propose proposes proposed suggest suggests suggested submit submits submitted answer answers answered reply replies replied say says said post posts posted " +
		"offer offers offered want wants prefer prefers preferred float floats floated hand hands handed reach reaches reached go goes went gone recommend recommends recommended",
	"BY":    "with for in by to on behind",
	"TAIL":  "this that it these them the following follows as like so something such a thing one along lines below instead _above",
	"TIME":  "last week yesterday round month year once before earlier then in at first ago back",
	"NOT":   "not never cannot can't don't won't wouldn't wasn't isn't shouldn't couldn't hardly",
	"AM":    "am do would will could should can",
	"STAND": "recommend endorse support propose suggest advocate favour favor stand ask asking vouch mean want defend share hold believe agree subscribe proposing recommending suggesting advocating",
	"ROLE":  "strawman straw-man devil's caricature parody satire joke jest foil mock-up mockup what-if counterfactual hypothetical illustration curiosity placeholder provocation rehearsal thought-experiment template",
	"RASH":  "rash hasty premature wrong bad mistaken foolish unwise careless reckless harsh drastic unfair excessive",
	"DO":    "do send apply submit merge propose follow execute run make act copy",
	"DEED":  "version idea move option proposal draft one variant step",
	"KILL":  "kill remove drop retire delete discard abandon dismiss killing removing dropping retiring deleting discarding abandoning dismissing",
	"EDIT":  "edit change touch modify rewrite alter reword editing changing touching modifying rewriting altering rewording",
	"OWN":   "kill edit add propose change remove retire drop sharpen revise replace act send submit decide decided adopt take agree second follow go apply offer suggest move endorse support correct merge split narrow close",
	"MINE":  "my our",
	"ROUND": "in to at last first the my our previous earlier already before round turn reply letter message 1 2 3 4 5 6 7 8 9",
}

var words = &lexicon{terms: make(map[string]int), words: make(map[string]bits)}

// Oblique sentences set a block aside by who speaks, by their mood, by a negation, or by another time, with the block as
// the object: the one to which they lead, or a word for it.
var (
	// titleForms are of titles before a block, in which the place of the object may be empty.
	titleForms = words.phrases(`
		PERSON .. HAVE? ADV* WRITE BY? the? following? $
		PERSON .. WOULD ADV* have? WRITE BY? TAIL* $
		PERSON .. tempted BY TAIL* $
		ME|me|self IF ADV* have ADV* WRITE BY? TAIL* TIME* $
		^ if|had|were|should|unless|supposing ... , ME|this|these|PERSON|_above|answer IF ADV* have? be? WRITE|be|read|look|go|run|see|say out? TAIL* $
		^ if|should|whenever you|we|anyone|@ ever
		^ ADV* let|let's? us? suppose|supposing|imagine|picture|pretend
		, suppose|imagine|pretend
		^ as|in|for|to|play|playing|purely|merely|only|just|here|is|this|a|an|the|by|way|of|what|follows* ROLE ...
		^ as|in|for|to|a|an|the* thought experiment
		for the sake of argument|contrast|completeness
		for argument's sake
		for fun|posterity|amusement
		ME AM? NOT ADV* STAND BY? TAIL* ADV* $
		which|that|what ME did NOT WRITE|do $
		^ what ME ADV* had? sent|wrote|proposed|submitted in|at|last|earlier|before ROUND* $
		which|that|what ME didn't|never WRITE|do $
		which|that ME ADV* refuse|reject|oppose|dispute|doubt|regret|decline|resist|disown $
		not MINE own? plan|view|idea|position|opinion|words|wish|proposal|choice $
		not for merging|sending|applying|use|execution|submission $
		not meant|intended? to|for be? merged|sent|applied|executed|submitted|merging|use $
		not|don't|never to? DO on|upon? TAIL* $
		^ not to be taken|used|put|stored|recorded $
		^ MINE|the earlier|previous|old|older attempt|try|version|record|note ADV* was|read|said TAIL* $
		^ the form|shape is|was ADV* TAIL* $
		^ not something|anything|what|how
		before|until|yesterday|once ... ME ADV* believed|favoured|favored|proposed|wanted in? TAIL* $
		ME was|were ADV* on the verge|point|brink of
		ME ADV* toyed|flirted|played with
		^ kept|retained|preserved|archived|parked|shelved .. so|for|to|as|only
		DEED .. that|which .. lost|failed|tore|threw|rejected|dropped|shelved|abandoned|refused|discarded
		^ what ... warn|warns|warned|advise|advises|advised|argue|argues|argued|decided|voted against $
		, though|but a RASH one|move|idea|step $
		^ a RASH|tempting DEED $
		^ this|these one? ME will|would? leave|defer|postpone|reserve for|to|until
		^ this|these|following can|must|should|will|has to? have? wait
		^ this|these|following stays|stay|remains|remain in|on the? drawer|shelf|ice|hold|table
		RASH|mistake|early|soon to DO|WRITE TAIL* $
		is what failed|misfired
		^ MINE first? impulse|instinct|reflex
		avoid|beware ... such as $
		bad|wrong|rejected|failed|discarded ideas|moves|attempts $
		, should we|you|anyone|it want|need|come
	`)
	// lineForms are of the last sentence before a block, which need not be a title.
	lineForms = words.phrases(`
		purely|merely|only|just|solely for|as a? illustration|show|contrast|demonstration|strawman
		^ please? do? not|don't|never take|put|store|record the? following|next|this|these|below block|record|one? $
		^ not to be taken|used|put|stored|recorded $
		^ MINE|the earlier|previous|old|older attempt|try|version|record|note ADV* was|read|said TAIL* $
		^ the form|shape is|was ADV* TAIL* $
		^ DEED|such|a|this|it|_above* would look|read|run as|like|so
		ME AM? NOT ADV* STAND BY? this|following|_above|what follows? ADV* $
	`)
	supposing = words.phrases(`^ ADV* suppose|imagine|picture|pretend`)
	thereupon = words.phrases(`^ then|so|in that? case?`)

	// behindForms are of the first sentences behind a block.
	behindForms = words.phrases(`
		^ _above is|was ADV* @'s|his|her|their ADV* idea|words|wording|view|suggestion|opinion|version|text|position|thought|draft|take|proposal|doing
		^ these|those? are|were? @'s|his|her|their words|wording|phrasing $
		^ IT is|was ADV* PERSON speaking|talking|writing|arguing
		not|than me|mine $
		not MINE own? view|idea|words|doing|proposal|position|opinion|wish|choice|recommendation $
		^ ME AM? NOT go|do that|so|this|it|there far? myself|yet|here|today|either* $
		^ ME AM? NOT ADV* STAND BY? IT ADV* $
		^ not that ME
		^ ME ADV* hope IT|we never|not|doesn't|won't
		^ ME|am|i'm|just|only|merely|was* kidding|joking|musing|speculating|brainstorming|daydreaming
		thinking|think out|aloud loud?
		^ IT is|was ADV* merely|rather|a|an|my* ROLE|experiment $
		^ IT is|was ADV* a thought experiment
		^ strictly|purely|merely|only|just|simply a? ROLE|example $
		^ IT ... is|was ADV* roughly? what|how ME|it|one|you|PERSON would ADV* WRITE|do|be|look
		^ park|shelve|postpone|defer|delay|freeze|hold IT
		^ keep|put|set|leave IT on|aside|for|until|in hold|ice|later|now|reserve|another|the?
		^ let IT rest|lie|wait|sit
		^ IT|such|a|kill|edit|change* would be ... , and|but ME am not there|ready|sure|convinced
		^ such a kill|edit|change|move|step ADV* needs|requires|demands ADV* better|more|stronger|another|your|approval
		^ let|let's us|me? not $
		^ let|let's us|me? not do|go|rush|act|send|jump on|to? that|this|it|so|there|_above
		consider|count|regard|treat IT as? unsaid|unwritten|unsent|undone|void|null|gone
		^ ADV* not today|now|yet|here $
		^ maybe|perhaps later $
		^ ME are|am not ADV* there|ready ADV* $
		ME spoke|acted|wrote|jumped too soon|early|fast|quickly
		got carried|ahead away|of
		ME ADV* regret IT $
		forget|unsay what|everything ME
		IT down|in|here|up? only|just|merely|purely|solely to see|show|illustrate|try|test|compare|provoke
		^ you|operator|anyone|free may|can|should|to throw|toss|ignore|delete|discard|skip|disregard|drop|strike IT
		^ wait|hold ... before ADV* touching|applying|merging|acting|changing|executing on? anything|this|it|that|_above
		^ IT is|was|seems ADV* far|much|still* too early|soon|hasty|rash|drastic|harsh for that|this|it
		^ IT is|was|seems ADV* far|much|still* too early|soon|hasty|rash|drastic|harsh $
		maybe|perhaps|probably|better|rather|preferably not $
		^ my finger|hand|mouse|cursor slipped
		^ ME would ADV* need|want|like|have to see|know|check|wait|run|read ... first|before|beforehand
		^ nobody|none of? us? is|would|should? ADV* proposing|suggesting|recommending|sending|asking for? IT
		not to DO IT $
		and|so|,|then ME? withdraw|retract $
		^ it? is? better|best|safer|wiser to wait|hold|pause
	`)
	// spareForms leave an item as it is, and resistForms are against an operation on it.
	spareForms = words.phrases(`
		^ please|ME|will|would|rather|should|let|us* spare|leave|keep|save|preserve|retain # alone|be|in|untouched|alive|for|now|another|round|after|all|then|instead|the|moment* $
		^ # ADV* deserves|merits|gets|keeps another|a|more|the|its
		^ # ADV* is not ADV* dead|done|finished|refuted
		KILL|EDIT # .. would|is|seems be? ADV* too? RASH|early|soon
	`)
	killForms = words.phrases(`
		NOT|against|than ADV* want|to|wish|ready* KILL # ADV* $
		NOT|against|than ADV* want|to|wish|ready* KILL # ADV* ,|today|until|before|unless|at
		RASH|mistake|early|soon to KILL #
	`)
	editForms = words.phrases(`
		NOT|against|than ADV* want|to|wish|ready* EDIT # ADV* $
		NOT|against|than ADV* want|to|wish|ready* EDIT # ADV* ,|today|until|before|unless|at
		RASH|mistake|early|soon to EDIT #
	`)
	// ownForms take the block up: clauses that begin so; presentForms are of those behind the first one.
	ownForms = words.phrases(`
		^ and|but|so|then|now|hence|therefore|thus|still* ME|i'll|we'll ADV* do|will|shall|can|have|therefore|thus* OWN
		^ and|but|so|then|now* here it is
		^ and|but|so|then|now* here is|are|comes|come MINE
		^ and|but|so|then|now* MINE .. change|changes|edit|edits|kill|delta|deltas|answer|proposal|contribution|addition|reply|decision|verdict|turn
		^ _above is MINE
		^ this is MINE
		^ this is what ME propose|want|send|suggest|do
		^ so|hence|therefore|thus|accordingly|consequently $
	`)
	presentForms = words.phrases(`^ and|but|so|then|now* here|below is|are|comes|follows`)
	// reasonForms are of titles that tell why the author acts.
	reasonForms = words.phrases(`
		^ as the? PERSON
		^ since|because|after|given|following
		wrong|foolish|unfair|mistake not
	`)
	// persuadedForms are of titles that name another author, or another time, and yet introduce the author's own change.
	persuadedForms = words.phrases(`
		convinced|persuaded|swayed|won me|us
		^ as @ ADV* suggested|suggests|recommended|recommends|requested|asked|advised|urged $
		^ what|here|is|now|this* ME should ADV* have ADV* sent|written|proposed|submitted|added|done ROUND* $
	`)
	severalForms = words.phrases(`these|those|both|blocks|deltas|changes|options`)
)

// isPersuaded reports whether a title tells why the author has changed its mind, or follows another author.
func (r Rules) isPersuaded(title string) bool { return r.words(title).has(persuadedForms) }

// words returns the words of a sentence. Those of very long ones do not count.
func (r Rules) words(sentence string) *spoken {
	const longest = 400
	if len(sentence) > longest {
		return &spoken{}
	}
	return words.read(strings.ReplaceAll(sentence, "’", "'"), r.Author)
}

// takesUp reports whether a sentence has a clause in which the author makes the block its own.
func (s *spoken) takesUp() bool {
	start := 0
	for i := 0; i <= len(s.texts); i++ {
		if i < len(s.texts) && s.texts[i] != aPause && s.texts[i] != "and" && s.texts[i] != "but" {
			continue
		}
		clause := spoken{texts: s.texts[start:i], words: s.words[start:i], union: s.union}
		if clause.has(ownForms) || start > 0 && clause.has(presentForms) {
			return true
		}
		start = i + 1
	}
	return false
}

// obliqueBefore returns the oblique remark at the end of a text, about the block that follows it.
func (r Rules) obliqueBefore(text, block []byte) (Remark, bool) {
	raw := lastParagraph(text)
	if len(raw) == 0 {
		return Remark{}, false
	}
	line, title := unmark(bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r"), nil), []byte("\n"), []byte(" ")))
	last := lastSentence(line)
	s := r.words(strings.Trim(last, "()[]. "))
	hit := s.has(lineForms) || title && s.has(titleForms) && !s.has(reasonForms) || s.resists(block)
	if before := strings.TrimSpace(strings.TrimSuffix(line, last)); !hit && title && before != "" && s.has(thereupon) {
		hit = r.words(lastSentence(strings.TrimRight(before, ".!? "))).has(supposing)
	}
	if !hit || s.takesUp() {
		return Remark{}, false
	}
	lower := lowered(strings.Trim(last, "()[]. "))
	return Remark{Line: last, Several: s.has(severalForms)}, !denies.MatchString(lower) && !adopts.MatchString(lower)
}

// lastParagraph returns the last paragraph of a text, which ends in prose, or nothing.
func lastParagraph(text []byte) []byte {
	text = bytes.TrimRight(text[max(0, len(text)-maxProse):], " \t\r\n\"'")
	for at := len(text); ; {
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		line := bytes.TrimSpace(text[start:at])
		isProse := len(line) > 0 && strings.IndexByte(">|#`~<{}:", line[0]) < 0
		isBegun := at < len(text)
		switch isItem := isProse && strings.IndexByte("*-+", line[0]) >= 0; {
		case !isProse, isBegun && (isItem || line[len(line)-1] == ':'):
			return bytes.TrimSpace(text[at:])
		case isItem:
			return line
		case start == 0 && len(text) == maxProse:
			return nil // it is long
		case start == 0:
			return text
		}
		at = start - 1
	}
}

// obliqueBehind returns the oblique remark in the first two sentences behind a block.
func (r Rules) obliqueBehind(text, block []byte) (Remark, bool) {
	const most = 2
	raw, _ := paragraph(text)
	if len(raw) == 0 || strings.IndexByte(">|#", raw[0]) >= 0 {
		return Remark{}, false
	}
	line, _ := unmark(raw)
	whole := line
	if isLead(raw) {
		line = line[:lastEnd(line)]
	}
	n := 0
	for sentence := range sentences(strings.Trim(line, "()[] ")) {
		if n++; n > most {
			break
		}
		s := r.words(strings.TrimRight(sentence, ".!?) "))
		s.skip(asides)
		if s.has(behindForms) || s.spares(block) || s.resists(block) {
			if lower := lowered(sentence); !adopts.MatchString(strings.TrimPrefix(lower, "then again")) {
				return Remark{Line: whole}, true
			}
		}
	}
	return Remark{}, false
}

// asides are words before a sentence that do not change it.
var asides = words.phrases(`^ but|though|still|so|well|actually|at|of|course|to|clear|mind|least|then|again|please|and|no|honestly|frankly|on|reflection|second|thoughts|thought|fact|yet|oh|or|,`)

// skip leaves out the words at the beginning that are among those of a phrase.
func (s *spoken) skip(of []phrase) {
	for len(s.texts) > 1 && s.has(of) {
		s.texts, s.words = s.texts[1:], s.words[1:]
	}
}

// spares reports whether a sentence leaves the target of a block as it is.
func (s *spoken) spares(block []byte) bool {
	return s.has(spareForms) && isTarget(block, s.item) && !isOperation(block, "ADD")
}

// resists reports whether a sentence is against the operation of a block on its target.
func (s *spoken) resists(block []byte) bool {
	return s.has(killForms) && isTarget(block, s.item) && isOperation(block, "KILL") || s.has(editForms) && isTarget(block, s.item) && isOperation(block, "EDIT")
}

// isOperation reports whether a block may have an operation.
func isOperation(block []byte, name string) bool {
	return bytes.Contains(bytes.ToUpper(block), []byte(`"`+name+`"`))
}
