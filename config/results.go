package config

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"brenner/artifact"
)

// ResultsHash returns a hash of the settings that decide what a session comes to, besides those that sessions and
// loops store themselves. Machines that share a loop must agree on it.
func (c *Config) ResultsHash() string {
	sum := sha256.New()
	for _, v := range c.values {
		if decidesResults(v.Key) {
			_, _ = sum.Write(append([]byte(v.Key+" "), artifact.Canonical(v.Value)...)) // never fails
			_, _ = sum.Write([]byte{'\n'})
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// decidesResults reports whether a key decides what agents are shown, what they may do, or how their answers are merged.
func decidesResults(key string) bool {
	if slices.Contains([]string{"priority", "authorities", "roles", "store.types", "store.people", "store.unattended", "playbook.embedding.model"}, key) {
		return true
	}
	return strings.HasPrefix(key, "scopes.") || strings.HasPrefix(key, "limits.") ||
		strings.HasPrefix(key, "playbook.") && !strings.HasPrefix(key, "playbook.embedding.")
}
