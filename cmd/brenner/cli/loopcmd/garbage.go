package loopcmd

import (
	"os"
	"runtime/debug"
)

// collectLess lets twice as much garbage gather before it is collected, unless GOGC is
// set. A loop keeps little and drops much; collecting it took a tenth of the loop's time.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
