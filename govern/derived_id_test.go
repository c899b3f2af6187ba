package govern

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWhatIsDerivedFromAnIDIsOne: it is valid, ids that differ give others that differ,
// and one that has room stays as it is.
func TestWhatIsDerivedFromAnIDIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few letters and long ones, and some that look like what is derived.
		name := rapid.OneOf(
			rapid.StringMatching(`[ab]{1,4}`), rapid.StringMatching(`a{88,98}[ab.-]{0,2}`),
			rapid.Custom(func(t *rapid.T) string {
				long := rapid.StringMatching(`a{96,99}b?`).Draw(t, "long")
				return strings.TrimPrefix(derivedID("memo-", long), "memo-")
			}),
		)
		one, two := name.Draw(t, "one"), name.Draw(t, "two")
		a, b := derivedID("memo-", one), derivedID("memo-", two)
		if err := CheckID("id", a); err != nil {
			t.Error(err)
		}
		if (one == two) != (a == b) {
			t.Errorf("%q and %q give %q and %q", one, two, a, b)
		}
		if len("memo-"+one) < maxID && a != "memo-"+one {
			t.Errorf("%q gives %q", one, a)
		}
	})
}
