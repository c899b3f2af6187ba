package stalemate

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/internal/fault"
)

func readSubmitted(t *testing.T, change ...string) error {
	t.Helper()
	const request = `{"protocol_id":"Stalemate_Protocol_v1.1","session_timestamp":"2026-11-15T09:00:00Z","stalemate_summary":"s",
		"hypotheses":{"parties":[{"party":"Anna","statement":"f"},{"party":"Bert","statement":"e"}],"hallucinated_hypotheses":[{"statement":"h"}]},
		"objective_evidence":[{"type":"log","content":"c"}],"arbitration_request":"Who is right, and why? Annalen cite D10."}`
	_, _, err := ReadSubmittedRequest([]byte(strings.NewReplacer(change...).Replace(request)))
	return err
}

// The question of a submitted request names no party, and no party has the name of an explanation.
// Stored requests are not checked for that.
func TestSubmittedRequestIsNeutral(t *testing.T) {
	if err := readSubmitted(t); err != nil {
		t.Error(err)
	}
	for _, change := range [][2]string{
		{"and why?", "if not Bert?"},
		{"Who", "ANNA"},
		{"cite D10", "cite D1"},
		{`"party":"Anna"`, `"party":"D1"`},
		{`"party":"Anna"`, `"party":"d3"`},
		{`"party":"Anna"`, `"party":"BERT"`},
	} {
		if err := readSubmitted(t, change[0], change[1]); fault.CodeOf(err) != delta.InvalidField {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

// A ruling for a party without a delta writes the party's statement.
func TestRulingForSubmittedParty(t *testing.T) {
	r := Request{Parties: []Hypothesis{{Name: "Anna", Statement: "two"}, {Name: "Bert", Statement: "one"}}}
	c := FromRequest("RS-20261115-play", &r, "P1.predictions.H2", 1)
	text, err := Ruling(&c, &Verdict{For: "Bert", RootCause: "r", Reasoning: []string{"x"}, Arbiter: Arbiter{Kind: ByPerson, Name: "operator"}})
	if err != nil || !strings.Contains(string(text), `"predictions":{"H2":"one"}`) {
		t.Errorf("%s, %v", text, err)
	}
	c = FromRequest("memo", &r, "memo@v1", 0)
	if _, err := Ruling(&c, &Verdict{For: "Bert"}); fault.CodeOf(err) != NothingToWrite {
		t.Errorf("%v", err)
	}
}

// A party cannot rule under its name in another case.
func TestPartyNamesIgnoreCase(t *testing.T) {
	r := Request{Parties: []Hypothesis{{Name: "sydney", Statement: "x"}, {Name: "Bert", Statement: "y"}}, Dissidents: []Hypothesis{{Name: "D1", Statement: "z"}}}
	v := Verdict{For: "Bert", Rejected: []Rejection{{"sydney", "w"}, {"D1", "w"}}, Arbiter: Arbiter{Kind: ByPerson, Name: "Sydney"}}
	if err := v.Check(&r); fault.CodeOf(err) != ArbiterIsParty {
		t.Errorf("%v", err)
	}
}
