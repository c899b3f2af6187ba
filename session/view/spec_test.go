package view_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/roster"
	"brenner/session/view"
)

// A role sees in full what it may edit.
func TestDefaultsShowEditableSections(t *testing.T) {
	scopes := merge.DefaultScopes()
	for _, role := range roster.AllRoles() {
		spec := view.Default(string(role))
		priorities := map[int]bool{}
		for _, s := range artifact.Sections() {
			v := spec.Sections[s]
			if scopes.MayEdit(string(role), s) && v.Form != view.Full {
				t.Errorf("%s edits %s and sees it as %s", role, s, v.Form)
			}
			if v.Form == view.IDs || v.Max <= 0 || priorities[v.Priority] {
				t.Errorf("%s sees %s as %+v", role, s, v)
			}
			priorities[v.Priority] = true
		}
		if spec.Role != string(role) || spec.Bound() != view.DefaultMaxTokens {
			t.Errorf("%s: %+v", role, spec)
		}
	}
	for s, v := range view.Default(view.Unified).Sections {
		if v.Form != view.Full || v.Max != 0 {
			t.Errorf("unified sees %s as %+v", artifact.Section(s), v)
		}
	}
}

// hashOf returns the SHA-256 of the canonical JSON.
func hashOf(s view.Spec) string {
	sum := sha256.Sum256(s.Canonical())
	return hex.EncodeToString(sum[:])
}

// Sessions store the hashes of the built-in specs, which must not change.
func TestDefaultSpecsAreFrozen(t *testing.T) {
	for role, want := range map[string]string{
		"hypothesis_generator": "139e9ba23272c1e8eb1154426bb88d991982007d28e774f394e888bc918d717c",
		"test_designer":        "a883c4633e40de93818e29cb095f4a1726a4e2b54cc788b1fa24763d6b962925",
		"adversarial_critic":   "a69426bd8704888ae1d0d8052c839cffe07ed41213f2677ff5061c20bf5bd88c",
		"unified":              "7c9cf85a9ae7a158a47154b776aa2675970809b58c1f59af943fa40d8885a14d",
	} {
		if got := hashOf(view.Default(role)); got != want {
			t.Errorf("%s: %s, want %s", role, got, want)
		}
	}
	if hashOf(view.Default("unknown")) != hashOf(view.Default(view.Unified)) {
		t.Error("an unknown role does not see everything")
	}
}

func TestCanonical(t *testing.T) {
	got := string(view.Spec{Role: "x"}.Canonical())
	want := `{"max_tokens":6000,"role":"x","sections":{` + strings.Join([]string{
		`"adversarial_critique":{"form":"ids","max":0,"priority":0}`, `"anomaly_register":{"form":"ids","max":0,"priority":0}`,
		`"assumption_ledger":{"form":"ids","max":0,"priority":0}`, `"discriminative_tests":{"form":"ids","max":0,"priority":0}`,
		`"hypothesis_slate":{"form":"ids","max":0,"priority":0}`, `"predictions_table":{"form":"ids","max":0,"priority":0}`,
		`"research_thread":{"form":"ids","max":0,"priority":0}`,
	}, ",") + `}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBound(t *testing.T) {
	for given, want := range map[int]int{-1: view.DefaultMaxTokens, 0: view.DefaultMaxTokens, 7: 7, math.MaxInt: 1 << 30} {
		if got := (view.Spec{MaxTokens: given}).Bound(); got != want {
			t.Errorf("%d: %d, want %d", given, got, want)
		}
	}
}

func TestSpecReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		spec.Sections[0].Priority = -rapid.IntRange(0, 9).Draw(t, "priority")
		spec.Role = rapid.String().Draw(t, "role")
		read, err := view.ParseSpec(spec.Canonical())
		if err != nil || !bytes.Equal(read.Canonical(), spec.Canonical()) {
			t.Fatalf("%v: %s", err, spec.Canonical())
		}
	})
}

func TestParseSpecRefuses(t *testing.T) {
	for _, tt := range []struct{ json, want string }{
		{``, "ends too early"},
		{`[]`, "not an object"},
		{`{"rolle": "x"}`, "unknown key rolle"},
		{`{"role": 1}`, "role: not a string"},
		{`{"max_tokens": -1}`, "max_tokens: not an integer"},
		{`{"max_tokens": 1.5}`, "max_tokens: not an integer"},
		{`{"max_tokens": 9e15}`, "max_tokens: not an integer"},
		{`{"sections": []}`, "sections: not an object"},
		{`{"sections": {"raw_replies": {}}}`, "unknown key raw_replies"},
		{`{"sections": {"anomaly_register": 1}}`, "anomaly_register: not an object"},
		{`{"sections": {"anomaly_register": {"form": "all"}}}`, "all is not one of full, summary, ids"},
		{`{"sections": {"anomaly_register": {"most": 3}}}`, "unknown key most"},
		{`{"sections": {"anomaly_register": {"max": "3", "priority": true}}}`, "anomaly_register.max: not an integer"},
	} {
		_, err := view.ParseSpec([]byte(tt.json))
		if fault.CodeOf(err) != view.InvalidSpec || !strings.Contains(err.Error(), tt.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", tt.json, err)
		}
	}
}
