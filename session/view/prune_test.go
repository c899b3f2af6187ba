package view_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact/artifacttest"
	"brenner/session/view"
)

// anyMessage returns a measure of a message with fixed tokens and wants by class. Overhead is what headings
// and marks add to what was granted, so that grants are not exact.
func anyMessage(t *rapid.T) (fixed int, measure func(view.Grants) (int, error)) {
	fixed = rapid.IntRange(0, 500).Draw(t, "fixed")
	var want, overhead [len(view.Grants{})]int
	for i := range want {
		want[i] = rapid.IntRange(0, 800).Draw(t, "want")
		overhead[i] = rapid.IntRange(0, 20).Draw(t, "overhead")
	}
	return fixed, func(g view.Grants) (int, error) {
		tokens := fixed
		for i := range g {
			used := min(g[i], want[i])
			tokens += used + overhead[i]*used/100
		}
		return tokens, nil
	}
}

// A message keeps to its bound, or its fixed parts alone exceed it. Less important classes have room only if
// nothing of the more important ones is left out, and a larger bound shows every class whole that a smaller
// one shows whole.
func TestPruneLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixed, measure := anyMessage(t)
		small := rapid.IntRange(0, 4000).Draw(t, "bound")
		large := small + rapid.IntRange(0, 1000).Draw(t, "more")
		var whole [2]int
		for i, bound := range []int{small, large} {
			g, tokens, err := view.Prune(bound, measure)
			if n, _ := measure(g); err != nil || n != tokens {
				t.Fatalf("%d tokens, reported %d: %v", n, tokens, err)
			}
			if tokens > bound && (tokens != fixed || g != view.Grants{}) {
				t.Fatalf("%v has %d tokens of %d, and the fixed parts have %d", g, tokens, bound, fixed)
			}
			for class := view.Lessons; int(class) < len(g); class++ {
				if g[class] > 0 && (g[class-1] < view.Whole || g[view.Prose] < view.Whole) {
					t.Fatalf("%d of class %d although more important ones are left out: %v", g[class], class, g)
				}
			}
			for class := view.Prose; int(class) < len(g) && g[class] == view.Whole; class++ {
				whole[i]++
			}
		}
		if whole[0] > whole[1] {
			t.Fatalf("%d classes are whole within %d, and %d within %d", whole[0], small, whole[1], large)
		}
	})
}

// A view that may count what it cannot name always fits the room of the least view, and names every item as
// long as the ids fit.
func TestLeastLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := view.Input{Artifact: artifacttest.Any().Draw(t, "artifact"), Spec: anySpec(t), Count: rapid.SampledFrom(counters()).Draw(t, "count"), Counts: true}
		in.Artifact.Metadata.Version %= 1000
		least := in.Count(view.Least(in.Artifact.Metadata.SessionID))
		in.Spec.MaxTokens = least + rapid.IntRange(0, 300).Draw(t, "more")
		v, err := view.Build(in)
		if err != nil {
			t.Fatalf("%v, and the least view has %d tokens", err, least)
		}
		if n := in.Count(v.Text); n != v.Tokens || n > in.Spec.Bound() {
			t.Fatalf("%d tokens, reported %d, bound %d", n, v.Tokens, in.Spec.Bound())
		}
		checkStructure(t, v.Text)
		items := 0
		for _, section := range in.Artifact.Sections {
			items += len(section)
		}
		for _, o := range v.LeftOut {
			if !strings.HasPrefix(o.ID, "note ") && !strings.Contains(o.ID, ".") {
				items--
			}
		}
		if items != len(v.Shown) {
			t.Fatalf("%d items are neither shown nor left out:\n%s", items-len(v.Shown), v.Text)
		}
		in.Counts = false
		if named, err := view.Build(in); err == nil && named.Text != v.Text {
			t.Fatalf("the ids fit, but the view is\n%s", v.Text)
		}
	})
}

func TestBegin(t *testing.T) {
	count := func(s string) int { return (len(s) + 3) / 4 }
	text := strings.Repeat("one line of words\n", 40)
	for tokens, want := range map[int]string{
		0: "[left out: 720 of 720 characters]", 20: "one line of words\none line of words\none line of words\none line of words\n[left out: 649 of 720 characters]",
		view.Whole: text, 180: text,
	} {
		if got, left := view.Begin(text, tokens, count); got != want || (left > 0) != (got != text) {
			t.Errorf("%d tokens: %q, %d left", tokens, got, left)
		}
	}
	if got, left := view.Begin("short", 0, count); got != "short" || left != 0 {
		t.Errorf("%q, %d left", got, left)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, tokens := rapid.String().Draw(t, "text"), rapid.IntRange(0, 50).Draw(t, "tokens")
		got, left := view.Begin(s, tokens, count)
		shown, _, cut := strings.Cut(got, "[left out:")
		if cut != (left > 0) && !strings.Contains(s, "[left out:") || left > 0 && !strings.HasPrefix(strings.TrimLeft(s, "\n"), strings.TrimLeft(strings.TrimSuffix(shown, "\n"), "\n")) {
			t.Fatalf("%q of %q, %d left", got, s, left)
		}
	})
}

func TestList(t *testing.T) {
	count := func(s string) int { return len(s) }
	names := []string{"H1", "H2", "H3"}
	for tokens, want := range map[int]string{0: "", 2: "H1 and 2 more", 6: "H1, H2 and 1 more", 10: "H1, H2, H3"} {
		if got := view.List(names, tokens, count); got != want {
			t.Errorf("%d tokens: %q, want %q", tokens, got, want)
		}
	}
}
