package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

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

// How a machine asks models and programs decides results; where they are, and with which keys, does not.
func TestResultsHashOfAgents(t *testing.T) {
	t.Parallel()
	hash := func(text string) string {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte("agents:\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return c.ResultsHash()
	}
	const warm, turns = "  models:\n  - {model: A, temperature: 0.5}\n  - {model: B, reasoning_effort: high}\n", "  programs:\n  - {program: codex-cli, turns: 3}\n"
	plain := hash(warm + turns)
	for text, same := range map[string]bool{
		"  models:\n  - {model: B, reasoning_effort: high}\n  - {model: A, temperature: 0.5}\n" + turns:   true,
		warm + "  - {model: C, base_url: \"http://127.0.0.1:9/v1\", key_env: K, concurrent: 2}\n" + turns: true,
		"  models:\n  - {model: A, temperature: 0.6}\n  - {model: B, reasoning_effort: high}\n" + turns:   false,
		"  models:\n  - {model: A, temperature: 0.5}\n  - {model: B, reasoning_effort: low}\n" + turns:    false,
		warm + "  - {model: C, price_input: 1, price_output: 2}\n" + turns:                                false,
		warm: false,
		warm + "  programs:\n  - {program: codex-cli, turns: 3, key_env: K, pass: [P]}\n": true,
	} {
		if got := hash(text); (got == plain) != same {
			t.Errorf("%s: the hash is the same: %t, want %t", text, got == plain, same)
		}
	}
}

// Every setting is said to decide results, or why it does not, so that a new one is not forgotten.
func TestEverySettingIsClassified(t *testing.T) {
	t.Parallel()
	const decides = "decides results"
	classes := map[string]string{
		decides: "priority authorities roles store.types scopes.mode playbook.domain playbook.match playbook.longest playbook.tokens playbook.staging.support " +
			"playbook.staging.ratio playbook.prod.support playbook.prod.ratio playbook.prod.confidence playbook.confidence.agent playbook.confidence.per_session " +
			"playbook.staging_share playbook.guardrail.success playbook.guardrail.latency playbook.guardrail.errors playbook.guardrail.window playbook.embedding.model",
		"decides by some fields: see asking": "agents.models agents.programs",
		"a loop stores it": "question context via roster.preset roster.defaultPreset roster.presets roster.mode roster.name roster.entries session.rounds session.flow session.quorum " +
			"session.repair session.arbiter session.hypotheses session.context_tokens stop.quiet_rounds stop.when_clean budget.tokens budget.usd budget.reply_tokens",
		"where to reach something, and with what right": "agents.base_url endpoints.allowed endpoints.local_only mail.base_url mail.path mail.token_env store.address " +
			"playbook.embedding.base_url playbook.embedding.key_env serve.people serve.oidc.issuer serve.oidc.client_id serve.oidc.secret_env report.mail report.webhook " +
			"engine.temporal.address engine.temporal.namespace engine.temporal.api_key_env engine.temporal.tls.enabled engine.temporal.tls.ca engine.temporal.tls.cert " +
			"engine.temporal.tls.key engine.temporal.tls.server engine.temporal.search_attributes",
		"how long a machine waits":         "timeouts.call timeouts.idle timeouts.agent timeouts.session retry.attempts",
		"who the person at the machine is": "operator",
		"rules for commands of people":     "store.compression_after store.unused_after store.unattended store.people",
	}
	of := make(map[string]string)
	for class, keys := range classes {
		for key := range strings.FieldsSeq(keys) {
			of[key] = class
		}
	}
	for _, k := range keyTable(&Config{}) {
		class, ok := of[k.path]
		delete(of, k.path)
		if generated := strings.HasPrefix(k.path, "scopes.roles.") || strings.HasPrefix(k.path, "limits."); generated {
			class, ok = decides, true
		}
		if !ok {
			t.Errorf("%s is not classified: say here and in decidesResults whether machines that share a loop must agree on it", k.path)
		} else if got := decidesResults(k.path); got != (class == decides) {
			t.Errorf("%s decides results: %t, but here: %s", k.path, got, class)
		}
	}
	for key := range of {
		t.Errorf("%s is not a setting", key)
	}
	for _, test := range []struct {
		entry   any
		decides string // the fields of asking
		others  string
	}{
		{Model{}, "Model Temperature Effort PriceInput PriceOutput", "Via ID BaseURL KeyEnv API Organization Headers Seed Structured Kickoff Concurrent"}, // loops store ways and seeds
		{Program{}, "Program Turns", "Command KeyEnv Pass"},
	} {
		typ, known := reflect.TypeOf(test.entry), strings.Fields(test.decides+" "+test.others)
		for i := range typ.NumField() {
			if name := typ.Field(i).Name; !slices.Contains(known, name) {
				t.Errorf("%s.%s is not classified: say here and in asking whether machines that share a loop must agree on it", typ.Name(), name)
			}
		}
	}
}
