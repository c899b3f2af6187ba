package govern

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// ListOptions select records; empty fields do not restrict.
type ListOptions struct {
	Type, Module, Status string
	Most                 int // maximum number; 0 means all
	Skip                 int // number of records before the first
}

// RecordList is a list of records, newest first.
type RecordList struct {
	Schema  string      `json:"schema"`
	Records []RecordRow `json:"records"`
	More    bool        `json:"more"`
}

// List returns the selected records.
func (rs *Records) List(ctx context.Context, o ListOptions) (*RecordList, error) {
	q := store.HeadQuery{Status: o.Status, Newest: true}
	if o.Type != "" {
		if err := rs.Types.Check(o.Type); err != nil {
			return nil, err
		}
		q.Types = []string{o.Type}
	}
	if o.Status != "" && !slices.Contains(record.Statuses(), o.Status) {
		return nil, &fault.Error{Code: BadRecord, Place: "--status " + fault.Shown(o.Status), Detail: "no such status", Hint: "use one of " + strings.Join(record.Statuses(), ", ")}
	}
	if o.Module != "" {
		if err := rs.CheckModules(ctx, o.Module); err != nil {
			return nil, err
		}
		q.Modules = []string{o.Module}
	}
	if o.Most > 0 {
		q.Limit = o.Skip + o.Most + 1
	}
	heads, err := rs.Store.Heads(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &RecordList{Schema: "brenner.store.log/v1"}
	heads = heads[min(o.Skip, len(heads)):]
	if o.Most > 0 && len(heads) > o.Most {
		heads, out.More = heads[:o.Most], true
	}
	for i := range heads {
		out.Records = append(out.Records, recordRow(&heads[i]))
	}
	return out, nil
}

// CheckModules returns an error for a module without records.
func (rs *Records) CheckModules(ctx context.Context, names ...string) error {
	census, err := rs.Store.Census(ctx)
	if err != nil {
		return err
	}
	modules := []string{record.Project}
	for _, c := range census {
		if !slices.Contains(modules, c.Module) {
			modules = append(modules, c.Module)
		}
	}
	for _, name := range names {
		if slices.Contains(modules, name) {
			continue
		}
		hint := cmp.Or(text.Suggest(name, modules), "use one of "+strings.Join(modules, ", "))
		return &fault.Error{Code: store.NoRecord, Place: "--module " + fault.Shown(name), Detail: "no such module", Hint: hint}
	}
	return nil
}

// RecordText is a version with its content.
type RecordText struct {
	Schema string     `json:"schema"`
	Record VersionRow `json:"record"`
	Latest int        `json:"latest"`
	Text   string     `json:"content"`
}

// Show returns a version with its content.
func (rs *Records) Show(ctx context.Context, who Actor, address string) (*RecordText, error) {
	r, h, err := rs.findFor(ctx, who, address, standingOf)
	if err != nil {
		return nil, err
	}
	because, err := rs.whyStale(ctx, rs.Graph(), &r)
	if err != nil {
		return nil, err
	}
	data, err := rs.Content(ctx, &r)
	out := &RecordText{Schema: "brenner.store.show/v1", Record: versionRow(&r, h.Canonical), Latest: h.Latest, Text: string(data)}
	out.Record.Because = because
	return out, errors.Join(err, rs.addAsked(ctx, &out.Record))
}

// Diff is what changed between two versions of a record.
type Diff struct {
	Schema string     `json:"schema"`
	From   VersionRow `json:"from"`
	To     VersionRow `json:"to"`
	// Changes are the change notes after From up to To, oldest first, if To descends from it.
	Changes []Change      `json:"changes"`
	Fields  []FieldChange `json:"fields"`
	Added   []record.Link `json:"links_added"`
	Removed []record.Link `json:"links_removed"`
	Lines   []string      `json:"lines"` // each with its mark: blank, - or +
}

// Change is the change note of a version.
type Change struct {
	Version int    `json:"version"`
	Creator string `json:"creator"`
	Text    string `json:"change"`
	Asked   string `json:"asked,omitempty"`
}

// FieldChange is a field with another value.
type FieldChange struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Diff returns what changed between two versions; an empty to compares from with its parent.
func (rs *Records) Diff(ctx context.Context, from, to string) (*Diff, error) {
	a, ha, err := rs.Standing(ctx, from)
	if err != nil {
		return nil, err
	}
	if to == "" {
		if a.Parent == 0 {
			return nil, &fault.Error{Code: fault.Usage, Detail: a.Ref().String() + " has no parent", Hint: "name two versions"}
		}
		return rs.Diff(ctx, record.Ref{ID: a.ID, Version: a.Parent}.String(), a.Ref().String())
	}
	b, hb, err := rs.Standing(ctx, to)
	if err != nil {
		return nil, err
	}
	out := &Diff{Schema: "brenner.store.diff/v1", From: versionRow(&a, ha.Canonical), To: versionRow(&b, hb.Canonical)}
	if a.ID == b.ID {
		if out.Changes, err = rs.changes(ctx, a.ID, a.Version, b.Version); err != nil {
			return nil, err
		}
	}
	for _, f := range []FieldChange{
		{"type", a.Type, b.Type},
		{"module", a.Module, b.Module},
		{"status", a.Status, b.Status},
		{"summary", a.Summary, b.Summary},
		{"creator", a.Creator, b.Creator},
		{"tags", strings.Join(a.Tags, ", "), strings.Join(b.Tags, ", ")},
	} {
		if f.From != f.To {
			out.Fields = append(out.Fields, f)
		}
	}
	out.Added, out.Removed = linksNotIn(b.Links, a.Links), linksNotIn(a.Links, b.Links)
	one, err := rs.Content(ctx, &a)
	if err != nil {
		return nil, err
	}
	two, err := rs.Content(ctx, &b)
	if err != nil {
		return nil, err
	}
	for _, l := range patch.Lines(linesOf(one), linesOf(two)) {
		out.Lines = append(out.Lines, string(l.Mark)+l.Text)
	}
	if err := rs.addAskedChanges(ctx, a.ID, out.Changes); err != nil {
		return nil, err
	}
	return out, rs.addAsked(ctx, &out.From, &out.To)
}

func linksNotIn(links, others []record.Link) []record.Link {
	return slices.DeleteFunc(slices.Clone(links), func(l record.Link) bool { return slices.Contains(others, l) })
}

func linesOf(content []byte) []string {
	return strings.Split(strings.TrimRight(string(content), "\n"), "\n")
}

func (rs *Records) changes(ctx context.Context, id string, from, to int) ([]Change, error) {
	all, err := rs.Store.Records(ctx, store.Query{ID: id})
	if err != nil {
		return nil, err
	}
	var out []Change
	for v := to; v > 0 && v <= len(all); v = all[v-1].Parent {
		if v == from {
			slices.Reverse(out)
			return out, nil
		}
		out = append(out, Change{Version: v, Creator: all[v-1].Creator, Text: all[v-1].Change})
	}
	return nil, nil // not a descendant
}

// History is a record with all its versions and marks.
type History struct {
	Schema   string       `json:"schema"`
	Record   RecordRow    `json:"record"`
	Tips     []int        `json:"tips"`
	Versions []VersionRow `json:"versions"`
	Marks    []MarkRow    `json:"marks"`
}

// History returns all versions of a record.
func (rs *Records) History(ctx context.Context, address string) (*History, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if a.HasVersion() {
		return nil, &fault.Error{Code: record.BadRef, Place: fault.Shown(address), Detail: "the log lists all versions", Hint: fmt.Sprintf("omit the version: %s", a.ID)}
	}
	h, err := rs.Head(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	versions, err := rs.Store.Records(ctx, store.Query{ID: h.ID})
	if err != nil {
		return nil, err
	}
	marks, err := rs.Store.Marks(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	out := &History{Schema: "brenner.store.history/v1", Record: recordRow(&h), Marks: markRows(marks)}
	g := rs.Graph()
	for i := range versions {
		row := versionRow(&versions[i], h.Canonical)
		if row.Because, err = rs.whyStale(ctx, g, &versions[i]); err != nil {
			return nil, err
		}
		out.Versions = append(out.Versions, row)
	}
	if out.Tips, err = rs.Store.Tips(ctx, h.ID); err != nil {
		return nil, err
	}
	rows := make([]*VersionRow, len(out.Versions))
	for i := range out.Versions {
		rows[i] = &out.Versions[i]
	}
	return out, rs.addAsked(ctx, rows...)
}

// Found is a record that contains a text, and where it came from.
type Found struct {
	Record record.Record // the standing version, or the latest with the text
	Stands bool
	// First is the earliest ancestor with the text; its author wrote it.
	First record.Record
	// Author is how an agent wrote First.
	Author Author
	// Text is the line with the text.
	Text string
}

// FindText searches records for a text, ignoring case and line breaks: standing versions first,
// then drafts. Raw traffic is left out.
func (rs *Records) FindText(ctx context.Context, text string) ([]Found, error) {
	want := normalize(text)
	if want == "" {
		return nil, nil
	}
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{})
	if err != nil {
		return nil, err
	}
	var standing, drafts []Found
	for i := range heads {
		h := &heads[i]
		if kind, _ := rs.Types.Find(h.Type); kind.Raw || h.Type == record.ResearchArtifact {
			continue
		}
		f, err := rs.findIn(ctx, h, want)
		if err != nil {
			return nil, err
		}
		switch {
		case f == nil:
		case f.Stands:
			standing = append(standing, *f)
		default:
			drafts = append(drafts, *f)
		}
	}
	all := slices.Concat(standing, drafts)
	return all, rs.addAuthors(ctx, all)
}

func (rs *Records) addAuthors(ctx context.Context, all []Found) error {
	if len(all) == 0 {
		return nil
	}
	by, err := rs.authors(ctx)
	for i := range all {
		if err != nil {
			return err
		}
		r := &all[i].First
		all[i].Author, err = by.of(ctx, r.Ref(), r.Type, r.Creator, r.Links)
	}
	return err
}

func (rs *Records) findIn(ctx context.Context, h *record.Head, want string) (*Found, error) {
	versions := []int{h.Standing().Version}
	if h.Latest != versions[0] {
		versions = append(versions, h.Latest)
	}
	for _, v := range versions {
		r, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: v}, h.Latest)
		if err != nil {
			return nil, err
		}
		line, ok, err := rs.findLine(ctx, &r, want)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		f := &Found{Record: r, Stands: v == versions[0], First: r, Text: line}
		for f.First.Parent > 0 {
			parent, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: f.First.Parent}, h.Latest)
			if err != nil {
				return nil, err
			}
			if _, ok, err := rs.findLine(ctx, &parent, want); err != nil || !ok {
				return f, err
			}
			f.First = parent
		}
		return f, nil
	}
	return nil, nil
}

func (rs *Records) findLine(ctx context.Context, r *record.Record, want string) (string, bool, error) {
	data, err := rs.Content(ctx, r)
	if err != nil {
		return "", false, err
	}
	content := string(data)
	if !strings.Contains(normalize(content), want) {
		return "", false, nil
	}
	for line := range strings.Lines(content) {
		if strings.Contains(normalize(line), want) {
			return strings.TrimSpace(line), true, nil
		}
	}
	return oneLine(content), true, nil // it spans several lines
}

func normalize(text string) string { return strings.ToLower(oneLine(text)) }
