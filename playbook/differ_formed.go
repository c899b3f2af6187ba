package playbook

import "strings"

// mayBeFormed looks quickly whether two words can be formed of one: their beginnings or
// their ends are the same. Every word of one text is held against every one of the other.
func mayBeFormed(v, w word) bool {
	a, b := v.stem, w.stem
	if len(a) < 3 || len(b) < 3 || a == b {
		return false
	}
	return a[len(a)-2:] == b[len(b)-2:] || a[:2] == b[:2]
}

// formedOpposite tells stable from unstable, harmful from harmless and upstream from
// downstream.
func formedOpposite(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, prefix := range []string{"un", "in", "im", "ir", "il", "dis", "non", "de", "anti", "mis", "over", "under"} {
		if rest, ok := strings.CutPrefix(b, prefix); ok && len(rest) > 3 && stem(rest) == stem(a) {
			return true
		}
	}
	for _, prefix := range []string{"a", "an"} { // typical and atypical; but "round" and "around" are none
		if rest, ok := strings.CutPrefix(b, prefix); ok && len(rest) > 5 && stem(rest) == stem(a) {
			return true
		}
	}
	for _, pair := range formedPairs() {
		if exchanged(a, b, pair[0], pair[1], strings.CutPrefix) || exchanged(b, a, pair[0], pair[1], strings.CutPrefix) {
			return true
		}
	}
	for _, pair := range [][2]string{{"ful", "less"}, {"philic", "phobic"}} {
		if exchanged(a, b, pair[0], pair[1], strings.CutSuffix) || exchanged(b, a, pair[0], pair[1], strings.CutSuffix) {
			return true
		}
	}
	return false
}

// exchanged tells whether two words are one but for an end that is exchanged.
func exchanged(a, b, one, other string, cut func(s, end string) (string, bool)) bool {
	x, ok := cut(a, one)
	y, too := cut(b, other)
	return ok && too && len(x) > 2 && stem(x) == stem(y)
}

// formedPairs gives beginnings that make opposites of one word.
func formedPairs() [][2]string {
	return [][2]string{
		{"over", "under"},
		{"up", "down"},
		{"in", "out"},
		{"in", "ex"},
		{"im", "ex"},
		{"in", "de"},
		{"on", "off"},
		{"pre", "post"},
		{"pro", "anti"},
		{"homo", "hetero"},
		{"hyper", "hypo"},
		{"intra", "inter"},
		{"intra", "extra"},
		{"endo", "exo"},
		{"micro", "macro"},
		{"mono", "poly"},
		{"mono", "multi"},
		{"single", "multi"},
		{"sub", "super"},
		{"en", "de"},
		{"en", "dis"},
		{"as", "dis"},
		{"con", "di"},
		{"ac", "de"},
		{"fore", "back"},
	}
}
