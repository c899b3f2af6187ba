package roster

import (
	"brenner/fault"
	"brenner/suggest"
)

// didYouMean gives "did you mean X? " where a candidate is near, else "".
func didYouMean[S ~string](word S, candidates []S) string {
	near, ok := suggest.Nearest(string(word), candidates)
	if !ok {
		return ""
	}
	return "did you mean " + fault.Shown(near) + "? "
}
