package loopcmd

import (
	"os"
	"runtime/debug"
)

// collectLess lets twice as much garbage gather before it is collected, unless whoever
// started the program has decided about that: what a loop keeps is little, what it is
// done with is much, and looking for it took a tenth of the loop's time.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
