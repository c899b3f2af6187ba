// Package digest writes the state of a project as a Markdown text for people. The package is pure: it must
// not know where records are stored.
package digest

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/govern/brief"
	"brenner/govern/inset"
	"brenner/internal/text"
	"brenner/store/record"
)

// Page is a canonical version, and what it says.
type Page struct {
	record.Record
	Content string
	Drafts  []string // the versions it depends on that are not canonical
}

// Write returns the state of the project by its canonical versions of each type, and the names of those used.
func Write(all map[string][]Page, types record.Types) (text string, from []string) {
	s := &snapshot{}
	s.write(all, types)
	return inset.EscapeHTML(s.b.String()), s.from
}

type snapshot struct {
	b    strings.Builder
	from []string
	open []string
}

func (s *snapshot) write(all map[string][]Page, types record.Types) {
	s.b.WriteString("# State of the project\n\nFrom canonical versions only. Where one rests on versions that are not canonical, its source names them.\n")
	s.brief(all[record.ProjectBrief])
	s.inFull("Where it stands", "There is no canonical project summary.", all[record.ProjectSummary])
	s.hypotheses(all[record.ResearchArtifact], all[record.ModelSpec])
	var evidence, rest []Page
	for _, kind := range types {
		switch kind.Name {
		case record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo, record.ResearchArtifact, record.ModelSpec, record.ManuscriptSection:
		case record.Review, record.StalemateVerdict:
			rest = append(rest, all[kind.Name]...)
		default:
			evidence = append(evidence, all[kind.Name]...)
		}
	}
	s.listed("Evidence", "No canonical evidence.", evidence)
	s.heading("Module by module")
	s.texts("No module has a canonical memo.", all[record.IntegratedMemo], func(p *Page) string { return p.Module })
	if sections := all[record.ManuscriptSection]; len(sections) > 0 {
		s.heading("Manuscript")
		s.texts("", sections, func(p *Page) string { return p.ID })
	}
	if len(rest) > 0 {
		s.listed("Also canonical", "", rest)
	}
	s.questions()
}

func (s *snapshot) heading(title string) { fmt.Fprintf(&s.b, "\n## %s\n\n", title) }

// cite names a version as a source, and says if it is not current.
func (s *snapshot) cite(p *Page) string {
	s.from = append(s.from, p.Ref().String())
	for _, q := range inset.ListUnder(p.Content, "open question") {
		s.open = append(s.open, q+" ("+p.Ref().String()+")")
	}
	name := p.Ref().String()
	if p.Status != record.Canonical {
		s.open = append(s.open, p.Ref().String()+" is canonical and "+p.Status)
		name += ", " + p.Status
	}
	if len(p.Drafts) > 0 {
		name += ", rests on " + text.Some(p.Drafts)
	}
	return name
}

// brief renders the question and the scope: the fields of the brief, under their names.
func (s *snapshot) brief(pages []Page) {
	s.heading("Question and scope")
	for i := range pages {
		b := brief.Parse(pages[i].Content)
		if b.Goal() == "" { // of an earlier program
			s.b.WriteString("The brief does not state a goal.\n\n")
			s.part("The brief says", b.Text(brief.Rest))
		}
		for _, f := range brief.Fields() {
			s.part(f.Title(), b.Text(f))
		}
		s.b.WriteString("Source: " + s.cite(&pages[i]) + "\n")
	}
	if len(pages) == 0 {
		s.b.WriteString("There is no canonical project brief.\n")
	}
}

func (s *snapshot) part(title, content string) {
	if content != "" {
		fmt.Fprintf(&s.b, "### %s\n\n%s\n\n", title, inset.Below(content, 3))
	}
}

func (s *snapshot) inFull(title, none string, pages []Page) {
	s.heading(title)
	for i := range pages {
		fmt.Fprintf(&s.b, "%s\n\n%s", inset.Below(pages[i].Content, 2), "Source: "+s.cite(&pages[i])+"\n")
	}
	if len(pages) == 0 {
		s.b.WriteString(none + "\n")
	}
}

func (s *snapshot) listed(title, none string, pages []Page) {
	s.heading(title)
	for i := range pages {
		p := &pages[i]
		fmt.Fprintf(&s.b, "- %s (%s, %s)\n", p.Summary, p.Type, s.cite(p))
	}
	if len(pages) == 0 {
		s.b.WriteString(none + "\n")
	}
}

// texts renders texts in full, each under a title.
func (s *snapshot) texts(none string, pages []Page, title func(*Page) string) {
	for i := range pages {
		p := &pages[i]
		if i > 0 {
			s.b.WriteByte('\n')
		}
		fmt.Fprintf(&s.b, "### %s\n\n%s\n\nSource: %s\n", title(p), inset.Below(p.Content, 4), s.cite(p))
	}
	if len(pages) == 0 {
		s.b.WriteString(none + "\n")
	}
}

func (s *snapshot) hypotheses(artifacts, models []Page) {
	s.heading("Hypotheses and models")
	for i := range artifacts {
		p := &artifacts[i]
		source := s.cite(p)
		a, err := artifact.ParseExact([]byte(p.Content))
		if err != nil {
			fmt.Fprintf(&s.b, "- %s (%s)\n", p.Summary, source)
			continue
		}
		for _, h := range a.Active(artifact.HypothesisSlate) {
			fmt.Fprintf(&s.b, "- %s: %s (%s#%s)\n", h.ID, oneLine(h.Text("claim")), source, h.ID)
		}
		for _, x := range a.Active(artifact.AnomalyRegister) {
			s.open = append(s.open, fmt.Sprintf("%s (%s#%s)", oneLine(x.Text(artifact.AnomalyRegister.Spec().Main)), p.Ref(), x.ID))
		}
	}
	for i := range models {
		fmt.Fprintf(&s.b, "- %s (model of %s, %s)\n", models[i].Summary, models[i].Module, s.cite(&models[i]))
	}
	if len(artifacts)+len(models) == 0 {
		s.b.WriteString("No canonical hypothesis or model.\n")
	}
}

func (s *snapshot) questions() {
	s.heading("Open questions")
	for _, q := range s.open {
		s.b.WriteString("- " + q + "\n")
	}
	if len(s.open) == 0 {
		s.b.WriteString("None recorded.\n")
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
