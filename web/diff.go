package web

import (
	"context"
	"net/http"
	"strconv"

	"brenner/artifact"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// diffPage is the difference between two versions, or two sessions.
type diffPage struct {
	*audit.Diff
	Other    string // the other session, or ""
	Versions []int  // of this session
	Others   []string
	Items    []diffItem
	Rows     window
	More     string // address of the next items
}

// diffItem is an item that differs. On a page, a new or gone item has one side.
type diffItem struct {
	audit.ItemDiff
	Heading string // of its section, at the first item
	Fields  []diffField
}

type diffField struct {
	Title    string
	Was, Now *valueView // nil if absent
}

// diff compares two versions of a session, or the newest version of another session with one of it.
func (s *Server) diff(r *http.Request) (*view, error) {
	return s.withSession(r, "diff", func(ctx context.Context, src *project.Source, h *session.History, v *view) error {
		q := r.URL.Query()
		from, to := audit.Side{History: h}, audit.Side{History: h}
		var err error
		if from.Version, err = version(r, "from"); err == nil {
			to.Version, err = version(r, "to")
		}
		if err != nil {
			return err
		}
		page := &diffPage{Versions: versionsOf(h), Other: q.Get("other")}
		if page.Other != "" {
			if err := kickoff.CheckThreadID(page.Other); err != nil {
				return err
			}
			other, err := session.Load(ctx, src.Store, page.Other)
			if err != nil {
				return err
			}
			from = audit.Side{History: other, Version: from.Version}
		}
		if page.Diff, err = audit.Compare(ctx, from, to); err != nil {
			return err
		}
		for _, id := range s.project.SessionIDs(ctx) {
			if id != h.Thread && len(page.Others) < maxRows {
				page.Others = append(page.Others, id)
			}
		}
		page.Rows = windowOf(r, len(page.Diff.Items))
		page.fill()
		q.Set("after", strconv.Itoa(page.Rows.To))
		page.More = "?" + q.Encode()
		v.Title, v.Session.Tab = "Compare", "artifact"
		v.Command = text.CommandToCopy("brenner session diff", "A B", page.From.String(), page.To.String())
		v.Document, v.Data = page.Diff, page
		return nil
	})
}

func (p *diffPage) fill() {
	last := ""
	for _, one := range p.Diff.Items[p.Rows.From:p.Rows.To] {
		it := diffItem{ItemDiff: one}
		spec := specOf(it.Section)
		if it.Section != last {
			it.Heading, last = spec.Title, it.Section
		}
		for _, f := range it.ItemDiff.Fields {
			it.Fields = append(it.Fields, fieldOf(spec, &f))
		}
		p.Items = append(p.Items, it)
	}
}

// fieldOf returns the two values of a field that differs.
func fieldOf(spec *artifact.SectionSpec, f *audit.FieldDiff) diffField {
	field := diffField{Title: titleOf(spec, f.Field)}
	if string(f.From) != "null" {
		field.Was = valueOf(nil, f.Field, f.Was)
	}
	if string(f.To) != "null" {
		field.Now = valueOf(nil, f.Field, f.Now)
	}
	return field
}

func specOf(section string) *artifact.SectionSpec {
	for _, s := range artifact.Sections() {
		if s.String() == section {
			return s.Spec()
		}
	}
	return &artifact.SectionSpec{Title: section}
}
