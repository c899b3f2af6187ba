package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/internal/text"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// artifactPage is a version of an artifact.
type artifactPage struct {
	Version  int
	Versions []int
	Status   string
	Sections []sectionView
}

type sectionView struct {
	ID    string
	Title string
	Empty string
	Items []itemView
	Rows  window
}

// itemView is an item.
type itemView struct {
	ID     string
	Name   string
	Kill   *artifact.Kill
	Fields []fieldView
}

// fieldView is a field with its authors.
type fieldView struct {
	Place   string
	Title   string
	Value   *valueView
	Authors []string
}

// valueView is a value of any kind.
type valueView struct {
	Text       string
	List       []string
	Pairs      []pairView
	Candidates []pairView // of a conflict
}

type pairView struct {
	Key, Text string
	Struck    bool
}

func (s *Server) artifact(r *http.Request) (*view, error) {
	return s.withSession(r, "artifact", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		version, err := version(r, "v")
		if err != nil {
			return err
		}
		if version == 0 {
			version = h.State.Version()
		}
		now, err := h.Artifact(ctx, version)
		if err != nil {
			return err
		}
		page := &artifactPage{Version: version, Status: now.Metadata.Status}
		page.Versions = versionsOf(h)
		page.Sections = sectionsOf(&now, r)
		address := session.Address{Thread: h.Thread, Version: version}
		v.Command, v.Data = text.CommandToCopy("brenner session show", "ID", address.String()), page
		if r.URL.Query().Get("format") == "json" {
			part, err := audit.PartAt(ctx, h, address)
			if err != nil {
				return err
			}
			v.Document = part
		}
		return nil
	})
}

// sectionsOf returns the sections of an artifact, or the part of one that a request asks for.
func sectionsOf(a *artifact.Artifact, r *http.Request) []sectionView {
	var all []sectionView
	for _, section := range artifact.Sections() {
		spec := section.Spec()
		items := a.Items(section)
		view := sectionView{ID: spec.ID, Title: spec.Title, Empty: spec.Empty, Rows: window{0, min(maxRows, len(items)), len(items)}}
		if only := r.URL.Query().Get("section"); only == spec.ID {
			view.Rows = windowOf(r, len(items))
		} else if only != "" {
			continue
		}
		for _, it := range items[view.Rows.From:view.Rows.To] {
			view.Items = append(view.Items, viewOf(it, spec))
		}
		all = append(all, view)
	}
	return all
}

func versionsOf(h *session.History) []int {
	var all []int
	for i := range h.State.Commits {
		all = append(all, h.State.Commits[i].Version)
	}
	return all
}

func viewOf(it *artifact.Item, spec *artifact.SectionSpec) itemView {
	v := itemView{ID: it.ID, Name: it.Text("name"), Kill: it.Kill}
	for i := range it.Fields {
		f := &it.Fields[i]
		if f.Name == "name" {
			if _, isText := f.Value.(artifact.Text); isText {
				continue // the heading has it
			}
		}
		marks := it.Marks(i)
		v.Fields = append(v.Fields, fieldView{
			Place: it.ID + "." + f.Name, Title: titleOf(spec, f.Name), Value: valueOf(it, f.Name, f.Value), Authors: authorsOf(&marks),
		})
	}
	return v
}

func titleOf(spec *artifact.SectionSpec, name string) string {
	if f, ok := spec.Field(name); ok {
		return f.Title
	}
	return strings.ToUpper(name[:min(1, len(name))]) + words(name[min(1, len(name)):])
}

// authorsOf returns the agents that wrote a field.
func authorsOf(m *artifact.Marks) []string {
	all := slices.Concat(m.By(), m.Floor())
	if m.Parts != nil {
		for _, part := range m.Parts.Each {
			all = append(all, part...)
		}
	}
	var names []string
	for _, stamp := range all {
		if stamp != nil && !slices.Contains(names, stamp.Agent) {
			names = append(names, stamp.Agent)
		}
	}
	return names
}

// valueOf returns a field's value; it may be nil.
func valueOf(it *artifact.Item, name string, v artifact.Value) *valueView {
	switch value := v.(type) {
	case artifact.Conflict:
		v := &valueView{}
		for _, c := range value {
			v.Candidates = append(v.Candidates, pairView{Key: c.Agent, Text: session.PlainText(c.Value)})
		}
		return v
	case artifact.List:
		v := &valueView{}
		for _, e := range value {
			v.List = append(v.List, session.PlainText(e))
		}
		return v
	case artifact.Map:
		v := &valueView{}
		var row artifact.Row
		if it != nil {
			row = artifact.RowOf(it, nil)
		}
		for _, e := range value {
			struck := name == "predictions" && it != nil && row.NotApplicable(e.Key)
			v.Pairs = append(v.Pairs, pairView{Key: e.Key, Text: cellText(e.Value), Struck: struck})
		}
		return v
	case artifact.Bool:
		if value {
			return &valueView{Text: "yes"}
		}
		return &valueView{Text: "no"}
	}
	return &valueView{Text: session.PlainText(v)}
}

// cellText returns the text of a map's value; of a conflict, all candidates.
func cellText(v artifact.Value) string {
	conflict, ok := v.(artifact.Conflict)
	if !ok {
		return session.PlainText(v)
	}
	var all []string
	for _, c := range conflict {
		all = append(all, c.Agent+": "+session.PlainText(c.Value))
	}
	return "In conflict. " + strings.Join(all, " · ")
}

// blamePage is the authors of an item or a field, by delta.
type blamePage struct {
	*audit.Blame
	Groups []originGroup
}

// originGroup is what one delta wrote.
type originGroup struct {
	audit.Origin
	Parts []audit.Origin
}

func newBlamePage(found *audit.Blame) *blamePage {
	p := &blamePage{Blame: found}
	for _, one := range found.Origins {
		i := slices.IndexFunc(p.Groups, func(g originGroup) bool { return g.Delta == one.Delta && g.Fate == one.Fate && g.Delta != "" })
		if i < 0 {
			i, p.Groups = len(p.Groups), append(p.Groups, originGroup{Origin: one})
		}
		p.Groups[i].Parts = append(p.Groups[i].Parts, one)
	}
	return p
}

// blame shows who wrote a field or an item.
func (s *Server) blame(r *http.Request) (*view, error) {
	return s.withSession(r, "blame", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		address, err := session.ParseAddress(h.Thread + "#" + r.PathValue("place"))
		if err != nil {
			return err
		}
		if address.Version, err = version(r, "v"); err != nil {
			return err
		}
		found, err := audit.BlameItem(ctx, h, address)
		if err != nil {
			return err
		}
		v.Session.Tab = "artifact"
		v.Title = r.PathValue("place") + ", who wrote it"
		v.Command, v.Document, v.Data = text.CommandToCopy("brenner blame", "ID ITEM", h.Thread, r.PathValue("place")), found, newBlamePage(found)
		return nil
	})
}

// predictionsPage is the predictions against the hypotheses.
type predictionsPage struct {
	Version    int
	Hypotheses []hypothesisView
	Rows       []predictionRow
}

type hypothesisView struct {
	ID, Title string
	Killed    bool
}

// predictionRow is a prediction. Separates reports whether it tells hypotheses apart.
type predictionRow struct {
	ID, Condition string
	Killed        bool
	Groups        int
	Separates     bool
	Cells         []predictionCell
}

// predictionCell is what a hypothesis predicts. Cells with the same letter say the same.
type predictionCell struct{ Hypothesis, Symbol, Word, Text, Class string }

func (s *Server) predictions(r *http.Request) (*view, error) {
	return s.withSession(r, "predictions", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		now, err := h.Artifact(ctx, h.State.Version())
		if err != nil {
			return err
		}
		address := session.Address{Thread: h.Thread}
		v.Command, v.Data = text.CommandToCopy("brenner session show", "ID", address.String()), newPredictions(&now)
		if r.URL.Query().Get("format") == "json" {
			v.Document, err = audit.PartAt(ctx, h, address)
		}
		return err
	})
}

// maxColumns bounds the hypotheses of the table.
const maxColumns = 64

func newPredictions(a *artifact.Artifact) *predictionsPage {
	p := &predictionsPage{Version: a.Metadata.Version}
	for _, h := range a.Items(artifact.HypothesisSlate) {
		if len(p.Hypotheses) < maxColumns {
			title := h.Text("name")
			if title == "" {
				title = h.Text("claim")
			}
			p.Hypotheses = append(p.Hypotheses, hypothesisView{h.ID, title, h.Killed()})
		}
	}
	struck := a.Struck()
	for _, it := range a.Items(artifact.PredictionsTable) {
		if len(p.Rows) < maxRows {
			p.Rows = append(p.Rows, newPredictionRow(it, p.Hypotheses, struck))
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b predictionRow) int { return b.rank() - a.rank() })
	return p
}

// rank puts predictions first that separate more hypotheses.
func (r *predictionRow) rank() int {
	if r.Killed || !r.Separates {
		return 0
	}
	return r.Groups
}

func newPredictionRow(it *artifact.Item, hypotheses []hypothesisView, struck map[string]bool) predictionRow {
	row := artifact.RowOf(it, struck)
	out := predictionRow{ID: it.ID, Condition: session.PlainText(it.Get("condition")), Killed: it.Killed()}
	groups := map[string]int{} // by text, in the order of appearance
	members := map[string][]string{}
	values := it.Map("predictions")
	for _, h := range hypotheses {
		value, _ := values.Get(h.ID)
		c := predictionCell{Hypothesis: h.ID}
		said, isText := value.(artifact.Text)
		switch {
		case row.NotApplicable(h.ID):
			c.Symbol, c.Word, c.Class = "—", "not applicable: killed", "na"
		case value == nil || isText && strings.TrimSpace(string(said)) == "":
			c.Symbol, c.Word, c.Class = "·", "silent", "silent"
		case isText:
			same := strings.ToLower(strings.Join(strings.Fields(string(said)), " "))
			if _, ok := groups[same]; !ok {
				groups[same] = len(groups)
			}
			members[same] = append(members[same], h.ID)
			c.Symbol, c.Text, c.Class = letter(groups[same]), string(said), "g"+strconv.Itoa(min(groups[same], 4))
		default:
			c.Symbol, c.Word, c.Text, c.Class = "!", "in conflict", cellText(value), "conflict"
		}
		out.Cells = append(out.Cells, c)
	}
	out.Groups, out.Separates = len(groups), len(groups) > 1
	for i := range out.Cells {
		c := &out.Cells[i]
		if c.Word != "" {
			continue
		}
		same := strings.ToLower(strings.Join(strings.Fields(c.Text), " "))
		others := slices.DeleteFunc(slices.Clone(members[same]), func(id string) bool { return id == c.Hypothesis })
		switch {
		case len(others) > 0:
			c.Word = "agrees with " + strings.Join(others, ", ")
		case out.Separates:
			c.Word = "differs from the others"
		default:
			c.Word = "the only one"
		}
	}
	return out
}

func letter(n int) string { return string(rune('A' + min(n, 25))) }

// withoutPage is the result of a session without an agent.
type withoutPage struct {
	*audit.Counterfactual
	Fields   []withoutField
	Sections []sectionView // of the artifact then
}

// withoutField is a field that would differ.
type withoutField struct {
	diffField
	Item, As string // its id, and what that would be
}

// without shows the artifact as it would be without an agent.
func (s *Server) without(r *http.Request) (*view, error) {
	return s.withSession(r, "without", func(ctx context.Context, _ *project.Source, h *session.History, v *view) error {
		name := r.PathValue("agent")
		found, err := audit.Without(ctx, h, name)
		if err != nil {
			return err
		}
		v.Title = "Without " + name
		v.Command, v.Document, v.Data = text.CommandToCopy("brenner session replay", "ID --without NAME", h.Thread, "--without", name), found, newWithoutPage(found, r)
		return nil
	})
}

func newWithoutPage(found *audit.Counterfactual, r *http.Request) withoutPage {
	p := withoutPage{Counterfactual: found, Sections: sectionsOf(&found.After, r)}
	for i := range found.Changed {
		c := &found.Changed[i]
		p.Fields = append(p.Fields, withoutField{fieldOf(c.Section.Spec(), &c.FieldDiff), c.Was, c.Item})
	}
	return p
}
