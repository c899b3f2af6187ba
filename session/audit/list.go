package audit

import (
	"context"
	"slices"
	"sync"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// List is all sessions of a store, the one with the latest event first.
type List struct {
	Schema   string `json:"schema"`
	Sessions []Row  `json:"sessions"`
}

// Row describes a session in the list.
type Row struct {
	Thread    string     `json:"thread_id"`
	Phase     string     `json:"phase"`
	Reason    string     `json:"reason"`
	Round     int        `json:"round"`
	Rounds    int        `json:"rounds"`
	Version   int        `json:"version"`
	Conflicts int        `json:"conflicts"`
	Rehearsal bool       `json:"rehearsal"`
	Question  string     `json:"question"`
	Started   string     `json:"started_at"`
	Updated   string     `json:"updated_at"`
	Code      fault.Code `json:"code,omitempty"` // if it cannot be read
	Problem   string     `json:"problem,omitempty"`
	// Verdict is that of the session so far, as in Summary.
	Verdict flow.Verdict `json:"verdict,omitempty"`
	Task    string       `json:"task,omitempty"` // the task spec that it runs
}

// Damaged reports whether a session of the list cannot be read.
func (l *List) Damaged() bool {
	return slices.ContainsFunc(l.Sessions, func(r Row) bool { return r.Phase == session.PhaseDamaged })
}

// NewList returns the list of these sessions.
func NewList(rows []Row) *List {
	return &List{Schema: "brenner.session.list/v1", Sessions: rows}
}

// ListSessions returns the sessions of a store.
func ListSessions(ctx context.Context, st store.Store, locks store.Locks) (*List, error) {
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return nil, err
	}
	l := NewList(rowsOf(ctx, st, locks, streams))
	return l, ctx.Err()
}

const listWorkers = 4

func rowsOf(ctx context.Context, st store.Store, locks store.Locks, streams []store.Stream) []Row {
	rows := make([]Row, len(streams))
	var group sync.WaitGroup
	for first := range listWorkers {
		group.Go(func() {
			for i := first; i < len(streams); i += listWorkers {
				rows[i] = rowOf(ctx, st, locks, &streams[i])
			}
		})
	}
	group.Wait()
	return rows
}

// rowOf reads the journal only if the store has no summary of it, and without verifying its chain. An unreadable
// session still has a row.
func rowOf(ctx context.Context, st store.Store, locks store.Locks, stream *store.Stream) Row {
	row := Row{
		Thread: session.ThreadOf(stream), Started: artifact.FormatInstant(stream.Began), Updated: artifact.FormatInstant(stream.Last),
	}
	s, ok := flow.ReadListed(stream.Summary)
	var err error
	if !ok {
		s, err = readListed(ctx, st, stream.Name)
	}
	var held bool
	if err == nil && s.Ended == "" {
		_, held, err = locks.HolderOf(row.Thread)
	}
	if err != nil {
		row.Phase, row.Code, row.Problem = session.PhaseDamaged, fault.CodeOf(err), err.Error()
		return row
	}
	row.Reason, row.Round, row.Rounds, row.Version, row.Conflicts = s.Ended, s.Round, s.Rounds, s.Version, s.Conflicts
	row.Question, row.Rehearsal, row.Verdict, row.Task = s.Question, s.Rehearsal, s.Verdict, s.Task
	switch {
	case held:
		row.Phase = session.PhaseRunning
	case s.Ended == "":
		row.Phase = session.PhaseLeft
	default:
		row.Phase = session.PhaseEnded
	}
	return row
}

func readListed(ctx context.Context, st store.Store, stream string) (flow.Listed, error) {
	entries, err := st.Entries(ctx, stream, 0)
	if err != nil {
		return flow.Listed{}, err
	}
	s, err := flow.Fold(entries)
	if err != nil {
		return flow.Listed{}, err
	}
	return s.Listed(), nil
}
