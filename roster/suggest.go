package roster

import (
	"brenner/internal/fault"
	"brenner/internal/text"
)

// didYouMean gives "did you mean X? " where a candidate is near, else "".
func didYouMean[S ~string](word S, candidates []S) string {
	near, ok := text.Nearest(string(word), candidates)
	if !ok {
		return ""
	}
	return "did you mean " + fault.Shown(near) + "? "
}
