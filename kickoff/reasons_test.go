package kickoff_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/roster"
)

// reasons returns the names of the codes with which the merge takes nothing of a delta, and with which
// the reader refuses a block or a reply, as their sources have them.
func reasons(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	note := func(e ast.Expr) {
		name := ""
		switch e := e.(type) {
		case *ast.Ident:
			name = e.Name
		case *ast.SelectorExpr:
			if of, ok := e.X.(*ast.Ident); ok && (of.Name == "artifact" || of.Name == "delta") {
				name = e.Sel.Name
			}
		}
		if ast.IsExported(name) { // others are variables
			found[name] = true
		}
	}
	for _, dir := range []string{"../merge", "../artifact/delta"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"reject", "skip", "problem", "located"}, s.Sel.Name) && len(n.Args) > 1 {
						note(n.Args[0])
					}
				case *ast.FuncDecl:
					if n.Name.Name == "missing" || n.Name.Name == "syntax" {
						ast.Inspect(n, func(n ast.Node) bool {
							switch n := n.(type) {
							case *ast.ReturnStmt:
								note(n.Results[0])
							case *ast.AssignStmt:
								note(n.Rhs[len(n.Rhs)-1])
							}
							return true
						})
					}
				case *ast.AssignStmt:
					if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && s.Sel.Name == "Code" {
						note(n.Rhs[0])
					}
				case *ast.CompositeLit:
					if isLocated(n.Type) {
						ast.Inspect(n, func(n ast.Node) bool {
							if kv, ok := n.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Code" {
								note(kv.Value)
							}
							return true
						})
					}
				}
				return true
			})
		}
	}
	return found
}

func isLocated(e ast.Expr) bool {
	if list, ok := e.(*ast.ArrayType); ok {
		e = list.Elt
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "Located"
}

func block(text string) string { return "```delta\n" + text + "\n```\n" }

// Every reason is known to the request for corrections: it says exactly what to do, or that nothing
// can be done.
func TestRequestKnowsEveryReason(t *testing.T) {
	const (
		ask   = "asked"
		final = "named, but no reason to ask"
	)
	type test struct {
		reply string
		kind  string
		want  string // what to do
	}
	change := func(operation, section, target, payload string) string {
		return block(`{"operation":"` + operation + `","section":"` + section + `","target_id":"` + target + `","payload":` + payload + `}`)
	}
	cases := map[string][]test{
		"InvalidTarget": {
			{change("EDIT", "hypothesis_slate", "", `{"claim":"c"}`), ask, "write the target_id H1 or H3"},
			{change("EDIT", "hypothesis_slate", "H9", `{"claim":"c"}`), ask, "write the target_id H1 or H3"},
			{change("EDIT", "hypothesis_slate", "A1", `{"claim":"c"}`), ask, "write the section assumption_ledger for A1, or a target_id of hypothesis_slate (H1 or H3)"},
			{change("EDIT", "research_thread", "H1", `{"context":"c"}`), ask, "write the target_id RT, or none"},
			{change("EDIT", "hypothesis_slate", "H1, H3", `{"claim":"c"}`), ask, "write one id in each delta: send one for each of H1, H3"},
			{change("EDIT", "discriminative_tests", "T1", `{"name":"c"}`), ask, "the section has no active items: ADD one, or leave it out"},
			{change("KILL", "discriminative_tests", "T1", `{"reason":"c"}`), ask, "leave it out: there is no item that you may KILL"},
			{block(`{"operation":"ADD","section":"hypothesis_slate","ref":"x","payload":{"name":"n"}}`) + change("EDIT", "hypothesis_slate", "x", `{"claim":"c"}`), ask, "correct block 1, which adds x, and this one stands"},
			{block(`{"operation":"ADD","section":"hypothesis_slate","ref":"x","payload":{"claim":"n"}}`) + change("EDIT", "discriminative_tests", "x", `{"name":"c"}`), ask, "write the section of x, which block 1 adds to hypothesis_slate"},
			{change("EDIT", "predictions_table", "P1.H9", `{"prediction":"c"}`), ask, "a cell is a row, a point and a hypothesis: write P1, then a point, then H1 or H3"},
			{change("EDIT", "predictions_table", "P7.H1", `{"prediction":"c"}`), ask, "a cell is a row, a point and a hypothesis: write P1, then a point, then H1 or H3"},
		},
		"TargetKilled": {
			{change("EDIT", "hypothesis_slate", "H2", `{"claim":"c"}`), ask, "what is killed stays so: EDIT H1 or H3 instead, or leave it out"},
			{change("EDIT", "predictions_table", "P1.H2", `{"prediction":"c"}`), ask, "what is killed stays so: EDIT P1 instead, or leave it out"},
		},
		"RTEditOnly": {
			{change("ADD", "research_thread", "", `{"statement":"c"}`), ask, "send its fields as an EDIT with the target_id RT"},
			{change("KILL", "research_thread", "RT", `{"reason":"c"}`), ask, "leave it out, or change its fields with an EDIT of RT"},
		},
		"SectionLimitExceeded": {
			{change("ADD", "assumption_ledger", "", `{"name":"n","statement":"s","load":"H1","test":"t"}`), ask, "send a KILL of A1, and this ADD stands; or EDIT A1 instead; or leave it out"},
		},
		"NoThirdAlternative": {
			{change("KILL", "hypothesis_slate", "H3", `{"reason":"c"}`), ask, "ADD another hypothesis with third_alternative true, and this KILL stands; or leave it out"},
		},
		"WriteScope": {
			{change("EDIT", "adversarial_critique", "C1", `{"attack":"c"}`), final, "leave it out: it cannot be corrected, since the role does not allow it"},
		},
		"UnknownAgent": nil, "DuplicateDeltaID": nil, "InvalidTimestamp": nil, // the program sets these
		"LabelTaken": nil, // only merge --strict refuses it
		"MissingRequiredField": {
			{change("ADD", "hypothesis_slate", "", `{"name":"n"}`), ask, "an ADD to hypothesis_slate needs claim (a text)"},
			{change("EDIT", "hypothesis_slate", "H1", `{}`), ask, `put the fields to change into "payload"`},
			{change("EDIT", "hypothesis_slate", "H1", `{"claim_replace":true}`), ask, "put a field of hypothesis_slate into the payload: name, claim, mechanism"},
			{change("EDIT", "predictions_table", "P1.H1", `{"claim_replace":true}`), ask, "leave claim_replace out: the payload of this EDIT has only the field prediction, a text"},
		},
		"InvalidField": {
			{change("EDIT", "hypothesis_slate", "H1", `{"claim":"c","third_alternative":7}`), ask, "third_alternative takes: true or false"},
			{change("EDIT", "hypothesis_slate", "H1", `{"claim":7}`), ask, "claim takes: text, required"},
			{change("EDIT", "hypothesis_slate", "H1", `{"claim":"c","references":7}`), ask, "references takes: list of objects with the texts session, item and relation, which is one of "},
			{change("EDIT", "hypothesis_slate", "H1", `{"claim":"c","replace":"x"}`), ask, "replace takes: true or false"},
			{change("KILL", "hypothesis_slate", "H1", `{"reason":"c","claim":"x"}`), ask, "leave claim out: the payload of a KILL has only the field reason, a text"},
			{change("KILL", "hypothesis_slate", "H1", `{"reason":7}`), ask, "write the reason as a text, or leave it out"},
			{change("EDIT", "predictions_table", "P1.H1", `{"prediction":"c","name":"x"}`), ask, "leave name out: the payload of this EDIT has only the field prediction, a text"},
			{change("EDIT", "predictions_table", "P1.H1", `{"prediction":7}`), ask, "write the prediction as a text in the field prediction"},
			{block(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":7}`), ask, `write "payload": {"field": "value"}`},
			{block(`{"operation":"EDIT","section":7,"target_id":"H1","payload":{"claim":"c"}}`), ask, `write "section": "…"`},
		},
		"InvalidOperation": {{change("MOVE", "hypothesis_slate", "H1", `{"claim":"c"}`), ask, "the operations are ADD, EDIT and KILL"}},
		"InvalidSection":   {{change("EDIT", "nowhere", "H1", `{"claim":"c"}`), ask, "the sections are research_thread, "}},
		"InvalidJSON": {
			{block(`{"operation" "ADD"}`), ask, "after a key comes : and its value"},
			{block(``), ask, "put one JSON object with operation, section and payload into it"},
			{block(`["x"]`), ask, "a delta is one JSON object with operation, section and payload"},
		},
		"DuplicateKey":    {{block(`{"operation":"ADD","operation":"EDIT","section":"hypothesis_slate","payload":{"claim":"c"}}`), ask, "keep one of the two"}},
		"UnfencedDelta":   {{`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"c"}}`, ask, "put it into a fence that begins with three backticks and the word delta"}},
		"AmbiguousDelta":  {{"~~~text\nx\n```delta\n{}\n```\n", ask, "send it again in a fence of its own"}},
		"UnreadText":      {{"operation " + strings.Repeat(`{"a":`, 2000), ask, "write each change in a fence of its own that begins with three backticks and the word delta"}},
		"NoDeltas":        {{"I agree.", ask, "write each change as one JSON object in a fence that begins with three backticks and the word delta"}},
		"ProseOnly":       {{"## Deltas\n\nI would add one.", ask, "write each change as one JSON object in a fence that begins with three backticks and the word delta"}},
		"MessageTooLarge": {{strings.Repeat("x", delta.DefaultMaxBytes+1), ask, "send less in one message; the whole message was refused"}},
	}
	for name := range reasons(t) {
		if _, ok := cases[name]; !ok {
			t.Errorf("the reason %s is not in the table", name)
		}
	}
	base, rules := reasonsBase(t)
	for name, tests := range cases {
		for _, c := range tests {
			contribution := settle.Contribution{Agent: "A", ID: "m1", Text: []byte(c.reply), Base: base, Shown: base.Metadata.Version, Third: true}
			defects := contribution.Defects(rules, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
			got := strings.Join(kickoff.Correct("RS-20260101-ab", 0, defects).Problems, "")
			if len(defects) == 0 || !strings.Contains(got, "\n  What to do: "+strings.ReplaceAll(c.want, "`", "'")) {
				t.Errorf("%s: %.200s\ngot %s\nwant %s", name, c.reply, got, c.want)
			}
			if strings.Count(got, "\n  What to do: ") != len(defects) {
				t.Errorf("%s: a problem without a hint in\n%s", name, got)
			}
			if asked := settle.Correctable(defects) > 0; asked != (c.kind == ask) {
				t.Errorf("%s: asked is %t", name, asked)
			}
		}
	}
	for _, code := range []fault.Code{merge.UnknownAgent, merge.DuplicateDeltaID, delta.InvalidTimestamp} {
		if settle.Final(code) == "" {
			t.Errorf("%s has no reason why it cannot be corrected", code)
		}
	}
}

// reasonsBase returns an artifact with a killed hypothesis, a full section, and an item of another role.
func reasonsBase(t *testing.T) (*artifact.Artifact, merge.Rules) {
	t.Helper()
	rules := merge.Rules{
		Agents: []roster.Entry{{Agent: "A", Role: "hypothesis_generator"}, {Agent: "B", Role: "adversarial_critic"}},
		Limits: map[artifact.Section]merge.Limit{artifact.AssumptionLedger: {Max: 1}},
		Scopes: merge.Scopes{Grants: []merge.Grant{
			{Role: "hypothesis_generator", Write: []artifact.Section{artifact.ResearchThread, artifact.HypothesisSlate, artifact.PredictionsTable, artifact.AssumptionLedger, artifact.DiscriminativeTests}},
			{Role: "adversarial_critic", Write: []artifact.Section{artifact.AdversarialCritique}},
		}},
	}
	add := func(section, payload string) string {
		return block(`{"operation":"ADD","section":"` + section + `","payload":` + payload + `}`)
	}
	s := settle.Settle(settle.Input{
		Base: artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20260101-ab", CreatedAt: "2026-01-01T00:00:00Z", Status: "active"}},
		At:   time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Message: 1, Rules: rules,
		Contributions: []settle.Contribution{
			{Agent: "A", ID: "m0", Text: []byte(add("hypothesis_slate", `{"claim":"one"}`) +
				block(`{"operation":"ADD","section":"hypothesis_slate","ref":"two","payload":{"claim":"two"}}`) +
				add("hypothesis_slate", `{"claim":"three","third_alternative":true}`) +
				add("predictions_table", `{"condition":"x","predictions":{"two":"yes"}}`) +
				add("assumption_ledger", `{"name":"n","statement":"s","load":"H1","test":"t"}`) +
				block(`{"operation":"KILL","section":"hypothesis_slate","target_id":"two","payload":{"reason":"r"}}`) +
				block(`{"operation":"EDIT","section":"research_thread","payload":{"statement":"q"}}`))},
			{Agent: "B", ID: "m1", Text: []byte(add("adversarial_critique", `{"name":"n","attack":"a"}`))},
		},
	})
	for _, row := range s.Report.Deltas {
		if row.Disposition != merge.Applied {
			t.Fatalf("%+v", row)
		}
	}
	return &s.Artifact, rules
}
