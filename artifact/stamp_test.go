package artifact_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
)

// The standard library accepts more than RFC 3339 and may change that. Every build must
// read an instant in the same way, or replays fail.
func TestInstantsAreRFC3339(t *testing.T) {
	for text, want := range map[string]string{
		"2025-12-30T12:00:00Z":                "2025-12-30T12:00:00Z",
		"2025-12-30t12:00:00z":                "2025-12-30T12:00:00Z",
		"2025-12-30T12:00:00.5-00:00":         "2025-12-30T12:00:00.5Z",
		"2025-12-30T12:00:00.123456789+23:59": "2025-12-29T12:01:00.123456789Z",
		"0001-01-01T00:00:00Z":                "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z":                "9999-12-31T23:59:59Z",

		"2025-12-30T0:00:00Z":                 "", // an hour needs two digits
		"2025-12-30T00:00:00,5Z":              "", // a fraction needs a point
		"2025-12-30T00:00:00+24:00":           "",
		"2025-12-30T00:00:00+00:60":           "",
		"2025-12-30T00:00:00+1:00":            "",
		"2025-12-30T00:00:00+0100":            "",
		"2025-12-30T00:00:00":                 "",
		"2025-12-30T00:00:00.Z":               "",
		"2025-12-30T00:00:00.1234567890Z":     "",
		"2025-12-30T00:00:00.1234567890+1:00": "",
		"2025-12-30 00:00:00Z":                "",
		"2025-12-30":                          "",
		"20251230T000000Z":                    "",
		"2025-02-29T00:00:00Z":                "",
		"2025-12-30T24:00:00Z":                "",
		"2025-12-30T23:59:60Z":                "",
		"0001-01-01T00:00:00+00:01":           "", // year out of range
		"9999-12-31T23:59:59-00:01":           "",
		"":                                    "",
	} {
		got, err := artifact.ParseInstant(text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q: got %s, want an error", text, artifact.FormatInstant(got))
		case want != "" && (err != nil || artifact.FormatInstant(got) != want):
			t.Errorf("%q: got %s, %v; want %s", text, artifact.FormatInstant(got), err, want)
		}
	}
}

func TestInstantsRoundTrip(t *testing.T) {
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(first, last).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).UTC()
		text := artifact.FormatInstant(at)
		for _, spelled := range []string{text, strings.ToLower(text)} {
			if got, err := artifact.ParseInstant(spelled); err != nil || !got.Equal(at) {
				t.Fatalf("%s: got %s, %v", spelled, got, err)
			}
		}
	})
}
