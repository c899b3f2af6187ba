package artifact_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
	"brenner/internal/fault"
)

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		want := a.JSON()
		got, err := artifact.Parse(want)
		if err != nil {
			t.Fatalf("Parse: %v\n%s", err, want)
		}
		if !bytes.Equal(got.JSON(), want) {
			t.Fatalf("got  %s\nwant %s", got.JSON(), want)
		}
	})
}

// jsontext confirms that the writer's JSON is canonical.
func TestJSONIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		checkCanonical(t, a.JSON())
		checkCanonical(t, artifact.Canonical(artifacttest.Value(4).Draw(t, "value")))
	})
}

func checkCanonical(t *rapid.T, got []byte) {
	want := jsontext.Value(bytes.Clone(got))
	if err := want.Canonicalize(); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := artifacttest.Value(5).Draw(t, "value")
		got, err := artifact.ParseValue(artifact.Canonical(v), artifact.MaxDepth)
		if err != nil || !artifact.Equal(got, v) {
			t.Fatalf("got %v, %v; want %v", got, err, v)
		}
	})
}

func TestNumbersAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(n int64) float64 { return float64(n) })).Draw(t, "number")
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		checkCanonical(t, artifact.Canonical(artifact.Number(f)))
	})
}

func TestCompareKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			artifacttest.Text(),
			rapid.StringOf(rapid.RuneFrom([]rune("ab\u007f\u0080é\ud7ff\ue000\ufffd\uffff\U00010000\U0001f600\U0001f601\U0010ffff"))),
		).Filter(utf8.ValidString)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		common := text.Draw(t, "common")
		a, b = common+a, common+b
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := artifact.CompareKeys(a, b); sign(got) != want {
			t.Fatalf("CompareKeys(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

func sign(n int) int { return min(1, max(-1, n)) }

func TestParseValueRejects(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, code := range map[string]fault.Code{
		`{"a":1,"a":2}`:             artifact.DuplicateKey,
		`{"a":1`:                    artifact.InvalidJSON,
		`1 2`:                       artifact.InvalidJSON,
		`01`:                        artifact.InvalidJSON,
		`1e999`:                     artifact.InvalidJSON,
		`9007199254740993`:          artifact.InvalidJSON,
		"\"\xff\"":                  artifact.InvalidJSON,
		`"\ud800"`:                  artifact.InvalidJSON,
		deep(artifact.MaxDepth + 2): artifact.InvalidJSON,
		``:                          artifact.InvalidJSON,
	} {
		if v, err := artifact.ParseValue([]byte(text), artifact.MaxDepth); fault.CodeOf(err) != code {
			t.Errorf("ParseValue(%.40q) = %v, %v; want %s", text, v, err, code)
		}
	}
	if _, err := artifact.ParseValue([]byte(deep(artifact.MaxDepth+1)), artifact.MaxDepth); err != nil {
		t.Errorf("a list nested %d deep: %v", artifact.MaxDepth, err)
	}
}
