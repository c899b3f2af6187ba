package kickoff

import (
	"strconv"
	"strings"
	"time"
)

// NewThreadID makes a thread id from the date and the question's words.
func NewThreadID(now time.Time, question string) string {
	const longest = 34 // of 40: leaves room for a number
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := ""
	for _, w := range words {
		if len(slug)+1+len(w) > longest {
			break
		}
		slug = strings.TrimPrefix(slug+"-"+w, "-")
	}
	if len(slug) < 2 {
		slug = "session"
	}
	return "RS-" + now.UTC().Format("20060102") + "-" + slug
}

// NumberedThreadID returns the thread id of the n-th session with the same base.
func NumberedThreadID(base string, n int) string {
	suffix := "-" + strconv.Itoa(n)
	return base[:min(len(base), maxThreadID-len(suffix))] + suffix
}

// maxThreadID is the maximum length of a thread id: RS-YYYYMMDD- and 40 more
// characters.
const maxThreadID = len("RS-20060102-") + 40
