package openai

import "time"

// Linger shortens the wait after an answer that is finished, and gives what ends
// that.
func Linger(d time.Duration) (end func()) {
	before := linger
	linger = d
	return func() { linger = before }
}
