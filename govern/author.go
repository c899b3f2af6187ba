package govern

import (
	"context"
	"slices"
	"strings"

	"brenner/govern/ledger"
	"brenner/store/journal"
	"brenner/store/record"
)

// Author is how an agent wrote a version, as far as the journals say it.
type Author struct {
	Role  string
	Asked string // what was really asked, such as "llama3 at 127.0.0.1:8080"
	Call  string // the call that it answered
}

// authors finds out who really wrote versions.
type authors struct {
	*Records
	calls   map[string]Author     // of store commands, by version
	replies map[record.Ref]Author // of sessions
}

func (rs *Records) authors(ctx context.Context) (*authors, error) {
	calls, err := rs.Calls(ctx)
	a := &authors{Records: rs, calls: make(map[string]Author), replies: make(map[record.Ref]Author)}
	for i := range calls {
		c := &calls[i]
		for _, ref := range c.Produced {
			a.calls[ref] = Author{Role: c.Role, Asked: c.Asked, Call: c.ID}
		}
	}
	return a, err
}

// of returns the author of a version; it is empty for people.
func (a *authors) of(ctx context.Context, ref record.Ref, kind, creator string, links []record.Link) (Author, error) {
	if by, known := a.calls[ref.String()]; known || a.ReplyAuthor == nil {
		return by, nil
	}
	if kind == record.Reply {
		return a.replyAuthor(ctx, ref)
	}
	for _, l := range slices.Backward(links) { // a version may have links of its parent
		if l.Relation == record.DerivesFrom && strings.HasPrefix(l.ID, "reply/") && strings.HasSuffix(l.ID, "/"+creator) {
			return a.replyAuthor(ctx, l.Ref())
		}
	}
	return Author{}, nil
}

func (a *authors) replyAuthor(ctx context.Context, reply record.Ref) (by Author, err error) {
	by, known := a.replies[reply]
	if !known {
		if by, err = a.ReplyAuthor(ctx, reply); err == nil {
			a.replies[reply] = by
		}
	}
	return by, err
}

// addAsked adds what was really asked to versions that agents wrote. These have links.
func (rs *Records) addAsked(ctx context.Context, rows ...*VersionRow) error {
	if !slices.ContainsFunc(rows, func(v *VersionRow) bool { return len(v.Links) > 0 }) {
		return nil
	}
	all, err := rs.authors(ctx)
	for _, v := range rows {
		if err != nil {
			return err
		}
		var by Author
		by, err = all.of(ctx, record.Ref{ID: v.ID, Version: v.Version}, v.Type, v.Creator, v.Links)
		v.Asked = by.Asked
	}
	return err
}

// addAskedChanges adds what was really asked to the changes of a record.
func (rs *Records) addAskedChanges(ctx context.Context, id string, changes []Change) error {
	all, err := rs.authors(ctx)
	for i := range changes {
		if err != nil {
			return err
		}
		c := &changes[i]
		var r *record.Record
		if r, err = rs.Lookup(ctx, record.Ref{ID: id, Version: c.Version}); err == nil && r != nil {
			var by Author
			by, err = all.of(ctx, r.Ref(), r.Type, r.Creator, r.Links)
			c.Asked = by.Asked
		}
	}
	return err
}

// putRoles returns the roles with which agents put versions.
func (rs *Records) putRoles(ctx context.Context) (map[record.Ref]string, error) {
	entries, err := rs.Store.Entries(ctx, Changes, 0)
	roles := make(map[record.Ref]string)
	for i := range entries {
		if entries[i].Kind != ledger.KindPut {
			continue
		}
		e, err := journal.Decode[ledger.PutEvent](&entries[i], journal.BrokenChain)
		if err != nil {
			return nil, err
		}
		for _, r := range e.Records {
			if e.Role != "" {
				roles[record.Ref{ID: r.ID, Version: r.Version}] = e.Role
			}
		}
	}
	return roles, err
}
