// Package claim compares short statements and texts without understanding them: statements that are equal
// but for a negation, and texts with mostly the same words. It is pure.
package claim

import (
	"strings"
	"unicode"

	"brenner/internal/lazy"
)

// Words returns the words of a text in lower case, with blanks between them.
func Words(text string) string { return strings.Join(words(text), " ") }

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Claim is a statement without its negations.
type Claim struct {
	Core    string // equal for statements that differ at most in negations, articles and endings
	Negated bool
	Limited bool // it holds of some, or may hold: it and its negation can both be true
}

// limits are words of statements that can be true together with their negation.
var limits = lazy.WordsOf("some sometimes may might could possibly perhaps maybe occasionally often many few several partly partially")

// contractions are written out before a statement is split into words.
var contractions = strings.NewReplacer("can't", "can not", "cannot", "can not", "won't", "will not", "shan't", "shall not", "n't", " not")

func writtenOut(text string) string {
	return contractions.Replace(strings.ReplaceAll(strings.ToLower(text), "’", "'"))
}

// fixed are phrases with a word of negation that negate nothing, or whose negation has another place. Their
// words stay in the core.
var fixed = [][]string{
	{"not", "only"},
	{"not", "just"},
	{"not", "merely"},
	{"not", "least"},
	{"not", "necessarily"},
	{"not", "more", "than"},
	{"not", "less", "than"},
	{"no", "less"},
	{"no", "more"},
	{"no", "fewer"},
	{"no", "longer", "than"},
	{"no", "later", "than"},
	{"no", "earlier", "than"},
	{"no", "sooner", "than"},
	{"no", "greater", "than"},
	{"no", "matter"},
	{"no", "doubt"},
	{"never", "mind"},
	{"whether", "or", "not"},
	{"or", "not"},
}

// openings are beginnings of statements that say nothing, or only that the rest does not hold.
var openings = []struct {
	words  []string
	negate bool
}{
	{[]string{"it", "is", "true", "that"}, false},
	{[]string{"it", "is", "the", "case", "that"}, false},
	{[]string{"it", "is", "false", "that"}, true},
	{[]string{"we", "assume", "that"}, false},
	{[]string{"we", "assume"}, false},
	{[]string{"assume", "that"}, false},
	{[]string{"that"}, false},
}

// Of returns a statement as a claim. Two negations cancel each other out.
func Of(statement string) Claim {
	var c Claim
	all := words(writtenOut(statement))
	var core []string
	isNeither := false
	for i := 0; i < len(all); i++ {
		c.Limited = c.Limited || limits.Has(all[i])
		if n := fixedAt(all[i:]); n > 0 {
			core = append(core, all[i:i+n]...)
			i += n - 1
			continue
		}
		if n := negationAt(all[i:]); n > 0 {
			c.Negated = !c.Negated
			i += n - 1
			continue
		}
		switch word := all[i]; word {
		case "neither":
			c.Negated = !c.Negated
			isNeither = true
		case "nor":
			if !isNeither {
				core = append(core, word)
				continue
			}
			core = append(core, "and")
		case "not", "never":
			c.Negated = !c.Negated
			if n := len(core); n > 0 && isDo(core[n-1]) {
				core = core[:n-1] // "does not grow" is the negation of "grows"
			}
		case "no":
			if i+1 < len(all) && isNumber(all[i+1]) { // "no. 3"
				continue
			}
			c.Negated = !c.Negated
			if i+1 < len(all) && all[i+1] == "longer" {
				i++
			}
		case "without":
			c.Negated = !c.Negated
			core = append(core, "with")
		case "any":
		default:
			core = append(core, word)
		}
	}
	core, negated := withoutOpenings(core)
	c.Negated = c.Negated != negated
	c.Core = strings.Join(stems(core), " ")
	return c
}

// withoutOpenings returns words without openings such as "we assume that", and whether these negate.
func withoutOpenings(core []string) (rest []string, negated bool) {
	for _, o := range openings {
		if len(core) > len(o.words) && equal(core[:len(o.words)], o.words) {
			core = core[len(o.words):]
			negated = negated != o.negate
		}
	}
	return core, negated
}

// negationAt returns the length of a phrase that negates, such as "by no means", or 0.
func negationAt(all []string) int {
	for _, phrase := range [][]string{{"by", "no", "means"}, {"in", "no", "way"}} {
		if len(all) >= len(phrase) && equal(all[:len(phrase)], phrase) {
			return len(phrase)
		}
	}
	return 0
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

func fixedAt(all []string) int {
	for _, phrase := range fixed {
		if len(all) >= len(phrase) && equal(all[:len(phrase)], phrase) {
			return len(phrase)
		}
	}
	return 0
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func isDo(word string) bool { return word == "do" || word == "does" || word == "did" }

// stems returns words without articles and endings.
func stems(all []string) []string {
	var out []string
	for _, word := range all {
		switch word {
		case "a", "an", "the":
			continue
		}
		out = append(out, stem(word))
	}
	return out
}

// stem removes the endings of plurals and of verbs, as far as comparing needs it: "divides", "divided" and
// "divide" are one word.
func stem(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is") {
		word = strings.TrimSuffix(word, "s")
	}
	if len(word) > 4 && strings.HasSuffix(word, "ie") {
		return strings.TrimSuffix(word, "ie") + "y"
	}
	if len(word) > 4 && strings.HasSuffix(word, "ed") {
		return strings.TrimSuffix(word, "ed")
	}
	if len(word) > 3 {
		return strings.TrimSuffix(word, "e")
	}
	return word
}
