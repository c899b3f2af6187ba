package delta

import (
	"strings"
	"testing"
)

// besideBlocks returns a megabyte of blocks with a sentence before and behind each, which only a close look tells from remarks.
func besideBlocks() []byte {
	const block = "```delta\n" + `{"operation": "EDIT", "section": "hypothesis_slate", "target_id": "H2", "payload": {"claim": "Cells keep count"}}` + "\n```\n\n"
	unit := "If RedSky would not object again, I should still change the first version of this draft, and here it is:\n\n" + block +
		"I would not have sent this before, but the critic asked for it. Please keep the earlier wording of H1 in mind.\n\n" +
		"The previous round left one option open, and it was never rejected since. My change:\n\n" + block
	return []byte(strings.Repeat(unit, 1<<20/len(unit)))
}

func BenchmarkReadRemarks(b *testing.B) {
	text := besideBlocks()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Read(text, Options{Author: "BlueLake"})
	}
}
