package patch

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Apply(a, Make(a, b)) is b for all different texts, also through JSON. The bytes keep the
// file's line ends and byte order mark.
func TestMakeThenApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrip(t, anyText().Draw(t, "a"), anyText().Draw(t, "b"))
	})
}

// The same for texts that differ in a few places.
func TestMakeThenApplySmallChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyText().Draw(t, "a")
		b := a
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			runes := []rune(b)
			at := rapid.IntRange(0, len(runes)).Draw(t, "at")
			cut := rapid.IntRange(0, min(3, len(runes)-at)).Draw(t, "cut")
			b = string(runes[:at]) + rapid.SampledFrom([]string{"", "x", "\n", "new line\n", " ", "é"}).Draw(t, "put") + string(runes[at+cut:])
		}
		checkRoundTrip(t, a, b)
	})
}

// The lines without additions are the first text, those without removals the second. Equal
// texts have no marked lines.
func TestLinesContainBothTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"}), 0, 30)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var first, second []string
		for _, l := range Lines(a, b) {
			if l.Mark != '+' {
				first = append(first, l.Text)
			}
			if l.Mark != '-' {
				second = append(second, l.Text)
			}
		}
		if !slices.Equal(first, a) || !slices.Equal(second, b) {
			t.Fatalf("got %q and %q", first, second)
		}
		for _, l := range Lines(a, a) {
			if l.Mark != ' ' {
				t.Fatalf("equal texts: marked line %c%s", l.Mark, l.Text)
			}
		}
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func checkRoundTrip(t failer, a, b string) {
	from, invalidA := NewText([]byte(a))
	to, invalidB := NewText([]byte(b))
	if len(invalidA)+len(invalidB) > 0 {
		return
	}
	p, problems := Make("f.txt", from, to)
	if from.Canonical() == to.Canonical() {
		if codes(problems) != "NO_OPS" {
			t.Fatalf("equal texts: %v", problems)
		}
		return
	}
	if len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	read, problems := Read(p.JSON())
	if len(problems) > 0 || string(read.JSON()) != string(p.JSON()) {
		t.Fatalf("%s: %v", p.JSON(), problems)
	}
	out, r := read.Apply(from)
	if !r.OK() || len(r.Warnings) > 0 {
		t.Fatalf("%q to %q: %s: %v, %v", a, b, p.JSON(), r.Err(), r.Warnings)
	}
	if out.Canonical() != to.Canonical() {
		t.Fatalf("got %q, want %q", out.Canonical(), to.Canonical())
	}
	if Canonical(string(out.Bytes())) != out.Canonical() {
		t.Fatalf("bytes %q do not match %q", out.Bytes(), out.Canonical())
	}
	if strings.HasPrefix(a, bom) != strings.HasPrefix(string(out.Bytes()), bom) {
		t.Fatalf("byte order mark of %q lost or added: %q", a, out.Bytes())
	}
	if end := lineEnd(a); uniform(a) && strings.Trim(Canonical(a), "\n") != Canonical(a) && !uniformWith(string(out.Bytes()), end) {
		t.Fatalf("%q has only line ends %q, but %q does not", a, end, out.Bytes())
	}
}

// uniform reports whether a text has line ends of one kind only.
func uniform(s string) bool { return uniformWith(s, lineEnd(s)) }

func uniformWith(s, end string) bool {
	return !strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(s, bom, ""), end, ""), "\r\n")
}

// A patch applies only to the text it was made for.
func TestPatchRefusesOtherBases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyText().Draw(t, "a"), anyText().Draw(t, "b"), anyText().Draw(t, "c")
		if Canonical(a) == Canonical(b) || Canonical(c) == Canonical(a) {
			return
		}
		from, _ := NewText([]byte(a))
		to, _ := NewText([]byte(b))
		other, _ := NewText([]byte(c))
		p, _ := Make("", from, to)
		out, r := p.Apply(other)
		if out != nil || codes(r.Problems) != "BASE_MISMATCH" {
			t.Fatalf("%v", r)
		}
	})
}

// The search agrees with a naive search for each word.
func TestSearchAgreesWithNaiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("aab")), 0, 60, -1)
		s := letters.Draw(t, "text")
		words := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 1, 6, -1), 1, 12, rapid.ID[string]).Draw(t, "words")
		var all search
		wanted := make([]query, len(words))
		for i, w := range words {
			q := all.queryFor(w)
			q.instances, q.ends = []int{rapid.IntRange(1, 15).Draw(t, "instance")}, []int{rapid.IntRange(0, 60).Draw(t, "end")}
			wanted[i] = *q
		}
		all.run(s)
		for i, p := range all.queries {
			w, n := words[i], 0
			for at := 0; at+len(w) <= len(s); at++ {
				if !strings.HasPrefix(s[at:], w) {
					continue
				}
				n++
				if n <= maxListed && p.starts[n-1] != at {
					t.Fatalf("%q in %q: instance %d is at %d, want %d", w, s, n, p.starts[n-1], at)
				}
				if got, ok := p.at[n]; n == wanted[i].instances[0] && (!ok || got != at) {
					t.Fatalf("%q in %q: instance %d is at %d, want %d", w, s, n, got, at)
				}
				if got := p.ranks[at+len(w)]; at+len(w) == wanted[i].ends[0] && got != n {
					t.Fatalf("%q in %q: the instance ending at %d is %d, want %d", w, s, at+len(w), got, n)
				}
			}
			if p.count != n {
				t.Fatalf("%q in %q: count %d, want %d", w, s, p.count, n)
			}
		}
	})
}

// ignore_whitespace matches anchors with any whitespace, and replaces exactly the block.
func TestIgnoreWhitespace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := rapid.SampledFrom([]string{"", " ", "\n", "\t ", "  \n"})
		spread := func(s, name string) string {
			var b strings.Builder
			for _, r := range s {
				b.WriteString(space.Draw(t, name))
				b.WriteRune(r)
			}
			return b.String()
		}
		anchor := rapid.SampledFrom([]string{"anchor", "f(x)", "é日"}).Draw(t, "anchor")
		block := rapid.SampledFrom([]string{"block", " block ", "\nb"}).Draw(t, "block")
		gap := space.Draw(t, "gap")
		base, _ := NewText([]byte("head\n" + spread(anchor, "in the base") + gap + block + "\ntail\n"))
		p := patchOf(base, spread(anchor, "in the patch")+space.Draw(t, "end"), Op{Kind: ReplaceBlock, Old: block, New: "NEW"})
		p.Groups[0].Anchor.Mode = IgnoreWhitespace
		out, r := p.Apply(base)
		if !r.OK() || strings.Count(out.Canonical(), "NEW") != 1 {
			t.Fatalf("%q: %v", base.Canonical(), r.Err())
		}
		if want := strings.Replace(base.Canonical(), gap+block+"\ntail", gap+"NEW\ntail", 1); out.Canonical() != want {
			t.Fatalf("got %q, want %q", out.Canonical(), want)
		}
	})
}

func TestCanonicalIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "text")
		once := Canonical(s)
		if Canonical(once) != once || strings.ContainsAny(once, "\r"+bom) {
			t.Fatalf("%q", once)
		}
	})
}
