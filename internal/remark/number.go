package remark

import (
	"bytes"
	"strconv"
	"strings"

	"brenner/internal/pattern"
)

// Blocks named by number or by what they do, wherever a reply speaks of them.
const (
	numbered = `(?:(?:the|that|this|my) (?:very )?(<nth>|last)(?: (?:block|delta|kill|edit|add|addition|change|proposal|version|one))?|(?:block|delta) (?:number |no\.? |#)?(\d|one|two|three|four|five))(?: above| below| of (?:the|these|them)\b[^,]*)?`
	byWhat   = `(?:the|my) (kill|edit|addition|add) (?:of|to|on|for) (<id>)`
	badState = `(?:<canceled>|ignored|disregarded|skipped|an? (?:slip|mistake|error|leftover)|wrong|rejected|unfinished|conditional|not (?:mine|meant|final|valid|ready|to be)|(?:(?:just|only|merely) )?(?:an? |my )?<shown>(?:$|[.,;)]| (?:of (?:how|what)|only))|what [a-z]+ (?:sent|wrote|proposed)|[a-z]+'s(?:$|[.,;)]))`
)

var (
	strikes = shape(
		`(?:^|please |oh |and |<me> |to |can |let's )(?:<cancel>(?: out)?|void|remove|delete|do nothing with|hold off on|hold back|leave out|<never> (?:apply|execute|send|use|merge|run)|treat|consider|regard) `+numbered+`(?:$|[.)]| as (?:<canceled>|an? <shown>|not\b)| until\b| for now| because\b| since\b)`,
		`^(?:oh,? )?(?:and )?`+numbered+` (?:is|was|are|has been) (?:now |hereby )?`+badState,
		`^(?:oh,? )?(?:and )?`+numbered+` (?:should|must|shall|will|can|may) (?:not be <applied>|be (?:ignored|disregarded|skipped|discarded|dropped))`,
		`^`+numbered+`(?::| [—–-]) ?(?:<canceled>|draft|example|ignore|not final)\b`,
		`^\|? *(?:block |delta )?(?:()(\d)) *\|(?:.*\|)? *(?:<canceled>|draft|example|rejected|not final|ignore) *\|`,
	)
	strikesWhat = shape(
		`^(?:please )?(?:<never>|let's not) (kill|edit) (<id>)(?:$|[.)]| after all\b| yet\b| for now\b)`,
		`(?:^|please |<me> |to )(?:<cancel>|hold off on|<never> (?:apply|execute|send|merge)) `+byWhat+`(?:$|[.,;)])`,
		`^(?:and )?`+byWhat+` (?:is|was|has been) (?:now |hereby )?(?:<canceled>|conditional on|a mistake|a slip|not (?:mine|meant|to be))`,
	)
	keeps = shape(
		`\b(?:apply|use|take|execute|merge|run|count|read) only `+numbered+`(?:$|[.)])`,
		`\bonly `+numbered+` (?:counts?|applies|is (?:meant|mine|valid|final|to be)|stands|matters|should be)\b`,
		`\b(?:apply|use|take|execute|merge|run) `+numbered+` (?:only|alone)\b`,
		`^(?:apart from|except(?: for)?|other than) `+numbered+`$`,
		`^(?:please )?(?:use|keep) `+numbered+`[.]?$`,
	)
	keepsWhat  = shape(`\b(?:apply|use|take|execute|merge|run) only the (kill|edit|addition|add)(?: (?:of|to|on|for) (<id>))?(?:$|[.)])`)
	firstDraft = shape(`^first,? (?:comes )?(?:my|the|an?) (?:\w+ )?<shown>, then (?:comes )?(?:my|the) (?:final|real|actual)\b`)
	struck     = pattern.New(`~~[^~]*~~`)
	clauseEnds = strings.NewReplacer(". ", "\n", "! ", "\n", "? ", "\n", "; ", "\n", ", ", "\n", ".\n", "\n", "!\n", "\n", "?\n", "\n", ";\n", "\n", ",\n", "\n", " and ", "\n", " but ", "\n", " so ", "\n", " then ", "\n")
	blockWord  = pattern.New(`(?i)\b(?:blocks?|deltas?|one)\b`)
	bareNth    = shape(`\b(?:the|that|this|my) (?:very )?(?:<nth>|last)(?:$|[.)]| (?:is|was|are|has|should|must|shall|will|as|only|alone|counts?|applies|stands|matters|until|for|because|since|above|below)\b)`)
	digits     = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "former": 1, "last": Last}
)

// Last is the number of the last block of a reply.
const Last = -1

// Named returns the remarks in a text that take back blocks of the reply by number, or by operation and item.
func (r Rules) Named(text []byte) (all []Remark) {
	var title []byte
	for para := range bytes.SplitSeq(r.ownWords(r.trimLines(text), false), []byte("\n\n")) {
		above := title
		para = bytes.TrimSpace(para)
		title = para
		if len(para) == 0 || len(para) > maxProse || para[0] == '>' {
			continue
		}
		if r.Sixth && r.isWide() && isUnneeded(para, above) {
			all = append(all, Remark{Line: string(bytes.ReplaceAll(para, []byte("\n"), []byte(" "))), About: About{All: true}})
		}
		if isPlain(para) {
			continue
		}
		all = append(all, r.namedIn(string(para))...)
	}
	return all
}

func (r Rules) namedIn(para string) (all []Remark) {
	if r.Oblique && strings.Contains(para, "~~") {
		para = struck.ReplaceAllString(para, "")
	}
	lower := lowered(unemphasised(strings.Trim(para, "()[] ")))
	if r.Patches {
		lower = r.inWords(lower)
	}
	if r.Close && strings.HasPrefix(para, "|") {
		all = append(all, r.othersIn(para)...)
	}
	if r.isWide() && r.speaksToAll(lower) {
		all = append(all, Remark{Line: strings.ReplaceAll(para, "\n", " "), About: About{All: true}})
	}
	if !strings.HasPrefix(lower, "first") && !mayName(lower) {
		return all
	}
	if r.isWide() {
		all = append(all, r.struckIn(para, lower)...)
	}
	add := func(a About) { all = append(all, Remark{Line: strings.ReplaceAll(para, "\n", " "), About: a}) }
	if firstDraft.MatchString(lower) {
		add(About{Nth: 1})
	}
	for clause := range strings.SplitSeq(clauseEnds.Replace(lower), "\n") {
		clause = strings.TrimSpace(clause)
		if !mayName(clause) || r.isOfAnything(clause, lower) {
			continue
		}
		if about, ok := r.numberedIn(clause); ok {
			add(about)
		} else if m := strikes.FindStringSubmatch(clause); m != nil {
			add(About{Nth: nth(m)})
		} else if m := keeps.FindStringSubmatch(clause); m != nil {
			add(About{Nth: nth(m), But: true})
		} else if m := strikesWhat.FindStringSubmatch(clause); m != nil {
			what, id := filled(m[1:])
			add(About{Operation: operationOf(what), ID: strings.ToUpper(id)})
		} else if m := keepsWhat.FindStringSubmatch(clause); m != nil {
			add(About{Operation: operationOf(m[1]), ID: strings.ToUpper(m[2]), But: true})
		}
	}
	return all
}

var (
	// canceling matches words that take back a block which their sentence names, in any form.
	canceling = shape(`\b(?:disregard(?:ed)?|ignored?|omit(?:ted)?|withdraw(?:n|ing)?|withdrew|retract(?:ed|ing)?|discard(?:ed)?|rescind(?:ed)?|revoked?|scratch(?:ed)?|struck|void(?:ed)?|cancel(?:l?ed)?|skip(?:ped)?|nvm|never ?mind|by (?:mistake|accident)|in error|slip(?:ped)?|left out|leave out|taken? back|took back|takes? it back|obsolete|superseded|outdated|leftover|redundant|not (?:be )?(?:applied|executed|merged|submitted|sent|meant|counted|valid|mine|part of|included)|should ?n[o']?t (?:be|have)|does ?n[o']?t count|do not (?:apply|execute|merge|run|count)|don't (?:apply|execute|merge|run|count))\b|(?:→|->|=>|:|[—–-]) ?(?:removed|dropped|withdrawn|deleted|out|no|ignore|skip|discard)\b|[✗✘❌🚫]|\btak(?:e|ing) (?:the|my) .{0,30}\bback\b|(?:^|please |<me> |to |i'll |let me )(?:drop|strike|undo|remove|delete|hold off on) (?:the|my)\b`)
	undone    = pattern.New(`\b(?:not|never|no longer|n't) (?:\w+ )?(?:withdraw|retract|ignore|disregard|omit|skip|discard|void|cancel)|\b(?:if|unless|whether|previously|earlier|last round|round \d|as requested|as asked)\b|\?$|\b(?:ignores|omits|skips|discards)\b`)
	someBlock = shape(`\b(?:the|that|my|this) (?:very )?(<nth>|last)(?: (?:<block>|two|three|object))\b|\b(?:block|delta)s? (?:number |no\.? |#)?(\d|one|two|three|four|five)\b`)
	someWhat  = shape(`\b(?:the|my|that) (kill|edit|addition|add)(?: above)?(?: (?:of|to|on|for) (<id>))?\b`)
	onlySome  = shape(`\bonly (?:the )?(<nth>|last) (?:<block>|object)\b|\bonly (?:block|delta) (?:number |no\.? |#)?(\d|one|two|three|four|five)\b|\b(?:block|delta) (?:number |no\.? |#)?(\d|one|two|three|four|five)(?: only| alone)(?:$|[.,;)])|\bthe (<nth>|last) (?:<block>|object) (?:only|alone|replaces the (?:first|previous|former|one above))\b`)
)

// struckIn returns the remarks of a paragraph that take back blocks by their number or operation.
func (r Rules) struckIn(para, lower string) (all []Remark) {
	if para[0] == '#' || strings.HasSuffix(para, "**") {
		return nil // a title
	}
	for sentence := range sentences(strings.ReplaceAll(lower, "\n", ". ")) {
		if which := r.strikesNamed(sentence); which != (About{}) {
			all = append(all, Remark{Line: strings.ReplaceAll(para, "\n", " "), About: which})
		}
	}
	return all
}

// strikesNamed returns which blocks a sentence, in small letters, takes back by their number or operation.
func (r Rules) strikesNamed(sentence string) About {
	if m := onlySome.FindStringSubmatch(sentence); m != nil && !undone.MatchString(sentence) {
		return About{Nth: nth([]string{"", strings.Join(m[1:], ""), ""}), But: true}
	}
	var which About
	if m := someBlock.FindStringSubmatch(sentence); m != nil {
		which.Nth = nth(m)
	} else if m := someWhat.FindStringSubmatch(sentence); m != nil {
		which.Operation, which.ID = operationOf(m[1]), strings.ToUpper(m[2])
	}
	if which == (About{}) || !canceling.MatchString(sentence) && !(r.Close && provisional.MatchString(sentence)) || undone.MatchString(sentence) {
		return About{}
	}
	return which
}

// mayName reports whether a clause may name a block, and has a word that takes blocks back. It is quick: most clauses
// do neither.
func mayName(clause string) bool {
	return strikeWords.In(clause) && namesBlock(clause)
}

// namesBlock reports whether a clause has a number behind an article and before no word for anything but a block, a
// word for a block before a number, an operation before an item or behind an article, or the row of a table.
func namesBlock(clause string) bool {
	isPointed, isNth, isBlock, isOperation := false, false, false, false
	for raw := range strings.FieldsSeq(clause) {
		word := strings.Trim(raw, `,.;:!?()"'`)
		first := word + " "
		switch {
		case isNth && strings.Contains(behindNth, first),
			isPointed && strings.Contains(operations, first),
			isBlock && (strings.Contains(countWords, first) || strings.ContainsAny(word, "0123456789#")),
			isOperation && strings.ContainsAny(word, "0123456789"),
			strings.Contains(word, "|"):
			return true
		}
		isNth = isPointed && strings.Contains(nthWords, first)
		if isNth && word != raw {
			return true
		}
		isPointed = strings.Contains(pointers, first)
		isBlock = strings.Contains(blockWords, first)
		isOperation = isOperation || strings.Contains(operations, first)
	}
	return isNth
}

const (
	pointers   = "the that this my very "
	blockWords = "block delta "
	nthWords   = "first second third fourth fifth 1st 2nd 3rd 4th 5th former last "
	behindNth  = "block delta kill edit add addition change proposal version one above below of is was are has should must shall will can may only alone counts count applies stands matters as until for because since — – - "
	operations = "kill edit add addition "
	countWords = "one two three four five number no "
)

var strikeWords = WordsOf(
	"not", "n't", "never", "only", "alone", "apart", "except", "other than", "keep", "use ", "ignor", "disregard", "skip", "drop", "discard", "strike", "scrap", "scratch", "forget",
	"take", "taking", "took", "withdr", "retract", "undo", "cancel", "void", "revert", "revo", "rescind", "remove", "delete", "nothing", "hold", "leave", "treat", "consider", "regard", "supersed", "obsolete",
	"outdat", "moot", "slip", "mistake", "error", "leftover", "wrong", "reject", "unfinished", "condition", "example", "sample", "template", "illustrat", "draft", "quot", "demo", "what ", "'s", "submit", "send", "mean",
)

// nth returns the number that one of several forms names.
func nth(match []string) int {
	first, second := filled(match[1:])
	word := first + second
	if n, ok := digits[word]; ok {
		return n
	}
	for i, number := range numbers {
		if word == number || strings.HasPrefix(word, strconv.Itoa(i+1)) {
			return i + 1
		}
	}
	return 0
}

// filled returns the first pair of groups that is not empty.
func filled(groups []string) (a, b string) {
	for i := 0; i+1 < len(groups); i += 2 {
		if groups[i]+groups[i+1] != "" {
			return groups[i], groups[i+1]
		}
	}
	return "", ""
}

// operationOf returns the operation that a word is for.
func operationOf(word string) string {
	if strings.HasPrefix(word, "add") {
		return "ADD"
	}
	return strings.ToUpper(word)
}
