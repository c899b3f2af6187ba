package session

import (
	"context"
	"slices"

	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/letters"
)

// mergeLetters merges letters, a commit for each round, and completes their rows.
func (s *run) mergeLetters(ctx context.Context, all []letters.Letter, rows []letters.Row) error {
	at := make(map[string]*letters.Row, len(rows))
	for i := range rows {
		if rows[i].New {
			at[rows[i].ID] = &rows[i]
		}
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(x letters.Letter) bool { return x.Compare(&all[0]) != 0 })
		if n < 0 {
			n = len(all)
		}
		s.settled = nil
		err := s.commit(ctx, func(state *flow.State) (flow.Committed, [][]byte) {
			return letters.Commit(state, all[:n], state.NextAt(s.Now()))
		})
		if err != nil {
			return err
		}
		all = all[n:]
		if s.settled != nil { // otherwise another process has merged them
			s.completeRows(at)
		}
	}
	return nil
}

// LetterAccounts returns what became of the letters of a commit, which is settled again: the journal has only counts.
func (h *History) LetterAccounts(ctx context.Context, i int) ([]settle.Account, error) {
	c, base := &h.State.Commits[i], h.empty()
	var err error
	if i > 0 {
		if base, err = h.Artifact(ctx, h.State.Commits[i-1].Version); err != nil {
			return nil, err
		}
	}
	in, err := h.input(ctx, base, &c.Committed, c.Agents, nil)
	if err != nil {
		return nil, h.commitError(c, err)
	}
	out := settle.Settle(in)
	return out.Last(len(c.Letters)), nil
}

// completeRows writes what became of the letters of the last commit into their rows, by id.
func (s *run) completeRows(rows map[string]*letters.Row) {
	c := &s.state.Commits[len(s.state.Commits)-1]
	for i, one := range s.settled.Last(len(c.Letters)) {
		row := rows[c.Letters[i].ID]
		if row == nil {
			continue
		}
		row.Heard, row.Version, row.Warnings = letterHeard(one.Tally), c.Version, one.Warnings
		row.Refusals = slices.Concat(one.Refusals, row.Refusals) // its attachments
		row.Conflicts, row.Agent = one.Conflicts, c.Letters[i].Agent
	}
}
