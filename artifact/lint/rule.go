package lint

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// Rule is what there is to say about one rule.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"` // what it asks for, in one line
	Why      string   `json:"why"`
	Fix      string   `json:"fix"`
}

// Rules gives all rules, section by section in the artifact's order, in each
// section the gravest first.
func Rules() []Rule {
	var all []Rule
	for _, r := range table() {
		all = append(all, Rule{ID: r.id, Severity: severityOf(r.id), Title: r.title, Why: r.why, Fix: r.fix})
	}
	return all
}

// rule is a row of the table.
type rule struct {
	id, title string
	why, fix  string
	check     check
}

// newRule returns a row: what the rule asks for, why, and what to write to be rid of a
// finding.
func newRule(id, title, why, fix string, check check) rule { return rule{id, title, why, fix, check} }

// check is one rule's judgement: it looks at the subject and reports.
type check func(*subject, *report)

// table is a function so that nobody can change it.
func table() []rule {
	return slices.Concat(
		metadataRules(), structureRules(), threadRules(), hypothesisRules(), predictionRules(),
		testRules(), assumptionRules(), anomalyRules(), critiqueRules(),
	)
}

// severityOf reads the severity off the id: the letter is the one place where it
// stands.
func severityOf(id string) Severity {
	switch id[0] {
	case 'E':
		return Error
	case 'W':
		return Warning
	default:
		return Info
	}
}

// place says what a finding is about, and so where it stands in the file.
type place struct {
	item   string
	field  string
	around string // the section of an item
	line   int    // where a reader has already said so
}

func inMetadata(field string) place { return place{item: metadata, field: field} }

func inSection(s artifact.Section) place { return place{item: s.String()} }

func inItem(s artifact.Section, it *artifact.Item, field string) place {
	return place{item: it.ID, field: field, around: s.String()}
}

// inFile is the place that a reader gave to a problem. An item whose id says
// nothing of its section is looked up, and one without any id goes by its section.
func (s *subject) inFile(p artifact.Problem) place {
	at := place{item: p.Item, line: p.Line}
	section, ok := artifact.SectionOfID(p.Item)
	if !ok {
		section, ok = s.odd[p.Item]
	}
	if ok {
		at.around = section.String()
	}
	if at.item == "" {
		at.item = at.around
	}
	return at
}

// find gives the line of a place, or of the nearest thing around it.
func (p place) find(lines artifact.Lines) int {
	if p.line > 0 {
		return p.line
	}
	if p.field != "" {
		if n, ok := lines[p.item+"."+p.field]; ok {
			return n
		}
	}
	if n, ok := lines[p.item]; ok {
		return n
	}
	if n, ok := lines[p.around]; ok {
		return n
	}
	return 1
}

// report collects what the rules find; id is the rule that is speaking.
type report struct {
	id    string
	found []found
}

type found struct {
	id, message, fix string
	at               place
}

func (r *report) add(at place, message, fix string) {
	r.found = append(r.found, found{id: r.id, message: message, fix: fix, at: at})
}

// located turns what was found into findings. A document from JSON has no lines
// of its own, and is rendered for them: but not when there is nothing to locate.
func (r *report) located(doc *artifact.Document) []Finding {
	findings := make([]Finding, 0, len(r.found))
	if len(r.found) == 0 {
		return findings
	}
	lines := doc.Lines
	if len(lines) == 0 {
		_, lines = doc.Artifact.MarkdownLines()
	}
	for _, f := range r.found {
		findings = append(findings, Finding{
			ID: f.id, Severity: severityOf(f.id), Item: f.at.item, Line: f.at.find(lines),
			Message: f.message, Fix: f.fix,
		})
	}
	return findings
}

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
	return slices.ContainsFunc(s.problems, func(p artifact.Problem) bool { return p.Kind == kind })
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
