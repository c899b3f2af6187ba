package artifact_test

import (
	"fmt"
	"testing"

	"brenner/artifact"
)

// manyItems returns an artifact of n items with the usual fields.
func manyItems(n int) *artifact.Artifact {
	a := &artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-large", Status: "active"}}
	sections := artifact.Sections()[1:]
	for i := range n {
		s := sections[i%len(sections)]
		spec := s.Spec()
		it := &artifact.Item{ID: s.ItemID(i/len(sections) + 1)}
		for j := range spec.Fields {
			if v := usual(&spec.Fields[j], i); v != nil {
				it.Fields = append(it.Fields, artifact.Field{Name: spec.Fields[j].Name, Value: v})
			}
		}
		if i%50 == 0 {
			it.Kill = &artifact.Kill{By: "GreenDog", Reason: "Subsumed by another one"}
		}
		a.Sections[s] = append(a.Sections[s], it)
	}
	return a
}

func usual(f *artifact.FieldSpec, i int) artifact.Value {
	switch f.Kind {
	case artifact.KindText:
		return artifact.Text(fmt.Sprintf("%s %d: cells (most of them) read a gradient, as §161 says; p < 0.05", f.Name, i))
	case artifact.KindList:
		return artifact.List{artifact.Text("§161"), artifact.Text("§205 [inference]")}
	case artifact.KindStatus:
		return artifact.Text(f.Allowed[0])
	case artifact.KindFlag:
		return artifact.Bool(i%2 == 0)
	case artifact.KindMap:
		return artifact.MapOf(artifact.Entry{Key: "H1", Value: artifact.Text("keeps its fate")}, artifact.Entry{Key: "H2", Value: artifact.Text("changes")})
	case artifact.KindScore:
		return artifact.MapOf(artifact.Entry{Key: "cost", Value: artifact.Number(i % 4)}, artifact.Entry{Key: "speed", Value: artifact.Number(2)})
	}
	return nil
}

func BenchmarkMarkdown100k(b *testing.B) {
	a := manyItems(100_000)
	b.SetBytes(int64(len(a.Markdown())))
	b.ReportAllocs()
	for b.Loop() {
		a.Markdown()
	}
}

func BenchmarkMarkdownLines100k(b *testing.B) {
	a := manyItems(100_000)
	b.ReportAllocs()
	for b.Loop() {
		a.MarkdownLines()
	}
}

func BenchmarkReadMarkdown100k(b *testing.B) {
	a := manyItems(100_000)
	md := a.Markdown()
	b.SetBytes(int64(len(md)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := artifact.Parse(md); err != nil {
			b.Fatal(err)
		}
	}
}
