// Package contexts selects the records that an agent is shown and renders them within a hard bound
// of tokens. What is left out is named with the rule that excluded it. The package is pure: it must
// not know how tokens are counted, where records are stored, or how the text is used.
package contexts

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/view"
	"brenner/store/record"
)

// Input is everything a context of records is made of.
type Input struct {
	Spec   Spec
	Access policy.Accesses // what roles may read; takes precedence over Spec
	Types  record.Types
	// Modules are those of the task. They are ignored if the spec crosses modules.
	Modules []string
	// Purpose is what the agent is to do. It is always shown.
	Purpose string
	// Overview are the records that open every context: the canonical brief and the canonical
	// summary of the project. Their summaries are shown.
	Overview []Material
	// Materials are the candidates, in any order.
	Materials []Material
	// More reports whether further candidates were not read, as enough rank before them.
	More bool
	// Count counts the tokens of a text; nil counts its bytes.
	Count func(string) int
}

// Material is a record that may be shown.
type Material struct {
	Record  record.Record
	Content []byte // needed only if the spec shows it in full
	// Artifact is the content of a research artifact. Its sections are shown as far as they
	// fit, after everything else or, if the spec shows it in full, in its turn. If nil, the
	// summary is shown.
	Artifact *artifact.Artifact
	// Near is its relation to the task; higher is nearer.
	Near Nearness
	// Rehearsed reports whether it depends on a rehearsal, directly or not.
	Rehearsed bool
	// Changed is when the record was last changed.
	Changed time.Time
}

// Nearness is how near a record is to a task.
type Nearness int

// Steps of nearness.
const (
	Apart  Nearness = iota // only of the module
	Tagged                 // shares a tag with the task
	Linked                 // links to an input of the task, or is linked from one
	Pinned                 // an input of the task
)

func (n Nearness) String() string { return [...]string{"recency", "tag", "link", "input"}[n] }

// Context is what an agent is shown of the store's records.
type Context struct {
	Spec   string        `json:"view_hash"`
	Tokens int           `json:"tokens"` // of Text; within the bound
	Bound  int           `json:"bound"`
	Shown  []ShownRecord `json:"shown"`
	// LeftOut are the candidates that are not in it, each with the rule.
	LeftOut []Excluded `json:"left_out"`
	Text    string     `json:"markdown"`
}

// ShownRecord is a record in a context, and why it is there.
type ShownRecord struct {
	Ref     record.Ref `json:",embed"`
	Type    string     `json:"type"`
	Form    view.Form  `json:"form"`
	Status  string     `json:"status"`
	Because string     `json:"because"`
	Tokens  int        `json:"tokens"`
	// Content is the hash of the version's content, in whatever form it is shown.
	Content string   `json:"-"`
	Cut     bool     `json:"-"` // it was to be shown in full, but only its summary fits
	Near    Nearness `json:"-"`
}

// Excluded is a record that is not in a context, and the rule that excluded it.
type Excluded struct {
	Ref  record.Ref `json:",embed"`
	Type string     `json:"type"`
	Rule string     `json:"rule"`
}

// Rules that exclude records, besides OverBound.
const (
	NotReadable = "the role may not read this type"
	NotInView   = "the role's view does not show this type"
	RawText     = "raw messages are never shown"
	OtherModule = "of another module"
	IsObsolete  = "deprecated"
	IsRehearsal = "from a rehearsal"
	OfRehearsal = "depends on a rehearsal"
	OverTopK    = "past the type's maximum"
)

// Assemble makes a context of records that the role may read. What does not fit is left out by
// priority, nearness, age and id. It is an error if purpose and overview do not fit.
func Assemble(in *Input) (Context, error) {
	count := in.Count
	if count == nil {
		count = func(text string) int { return len(text) }
	}
	s := &sheet{in: in, bound: in.Spec.Bound(), count: count}
	out := Context{Bound: s.bound, Spec: in.Spec.Hash()}
	s.addOverview()
	if fixed := s.bodyTokens(); fixed > s.bound {
		return out, &fault.Error{
			Code: view.TooLarge, Op: "assemble the context of " + fault.Shown(in.Spec.Role),
			Detail: fmt.Sprintf("the purpose and the overview of the project alone are %d tokens, and the bound is %d", fixed, s.bound),
			Hint:   "raise max_tokens of the role, or shorten the summary of the project's brief",
		}
	}
	s.choose()
	out.Text, out.Tokens = s.fill()
	s.account(&out)
	return out, nil
}

// excludedBy returns the rule that excludes a record regardless of room, or "".
func (in *Input) excludedBy(m *Material) string {
	r := &m.Record
	kind, known := in.Types.Find(r.Type)
	_, seen := in.Spec.Of(r.Type)
	switch {
	case !known || kind.Raw:
		return RawText
	case !in.Access.MayRead(in.Spec.Role, r.Type):
		return NotReadable
	case !seen:
		return NotInView
	case r.Status == record.Deprecated:
		return IsObsolete
	case record.Rehearsed(r):
		return IsRehearsal
	case m.Rehearsed:
		return OfRehearsal
	case !in.Spec.Cross && r.Module != record.Project && !slices.Contains(in.Modules, r.Module):
		return OtherModule
	}
	return ""
}

// choose sorts the candidates and excludes some by the rules.
func (s *sheet) choose() {
	all := slices.Clone(s.in.Materials)
	slices.SortStableFunc(all, func(a, b Material) int { return s.in.compare(&a, &b) })
	taken := make(map[string]int)
	seen := make(map[record.Ref]bool)
	opening := make(map[record.Ref]bool)
	for i := range s.overview {
		opening[s.overview[i].Record.Ref()] = true
	}
	for i := range all {
		m := &all[i]
		ref := m.Record.Ref()
		v, _ := s.in.Spec.Of(m.Record.Type)
		if seen[ref] || opening[ref] && (m.Near != Pinned || v.form() != view.Full) {
			continue // a duplicate, or in the overview, whose summary suffices
		}
		seen[ref] = true
		rule := s.in.excludedBy(m)
		if rule == "" {
			if taken[m.Record.Type]++; taken[m.Record.Type] > v.Max {
				rule = OverTopK
			}
		}
		if rule != "" {
			s.excluded = append(s.excluded, Excluded{ref, m.Record.Type, rule})
			continue
		}
		s.lines = append(s.lines, &line{material: m, want: v.form()})
	}
}

func (in *Input) compare(a, b *Material) int {
	va, _ := in.Spec.Of(a.Record.Type)
	vb, _ := in.Spec.Of(b.Record.Type)
	return cmp.Or(
		cmp.Compare(vb.Priority, va.Priority), cmp.Compare(b.Near, a.Near), b.Changed.Compare(a.Changed),
		record.CompareRefs(a.Record.Ref(), b.Record.Ref()),
	)
}

// account lists the records that are shown and why, and those left out.
func (s *sheet) account(out *Context) {
	show := func(m *Material, form view.Form, cut bool, text string) {
		r := &m.Record
		because := m.Near.String()
		if r.Type == record.ProjectBrief || r.Type == record.ProjectSummary {
			because = "overview"
		}
		if cut {
			because += ", full text did not fit"
		}
		out.Shown = append(out.Shown, ShownRecord{
			Ref: r.Ref(), Type: r.Type, Form: form, Status: r.Status, Because: because, Tokens: s.count(text), Content: r.Content, Cut: cut, Near: m.Near,
		})
	}
	for i := range s.overview {
		show(&s.overview[i], view.Summary, false, overviewLine(&s.overview[i].Record))
	}
	for _, l := range s.lines {
		if l.form == "" {
			s.excluded = append(s.excluded, Excluded{l.material.Record.Ref(), l.material.Record.Type, view.OverBound})
			continue
		}
		show(l.material, l.form, l.want == view.Full && l.form == view.Summary, l.text(l.form))
	}
	slices.SortFunc(s.excluded, func(a, b Excluded) int { return cmp.Or(cmp.Compare(a.Type, b.Type), record.CompareRefs(a.Ref, b.Ref)) })
	out.LeftOut = s.excluded
}
