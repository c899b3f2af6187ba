package lint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"brenner/artifact/lint"
)

// Stored findings are compared with new ones if the rules have the same version. Changed
// rules therefore need a new Version together with the hash, once sessions with the old
// rules exist that must be proven. Rewording a reason or a fix needs neither.
func TestVersionMatchesRules(t *testing.T) {
	const version, hash = "lint/1", "da379e77cac9b933"
	sum := sha256.New()
	for _, r := range lint.Rules() {
		_, _ = fmt.Fprintln(sum, r.ID, r.Severity, r.Title)
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); lint.Version != version || got != hash {
		t.Errorf("got version %s with hash %s, want %s with %s: raise Version if the old rules were released", lint.Version, got, version, hash)
	}
}
