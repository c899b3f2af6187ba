package govern

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDerivedIDsAreValidAndUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Short names, long names, and names that look like derived ids.
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
			t.Errorf("%q and %q become %q and %q", one, two, a, b)
		}
		if len("memo-"+one) < maxID && a != "memo-"+one {
			t.Errorf("%q becomes %q", one, a)
		}
	})
}
