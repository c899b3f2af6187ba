// Package contexts decides which of a project's records an agent is given, and
// writes them under a hard bound of tokens. What is left out is named with the rule
// that left it out. The package is pure: it must not know how tokens are counted,
// where records are stored, or what becomes of the text.
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
	Access policy.Accesses // what roles may read: it holds whatever Spec says
	Types  record.Types
	// Modules are those of the task. They do not matter where the spec crosses them.
	Modules []string
	// Purpose says what the agent is to do: fixed, and always shown.
	Purpose string
	// Overview are the records that open every context: the canonical brief and the
	// canonical summary of the project. They are shown by their summaries.
	Overview []Material
	// Materials are the candidates, in any order.
	Materials []Material
	// More says that there are further candidates that nobody looked at, because
	// enough stand before them.
	More bool
	// Count counts the tokens of a text; nil counts its bytes.
	Count func(string) int
}

// Material is a record that may be shown.
type Material struct {
	Record  record.Record
	Content []byte // needed only where the spec shows it in full
	// Artifact is what a research artifact says. It is shown by its sections, as far as
	// they fit, once everything else is there; where the spec wants it in full, in its
	// turn. Without it there is the summary.
	Artifact *artifact.Artifact
	// Near says what it has to do with the task; the higher the nearer.
	Near Nearness
	// Rehearsed says that it rests on a rehearsal, over however many steps.
	Rehearsed bool
	// Changed is when anything of the record was put last.
	Changed time.Time
}

// Nearness is how near a record is to a task.
type Nearness int

// The steps of nearness.
const (
	Apart  Nearness = iota // of the module, no more
	Tagged                 // it shares a tag with the task
	Linked                 // it and an input of the task point at one another
	Pinned                 // it is an input of the task
)

func (n Nearness) String() string { return [...]string{"recency", "tag", "link", "input"}[n] }

// Context is what an agent is given of the store's records.
type Context struct {
	Spec   string        `json:"view_hash"`
	Tokens int           `json:"tokens"` // of Text; never more than the bound
	Bound  int           `json:"bound"`
	Shown  []ShownRecord `json:"shown"`
	// LeftOut are the candidates that are not in it, each with the rule.
	LeftOut []Left `json:"left_out"`
	Text    string `json:"markdown"`
}

// ShownRecord is a record in a context, and why it is there.
type ShownRecord struct {
	Ref     record.Ref `json:",embed"`
	Type    string     `json:"type"`
	Form    view.Form  `json:"form"`
	Status  string     `json:"status"`
	Because string     `json:"because"`
	Tokens  int        `json:"tokens"`
	// Content is the hash of what the version says, in whatever form it is shown.
	Content string   `json:"-"`
	Cut     bool     `json:"-"` // it was to be shown in full, and only its summary fitted
	Near    Nearness `json:"-"`
}

// Left is a record that is not in a context, and the rule that left it out.
type Left struct {
	Ref  record.Ref `json:",embed"`
	Type string     `json:"type"`
	Rule string     `json:"rule"`
}

// The rules that leave records out, beside OverBound.
const (
	NotReadable = "the role may not read this type"
	NotInView   = "the role's view does not show this type"
	RawText     = "what was sent and said is never shown"
	OtherModule = "of another module"
	IsObsolete  = "deprecated"
	IsRehearsal = "from a rehearsal"
	OfRehearsal = "rests on a rehearsal"
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
	s.fixed()
	if fixed := s.weigh(); fixed > s.bound {
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

// barred returns the rule that keeps a record out whatever room there is, or "".
func (in *Input) barred(m *Material) string {
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

// choose sorts the candidates, and bars those that no room would help.
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
			continue // it stands here twice, or is in the overview, whose summary is enough
		}
		seen[ref] = true
		rule := s.in.barred(m)
		if rule == "" {
			if taken[m.Record.Type]++; taken[m.Record.Type] > v.Max {
				rule = OverTopK
			}
		}
		if rule != "" {
			s.left = append(s.left, Left{ref, m.Record.Type, rule})
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

// account says which records are shown and why, and which are left out.
func (s *sheet) account(out *Context) {
	show := func(m *Material, form view.Form, cut bool, text string) {
		r := &m.Record
		because := m.Near.String()
		if r.Type == record.ProjectBrief || r.Type == record.ProjectSummary {
			because = "overview"
		}
		if cut {
			because += ", in full it did not fit"
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
			s.left = append(s.left, Left{l.material.Record.Ref(), l.material.Record.Type, view.OverBound})
			continue
		}
		show(l.material, l.form, l.want == view.Full && l.form == view.Summary, l.text(l.form))
	}
	slices.SortFunc(s.left, func(a, b Left) int { return cmp.Or(cmp.Compare(a.Type, b.Type), record.CompareRefs(a.Ref, b.Ref)) })
	out.LeftOut = s.left
}
