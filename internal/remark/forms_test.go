package remark

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Forms match what one expression with all of them matches, in sentences made of their words.
func TestFormsMatchAsOneExpression(t *testing.T) {
	all := []forms{aside, waits, asideToo, denies, announces, below, belowTitle, adopts, withdraws, setsAside, hedges, contrasts, rejects, weighs, foreign, disowns, supposes, owned, calls, forbids}
	words := strings.Fields("i we it this that is was not the a block delta h2 , above next round . please")
	for _, f := range all {
		for _, one := range f {
			words = append(words, one.words...)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for _, f := range all {
		var patterns []string
		for _, one := range f {
			patterns = append(patterns, one.String())
		}
		whole := regexp.MustCompile("(?:" + strings.Join(patterns, "|") + ")")
		for range 1000 {
			sentence := ""
			for range 1 + rnd.IntN(9) {
				sentence = strings.TrimSpace(sentence + " " + strings.TrimSpace(words[rnd.IntN(len(words))]))
			}
			want := whole.MatchString(sentence)
			if want {
				matched++
			}
			if got := f.MatchString(sentence); got != want {
				t.Errorf("%q: %t, want %t", sentence, got, want)
			}
		}
	}
	if matched < 500 {
		t.Errorf("only %d sentences match", matched)
	}
}

func TestSplitForms(t *testing.T) {
	for pattern, want := range map[string]string{`a|b`: `a b`, `(a|b)|c`: `(a|b) c`, `[|]|\||c`: `[|] \| c`, `[^]|]x|y`: `[^]|]x y`, `^a$`: `^a$`} {
		if got := strings.Join(splitForms(pattern), " "); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

// Sentences are divided at a mark with spaces behind it.
func TestSentences(t *testing.T) {
	ends := regexp.MustCompile(`[.!?;] +`)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteByte(".!?; ab,"[rnd.IntN(8)])
		}
		line := b.String()
		var want []string
		for _, s := range ends.Split(line, -1) {
			if s = strings.TrimSpace(s); s != "" {
				want = append(want, s)
			}
		}
		if got := slices.Collect(sentences(line)); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
		end := 0
		if all := ends.FindAllStringIndex(line, -1); all != nil {
			end = all[len(all)-1][0] + 1
		}
		if got := lastEnd(line); got != end {
			t.Fatalf("%q: the last sentence begins at %d, want %d", line, got, end)
		}
	}
}
