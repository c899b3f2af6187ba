package loop_test

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
	"brenner/loop"
)

func item(id string, fields ...artifact.Field) *artifact.Item {
	return &artifact.Item{ID: id, Fields: fields}
}

func field(name string, v artifact.Value) artifact.Field {
	return artifact.Field{Name: name, Value: v}
}

func predictions(entries ...string) artifact.Map {
	var m []artifact.Entry
	for i := 0; i < len(entries); i += 2 {
		m = append(m, artifact.Entry{Key: entries[i], Value: artifact.Text(entries[i+1])})
	}
	return artifact.MapOf(m...)
}

// followAll inherits all sections.
func followAll() *loop.Follow {
	f := &loop.Follow{Relation: "extends"}
	for _, s := range artifact.Sections() {
		f.Take = append(f.Take, s.String())
	}
	return f
}

// An item with an unresolved claim is not inherited. References to it are dropped, and so is
// an item that refers only to it.
func TestInheritDropsReferencesToConflicts(t *testing.T) {
	unresolved := artifact.Conflict{{Value: artifact.Text("one")}, {Value: artifact.Text("other")}}
	var a artifact.Artifact
	a.Sections[artifact.HypothesisSlate] = []*artifact.Item{
		item("H1", field("name", artifact.Text("n")), field("claim", unresolved), field("mechanism", artifact.Text("m"))),
		item("H2", field("name", artifact.Text("n")), field("claim", artifact.Text("c")), field("mechanism", artifact.Text("m"))),
	}
	a.Sections[artifact.PredictionsTable] = []*artifact.Item{
		item("P1", field("condition", artifact.Text("both")), field("predictions", predictions("H1", "yes", "H2", "no"))),
		item("P2", field("condition", artifact.Text("one")), field("predictions", predictions("H1", "yes"))),
	}
	got := loop.Inherit(&loop.Earlier{Thread: "RS-1", Artifact: &a}, followAll(), nil)
	var labels []string
	for _, it := range got {
		labels = append(labels, it.Label)
	}
	if want := []string{"from_h2", "from_p1"}; !slices.Equal(labels, want) {
		t.Fatalf("inherited %v, want %v", labels, want)
	}
	p, err := artifact.ParseValue(got[1].Payload, artifact.MaxDepth)
	if err != nil {
		t.Fatal(err)
	}
	predictions, _ := p.(artifact.Map).Get("predictions")
	if text := string(artifact.Canonical(predictions)); text != `{"from_h2":"no"}` {
		t.Errorf("P1 predicts %s", text)
	}
}

// Inherited items refer only to inherited items.
func TestInheritedReferencesResolve(t *testing.T) {
	label := regexp.MustCompile(`"(from_[a-z]+[0-9]+)"`)
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		got := loop.Inherit(&loop.Earlier{Thread: "RS-1", Artifact: &a}, followAll(), nil)
		taken := make(map[string]bool)
		for _, it := range got {
			taken[it.Label] = true
		}
		for _, it := range got {
			for _, m := range label.FindAllSubmatch(it.Payload, -1) {
				if !taken[string(m[1])] {
					t.Fatalf("%s refers to %s: %s", it.Label, m[1], it.Payload)
				}
			}
		}
	})
}
