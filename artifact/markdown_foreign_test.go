package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact"
)

func foreign(t *testing.T, name string) (artifact.Document, string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "foreign", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := artifact.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc, string(data)
}

// Variants of other tools are read as the fields they mean.
func TestForeignVariants(t *testing.T) {
	for _, c := range []struct{ file, place, want string }{
		{"tool.md", "RT.statement", `"Do crabs keep time by the tide or by the sun?"`},
		{"tool.md", "RT.context", `"They molt\nat night."`},
		{"tool.md", "RT.anchors", `["§10 (\"tides, mostly\")","§11"]`},
		{"tool.md", "H1.confidence", `"medium"`},
		{"tool.md", "H2.claim", `"The sun sets the clock."`},
		{"tool.md", "H3.name", `"Neither"`},
		{"tool.md", "H3.third_alternative", `true`},
		{"tool.md", "H3.mechanism", `"An inner clock."`},
		{"tool.md", "P1.condition", `"dark tank"`},
		{"tool.md", "P1.predictions", `{"H1":"rhythm","H2":"none","H3":"indeterminate"}`},
		{"tool.md", "P2.predictions", `{"H1":"none","H2":"rhythm","H3":"N/A"}`},
		{"tool.md", "T1.expected_outcomes", `{"H1":"rhythm","H2":"none"}`},
		{"tool.md", "T1.score", `{"ambiguity":3,"cost":2,"likelihood_ratio":3,"speed":2}`},
		{"tool.md", "T1.score_notes", `{"ambiguity":"digital","cost":"$5K, or less","likelihood_ratio":">100:1 — binary","speed":"a week"}`},
		{"tool.md", "T2.score", `{"ambiguity":2,"cost":2,"likelihood_ratio":2,"speed":2}`},
		{"tool.md", "T3.score", ``},
		{"tool.md", "T3.score_text", `"7/10"`},
		{"tool.md", "T3.heading_score", `"7/10"`},
		{"tool.md", "A2.statement", `"Tanks are dark"`},
		{"tool.md", "A2.type", `"method"`},
		{"tool.md", "C1.text", `"The thing is not known."`},
		{"tool.md", "C2.evidence", `"A film."`},
		{"tool.md", "C2.why_it_might_be_right", `"See above."`},
		{"pilot.md", "RT.statement", `"Tide or sun?"`},
		{"pilot.md", "H1.claim", `"The tide sets it."`},
		{"pilot.md", "H2.name", `"Sun"`},
		{"pilot.md", "H2.claim", `"The sun sets it.\nDay by day."`},
		{"pilot.md", "H2.mechanism", `"- light first\n- then heat"`},
		{"pilot.md", "H2.anchors", `["§1","§2 (a, b)"]`},
		{"pilot.md", "P1.hypothesis", `"H1"`},
		{"chat.md", "RT.statement", `"Why do the rings drift?"`},
		{"chat.md", "RT.sources", `"a diary"`},
		{"chat.md", "H1.name", `"Drag"`},
		{"chat.md", "H1.falsification", `"a drift in a vacuum"`},
		{"chat.md", "H2.name", `"Charge"`},
		{"chat.md", "H2.steps", `"  - first **this**\n  - then that"`},
		{"chat.md", "H3.name", `"Third Alternative"`},
		{"chat.md", "P1.predictions", `{"H1":"no drift","H2":"drift"}`},
		{"chat.md", "P1.source", `"ours"`},
		{"chat.md", "T1.procedure", `"Pump it out."`},
		{"chat.md", "T1.expected_outcomes", `{"H1":"no drift","H2":"drift"}`},
		{"chat.md", "T1.score", `{"ambiguity":2,"cost":2,"likelihood_ratio":3,"speed":2}`},
		{"chat.md", "T1.text", `"- nothing else"`},
		{"chat.md", "T2.procedure", `"~~~\nwire A to B\n### T9: not an item\n~~~"`},
		{"chat.md", "T2.score_text", `"high"`},
		{"chat.md", "X1.status", `"active"`},
		{"chat.md", "X1.conflicts_with", `["H1 (drag, as said)","H2"]`},
		{"chat.md", "C1.attack", `"The ruler is soft.\n\nFurther down, indented.\n\n> quoted words"`},
	} {
		doc, _ := foreign(t, c.file)
		id, field, _ := strings.Cut(c.place, ".")
		it, _, ok := doc.Artifact.Find(id)
		if !ok {
			t.Errorf("%s: no %s", c.file, id)
			continue
		}
		got := ""
		if v := it.Get(field); v != nil {
			got = string(artifact.Canonical(v))
		}
		if got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.file, c.place, got, c.want)
		}
	}
}

// Text in a code fence or under a heading of its own is no item.
func TestForeignTextIsNotRead(t *testing.T) {
	for file, ids := range map[string][]string{"tool.md": {"H9"}, "chat.md": {"H9", "T9"}} {
		doc, _ := foreign(t, file)
		for _, id := range ids {
			if _, _, ok := doc.Artifact.Find(id); ok {
				t.Errorf("%s: %s was read as an item", file, id)
			}
		}
	}
}

func TestForeignKills(t *testing.T) {
	doc, _ := foreign(t, "tool.md")
	it, _, _ := doc.Artifact.Find("H4")
	if it.Kill == nil || it.Kill.By != "GreenDog" || it.Kill.Reason != "same as H1" || artifact.FormatInstant(it.Kill.At) != "2026-01-10T09:30:00Z" {
		t.Errorf("got %+v", it.Kill)
	}
}

// Of a foreign file no word is lost, every file round-trips once it was read, and each text of its own
// has a note.
func TestForeignKeepsEveryWord(t *testing.T) {
	for _, name := range []string{"tool.md", "pilot.md", "chat.md"} {
		doc, text := foreign(t, name)
		if words := lostWords(doc, text); len(words) > 0 {
			t.Errorf("%s: lost %q", name, words)
		}
		checkRoundTrip(t, &doc.Artifact)
		for _, p := range doc.Problems {
			if p.Kind == artifact.UnreadableLines {
				t.Errorf("%s: line %d: %s", name, p.Line, p.Message)
			}
		}
	}
}

// tableHeads are lines that say nothing if no row follows.
var tableHeads = regexp.MustCompile(`(?m)^\| (ID|#) .*$`)

// lostWords returns the words of a text that neither the artifact nor a problem of the document has.
func lostWords(doc artifact.Document, text string) []string {
	have := map[string]bool{}
	fields := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	unescaped := strings.NewReplacer(`\n`, " ", `\"`, " ").Replace(string(doc.Artifact.JSON()))
	for _, w := range fields(unescaped + string(doc.Artifact.Markdown())) {
		have[w] = true
	}
	for _, p := range doc.Problems {
		for _, w := range fields(p.Message) {
			have[w] = true
		}
	}
	for _, s := range artifact.Sections() {
		for _, f := range s.Spec().Fields {
			for _, w := range fields(f.Title) {
				have[w] = true // a label without a value is dropped
			}
		}
	}
	var lost []string
	text = tableHeads.ReplaceAllString(text, "")
	for _, w := range fields(text) {
		if !have[w] && w != "if" && w != "12" {
			lost = append(lost, w)
		}
	}
	return lost
}

func TestForeignNotes(t *testing.T) {
	doc, err := artifact.Read([]byte(file(front, map[artifact.Section]string{
		artifact.ResearchThread:      "**RT**: why",
		artifact.HypothesisSlate:     "### H1\n**Claim**: x\n**Mood**: good",
		artifact.AdversarialCritique: "Nothing yet\n## Glossary\nwords",
	})))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range doc.Notes() {
		got = append(got, fmt.Sprintf("%d %s %s: %s", p.Line, p.Kind, p.Item, p.Message))
	}
	want := []string{
		"6 variant RT: the label RT is read as Statement",
		"10 kept H1: unknown label Mood, kept as the field mood",
		"21 kept : not part of an artifact, kept in the metadata under other_text: ## Glossary",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	a, err := doc.Strict()
	if err != nil {
		t.Fatal(err)
	}
	other, _ := a.Metadata.Extra.Get("other_text")
	if got := string(artifact.Canonical(other)); got != `[{"text":"## Glossary\nwords"}]` {
		t.Errorf("other_text: %s", got)
	}
	if _, err := artifact.ParseExact([]byte(file(front, nil))); err != nil {
		t.Errorf("ParseExact: %v", err)
	}
	if _, err := artifact.ParseExact(a.Markdown()); err != nil {
		t.Errorf("ParseExact of the rendered file: %v", err)
	}
}

// Whatever lines the items and sections of a file have, in whatever order, no word is lost.
func TestForeignLinesAreNeverLost(t *testing.T) {
	var lines []string
	for _, name := range []string{"tool.md", "pilot.md", "chat.md"} {
		_, text := foreign(t, name)
		_, body, _ := strings.Cut(text, "\n# ")
		for line := range strings.SplitSeq(body, "\n") {
			if !strings.HasPrefix(line, "#") || strings.HasPrefix(line, "#### ") {
				lines = append(lines, line)
			}
		}
	}
	some := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 3)
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		under := map[artifact.Section]string{}
		var all []string
		for _, s := range artifact.Sections() {
			body := some.Draw(t, "before")
			for n := range rapid.IntRange(0, 2).Draw(t, "items") {
				if s != artifact.ResearchThread {
					body = append(body, fmt.Sprintf("### %s%d", s.Spec().Prefix, n+1))
				}
				body = append(body, some.Draw(t, "lines")...)
			}
			under[s] = strings.Join(body, "\n")
			all = append(all, under[s])
		}
		doc, err := artifact.Read([]byte(file(front, under)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := doc.Strict(); err != nil {
			return // it is refused, and each fault has its line
		}
		read++
		if lost := lostWords(doc, strings.Join(all, "\n")); len(lost) > 0 {
			t.Fatalf("lost %q of\n%s\n%s", lost, file(front, under), doc.Artifact.Markdown())
		}
		checkRoundTrip(t, &doc.Artifact)
	})
	if read == 0 {
		t.Error("no file was read")
	}
}
