package fieldform

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
)

// Named returns the entries of a map with ids in place of the names of hypotheses, and the names that were replaced. A key that is known
// stays as it is. Unknown is the first key if no key is one that a hypothesis may have.
func Named(m artifact.Map, id func(name string) string, isKnown func(key string) bool) (out artifact.Map, replaced []string, unknown string) {
	const most = 64 // hypotheses, since each is looked for in the whole reply
	if out = slices.Clone(m); len(m) > most {
		return out, nil, ""
	}
	var others []string
	for i := range out {
		key := out[i].Key
		switch of := id(key); {
		case isKnown(key): // perhaps the label of a hypothesis that the reply adds
		case of == "" && !strings.ContainsFunc(key, unicode.IsDigit):
			others = append(others, key)
		case of != "" && of != key && !slices.ContainsFunc(out, func(x artifact.Entry) bool { return x.Key == of }):
			replaced = append(replaced, key)
			out[i].Key = of
		}
	}
	if len(others) == len(m) && len(m) > 0 {
		if first, _ := utf8.DecodeRuneInString(others[0]); unicode.IsUpper(first) {
			unknown = others[0]
		}
	}
	if len(replaced) > 0 {
		out = artifact.MapOf(out...)
	}
	return out, replaced, unknown
}
