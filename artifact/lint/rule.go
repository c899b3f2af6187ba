package lint

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// Rule documents one rule.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"` // the requirement, in one line
	Why      string   `json:"why"`
	Fix      string   `json:"fix"`
}

// Rules returns all rules, by section in artifact order, then by severity.
func Rules() []Rule {
	var all []Rule
	for _, r := range table() {
		all = append(all, Rule{ID: r.id, Severity: severityOf(r.id), Title: r.title, Why: r.why, Fix: r.fix})
	}
	return all
}

type rule struct {
	id, title string
	why, fix  string
	check     check
}

// newRule returns a row: the requirement, the reason, the fix and the check.
func newRule(id, title, why, fix string, check check) rule { return rule{id, title, why, fix, check} }

// check applies one rule to the subject and reports findings.
type check func(*subject, *report)

// table is a function so that it is immutable.
func table() []rule {
	return slices.Concat(
		metadataRules(), structureRules(), threadRules(), hypothesisRules(), predictionRules(),
		testRules(), assumptionRules(), anomalyRules(), critiqueRules(),
	)
}

// severityOf derives the severity from the id, its only source.
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

// place is what a finding is about, which determines its line.
type place struct {
	item   string
	field  string
	around string // the section of an item
	line   int    // if a reader already determined it
}

func inMetadata(field string) place { return place{item: metadata, field: field} }

func inSection(s artifact.Section) place { return place{item: s.String()} }

func inItem(s artifact.Section, it *artifact.Item, field string) place {
	return place{item: it.ID, field: field, around: s.String()}
}

// inFile returns the place of a reader's problem. An item whose id does not imply its section is
// looked up; one without an id is placed at its section.
func (s *subject) inFile(p artifact.Problem) place {
	at := place{item: p.Item, line: p.Line}
	section, ok := artifact.SectionOfID(p.Item)
	if !ok {
		section, ok = s.invalid[p.Item]
	}
	if ok {
		at.around = section.String()
	}
	if at.item == "" {
		at.item = at.around
	}
	return at
}

// find returns the line of a place, or of the nearest enclosing one.
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

// report collects findings; id is the current rule.
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

// located returns the findings. A document from JSON is rendered only if there are lines to find.
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

// metadata is the place name of the part before the sections.
const metadata = "metadata"

// subject is the document with data that several rules share. Its maps are never iterated.
type subject struct {
	artifact *artifact.Artifact
	problems []artifact.Problem
	active   [artifact.SectionCount][]*artifact.Item
	missing  [artifact.SectionCount]bool // sections missing from the file
	ids      map[string]bool             // of all items, including killed ones
	invalid  map[string]artifact.Section // invalid ids and their sections

	hypotheses map[string]bool // active hypotheses
	struck     map[string]bool // killed hypotheses
	plain      []string        // active hypotheses other than third alternatives, without repetitions
	thirds     []string        // active third alternatives
	rows       []row           // active predictions that have cells
}

func newSubject(doc *artifact.Document) *subject {
	s := &subject{
		artifact: &doc.Artifact, problems: doc.Problems,
		ids: make(map[string]bool), invalid: make(map[string]artifact.Section),
		hypotheses: make(map[string]bool), struck: doc.Artifact.Struck(),
	}
	for _, section := range artifact.Sections() {
		s.active[section] = doc.Artifact.Active(section)
		for _, it := range doc.Artifact.Items(section) {
			s.ids[it.ID] = true
			if !section.ValidID(it.ID) {
				s.invalid[it.ID] = section
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

// sortHypotheses skips invalid and repeated ids, which ES-003 and ES-004 report.
func (s *subject) sortHypotheses() {
	for _, h := range s.artifact.Items(artifact.HypothesisSlate) {
		switch {
		case h.Killed() || s.hypotheses[h.ID] || !artifact.HypothesisSlate.ValidID(h.ID):
		case h.ThirdAlternative():
			s.hypotheses[h.ID] = true
			s.thirds = append(s.thirds, h.ID)
		default:
			s.hypotheses[h.ID] = true
			s.plain = append(s.plain, h.ID)
		}
	}
}

func (s *subject) has(kind artifact.ProblemKind) bool {
	return slices.ContainsFunc(s.problems, func(p artifact.Problem) bool { return p.Kind == kind })
}

// exists reports whether an id may refer to an item. An id of a section that is empty but must not
// be counts as existing, because that section has its own finding.
func (s *subject) exists(id string) bool {
	if s.ids[id] {
		return true
	}
	section, ok := artifact.SectionOfID(id)
	return ok && section.Spec().Min > 0 && len(s.artifact.Items(section)) == 0
}

// undecided reports whether one of the fields is in CONFLICT.
func undecided(it *artifact.Item, fields ...string) bool {
	for _, name := range fields {
		if _, ok := it.Get(name).(artifact.Conflict); ok {
			return true
		}
	}
	return false
}

// blank reports whether a value is absent or has no visible content.
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
