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
	"brenner/govern/brief"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/patch"
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
	// summary of the project. Of the brief, the fields are shown, and its content is needed.
	Overview []Material
	// Materials are the candidates, in any order.
	Materials []Material
	// More reports whether further candidates were not read, as enough rank before them.
	More bool
	// Count counts the tokens of a text; nil counts its bytes.
	Count func(string) int
	// Limit is a bound of the call besides that of the spec; 0 means no such bound, and OverviewOnly leaves out every
	// record but those of the overview, and of these what can be left out.
	Limit int
	// Untold leaves out the line that counts what is not shown: the caller says so in another place.
	Untold bool
	// Grows lets the bound of the spec grow to what is always shown; see Context.Over.
	Grows bool
}

// OverviewOnly is the limit of a context without records, besides its overview.
const OverviewOnly = -1

// Material is a record that may be shown.
type Material struct {
	Record  record.Record
	Content []byte // needed only of briefs, and if the spec shows it in full
	// Artifact is the content of a research artifact. Its sections are shown as far as they
	// fit, after everything else or, if the spec shows it in full, in its turn. If nil, the
	// summary is shown.
	Artifact *artifact.Artifact
	// Near is its relation to the task; higher is nearer.
	Near Nearness
	// Rehearsed reports whether it depends on a rehearsal, directly or not.
	Rehearsed bool
	// Aside reports whether another record took its place.
	Aside bool
	// Changed is when the record was last changed.
	Changed time.Time
	// Explained is set if it is here only to be explained: it ranks after all that are shown, and is not counted in the text.
	Explained bool
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
	// More reports whether there are further candidates. LeftFields are fields of the brief that are left out, of all it has.
	More       bool     `json:"-"`
	LeftFields []string `json:"-"`
	Fields     int      `json:"-"`
	// Over is the error of a spec whose bound had to grow.
	Over error `json:"-"`
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
	Base    string   `json:"-"` // hash of the canonical text, which patches name, if it is shown in full
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
	IsAside     = "another record took its place"
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
	if in.Limit > 0 {
		s.bound = min(s.bound, in.Limit)
	}
	out := Context{Spec: in.Spec.Hash(), More: in.More}
	s.addOverview()
	s.fitOverview()
	fixed := s.bodyTokens()
	if fixed > s.bound {
		out.Over = in.tooLarge(fixed, s.bound)
		if !in.Grows || in.Limit > 0 && fixed > in.Limit {
			return out, out.Over
		}
		s.bound = fixed
	}
	if in.Limit == OverviewOnly {
		s.bound = min(s.bound, s.count(s.body()+s.longestTail()))
	}
	out.Bound = s.bound
	s.choose()
	out.Text, out.Tokens = s.fill()
	s.account(&out)
	return out, nil
}

func (in *Input) tooLarge(fixed, bound int) error {
	hint := "raise max_tokens of the role"
	if bound < in.Spec.Bound() {
		hint = "raise session.context_tokens"
	}
	return &fault.Error{
		Code: view.TooLarge, Op: "assemble the context of " + fault.Shown(in.Spec.Role),
		Detail: fmt.Sprintf("the purpose and the overview of the project alone are %d tokens, and the bound is %d", fixed, bound),
		Hint:   hint + fmt.Sprintf(" to %d or more, or shorten the goal, constraints or non-goals of the project's brief", fixed),
	}
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
	case r.Status == record.Deprecated && m.Near != Pinned: // a task is about exact versions
		return IsObsolete
	case m.Aside && m.Near != Pinned:
		return IsAside
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
	opens := make(map[record.Ref]bool)
	for i := range s.overview {
		opens[s.overview[i].material.Record.Ref()] = true
	}
	for i := range all {
		m := &all[i]
		ref := m.Record.Ref()
		v, _ := s.in.Spec.Of(m.Record.Type)
		if seen[ref] || opens[ref] && (m.Near != Pinned || v.form() != view.Full) {
			continue // a duplicate, or in the overview, which suffices
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
			if rule == OverTopK && !m.Explained {
				s.past++
			}
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
	show := func(m *Material, form view.Form, cut bool, text, note string) {
		r := &m.Record
		because := m.Near.String()
		if r.Type == record.ProjectBrief || r.Type == record.ProjectSummary {
			because = "overview"
		}
		if cut {
			because += ", full text did not fit"
		}
		because += note
		base := ""
		if form == view.Full {
			base = patch.Hash(patch.Canonical(string(m.Content)))
		}
		out.Shown = append(out.Shown, ShownRecord{
			Base: base, Ref: r.Ref(), Type: r.Type, Form: form, Status: r.Status, Because: because, Tokens: s.count(text), Content: r.Content, Cut: cut, Near: m.Near,
		})
	}
	for _, o := range s.overview {
		note := ""
		if len(o.left) > 0 {
			note = ", left out: " + namesOf(o.left)
		}
		for _, f := range brief.Fields() {
			if o.brief.Text(f) != "" {
				out.Fields++
			}
		}
		for _, f := range o.left {
			out.LeftFields = append(out.LeftFields, f.String())
		}
		show(o.material, o.form(), false, o.text(), note)
	}
	for _, l := range s.lines {
		if l.form == "" {
			s.excluded = append(s.excluded, Excluded{l.material.Record.Ref(), l.material.Record.Type, view.OverBound})
			continue
		}
		show(l.material, l.form, l.want == view.Full && l.form == view.Summary, l.text(l.form), "")
	}
	slices.SortFunc(s.excluded, func(a, b Excluded) int { return cmp.Or(cmp.Compare(a.Type, b.Type), record.CompareRefs(a.Ref, b.Ref)) })
	out.LeftOut = s.excluded
}
