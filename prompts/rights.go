package prompts

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/merge"
)

// Rights are what the reader of a prompt may change. The zero value is for a session without
// scopes, in which all agents may change everything.
type Rights struct {
	Role string
	// Roles are all roles of the session. A section that none of them owns is open to all.
	Roles  []string
	Scopes merge.Scopes
	// Unified disables scopes, as in the merge.
	Unified bool
	// Creates are the types of records that the reader may create.
	Creates []string
}

// mayAll reports whether the reader may change all items of a section, according to a predicate of
// Scopes such as MayEdit.
func (r *Rights) mayAll(s artifact.Section, allows func(string, artifact.Section) bool) bool {
	return r.Unified || allows(r.Role, s) || slices.Contains(r.Scopes.Unowned(r.Roles), s)
}

// sections returns the sections that the reader may edit, or may add to even under strict scopes.
func (r *Rights) sections() []artifact.Section {
	strict := r.Scopes
	strict.Strict = true
	var own []artifact.Section
	for _, s := range artifact.Sections() {
		if r.mayAll(s, strict.MayEdit) || strict.MayAdd(r.Role, s) {
			own = append(own, s)
		}
	}
	return own
}

func (r *Rights) table() string { return r.tableOf(artifact.Sections()) }

// ownTable returns the table of the reader's sections and of those in which it may kill any item.
func (r *Rights) ownTable() string {
	own := r.sections()
	return r.tableOf(slices.DeleteFunc(artifact.Sections(), func(s artifact.Section) bool {
		return !slices.Contains(own, s) && r.mayKill(s) != "any"
	}))
}

func (r *Rights) tableOf(sections []artifact.Section) string {
	var b strings.Builder
	b.WriteString("| section | ids | active items wanted | ADD | EDIT | KILL |\n|---|---|---|---|---|---|\n")
	for _, s := range sections {
		spec := s.Spec()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", spec.ID, ids(s), itemCount(spec),
			r.mayAdd(s), r.mayChange(s, r.Scopes.MayEdit), r.mayKill(s))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func ids(s artifact.Section) string {
	if s == artifact.ResearchThread {
		return code([]string{artifact.ThreadID})
	}
	return code([]string{s.ItemID(1), s.ItemID(2)}) + ", …"
}

func itemCount(spec *artifact.SectionSpec) string {
	switch {
	case spec.Max > 0 && spec.Max == spec.Min:
		return fmt.Sprintf("%d", spec.Min)
	case spec.Max > 0:
		return fmt.Sprintf("%d to %d", spec.Min, spec.Max)
	case spec.Min > 0:
		return fmt.Sprintf("%d or more", spec.Min)
	default:
		return "as found"
	}
}

// mayAdd returns the table's ADD cell. The research thread can only be edited.
func (r *Rights) mayAdd(s artifact.Section) string {
	if s != artifact.ResearchThread && r.mayAll(s, r.Scopes.MayAdd) {
		return "yes"
	}
	return "no"
}

func (r *Rights) mayKill(s artifact.Section) string {
	if s == artifact.ResearchThread {
		return "no"
	}
	return r.mayChange(s, r.Scopes.MayKill)
}

func (r *Rights) mayChange(s artifact.Section, allows func(string, artifact.Section) bool) string {
	mine, others := "own", "any"
	if s == artifact.ResearchThread {
		mine, others = "no", "yes" // there is only one, without an author
	}
	if r.mayAll(s, allows) {
		return others
	}
	return mine
}
