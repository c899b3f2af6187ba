package view

import (
	"strconv"
	"strings"

	"brenner/artifact"
)

// Characters of a text in a summary.
const (
	maxSummary = 200
	maxTitle   = 80
)

// conflictMark replaces an undecided value.
const conflictMark = "CONFLICT"

type writer struct {
	struck     map[string]bool // killed hypotheses, whose cells are N/A
	renumbered artifact.Renumbered
}

func newWriter(a *artifact.Artifact) *writer {
	return &writer{struck: a.Struck(), renumbered: a.Renumbered()}
}

// full returns an item with all its fields, one per line, and the keys of a map below.
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
	if notes := w.renumbered.ItemNotes(s, it); len(notes) > 0 {
		b.WriteString("  - renumbered: " + inert(strings.Join(notes, "; ")) + "\n")
	}
	return b.String()
}

func field(b *strings.Builder, name string, v artifact.Value) {
	m, ok := v.(artifact.Map)
	if !ok || len(m) == 0 {
		b.WriteString("  - " + Word(name) + ": " + value(v) + "\n")
		return
	}
	if marks, ok := numbersLine(m); ok {
		b.WriteString("  - " + Word(name) + ": " + marks + "\n")
		return
	}
	b.WriteString("  - " + Word(name) + ":\n")
	for _, e := range m {
		b.WriteString("    - " + Word(e.Key) + ": " + value(e.Value) + "\n")
	}
}

// numbersLine returns a map of numbers, such as a score, on one line.
func numbersLine(m artifact.Map) (string, bool) {
	all := make([]string, len(m))
	for i, e := range m {
		if _, ok := e.Value.(artifact.Number); !ok {
			return "", false
		}
		all[i] = Word(e.Key) + " " + value(e.Value)
	}
	return strings.Join(all, ", "), true
}

// applicable replaces the cells of killed hypotheses in a prediction with N/A.
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

// visible returns the text, or quotation marks if it is empty.
func visible(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

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

// summary returns an item on one line: id, name and the beginning of its main field.
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

func short(v artifact.Value, most int) string {
	if t, ok := v.(artifact.Text); ok {
		return visible(cut(string(t), most))
	}
	return cut(value(v), most)
}

// killed returns a killed item on one line, with the reason, so that it is not proposed again.
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

// conflict is an undecided field, or a key of one.
type conflict struct {
	item       *artifact.Item
	section    artifact.Section
	place      string // H1.claim, or P1.predictions.H2
	candidates artifact.Conflict
}

// conflicts returns the open conflicts by section and item. Killed items need no decision.
func (w *writer) conflicts(a *artifact.Artifact) []conflict {
	var open []conflict
	for _, s := range artifact.Sections() {
		for _, it := range a.Items(s) {
			if !it.Killed() {
				open = w.conflictsOf(open, s, it)
			}
		}
	}
	return open
}

func (w *writer) conflictsOf(open []conflict, s artifact.Section, it *artifact.Item) []conflict {
	for _, f := range it.Fields {
		switch v := f.Value.(type) {
		case artifact.Conflict:
			open = append(open, conflict{item: it, section: s, place: Word(it.ID) + "." + Word(f.Name), candidates: v})
		case artifact.Map:
			if s == artifact.PredictionsTable && f.Name == "predictions" {
				v, _ = w.applicable(it, v).(artifact.Map)
			}
			for _, e := range v {
				if c, ok := e.Value.(artifact.Conflict); ok {
					place := Word(it.ID) + "." + Word(f.Name) + "." + Word(e.Key)
					open = append(open, conflict{item: it, section: s, place: place, candidates: c})
				}
			}
		}
	}
	return open
}

const maxCandidates = 4

func (c *conflict) full() string {
	return c.list(c.candidates, value)
}

// short returns the first candidates, each shortened.
func (c *conflict) short() string {
	shown := c.candidates[:min(len(c.candidates), maxCandidates)]
	text := c.list(shown, func(v artifact.Value) string { return short(v, maxSummary) })
	if more := len(c.candidates) - len(shown); more > 0 {
		text += "  - and " + strconv.Itoa(more) + " more\n"
	}
	return text
}

func (c *conflict) list(candidates artifact.Conflict, write func(artifact.Value) string) string {
	var b strings.Builder
	b.WriteString("- " + c.place + "\n")
	for _, one := range candidates {
		b.WriteString("  - " + Word(one.Agent))
		if one.Delta != "" {
			b.WriteString(" (" + Word(one.Delta) + ")")
		}
		b.WriteString(": " + write(one.Value) + "\n")
	}
	return b.String()
}
