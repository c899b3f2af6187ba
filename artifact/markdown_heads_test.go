package artifact_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
)

// slate reads a file with the given hypotheses.
func slate(t *testing.T, body string) artifact.Document {
	t.Helper()
	doc, err := artifact.Read([]byte(file(front, map[artifact.Section]string{artifact.HypothesisSlate: body})))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// summary returns the hypotheses of a document with their fields.
func summary(doc artifact.Document) string {
	var b strings.Builder
	for _, it := range doc.Artifact.Sections[artifact.HypothesisSlate] {
		fmt.Fprintf(&b, "%s", it.ID)
		if it.Killed() {
			fmt.Fprintf(&b, " killed(%s)", it.Kill.Reason)
		}
		for _, f := range it.Fields {
			fmt.Fprintf(&b, " %s=%s", f.Name, artifact.Canonical(f.Value))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// The forms in which other tools write an item's heading.
func TestForeignHeads(t *testing.T) {
	for _, head := range []string{
		" ### H2: two", "   ### H2: two", "###\tH2: two", "###\u00a0H2: two", "### 🔬 H2: two", "### `H2`: two", "### (H2) two", "### _H2: two_",
		"### 2.2 H2: two", "### Hypothesis H2: two", "###H2: two", "**H2: two**", "**H2**: two", "- **H2: two**", "1. **H2: two**",
		"H2: two\n-------", "<h3>H2: two</h3>", "### H2: two ###", "### [H2: two](#h2)", "\u200b### H2: two", "H2: two",
	} {
		doc := slate(t, "### H1: one\n**Claim**: first\n\n"+head+"\n**Mechanism**: of the second")
		if got, want := summary(doc), "H1 name=\"one\" claim=\"first\"\nH2 name=\"two\" mechanism=\"of the second\""; got != want {
			t.Errorf("%s:\n%s", head, got)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
}

// A heading that names no item ends the item above. What is below it is kept, and never read as fields.
func TestForeignOtherHeads(t *testing.T) {
	for _, head := range []string{
		"### Second idea", "### Hypothesis Two", "### H2b: two", "### H2': two", "### H2/H5: two", "### H2?: two", "### NEW H2: two", "### TO" + "DO", "### H_: [template]",
	} {
		doc := slate(t, "### H1: one\n**Claim**: first\n\n"+head+"\n**Mechanism**: of the second\n**Killed**: true")
		if got, want := summary(doc), `H1 name="one" claim="first"`; got != want {
			t.Errorf("%s:\n%s", head, got)
		}
		other, _ := doc.Artifact.Metadata.Extra.Get("other_text")
		if got := string(artifact.Canonical(other)); !strings.Contains(got, "of the second") {
			t.Errorf("%s: other_text is %s", head, got)
		}
		if len(doc.Notes()) != 1 {
			t.Errorf("%s: %+v", head, doc.Notes())
		}
	}
}

func TestForeignItems(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"label as a heading", "### H1\n**Claim**: a\n\n#### Mechanism\nlong\ntext", `H1 claim="a" mechanism="long\ntext"`},
		{"part of an item", "### H1\n**Claim**: a\n#### Doubts\n**Mechanism**: none", `H1 claim="a" text="#### Doubts\n**Mechanism**: none"`},
		{"comment", "### H1\n**Claim**: a\n<!--\n**Killed**: true\n### H7: x\n-->\n**Mechanism**: m", `H1 claim="a" mechanism="m" text="<!--\n**Killed**: true\n### H7: x\n-->"`},
		{"comment within a line", "### H1\n**Claim**: a <!-- or\n**Mechanism**: m\n-->", `H1 claim="a <!-- or" text="**Mechanism**: m\n-->"`},
		{"comment in a text", "### H1\n**Claim**: a\n<!-- x -->\nb", `H1 claim="a\nb" text="<!-- x -->"`},
		{"pre", "### H1\n**Claim**: a\n\n<pre>\n### H7: x\n</pre>", `H1 claim="a\n\n<pre>\n### H7: x\n</pre>"`},
		{"code span", "### H1\n**Claim**: a\n```f(x)``` is fast\n\n### H2\n**Claim**: b\n```g(x)``` is slow", "H1 claim=\"a\\n```f(x)``` is fast\"\nH2 claim=\"b\\n```g(x)``` is slow\""},
		{"word after a fence", "### H1\n**Claim**: a\n```\n```python\n### H7: x\n```", "H1 claim=\"a\\n```\\n```python\\n### H7: x\\n```\""},
		{"empty kill reason", "### H1\n**Claim**: a\n**Kill reason**:", `H1 claim="a"`},
		{"kill reason", "### H1\n**Claim**: a\n**Kill reason**: none yet", `H1 claim="a" other_kill_reason="none yet"`},
		{"killed at", "### H1\n**Killed at**: 2026-01-10T09:30:00Z", `H1 other_killed_at="2026-01-10T09:30:00Z"`},
		{"killed, reason first", "### H1\n**Kill reason**: same\n**Killed**: true", `H1 killed(same)`},
		{"mark in front", "### [KILLED] H1: one", `H1 killed() name="one"`},
		{"id cell", "| ID | Claim |\n|---|---|\n| H1: Lineage | a |\n| H2 (gradient) | b |\n| H3 (Third Alternative) | c |", "H1 name=\"Lineage\" claim=\"a\"\nH2 claim=\"b\" heading_remark=\"gradient\"\nH3 claim=\"c\" third_alternative=true"},
		{"symbol before a label", "### H1\n**Claim**: a\n⚙️ **Mechanism**: m", `H1 claim="a" mechanism="m"`},
		{"remark behind a label", "### H1\n**Claim**: a\n**Anchors** (partial): §1", `H1 claim="a" anchors_partial="§1"`},
		{"label without a colon", "### H1\n**Claim**: a\n**Notes**\nb", `H1 claim="a" notes="b"`},
		{"bold text", "### H1\n**Claim**: a\n**Both** may hold", `H1 claim="a" text="**Both** may hold"`},
		{"two equal flags", "### H1 (Third Alternative): x\n**Third alternative**: true", `H1 name="x" third_alternative=true`},
	} {
		doc := slate(t, c.body)
		if got := summary(doc); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if _, err := doc.Strict(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
}

// Every kill that is read from a variant has a note that says so.
func TestForeignKillsAreNamed(t *testing.T) {
	for _, body := range []string{"### H1: x\n**Killed**: true", "### [KILLED] H1: x"} {
		doc := slate(t, body)
		if notes := doc.Notes(); len(notes) != 1 || !strings.Contains(notes[0].Message, "a kill of H1") {
			t.Errorf("%s: %+v", body, notes)
		}
	}
}

// The marks of a kill that other tools write kill, and each has a note.
func TestForeignKillMarks(t *testing.T) {
	for body, reason := range map[string]string{
		"### ~~H1: one~~ (KILLED)": "", "### ~~H1: one~~ — KILLED": "", "### ~~H1: one~~ **[KILLED]**": "", "### ~~H1~~: one": "",
		"### ~~H1~~: one (KILLED)": "", "### ~~H1:~~ one [KILLED]": "", "### ~~H1~~: one — KILLED: too vague": "too vague",
		"### ~~H1: one~~ too vague": "too vague", "### H1 [KILLED]: one": "", "### H1 (KILLED): one": "", "### H1: one (KILLED)": "",
		"### H1: one — KILLED": "", "### H1: one ❌ KILLED": "", "### H1: one ❌ KILLED: too vague": "too vague", "### H1: one - killed": "", "### H1: ~~one~~": "", "### H1: one (killed: too vague)": "too vague",
		"### ~~H1: one~~ (KILLED by RedSky: too vague)": "too vague", "### H1: one\n**Status**: KILLED": "",
		"### H1: one\n**Status**: Killed by RedSky (too vague)": "too vague", "### H1: one\n**Killed**: yes — too vague": "too vague",
		"| ID | Name | Status |\n|---|---|---|\n| H1 | one | killed |":   "",
		"### ~~H1: one~~ (KILLED by RedSky)\n**Kill reason**: too vague": "too vague",
	} {
		doc := slate(t, body)
		if got, want := summary(doc), "H1 killed("+reason+`) name="one"`; got != want {
			t.Errorf("%s: %s", body, got)
		}
		if !strings.Contains(fmt.Sprint(doc.Notes()), "a kill of H1") {
			t.Errorf("%s: %+v", body, doc.Notes())
		}
		if _, err := doc.Strict(); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
}

// What only may be a kill leaves the item active and is named.
func TestForeignKillsInDoubtAreNamed(t *testing.T) {
	for _, body := range []string{
		"### H1: cells killed by heat", "### H1: one (rejected)", "### H1: one KILLED", "### ❌ H1: one", "### H1: one\n**Claim**: c\n\n> KILLED by RedSky",
		"### H1: one\n**Status**: to be killed", "### H1: one: refuted", "### H1: one (refuted by T1)", "### H1: one\n**Killed**: too vague", "### H1: one\n**KILLED** by RedSky",
	} {
		doc := slate(t, body)
		if it := doc.Artifact.Sections[artifact.HypothesisSlate][0]; it.Killed() {
			t.Errorf("%s: killed", body)
		}
		if !strings.Contains(fmt.Sprint(doc.Notes()), "H1 is read as active, although") {
			t.Errorf("%s: %+v", body, doc.Notes())
		}
	}
}

// A name that looks like a kill is a name in a file that this program wrote.
func TestNamesLikeKillsReadBack(t *testing.T) {
	for _, name := range []string{"one (KILLED)", "one — KILLED", "one ❌ KILLED", "~~one~~", "one [killed]", "cells killed by heat", "one (rejected)"} {
		var a artifact.Artifact
		a.Metadata.SessionID = "RS-20260101-x"
		a.Sections[artifact.HypothesisSlate] = []*artifact.Item{{ID: "H1", Fields: []artifact.Field{{Name: "name", Value: artifact.Text(name)}}}}
		a.Sections[artifact.AnomalyRegister] = []*artifact.Item{{ID: "X1", Fields: []artifact.Field{{Name: "status", Value: artifact.Text("KILLED")}}}}
		checkRoundTrip(t, &a)
		if got, err := artifact.ParseExact(a.Markdown()); err != nil || got.Sections[artifact.HypothesisSlate][0].Killed() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Entries of a list that begin with an id are items. Ids in other texts are never given again.
func TestForeignLists(t *testing.T) {
	for body, want := range map[string]string{
		"- **H1: one** — a\n- **H2: two** — b":      "H1 name=\"one\" claim=\"a\"\nH2 name=\"two\" claim=\"b\"",
		"1. H1: one\n2. ~~H2: two~~ (KILLED)":       "H1 name=\"one\"\nH2 killed() name=\"two\"",
		"* **H1** (x): a\n* **H2**: two":            "H1 claim=\"a\" heading_remark=\"x\"\nH2 name=\"two\"",
		"- [H1] one\n- [H2] two":                    "H1 name=\"one\"\nH2 name=\"two\"",
		"### H1: one\n**Claim**: a\n- H7: is older": "H1 name=\"one\" claim=\"a\\n- H7: is older\"",
	} {
		doc := slate(t, body)
		if got := summary(doc); got != want {
			t.Errorf("%s:\n%s", body, got)
		}
		if len(doc.Notes()) == 0 {
			t.Errorf("%s: no note", body)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
	for body, want := range map[string]string{
		"H7 was dropped\n- see H9\n\n### H1: one":                                                              "[H7 H9]",
		"### H1: one\n\n### Withdrawn: H7 (fungi)":                                                             "[H7]",
		"### H1: one\n**Claim**: a\n\n- **H7: old** — b":                                                       "[H7]",
		"### H1: one\n**Claim**: a\n\n> **H7: old** (killed)":                                                  "[H7]",
		"### H1: one\n**Claim**: a\n\n~~**H7: old**~~\n\nb":                                                    "[H7]",
		"- **H1**: one\n- **Killed hypotheses**\n  - H7: old":                                                  "[H7]",
		"- [ ] H1: one\n- [x] H7: old":                                                                         "[H1 H7]",
		"### H1: one\n**Claim**: H7 is what it answers, not this":                                              "[]",
		"### H1: one\n\n## 6. Anomaly Register\n\n### X1: odd\n**Observation**: o\n**Conflicts with**: H1, H7": "[H7]",
	} {
		doc := slate(t, body)
		if got := fmt.Sprint(doc.Artifact.Reserved(artifact.HypothesisSlate)); got != want {
			t.Errorf("%s: reserved: %s", body, got)
		}
	}
}

// A block that never ends is a fault of its own, and the rest of the file is read.
func TestForeignBlocksWithoutEnd(t *testing.T) {
	for _, open := range []string{"```", "~~~~ text", "<!-- draft", "<pre>"} {
		doc := slate(t, "### H1\n**Claim**: a\n"+open+"\n\n### H2\n**Claim**: b")
		if _, err := doc.Strict(); err == nil || !strings.Contains(err.Error(), "never ends") {
			t.Errorf("%s: %v", open, err)
		}
		if len(doc.Artifact.Sections[artifact.HypothesisSlate]) != 2 {
			t.Errorf("%s:\n%s", open, summary(doc))
		}
	}
}

func TestForeignTests(t *testing.T) {
	for _, c := range []struct{ body, field, want string }{
		{"- **Expected outcomes**:\n- If H1: up\n- If H2: down\n- **Score**: 7/10", "expected_outcomes", `{"H1":"up","H2":"down"}`},
		{"**Expected outcomes**:\n- H1 (refuted): up\n- H2: down (refuted)", "expected_outcomes", `{"H1":"up","H2":"down (refuted)"}`},
		{"**Score**:\n- LR: 3\n- Cost: 2\n- Speed: 2\n- Ambiguity: 1\n\n* * *\n", "score", `{"ambiguity":1,"cost":2,"likelihood_ratio":3,"speed":2}`},
		{"**Score**: L2 C3 S3 A1", "score_text", `"L2 C3 S3 A1"`},
		{"**Score**: LR=2, Cost=2, Speed=2, Ambiguity=2, Novelty=3", "score_text", `"LR=2, Cost=2, Speed=2, Ambiguity=2, Novelty=3"`},
		{"**Score**: LR=8, Cost=2, Speed=2, Ambiguity=2", "score_text", `"LR=8, Cost=2, Speed=2, Ambiguity=2"`},
	} {
		doc, err := artifact.Read([]byte(file(front, map[artifact.Section]string{artifact.DiscriminativeTests: "### Test 1: x\n" + c.body})))
		if err != nil {
			t.Fatal(err)
		}
		it, _, _ := doc.Artifact.Find("T1")
		if v := it.Get(c.field); v == nil || string(artifact.Canonical(v)) != c.want {
			t.Errorf("%s: %s is %v", c.body, c.field, v)
		}
	}
}

// Columns of a predictions table may name their hypothesis as a condition. Others are fields.
func TestForeignColumns(t *testing.T) {
	for head, want := range map[string]string{
		"| ID | Condition | If H1 | If H2 |":                   `{"H1":"x","H2":"y"}`,
		"| ID | Condition | **if H1 is true** | Under H2: |":   `{"H1":"x","H2":"y"}`,
		"| ID | Condition | H1 | If H2 holds |":                `{"H1":"x","H2":"y"}`,
		"| ID | Condition | If H1 and not H2 | Predicted H2 |": "",
	} {
		doc, err := artifact.Read([]byte(file(front, map[artifact.Section]string{artifact.PredictionsTable: head + "\n|---|---|---|---|\n| P1 | c | x | y |"})))
		if err != nil {
			t.Fatal(err)
		}
		it, _, _ := doc.Artifact.Find("P1")
		got := ""
		if v := it.Get("predictions"); v != nil {
			got = string(artifact.Canonical(v))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", head, got, want)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
}

// No mark of a strike-through is left in a name, however it is placed. What is struck as a whole, or from the id on, is
// a kill; anything else is active, with a note.
func TestForeignStrikesLeaveNoMarks(t *testing.T) {
	for head, killed := range map[string]bool{
		"~~H3~~: Gradient~~": true, "~~H3~~: ~~Gradient~~": true, "~~H3:~~ ~~Gradient~~": true, "~~H3~~ ~~Gradient~~": true, "~~H3~~ — Gradient~~": true,
		"**~~H3: Gradient~~**": true, "~~**H3: Gradient**~~": true, "H3: **~~Gradient~~**": true, "~~**H3**~~: Gradient": true, "H3: ~~Gradient~~": true,
		"H3: ~~Gradient": false, "H3: Gradient~~": false, "~~H3: Gradient": false, "H3: Gra~~dient": false,
	} {
		doc := slate(t, "### "+head+"\n**Mechanism**: of it")
		want := `H3 name="Gradient" mechanism="of it"`
		if killed {
			want = `H3 killed() name="Gradient" mechanism="of it"`
		}
		if got := summary(doc); got != want {
			t.Errorf("%s:\n%s\nwant %s", head, got, want)
		}
		if len(doc.Notes()) == 0 || len(doc.Notes()) != len(doc.Problems) {
			t.Errorf("%s: %+v", head, doc.Problems)
		}
		if says := fmt.Sprint(doc.Problems); strings.Contains(says, "is read as active") == killed {
			t.Errorf("%s: %s", head, says)
		}
		checkRoundTrip(t, &doc.Artifact)
	}
	for _, name := range []string{"x~", "~~x~~", "~x", "~~", "a ~~b~~ c"} {
		a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-x", Status: "active"}}
		a.Sections[artifact.HypothesisSlate] = []*artifact.Item{
			{ID: "H1", Fields: []artifact.Field{{Name: "name", Value: artifact.Text(name)}}},
			{ID: "H2", Fields: []artifact.Field{{Name: "name", Value: artifact.Text(name)}}, Kill: &artifact.Kill{By: "RedSky"}},
		}
		checkRoundTrip(t, &a)
	}
}

// Labels of an item may be list entries, in bold or not. In an item with labels on lines of their own, a list is text.
func TestForeignLabelsInLists(t *testing.T) {
	for body, want := range map[string]string{
		"- Claim: c\n- Mechanism: m":                          `claim="c" mechanism="m"`,
		"* **Claim:** c\n* **Mechanism:** m":                  `claim="c" mechanism="m"`,
		"1. Claim: c\n2. _How it works_: m: n":                `claim="c" mechanism="m: n"`,
		"- **Claim**: c\n\n- mechanism: m":                    `claim="c" mechanism="m"`,
		"- Claim:\n  - a\n  - b\n- Mechanism: m":              `claim="  - a\n  - b" mechanism="m"`,
		"- Claim: c\n- Anchors:\n  - §1\n  - §2":              `claim="c" anchors=["§1","§2"]`,
		"- Claim: c\n- Anchors:\n- §1\n- §2\n- Mechanism: m":  `claim="c" mechanism="m" anchors=["§1","§2"]`,
		"- Claim:\n- Mechanism: m":                            `mechanism="m"`,
		"- Claim: c\n- Confidence: high":                      `claim="c" confidence="high"`,
		"- Claim: c\n  and more":                              `claim="c\nand more"`,
		"- Claim: c\n- Third alternative: yes":                `claim="c" third_alternative=true`,
		"Some words.\n- Claim: c":                             `claim="c" text="Some words."`,
		"- Confidence: high\n- Other: x":                      `text="- Confidence: high\n- Other: x"`,
		"**Claim**: two parts\n- Mechanism: one\n- Then: two": `claim="two parts\n- Mechanism: one\n- Then: two"`,
		"**Claim**:\n- Mechanism: one\n- Then: two":           `claim="- Mechanism: one\n- Then: two"`,
		"- Claim: c\n- Status: KILLED by RedSky: too vague\n": `killed(too vague) claim="c"`,
		"- Claim: c\n- Mechanism: m\n- Claim: another\n":      `claim="c" mechanism="m"`,
		"- Claim: c\n- see http://example.org: there it is\n": `claim="c\n- see http://example.org: there it is"`,
	} {
		doc := slate(t, "### H1: one\n"+body)
		want = strings.TrimSpace("H1 " + want)
		if got := strings.Replace(summary(doc), ` name="one"`, "", 1); got != want {
			t.Errorf("%s:\n%s\nwant %s", body, got, want)
		}
		if faults := len(doc.Problems) - len(doc.Notes()); (faults > 0) != strings.Contains(body, "another") {
			t.Errorf("%s: %+v", body, doc.Problems)
		}
	}
}
