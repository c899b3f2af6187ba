package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/artifact/lint"
)

// sound returns items without findings, except about their number.
func sound(prefix string, i int) string {
	switch prefix {
	case "H":
		return fmt.Sprintf(`{"id":"H%d","name":"n%d","claim":"c","mechanism":"m","third_alternative":true,"anchors":["§1-1000000000","EV-001#E1"]}`, i, i)
	case "P":
		return fmt.Sprintf(`{"id":"P%d","condition":"c","predictions":{"H1":"a","H2":"b","H%d":"c"}}`, i, max(i, 3))
	case "T":
		return fmt.Sprintf(`{"id":"T%d","procedure":"p","discriminates":"H1 vs H%d","expected_outcomes":{"H1":"x","H%d":"y"},"potency_check":"p","feasibility":"f","score":{"likelihood_ratio":1,"cost":1,"speed":1,"ambiguity":1}}`, i, i, max(i, 2))
	case "A":
		return fmt.Sprintf(`{"id":"A%d","statement":"s","load":"l","scale_check":true,"calculation":"2 × 2 = 4","status":"unchecked"}`, i)
	case "X":
		return fmt.Sprintf(`{"id":"X%d","observation":"o","conflicts_with":["H%d"],"status":"active"}`, i, i)
	default:
		return fmt.Sprintf(`{"id":"C%d","attack":"a","evidence":"e","current_status":"open","real_third_alternative":true}`, i)
	}
}

// poor returns items that violate almost every rule.
func poor(prefix string, i int) string {
	switch prefix {
	case "H":
		return fmt.Sprintf(`{"id":"H%d","name":"same","anchors":["§9-3","page 1"]}`, i)
	case "P":
		return fmt.Sprintf(`{"id":"P%d","predictions":{"H1":"a","H2":"A ","H1000000":"c","x":""}}`, i)
	case "T":
		return fmt.Sprintf(`{"id":"T%d","discriminates":"H1000000","score":{"cost":%d}}`, i, i%9)
	default:
		return fmt.Sprintf(`{"id":"%s%d","conflicts_with":["H1000000"]}`, prefix, 2*i)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, kind := range []struct {
		name string
		item func(string, int) string
	}{{"sound", sound}, {"poor", poor}} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, n), func(b *testing.B) {
				doc := many(b, n, kind.item)
				found := 0
				for b.Loop() {
					found = len(lint.Check(doc).Findings)
				}
				b.ReportMetric(float64(found), "findings")
			})
		}
	}
}

// One item of a hundred thousand parts, on which a careless rule would be quadratic.
func BenchmarkCheckWide(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			doc := wide(b, n)
			for b.Loop() {
				lint.Check(doc)
			}
		})
	}
}

func wide(t testing.TB, n int) artifact.Document {
	var cells, places, anchors, refs strings.Builder
	for i := range n {
		if i > 0 {
			for _, b := range []*strings.Builder{&cells, &places, &anchors, &refs} {
				b.WriteByte(',')
			}
		}
		fmt.Fprintf(&cells, `"H%d":"x"`, i+1)
		fmt.Fprintf(&places, `"predictions.H%d","expected_outcomes.H%d","conflicts_with.H%d"`, i+1, i+1, i+1)
		fmt.Fprintf(&anchors, `"§%d-1000000000"`, i+1)
		fmt.Fprintf(&refs, `"H%d"`, i+1)
	}
	return many(t, 6*3, func(prefix string, i int) string {
		return fmt.Sprintf(`{"id":"%s%d","anchors":[%s],"predictions":{%s},"expected_outcomes":{%s},"conflicts_with":[%s],"unresolved":[%s]}`,
			prefix, i, &anchors, &cells, &cells, &refs, &places)
	})
}

func BenchmarkCheckHugeRange(b *testing.B) {
	doc := many(b, 18, sound)
	doc.Artifact.Sections[artifact.HypothesisSlate][0].Fields = []artifact.Field{
		{Name: "claim", Value: artifact.Text("c")},
		{Name: "mechanism", Value: artifact.Text("m")},
		{Name: "anchors", Value: artifact.List{artifact.Text("§1-1000000000"), artifact.Text("§1-" + strings.Repeat("9", 1<<20))}},
	}
	for b.Loop() {
		lint.Check(doc)
	}
}
