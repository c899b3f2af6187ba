package delta

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/synonyms"
)

// contents returns the content of a reply's deltas.
func contents(r Reply) []string {
	var all []string
	for i := range r.Blocks {
		if r.Blocks[i].OK {
			all = append(all, string(r.Blocks[i].Delta.Content()))
		}
	}
	return all
}

// anyText draws the text of a field: without line breaks, which could end a fence, but with
// everything that is special in Markdown and JSON.
func anyText() *rapid.Generator[string] {
	return rapid.StringOf(rapid.RuneFrom([]rune("abc xyz§éµ\"'`~{}[]<>|#*-:,\\/0“”’!\t\n")))
}

func anyDelta(t *rapid.T) Delta {
	main := anyText().Filter(func(s string) bool { return !Blank(s) && !fieldform.IsPlaceholder(artifact.Text(s)) }).Draw(t, "main")
	d := Delta{Operation: Add, Section: "hypothesis_slate", Rationale: anyText().Draw(t, "rationale")}
	d.Payload = Payload{
		{Name: "name", Value: artifact.Text("N" + anyText().Draw(t, "name"))},
		{Name: "claim", Value: artifact.Text(main)},
		{Name: "anchors", Value: artifact.List{artifact.Text(anyText().Draw(t, "anchor"))}},
		{Name: "own", Value: artifact.MapOf(artifact.Entry{Key: "k", Value: artifact.Number(rapid.IntRange(-9, 9).Draw(t, "n"))})},
	}
	switch rapid.IntRange(0, 2).Draw(t, "operation") {
	case 1:
		d.Operation, d.Target = Edit, "H1"
	case 2:
		d.Operation, d.Target = Kill, "H2"
		d.Payload = Payload{{Name: "reason", Value: artifact.Text(main)}}
	default:
		d.Labels = []string{"H9"}
	}
	d.Settle()
	return d
}

// asWritten returns a delta in the form of the specification.
func asWritten(d Delta, indent bool) string {
	payload := make([]artifact.Entry, len(d.Payload))
	for i, f := range d.Payload {
		payload[i] = artifact.Entry{Key: f.Name, Value: f.Value}
	}
	entries := []artifact.Entry{
		{Key: "operation", Value: artifact.Text(d.Operation)},
		{Key: "section", Value: artifact.Text(d.Section)},
		{Key: "payload", Value: artifact.MapOf(payload...)},
		{Key: "rationale", Value: artifact.Text(d.Rationale)},
		{Key: "target_id", Value: artifact.Null{}},
	}
	if d.Target != "" {
		entries[4].Value = artifact.Text(d.Target)
	}
	for _, l := range d.Labels {
		entries = append(entries, artifact.Entry{Key: "ref", Value: artifact.Text(l)})
	}
	text := string(artifact.Canonical(artifact.MapOf(entries...)))
	if indent {
		text = strings.Replace(text, "{", "{\n   ", 1)
	}
	return text
}

// anyReply writes deltas into fences with text between them.
func anyReply(t *rapid.T) (text string, deltas []Delta) {
	words := rapid.SampledFrom([]string{
		"", "Words.\n\n", "## Deltas\n", "- an item\n\n", "> a quotation\n\n", "{ not JSON }\n\n", "<!-- remark -->\n", "    code\n\n",
		"| a | b |\n|---|---|\n", "```go\nfunc f() {}\n```\n", "1. one\n2. two\n\n", "> ```delta\n> " + goodKill + "\n> ```\n\n", "***\n",
	})
	fences := rapid.SampledFrom([]string{"```", "~~~", "``````", "~~~~", ":::"})
	info := rapid.SampledFrom([]string{"delta", "Delta", "delta {#x}", " delta json"})
	var b strings.Builder
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		b.WriteString(words.Draw(t, "words"))
		fence := fences.Draw(t, "fence")
		b.WriteString(fence + info.Draw(t, "info") + "\n")
		n := rapid.IntRange(1, 3).Draw(t, "deltas")
		var written []string
		for range n {
			d := anyDelta(t)
			if d.Operation == Edit { // no two set a field of one item
				d.Target = "H" + strconv.Itoa(10+len(deltas))
			}
			deltas = append(deltas, d)
			written = append(written, asWritten(d, rapid.Bool().Draw(t, "indent")))
		}
		text := strings.Join(written, ",\n")
		if n > 1 {
			text = "[" + text + "]"
		}
		b.WriteString(text + "\n" + fence + "\n")
	}
	b.WriteString(words.Draw(t, "last words"))
	return b.String(), deltas
}

// Deltas in the specified form are read unchanged, in both modes, whatever is around them.
func TestLawReadReturnsWrittenDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, deltas := anyReply(t)
		want := make([]string, len(deltas))
		for i := range deltas {
			want[i] = string(deltas[i].Content())
		}
		for _, strict := range []bool{false, true} {
			if d := cmp.Diff(want, contents(Read([]byte(text), Options{Strict: strict}))); d != "" {
				t.Fatalf("strict %t: written -, read +:\n%s\n%s", strict, d, text)
			}
		}
	})
}

// Line endings do not affect how a reply is read.
func TestLawLineEndingsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := anyReply(t)
		if rapid.Bool().Draw(t, "cut") {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
		}
		lf := Read([]byte(text), Options{})
		crlf := Read([]byte(strings.ReplaceAll(text, "\n", "\r\n")), Options{})
		if d := cmp.Diff(report(lf), report(crlf)); d != "" {
			t.Fatalf("LF -, CRLF +:\n%s\n%s", d, text)
		}
	})
}

// Text before a reply moves its lines and changes nothing else.
func TestLawPrecedingTextDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _ := anyReply(t)
		moved := Read([]byte("Some words.\n\n"+text), Options{})
		for i := range moved.Blocks {
			moved.Blocks[i].Line -= 2
		}
		for i, b := range Read([]byte(text), Options{}).Blocks {
			if m := moved.Blocks[i]; m.Line != b.Line || m.OK != b.OK || !bytes.Equal(m.Delta.Content(), b.Delta.Content()) {
				t.Fatalf("block %d differs in\n%s", i+1, text)
			}
		}
	})
}

// FuzzRead checks that no input makes the reader panic, and that its results are
// consistent.
func FuzzRead(f *testing.F) {
	f.Add("```delta\n" + good + "\n```\n")
	f.Add("> ```delta\n> " + goodKill + "\n\n- ~~~Delta {#x}\n  [" + good + ", {'op': \"edit\",}]\n")
	f.Add("## Deltas\nADD a hypothesis {\"operation\":\"ADD\", section: “tests”, /* x */ payload: {}} <!-- {")
	f.Add("~~~ {#a .dElTa}\nx\n~~~\nno act or op here")
	f.Add(":::delta\n```json\n{\"deltas\":[" + goodEdit + "]}\n```\n:::")
	f.Fuzz(func(t *testing.T, text string) {
		opt := Options{Examples: []string{goodEdit}, MaxBlocks: 50}
		lenient := Read([]byte(text), opt)
		if slices.ContainsFunc(lenient.Blocks, func(b Block) bool { return b.OK }) && !Possible(text) {
			t.Fatal("got deltas from an impossible text")
		}
		if report(lenient) != report(Read([]byte(text), Options{Known: ReadExamples(opt.Examples, ""), MaxBlocks: 50})) {
			t.Fatal("known examples change the result")
		}
		if report(lenient) != report(Read([]byte(text), opt)) {
			t.Fatal("two readings differ")
		}
		opt.Strict = true
		strict := Read([]byte(text), opt)
		lines := 1 + strings.Count(text, "\n")
		for _, r := range []Reply{lenient, strict} {
			checkReply(t, r, lines)
		}
		left := contents(lenient)
		for _, d := range contents(strict) {
			i := slices.Index(left, d)
			if i < 0 && len(lenient.Problems) == 0 {
				t.Fatalf("found by strict reading only: %s", d)
			}
			left = left[i+1:]
		}
	})
}

func checkReply(t *testing.T, r Reply, lines int) {
	t.Helper()
	if len(r.Blocks) > 50 || (len(r.Blocks) == 0 && len(r.Problems) == 0) {
		t.Fatalf("got %d blocks, %d problems", len(r.Blocks), len(r.Problems))
	}
	problems := slices.Clone(r.Problems)
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if b.Index != i+1 || b.Line < 1 || b.Line > lines || b.OK == (len(b.Problems) > 0 || b.Skipped()) {
			t.Fatalf("block %d: got %+v", i+1, b)
		}
		if _, known := artifact.ParseSection(b.Delta.Section); b.OK && (!known || !synonyms.IsOperation(b.Delta.Operation)) {
			t.Fatalf("accepted %s", b.Delta.Content())
		}
		if b.OK && b.Delta.Operation == Kill && b.Flagged(FlagUnfenced) {
			t.Fatal("accepted a KILL outside a fence")
		}
		problems = append(problems, b.Problems...)
	}
	for _, p := range problems {
		if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Code == "" || p.Message == "" || p.Hint == "" {
			t.Fatalf("invalid problem %+v", p)
		}
	}
	meant := slices.DeleteFunc(slices.Clone(r.Blocks), func(b Block) bool { return b.Skipped() })
	if got := len(r.Stamped(Envelope{Agent: "A", MessageID: "m"})); got != len(meant) {
		t.Fatalf("got %d deltas from %d blocks", got, len(meant))
	}
}
