package patch

import (
	"fmt"
	"strings"
	"testing"
)

// large returns a text of about 10 MB and a copy with a thousand changed lines.
func large(b *testing.B) (from, to *Text) {
	b.Helper()
	var old, now strings.Builder
	for i := range 200_000 {
		line := fmt.Sprintf("line %d of a long text, with some words that repeat\n", i)
		old.WriteString(line)
		if i%200 == 100 {
			line = fmt.Sprintf("line %d was changed\n", i)
		}
		now.WriteString(line)
	}
	return text(b, old.String()), text(b, now.String())
}

func BenchmarkMake10MB1000Changes(b *testing.B) {
	from, to := large(b)
	b.SetBytes(int64(len(from.canon)))
	for b.Loop() {
		if p, problems := Make("f", from, to); len(problems) > 0 || p.Operations() != 1000 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkApply10MB1000Operations(b *testing.B) {
	from, to := large(b)
	p, _ := Make("f", from, to)
	data, raw := p.JSON(), from.Bytes()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		read, _ := Read(data)
		base, _ := NewText(raw)
		if out, r := read.Apply(base); !r.OK() || out.Hash() != to.Hash() {
			b.Fatal(r.Err())
		}
	}
}

func BenchmarkApply10MB1000OperationsIgnoringWhitespace(b *testing.B) {
	from, to := large(b)
	p, _ := Make("f", from, to)
	for i := range p.Groups {
		p.Groups[i].Anchor.Mode = IgnoreWhitespace
	}
	b.SetBytes(int64(len(from.canon)))
	for b.Loop() {
		if out, r := p.Apply(from); !r.OK() || out.Hash() != to.Hash() {
			b.Fatal(r.Err())
		}
	}
}

func BenchmarkApply10MBWithCRLF(b *testing.B) {
	from, to := large(b)
	p, _ := Make("f", from, to)
	raw := []byte(bom + strings.ReplaceAll(from.canon, "\n", "\r\n"))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		base, _ := NewText(raw)
		if _, r := p.Apply(base); !r.OK() {
			b.Fatal(r.Err())
		}
	}
}

// BenchmarkCheck10MB1000Misses includes the explanations of the failures.
func BenchmarkCheck10MB1000Misses(b *testing.B) {
	from, _ := large(b)
	p := Patch{Base: from.Hash()}
	for i := range 1000 {
		p.Groups = append(p.Groups, Group{Anchor{fmt.Sprintf("line %d of a  long text", i), Exact}, []Op{{Kind: DeleteBlock, Old: "x"}}})
	}
	for b.Loop() {
		if r := p.Check(from); len(r.Problems) != 1000 {
			b.Fatal(r.Err())
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	letters := text(b, strings.Repeat("a", 1<<20))
	half := strings.Repeat("a", 1<<19)
	nested := Patch{Base: letters.Hash()}
	for i := range 1000 {
		nested.Groups = append(nested.Groups, Group{Anchor{strings.Repeat("a", i+1), Exact}, []Op{{Kind: DeleteBlock, Old: "b"}}})
	}
	blankAnchor := patchOf(letters, " \n\t", Op{Kind: DeleteBlock, Old: "a"})
	for _, c := range []struct {
		name string
		do   func() bool
	}{
		{"blank anchor", func() bool { _, problems := Read(blankAnchor.JSON()); return codes(problems) == "EMPTY_ANCHOR" }},
		{"1 MB of one letter, half of it the anchor", func() bool {
			p := patchOf(letters, half, Op{Kind: DeleteBlock, Old: "a", Index: 1 << 18})
			r := p.Check(letters)
			return r.OK()
		}},
		{"1 MB of one letter, block not found", func() bool {
			p := patchOf(letters, half, Op{Kind: DeleteBlock, Old: half + "b"})
			r := p.Check(letters)
			return codes(r.Problems) == "BLOCK_NOT_ADJACENT"
		}},
		{"1 MB of one letter, near miss of the anchor", func() bool {
			p := patchOf(letters, half+"b", Op{Kind: DeleteBlock, Old: "a"})
			r := p.Check(letters)
			return codes(r.Problems) == "ANCHOR_NOT_FOUND"
		}},
		{"1 MB of one letter, a thousand nested anchors", func() bool { r := nested.Check(letters); return len(r.Problems) == 1000 }},
		{"1 MB of one letter, one inserted", func() bool {
			to := text(b, strings.Repeat("a", 1<<19)+"b"+half)
			p, problems := Make("", letters, to)
			return len(problems) == 0 && p.Operations() == 1
		}},
		{"1 MB of line ends, one inserted", func() bool {
			from := text(b, strings.Repeat("\n", 1<<20))
			to := text(b, strings.Repeat("\n", 1<<19)+"b"+strings.Repeat("\n", 1<<19))
			_, problems := Make("", from, to)
			return len(problems) == 0
		}},
		{"two texts of 1 MB without a common line", func() bool {
			var x, y strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&x, "x %d\n", i%977)
				fmt.Fprintf(&y, "y %d\n", i%983)
			}
			_, problems := Make("", text(b, x.String()), text(b, y.String()))
			return len(problems) == 0
		}},
		{"the same lines in another order", func() bool {
			var x, y strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&x, "%d\n", i%977)
				fmt.Fprintf(&y, "%d\n", i*7%977)
			}
			_, problems := Make("", text(b, x.String()), text(b, y.String()))
			return len(problems) == 0
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if !c.do() {
					b.Fatal("unexpected result")
				}
			}
		})
	}
}
