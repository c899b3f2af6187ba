package delta_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact/delta"
	"brenner/merge/settle"
)

// span is a range of lines, with its ends.
type span struct{ from, to int }

func (s span) has(line int) bool { return s.from <= line && line <= s.to }

// expectation is what was written down, by hand, about a reply.
type expectation struct {
	taken []string // in order, but for what is in either
	row   []span   // each has a row and is not executed
	// either are taken or have a row, and never are not executed.
	either, never []span
	asked         string // "yes", "no", or "" for either
}

// expectations reads testdata/models/expected.txt.
func expectations(t *testing.T) map[string]*expectation {
	data, err := os.ReadFile("testdata/models/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*expectation)
	var e *expectation
	for l := range strings.Lines(string(data)) {
		switch key := strings.TrimSpace(l); {
		case key == "":
		case !strings.HasPrefix(l, "\t"):
			e = new(expectation)
			all[key] = e
		default:
			e.set(t, key)
		}
	}
	return all
}

// set adds what a line such as "row: 2-3, 5-5" says.
func (e *expectation) set(t *testing.T, line string) {
	key, value, _ := strings.Cut(line, ": ")
	spans := func() (list []span) {
		for s := range strings.SplitSeq(value, ", ") {
			var x span
			if _, err := fmt.Sscanf(s, "%d-%d", &x.from, &x.to); err != nil {
				t.Fatal(line, err)
			}
			list = append(list, x)
		}
		return list
	}
	switch key {
	case "taken":
		e.taken = strings.Split(value, ", ")
	case "asked":
		e.asked = value
	case "row":
		e.row = append(e.row, spans()...)
	case "either":
		e.either = spans()
	case "never":
		e.never = spans()
	default:
		t.Fatal("unknown: " + line)
	}
}

// check returns what is not as expected.
func (e *expectation) check(r *result) (faults []string) {
	var got []string
	for i := range r.read.Blocks {
		b := &r.read.Blocks[i]
		inside := func(list []span) bool { return slices.ContainsFunc(list, func(s span) bool { return s.has(b.Line) }) }
		if !b.OK || inside(e.either) {
			continue
		}
		what := strings.TrimSpace(b.Delta.Operation + " " + b.Delta.Target)
		if b.Delta.Operation == delta.Add {
			what = b.Delta.Operation + " " + b.Delta.Section
		}
		if inside(e.row) || inside(e.never) {
			faults = append(faults, fmt.Sprintf("executed: %s at line %d", what, b.Line))
		}
		got = append(got, what)
	}
	if d := cmp.Diff(e.taken, got); d != "" {
		faults = append(faults, "taken, -want +got:\n"+d)
	}
	for _, s := range e.row {
		if !r.accounts(s, false) {
			faults = append(faults, fmt.Sprintf("lost: no row for lines %d to %d", s.from, s.to))
		}
	}
	for _, s := range e.either {
		if !r.accounts(s, true) {
			faults = append(faults, fmt.Sprintf("lost: lines %d to %d", s.from, s.to))
		}
	}
	if n := settle.Correctable(r.defects); e.asked != "" && (n > 0) != (e.asked == "yes") {
		faults = append(faults, fmt.Sprintf("asked for %d corrections", n))
	}
	return faults
}

// accounts reports whether a row is within some lines: one that was not taken, or any.
func (r *result) accounts(s span, taken bool) bool {
	return slices.ContainsFunc(r.read.Blocks, func(b delta.Block) bool { return s.has(b.Line) && (taken || !b.OK) }) ||
		slices.ContainsFunc(r.read.Problems, func(l delta.Located) bool { return s.has(l.Line) })
}

// rows formats what became of a reply.
func (r *result) rows() string {
	var b strings.Builder
	for _, p := range r.read.Problems {
		fmt.Fprintf(&b, "\t%d reply: %s\n", p.Line, p.Code)
	}
	for i := range r.read.Blocks {
		k := &r.read.Blocks[i]
		state := "refused"
		switch {
		case k.OK:
			state = "taken"
		case k.Skipped():
			state = "shown"
		}
		words := []string{state, k.Delta.Operation, k.Delta.Section, k.Delta.Target}
		for _, f := range k.Flags {
			words = append(words, f.Name)
		}
		for _, p := range k.Problems {
			words = append(words, string(p.Code))
		}
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		fmt.Fprintf(&b, "\t%d %s\n", k.Line, strings.Join(words, " "))
	}
	for _, d := range r.defects {
		if !d.Final {
			fmt.Fprintf(&b, "\t%d asked: %s\n", d.Line, d.Code)
		}
	}
	return b.String()
}

// short returns the short replies of a file, each below a line "%%% name | taken: … | asked: no".
func short(t *testing.T, file string, each func(name, text string, e *expectation)) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(string(data), "%%% "), "\n%%% ") {
		head, text, _ := strings.Cut(part, "\n")
		words := strings.Split(head, " | ")
		e := new(expectation)
		for _, w := range words[1:] {
			e.set(t, w)
		}
		each(words[0], text, e)
	}
}

// The short replies of normal.txt are all that is right: what they announce, sum up, weigh or tell of
// others is not asked for, and has no row.
func TestNormalReplies(t *testing.T) {
	short(t, "testdata/models/normal.txt", func(name, text string, e *expectation) {
		r := judge(reply{text: text}, delta.NewestReader)
		faults := e.check(r)
		for i := range r.read.Blocks {
			if b := &r.read.Blocks[i]; !b.OK {
				faults = append(faults, fmt.Sprintf("a row at line %d", b.Line))
			}
		}
		if len(faults) > 0 || len(r.read.Problems) > 0 {
			t.Errorf("%s: %s\n%s\n%s", name, strings.Join(faults, "; "), text, r.rows())
		}
	})
}

// Replies as models write them are read as was written down by hand; rows.golden has every row.
func TestRepliesOfModels(t *testing.T) {
	expected := expectations(t)
	files, err := filepath.Glob("testdata/models/*.md")
	if err != nil || len(files) != len(expected) {
		t.Fatalf("got %d replies and %d expectations: %v", len(files), len(expected), err)
	}
	var all strings.Builder
	check := func(name, text string, e *expectation) {
		r := judge(reply{text: text}, delta.NewestReader)
		fmt.Fprintf(&all, "%s\n%s\n", name, r.rows())
		for _, f := range e.check(r) {
			t.Errorf("%s: %s\n%s", name, f, r.rows())
		}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if expected[name] == nil {
			t.Fatal("nothing is expected of " + name)
		}
		check(name, string(data), expected[name])
	}
	short(t, "testdata/models/forms.txt", check)
	const golden = "testdata/models/rows.golden"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), all.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
