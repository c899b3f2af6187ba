package audit

import (
	"context"
	"slices"
	"strings"

	"brenner/merge"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/letters"
)

// IsCorrection reports whether a warning says that a letter corrects an item.
func IsCorrection(w merge.Warning) bool { return w.Code == merge.CorrectsItem }

// addLetterWarnings adds to the rows of letters what their merge noted about references and corrections.
// A stored report names the delta at the beginning of such a warning.
func (s *Summary) addLetterWarnings(ctx context.Context, h *session.History, c *flow.Commit, report *session.Report) error {
	if len(c.Letters) == 0 {
		return nil
	}
	var warnings []merge.Warning
	for _, w := range report.Merge.Warnings {
		if id, _, ok := strings.Cut(w.Message, " of "); ok && (w.Code == merge.UnresolvedRef || w.Code == merge.RefBound || w.Code == merge.CorrectsItem) {
			w.Delta = id
			warnings = append(warnings, w)
		}
	}
	if warnings == nil {
		return nil
	}
	a, err := h.Artifact(ctx, c.Version)
	if err != nil {
		return err
	}
	messages := make(map[string]string, len(report.Merge.Deltas)) // ids, by delta
	for _, row := range report.Merge.Deltas {                     // of deltas that no version lists: any letter of the author
		if i := slices.IndexFunc(c.Letters, func(l flow.Letter) bool { return l.Agent == row.Agent }); i >= 0 {
			messages[row.DeltaID] = c.Letters[i].ID
		}
	}
	for _, stamp := range a.Deltas {
		if l := h.State.LetterOf(c, stamp.Message); l != nil {
			messages[stamp.Delta] = l.ID
		}
	}
	rows := make(map[string]*letters.Row, len(s.Letters))
	for i := range s.Letters {
		rows[s.Letters[i].ID] = &s.Letters[i]
	}
	for _, w := range warnings {
		if row := rows[messages[w.Delta]]; row != nil {
			row.Warnings = append(row.Warnings, w)
		}
	}
	return nil
}
