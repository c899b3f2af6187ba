package box_test

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/mail/box"
)

// The fast comparison of claims agrees with its definition.
func TestOverlapMatchesDefinition(t *testing.T) {
	covers := func(pattern, name string) bool {
		pattern, _, _ = strings.Cut(pattern, "**")
		if pattern == "" || strings.HasPrefix(name, strings.TrimSuffix(pattern, "/")+"/") {
			return true
		}
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	rapid.Check(t, func(t *rapid.T) {
		claim := rapid.StringMatching(`[ab/*?\[\]\\.-]{0,8}`)
		a, b := claim.Draw(t, "a"), claim.Draw(t, "b")
		x, y := path.Clean(a), path.Clean(b)
		if got, want := box.Overlap(a, b), x == y || covers(x, y) || covers(y, x); got != want {
			t.Errorf("%q and %q: %v", a, b, got)
		}
	})
}
