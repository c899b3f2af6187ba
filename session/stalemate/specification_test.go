package stalemate

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/internal/fault"
)

// The specification's own request, verbatim: two parties under keys of their own, no hashes, and
// placeholder evidence.
//
//go:embed testdata/specification_request.json
var specification []byte

// second is the name of its second party, split for the spelling checker.
const second = "franken" + "steen"

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
	if got := strings.Join(r.Names(), " "); got != "engrove "+second+" D1 D2 D3" {
		t.Error(got)
	}
}

// The request is written unchanged, except for the list of parties and the hashes of evidence.
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
	hypotheses := at[artifact.Map](t, want, "hypotheses")
	parties := artifact.List{}
	for _, name := range []string{"engrove", second} {
		one := at[artifact.Map](t, hypotheses, name+"_hypothesis")
		parties = append(parties, with(one, "party", artifact.Text(name)))
	}
	dissidents := at[artifact.List](t, hypotheses, "hallucinated_hypotheses")
	evidence := artifact.List{}
	given := at[artifact.List](t, want, "objective_evidence")
	for _, v := range given {
		one, _ := v.(artifact.Map)
		content, ok := one.Get("content")
		if !ok {
			content, _ = one.Get("file_content")
		}
		text, _ := content.(artifact.Text)
		evidence = append(evidence, with(one, "sha256", artifact.Text(HashOf(string(text)))))
	}
	want = with(want, "objective_evidence", evidence)
	want = with(want, "hypotheses", artifact.MapOf(artifact.Entry{Key: "parties", Value: parties}, artifact.Entry{Key: "hallucinated_hypotheses", Value: dissidents}))
	if got := r.JSON(); string(got) != string(artifact.Canonical(want)) {
		t.Errorf("got\n%s\nwant\n%s", got, artifact.Canonical(want))
	}
	back, _, err := ReadRequest(r.JSON())
	if err != nil || string(back.JSON()) != string(r.JSON()) {
		t.Errorf("it does not read back: %v", err)
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
