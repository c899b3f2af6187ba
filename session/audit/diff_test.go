package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/audit"
)

// shown formats a difference in one line for each item.
func shown(d *audit.Diff) string {
	var b strings.Builder
	fmt.Fprintf(&b, "new %d, gone %d, changed %d, same %d\n", d.New, d.Gone, d.Edited, d.Same)
	for i := range d.Items {
		it := &d.Items[i]
		var fields []string
		for _, f := range it.Fields {
			fields = append(fields, f.Field)
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", it.State, it.Names(), it.Match, strings.Join(fields, " "))
	}
	return b.String()
}

// claims returns a script whose agent adds hypotheses, one list in each round.
func claims(rounds ...[]string) string {
	script := "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - name: A\n    rounds:\n"
	for _, claims := range rounds {
		script += "      - reply: |\n"
		for _, claim := range claims {
			script += "          ```delta\n          {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"" + claim +
				"\", \"mechanism\": \"m\"}, \"rationale\": \"r\"}\n          ```\n"
		}
	}
	return script
}

func TestCompare(t *testing.T) {
	_, one := playRounds(t, 2, claims([]string{"Heat.", "Light."}, []string{"Sound."}), "A")
	_, two := playRounds(t, 1, claims([]string{"light. ", "Water.", "Wind."}), "A")
	two.Thread = "RS-20261115-other"
	_, other := playRounds(t, 1, claims([]string{"Heat.", "Light."}), "A") // an export of an earlier state
	for _, c := range []struct {
		name     string
		from, to audit.Side
		want     string
	}{
		{"the newest version", audit.Side{History: one}, audit.Side{History: one}, "new 1, gone 0, changed 0, same 3\nnew H3 : name claim mechanism\n"},
		{"the newest with itself", audit.Side{History: one, Version: 3}, audit.Side{History: one}, "new 0, gone 0, changed 0, same 4\n"},
		{
			"backwards",
			audit.Side{History: one, Version: 3},
			audit.Side{History: one, Version: 1},
			"new 0, gone 3, changed 0, same 1\ngone H1 : name claim mechanism\ngone H2 : name claim mechanism\ngone H3 : name claim mechanism\n",
		},
		{"two copies", audit.Side{History: other}, audit.Side{History: one}, "new 1, gone 0, changed 0, same 3\nnew H3 : name claim mechanism\n"},
		// Light is the same by its text, sound and wind by their id; heat and water are left.
		{
			"two sessions",
			audit.Side{History: one},
			audit.Side{History: two},
			"new 1, gone 1, changed 2, same 1\nchanged H2 → H1 text: name claim\nnew H2 : name claim mechanism\nchanged H3 id: name claim\ngone H1 : name claim mechanism\n",
		},
	} {
		d, err := audit.Compare(t.Context(), c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(d); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
	if _, err := audit.Compare(t.Context(), audit.Side{History: one, Version: 99}, audit.Side{History: one}); fault.CodeOf(err) != session.NoVersion {
		t.Errorf("version 99: got %v, want %s", err, session.NoVersion)
	}
}
