package openai

import "time"

// Linger sets the wait after a finished reply, and returns a function that restores it.
func Linger(d time.Duration) (restore func()) {
	before := linger
	linger = d
	return func() { linger = before }
}
