package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/patch"
	"brenner/store"
	"brenner/store/record"
)

// Diff is what changed between two versions of a record.
type Diff struct {
	Schema string     `json:"schema"`
	From   VersionRow `json:"from"`
	To     VersionRow `json:"to"`
	// Changes are what the versions between say of themselves, the oldest first:
	// those that lead from From to To, where To goes on from it.
	Changes []Change      `json:"changes"`
	Fields  []FieldChange `json:"fields"`
	Added   []record.Link `json:"links_added"`
	Removed []record.Link `json:"links_removed"`
	Lines   []string      `json:"lines"` // each with its mark: blank, - or +
}

// Change is what a version says of itself.
type Change struct {
	Version int    `json:"version"`
	Creator string `json:"creator"`
	Text    string `json:"change"`
}

// FieldChange is a field with another value.
type FieldChange struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Diff says what changed between two versions, in the words of those who changed
// it and line by line. Where to is empty, it is the first version against its parent.
func (d *Door) Diff(ctx context.Context, from, to string) (*Diff, error) {
	a, ha, err := d.Standing(ctx, from)
	if err != nil {
		return nil, err
	}
	if to == "" {
		if a.Parent == 0 {
			return nil, &fault.Error{Code: fault.Usage, Detail: a.Ref().String() + " has no version before it", Hint: "name two versions"}
		}
		return d.Diff(ctx, record.Ref{ID: a.ID, Version: a.Parent}.String(), a.Ref().String())
	}
	b, hb, err := d.Standing(ctx, to)
	if err != nil {
		return nil, err
	}
	out := &Diff{Schema: "brenner.store.diff/v1", From: versionRow(&a, ha.Canonical), To: versionRow(&b, hb.Canonical)}
	if a.ID == b.ID {
		if out.Changes, err = d.changes(ctx, a.ID, a.Version, b.Version); err != nil {
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
	for _, l := range b.Links {
		if !slices.Contains(a.Links, l) {
			out.Added = append(out.Added, l)
		}
	}
	for _, l := range a.Links {
		if !slices.Contains(b.Links, l) {
			out.Removed = append(out.Removed, l)
		}
	}
	one, err := d.Content(ctx, &a)
	if err != nil {
		return nil, err
	}
	two, err := d.Content(ctx, &b)
	if err != nil {
		return nil, err
	}
	for _, l := range patch.Lines(linesOf(one), linesOf(two)) {
		out.Lines = append(out.Lines, string(l.Mark)+l.Text)
	}
	return out, nil
}

func linesOf(content []byte) []string {
	return strings.Split(strings.TrimRight(string(content), "\n"), "\n")
}

// changes gives what the versions after one, up to another, say of themselves.
func (d *Door) changes(ctx context.Context, id string, from, to int) ([]Change, error) {
	all, err := d.Store.Records(ctx, store.Query{ID: id})
	if err != nil {
		return nil, err
	}
	var out []Change
	for v := to; v > 0 && v <= len(all); v = all[v-1].Parent {
		if v == from {
			slices.Reverse(out)
			return out, nil
		}
		out = append(out, Change{v, all[v-1].Creator, all[v-1].Change})
	}
	return nil, nil // the one does not go on from the other
}

// History is a record with all its versions, and how its statuses came about.
type History struct {
	Schema   string       `json:"schema"`
	Record   RecordRow    `json:"record"`
	Tips     []int        `json:"tips"`
	Versions []VersionRow `json:"versions"`
	Marks    []MarkRow    `json:"marks"`
}

// History gives all versions of a record.
func (d *Door) History(ctx context.Context, address string) (*History, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if a.Said() {
		return nil, &fault.Error{Code: record.BadRef, Place: fault.Shown(address), Detail: "the log is that of all versions", Hint: fmt.Sprintf("leave out the version: %s", a.ID)}
	}
	h, err := d.Head(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	versions, err := d.Store.Records(ctx, store.Query{ID: h.ID})
	if err != nil {
		return nil, err
	}
	marks, err := d.Store.Marks(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	out := &History{Schema: "brenner.store.history/v1", Record: recordRow(&h), Marks: markRows(marks)}
	for i := range versions {
		out.Versions = append(out.Versions, versionRow(&versions[i], h.Canonical))
	}
	out.Tips, err = d.Store.Tips(ctx, h.ID)
	return out, err
}
