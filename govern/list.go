package govern

import (
	"context"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
	"brenner/store/record"
)

// ListOptions choose among records; what is empty chooses nothing.
type ListOptions struct {
	Type, Module, Status string
	Most                 int // how many at most; 0 is all
}

// RecordList is a list of records, the newest first.
type RecordList struct {
	Schema  string      `json:"schema"`
	Records []RecordRow `json:"records"`
	More    bool        `json:"more"`
}

// List returns the records that the options choose.
func (d *Door) List(ctx context.Context, o ListOptions) (*RecordList, error) {
	q := store.HeadQuery{Status: o.Status, Newest: true}
	if o.Type != "" {
		if err := d.Types.Check(o.Type); err != nil {
			return nil, err
		}
		q.Types = []string{o.Type}
	}
	if o.Status != "" && !slices.Contains(record.Statuses(), o.Status) {
		return nil, &fault.Error{Code: BadRecord, Place: "--status " + fault.Shown(o.Status), Detail: "there is no such status", Hint: "it is one of " + strings.Join(record.Statuses(), ", ")}
	}
	if o.Module != "" {
		if err := d.CheckModules(ctx, o.Module); err != nil {
			return nil, err
		}
		q.Modules = []string{o.Module}
	}
	if o.Most > 0 {
		q.Limit = o.Most + 1
	}
	heads, err := d.Store.Heads(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &RecordList{Schema: "brenner.store.log/v1"}
	if o.Most > 0 && len(heads) > o.Most {
		heads, out.More = heads[:o.Most], true
	}
	for i := range heads {
		out.Records = append(out.Records, recordRow(&heads[i]))
	}
	return out, nil
}

// CheckModules refuses a module without records: its name is misspelt.
func (d *Door) CheckModules(ctx context.Context, names ...string) error {
	census, err := d.Store.Census(ctx)
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
		hint := "there are " + strings.Join(modules, ", ")
		if near, ok := text.Nearest(name, modules); ok {
			hint = "did you mean " + near + "?"
		}
		return &fault.Error{Code: store.NoRecord, Place: "--module " + fault.Shown(name), Detail: "no record belongs to it", Hint: hint}
	}
	return nil
}

// RecordText is a version with what it says.
type RecordText struct {
	Schema string     `json:"schema"`
	Record VersionRow `json:"record"`
	Latest int        `json:"latest"`
	Text   string     `json:"content"`
}

// Show returns a version with what it says.
func (d *Door) Show(ctx context.Context, who Actor, address string) (*RecordText, error) {
	r, data, err := d.Read(ctx, who, address)
	if err != nil {
		return nil, err
	}
	h, err := d.Head(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return &RecordText{Schema: "brenner.store.show/v1", Record: versionRow(&r, h.Canonical), Latest: h.Latest, Text: string(data)}, nil
}
