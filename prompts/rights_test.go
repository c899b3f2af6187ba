package prompts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/merge"
	"brenner/prompts"
	"brenner/roster"
)

// allRoles returns the rights of a role in a session with all three roles.
func allRoles(role string, strict bool) prompts.Rights {
	scopes := merge.DefaultScopes()
	scopes.Strict = strict
	r := prompts.Rights{Role: role, Scopes: scopes}
	for _, other := range roster.AllRoles() {
		r.Roles = append(r.Roles, string(other))
	}
	return r
}

// rightsRows returns the columns ADD, EDIT and KILL of the table in a prompt, by section.
func rightsRows(t *testing.T, outputs string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	for line := range strings.Lines(outputs) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.Contains(cells[1], "`") {
			continue
		}
		got[strings.Trim(cells[1], " `")] = strings.Join(strings.Fields(strings.Join(cells[4:7], " ")), " ")
	}
	if len(got) != artifact.SectionCount {
		t.Fatalf("the table has %d rows:\n%s", len(got), outputs)
	}
	return got
}

func TestRightsTable(t *testing.T) {
	const thread = "research_thread"
	tests := []struct {
		name   string
		rights prompts.Rights
		want   map[string]string
	}{
		{"generator", allRoles("hypothesis_generator", false), map[string]string{
			thread: "no yes no", "hypothesis_slate": "yes any any", "predictions_table": "yes any any",
			"discriminative_tests": "yes own own", "assumption_ledger": "yes any any", "anomaly_register": "yes any any",
			"adversarial_critique": "yes own own",
		}},
		{"critic", allRoles("adversarial_critic", false), map[string]string{
			thread: "no no no", "hypothesis_slate": "yes own any", "predictions_table": "yes own any",
			"discriminative_tests": "yes own any", "assumption_ledger": "yes any any", "anomaly_register": "yes any any",
			"adversarial_critique": "yes any any",
		}},
		{"strict designer", allRoles("test_designer", true), map[string]string{
			thread: "no no no", "hypothesis_slate": "no own own", "predictions_table": "yes any any",
			"discriminative_tests": "yes any any", "assumption_ledger": "yes any any", "anomaly_register": "yes any any",
			"adversarial_critique": "no own own",
		}},
		{
			"alone: unowned sections are open",
			prompts.Rights{Role: "test_designer", Roles: []string{"test_designer"}, Scopes: merge.DefaultScopes()},
			map[string]string{
				thread: "no yes no", "hypothesis_slate": "yes any any", "predictions_table": "yes any any",
				"discriminative_tests": "yes any any", "assumption_ledger": "yes any any", "anomaly_register": "yes any any",
				"adversarial_critique": "yes any any",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rightsRows(t, prompts.Unified(prompts.Latest).Outputs(1, tt.rights))); diff != "" {
				t.Error(diff)
			}
		})
	}
	open := rightsRows(t, prompts.Unified(prompts.Latest).Outputs(1, prompts.Rights{Unified: true, Role: "x", Roles: []string{"x"}, Scopes: merge.DefaultScopes()}))
	for section, cells := range open {
		if want := "yes any any"; section != thread && cells != want {
			t.Errorf("unified: %s: %s", section, cells)
		}
	}
}

// A role is shown exactly the rules of its sections, in a short prompt only the errors.
func TestRulesOfRole(t *testing.T) {
	shows := map[string]string{
		"hypothesis_generator": "RHPAX", "test_designer": "PTAX", "adversarial_critic": "HAXC", "unified": "RHPTAXC",
	}
	for _, tmpl := range prompts.All(prompts.Latest) {
		role := prompts.RoleOf(tmpl.ID())
		rights := allRoles(role, false)
		rights.Unified = role == prompts.UnifiedName
		outputs := tmpl.Outputs(1, rights)
		for _, rule := range lint.Rules() {
			line := "- " + rule.ID + " (" + string(rule.Severity) + "): " + rule.Title + "\n"
			want := strings.Contains(shows[role], rule.ID[1:2]) && rule.ID != "EX-002"
			if isShort(tmpl) {
				line = "- " + rule.Title + "\n"
				want = want && rule.Severity == lint.Error
			}
			if got := strings.Contains(outputs+"\n", line); got != want && !strings.HasPrefix(rule.ID, "WS-1") {
				t.Errorf("%s: %s is shown: %t", tmpl.Name, rule.ID, got)
			}
		}
		for _, id := range []string{"WS-102", "WS-103", "WS-104"} {
			if got := strings.Contains(outputs, "- "+id+" ("); got == isShort(tmpl) {
				t.Errorf("%s: %s is shown: %t", tmpl.Name, id, got)
			}
		}
	}
}

// A short prompt shows the rights in the reader's own sections, and where it may kill any item.
func TestRightsInShortPrompts(t *testing.T) {
	for role, want := range map[string]string{
		"hypothesis_generator": "research_thread hypothesis_slate predictions_table assumption_ledger anomaly_register",
		"test_designer":        "predictions_table discriminative_tests assumption_ledger anomaly_register",
		"adversarial_critic":   "hypothesis_slate predictions_table discriminative_tests assumption_ledger anomaly_register adversarial_critique",
	} {
		tmpl, _ := prompts.For(role, prompts.Latest)
		full, short := tmpl.Outputs(1, allRoles(role, false)), tmpl.Shortened().Outputs(1, allRoles(role, false))
		var sections []string
		for line := range strings.Lines(short) {
			if cells := strings.Split(line, "|"); len(cells) == 8 && strings.Contains(cells[1], "`") {
				sections = append(sections, strings.Trim(cells[1], " `"))
				if !strings.Contains(full, line) {
					t.Errorf("%s: the full prompt has no line %s", role, line)
				}
			}
		}
		if got := strings.Join(sections, " "); got != want {
			t.Errorf("%s: sections %s, want %s", role, got, want)
		}
	}
}

func TestFieldsOfRole(t *testing.T) {
	tmpl, _ := prompts.For("test_designer", prompts.Latest)
	format := tmpl.Format(allRoles("test_designer", false))
	for _, want := range []string{
		"\n`discriminative_tests`\n- `name` (text): ",
		"- `procedure` (text, required): ",
		"- `score` (object of whole numbers from 0 to 3: `likelihood_ratio`, `cost`, `speed`, `ambiguity`): ",
		"- `status` (one of `unchecked`, `verified`, `falsified`, at first `unchecked`): ",
		"- `expected_outcomes` (object of texts, required): ",
		"- `scale_check` (true or false): ",
		"- `conflicts_with` (list of texts): ",
		"- `last_run` (any JSON): ",
		"`extends`, `refines`, `refutes`, `informed_by`, `supersedes`, `replicates`",
	} {
		if !strings.Contains(format, want) {
			t.Errorf("no %q in\n%s", want, format)
		}
	}
	for _, not := range []string{"\n`hypothesis_slate`\n", "\n`adversarial_critique`\n", "\n`research_thread`\n"} {
		if strings.Contains(format, not) {
			t.Errorf("a test designer is shown the fields of %q", not)
		}
	}
}
