package playbook

import (
	"slices"
	"strings"
)

// Differ says in what two texts that look alike differ so that they cannot be one
// lesson: a negation, a pair of opposites, a quantifier, a number or a unit. It is empty
// where they differ in none of these. In doubt they differ: two bullets that say the same cost
// little, and one counter for two opposites would be wrong for ever.
func Differ(a, b string) string {
	x, y := readWords(a), readWords(b)
	if why := differInNumbers(x.numbers, y.numbers); why != "" {
		return why
	}
	if why := differInUnits(x.units, y.units); why != "" {
		return why
	}
	if why := differInSigns(x, y); why != "" {
		return why
	}
	if why := differInNegations(x, y); why != "" {
		return why
	}
	if why := differInQuantifiers(x.shares, y.shares); why != "" {
		return why
	}
	return differInOpposites(x, y)
}

// reading is what a text is compared by.
type reading struct {
	words   []word
	numbers []quantity
	units   []string // that stand without a number
	signs   []string // of comparisons
	mixed   []string // words with letters of two scripts, which look like other words
	ranks   []string // second, third and so on
	shares  []quantifier
}

// word is one word, in the form in which words are compared.
type word struct {
	text    string // in lower case
	stem    string
	clause  int  // which clause of the text it stands in
	weight  bool // it is no small word
	negated bool // it follows a negation
	turned  bool // it follows a word that turns a comparison around, such as "than"
}

// readWords cuts a text into words and numbers.
func readWords(text string) reading {
	var r reading
	negated, turned, clause, before := 0, 0, 0, ""
	tokens := tokenise(text)
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.breaks {
			negated, turned, clause, before = 0, 0, clause+1, ""
			continue
		}
		if q, used := readQuantity(tokens[i:]); used > 0 {
			r.numbers = append(r.numbers, q)
			i += used - 1
			continue
		}
		lower := strings.ToLower(t.text)
		if isSign(lower) {
			r.signs, turned = append(r.signs, lower), scope
			continue
		}
		if q, ok := quantifierOf(before, lower); ok {
			r.shares = append(r.shares, q)
		}
		before = lower
		if isRank(lower) {
			r.ranks = append(r.ranks, lower)
		}
		if ofTwoScripts(lower) {
			r.mixed = append(r.mixed, lower)
		}
		if u, ok := spelledUnit(lower); ok {
			r.units = append(r.units, u)
		}
		w := word{text: lower, stem: stem(lower), clause: clause}
		switch {
		case isNegation(lower) || stem(lower) == "fail" && i+1 < len(tokens) && tokens[i+1].text == "to":
			negated = scope
		case isTurning(lower):
			turned = scope
		case !isSmall(lower):
			w.weight, w.negated, w.turned = true, negated > 0, turned > 0
			negated, turned = max(0, negated-1), max(0, turned-1)
		}
		r.words = append(r.words, w)
	}
	return r
}

// scope is how many words of weight a negation, or one of two opposites, reaches.
const scope = 2

// token is a run of letters and digits, or a mark that ends a clause.
type token struct {
	text   string // as it is written: "mM" and "MM" are two units
	tight  bool   // nothing stands between it and the token before
	breaks bool
}

func tokenise(text string) []token {
	text = strings.NewReplacer("’", "'", "‘", "'", "−", "-", "–", "-", "×", " x ", "µ", "u", "μ", "u",
		"≥", ">=", "≤", "<=", "≠", "!=", "→", " to ", "->", " to ", "=>", " to ").Replace(text)
	var out []token
	tight := false
	for i := 0; i < len(text); {
		n := tokenLength(text[i:])
		if n > 0 {
			for _, part := range splitContraction(text[i : i+n]) {
				out = append(out, token{text: part, tight: tight})
				tight = true
			}
			i += n
			continue
		}
		if n := signLength(text[i:]); n > 0 {
			out = append(out, token{text: text[i : i+n]})
			i, tight = i+n, false
			continue
		}
		switch text[i] {
		case '%':
			out = append(out, token{text: "%", tight: tight})
			tight = true
		case ',', ';', ':', '.', '!', '?', '(', ')':
			out = append(out, token{breaks: true})
			tight = false
		default:
			tight = tight && text[i] == '-'
		}
		i++
	}
	return out
}

// splitContraction makes two words of don't, isn't and cannot.
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

// differInNegations looks whether one text denies what the other says. The number of
// negations has to be the same; and where it is, no word may be denied in one text and
// stand without a negation in the other, as in "use A, not B" and "use B, not A".
func differInNegations(x, y reading) string {
	a, b := x.negations(), y.negations()
	if len(a) != len(b) {
		more := slices.Concat(a, b)
		if len(a) > 0 && len(b) > 0 {
			return "one has more negations than the other"
		}
		return "only one has “" + more[0] + "”"
	}
	for _, pair := range [][2]reading{{x, y}, {y, x}} {
		for _, w := range pair[0].words {
			if w.negated && pair[1].stands(w.stem, func(o word) bool { return !o.negated }) && !pair[1].stands(w.stem, func(o word) bool { return o.negated }) {
				return "only one denies “" + w.text + "”"
			}
			if w.turned && pair[1].stands(w.stem, func(o word) bool { return !o.turned }) && !pair[1].stands(w.stem, func(o word) bool { return o.turned }) && pair[1].turns() {
				return "“" + w.text + "” stands on the other side of a comparison"
			}
		}
	}
	return ""
}

func (r reading) negations() []string {
	var all []string
	for _, w := range r.words {
		if isNegation(w.text) {
			all = append(all, w.text)
		}
	}
	return all
}

func (r reading) turns() bool {
	return len(r.signs) > 0 || slices.ContainsFunc(r.words, func(w word) bool { return isTurning(w.text) })
}

func (r reading) stands(stem string, how func(word) bool) bool {
	return slices.ContainsFunc(r.words, func(w word) bool { return w.stem == stem && how(w) })
}

// differInOpposites compares, for each pair of opposites, which side the texts take,
// and of what: "increase A and decrease B" is not "increase B and decrease A".
func differInOpposites(x, y reading) string {
	for _, axis := range axes() {
		a, b := x.sides(axis), y.sides(axis)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		if v, w, ok := opposed(a, b); ok {
			return "“" + v + "” and “" + w + "” are opposites"
		}
	}
	for _, v := range x.words {
		for _, w := range y.words {
			if mayBeFormed(v, w) && formedOpposite(v.text, w.text) && !y.has(v.stem) && !x.has(w.stem) {
				return "“" + v.text + "” and “" + w.text + "” are opposites"
			}
		}
	}
	return ""
}

func (r reading) has(stem string) bool { return r.stands(stem, func(word) bool { return true }) }

// taken is a side of an axis that a text takes, and of what.
type taken struct {
	text    string
	side    int
	objects []string // stems of the words behind it
}

// sides gives which sides of an axis a text takes, one after the other.
func (r reading) sides(a axis) []taken {
	var all []taken
	for i, w := range r.words {
		side, ok := a.side(w.stem)
		if !ok {
			continue
		}
		t := taken{text: w.text, side: side}
		rest := r.words[i+1:]
		if len(rest) > 1 && (rest[0].text == "and" || rest[0].text == "or") {
			if _, polar := a.side(rest[1].stem); polar {
				rest = rest[2:] // "hot and cold water" has both, in whatever order
			}
		}
		for _, o := range rest {
			if o.clause != w.clause || len(t.objects) == scope {
				break
			}
			if _, polar := a.side(o.stem); polar {
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

// opposed finds two words that say the opposite of the same thing, or, where the
// things cannot be told, texts that take other sides.
func opposed(a, b []taken) (string, string, bool) {
	for _, t := range a {
		for _, u := range b {
			if t.side != u.side && shareAny(t.objects, u.objects) && !takes(a, u) && !takes(b, t) {
				return t.text, u.text, true
			}
		}
	}
	for i := range min(len(a), len(b)) {
		if a[i].side != b[i].side && !allKnown(a, b) {
			return a[i].text, b[i].text, true
		}
	}
	switch {
	case len(a) == len(b) || uniform(append(slices.Clone(a), b...)):
		return "", "", false
	case len(a) > len(b):
		return a[len(b)].text, b[len(b)-1].text, true
	default:
		return a[len(a)-1].text, b[len(a)].text, true
	}
}

// takes tells whether a text takes the same side of the same thing.
func takes(all []taken, t taken) bool {
	return slices.ContainsFunc(all, func(o taken) bool { return o.side == t.side && shareAny(o.objects, t.objects) })
}

// allKnown tells whether the two texts take the same sides of the same things, in
// whatever order.
func allKnown(a, b []taken) bool {
	return !slices.ContainsFunc(a, func(t taken) bool { return !takes(b, t) }) && !slices.ContainsFunc(b, func(t taken) bool { return !takes(a, t) })
}

func uniform(all []taken) bool {
	return !slices.ContainsFunc(all, func(t taken) bool { return t.side != all[0].side })
}

func shareAny(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
