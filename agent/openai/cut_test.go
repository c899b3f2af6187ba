package openai

import "testing"

// The complete deltas of a structured reply that was cut are kept; the open one is left out.
func TestCutStructuredReply(t *testing.T) {
	const one, two = "```delta\n{\"a\":1}\n```\n\n", "```delta\n{\"b\":[2]}\n```\n\n"
	for text, want := range map[string]string{
		`{"prose":"p","deltas":[{"a":1},{"b":[2]},{"c":"ha`: one + two + "## Prose\n\np",
		`{"prose":"p","deltas":[{"a":1},{"b":[2]}`:          one + two + "## Prose\n\np",
		`{"deltas":[{"a":1},{"b":[2]}],"prose":"half a`:     one + two,
		`{"deltas":[{"a":1`:                                 "",
		`{"prose":"NO CHANGES: fine","d`:                    "NO CHANGES: fine",
		"plain text {":                                      "plain text {",
		`{"other":1,"deltas":[`:                             `{"other":1,"deltas":[`,
		`{"prose":"half`:                                    `{"prose":"half`,
	} {
		if got := markdown(text, true); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
