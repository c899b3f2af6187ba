package merge_test

import (
	"fmt"
	"testing"

	"brenner/artifact"
	"brenner/merge"
)

// New ids continue from the highest one of the base, also when a digit is added, and the
// report agrees with the items.
func TestNewIDsContinue(t *testing.T) {
	t.Parallel()
	const section = artifact.AnomalyRegister
	var base artifact.Artifact
	base.Sections[section] = []*artifact.Item{{ID: section.ItemID(97)}}
	batch := addBatch(3 * 1000)
	out, report := merge.Merge(base, batch, merge.Rules{})
	items := out.Items(section)
	if len(items) != 1001 {
		t.Fatalf("got %d items", len(items))
	}
	said := map[string]string{}
	for _, row := range report.Deltas {
		said[row.TargetID] = row.Message
	}
	for i, it := range items {
		if want := fmt.Sprintf("X%d", 97+i); it.ID != want {
			t.Fatalf("got %s, want %s", it.ID, want)
		}
		if i > 0 && said[it.ID] != "added as "+it.ID {
			t.Fatalf("%s: got %q in the report", it.ID, said[it.ID])
		}
	}
}
