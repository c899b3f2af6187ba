package lint_test

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/artifact/lint"
)

// Faults that only a Markdown file can have.
func TestMarkdownForm(t *testing.T) {
	for _, c := range []struct {
		name   string
		change string // of the artifact, in the syntax of rules.txt
		edit   func(string) string
		want   []string
	}{
		{name: "as rendered", edit: func(s string) string { return s }},
		{name: "no front matter", edit: cutTo("# Brenner"), want: []string{"EM-001:metadata"}},
		{name: "front matter is invalid YAML", edit: replace("---\n", "---\n{{"), want: []string{"EM-001:metadata"}},
		{name: "invalid contributors", edit: replace("contributors:", "contributors: 7\nothers:"), want: []string{"EM-001:metadata"}},
		{name: "status is not a string", edit: replace("status: active", "status: 7"), want: []string{"EM-004:metadata"}},
		{name: "a version in words", edit: replace("version: 3", "version: three"), want: []string{"IM-002:metadata"}},
		{name: "a wrong status", edit: replace("status: active", "status: finished"), want: []string{"EM-004:metadata"}},
		{name: "no section 7", edit: cutFrom("## 7."), want: []string{"ES-001:adversarial_critique"}},
		{name: "section 7 first", edit: sevenFirst, want: []string{"ES-002:research_thread"}},
		{name: "a bad id", edit: replace("### C2", "### C02"), want: []string{"ES-003:C02"}},
		{name: "an id twice", edit: replace("### C2", "### C1"), want: []string{"ES-004:C1"}},
		{name: "no anomalies", change: "empty anomaly_register", edit: func(s string) string { return s }},
		{name: "no statement on anomalies", change: "empty anomaly_register", edit: replace("None registered", ""), want: []string{"EX-002:anomaly_register"}},
	} {
		d := scenario{}
		if c.change != "" {
			d.changes = []string{c.change}
		}
		doc := d.document(t)
		text, _ := doc.Artifact.MarkdownLines()
		edited := c.edit(string(text))
		if edited == string(text) && len(c.want) > 0 {
			t.Errorf("%s: the edit has no effect on\n%s", c.name, text)
			continue
		}
		read, err := artifact.Read([]byte(edited))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := lint.Unreadable(read); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := gocmp.Diff(c.want, names(lint.Check(read))); diff != "" {
			t.Errorf("%s:\n%s%+v", c.name, diff, read.Problems)
		}
	}
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

func cutTo(mark string) func(string) string {
	return func(s string) string { return s[max(strings.Index(s, mark), 0):] }
}

func cutFrom(mark string) func(string) string {
	return func(s string) string {
		before, _, _ := strings.Cut(s, mark)
		return before
	}
}

// sevenFirst moves the last section before the first.
func sevenFirst(s string) string {
	head, rest, _ := strings.Cut(s, "## 1.")
	one, seven, ok := strings.Cut(rest, "## 7.")
	if !ok {
		return s
	}
	return head + "## 7." + strings.TrimRight(seven, "\n") + "\n\n## 1." + one
}

// Each item with a bad id is told another free one.
func TestBadIDsGetDifferentOnes(t *testing.T) {
	doc := (&scenario{}).document(t)
	text, _ := doc.Artifact.MarkdownLines()
	read, err := artifact.Read([]byte(strings.NewReplacer("### C1", "### C01", "### C2", "### C02").Replace(string(text))))
	if err != nil {
		t.Fatal(err)
	}
	fixes := make(map[string]bool)
	for _, f := range lint.Check(read).Findings {
		if f.ID == "ES-003" {
			fixes[f.Fix] = true
		}
	}
	if len(fixes) != 2 {
		t.Errorf("two items with bad ids have the fixes %v", fixes)
	}
}

// Findings point at the line of the rendered text.
func TestLinesInMarkdown(t *testing.T) {
	for _, c := range []struct{ change, id, line string }{
		{"metadata.status = \"finished\"", "EM-004", "---"},
		{"H2.claim conflict", "ES-005", "Claim"},
		{"H2.mechanism -", "IH-001", "### H2: Gradient"},
		{"T1.discriminates = \"H1 vs H9\"", "WT-101", "H1 vs H9"},
		{"empty hypothesis_slate", "EH-001", "## 2. Hypothesis Slate"},
		{"P2.predictions.H9 = \"x\"", "WP-101", "late transplant"},
		{"X1 kill", "WS-104", "X1"},
	} {
		doc := (&scenario{changes: []string{c.change}}).document(t)
		text, _ := doc.Artifact.MarkdownLines()
		lines := strings.Split(string(text), "\n")
		findings := lint.Check(doc).Findings
		at := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.ID == c.id })
		if at < 0 {
			t.Errorf("%s: %s not found", c.change, c.id)
		} else if line := lines[findings[at].Line-1]; !strings.Contains(line, c.line) {
			t.Errorf("%s: got line %d, %q", c.change, findings[at].Line, line)
		}
	}
}
