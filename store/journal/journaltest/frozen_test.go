package journaltest

import (
	"strings"
	"testing"
)

func TestViolations(t *testing.T) {
	const before = "a.S\n\tx string\n\ty,omitempty int\na.T\n\tz string\n"
	for _, test := range []struct{ name, after, want string }{
		{"the same", before, ""},
		{"a key at the end", "a.S\n\tx string\n\ty,omitempty int\n\tnew,omitzero int\na.T\n\tz string\n", ""},
		{"a new struct", before + "a.U\n\tq string\n", ""},
		{"a key that is always written", "a.S\n\tx string\n\ty,omitempty int\n\tnew int\na.T\n\tz string\n", "a.S: new key without omitempty or omitzero:\tnew int"},
		{"a renamed key", "a.S\n\tw string\n\ty,omitempty int\na.T\n\tz string\n", "a.S: key removed, moved or changed:\tx string"},
		{"a key in front", "a.S\n\tnew,omitempty int\n\tx string\n\ty,omitempty int\na.T\n\tz string\n", "a.S: key removed, moved or changed:\tx string"},
		{"another type", "a.S\n\tx int\n\ty,omitempty int\na.T\n\tz string\n", "a.S: key removed, moved or changed:\tx string"},
		{"a removed struct", "a.S\n\tx string\n\ty,omitempty int\n", "a.T: key removed, moved or changed:\tz string"},
	} {
		if got := strings.Join(violations(before, test.after), "; "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
