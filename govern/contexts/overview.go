package contexts

import (
	"slices"
	"strings"

	"brenner/govern/brief"
	"brenner/internal/text"
	"brenner/session/view"
	"brenner/store/record"
)

// AgentSummary begins the change note of a version whose summary an agent wrote: its author did
// not say that.
const AgentSummary = "a summary of what it says now, by "

// opening is a record that opens every context. Of a brief, the fields are shown; of the project's
// summary, its summary.
type opening struct {
	material *Material
	brief    brief.Brief
	left     []brief.Field // for which there is no room
}

// expendable are the fields that are left out if there is no room, the first one first. A context
// without the others would mislead.
var expendable = []brief.Field{brief.Glossary, brief.Audience, brief.Scope}

func newOpening(m *Material) *opening {
	o := &opening{material: m}
	if m.Record.Type == record.ProjectBrief {
		o.brief = brief.Parse(string(m.Content))
	}
	return o
}

func (o *opening) form() view.Form {
	if o.material.Record.Type == record.ProjectBrief {
		return view.Fields
	}
	return view.Summary
}

func (o *opening) drop(f brief.Field) {
	if o.brief.Text(f) != "" {
		o.left = append(o.left, f)
	}
}

func namesOf(fields []brief.Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.String()
	}
	return strings.Join(names, ", ")
}

// text renders a record of the overview. The author's lines are behind bars.
func (o *opening) text() string {
	r := &o.material.Record
	head := "- " + view.Word(r.Type) + " " + refText(r)
	if r.Type != record.ProjectBrief {
		return head + ": " + text.Clean(r.Summary, text.PromptLine) + "\n"
	}
	return head + "\n" + BriefText(r, &o.brief, o.left...)
}

// fieldTitle returns the heading of a field in prompts.
func fieldTitle(f brief.Field) string {
	if f == brief.NonGoals {
		return "Non-goals (not part of the project: do not work on these)"
	}
	return f.Title()
}

// BriefText renders the fields of a brief for a prompt, each under its name and behind bars. The
// summary of a brief without a goal is shown only if its author wrote it.
func BriefText(r *record.Record, b *brief.Brief, left ...brief.Field) string {
	var out strings.Builder
	if b.Text(brief.Goal) == "" {
		if authorSummary(r) {
			out.WriteString("  The brief does not state a goal. The summary by its author:\n" + lines(r.Summary))
		} else {
			out.WriteString("  The brief does not state a goal.\n")
		}
	}
	for _, f := range brief.Fields() {
		if content := b.Text(f); content != "" && !slices.Contains(left, f) {
			out.WriteString("  " + fieldTitle(f) + ":\n" + lines(content))
		}
	}
	if len(left) > 0 {
		out.WriteString("  Left out of the brief, for lack of room: " + namesOf(left) + ".\n")
	}
	return out.String()
}

// authorSummary reports whether the author of a version wrote its summary.
func authorSummary(r *record.Record) bool {
	return r.SummaryBy == record.Given && !r.StaleSummary() && !strings.HasPrefix(r.Change, AgentSummary)
}

// addOverview adds the records of the overview that the role may read.
func (s *sheet) addOverview() {
	for i := range s.in.Overview {
		m := &s.in.Overview[i]
		if rule := s.in.excludedBy(m); rule == "" || rule == NotInView {
			s.overview = append(s.overview, newOpening(m))
		}
	}
}

// fitOverview leaves out fields of the brief while the overview takes more than half of the bound,
// or does not fit at all.
func (s *sheet) fitOverview() {
	for _, f := range expendable {
		if s.in.Limit != OverviewOnly && s.count(s.overviewText()) <= s.bound/2 && s.bodyTokens() <= s.bound {
			return
		}
		for _, o := range s.overview {
			o.drop(f)
		}
	}
}

func (s *sheet) overviewText() string {
	var b strings.Builder
	for _, o := range s.overview {
		b.WriteString(o.text())
	}
	return b.String()
}
