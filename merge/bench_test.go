package merge_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// mixedBatch resembles a long session: 80 % EDIT, 18 % ADD, 2 % KILL, by ten agents over
// many instants.
func mixedBatch(n int) []delta.Delta {
	batch := make([]delta.Delta, n)
	sections := []artifact.Section{artifact.PredictionsTable, artifact.DiscriminativeTests, artifact.AssumptionLedger, artifact.AnomalyRegister, artifact.AdversarialCritique}
	for i := range batch {
		d := benchDelta(i)
		section := sections[i%len(sections)]
		d.Section = section.String()
		switch k := (i * 7919) % 100; {
		case k < 80:
			d.Operation = delta.Edit
			d.Target = section.ItemID(1 + (i*31)%200)
			main, _ := section.Spec().Field(section.Spec().Main)
			d.Payload = delta.Payload{
				{Name: main.Name, Value: artifact.Text(fmt.Sprintf("a claim of some length that was changed for the %dth time", i))},
				{Name: "anchors", Value: artifact.List{artifact.Text(fmt.Sprintf("§%d", i%300))}},
			}
		case k < 98:
			d.Operation = delta.Add
			d.Payload = addPayload(section, i)
		default:
			d.Operation = delta.Kill
			d.Target = section.ItemID(100 + (i*17)%100)
			d.Payload = delta.Payload{{Name: "reason", Value: artifact.Text("superseded by a better one")}}
		}
		d.Settle()
		d.Seal()
		batch[i] = d
	}
	return batch
}

func addBatch(n int) []delta.Delta {
	batch := make([]delta.Delta, n)
	for i := range batch {
		d := benchDelta(i)
		section := []artifact.Section{artifact.DiscriminativeTests, artifact.AssumptionLedger, artifact.AnomalyRegister}[i%3]
		d.Section, d.Operation = section.String(), delta.Add
		d.Payload = addPayload(section, i)
		d.Settle()
		d.Seal()
		batch[i] = d
	}
	return batch
}

func benchDelta(i int) delta.Delta {
	at := time.Date(2025, 12, 30, 12, 0, i/100, 0, time.UTC)
	return delta.Delta{
		ID: fmt.Sprintf("d-%08x-%d", i*2654435761%0xffffffff, i), Agent: fmt.Sprintf("Agent%d", i%10),
		Timestamp: artifact.FormatInstant(at), Rationale: "because the evidence says so",
	}
}

func addPayload(section artifact.Section, i int) delta.Payload {
	var p delta.Payload
	for _, f := range section.Spec().Fields {
		switch {
		case f.Required && f.Kind == artifact.KindMap:
			p = append(p, delta.Field{Name: f.Name, Value: artifact.Map{{Key: "H1", Value: artifact.Text("rises")}, {Key: "H2", Value: artifact.Text("falls")}}})
		case f.Required:
			p = append(p, delta.Field{Name: f.Name, Value: artifact.Text(fmt.Sprintf("what is claimed here is number %d", i))})
		case f.Name == "name":
			p = append(p, delta.Field{Name: "name", Value: artifact.Text(fmt.Sprintf("Item %d", i))})
		case f.Name == "anchors":
			p = append(p, delta.Field{Name: "anchors", Value: artifact.List{artifact.Text("§12"), artifact.Text("inference")}})
		}
	}
	return p
}

func benchBase(b *testing.B) artifact.Artifact {
	b.Helper()
	a, _ := merge.Merge(artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-bench"}}, baseBatch(), merge.Rules{})
	if len(a.Items(artifact.PredictionsTable)) != 200 {
		b.Fatalf("the base has %d predictions", len(a.Items(artifact.PredictionsTable)))
	}
	return a
}

func baseBatch() []delta.Delta {
	var batch []delta.Delta
	for i := range 1005 {
		d := benchDelta(i)
		d.ID = "base-" + d.ID
		section := []artifact.Section{artifact.PredictionsTable, artifact.DiscriminativeTests, artifact.AssumptionLedger, artifact.AnomalyRegister, artifact.AdversarialCritique}[i%5]
		if i >= 1000 {
			section = artifact.HypothesisSlate
		}
		d.Section, d.Operation, d.Payload = section.String(), delta.Add, addPayload(section, i)
		d.Settle()
		d.Seal()
		batch = append(batch, d)
	}
	return batch
}

// benchmarkMerge first collects the garbage of the setup.
func benchmarkMerge(b *testing.B, base artifact.Artifact, batch []delta.Delta) {
	runtime.GC()
	b.ReportAllocs()
	for b.Loop() {
		_, report := merge.Merge(base, batch, merge.Rules{})
		if report.Applied == 0 {
			b.Fatal("nothing was applied")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch)), "ns/delta")
}

func BenchmarkMergeMixed(b *testing.B) {
	base := benchBase(b)
	for _, n := range []int{1_000, 10_000, 100_000} {
		batch := mixedBatch(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkMerge(b, base, batch) })
	}
}

func BenchmarkMergeAdds(b *testing.B) {
	base := benchBase(b)
	for _, n := range []int{10_000, 100_000} {
		batch := addBatch(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkMerge(b, base, batch)
		})
	}
}

// One list and one map that all agents add to, on which a careless union would be
// quadratic.
func BenchmarkMergeOneField(b *testing.B) {
	base := benchBase(b)
	batch := make([]delta.Delta, 20_000)
	for i := range batch {
		d := benchDelta(i)
		d.Operation, d.Section, d.Target = delta.Edit, artifact.PredictionsTable.String(), "P1"
		d.Payload = delta.Payload{
			{Name: "notes", Value: artifact.List{artifact.Text(fmt.Sprint("note ", i))}},
			{Name: "predictions", Value: artifact.Map{{Key: fmt.Sprintf("H%d", 100+i), Value: artifact.Text("x")}}},
			{Name: fmt.Sprintf("extra%d", i), Value: artifact.Bool(true)},
		}
		d.Settle()
		d.Seal()
		batch[i] = d
	}
	b.Run("20000", func(b *testing.B) { benchmarkMerge(b, base, batch) })
}

func BenchmarkReadDeltaFile(b *testing.B) {
	var file []byte
	file = append(file, '[')
	for i, d := range mixedBatch(10_000) {
		if i > 0 {
			file = append(file, ',')
		}
		file = append(file, d.Content()...)
	}
	file = append(file, ']')
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := delta.ReadFile(file); err != nil {
			b.Fatal(err)
		}
	}
}
