package stalemate

import (
	"strings"
	"testing"
)

// Answers are read strictly: all of one or nothing.
func TestReadExplanations(t *testing.T) {
	r := &Request{Parties: []Hypothesis{{Name: "a", Statement: "The lamp is red."}, {Name: "b", Statement: "It is blue."}}}
	const good = `{"statement":"It is mixed.","justification":"j"}`
	long := strings.Repeat("é", maxStatement)
	for _, c := range []struct{ name, text, want string }{
		{"one", `{"hypotheses":[` + good + `]}`, ""},
		{"none", `{"hypotheses":[]}`, ""},
		{"longest", `{"hypotheses":[{"statement":"` + long + `","justification":"j"}]}`, ""},
		{"in a fence", "So:\n\n```json\n{\"hypotheses\":[" + good + "]}\n```\n", ""},
		{"in prose", `I say {"hypotheses":[` + good + `]}.`, ""},
		{"no object", "It is mixed.", "no JSON object with the key hypotheses"},
		{"quoted", "> {\"hypotheses\":[]}\n", "no JSON object"},
		{"two", "{\"hypotheses\":[]}\n\n{\"hypotheses\":[" + good + "]}", "differ"},
		{"a verdict", `{"ruling_for":"a"}`, "unknown field"},
		{"not a list", `{"hypotheses":{}}`, "not a list"},
		{"three", `{"hypotheses":[` + good + `,{"statement":"x","justification":"j"},{"statement":"y","justification":"j"}]}`, "number of explanations: 3, at most 2"},
		{"too long", `{"hypotheses":[{"statement":"` + long + `é","justification":"j"}]}`, "statement has 301 characters"},
		{"no reason", `{"hypotheses":[{"statement":"x"}]}`, "justification is missing"},
		{"a source", `{"hypotheses":[{"statement":"x","justification":"j","source":"check x"}]}`, "unknown field"},
		{"a position", `{"hypotheses":[{"statement":"the lamp  is RED","justification":"j"}]}`, "the request says it already"},
		{"twice", `{"hypotheses":[` + good + `,` + good + `]}`, "the request says it already"},
	} {
		_, err := ReadExplanations([]byte(c.text), 2, r)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Only requests that the program wrote, and that no model was asked about, have room.
func TestRoomForExplanations(t *testing.T) {
	for checks := range MaxExplanations + 1 {
		r := Request{}
		for i := range checks {
			r.Dissidents = append(r.Dissidents, Hypothesis{Name: dissidentName(i), Statement: "s", Source: fromCheck + "x"})
		}
		r.Arbitration = question(Conflict) + r.foundText() + notAsked
		if got, want := r.Room(2), min(2, MaxExplanations-checks); got != want {
			t.Errorf("%d checks: room for %d, want %d", checks, got, want)
		}
		for _, more := range [][]Hypothesis{nil, {{Statement: "m", Justification: "j"}}} {
			out := r.Explained("Judge", more, "")
			if out.Room(3) != 0 || len(r.Dissidents) != checks {
				t.Errorf("%d checks and %d claims: room for %d, want 0", checks, len(more), out.Room(3))
			}
		}
	}
	if r := (Request{Arbitration: "Who is right?"}); r.Room(3) != 0 {
		t.Errorf("a person's request has room")
	}
}
