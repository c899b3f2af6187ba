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
		"one vector per text, in order": testOrder,
		"length 1 and model name":       testLength,
		"repeatable":                    testRepeatable,
		"no texts":                      testNoTexts,
		"invalid texts":                 testInvalidTexts,
		"unusual texts":                 testUnusualTexts,
		"cancelled context":             testCancelled,
		"concurrent calls":              testConcurrent,
		"vectors of another model":      testOtherModel,
	} {
		t.Run(name, func(t *testing.T) { test(t, build(t)) })
	}
	t.Run("stable name", func(t *testing.T) {
		if a, b := build(t).Model(), build(t).Model(); a == "" || a != b {
			t.Errorf("two instances are named %q and %q", a, b)
		}
	})
}

func embed(t *testing.T, e embedding.Embedder, texts ...string) []vector.Vector {
	t.Helper()
	got, err := e.Embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts, error %v", len(got), len(texts), err)
	}
	return got
}

// alike reports whether two vectors are equal up to rounding.
func alike(v, w vector.Vector) bool {
	c, ok := v.Cosine(w)
	return ok && c > 0.99999
}

func testOrder(t *testing.T, e embedding.Embedder) {
	texts := make([]string, 70) // more than one request of any embedder
	for i := range texts {
		texts[i] = fmt.Sprintf("cell %d", i)
	}
	all := embed(t, e, texts...)
	for i := 0; i < len(texts); i += 33 {
		if one := embed(t, e, texts[i]); !alike(one[0], all[i]) {
			t.Errorf("text %d: its vector differs when embedded alone", i)
		}
	}
}

func testLength(t *testing.T, e embedding.Embedder) {
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

func testRepeatable(t *testing.T, e embedding.Embedder) {
	if v := embed(t, e, "Cells divide at dawn", "Use careful prompts", "Cells divide at dawn"); !alike(v[0], v[2]) || alike(v[0], v[1]) {
		t.Error("equal texts have different vectors, or different texts the same")
	}
}

func testNoTexts(t *testing.T, e embedding.Embedder) {
	if got, err := e.Embed(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("vectors %v, error %v", got, err)
	}
}

func testInvalidTexts(t *testing.T, e embedding.Embedder) {
	for _, text := range []string{"", " \n\t", "a\xff"} {
		got, err := e.Embed(t.Context(), []string{"fine", text})
		if fault.CodeOf(err) != embedding.BadText || fault.HintOf(err) == "" || got != nil {
			t.Errorf("%q: vectors %v, error %v", text, got, err)
		}
	}
}

func testUnusualTexts(t *testing.T, e embedding.Embedder) {
	embed(t, e, "細胞は分裂する", "🧬", "\x00\x1b[31m", "one\ntwo\r\nthree", strings.Repeat("long ", 200), `{"input": "x"}`)
}

func testCancelled(t *testing.T, e embedding.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := e.Embed(ctx, []string{"Cells divide"}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("vectors %v, error %v", got, err)
	}
}

func testConcurrent(t *testing.T, e embedding.Embedder) {
	want := embed(t, e, "Cells divide at dawn")[0]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := e.Embed(t.Context(), []string{"Cells divide at dawn"})
			if err != nil || !alike(got[0], want) {
				t.Errorf("wrong vector, or error %v", err)
			}
		})
	}
	all.Wait()
}

func testOtherModel(t *testing.T, e embedding.Embedder) {
	other := vector.Vector{Model: e.Model() + "x", Values: embed(t, e, "Cells divide")[0].Values}
	if _, ok := other.Cosine(embed(t, e, "Cells divide")[0]); ok {
		t.Error("vectors of two models were compared")
	}
}
