package delta

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
)

var update = flag.Bool("update", false, "write the golden files")

// shown formats a field's value.
func shown(f Field) string {
	switch v := f.Value.(type) {
	case nil:
		return "bad: " + f.Bad
	case artifact.Text:
		return string(v)
	default:
		return string(artifact.Canonical(v))
	}
}

// report formats all findings in a reply.
func report(r Reply) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "reply: %s at %d:%d: %s\n\thint: %s\n", p.Code, p.Line, p.Column, p.Message, p.Hint)
	}
	for _, k := range r.Blocks {
		state := "rejected"
		switch {
		case k.OK:
			state = "ok"
		case k.Skipped():
			state = "skipped"
		}
		fmt.Fprintf(&b, "block %d, line %d: %s\n", k.Index, k.Line, state)
		if d := k.Delta; d.Operation != "" {
			fmt.Fprintf(&b, "\t%s %s %s %v\n", d.Operation, d.Section, d.Target, d.Labels)
			for _, f := range d.Payload {
				fmt.Fprintf(&b, "\t\t%s = %q\n", f.Name, shown(f))
			}
		}
		for _, f := range k.Flags {
			fmt.Fprintf(&b, "\tflag %s: %s\n", f.Name, f.Text)
		}
		for _, p := range k.Problems {
			fmt.Fprintf(&b, "\t%s at %d:%d: %s\n\t\thint: %s\n", p.Code, p.Line, p.Column, p.Message, p.Hint)
		}
	}
	return b.String()
}

func TestReadGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/replies/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no replies", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			stem := strings.TrimSuffix(file, ".md")
			compareGolden(t, stem+".golden", text, NewestReader)
			if _, err := os.Stat(stem + ".first.golden"); err == nil { // frozen
				compareGolden(t, stem+".first.golden", text, FirstReader)
			}
		})
	}
}

func compareGolden(t *testing.T, golden string, text []byte, version Reader) {
	t.Helper()
	got := "lenient\n\n" + report(Read(text, Options{Reader: version})) +
		"\nstrict\n\n" + report(Read(text, Options{Reader: version, Strict: true}))
	if *update && version == NewestReader {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
