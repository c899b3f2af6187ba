package pattern

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A pattern matches what its expression matches, in texts made of its words.
func TestMatchesAsItsExpression(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for _, source := range []string{
		`a|b`, `^(?:not|never) (?:sent|merged)\b|\bdraft(s)?$`, `(?i)^Note: |\bDRAFT\b`, `(?:x+y|z{2,})w`, `[|]|\||c`, `(?m)^sent$|^$`, `(block) (\d+)|delta`, `\b(?:i|we) (?:withdraw|retract)\b.*\bit\b`, `(?s)a.b|(?:)`,
	} {
		p, whole := New(source), regexp.MustCompile(source)
		both := SetOf(New("never|block"), p)
		words := []string{"a", "b", "c", "not", "never", "sent", "merged", "draft", "drafts", "Note: ", "note: ", "xxy", "zzw", "w", "|", "\n", "block", "12", "delta", "i", "withdraw", "it", "é"}
		for range 2000 {
			var text string
			for range rnd.IntN(7) {
				text += words[rnd.IntN(len(words))] + [...]string{"", " "}[rnd.IntN(2)]
			}
			want := whole.MatchString(text)
			if want {
				matched++
			}
			if got := p.MatchString(text); got != want {
				t.Fatalf("%s in %q: %t, want %t", source, text, got, want)
			}
			if got := p.Match([]byte(text)); got != want {
				t.Fatalf("%s in the bytes of %q: %t, want %t", source, text, got, want)
			}
			if want && !both.MayMatch(text) {
				t.Fatalf("a set with %s may not match %q", source, text)
			}
			if long := text + strings.Repeat("\n", maxShort); matched%50 == 0 && (p.MatchString(long) != whole.MatchString(long) || p.Match([]byte(long)) != whole.MatchString(long)) {
				t.Fatalf("%s in a long text of %q: not %t", source, text, whole.MatchString(long))
			}
			if got, want := p.FindStringSubmatch(text), whole.FindStringSubmatch(text); !slices.Equal(got, want) {
				t.Fatalf("%s in %q: found %q, want %q", source, text, got, want)
			}
			if got, want := p.ReplaceAllString(text, "<$0>"), whole.ReplaceAllString(text, "<$0>"); got != want {
				t.Fatalf("%s in %q: replaced %q, want %q", source, text, got, want)
			}
		}
	}
	if matched < 2000 {
		t.Errorf("only %d texts match", matched)
	}
}

func TestSplit(t *testing.T) {
	for source, want := range map[string]string{`a|b`: `a b`, `(a|b)|c`: `(a|b) c`, `[|]|\||c`: `[|] \| c`, `[^]|]x|y`: `[^]|]x y`, `^a$`: `^a$`} {
		if got := strings.Join(split(source), " "); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

func TestHasAny(t *testing.T) {
	words := []string{"ttach", " file", "saved", "] user", "] tool", "::", "ab"}
	for _, text := range []string{"", "a", "attached", "ttac", " fil", "my file", "file", "] use", "x] user", "] tool", "] too", ":", "x::", "saves", "save saved", strings.Repeat("] ", 50) + "] tool"} {
		for n := range words {
			want := slices.ContainsFunc(words[n:], func(w string) bool { return strings.Contains(text, w) })
			if got := HasAny([]byte(text), words[n:]...); got != want {
				t.Errorf("%q has one of %q: %t, want %t", text, words[n:], got, want)
			}
		}
	}
}
