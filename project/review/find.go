// Package review is what a reviewer asks of a project: whether what it stores is proven, and where a piece of text came
// from.
//
// It promises to change nothing but published files that do not follow the store. It must not know commands.
package review

import (
	"context"
	"errors"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/record"
)

// TextFound is where a piece of text came from.
type TextFound struct {
	Schema string            `json:"schema"`
	Text   string            `json:"text"`
	Found  []audit.FoundText `json:"found"`
	// Records are the project's records that contain it. They are searched if no session is
	// named.
	Records []FoundRecord `json:"records"`
	// Searched is the number of sessions searched if none is named.
	Searched int `json:"-"`
}

// FoundRecord is a record that contains the text, and its first author.
type FoundRecord struct {
	ID      string        `json:"id"`
	Version int           `json:"version"`
	Type    string        `json:"type"`
	Status  string        `json:"status"`
	Stands  bool          `json:"stands"`
	Text    string        `json:"text"`
	First   int           `json:"first_version"`
	Author  string        `json:"author"`
	Change  string        `json:"change"`
	At      string        `json:"at"`
	Call    string        `json:"call"` // of the agent that produced it
	Links   []record.Link `json:"links"`
	Asked   string        `json:"asked,omitempty"` // what was really asked by the call
}

func newTextFound(text string) *TextFound {
	return &TextFound{Schema: "brenner.trace.find/v1", Text: text, Found: []audit.FoundText{}, Records: []FoundRecord{}}
}

// Empty reports whether the text was not found.
func (t *TextFound) Empty() bool { return len(t.Found)+len(t.Records) == 0 }

// FindIn looks for text in a version of a session; 0 is the newest.
func FindIn(ctx context.Context, h *session.History, version int, text string) (*TextFound, error) {
	res := newTextFound(text)
	found, err := audit.Find(ctx, h, version, text)
	res.Found = append(res.Found, found...)
	return res, err
}

// FindText looks for text in all sessions of the project, newest first, and in its records.
// A session that cannot be read is logged and skipped.
func FindText(ctx context.Context, p *project.Project, text string) (*TextFound, error) {
	st, err := p.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return nil, err
	}
	res := newTextFound(text)
	res.Searched = len(streams)
	var broken []error
	for i := range streams {
		thread := session.ThreadOf(&streams[i])
		h, err := p.Source(st, thread).Load(ctx)
		var found []audit.FoundText
		if err == nil {
			found, err = audit.Find(ctx, h, 0, text)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fault.CodeOf(err) == session.NothingSaid:
			return nil, err
		case err != nil:
			p.Log.Warn().Err(err).Str("session", thread).Msg("cannot search this session")
			broken = append(broken, err)
		}
		res.Found = append(res.Found, found...)
	}
	if res.Records, err = findInRecords(ctx, p, st, text); err != nil {
		return nil, err
	}
	if res.Empty() && len(broken) > 0 {
		return nil, errors.Join(broken...)
	}
	return res, nil
}

// findInRecords looks for text in the project's records.
func findInRecords(ctx context.Context, p *project.Project, st store.Store, text string) ([]FoundRecord, error) {
	found, err := p.Records(st).FindText(ctx, text)
	all := make([]FoundRecord, len(found))
	for i := range found {
		f := &found[i]
		all[i] = FoundRecord{
			ID: f.Record.ID, Version: f.Record.Version, Type: f.Record.Type, Status: f.Record.Status, Stands: f.Stands, Text: f.Text, First: f.First.Version,
			Author: f.First.Creator, Change: f.First.Change, At: artifact.FormatInstant(f.First.At), Links: f.First.Links,
		}
		all[i].Call, all[i].Asked = f.Author.Call, f.Author.Asked
	}
	return all, err
}
