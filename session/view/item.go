package view

import (
	"strings"

	"brenner/artifact"
)

// How many characters of a text a summary shows.
const (
	maxSummary = 200
	maxTitle   = 80
)

// conflictMark stands where a value would, were it decided.
const conflictMark = "CONFLICT"

// writer writes items of one artifact.
type writer struct {
	struck map[string]bool // hypotheses that were killed, whose cells are N/A
}

func newWriter(a *artifact.Artifact) *writer { return &writer{struck: a.Struck()} }

// full gives an item with all its fields, a line each and the keys of a map below.
func (w *writer) full(s artifact.Section, it *artifact.Item) string {
	var b strings.Builder
	b.WriteString("- " + Word(it.ID))
	spec := s.Spec()
	if spec.HasName() && it.Get("name") != nil {
		b.WriteString(": " + value(it.Get("name")))
	}
	b.WriteByte('\n')
	for _, f := range it.Fields {
		if f.Name == "name" && spec.HasName() {
			continue
		}
		v := f.Value
		if s == artifact.PredictionsTable && f.Name == "predictions" {
			v = w.applicable(it, v)
		}
		field(&b, f.Name, v)
	}
	if len(it.Unresolved()) > 0 {
		b.WriteString("  - not found: " + words(it.Unresolved()) + "\n")
	}
	return b.String()
}

// field writes one field of an item.
func field(b *strings.Builder, name string, v artifact.Value) {
	m, ok := v.(artifact.Map)
	if !ok || len(m) == 0 {
		b.WriteString("  - " + Word(name) + ": " + value(v) + "\n")
		return
	}
	if marks, ok := marks(m); ok {
		b.WriteString("  - " + Word(name) + ": " + marks + "\n")
		return
	}
	b.WriteString("  - " + Word(name) + ":\n")
	for _, e := range m {
		b.WriteString("    - " + Word(e.Key) + ": " + value(e.Value) + "\n")
	}
}

// marks gives a map of numbers, such as a score, on one line, if it is one.
func marks(m artifact.Map) (string, bool) {
	all := make([]string, len(m))
	for i, e := range m {
		if _, ok := e.Value.(artifact.Number); !ok {
			return "", false
		}
		all[i] = Word(e.Key) + " " + value(e.Value)
	}
	return strings.Join(all, ", "), true
}

// applicable puts N/A into the cells of a prediction that are.
func (w *writer) applicable(it *artifact.Item, v artifact.Value) artifact.Value {
	m, ok := v.(artifact.Map)
	if !ok {
		return v
	}
	row := artifact.RowOf(it, w.struck)
	out := make(artifact.Map, len(m))
	for i, e := range m {
		if row.NotApplicable(e.Key) {
			e.Value = artifact.Text(artifact.NotApplicable)
		}
		out[i] = e
	}
	return out
}

// value gives a value on one line.
func value(v artifact.Value) string {
	switch v := v.(type) {
	case artifact.Conflict:
		return conflictMark
	case artifact.Text:
		return visible(inert(string(v)))
	case artifact.List:
		if text, ok := texts(v); ok {
			return text
		}
	}
	return inert(string(artifact.Canonical(v)))
}

// visible gives quotation marks for a text that shows nothing.
func visible(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

// texts gives a list of texts, if it is one.
func texts(list artifact.List) (string, bool) {
	all := make([]string, len(list))
	for i, v := range list {
		if _, ok := v.(artifact.Text); !ok {
			return "", false
		}
		all[i] = value(v)
	}
	return strings.Join(all, ", "), len(all) > 0
}

func words(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = Word(name)
	}
	return strings.Join(all, ", ")
}

// summary gives an item on one line: id, name and the beginning of what it says.
func summary(s artifact.Section, it *artifact.Item) string {
	line := "- " + Word(it.ID)
	spec := s.Spec()
	between := ": "
	for _, part := range []struct {
		name string
		most int
	}{{"name", maxTitle}, {spec.Main, maxSummary}} {
		if v := it.Get(part.name); v != nil {
			line += between + short(v, part.most)
			between = " — "
		}
	}
	return line + "\n"
}

// short gives the beginning of a value.
func short(v artifact.Value, most int) string {
	if t, ok := v.(artifact.Text); ok {
		return visible(cut(string(t), most))
	}
	return cut(value(v), most)
}

// killed gives a killed item on one line: what it was and why it went, so that
// nobody proposes it again.
func killed(s artifact.Section, it *artifact.Item) string {
	line := "- " + Word(it.ID)
	for _, name := range []string{"name", s.Spec().Main} {
		if v := it.Get(name); v != nil {
			line += ": " + short(v, maxTitle)
			break
		}
	}
	line += " (killed"
	if it.Kill.By != "" {
		line += " by " + Word(it.Kill.By)
	}
	if reason := cut(it.Kill.Reason, maxSummary); reason != "" {
		line += ": " + reason
	}
	return line + ")\n"
}
