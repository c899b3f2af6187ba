package ui

import (
	"bytes"
	"strings"
	"testing"
)

// Warnings have one form, whatever else is logged.
func TestWarningsArePlainLines(t *testing.T) {
	for _, tty := range []bool{false, true} {
		for _, verbose := range []bool{false, true} {
			var out bytes.Buffer
			log := (&Streams{Err: &out, ErrTTY: tty}).Logger(verbose, false)
			log.Debug().Msg("a detail")
			log.Warn().Str("place", "agents").Str("code", "SOME_CODE").Str("hint", "do this").Msg("not used")
			_, warning, found := strings.Cut(out.String(), "brenner: ")
			if !found || warning != "warning: agents: not used (SOME_CODE)\n  hint: do this\n" || verbose != strings.Contains(out.String(), "a detail") {
				t.Errorf("terminal %t, verbose %t: %q", tty, verbose, out.String())
			}
		}
	}
}
