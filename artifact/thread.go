package artifact

import "strings"

// IsThreadID tells whether id can be the thread id of a research session,
// ^RS-\d{8}-[a-z0-9-]{2,40}$. It joins thread, artifact and store, and is used as
// a file name. Whether the digits are a day of the calendar is not asked: an id
// that was let in once can never be changed again.
func IsThreadID(id string) bool {
	rest, ok := strings.CutPrefix(id, "RS-")
	if !ok || len(rest) < 8+1+2 || len(rest) > 8+1+40 || rest[8] != '-' {
		return false
	}
	for i := range len(rest) {
		c := rest[i]
		digit := c >= '0' && c <= '9'
		switch {
		case i < 8 && !digit:
			return false
		case i > 8 && !digit && c != '-' && (c < 'a' || c > 'z'):
			return false
		}
	}
	return true
}
