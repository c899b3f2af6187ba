package uselite_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"brenner/playbook/embedding/uselite"
	"brenner/playbook/vector"
)

// The vectors of the original program, for six sentences.
func TestReferenceVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Sentences []string    `json:"s"`
		Vectors   [][]float32 `json:"e"`
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	if len(reference.Sentences) != 6 || len(reference.Vectors) != 6 {
		t.Fatal("want six reference vectors")
	}
	got, err := uselite.New(uselite.Options{}).Embed(t.Context(), reference.Sentences)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range reference.Sentences {
		want, err := vector.New(uselite.Name, reference.Vectors[i])
		if err != nil {
			t.Fatal(err)
		}
		if cosine, ok := got[i].Cosine(want); !ok || cosine < 0.999 {
			t.Errorf("%q: cosine %.6f, %v", s, cosine, ok)
		} else {
			t.Logf("%q: %.6f", s, cosine)
		}
	}
}

func cosine(t *testing.T, m *uselite.Model, a, b string) float64 {
	t.Helper()
	v, err := m.Embed(t.Context(), []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := v[0].Cosine(v[1])
	if !ok {
		t.Fatal("vectors of one model are not comparable")
	}
	return c
}

func TestParaphrasesAreSimilar(t *testing.T) {
	m := uselite.New(uselite.Options{Lower: true})
	for _, pair := range [][2]string{
		{"Increase the learning rate", "Decrease the learning rate"}, // a cosine does not see opposites
		{"Use careful prompts", "Use careful prompting"},
		{"ALWAYS RUN THE TESTS", "always run the tests"},
	} {
		if c := cosine(t, m, pair[0], pair[1]); c < 0.8 {
			t.Errorf("%q: cosine %.3f", pair, c)
		}
	}
	if c := cosine(t, m, "Use careful prompts", "Cells divide at dawn"); c > 0.5 {
		t.Errorf("different lessons: cosine %.3f", c)
	}
}

// Texts of any length are embedded; what follows the last token has no effect.
func TestLongTexts(t *testing.T) {
	m := uselite.New(uselite.Options{})
	long := strings.Repeat("Cells divide at dawn. ", 30)
	if c := cosine(t, m, long, long+strings.Repeat("Something else. ", 100_000)); c < 0.999999 {
		t.Errorf("long text: cosine %.9f", c)
	}
	for _, text := range []string{"細胞", "🧬🧬🧬", "\x00", "ﬁne", strings.Repeat("𝔅", 40), "a\u0301\u0301\u0301"} {
		if c := cosine(t, m, text, text); c < 0.999999 {
			t.Errorf("%q: cosine %.9f", text, c)
		}
	}
}
