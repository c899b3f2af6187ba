package artifact_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
)

// roundTrip checks that Markdown reads back as the same artifact.
func roundTrip(t *rapid.T) {
	a := artifacttest.Any().Draw(t, "artifact")
	checkRoundTrip(t, &a)
}

type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkRoundTrip(t reporter, a *artifact.Artifact) {
	t.Helper()
	bare := a.WithoutProvenance()
	md := a.Markdown()
	got, err := artifact.Parse(md)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, md)
	}
	if got, want := got.JSON(), bare.JSON(); !bytes.Equal(got, want) {
		t.Fatalf("content changed:\n%s\n%s", cmp.Diff(string(want), string(got)), md)
	}
	if again := got.Markdown(); !bytes.Equal(again, md) {
		t.Fatalf("second rendering differs:\n%s", cmp.Diff(string(md), string(again)))
	}
}

func TestMarkdownRoundTrip(t *testing.T) { rapid.Check(t, roundTrip) }

func FuzzMarkdownRoundTrip(f *testing.F) { f.Fuzz(rapid.MakeFuzz(roundTrip)) }

// The line index of the writer equals that of the reader.
func TestMarkdownLinesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		md, lines := a.MarkdownLines()
		if !bytes.Equal(md, a.Markdown()) {
			t.Fatal("MarkdownLines and Markdown differ")
		}
		doc, err := artifact.Read(md)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines, doc.Lines); diff != "" {
			t.Fatalf("lines (-written +read):\n%s\n%s", diff, md)
		}
		bare := a.WithoutProvenance()
		again, err := artifact.Parse(bare.JSON())
		if err != nil {
			t.Fatalf("JSON: %v\n%s", err, bare.JSON())
		}
		if !bytes.Equal(again.Markdown(), md) {
			t.Fatalf("the Markdown differs after JSON:\n%s", cmp.Diff(string(md), string(again.Markdown())))
		}
	})
}

// Only the writer starts lines: text in an artifact cannot.
func TestMarkdownIsWellFormedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		md := a.Markdown()
		if !bytes.HasSuffix(md, []byte("\n")) || bytes.HasSuffix(md, []byte("\n\n")) {
			t.Fatal("the file does not end with exactly one newline")
		}
		for _, line := range bytes.Split(md, []byte("\n")) {
			if n := len(line); n > 0 && (line[n-1] == ' ' || line[n-1] == '\t') {
				t.Fatalf("blank at the end of %q", line)
			}
		}
		crlf := bytes.ReplaceAll(md, []byte("\n"), []byte("\r\n"))
		got, err := artifact.Parse(crlf)
		if err != nil {
			t.Fatalf("with CRLF: %v", err)
		}
		if bare := a.WithoutProvenance(); !bytes.Equal(got.JSON(), bare.JSON()) {
			t.Fatal("with CRLF: the content differs")
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range readSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := artifact.Read(data)
		if err != nil {
			return
		}
		for _, p := range doc.Problems {
			if p.Message == "" {
				t.Fatalf("problem without a message: %+v", p)
			}
		}
		a, err := doc.Strict()
		if err != nil {
			return
		}
		checkRoundTrip(t, &a)
	})
}
