package playbook

import (
	"math"
	"slices"
	"strings"
)

// maxCompared is the longest text in bytes that is compared, word by word.
const maxCompared = 10_000

// Differ returns the difference in meaning between two similar texts, because of which they
// cannot be one lesson: a negation, a pair of opposites, a quantifier, a number, a unit or an
// identifier. It returns "" if they agree. In doubt they differ: a duplicate bullet costs little, but a
// counter shared by two opposites would be wrong forever.
func Differ(a, b string) string {
	switch {
	case a == b:
		return ""
	case max(len(a), len(b)) > maxCompared:
		return "they are too long to be compared"
	}
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

// differInSigns finds different comparisons, ranks and identifiers, and words of mixed scripts, which
// may imitate other words.
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
	for _, f := range formations.Get() {
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
