package config

import "testing"

func TestResultsHash(t *testing.T) {
	t.Parallel()
	hash := func(set ...Flag) string {
		t.Helper()
		c, err := Load(Options{Dir: t.TempDir(), Flags: set})
		if err != nil {
			t.Fatal(err)
		}
		return c.ResultsHash()
	}
	plain := hash()
	if again := hash(); again != plain {
		t.Errorf("equal settings have the hashes %s and %s", plain, again)
	}
	for _, test := range []struct {
		key, value string
		decides    bool
	}{
		{"authorities", "Ada", true},
		{"priority", "BlueLake", true},
		{"scopes.mode", "strict", true},
		{"limits.hypothesis_slate.max", "4", true},
		{"store.types", "protein", true},
		{"playbook.tokens", "100", true},
		{"playbook.embedding.model", "small", true},
		{"playbook.embedding.key_env", "OTHER_KEY", false},
		{"operator", "Ada", false},
		{"session.rounds", "7", false}, // a loop stores it
		{"timeouts.call", "3m", false},
		{"agents.base_url", "http://127.0.0.1:9", false},
	} {
		if got := hash(Flag{Key: test.key, Name: "--x", Values: []string{test.value}}); (got != plain) != test.decides {
			t.Errorf("%s: the hash changes: %t, want %t", test.key, got != plain, test.decides)
		}
	}
}
