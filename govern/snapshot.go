package govern

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/record"
)

// Snapshot is the state of the project for people, from canonical versions only.
type Snapshot struct {
	Schema string `json:"schema"`
	// From are the versions it was made from, in the order of the text.
	From []string `json:"from"`
	Text string   `json:"markdown"`
}

// Snapshot renders the question, the hypotheses and models, the evidence, and the open points.
func (rs *Records) Snapshot(ctx context.Context) (*Snapshot, error) {
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Canonical: true, Live: true})
	if err != nil {
		return nil, err
	}
	s := &snapshot{}
	byType := make(map[string][]page)
	for i := range heads {
		h := &heads[i]
		r, err := rs.version(ctx, record.Ref{ID: h.ID, Version: h.Canonical}, h.Latest)
		if err != nil {
			return nil, err
		}
		content, err := rs.Content(ctx, &r)
		if err != nil {
			return nil, err
		}
		byType[r.Type] = append(byType[r.Type], page{r, string(content)})
	}
	s.write(byType, rs.Types)
	return &Snapshot{Schema: "brenner.store.snapshot/v1", Text: escapeHTML(s.b.String()), From: s.from}, nil
}

type page struct {
	record.Record
	content string
}

type snapshot struct {
	b    strings.Builder
	from []string
	open []string
}

func (s *snapshot) write(all map[string][]page, types record.Types) {
	s.b.WriteString("# State of the project\n\nFrom canonical versions only.\n")
	s.inFull("Question and scope", "There is no canonical project brief.", all[record.ProjectBrief])
	s.inFull("Where it stands", "There is no canonical project summary.", all[record.ProjectSummary])
	s.hypotheses(all[record.ResearchArtifact], all[record.ModelSpec])
	var evidence, rest []page
	for _, kind := range types {
		switch kind.Name {
		case record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo, record.ResearchArtifact, record.ModelSpec:
		case record.ManuscriptSection, record.Review, record.StalemateVerdict:
			rest = append(rest, all[kind.Name]...)
		default:
			evidence = append(evidence, all[kind.Name]...)
		}
	}
	s.listed("Evidence", "No canonical evidence.", evidence)
	s.memos(all[record.IntegratedMemo])
	if len(rest) > 0 {
		s.listed("Also canonical", "", rest)
	}
	s.questions()
}

func (s *snapshot) heading(title string) { fmt.Fprintf(&s.b, "\n## %s\n\n", title) }

// cite names a version as a source, and says if it is not current.
func (s *snapshot) cite(p *page) string {
	s.from = append(s.from, p.Ref().String())
	for _, q := range listUnder(p.content, "open question") {
		s.open = append(s.open, q+" ("+p.Ref().String()+")")
	}
	if p.Status != record.Canonical {
		s.open = append(s.open, p.Ref().String()+" is canonical and "+p.Status)
		return p.Ref().String() + ", " + p.Status
	}
	return p.Ref().String()
}

func (s *snapshot) inFull(title, none string, pages []page) {
	s.heading(title)
	for i := range pages {
		fmt.Fprintf(&s.b, "%s\n\n%s", demoteHeadings(pages[i].content, 2), "Source: "+s.cite(&pages[i])+"\n")
	}
	if len(pages) == 0 {
		s.b.WriteString(none + "\n")
	}
}

func (s *snapshot) listed(title, none string, pages []page) {
	s.heading(title)
	for i := range pages {
		p := &pages[i]
		fmt.Fprintf(&s.b, "- %s (%s, %s)\n", p.Summary, p.Type, s.cite(p))
	}
	if len(pages) == 0 {
		s.b.WriteString(none + "\n")
	}
}

func (s *snapshot) memos(pages []page) {
	s.heading("Module by module")
	for i := range pages {
		p := &pages[i]
		if i > 0 {
			s.b.WriteByte('\n')
		}
		fmt.Fprintf(&s.b, "### %s\n\n%s\n\nSource: %s\n", p.Module, demoteHeadings(p.content, 4), s.cite(p))
	}
	if len(pages) == 0 {
		s.b.WriteString("No module has a canonical memo.\n")
	}
}

func (s *snapshot) hypotheses(artifacts, models []page) {
	s.heading("Hypotheses and models")
	for i := range artifacts {
		p := &artifacts[i]
		source := s.cite(p)
		a, err := artifact.ParseExact([]byte(p.content))
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

// listUnder returns the items of the lists under headings that begin with a title.
func listUnder(content, title string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		plain := strings.ToLower(strings.TrimFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }))
		switch {
		case strings.HasPrefix(plain, title):
			inside = true
			if _, rest, ok := strings.Cut(line, ":"); ok && oneLine(strings.Trim(rest, "* ")) != "" {
				for part := range strings.SplitSeq(rest, ";") {
					out = append(out, oneLine(strings.Trim(part, "* ")))
				}
				inside = false
			}
		case strings.HasPrefix(line, "#"):
			inside = false
		case inside && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")):
			out = append(out, oneLine(line[2:]))
		case inside && line != "" && len(out) > 0:
			inside = false
		}
	}
	return out
}
