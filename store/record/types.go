package record

import (
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// UnknownType is the code for a type that is neither built in nor configured.
const UnknownType fault.Code = "UNKNOWN_TYPE" // Unknown record type.

// The built-in types.
const (
	ProjectBrief      = "project_brief"
	ProjectSummary    = "project_summary"
	IntegratedMemo    = "integrated_memo"
	ModelSpec         = "model_spec"
	ManuscriptSection = "manuscript_section"
	PaperNote         = "paper_note"
	AnalysisResult    = "analysis_result"
	Assumption        = "assumption"
	ResearchArtifact  = "research_artifact"
	Review            = "review"
	TaskSpec          = "task_spec"
	Kickoff           = "kickoff"
	Reply             = "reply"
	Roster            = "roster"
	StalemateRequest  = "stalemate_request"
	StalemateVerdict  = "stalemate_verdict"
	PlaybookSnapshot  = "playbook_snapshot"
	PatchedFile       = "patched_file"
)

// Project is the module of records that belong to the project as a whole.
const Project = "project"

// Type describes one record type.
type Type struct {
	Name string
	// Key types have one canonical holder per module.
	Key bool
	// Core types need a description of every change, may not be promoted while compression is due,
	// and are checked against the brief.
	Core bool
	// Whole types belong to the project as a whole: their module is Project.
	Whole bool
	// Raw types are messages as sent and received, snapshots of the playbook, whose lessons reach
	// agents only by its own rules, and files that refused patches. No view can show them.
	Raw bool
	// Knowledge counts towards the compression of its module.
	Knowledge bool
}

// Types are the types of a project.
type Types []Type

// BuiltInTypes returns the types that every project has.
func BuiltInTypes() Types {
	return Types{
		{Name: ProjectBrief, Key: true, Core: true, Whole: true},
		{Name: ProjectSummary, Key: true, Core: true, Whole: true},
		{Name: IntegratedMemo, Key: true, Core: true},
		{Name: ModelSpec, Key: true, Core: true, Knowledge: true},
		{Name: ManuscriptSection, Core: true},
		{Name: PaperNote, Knowledge: true},
		{Name: AnalysisResult, Knowledge: true},
		{Name: Assumption, Knowledge: true},
		{Name: ResearchArtifact, Core: true, Knowledge: true},
		{Name: Review},
		{Name: TaskSpec},
		{Name: Roster, Raw: true},
		{Name: Kickoff, Raw: true},
		{Name: Reply, Raw: true},
		{Name: StalemateRequest},
		{Name: StalemateVerdict},
		{Name: PlaybookSnapshot, Raw: true},
		{Name: PatchedFile, Raw: true},
	}
}

// With returns t with further types, which are knowledge of one module each.
func (t Types) With(names ...string) Types {
	all := slices.Clone(t)
	for _, name := range names {
		if _, ok := all.Find(name); !ok {
			all = append(all, Type{Name: name, Knowledge: true})
		}
	}
	return all
}

// A returns the name of a type with its article. A leading u takes "a", as in "user".
func A(name string) string {
	if strings.IndexAny(name, "aeioAEIO") == 0 {
		return "an " + name
	}
	return "a " + name
}

// Find returns the type with the given name.
func (t Types) Find(name string) (Type, bool) {
	i := slices.IndexFunc(t, func(one Type) bool { return one.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return t[i], true
}

// Names returns the names of the types for which fits holds.
func (t Types) Names(fits func(Type) bool) []string {
	var names []string
	for _, one := range t {
		if fits == nil || fits(one) {
			names = append(names, one.Name)
		}
	}
	return names
}

// Check returns an error for an unknown type.
func (t Types) Check(name string) error {
	if _, ok := t.Find(name); ok {
		return nil
	}
	hint := "use one of " + strings.Join(t.Names(nil), ", ") + ", or add types with store.types in brenner.yaml"
	if near, ok := text.Nearest(name, t.Names(nil)); ok {
		hint = "did you mean " + near + "? store.types in brenner.yaml adds types"
	}
	return &fault.Error{Code: UnknownType, Detail: "unknown type " + fault.Shown(name), Hint: hint}
}

// Uses reports whether a link from a record of this type is use of its target: messages only show a
// record, and reviews judge it.
func Uses(kind string) bool { return !IsRaw(kind) && kind != Review }

// IsRaw reports whether a type is a message of a session. Such a message does not depend on the
// records it shows: its text stays as sent.
func IsRaw(kind string) bool {
	switch kind {
	case Roster, Kickoff, Reply, PlaybookSnapshot, PatchedFile:
		return true
	}
	return false
}
