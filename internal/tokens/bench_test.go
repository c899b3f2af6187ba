package tokens

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		New().Count("hello")
	}
}

func BenchmarkProse(b *testing.B) {
	c := New()
	text := strings.Repeat("Histone modifications inherited through division encode positional memory. ", 400)
	c.Count(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Count(text)
	}
}

// BenchmarkHostile shows that time is linear in the length of the text: each pair of
// figures should differ by about four.
func BenchmarkHostile(b *testing.B) {
	c := New()
	for _, piece := range hostile() {
		for _, size := range []int{25_000, 100_000} {
			text := strings.Repeat(piece, size/len(piece))
			b.Run(fmt.Sprintf("%q/%dKB", piece, size/1000), func(b *testing.B) {
				for b.Loop() {
					c.Count(text)
				}
			})
		}
	}
}

// BenchmarkLongWord counts 16 MB of one kind of characters, the largest output of a program.
func BenchmarkLongWord(b *testing.B) {
	c := New()
	c.Count("warm")
	for _, piece := range []string{"a", "ab", "é", "-", "7"} {
		text := strings.Repeat(piece, 16<<20/len(piece))
		b.Run(piece, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Count(text)
			}
		})
	}
}
