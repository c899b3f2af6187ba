// Package embeddingtest has the conformance suite of embedders, and a test endpoint.
package embeddingtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/playbook/embedding"
	"brenner/playbook/vector"
)

// Run tests an embedder against the contract of embedding.Embedder.
func Run(t *testing.T, build func(t *testing.T) embedding.Embedder) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, embedding.Embedder){
		"a vector for each text, in order": inOrder,
		"length 1, and the model's name":   whole,
		"the same text, the same vector":   repeatable,
		"no texts, no vectors":             none,
		"texts that nobody can embed":      bad,
		"texts of every kind":              odd,
		"an ended context":                 ended,
		"many at once":                     atOnce,
		"another model's vectors":          foreign,
	} {
		t.Run(name, func(t *testing.T) { test(t, build(t)) })
	}
	t.Run("twice made, one name", func(t *testing.T) {
		if a, b := build(t).Model(), build(t).Model(); a == "" || a != b {
			t.Errorf("%q, %q", a, b)
		}
	})
}

func embed(t *testing.T, e embedding.Embedder, texts ...string) []vector.Vector {
	t.Helper()
	got, err := e.Embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts: %v", len(got), len(texts), err)
	}
	return got
}

// alike reports whether two vectors are equal up to rounding.
func alike(v, w vector.Vector) bool {
	c, ok := v.Cosine(w)
	return ok && c > 0.99999
}

func inOrder(t *testing.T, e embedding.Embedder) {
	texts := make([]string, 70) // more than one request of any embedder
	for i := range texts {
		texts[i] = fmt.Sprintf("cell %d", i)
	}
	all := embed(t, e, texts...)
	for i := 0; i < len(texts); i += 33 {
		if one := embed(t, e, texts[i]); !alike(one[0], all[i]) {
			t.Errorf("text %d has another vector among others than alone", i)
		}
	}
}

func whole(t *testing.T, e embedding.Embedder) {
	for _, v := range embed(t, e, "Cells divide at dawn", "a") {
		sum := 0.0
		for _, x := range v.Values {
			sum += float64(x) * float64(x)
		}
		if v.Model != e.Model() || math.Abs(sum-1) > 1e-4 {
			t.Errorf("model %q, length %f", v.Model, math.Sqrt(sum))
		}
	}
}

func repeatable(t *testing.T, e embedding.Embedder) {
	if v := embed(t, e, "Cells divide at dawn", "Use careful prompts", "Cells divide at dawn"); !alike(v[0], v[2]) || alike(v[0], v[1]) {
		t.Error("one text has two vectors, or two texts have one")
	}
}

func none(t *testing.T, e embedding.Embedder) {
	if got, err := e.Embed(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func bad(t *testing.T, e embedding.Embedder) {
	for _, text := range []string{"", " \n\t", "a\xff"} {
		got, err := e.Embed(t.Context(), []string{"fine", text})
		if fault.CodeOf(err) != embedding.BadText || fault.HintOf(err) == "" || got != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func odd(t *testing.T, e embedding.Embedder) {
	embed(t, e, "細胞は分裂する", "🧬", "\x00\x1b[31m", "one\ntwo\r\nthree", strings.Repeat("long ", 200), `{"input": "x"}`)
}

func ended(t *testing.T, e embedding.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := e.Embed(ctx, []string{"Cells divide"}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func atOnce(t *testing.T, e embedding.Embedder) {
	want := embed(t, e, "Cells divide at dawn")[0]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := e.Embed(t.Context(), []string{"Cells divide at dawn"})
			if err != nil || !alike(got[0], want) {
				t.Errorf("another vector, or none: %v", err)
			}
		})
	}
	all.Wait()
}

func foreign(t *testing.T, e embedding.Embedder) {
	other := vector.Vector{Model: e.Model() + "x", Values: embed(t, e, "Cells divide")[0].Values}
	if _, ok := other.Cosine(embed(t, e, "Cells divide")[0]); ok {
		t.Error("vectors of two models were compared")
	}
}
