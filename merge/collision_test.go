package merge_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// An attacker who knows how ids are hashed can make all of them collide. That may cost
// time, but must not make two deltas one.
func TestCollidingIDsStayDistinct(t *testing.T) {
	t.Parallel()
	var batch []delta.Delta
	for i := range 200 {
		d := benchDelta(i)
		d.ID, d.Operation, d.Section = lookalike(i), delta.Add, artifact.AnomalyRegister.String()
		d.Payload = delta.Payload{{Name: "observation", Value: artifact.Text(fmt.Sprint("seen ", i))}}
		d.Settle()
		d.Seal()
		batch = append(batch, d)
	}
	once, report := merge.Merge(artifact.Artifact{}, batch, merge.Rules{})
	if report.Applied != len(batch) {
		t.Fatalf("applied %d of %d", report.Applied, len(batch))
	}
	twice, report := merge.Merge(once, append(batch, batch[0]), merge.Rules{})
	for _, row := range report.Deltas {
		if row.Disposition != merge.Duplicate {
			t.Errorf("second merge of %q: got %s", row.DeltaID, row.Disposition)
		}
	}
	if string(once.JSON()) != string(twice.JSON()) {
		t.Error("the second merge changed the artifact")
	}
}

// lookalike returns ids of two words, of which the second cancels the first in the hash.
func lookalike(i int) string {
	const odd = 0x9e3779b97f4a7c15
	first := 0x6162636465666768 + uint64(i)
	second := (16 ^ first) * odd
	second ^= second >> 32
	return string(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, first), second))
}
