package project

import (
	"cmp"
	"context"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/session"
	"brenner/store"
	"brenner/store/sqlite"
)

// LoopList is all loops of a project, the last changed one first.
type LoopList struct {
	Schema string    `json:"schema"`
	Loops  []LoopRow `json:"loops"`
}

// LoopRow is what the list says of a loop.
type LoopRow struct {
	Loop      string     `json:"loop"`
	Phase     string     `json:"phase"`
	Reason    string     `json:"reason"`
	RetryAt   string     `json:"retry_at"` // no session begins before
	Round     int        `json:"round"`
	Rounds    int        `json:"rounds"`
	Planned   int        `json:"planned"`
	Done      int        `json:"done"`
	Failed    int        `json:"failed"`
	Short     int        `json:"short"`
	Tokens    int        `json:"tokens_spent"`
	Rehearsal bool       `json:"rehearsal"`
	Started   string     `json:"started_at"`
	Updated   string     `json:"updated_at"`
	Code      fault.Code `json:"code,omitempty"` // of a loop that cannot be read
	Problem   string     `json:"problem,omitempty"`
}

// Loops lists the loops of the project. A loop that cannot be read has the phase
// session.PhaseDamaged.
func (p *Project) Loops(ctx context.Context) (*LoopList, error) {
	list := &LoopList{Schema: "brenner.loop.list/v1", Loops: []LoopRow{}}
	err := p.withLoops(ctx, func(st *sqlite.Store) error {
		streams, err := runner.List(ctx, st)
		if err != nil {
			return err
		}
		slices.SortStableFunc(streams, func(x, y store.Stream) int {
			return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(y.Name, x.Name))
		})
		for i := range streams {
			row := p.loopRow(ctx, st, &streams[i])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			list.Loops = append(list.Loops, row)
		}
		return nil
	})
	if err != nil && fault.CodeOf(err) != runner.NoLoop {
		return nil, err
	}
	return list, nil
}

func (p *Project) loopRow(ctx context.Context, st lockStore, stream *store.Stream) LoopRow {
	row := LoopRow{Loop: runner.NameOf(stream), Started: artifact.FormatInstant(stream.Began), Updated: artifact.FormatInstant(stream.Last)}
	state, err := runner.Load(ctx, st, row.Loop)
	if err == nil {
		err = runner.AsNow(ctx, st, state)
	}
	if err != nil { // the other loops are listed all the same
		row.Phase, row.Code, row.Problem = session.PhaseDamaged, fault.CodeOf(err), err.Error()
		return row
	}
	s := p.summariseLoop(st, state)
	row.Phase, row.Reason, row.RetryAt, row.Round, row.Rounds = s.Phase, s.Reason, s.RetryAt, s.Round, s.Rounds
	row.Planned, row.Done, row.Failed, row.Short, row.Tokens, row.Rehearsal = s.Planned, s.Done, s.Failed, s.Short, s.Tokens, s.Rehearsal
	return row
}
