package project

import (
	"context"

	"brenner/artifact"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/session/audit"
	"brenner/session/stalemate"
	"brenner/store"
)

// Stalemates returns the stalemates of all sessions and records; without all, those that
// wait for a ruling.
func (p *Project) Stalemates(ctx context.Context, all bool) (*audit.StalemateList, error) {
	l := audit.NewStalemateList()
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	if err := l.AddSessions(ctx, st, all); err != nil {
		return nil, err
	}
	about, err := p.Door(st).Stalemates(ctx, "")
	if err != nil {
		return nil, err
	}
	AddRecordStalemates(l, about, all)
	return l, nil
}

// AddRecordStalemates adds stalemates about records to a list; without all, those that
// wait for a ruling.
func AddRecordStalemates(l *audit.StalemateList, about []govern.Stalemate, all bool) {
	for i := range about {
		if s := RecordStalemate(&about[i]); all || s.Row.Waits {
			l.Stalemates = append(l.Stalemates, s.Row)
		}
	}
}

// RecordStalemate returns everything about a stalemate over patches of a record.
func RecordStalemate(s *govern.Stalemate) *audit.Stalemate {
	row := audit.StalemateRow{
		ID: s.ID, Thread: s.About.ID, State: s.State, Kind: s.Kind, Place: s.About.String(), By: s.By,
		Opened: artifact.FormatInstant(s.Opened), Moved: artifact.FormatInstant(s.Moved), Waits: s.Waits(),
	}
	if s.State == stalemate.Expired {
		row.Why = "the record went on to another version"
	}
	return audit.NewStalemate(row, s.About.Version, s.Request, s.Verdict)
}
