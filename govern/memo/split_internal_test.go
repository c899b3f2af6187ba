package memo

import (
	"fmt"
	"strings"
	"testing"

	"brenner/store/record"
)

func TestExtractedMemoRespectsItsBound(t *testing.T) {
	var inputs []record.Record
	for i := range 300 {
		inputs = append(inputs, record.Record{ID: fmt.Sprintf("%s-%d", strings.Repeat("n", 95), i), Type: record.PaperNote, Version: 1, Status: record.Draft, Summary: strings.Repeat("s", 200)})
	}
	for _, bound := range []int{0, 10_000, 40_000, 1 << 20} {
		taken, left := Split(inputs, bound)
		if len(taken)+len(left) != len(inputs) {
			t.Fatalf("%d and %d", len(taken), len(left))
		}
		var refs []record.Ref
		for i := range left {
			refs = append(refs, left[i].Ref())
		}
		if memo := Text(strings.Repeat("m", maxName), taken, refs); len(taken) > 0 && len(memo) > bound {
			t.Errorf("got %d bytes, want at most %d", len(memo), bound)
		}
		if (bound > 0) != (len(taken) > 0) || (bound == 1<<20) != (len(left) == 0) {
			t.Errorf("bound %d: %d covered", bound, len(taken))
		}
	}
}
