package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/record"
)

// catalogue are the statements that keep the lists of records up to date.
type catalogue struct {
	readHead, addHead, growHead, moveOn, setHead *sql.Stmt
	addLink, addTag, addTip, closeTip            *sql.Stmt
	addMark, setStatus                           *sql.Stmt
}

// headNow is what the lists say of a record before a write.
type headNow struct{ latest, canonical, tips int }

func (w *writer) head1(ctx context.Context, id string) (h headNow, err error) {
	err = w.readHead.QueryRowContext(ctx, id).Scan(&h.latest, &h.canonical, &h.tips)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return h, err
}

// first lists a record of which this is the first version, unless there is one by that id.
func (w *writer) first(ctx context.Context, r *record.Record) (bool, error) {
	if r.Version != 1 {
		return false, nil
	}
	return changed(w.addHead.ExecContext(ctx, r.ID, r.Version, r.Type, r.Module, r.Status, r.Summary, sortable(r.At)))
}

// sortable gives an instant whose text sorts as it does.
func sortable(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// index brings the lists up to date with a record that was just put.
func (w *writer) index(ctx context.Context, r *record.Record, have headNow) error {
	for _, l := range r.Links {
		if _, err := w.addLink.ExecContext(ctx, r.ID, r.Version, l.ID, l.Version, l.Relation); err != nil {
			return err
		}
	}
	for _, tag := range r.Tags {
		if _, err := w.addTag.ExecContext(ctx, tag, r.ID); err != nil {
			return err
		}
	}
	tips, err := w.closeTips(ctx, r, have.tips)
	if err != nil {
		return err
	}
	if _, err := w.addTip.ExecContext(ctx, r.ID, r.Version); err != nil {
		return err
	}
	tips++
	switch {
	case have.latest == 0: // it is listed already
	case have.canonical > 0:
		_, err = w.growHead.ExecContext(ctx, r.Version, tips, sortable(r.At), r.ID)
	default:
		_, err = w.moveOn.ExecContext(ctx, r.Version, tips, sortable(r.At), r.Type, r.Module, r.Status, r.Summary, r.ID)
	}
	return err
}

// closeTips ends the ways that a version goes on from, and gives how many are left.
func (w *writer) closeTips(ctx context.Context, r *record.Record, tips int) (int, error) {
	var closed []int
	if r.Parent > 0 {
		closed = append(closed, r.Parent)
	}
	for _, l := range r.Links {
		if l.Relation == record.Supersedes && l.ID == r.ID {
			closed = append(closed, l.Version)
		}
	}
	for _, version := range closed {
		n, err := w.closeOne(ctx, r.ID, version)
		if err != nil {
			return 0, err
		}
		tips -= n
	}
	return tips, nil
}

func (w *writer) closeOne(ctx context.Context, id string, version int) (int, error) {
	result, err := w.closeTip.ExecContext(ctx, id, version)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

func (w *writer) mark(ctx context.Context, m *record.Mark) error {
	have, err := w.head1(ctx, m.ID)
	if err != nil {
		return err
	}
	if err := store.CheckMark(m, have.latest, have.canonical); err != nil {
		return err
	}
	if _, err := w.addMark.ExecContext(ctx, m.ID, m.Version, m.Status, m.Was, m.By, m.Reason, artifact.FormatInstant(m.At)); err != nil {
		return err
	}
	if _, err := w.setStatus.ExecContext(ctx, m.ID, m.Version, m.Status); err != nil {
		return err
	}
	switch {
	case m.Status == record.Canonical:
		have.canonical = m.Version
	case have.canonical == m.Version && !record.KeepsCanonical(m.Status):
		have.canonical = 0
	}
	if m.Status == record.Deprecated && have.tips > 1 {
		n, err := w.closeOne(ctx, m.ID, m.Version) // a way that somebody gave up is no fork any more
		if err != nil {
			return err
		}
		have.tips -= n
	}
	_, err = w.setHead.ExecContext(ctx, m.ID, have.canonical, have.tips)
	return err
}
