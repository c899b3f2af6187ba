package keeper_test

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"sync/atomic"

	"brenner/playbook/embedding"
	"brenner/playbook/vector"
)

// stub is an embedder without a model. It returns the vectors that a test has set, and
// otherwise a random one that resembles no other.
type stub struct {
	name   string
	length int
	set    map[string][]float32
	calls  atomic.Int32
}

func (s *stub) Model() string {
	if s.name == "" {
		return "stub"
	}
	return s.name
}

func (s *stub) Embed(_ context.Context, texts []string) ([]vector.Vector, error) {
	if err := embedding.Check(texts); err != nil {
		return nil, err
	}
	all := make([]vector.Vector, len(texts))
	for i, text := range texts {
		s.calls.Add(1)
		values, ok := s.set[text]
		if !ok {
			h := fnv.New64a()
			_, _ = h.Write([]byte(text))
			random := rand.New(rand.NewPCG(h.Sum64(), 1)) //nolint:gosec // the same vector for the same text
			values = make([]float32, max(s.length, 8))
			for n := range values {
				values[n] = float32(random.NormFloat64()) + 0.65
			}
		}
		v, err := vector.New(s.Model(), values)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}
