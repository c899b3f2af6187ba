package lint_test

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the generated files")

func names(r lint.Result) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.ID+":"+f.Item)
	}
	slices.Sort(out)
	return out
}

func TestScenarios(t *testing.T) {
	for _, sc := range readScenarios(t) {
		doc := sc.document(t)
		result := lint.Check(doc)
		if diff := gocmp.Diff(sc.want, names(result)); diff != "" {
			t.Errorf("rules.txt:%d: %s\n%s%v", sc.line, sc.text, diff, result.Findings)
		}
		if valid := !slices.ContainsFunc(sc.want, func(w string) bool { return w[0] == 'E' }); result.Valid() != valid {
			t.Errorf("rules.txt:%d: got Valid() = %v", sc.line, result.Valid())
		}
	}
}

// Every rule has a scenario that violates it and one that does not.
func TestRulesHaveBothCases(t *testing.T) {
	fires, passes := map[string]bool{}, map[string]bool{}
	for _, sc := range readScenarios(t) {
		fired := slices.ContainsFunc(sc.want, func(w string) bool { return strings.HasPrefix(w, sc.rule+":") })
		if fired {
			fires[sc.rule] = true
		} else {
			passes[sc.rule] = true
		}
	}
	for _, r := range lint.Rules() {
		if !fires[r.ID] || !passes[r.ID] {
			t.Errorf("%s: has a violation: %v; has a pass: %v", r.ID, fires[r.ID], passes[r.ID])
		}
	}
	if len(fires) != len(lint.Rules()) {
		t.Errorf("got %d blocks for %d rules", len(fires), len(lint.Rules()))
	}
}

func TestValidArtifactHasNoFindings(t *testing.T) {
	data, err := os.ReadFile("testdata/base.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := artifact.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	result := lint.Check(doc)
	if len(result.Findings) != 0 || result.Findings == nil || !result.Valid() {
		t.Errorf("got %#v", result.Findings)
	}
}

func TestRulesTable(t *testing.T) {
	rules := lint.Rules()
	letters := map[byte]lint.Severity{'E': lint.Error, 'W': lint.Warning, 'I': lint.Info}
	for i, r := range rules {
		if len(r.ID) != len("EH-001") || r.ID[2] != '-' || letters[r.ID[0]] != r.Severity {
			t.Errorf("%s: got severity %s", r.ID, r.Severity)
		}
		for _, text := range []string{r.Title, r.Why, r.Fix} {
			if text == "" || strings.Contains(text, "\n") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: not a line for a table: %q", r.ID, text)
			}
		}
		if i > 0 && order(rules[i-1].ID, r.ID) >= 0 {
			t.Errorf("%s is after %s", r.ID, rules[i-1].ID)
		}
	}
}

// order compares ids: by section, then by severity, then by number.
func order(a, b string) int {
	rank := strings.IndexByte
	return cmp.Or(
		rank("MSRHPTAXC", a[1])-rank("MSRHPTAXC", b[1]),
		rank("EWI", a[0])-rank("EWI", b[0]),
		strings.Compare(a, b),
	)
}

// The list of artifact_schema.md §5, and the three rules that this package adds.
func TestRulesMatchSchema(t *testing.T) {
	want := strings.Fields(`EM-001 EM-002 EM-003 EM-004 WM-001 WM-002 IM-001 IM-002
		ES-001 ES-002 ES-003 ES-004 ES-005 WS-001 WS-102 WS-103 WS-104 WS-105
		ER-001 ER-002 WR-001 IR-001
		EH-001 EH-002 EH-003 EH-004 WH-001 WH-002 WH-003 WH-101 IH-001
		EP-001 EP-002 EP-003 WP-001 WP-101 IP-001
		ET-001 ET-002 ET-003 WT-001 WT-002 WT-003 WT-101 IT-002
		EA-001 EA-002 EA-003 WA-001 WA-002 WA-003 WA-101 IA-001
		EX-001 EX-002 WX-002 IX-001
		EC-001 EC-002 WC-001 WC-002 IC-001`)
	var got []string
	for _, r := range lint.Rules() {
		got = append(got, r.ID)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every finding of every scenario is complete.
func TestFindingsAreComplete(t *testing.T) {
	for _, sc := range readScenarios(t) {
		result := lint.Check(sc.document(t))
		for _, f := range result.Findings {
			if f.Item == "" || f.Line < 1 || f.Message == "" || f.Fix == "" || string(f.Severity[0]) != strings.ToLower(f.ID[:1]) {
				t.Errorf("rules.txt:%d: %+v", sc.line, f)
			}
			if strings.Contains(f.Message+f.Fix, "%!") {
				t.Errorf("rules.txt:%d: badly formatted: %+v", sc.line, f)
			}
		}
		if !slices.IsSortedFunc(result.Findings, func(a, b lint.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Item, b.Item))
		}) {
			t.Errorf("rules.txt:%d: not sorted: %v", sc.line, result.Findings)
		}
	}
}

// The text of all findings: one line for each finding of a scenario.
func TestMessagesGolden(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, sc := range readScenarios(t) {
		for _, f := range lint.Check(sc.document(t)).Findings {
			line := f.ID + " " + f.Item + ": " + f.Message + "\n\t" + f.Fix + "\n"
			if !seen[line] {
				b.WriteString(line)
			}
			seen[line] = true
		}
	}
	golden(t, "testdata/messages.golden", b.String())
}

func TestDocs(t *testing.T) { golden(t, "../../docs/lint.md", docs()) }

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is out of date (go test ./artifact/lint -update):\n%s", path, diff)
	}
}

// A finding has the line of its field, else of its item, else of its section; a line that a
// reader determined is kept.
func TestLines(t *testing.T) {
	sc := scenario{changes: []string{
		"H1.claim = \"\"", "H2.mechanism -", "H3.anchors -", "X1.status -", "metadata.status -",
	}}
	doc := sc.document(t)
	doc.Lines = artifact.Lines{"metadata": 2, "hypothesis_slate": 20, "H1": 30, "H1.claim": 31, "H2": 40}
	doc.Problems = append(doc.Problems, artifact.Problem{Kind: artifact.SectionOrder, Line: 99, Item: "predictions_table", Message: "m"})
	want := []int{1, 2, 20, 31, 40, 99}
	var got []int
	for _, f := range lint.Check(doc).Findings {
		got = append(got, f.Line)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadable(t *testing.T) {
	if err := lint.Unreadable(artifact.Document{Problems: []artifact.Problem{{Kind: artifact.BadID}}}); err != nil {
		t.Error(err)
	}
	err := lint.Unreadable(artifact.Document{Problems: []artifact.Problem{
		{Kind: artifact.BadID}, {Kind: artifact.UnreadableLines, Line: 7, Message: "stray text"}, {Kind: artifact.UnreadableLines, Line: 9, Message: "more"}, {Kind: artifact.Kept, Line: 10},
	}})
	if err == nil || err.Error() != "line 7: stray text\nline 9: more" || fault.CodeOf(err) != artifact.NotAnArtifact || fault.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}
