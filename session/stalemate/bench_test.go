package stalemate

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDetect searches a hundred rounds over a thousand items.
func BenchmarkDetect(b *testing.B) {
	p := newPlay(b)
	var adds []string
	for i := range 1000 {
		adds = append(adds, fmt.Sprintf(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"C%d","attack":"a"}}`, i))
	}
	p.settle(0, "operator", "["+strings.Join(adds, ",")+"]")
	for round := 1; round <= 100; round++ {
		p.settle(round, "Anna", edit("H1", "claim", fmt.Sprint("a", round)), "Bert", edit("H2", "claim", fmt.Sprint("b", round)))
	}
	for b.Loop() {
		if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
			b.Fatal(kinds(got))
		}
	}
}
