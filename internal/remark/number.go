package remark

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	clauses    = regexp.MustCompile(`[.!?;,][ \n]+|\n+| (?:and|but|so|then) `)
	blockWord  = regexp.MustCompile(`(?i)\b(?:blocks?|deltas?|one)\b`)
	bareNth    = shape(`\b(?:the|that|this|my) (?:very )?(?:<nth>|last)(?:$|[.)]| (?:is|was|are|has|should|must|shall|will|as|only|alone|counts?|applies|stands|matters|until|for|because|since|above|below)\b)`)
	digits     = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "former": 1, "last": Last}
)

// Last is the number of the last block of a reply.
const Last = -1

// Named returns the remarks in a text that take back blocks of the reply by number, or by operation and item.
func Named(text []byte) (all []Remark) {
	for para := range bytes.SplitSeq(text, []byte("\n\n")) {
		para = bytes.TrimSpace(para)
		if len(para) == 0 || len(para) > maxProse || para[0] == '>' || isPlain(para) {
			continue
		}
		all = append(all, namedIn(string(para))...)
	}
	return all
}

func namedIn(para string) (all []Remark) {
	lower := lowered(emphasis.Replace(strings.Trim(para, "()[] ")))
	if !mayName(lower) {
		return nil
	}
	bare := blockWord.MatchString(lower)
	add := func(a About) { all = append(all, Remark{Line: strings.ReplaceAll(para, "\n", " "), About: a}) }
	if firstDraft.MatchString(lower) {
		add(About{Nth: 1})
	}
	for _, clause := range clauses.Split(lower, -1) {
		clause = strings.TrimSpace(clause)
		if !mayName(clause) || !bare && bareNth.MatchString(clause) {
			continue // it may speak of anything
		}
		if m := strikes.FindStringSubmatch(clause); m != nil {
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

// mayName reports whether a clause has a word by which a block may be named, and one that takes blocks back. It is
// quick: most have none.
func mayName(clause string) bool {
	has := func(word string) bool { return strings.Contains(clause, word) }
	return slices.ContainsFunc(nameWords, has) && slices.ContainsFunc(strikeWords, has)
}

var strikeWords = []string{
	"not", "n't", "never", "only", "alone", "apart", "except", "other than", "keep", "use ", "ignor", "disregard", "skip", "drop", "discard", "strike", "scrap", "scratch", "forget",
	"withdr", "retract", "undo", "cancel", "void", "revert", "revo", "rescind", "remove", "delete", "nothing", "hold", "leave", "treat", "consider", "regard", "supersed", "obsolete",
	"outdat", "moot", "slip", "mistake", "error", "leftover", "wrong", "reject", "unfinished", "condition", "example", "sample", "template", "illustrat", "draft", "quot", "demo", "what ", "'s",
}

var nameWords = []string{"first", "second", "third", "fourth", "fifth", "last", "former", "latter", "block", "delta", "kill", "edit", "add", "|"}

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
