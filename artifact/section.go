package artifact

import "slices"

// Section is one of the seven sections of an artifact, in document order.
type Section int

// The seven sections.
const (
	ResearchThread Section = iota
	HypothesisSlate
	PredictionsTable
	DiscriminativeTests
	AssumptionLedger
	AnomalyRegister
	AdversarialCritique

	// SectionCount is the number of sections.
	SectionCount = 7
)

// Kind is the kind of value that a field holds.
type Kind int

// The kinds of fields.
const (
	KindAny Kind = iota // any JSON value; also unknown fields
	KindText
	KindFlag       // true or false
	KindStatus     // one of Allowed
	KindList       // texts, merged by union
	KindReferences // references to other sessions' items, merged by union
	KindMap        // texts by key, merged key by key
	KindScore      // integers from 0 to 3 by the keys in Allowed, merged key by key
)

// FieldSpec describes one field of the section table.
type FieldSpec struct {
	Name     string
	Title    string // its label in Markdown
	Kind     Kind
	Required bool     // on ADD
	Allowed  []string // values of a status, keys of a score
	Default  Value    // of a status, set on ADD; nil if absent
	Refs     bool     // holds item ids: keys of a map, elements of a list, tokens of a text
}

// SectionSpec is a section's row in the table.
type SectionSpec struct {
	Section Section
	ID      string
	Title   string
	Prefix  string
	Min     int
	Max     int    // 0: no limit
	Main    string // the field that states what the item is
	Empty   string // the text of an empty section in Markdown
	Fields  []FieldSpec
}

// Field returns the specification of a field.
func (s *SectionSpec) Field(name string) (*FieldSpec, bool) {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i], true
		}
	}
	return nil, false
}

// HasName reports whether items of the section have a name in their heading.
func (s *SectionSpec) HasName() bool {
	_, ok := s.Field("name")
	return ok
}

// Spec returns the section's row. The table is read-only.
func (s Section) Spec() *SectionSpec { return &table[s] }

// String returns the section's id, as in JSON.
func (s Section) String() string {
	if s < 0 || s >= SectionCount {
		return "no section"
	}
	return table[s].ID
}

// ParseSection returns the section with the given id.
func ParseSection(id string) (Section, bool) {
	for i := range table {
		if table[i].ID == id {
			return table[i].Section, true
		}
	}
	return 0, false
}

// Sections returns all sections in order.
func Sections() []Section {
	all := make([]Section, SectionCount)
	for i := range all {
		all[i] = Section(i)
	}
	return all
}

// Relations returns the ways an item may refer to one of another session.
func Relations() []string {
	return []string{"extends", "refines", "refutes", "informed_by", "supersedes", "replicates"}
}

// ScoreMax is the highest mark for one aspect of a test.
const ScoreMax = 3

// table is the only definition of prefixes, titles, limits, and required and additive fields.
var table = [SectionCount]SectionSpec{
	{
		Section: ResearchThread, ID: "research_thread", Title: "Research Thread", Prefix: "RT",
		Min: 1, Max: 1, Main: "statement", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "statement", Title: "Statement", Kind: KindText},
			{Name: "context", Title: "Context", Kind: KindText},
			{Name: "why_it_matters", Title: "Why it matters", Kind: KindText},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
		},
	},
	{
		Section: HypothesisSlate, ID: "hypothesis_slate", Title: "Hypothesis Slate", Prefix: "H",
		Min: 3, Max: 6, Main: "claim", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "name", Title: "Name", Kind: KindText},
			{Name: "claim", Title: "Claim", Kind: KindText, Required: true},
			{Name: "mechanism", Title: "Mechanism", Kind: KindText},
			{Name: "falsification", Title: "Falsification", Kind: KindText},
			{Name: "third_alternative", Title: "Third alternative", Kind: KindFlag},
			{Name: "labels", Title: "Labels", Kind: KindList},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
	{
		Section: PredictionsTable, ID: "predictions_table", Title: "Predictions Table", Prefix: "P",
		Min: 3, Main: "condition", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "condition", Title: "Condition", Kind: KindText, Required: true},
			{Name: "predictions", Title: "Predictions", Kind: KindMap, Required: true, Refs: true},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
	{
		Section: DiscriminativeTests, ID: "discriminative_tests", Title: "Discriminative Tests", Prefix: "T",
		Min: 2, Main: "procedure", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "name", Title: "Name", Kind: KindText},
			{Name: "procedure", Title: "Procedure", Kind: KindText, Required: true},
			{Name: "discriminates", Title: "Discriminates", Kind: KindText, Refs: true},
			{Name: "expected_outcomes", Title: "Expected outcomes", Kind: KindMap, Required: true, Refs: true},
			{Name: "potency_check", Title: "Potency check", Kind: KindText},
			{Name: "feasibility", Title: "Feasibility", Kind: KindText},
			{Name: "score", Title: "Score", Kind: KindScore, Allowed: []string{"likelihood_ratio", "cost", "speed", "ambiguity"}},
			{Name: "status", Title: "Status", Kind: KindStatus, Allowed: []string{"untested", "passed", "failed", "blocked", "error"}},
			{Name: "last_run", Title: "Last run", Kind: KindAny},
			{Name: "actual_outcomes", Title: "Actual outcomes", Kind: KindMap, Refs: true},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
	{
		Section: AssumptionLedger, ID: "assumption_ledger", Title: "Assumption Ledger", Prefix: "A",
		Min: 3, Main: "statement", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "name", Title: "Name", Kind: KindText},
			{Name: "statement", Title: "Statement", Kind: KindText, Required: true},
			{Name: "load", Title: "Load", Kind: KindText},
			{Name: "test", Title: "Test", Kind: KindText},
			{Name: "status", Title: "Status", Kind: KindStatus, Allowed: []string{"unchecked", "verified", "falsified"}, Default: Text("unchecked")},
			{Name: "scale_check", Title: "Scale check", Kind: KindFlag},
			{Name: "calculation", Title: "Calculation", Kind: KindText},
			{Name: "implication", Title: "Implication", Kind: KindText},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
	{
		Section: AnomalyRegister, ID: "anomaly_register", Title: "Anomaly Register", Prefix: "X",
		Min: 0, Main: "observation", Empty: "None registered",
		Fields: []FieldSpec{
			{Name: "name", Title: "Name", Kind: KindText},
			{Name: "observation", Title: "Observation", Kind: KindText, Required: true},
			{Name: "conflicts_with", Title: "Conflicts with", Kind: KindList, Refs: true},
			{Name: "status", Title: "Status", Kind: KindStatus, Allowed: []string{"active", "resolved", "deferred"}, Default: Text("active")},
			{Name: "resolution_plan", Title: "Resolution plan", Kind: KindText},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
	{
		Section: AdversarialCritique, ID: "adversarial_critique", Title: "Adversarial Critique", Prefix: "C",
		Min: 2, Main: "attack", Empty: "Nothing yet",
		Fields: []FieldSpec{
			{Name: "name", Title: "Name", Kind: KindText},
			{Name: "attack", Title: "Attack", Kind: KindText, Required: true},
			{Name: "evidence", Title: "Evidence", Kind: KindText},
			{Name: "current_status", Title: "Current status", Kind: KindText},
			{Name: "real_third_alternative", Title: "Real third alternative", Kind: KindFlag},
			{Name: "proposed_alternative", Title: "Proposed alternative", Kind: KindText},
			{Name: "anchors", Title: "Anchors", Kind: KindList},
			{Name: "references", Title: "References", Kind: KindReferences},
		},
	},
}

// Statuses returns the valid states of an artifact.
func Statuses() []string { return []string{"draft", "active", "closed"} }

// ValidStatus reports whether s is one of Statuses.
func ValidStatus(s string) bool { return slices.Contains(Statuses(), s) }
