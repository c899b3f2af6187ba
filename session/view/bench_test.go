package view_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/internal/tokens"
	"brenner/session/view"
)

// large returns an artifact of n items with stamps, links and kills.
func large(n int) artifact.Artifact {
	var a artifact.Artifact
	for i := range n {
		s := artifact.Section(1 + i%(artifact.SectionCount-1))
		id := s.ItemID(1 + i/(artifact.SectionCount-1))
		by := stamp(fmt.Sprintf("Agent%d", i%7), 1+i*7919%97)
		it := &artifact.Item{ID: id, Created: by}
		for _, f := range s.Spec().Fields {
			field := artifact.Field{Name: f.Name}
			switch f.Kind {
			case artifact.KindText:
				field.Value = artifact.Text(fmt.Sprintf("What %s says of its %s, at some length and with H%d in it.", id, f.Name, i%50))
			case artifact.KindMap:
				field.Value = artifact.MapOf(artifact.Entry{Key: fmt.Sprintf("H%d", i%50), Value: artifact.Text("goes up")})
			default:
				continue
			}
			it.Fields = append(it.Fields, field)
		}
		if i%9 == 0 {
			it.Kill = &artifact.Kill{By: "Agent1", Reason: "It was wrong."}
		}
		a.Sections[s] = append(a.Sections[s], it)
	}
	return a
}

func BenchmarkBuild(b *testing.B) {
	count := tokens.New().Count
	count("loaded")
	for _, n := range []int{30, 300, 10_000} {
		for _, role := range []string{"test_designer", "unified"} {
			b.Run(fmt.Sprintf("%s/%d", role, n), func(b *testing.B) {
				in := view.Input{Artifact: large(n), Spec: view.Default(role), Agent: "Agent3", Count: count}
				for b.Loop() {
					build(b, in)
				}
			})
		}
	}
	b.Run("oversized texts", func(b *testing.B) {
		a := large(10_000)
		for _, section := range a.Sections {
			for _, it := range section {
				it.Fields[0].Value = artifact.Text(strings.Repeat("endless words ", 1000))
			}
		}
		in := view.Input{Artifact: a, Spec: view.Default("test_designer"), Agent: "Agent3", Count: count}
		for b.Loop() {
			build(b, in)
		}
	})
}
