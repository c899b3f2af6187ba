package lint

import (
	"strings"

	"brenner/artifact"
)

// metadata is the name of what stands before the sections.
const metadata = "metadata"

// subject is the document under judgement, with what several rules ask of it
// worked out once. Its maps are only ever looked up in, never walked.
type subject struct {
	artifact *artifact.Artifact
	problems []artifact.Problem
	active   [artifact.SectionCount][]*artifact.Item
	missing  [artifact.SectionCount]bool // sections that the file does not have
	ids      map[string]bool             // of all items, killed ones too
	odd      map[string]artifact.Section // ids that are none, and where they stand

	standing map[string]bool // active hypotheses
	struck   map[string]bool // killed hypotheses
	plain    []string        // active hypotheses that are not third alternatives, each once
	thirds   []string        // those that are
	rows     []row           // active predictions that have cells
}

func newSubject(doc *artifact.Document) *subject {
	s := &subject{
		artifact: &doc.Artifact, problems: doc.Problems,
		ids: make(map[string]bool), odd: make(map[string]artifact.Section),
		standing: make(map[string]bool), struck: doc.Artifact.Struck(),
	}
	for _, section := range artifact.Sections() {
		s.active[section] = doc.Artifact.Active(section)
		for _, it := range doc.Artifact.Items(section) {
			s.ids[it.ID] = true
			if !section.ValidID(it.ID) {
				s.odd[it.ID] = section
			}
		}
	}
	for _, p := range doc.Problems {
		if section, ok := artifact.ParseSection(p.Item); ok && p.Kind == artifact.MissingSection {
			s.missing[section] = true
		}
	}
	s.sortHypotheses()
	s.rows = rowsOf(s.active[artifact.PredictionsTable], s.struck)
	return s
}

// sortHypotheses leaves out those whose id is none, and repetitions of one: they
// are ES-003's and ES-004's, and nothing can be asked for under such an id.
func (s *subject) sortHypotheses() {
	for _, h := range s.artifact.Items(artifact.HypothesisSlate) {
		switch {
		case h.Killed() || s.standing[h.ID] || !artifact.HypothesisSlate.ValidID(h.ID):
		case h.ThirdAlternative():
			s.standing[h.ID] = true
			s.thirds = append(s.thirds, h.ID)
		default:
			s.standing[h.ID] = true
			s.plain = append(s.plain, h.ID)
		}
	}
}

// has tells whether the file has a problem of a kind.
func (s *subject) has(kind artifact.ProblemKind) bool {
	for _, p := range s.problems {
		if p.Kind == kind {
			return true
		}
	}
	return false
}

// exists tells whether an id can be taken to mean an item. An id of a section
// that must not be empty but is counts as one: that section's own finding says
// all there is to say.
func (s *subject) exists(id string) bool {
	if s.ids[id] {
		return true
	}
	section, ok := artifact.SectionOfID(id)
	return ok && section.Spec().Min > 0 && len(s.artifact.Items(section)) == 0
}

// undecided tells whether one of the fields is in CONFLICT.
func undecided(it *artifact.Item, fields ...string) bool {
	for _, name := range fields {
		if _, ok := it.Get(name).(artifact.Conflict); ok {
			return true
		}
	}
	return false
}

// blank tells whether a value says nothing: absent, or without a visible sign.
func blank(v artifact.Value) bool {
	switch v := v.(type) {
	case nil, artifact.Null:
		return true
	case artifact.Text:
		return strings.TrimSpace(string(v)) == ""
	case artifact.List:
		return len(v) == 0
	case artifact.Map:
		return len(v) == 0
	}
	return false
}
