// Package policy decides who may do what with records, from data alone: which role may read and
// write which type, and what prevents a promotion. It knows roles by name; it must not know
// agents, or where its decisions are enforced.
package policy

import (
	"slices"

	"brenner/internal/fault"
	"brenner/store/record"
)

// OutOfScope is the code of a role's access to a type outside its scope.
const OutOfScope fault.Code = "OUT_OF_SCOPE" // The role may not read or write this record type; the attempt was recorded.

// Classes returns the classes of the package's codes.
func Classes() fault.Classes {
	return fault.Classes{OutOfScope: fault.ClassDenied, Blocked: fault.ClassDenied}
}

// Access is the types of records that agents of one role may read and write.
type Access struct {
	Role  string
	Read  []string
	Write []string
}

// Accesses are those of all roles. Other roles may do nothing.
type Accesses []Access

// Roles outside of sessions: agents that work on the store itself.
const (
	Reader     = "reader"     // reads papers, writes notes
	Integrator = "integrator" // writes memos and summaries of modules and of the project
	Writer     = "writer"     // writes the manuscript from memos
	Critic     = "adversarial_critic"
	// Contributor is the role of people who may not decide: they put findings and texts, but
	// not what the project is about or what was ruled.
	Contributor = "contributor"
)

// DefaultAccess returns the built-in rights of roles.
func DefaultAccess() Accesses {
	spine := []string{record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo}
	knowledge := slices.Concat(spine, []string{
		record.ModelSpec, record.PaperNote, record.AnalysisResult, record.Assumption, record.ResearchArtifact,
	})
	contributed := []string{
		record.PaperNote, record.AnalysisResult, record.Assumption, record.ModelSpec, record.IntegratedMemo, record.ManuscriptSection, record.Review,
		record.StalemateRequest,
	}
	return Accesses{
		{Role: "hypothesis_generator", Read: knowledge, Write: []string{record.ModelSpec, record.Assumption}},
		{Role: "test_designer", Read: knowledge, Write: []string{record.AnalysisResult, record.Assumption}},
		{Role: Critic, Read: slices.Concat(knowledge, []string{record.ManuscriptSection, record.Review}), Write: []string{record.Review}},
		{Role: "unified", Read: knowledge, Write: []string{record.ModelSpec, record.AnalysisResult, record.Assumption, record.Review}},
		{Role: Reader, Read: []string{record.ProjectBrief, record.PaperNote}, Write: []string{record.PaperNote}},
		{Role: Integrator, Read: slices.Concat(knowledge, []string{record.Review}), Write: []string{record.IntegratedMemo, record.ProjectSummary}},
		{Role: Writer, Read: slices.Concat(spine, []string{record.ManuscriptSection}), Write: []string{record.ManuscriptSection}},
		{Role: Contributor, Read: slices.Concat(knowledge, []string{record.ManuscriptSection, record.Review}), Write: contributed},
	}
}

// Of returns the rights of a role.
func (a Accesses) Of(role string) (Access, bool) {
	i := slices.IndexFunc(a, func(one Access) bool { return one.Role == role })
	if i < 0 {
		return Access{Role: role}, false
	}
	return a[i], true
}

// Roles returns the names of all roles that have rights.
func (a Accesses) Roles() []string {
	names := make([]string, len(a))
	for i := range a {
		names[i] = a[i].Role
	}
	return names
}

// MayRead reports whether agents of a role may be shown records of a type.
func (a Accesses) MayRead(role, kind string) bool {
	one, _ := a.Of(role)
	return slices.Contains(one.Read, kind)
}

// MayWrite reports whether agents of a role may put records of a type.
func (a Accesses) MayWrite(role, kind string) bool {
	one, _ := a.Of(role)
	return slices.Contains(one.Write, kind)
}
