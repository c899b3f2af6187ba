package playbook

import (
	"strconv"
	"strings"
	"unicode"
)

// reading is the parsed form in which texts are compared.
type reading struct {
	words    []word
	numbers  []quantity
	units    []string // without a number
	signs    []mark   // and other words that must occur equally often
	shares   []mark   // quantifiers
	denials  []string // negating words
	compares bool     // there is a comparison
}

type word struct {
	text    string // in lower case
	stem    string
	sides   map[int]int // by axis of opposites
	clause  int         // index of its clause
	weight  bool        // not in smallWords
	negated bool        // follows a negation
	turned  bool        // follows a word of a comparison, such as "than"
}

type quantity struct {
	name  string // "gpt-4"; empty for a number
	value float64
	unit  string
	shown string
}

type mark struct{ text, class string }

// scope is how many words of weight a negation, or one of two opposites, applies to.
const scope = 2

func readWords(text string) *reading {
	r := &reading{}
	negated, turned, clause, before := 0, 0, 0, ""
	tokens := tokenise(text)
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t == clauseEnd {
			negated, turned, clause, before = 0, 0, clause+1, ""
			continue
		}
		if q, used := readQuantity(tokens[i:]); used > 0 {
			r.numbers = append(r.numbers, q)
			i += used - 1
			continue
		}
		w := word{text: strings.ToLower(t), clause: clause}
		if signs.Has(w.text) {
			r.signs, turned, r.compares = append(r.signs, mark{w.text, w.text}), scope, true
			continue
		}
		w.stem = stem(w.text)
		w.sides = sides.Get()[w.stem]
		r.classify(w.text, before)
		before = w.text
		switch {
		case negations.Has(w.text) || w.stem == "fail" && i+1 < len(tokens) && tokens[i+1] == "to":
			negated = scope
		case comparisons.Has(w.text):
			turned, r.compares = scope, true
		case !smallWords.Has(w.text):
			w.weight, w.negated, w.turned = true, negated > 0, turned > 0
			negated, turned = max(0, negated-1), max(0, turned-1)
		}
		r.words = append(r.words, w)
	}
	return r
}

func (r *reading) classify(w, before string) {
	if class := quantifierClass(before, w); class != "" {
		r.shares = append(r.shares, mark{w, class})
	}
	if ranks.Has(w) || mixesScripts(w) || isIdentifier(w) {
		r.signs = append(r.signs, mark{w, w})
	}
	if negations.Has(w) {
		r.denials = append(r.denials, w)
	}
	if u, ok := spelledUnit(w); ok {
		r.units = append(r.units, u)
	}
}

const clauseEnd = ","

// tokenise splits a text into tokens. It keeps case: "mM" and "MM" are two units.
func tokenise(text string) []string {
	text = plainMarks.Replace(text)
	var out []string
	for text != "" {
		n := tokenLength(text)
		switch {
		case n > 0:
			out = append(out, splitContraction(text[:n])...)
		case len(text) > 1 && signs.Has(text[:2]):
			n = 2
			out = append(out, text[:n])
		default:
			n = 1
			if signs.Has(text[:n]) || text[0] == '%' {
				out = append(out, text[:n])
			} else if strings.IndexByte(",;:.!?()", text[0]) >= 0 {
				out = append(out, clauseEnd)
			}
		}
		text = text[n:]
	}
	return out
}

// tokenLength returns the length of the word or number at the start of a text, or 0.
// "state-of-the-art" is several words, "don't" is one.
func tokenLength(text string) int {
	if n := numberLength(text); n > 0 {
		return n
	}
	rest := strings.TrimPrefix(text, "°")
	if !strings.HasPrefix(rest, "'") {
		rest = strings.TrimLeftFunc(rest, isWordRune)
	}
	return len(text) - len(rest)
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '_' || r == '\''
}

// numberLength accepts digits with a point, commas between thousands, and an exponent.
func numberLength(text string) int {
	n := signLength(text)
	if digitCount(text[n:]) == 0 && !startsFraction(text[n:]) {
		return 0
	}
	for {
		n += digitCount(text[n:])
		rest := text[n:]
		if !startsFraction(rest) && !(strings.HasPrefix(rest, ",") && digitCount(rest[1:]) == 3) {
			return n + exponentLength(rest)
		}
		n++
	}
}

func exponentLength(text string) int {
	if text == "" || text[0] != 'e' && text[0] != 'E' {
		return 0
	}
	begin := 1 + signLength(text[1:])
	end := begin + digitCount(text[begin:])
	if begin == end || end < len(text) && unicode.IsLetter(rune(text[end])) {
		return 0
	}
	return end
}

func signLength(text string) int {
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		return 1
	}
	return 0
}

func digitCount(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func startsFraction(text string) bool {
	return strings.HasPrefix(text, ".") && digitCount(text[1:]) > 0
}

func splitContraction(t string) []string {
	lower := strings.ToLower(t)
	switch {
	case lower == "cannot":
		return []string{"can", "not"}
	case strings.HasSuffix(lower, "n't"):
		return []string{t[:len(t)-3], "not"}
	}
	return []string{strings.TrimSuffix(strings.TrimSuffix(t, "'s"), "'")}
}

// readQuantity reads a number with its unit, or a name with a digit. It returns the number of
// tokens read, or 0.
func readQuantity(tokens []string) (quantity, int) {
	t := tokens[0]
	lower := strings.ToLower(t)
	value, ok := numberWords[lower]
	if !ok && numberLength(t) > 0 {
		var err error
		value, err = strconv.ParseFloat(strings.ReplaceAll(t, ",", ""), 64)
		ok = err == nil
	}
	switch {
	case !ok && strings.ContainsFunc(lower, isDigit):
		return quantity{name: lower, shown: t}, 1
	case !ok:
		return quantity{}, 0
	}
	q := quantity{value: value, shown: t}
	if len(tokens) < 2 {
		return q, 1
	}
	u, ok := unitOf(tokens[1])
	if symbol, spelled := spelledUnit(strings.ToLower(tokens[1])); !ok && spelled {
		u, ok = unitOf(symbol)
	}
	if !ok {
		return q, 1
	}
	return quantity{value: value * u.factor, unit: u.base, shown: t + " " + tokens[1]}, 2
}

func unitOf(symbol string) (unit, bool) {
	if u, ok := units[symbol]; ok {
		return u, true
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(symbol, p.symbol); ok && prefixable.Has(rest) {
			return unit{units[rest].base, units[rest].factor * p.factor}, true
		}
	}
	return unit{}, false
}

func spelledUnit(w string) (string, bool) {
	w = strings.TrimSuffix(w, "s")
	if symbol, ok := unitNames[w]; ok {
		return symbol, true
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(w, p.name); ok && p.name != "" {
			symbol, ok := unitNames[rest]
			return p.symbol + symbol, ok
		}
	}
	return "", false
}

// quantifierClass returns the class of a quantifier, given the word before it: "at most" is a
// bound, "the most" a superlative, and "a few" means some. Words for all have no class: a
// lesson without a quantifier is about all.
func quantifierClass(before, w string) string {
	switch {
	case w == "most" && boundWords.Has(before):
		return ""
	case before == "a" && (w == "few" || w == "little"):
		return "some"
	}
	return quantifiers[w]
}

// mixesScripts reports whether a word mixes Latin letters with those of another script.
func mixesScripts(word string) bool {
	latin := func(r rune) bool { return unicode.Is(unicode.Latin, r) }
	other := func(r rune) bool { return unicode.IsLetter(r) && !latin(r) }
	return strings.ContainsFunc(word, latin) && strings.ContainsFunc(word, other)
}

// isIdentifier reports whether a word is the name of a role, field or code: test_designer, WRITE_SCOPE.
func isIdentifier(word string) bool { return strings.Contains(strings.Trim(word, "_"), "_") }

// stem strips English endings, roughly: the forms of one word must have one stem.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s", "ly"} {
		root, ok := strings.CutSuffix(w, end)
		if !ok || len(root) < 3 || end == "s" && strings.HasSuffix(root, "s") {
			continue
		}
		if n := len(root); n > 3 && root[n-1] == root[n-2] && strings.ContainsRune("bdgmnprt", rune(root[n-1])) && (end == "ing" || end == "ed") {
			root = root[:n-1] // dropping, drop
		}
		w = root
		break
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}
