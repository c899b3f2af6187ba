package rehearsal_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
)

const (
	head  = "schema: brenner.rehearsal/v1\nquestion: Q\n"
	entry = "agents:\n  - role: test_designer\n    rounds:\n"
)

// messages returns the faults of an error, a line each.
func messages(err error) []string {
	var lines []string
	for _, f := range fault.All(err) {
		lines = append(lines, string(f.Code)+" "+f.Error()+" | "+f.Hint)
	}
	return lines
}

func TestParse_InvalidScripts(t *testing.T) {
	const keys = "known keys: reply, repair, delay, fail, usage, hang, cut, limit"
	for script, want := range map[string][]string{
		"":                      {"SCRIPT_INVALID_YAML line 1: empty script | start with schema: brenner.rehearsal/v1"},
		"- a\n":                 {"SCRIPT_WRONG_TYPE line 1: a script must be a mapping, not a list | see the built-in script, agent/rehearsal/cell-fate.yaml, for an example"},
		"schema: x\n":           {"SCRIPT_INVALID_VALUE line 1: unknown schema x (want brenner.rehearsal/v1) | write schema: brenner.rehearsal/v1"},
		head:                    {"SCRIPT_INVALID_VALUE line 1: no agents | add agents: with a list of entries, each with a role and rounds"},
		head + "---\na: b\n":    {"SCRIPT_INVALID_YAML line 3: invalid YAML: a second document begins here; only one is allowed | check the indentation (spaces only), the colons and the quotes there and just above"},
		head + "title: &a b\n":  {"SCRIPT_INVALID_YAML line 3: the anchor &a is not allowed here | write the value out"},
		head + "title: !!str b": {"SCRIPT_INVALID_YAML line 3: the tag !!str is not allowed here | write the value out"},
		head + "title: \x01\n":  {`SCRIPT_INVALID_YAML line 3: the file contains control characters | save the file as UTF-8 text; in double quotes, YAML can write any character as \u....`},
		head + "title: \xff\n":  {`SCRIPT_INVALID_YAML line 3: the file contains bytes that are not UTF-8 | save the file as UTF-8 text; in double quotes, YAML can write any character as \u....`},
		head + "question: Q\n" + entry + "      - reply: x\n": {"SCRIPT_DUPLICATE_KEY line 3: duplicate key question (first on line 2) | remove one"},
		head + entry + "      - replys: x\n": {
			"SCRIPT_UNKNOWN_KEY line 6: unknown key replys in a round | did you mean reply? " + keys,
			"SCRIPT_INVALID_VALUE line 6: round 1 has no reply | add reply: with the agent's text, or hang: true",
		},
		head + entry + "      - reply: 5\n        delay: 30\n        hang: maybe\n        usage: {input: -1, output: many}\n": {
			"SCRIPT_WRONG_TYPE line 6: reply must be a string, not 5 | quote it",
			"SCRIPT_INVALID_VALUE line 7: delay must be a duration, not 30 | use a number with a unit, such as 30ms or 1.5s",
			"SCRIPT_WRONG_TYPE line 8: hang must be true or false, not maybe | see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
			"SCRIPT_INVALID_VALUE line 9: input must be a decimal number from 0 to 2147483647, not -1 | write it in digits, such as 900",
			"SCRIPT_WRONG_TYPE line 9: output must be a whole number, not many | see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
		},
		head + entry + "      - fail: {code: AGENT_UNAVAILABEL}\n": {
			"SCRIPT_INVALID_VALUE line 6: unknown failure code AGENT_UNAVAILABEL | did you mean AGENT_UNAVAILABLE? must be one of AGENT_UNAVAILABLE, AGENT_REFUSED, AGENT_TIMEOUT, AGENT_IDLE, REPLY_CUT, REPLY_EMPTY, AGENT_STOPPED, AGENT_BROKEN",
		},
		head + entry + "      - fail: {times: 1}\n": {"SCRIPT_INVALID_VALUE line 6: round 1 has no reply | add reply: with the agent's text, or hang: true"},
		head + "agents:\n  - role: critic\n  - {name: A, role: test_designer}\n  - rounds: []\n  - name: B\n  - name: B\n  - 7\n": {
			"SCRIPT_INVALID_VALUE line 4: unknown role critic | did you mean adversarial_critic? must be one of hypothesis_generator, test_designer, adversarial_critic",
			"SCRIPT_INVALID_VALUE line 5: an entry needs a name or a role, not both | write role: for any agent of a role, or name: for one agent",
			"SCRIPT_INVALID_VALUE line 6: an entry needs a name or a role, not both | write role: for any agent of a role, or name: for one agent",
			"SCRIPT_INVALID_VALUE line 8: duplicate entry for B | merge its rounds into one entry",
			"SCRIPT_WRONG_TYPE line 9: an entry must be a mapping, not 7 | see the built-in script, agent/rehearsal/cell-fate.yaml, for an example",
		},
	} {
		s, err := rehearsal.Parse([]byte(script))
		if diff := cmp.Diff(want, messages(err)); diff != "" || s != nil {
			t.Errorf("%s\n%s", script, diff)
		}
	}
}

func TestParse_BrokenYAMLHasLine(t *testing.T) {
	_, err := rehearsal.Parse([]byte(head + "agents:\n  - role: [\n"))
	if f := fault.All(err); len(f) != 1 || f[0].Code != rehearsal.InvalidYAML || !strings.HasPrefix(f[0].Where(), "line ") {
		t.Error(messages(err))
	}
}

func TestParse_LimitsErrors(t *testing.T) {
	_, err := rehearsal.Parse([]byte(head + "agents:\n" + strings.Repeat("  - 7\n", 100)))
	all := fault.All(err)
	if last := all[len(all)-1]; len(all) != 21 || !strings.HasPrefix(last.Detail, "80 more mistakes") {
		t.Errorf("%d faults, the last one is %v", len(all), last)
	}
}

// For any input Parse returns either a script or located faults with hints.
func FuzzParse(f *testing.F) {
	builtIn, err := os.ReadFile("cell-fate.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", head, string(builtIn), head + entry + "      - {reply: x, delay: 1s, fail: {times: 1}, usage: {input: 1}, cut: true}\n",
		"a: &a [*a]\n", "? {a: b}\n: c\n", "a: |1\n  x\n", "%YAML 1.1\n---\na: *b", "<<: {schema: x}\n", "\ufeffschema: x", "agents: [~, [], {}]\n",
		head + entry + "      - {reply: \"\\x00\\ud800\", usage: {input: 0x10, output: 99999999999999999999}}\n", strings.Repeat("[", 100),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := rehearsal.Parse(data)
		if (s == nil) == (err == nil) {
			t.Fatalf("%v and %v", s, err)
		}
		for _, one := range fault.All(err) {
			if one.Code == "" || one.Detail == "" || one.Hint == "" || !strings.HasPrefix(one.Where(), "line ") {
				t.Errorf("%+v", one)
			}
		}
		var located *fault.Error
		if err != nil && !errors.As(err, &located) {
			t.Errorf("not a fault.Error: %v", err)
		}
		if err == nil && s.Question() == "" {
			t.Error("a script without a question")
		}
	})
}
