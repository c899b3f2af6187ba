package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"brenner/artifact"
)

// ResultsHash returns a hash of the settings that decide what a session comes to, besides those that sessions and
// loops store themselves. Machines that share a loop must agree on it.
func (c *Config) ResultsHash() string {
	sum := sha256.New()
	put := func(key string, value []byte) {
		_, _ = io.WriteString(sum, key+" "+string(value)+"\n") // never fails
	}
	for _, v := range c.values {
		if decidesResults(v.Key) {
			put(v.Key, artifact.Canonical(v.Value))
		}
	}
	byName := func(a, b asking) int { return cmp.Compare(a.Name, b.Name) }
	for _, a := range slices.SortedFunc(slices.Values(c.askings()), byName) {
		value, err := json.Marshal(a)
		if err != nil {
			panic("config: " + err.Error()) // unreachable: it has only texts and finite numbers
		}
		put("agents", value)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// decidesResults reports whether a key decides what agents are shown, what they may do, or how their answers are merged.
func decidesResults(key string) bool {
	if slices.Contains([]string{"priority", "authorities", "roles", "store.types", "playbook.embedding.model"}, key) {
		return true
	}
	return strings.HasPrefix(key, "scopes.") || strings.HasPrefix(key, "limits.") ||
		strings.HasPrefix(key, "playbook.") && !strings.HasPrefix(key, "playbook.embedding.")
}

// asking is what of an entry of agents.models or agents.programs decides results and is not stored by loops: each
// machine asks with its own.
type asking struct {
	Name                    string
	Temperature             *float64 `json:",omitempty"`
	Effort                  string   `json:",omitempty"`
	PriceInput, PriceOutput *float64 `json:",omitempty"` // a budget in dollars ends sessions
	Turns                   int      `json:",omitempty"`
}

// askings returns how this machine asks, without entries that say nothing about it: a machine may have others.
func (c *Config) askings() []asking {
	var all []asking
	for i := range c.Models {
		m := &c.Models[i]
		all = append(all, asking{"model " + m.Model, m.Temperature, m.Effort, m.PriceInput, m.PriceOutput, 0})
	}
	for i := range c.Programs {
		all = append(all, asking{Name: "program " + c.Programs[i].Program, Turns: c.Programs[i].Turns})
	}
	return slices.DeleteFunc(all, func(a asking) bool { return a == asking{Name: a.Name} })
}
