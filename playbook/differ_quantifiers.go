package playbook

import "slices"

// quantifier is a word that says of how much of something a lesson speaks.
type quantifier struct{ text, class string }

// quantifierOf reads a quantifier, by the word before it: "at most" is a bound, "the most"
// a superlative, and "a few" are some. Words for all of something are none: a lesson that
// does not say of how much it speaks speaks of all.
func quantifierOf(before, w string) (quantifier, bool) {
	class := ""
	switch w {
	case "only", "solely", "exclusively", "merely", "purely":
		class = "only"
	case "most":
		if !slices.Contains([]string{"at", "the", "a", "its", "their", "our", "your", "is", "are", "was", "be"}, before) {
			class = "most"
		}
	case "mostly", "usually", "majority", "almost", "nearly", "predominantly", "largely", "mainly":
		class = "most"
	case "some", "sometimes", "occasionally", "partly", "partially":
		class = "some"
	case "few", "little":
		class = "few"
		if before == "a" {
			class = "some"
		}
	case "minority", "infrequently":
		class = "few"
	}
	return quantifier{w, class}, class != ""
}

// differInQuantifiers looks whether the texts speak of the same share of things. Who says
// it of some, of most or of nothing else says something else than who says it of all.
func differInQuantifiers(a, b []quantifier) string {
	for _, pair := range [][2][]quantifier{{a, b}, {b, a}} {
		for _, q := range pair[0] {
			same := func(o quantifier) bool { return o.class == q.class }
			if countFunc(pair[0], same) > countFunc(pair[1], same) {
				return "only one has “" + q.text + "”, or has it more often"
			}
		}
	}
	return ""
}

func countFunc[T any](all []T, is func(T) bool) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !is(x) }))
}
