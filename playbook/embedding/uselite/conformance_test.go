package uselite_test

import (
	"testing"

	"brenner/playbook/embedding"
	"brenner/playbook/embedding/embeddingtest"
	"brenner/playbook/embedding/uselite"
)

func TestConformance(t *testing.T) {
	m := uselite.New(uselite.Options{Lower: true})
	embeddingtest.Run(t, func(*testing.T) embedding.Embedder { return m })
}

// The preprocessing is part of the model's name.
func TestModelNames(t *testing.T) {
	if a, b := uselite.New(uselite.Options{}).Model(), uselite.New(uselite.Options{Lower: true}).Model(); a != uselite.Name || b != uselite.LowerName {
		t.Errorf("names %s, %s", a, b)
	}
}
