package playbook

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Differ returns the difference in meaning between two similar texts, because of which they
// cannot be one lesson: a negation, a pair of opposites, a quantifier, a number or a unit. It
// returns "" if they agree. In doubt they differ: a duplicate bullet costs little, but a
// counter shared by two opposites would be wrong forever.
func Differ(a, b string) string {
	x, y := readWords(a), readWords(b)
	for _, compare := range []func(x, y *reading) string{
		differInNumbers, differInUnits, differInSigns, differInNegations, differInQuantifiers, differInOpposites,
	} {
		if why := compare(x, y); why != "" {
			return why
		}
	}
	return ""
}

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
		if signs[w.text] {
			r.signs, turned, r.compares = append(r.signs, mark{w.text, w.text}), scope, true
			continue
		}
		w.stem = stem(w.text)
		w.sides = sides[w.stem]
		r.classify(w.text, before)
		before = w.text
		switch {
		case negations[w.text] || w.stem == "fail" && i+1 < len(tokens) && tokens[i+1] == "to":
			negated = scope
		case comparisons[w.text]:
			turned, r.compares = scope, true
		case !smallWords[w.text]:
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
	if ranks[w] || mixesScripts(w) {
		r.signs = append(r.signs, mark{w, w})
	}
	if negations[w] {
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
		case len(text) > 1 && signs[text[:2]]:
			n = 2
			out = append(out, text[:n])
		default:
			n = 1
			if signs[text[:n]] || text[0] == '%' {
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
		if rest, ok := strings.CutPrefix(symbol, p.symbol); ok && prefixable[rest] {
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
	case w == "most" && boundWords[before]:
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

// differInNumbers compares all numbers in order, except a bare "one", often not a number.
func differInNumbers(x, y *reading) string {
	bare := func(q quantity) bool { return q.name == "" && q.unit == "" && strings.EqualFold(q.shown, "one") }
	a, b := slices.DeleteFunc(x.numbers, bare), slices.DeleteFunc(y.numbers, bare)
	for i := range min(len(a), len(b)) {
		switch both := "“" + a[i].shown + "” and “" + b[i].shown + "”"; {
		case a[i].unit != b[i].unit && a[i].name == b[i].name:
			return both + " are different units"
		case a[i].name != b[i].name || !nearlyEqual(a[i].value, b[i].value):
			return both + " are different numbers"
		}
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > len(b) {
		return "only one has “" + a[len(b)].shown + "”"
	}
	return ""
}

// nearlyEqual reports whether two numbers are equal up to the rounding of unit conversions.
func nearlyEqual(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

func differInUnits(x, y *reading) string {
	if len(x.units) == 0 || len(y.units) == 0 || slices.Equal(x.units, y.units) {
		return ""
	}
	return "“" + x.units[0] + "” and “" + y.units[len(y.units)-1] + "” are different units"
}

// differInSigns finds different comparisons and ranks, and words of mixed scripts, which may
// imitate other words.
func differInSigns(x, y *reading) string { return moreOften(x.signs, y.signs) }

// differInQuantifiers finds different quantifiers: a lesson about some, most or only something
// differs from one about all.
func differInQuantifiers(x, y *reading) string { return moreOften(x.shares, y.shares) }

// moreOften returns what one text has more often than the other.
func moreOften(a, b []mark) string {
	for _, pair := range [][2][]mark{{a, b}, {b, a}} {
		for _, m := range pair[0] {
			if m.count(pair[0]) > m.count(pair[1]) {
				return "only one has “" + m.text + "”, or has it more often"
			}
		}
	}
	return ""
}

func (m mark) count(all []mark) (n int) {
	for _, o := range all {
		if o.class == m.class {
			n++
		}
	}
	return n
}

// differInNegations finds a negation that only one text has. The number of negations must be
// equal, and no word may be negated in one text and occur only without a negation in
// the other, as in "use A, not B" and "use B, not A".
func differInNegations(x, y *reading) string {
	a, b := x.denials, y.denials
	switch {
	case len(a) != len(b) && len(a) > 0 && len(b) > 0:
		return "one has more negations than the other"
	case len(a) != len(b):
		return "only one has “" + slices.Concat(a, b)[0] + "”"
	}
	negated, turned := func(w word) bool { return w.negated }, func(w word) bool { return w.turned }
	for _, pair := range [][2]*reading{{x, y}, {y, x}} {
		for _, w := range pair[0].words {
			if w.negated && pair[1].hasWithout(w.stem, negated) {
				return "only one negates “" + w.text + "”"
			}
			if w.turned && pair[1].compares && pair[1].hasWithout(w.stem, turned) {
				return "“" + w.text + "” is on the other side of a comparison"
			}
		}
	}
	return ""
}

// hasWithout reports whether a text has a stem, and no word of that stem satisfies cond.
func (r *reading) hasWithout(stem string, cond func(word) bool) bool {
	return r.has(stem) && !slices.ContainsFunc(r.words, func(w word) bool { return w.stem == stem && cond(w) })
}

func (r *reading) has(stem string) bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return w.stem == stem })
}

// differInOpposites compares the sides that the texts take in each pair of opposites, and their
// objects: "increase A and decrease B" is not "increase B and decrease A".
func differInOpposites(x, y *reading) string {
	for axis := range axes {
		if v, w, ok := findOpposed(x.stances(axis), y.stances(axis)); ok {
			return areOpposites(v, w)
		}
	}
	for _, v := range x.words {
		for _, w := range y.words {
			if mayBeFormed(v.stem, w.stem) && formedOpposites(v.text, w.text) && !y.has(v.stem) && !x.has(w.stem) {
				return areOpposites(v.text, w.text)
			}
		}
	}
	return ""
}

func areOpposites(v, w string) string { return "“" + v + "” and “" + w + "” are opposites" }

// stance is a side of an axis that a text takes, with its objects.
type stance struct {
	text    string
	side    int
	objects []string // stems of the words after it
}

// stances returns the sides of an axis that a text takes, in order.
func (r *reading) stances(axis int) []stance {
	var all []stance
	for i, w := range r.words {
		side, ok := w.sides[axis]
		if !ok {
			continue
		}
		t := stance{text: w.text, side: side}
		rest := r.words[i+1:]
		if len(rest) > 1 && (rest[0].text == "and" || rest[0].text == "or") {
			if _, polar := rest[1].sides[axis]; polar {
				rest = rest[2:] // "hot and cold water" has both, in any order
			}
		}
		for _, o := range rest {
			_, polar := o.sides[axis]
			if polar || o.clause != w.clause || len(t.objects) == scope {
				break
			}
			if o.weight {
				t.objects = append(t.objects, o.stem)
			}
		}
		all = append(all, t)
	}
	return all
}

// findOpposed finds two words that take opposite sides about the same object or, if the
// objects are unknown, texts that take different sides.
func findOpposed(a, b []stance) (string, string, bool) {
	if len(a) == 0 || len(b) == 0 {
		return "", "", false
	}
	for _, t := range a {
		for _, u := range b {
			if t.side != u.side && shareAny(t.objects, u.objects) && !u.isIn(a) && !t.isIn(b) {
				return t.text, u.text, true
			}
		}
	}
	known := allIn(a, b) && allIn(b, a)
	for i := range min(len(a), len(b)) {
		if a[i].side != b[i].side && !known {
			return a[i].text, b[i].text, true
		}
	}
	other := func(t stance) bool { return t.side != a[0].side }
	if len(a) == len(b) || !slices.ContainsFunc(a, other) && !slices.ContainsFunc(b, other) {
		return "", "", false
	}
	last := min(len(a), len(b))
	return a[min(last, len(a)-1)].text, b[min(last, len(b)-1)].text, true
}

// isIn reports whether a text takes the same side of the same object.
func (t stance) isIn(all []stance) bool {
	return slices.ContainsFunc(all, func(o stance) bool { return o.side == t.side && shareAny(o.objects, t.objects) })
}

func allIn(some, all []stance) bool {
	return !slices.ContainsFunc(some, func(t stance) bool { return !t.isIn(all) })
}

func shareAny(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// mayBeFormed is a fast filter for formedOpposites: the words share a beginning or an end.
// Every word of one text is compared with every word of the other.
func mayBeFormed(a, b string) bool {
	if len(a) < 3 || len(b) < 3 || a == b {
		return false
	}
	return a[len(a)-2:] == b[len(b)-2:] || a[:2] == b[:2]
}

// formedOpposites reports whether two words differ only by an exchanged or removed prefix or
// suffix: stable and unstable, harmful and harmless, upstream and downstream.
func formedOpposites(a, b string) bool {
	for _, f := range formations {
		for _, pair := range [2][2]string{{a, b}, {b, a}} {
			x, ok := f.cut(pair[0], f.one)
			y, too := f.cut(pair[1], f.other)
			if ok && too && len(x) >= f.least && stem(x) == stem(y) {
				return true
			}
		}
	}
	return false
}
