package view_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session/view"
)

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// checkLaws checks the guarantees of every view.
func checkLaws(t failer, in view.Input) {
	t.Helper()
	v, err := view.Build(in)
	if err != nil {
		if fault.CodeOf(err) != view.TooLarge || v.Text != "" {
			t.Fatalf("%v, but the view is %q", err, v.Text)
		}
		if least := leastTokens(in); 2*least+200 < in.Spec.Bound() {
			t.Fatalf("%v, but the ids alone are about %d tokens", err, least)
		}
		return
	}
	if again, _ := view.Build(in); !cmp.Equal(v, again) {
		t.Fatalf("not deterministic:\n%s", cmp.Diff(v, again))
	}
	if n := in.Count(v.Text); n != v.Tokens || n > in.Spec.Bound() {
		t.Fatalf("%d tokens, reported %d, bound %d:\n%s", n, v.Tokens, in.Spec.Bound(), v.Text)
	}
	checkAccount(t, in, v)
	checkStructure(t, v.Text)
	for _, b := range delta.Read([]byte(quoted(v.Text)), delta.Options{}).Blocks {
		if b.OK {
			t.Fatalf("line %d is read as a delta:\n%s", b.Line, v.Text)
		}
	}
}

// leastTokens returns the approximate size of the fixed parts of a view.
func leastTokens(in view.Input) int {
	v, _ := view.Build(view.Input{Artifact: in.Artifact, Count: in.Count, Spec: view.Spec{MaxTokens: 1 << 40}})
	return v.Tokens
}

// quoted returns a view as a kickoff quotes it; see TestInKickoff.
func quoted(text string) string {
	lines := "> " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n> ") + "\n"
	return strings.ReplaceAll(lines, "> \n", ">\n")
}

// checkAccount checks that every item is shown or left out once, and named; and that nothing is
// shown completely if the bound left out an item.
func checkAccount(t failer, in view.Input, v view.View) {
	t.Helper()
	accounted := slices.Clone(v.Shown)
	over := false
	for _, o := range v.LeftOut {
		if _, ok := artifact.SectionOfID(o.ID); ok {
			accounted = append(accounted, o.ID)
			over = over || o.Rule == view.OverBound
		}
	}
	named := namedIDs(v.Text)
	for _, id := range v.Targets {
		if slices.Contains(v.Shown, id) || !strings.Contains(v.Text, "\n- "+view.Word(id)+".") {
			t.Fatalf("no conflict of %s is shown, or the item is:\n%s", id, v.Text)
		}
	}
	if all := v.Items.All; all != len(v.Shown)+v.Items.Left || v.Notes.All != len(in.Notes) || v.Outcomes.All != len(in.Feedback) {
		t.Fatalf("counted %+v, %+v and %+v:\n%s", v.Items, v.Notes, v.Outcomes, v.Text)
	}
	var want []string
	for _, s := range artifact.Sections() {
		for _, it := range in.Artifact.Items(s) {
			want = append(want, it.ID)
			if !named[it.ID] {
				t.Fatalf("%s is not named:\n%s", it.ID, v.Text)
			}
			complete := in.Spec.Sections[s].Form == view.Full && !it.Killed() && slices.Contains(v.Shown, it.ID) && !slices.Contains(v.Shortened, it.ID)
			if over && complete {
				t.Fatalf("%s is shown completely while others are left out:\n%s", it.ID, v.Text)
			}
		}
	}
	slices.Sort(accounted)
	slices.Sort(want)
	if !slices.Equal(accounted, want) {
		t.Fatalf("shown %v, left out %v, want all of %v", v.Shown, v.LeftOut, want)
	}
}

// namedIDs returns the ids that begin an item or are listed as left out.
func namedIDs(text string) map[string]bool {
	named := map[string]bool{}
	body, left, _ := strings.Cut(text, "\n### Left out\n")
	for line := range strings.Lines(body) {
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			id, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			named[strings.TrimSuffix(id, ":")] = true
		}
	}
	for _, name := range regexp.MustCompile(`[A-Z]+\d*(-[A-Z]+\d+)?`).FindAllString(left, -1) {
		from, to, isRange := strings.Cut(name, "-")
		named[from] = true
		if s, ok := artifact.SectionOfID(from); ok && isRange {
			first, _ := s.IDNumber(from)
			last, _ := s.IDNumber(to)
			for n := first; n <= last; n++ {
				named[s.ItemID(n)] = true
			}
		}
	}
	return named
}

// checkStructure parses the quoted view with another Markdown parser: it must have exactly our
// headings, and a list entry for each line that begins as one.
func checkStructure(t failer, view string) {
	t.Helper()
	var headings, entries int
	for line := range strings.SplitSeq(view, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
			t.Fatalf("a control character in %q", line)
		}
		if strings.TrimRight(line, " \t") != line {
			t.Fatalf("trailing space in %q, which a kickoff removes", line)
		}
		switch {
		case strings.HasPrefix(line, "### "):
			headings++
		case strings.HasPrefix(strings.TrimLeft(line, " "), "- "):
			entries++
		}
	}
	quote := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader([]byte(quoted(view)))).FirstChild()
	if quote.Kind() != ast.KindBlockquote || quote.NextSibling() != nil {
		t.Fatalf("not a single quote:\n%s", view)
	}
	err := ast.Walk(quote, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n == quote {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			headings--
		case ast.KindListItem:
			entries--
		case ast.KindHTMLBlock, ast.KindRawHTML, ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindBlockquote, ast.KindThematicBreak:
			t.Fatalf("%s in the view:\n%s", n.Kind(), view)
		}
		return ast.WalkContinue, nil
	})
	if err != nil || headings != 0 || entries != 0 {
		t.Fatalf("%v, %d headings and %d list entries missing in\n%s", err, headings, entries, view)
	}
}

// counters returns token counters, some of them unrealistic.
func counters() []func(string) int {
	return []func(string) int{
		func(s string) int { return len(s) },
		func(s string) int { return (len(s) + 3) / 4 },
		func(s string) int { return len(strings.Fields(s)) },
		func(s string) int { return len(s) + len(s)*len(s)/1000 }, // superadditive
		func(s string) int { return 10 + len(s)/4 },               // subadditive
	}
}

func anySpec(t *rapid.T) view.Spec {
	spec := view.Spec{Role: "test_designer", MaxTokens: rapid.OneOf(rapid.IntRange(1, 400), rapid.IntRange(400, 8000)).Draw(t, "bound")}
	for i := range spec.Sections {
		spec.Sections[i] = view.SectionView{
			Form:     rapid.SampledFrom([]view.Form{view.Full, view.Full, view.Summary, view.IDs, ""}).Draw(t, "form"),
			Max:      rapid.IntRange(0, 3).Draw(t, "max"),
			Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
		}
	}
	return spec
}

func TestLaws(t *testing.T) {
	word := rapid.OneOf(artifacttest.Text(), rapid.Just("BlueLake"))
	rapid.Check(t, func(t *rapid.T) {
		in := view.Input{
			Artifact: artifacttest.Any().Draw(t, "artifact"), Spec: anySpec(t), Agent: word.Draw(t, "agent"),
			Count: rapid.SampledFrom(counters()).Draw(t, "count"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "outcomes") {
			in.Feedback = append(in.Feedback, view.Outcome{
				Delta: word.Draw(t, "delta"), Target: word.Draw(t, "target"), Disposition: word.Draw(t, "disposition"),
				Code: fault.Code(word.Draw(t, "code")), Message: word.Draw(t, "message"),
			})
		}
		for range rapid.IntRange(0, 3).Draw(t, "notes") {
			in.Notes = append(in.Notes, view.Note{By: word.Draw(t, "by"), Text: word.Draw(t, "text")})
		}
		checkLaws(t, in)
	})
}
