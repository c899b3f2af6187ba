package tokens

import (
	"iter"
	"unicode"
)

// longestBlank is how many characters of white space in a row the tokenizer gets
// to see. Its matcher looks at the rest of such a run again for each line end in
// it: 100 KB of blank lines with a space in each would take ten seconds.
const longestBlank = 256

// stretches cuts a text within runs of white space that are too long, and nowhere
// else. Texts that anybody would write are one stretch; in the others a cut can
// make the count a token or two higher than it is.
func stretches(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, blank := 0, 0
		for i, r := range text {
			if !unicode.IsSpace(r) {
				blank = 0
				continue
			}
			if blank == longestBlank {
				if !yield(text[start:i]) {
					return
				}
				start, blank = i, 0
			}
			blank++
		}
		yield(text[start:])
	}
}
