package fieldform

import (
	"slices"
	"testing"

	"brenner/artifact"
)

// The type of a value decides which kinds of fields accept it unchanged; a field of any
// kind accepts everything.
func TestKindsAcceptValues(t *testing.T) {
	kinds := []artifact.Kind{
		artifact.KindText, artifact.KindList, artifact.KindMap, artifact.KindFlag, artifact.KindStatus, artifact.KindReferences, artifact.KindScore, artifact.KindAny,
	}
	for _, c := range []struct {
		value artifact.Value
		as    []artifact.Kind // unchanged
		after []artifact.Kind // after normalisation, as well
	}{
		{artifact.Text("words"), []artifact.Kind{artifact.KindText, artifact.KindStatus, artifact.KindAny}, []artifact.Kind{artifact.KindList}},
		{artifact.Text("yes"), []artifact.Kind{artifact.KindText, artifact.KindStatus, artifact.KindAny}, []artifact.Kind{artifact.KindList, artifact.KindFlag}},
		{artifact.Map{}, []artifact.Kind{artifact.KindMap, artifact.KindScore, artifact.KindAny}, []artifact.Kind{artifact.KindReferences}},
		{artifact.List{artifact.Text("a")}, []artifact.Kind{artifact.KindList, artifact.KindReferences, artifact.KindAny}, []artifact.Kind{artifact.KindText}},
		{artifact.List{}, []artifact.Kind{artifact.KindList, artifact.KindReferences, artifact.KindAny}, nil},
		{artifact.Bool(true), []artifact.Kind{artifact.KindFlag, artifact.KindAny}, nil},
		{artifact.Number(1), []artifact.Kind{artifact.KindAny}, nil},
		{nil, []artifact.Kind{artifact.KindAny}, nil},
	} {
		for _, k := range kinds {
			if got := Has(k, c.value); got != slices.Contains(c.as, k) {
				t.Errorf("%#v as kind %v: got %t", c.value, k, got)
			}
			want := c.value != nil && (slices.Contains(c.as, k) || slices.Contains(c.after, k))
			if got := Suits(k, c.value); got != want {
				t.Errorf("%#v normalised to kind %v: got %t", c.value, k, got)
			}
		}
	}
}
