package stalemate

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
)

// The specification's own request, verbatim: two parties under keys of their own, no hashes, and
// placeholder evidence.
//
//go:embed testdata/specification_request.json
var specification []byte

func TestReadSpecificationRequest(t *testing.T) {
	r, warnings, err := ReadSubmittedRequest(specification)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, w := range warnings {
		if w.Code != Placeholder {
			t.Error(w)
		}
		places = append(places, w.Place)
	}
	// The log begins with a bracket, but is content.
	if !slices.Equal(places, []string{"objective_evidence[1]", "objective_evidence[2]"}) {
		t.Errorf("placeholders in %v", places)
	}
	if err := r.Sendable(); fault.CodeOf(err) != Placeholder {
		t.Errorf("the request is sendable: %v", err)
	}
	if got := strings.Join(r.Names(), " "); got != firstParty+" engrove D1 D2 D3" {
		t.Error(got)
	}
}

// The request is written as it was read, verbatim; only the hashes of evidence are added.
func TestWriteSpecificationRequest(t *testing.T) {
	r, _, err := ReadRequest(specification)
	if err != nil {
		t.Fatal(err)
	}
	original, err := artifact.ParseValue(specification, maxDepth)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := original.(artifact.Map)
	evidence := artifact.List{}
	for _, v := range at[artifact.List](t, want, "objective_evidence") {
		one, _ := v.(artifact.Map)
		content, ok := one.Get("content")
		if !ok {
			content, _ = one.Get("file_content")
		}
		text, _ := content.(artifact.Text)
		evidence = append(evidence, with(one, "sha256", artifact.Text(HashOf(string(text)))))
	}
	want = with(want, "objective_evidence", evidence)
	if got := r.JSON(); string(got) != string(artifact.Canonical(want)) {
		t.Errorf("got\n%s\nwant\n%s", got, artifact.Canonical(want))
	}
	back, _, err := ReadRequest(r.JSON())
	if err != nil || string(back.JSON()) != string(r.JSON()) {
		t.Errorf("it does not read back: %v", err)
	}
}

// Two parties have the keys of the specification, first those with these names; further ones are in a list. The form of earlier
// programs, with a list of all, is still read.
func TestPartiesUnderTheKeysOfTheSpecification(t *testing.T) {
	r := Request{Summary: "s", Arbitration: "q", At: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	for _, name := range []string{"Anna", "engrove", firstParty} {
		r.Parties = append(r.Parties, Hypothesis{Name: name, Statement: "by " + name})
	}
	back, _, err := ReadRequest(r.JSON())
	if err != nil || strings.Join(back.Names(), " ") != firstParty+" engrove Anna" || string(back.JSON()) != string(r.JSON()) {
		t.Errorf("got %v, %v of %s", back.Names(), err, r.JSON())
	}
	const earlier = `{"protocol_id":"Stalemate_Protocol_v1.1","session_timestamp":"2026-11-15T09:00:00Z","stalemate_summary":"s","arbitration_request":"q",
		"hypotheses":{"parties":[{"party":"B","statement":"x","justification":""},{"party":"A","statement":"y","justification":""}],"hallucinated_hypotheses":[]},"objective_evidence":[]}`
	if back, _, err := ReadRequest([]byte(earlier)); err != nil || strings.Join(back.Names(), " ") != "B A" {
		t.Errorf("got %v, %v; want B A", back.Names(), err)
	}
}

// at returns a required value of a document.
func at[T artifact.Value](t *testing.T, m artifact.Map, key string) T {
	t.Helper()
	v, _ := m.Get(key)
	out, ok := v.(T)
	if !ok {
		t.Fatalf("%s is %T", key, v)
	}
	return out
}

// with returns an object in which a key has a value.
func with(m artifact.Map, key string, v artifact.Value) artifact.Map {
	entries := slices.DeleteFunc(slices.Clone(m), func(e artifact.Entry) bool { return e.Key == key })
	return artifact.MapOf(append(entries, artifact.Entry{Key: key, Value: v})...)
}
