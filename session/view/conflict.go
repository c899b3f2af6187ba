package view

import (
	"strconv"
	"strings"

	"brenner/artifact"
)

// conflict is a field, or a key of one, that waits for a decision.
type conflict struct {
	item       *artifact.Item
	section    artifact.Section
	place      string // H1.claim, or P1.predictions.H2
	candidates artifact.Conflict
}

// conflicts gives the open ones of an artifact, by section and item. What was
// killed needs no decision any more.
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

// maxCandidates is how many candidates of a conflict are shown in short.
const maxCandidates = 4

// full gives the conflict with all that its authors wrote.
func (c *conflict) full() string {
	return c.list(c.candidates, value)
}

// short gives the first candidates, each cut.
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
