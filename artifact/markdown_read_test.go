package artifact_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/internal/fault"
)

// file returns a file with the seven sections. Those not in under are marked as empty.
func file(front string, under map[artifact.Section]string) string {
	var b strings.Builder
	b.WriteString(front)
	for _, s := range artifact.Sections() {
		spec := s.Spec()
		text, ok := under[s]
		if !ok {
			text = spec.Empty
		}
		fmt.Fprintf(&b, "## %d. %s\n%s\n", int(s)+1, spec.Title, text)
	}
	return b.String()
}

const front = "---\nsession_id: RS-1\nversion: 1\n---\n"

func kinds(doc artifact.Document) []string {
	var out []string
	for _, p := range doc.Problems {
		out = append(out, fmt.Sprintf("%d %s %s", p.Line, p.Kind, p.Item))
	}
	return out
}

func TestReadMarkdownProblems(t *testing.T) {
	const (
		rt = artifact.ResearchThread
		h  = artifact.HypothesisSlate
		p  = artifact.PredictionsTable
		dt = artifact.DiscriminativeTests
	)
	in := func(s artifact.Section, text string) string {
		return file(front, map[artifact.Section]string{s: text})
	}
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"whole", file(front, nil), nil},
		{"no front matter", file("", nil), []string{"1 no front matter metadata"}},
		{"front matter never ends", file("---\na: b\n", nil), []string{"1 no front matter metadata", "2 kept "}},
		{"front matter is invalid YAML", file("---\na: [\n---\n", nil), []string{"1 bad metadata metadata"}},
		{"two documents", file("---\na: b\n...\nc: d\n---\n", nil), []string{"1 bad metadata metadata"}},
		{"version", file("---\nversion: 1.5\n---\n", nil), []string{"2 bad version metadata", "2 kept metadata"}},
		{"version of 2^53", file("---\nversion: 9007199254740992\n---\n", nil), []string{"2 bad version metadata", "2 kept metadata"}},
		{"version as text", file("---\nversion: \"1\"\n---\n", nil), []string{"2 bad version metadata", "2 variant metadata"}},
		{"version in hexadecimal", file("---\nversion: 0x10\n---\n", nil), []string{"2 bad version metadata", "2 kept metadata"}},
		{"duplicate key", file("---\na: b\na: c\n---\n", nil), []string{"3 bad metadata metadata"}},
		{"duplicate key inside", file("---\nroster: {a: b, a: c}\n---\n", nil), []string{"2 bad metadata metadata"}},
		{"anchor", file("---\nx: &a b\ny: *a\n---\n", nil), []string{"2 bad metadata metadata", "3 bad metadata metadata"}},
		{"tag", file("---\nx: !secret b\n---\n", nil), []string{"2 bad metadata metadata"}},
		{"merge key", file("---\n<<: {a: b}\n---\n", nil), []string{"2 bad metadata metadata"}},
		{"large integer", file("---\nx: 9007199254740993\n---\n", nil), []string{"2 bad metadata metadata"}},
		{"number as status", file("---\nstatus: 5\n---\n", nil), []string{"2 bad metadata metadata"}},
		{"contributors", file("---\ncontributors: [{agent: A, role: x}, B]\n---\n", nil), []string{"2 variant metadata", "2 kept metadata"}},
		{"other session in the title", file(front+"# Brenner Protocol Artifact: RS-2\n", nil), []string{"5 bad metadata metadata"}},
		{"text before the sections", file(front+"Dear reader,\n\nwelcome.\n", nil), []string{"5 kept "}},
		{"unknown section", file(front+"## 8. Notes\ntext\n### N1\n**Claim**: x\n", nil), []string{"5 kept "}},
		{"empty section", in(h, ""), []string{"7 empty section not said hypothesis_slate"}},
		{"section marked empty with items", in(h, "Nothing yet\n### H1\n"), []string{"7 unreadable lines hypothesis_slate"}},
		{"bad id", in(h, "### H01: x"), []string{"8 bad id H01"}},
		{"id of another section", in(h, "### T1: x"), []string{"8 bad id T1"}},
		{"duplicate id", in(h, "### H1\n### H1"), []string{"9 duplicate id H1"}},
		{"field twice", in(h, "### H1\n**Claim**: x\n**Claim**: y"), []string{"10 unreadable lines H1"}},
		{"unknown title", in(h, "### H1\n**Confidence**: x"), []string{"9 kept H1"}},
		{"continuation line", in(h, "### H1\n**Claim**: x\nmore\nand more"), []string{"10 variant H1"}},
		{"system field", in(h, "### H1\n**`killed`**: `true`"), []string{"9 unreadable lines H1"}},
		{"null", in(h, "### H1\n**Claim**: `null`"), []string{"9 unreadable lines H1"}},
		{"bad JSON", in(h, "### H1\n**Claim**: `{]`"), []string{"9 unreadable lines H1"}},
		{"forged conflict", in(h, "### H1\n**`x`**: `[{\"$conflict\":[]}]`"), []string{"9 unreadable lines H1"}},
		{"conflict of one", in(h, "### H1\n**Claim**: CONFLICT\n- A (d): x"), []string{"9 unreadable lines H1"}},
		{"conflict in the heading only", in(h, "### H1: CONFLICT"), []string{"8 unreadable lines H1"}},
		{"struck but not killed", in(h, "### H1\n**Claim**: ~~x~~"), []string{"9 unreadable lines H1"}},
		{"reason but not killed", in(h, "### H1\n**Reason**: x"), []string{"9 unreadable lines H1"}},
		{"kill without a time", in(h, "### ~~H1~~ [KILLED]\n**Killed by**: A (yesterday)"), []string{"9 unreadable lines H1"}},
		{"own field without a value", in(h, "### H1\n**`x`**:"), []string{"9 unreadable lines H1"}},
		{"thread with a name", in(rt, "### RT: x"), []string{"6 kept RT"}},
		{"wrong score in the heading", in(dt, "### T1: x (Score: 9/12)\n**Score**: cost 1"), []string{"12 unreadable lines T1"}},
		{"row without a head", in(p, "| P1 | x |"), []string{"9 empty section not said predictions_table", "10 kept predictions_table"}},
		{"short row", in(p, "| ID | Condition | H1 |\n|---|---|---|\n| P1 | x |\n| P2 | x | y |"), []string{"12 unreadable lines predictions_table"}},
		{"N/A without a reason", in(p, "| ID | Condition | H1 |\n|---|---|---|\n| P1 | x | N/A |"), []string{"12 unreadable lines P1"}},
		{"nothing below", in(p, "| ID | Condition | H1 |\n|---|---|---|\n| P1 | … | … |"), []string{"12 unreadable lines P1", "12 unreadable lines P1"}},
		{"cell twice", in(p, "| ID | Condition | H1 |\n|---|---|---|\n| P1 | x | y |\n### P1\n**Predictions**:\n- H1: z"), []string{"12 unreadable lines P1"}},
		{"killed in the table only", in(p, "| ID | Condition |\n|---|---|\n| ~~P1~~ | x |\n### P1\n"), []string{"13 unreadable lines P1"}},
		{"table elsewhere", in(h, "| ID | Condition |\n### H1"), []string{"8 variant hypothesis_slate", "8 kept hypothesis_slate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := artifact.Read([]byte(c.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, kinds(doc)); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%+v", diff, doc.Problems)
			}
		})
	}
}

func TestReadMarkdownSections(t *testing.T) {
	doc, err := artifact.Read([]byte("## Predictions Table\nNothing yet.\n## 2. hypothesis slate\n### H1\n## 3. Predictions Table\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 no front matter metadata", "3 section out of order hypothesis_slate", "5 section out of order predictions_table",
		"5 missing section research_thread", "5 missing section discriminative_tests", "5 missing section assumption_ledger",
		"5 missing section anomaly_register", "5 missing section adversarial_critique",
	}
	if diff := cmp.Diff(want, kinds(doc)); diff != "" {
		t.Error(diff)
	}
	if len(doc.Artifact.Items(artifact.HypothesisSlate)) != 1 {
		t.Error("hypothesis lost")
	}
	if _, err := doc.Strict(); fault.CodeOf(err) != artifact.NotAnArtifact {
		t.Errorf("Strict: got %v", err)
	}
}

// Common variations of hand-written files are understood.
func TestReadMarkdownByHand(t *testing.T) {
	text := file("\uFEFF"+front, map[artifact.Section]string{
		artifact.ResearchThread:   "**Statement:** No heading is needed for the only thread\n**context**:   x  ",
		artifact.HypothesisSlate:  "\n###   H1:  One \n**Claim**: uses `code` and **bold**\n**Third alternative**: True\n**Mechanism**:\n### ~~H2: Two~~\n**Claim**: not struck\n### H3: Three [KILLED]",
		artifact.PredictionsTable: "| id | condition | H1 | ~~H2~~ |\n| :-- | --- | --- | --- |\n| P1 | x | y | text of a killed hypothesis |\n### P2\n**Predictions**:\n- H1: z",
	})
	a, err := artifact.Parse([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	checks := []struct{ got, want any }{
		{a.Thread().Text("statement"), "No heading is needed for the only thread"},
		{a.Thread().Text("context"), "x"},
	}
	h := a.Items(artifact.HypothesisSlate)
	p := a.Items(artifact.PredictionsTable)
	checks = append(checks, []struct{ got, want any }{
		{h[0].Text("name"), "One"},
		{h[0].Text("claim"), "uses `code` and **bold**"},
		{h[0].Flag("third_alternative"), true},
		{h[0].Get("mechanism"), nil},
		{h[1].Killed(), true},
		{h[1].Text("claim"), "not struck"},
		{h[2].Killed(), true},
		{h[2].Text("name"), "Three"},
		{p[0].Map("predictions")[1].Value, artifact.Text("text of a killed hypothesis")},
		{p[1].Map("predictions")[0].Value, artifact.Text("z")},
	}...)
	for i, c := range checks {
		if c.got != c.want {
			t.Errorf("check %d: got %v, want %v", i, c.got, c.want)
		}
	}
	checkRoundTrip(t, &a)
}

func TestReadMarkdownRejects(t *testing.T) {
	for _, text := range []string{"", "hello", "# Brenner Protocol Artifact: x\n", "---\n", "\xff\xfe", front + "\x00", "### H1\n"} {
		_, err := artifact.Read([]byte(text))
		if fault.CodeOf(err) != artifact.NotAnArtifact || fault.HintOf(err) == "" {
			t.Errorf("Read(%q): got %v", text, err)
		}
	}
}

// Any input is read in linear time: a MiB of the worst lines takes a fraction of a second,
// quadratic work would take minutes.
func TestReadMarkdownHostileSizes(t *testing.T) {
	const size = 1 << 20
	fill := func(prefix, unit string) string {
		return file(front, nil) + prefix + strings.Repeat(unit, size/len(unit))
	}
	table := "## 3. Predictions Table\n| ID | Condition |"
	var fields, rows strings.Builder
	for i := 0; fields.Len() < size; i++ {
		fmt.Fprintf(&fields, "**`f%d`**: x\n", i)
		fmt.Fprintf(&rows, "### H%d\n**Claim**: x\n?\n", i+1)
	}
	for name, text := range map[string]string{
		"headings":       fill("", "### H1\n"),
		"sections":       fill("", "## 1. Research Thread\n"),
		"unknown":        fill("", "## \n"),
		"strays":         fill("", "x\n\n"),
		"fields":         fill("### C1\n", "**Attack**: x\n"),
		"own fields":     file(front, nil) + "### C1\n" + fields.String(),
		"items":          file(front, nil) + rows.String(),
		"one line":       fill("### C1\n**Attack**: ", "&amp;\\<br>"),
		"ampersands":     fill("### C1\n**Attack**: ", "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		"list":           fill("### C1\n**Anchors**: ", "a,"),
		"map":            fill("### C1\n**Attack**:\n", "- a: b\n"),
		"candidates":     fill("### C1\n**Attack**:\n- a: CONFLICT\n", "  - a (b): c\n"),
		"brackets":       fill("### C1\n**Attack**: `", "["),
		"columns":        fill(table, " H1 |"),
		"rows":           fill(table+" H1 |\n|---|---|---|\n", "| P1 | x | N/A |\n"),
		"pipes":          fill(table+"\n|---|---|\n", "|"),
		"unknown labels": fill("### C1\n", "**Mood**: x\nmore\n"),
		"variants":       file(front, nil) + "### C1\n" + fields.String() + strings.Repeat("**Objection**: x\n", size/20),
		"texts":          fill("### C1\n", "x\n**`a`**: `1`\n"),
		"fences":         fill("### C1\n", "```\n"),
		"open fences":    fill("### C1\n", "~~~ a\n```\n~~~\n"),
		"blank lines":    fill("### C1\nx\n", "\n"),
		"rules":          fill("### C1\nx\n", "---\n"),
		"scores":         fill("### C1\n## Tests\n### T1\n**Scores**: ", "a 1 (,"),
		"other columns":  fill("## Anomalies\n| ID |", " a |"),
		"YAML brackets":  "---\n" + strings.Repeat("[", size) + "\n---\n",
		"YAML keys":      "---\n" + strings.Repeat("a: b\n", size/20) + "\n---\n",
		"YAML dashes":    "---\n" + strings.Repeat("- ", size/2) + "\n---\n",
		"YAML never end": "---\n" + strings.Repeat("a: b\n", size/5),
	} {
		start := time.Now()
		_, err := artifact.Read([]byte(text))
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		} else if testing.Verbose() {
			t.Logf("%s: %v %v", name, took, err)
		}
	}
}

func TestReadMarkdownBoundsProblems(t *testing.T) {
	text := file(front, nil) + strings.Repeat("### C1\n?\n", 20_000)
	doc, err := artifact.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Problems); n > 10_001 {
		t.Errorf("got %d problems", n)
	}
	if _, err := doc.Strict(); err == nil || !bytes.Contains([]byte(err.Error()), []byte("line")) {
		t.Errorf("Strict: %v", err)
	}
}
