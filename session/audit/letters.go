package audit

import (
	"context"
	"slices"

	"brenner/merge"
	"brenner/session"
	"brenner/session/letters"
)

// IsCorrection reports whether a warning says that a letter corrects an item.
func IsCorrection(w merge.Warning) bool { return w.Code == merge.CorrectsItem }

// addLetters adds to the rows of letters everything in them that was not taken, and what their merge noted.
func (s *Summary) addLetters(ctx context.Context, h *session.History, i int) error {
	c := &h.State.Commits[i]
	if len(c.Letters) == 0 {
		return nil
	}
	accounts, err := h.LetterAccounts(ctx, i)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(s.Letters, func(r letters.Row) bool { return r.ID == c.Letters[0].ID })
	for j, one := range accounts {
		row := &s.Letters[first+j] // the rows are in the order of the journal
		row.Refusals, row.Warnings, row.Conflicts = one.Refusals, one.Warnings, one.Conflicts
	}
	return nil
}
