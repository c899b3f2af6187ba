package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/roster"
)

// FuzzProjectFile checks that for any file Load returns either a configuration or faults
// with a place, never both.
func FuzzProjectFile(f *testing.F) {
	for _, seed := range []string{
		"", template, string(Template(Starter{Question: "Q", Context: "a: b\n", Via: ViaMail})), bomb(),
		"via: mail\nvia: mail\n", "roster: {entries: [{agentName: A, role: x}, {agentName: A}], mode: u}\n",
		"limits: {hypothesis_slate: {min: 9, max: 0x10}}\n", "question: \"\\x00\\ud800\"\n", "? {a: b}\n: c\n", "a: |1\n  x\n", "%YAML 1.1\n---\na: *b",
		"agents: {models: [{model: A, base_url: 'http://[::1'}, ~, []]}\n", "---\n...\n---\n", "\ufeffvia: mail", "<<: {via: mail}\n",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, FileName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Options{Dir: dir})
		if (c == nil) == (err == nil) {
			t.Fatalf("Load returned %v and %v", c, err)
		}
		for _, one := range fault.All(err) {
			if !strings.HasPrefix(one.Where(), FileName) || one.Hint == "" || one.Code == "" {
				t.Errorf("fault without code, place or hint: %+v", one)
			}
		}
		var located *fault.Error
		if err != nil && !errors.As(err, &located) {
			t.Errorf("not a fault: %v", err)
		}
		if err == nil {
			roundTrip(t, c)
		}
	})
}

// roundTrip checks that a loaded configuration can be used.
func roundTrip(t *testing.T, c *Config) {
	t.Helper()
	if len(c.Values()) != len(keyTable(&Config{})) {
		t.Errorf("got %d values", len(c.Values()))
	}
	if err := roster.ValidatePresets(c.Presets); err != nil {
		t.Errorf("invalid preset: %v", err)
	}
	if _, err := roster.Resolve(c.RosterInput()); err != nil && len(fault.All(err)) == 0 {
		t.Errorf("Resolve: %v", err)
	}
}
