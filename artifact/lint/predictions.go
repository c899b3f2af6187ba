package lint

import (
	"fmt"

	"brenner/artifact"
)

func predictionRules() []rule {
	const p = artifact.PredictionsTable
	return []rule{
		newRule("EP-001", minimum(p, "predictions"),
			"hypotheses differ in what they predict, and one row shows too little",
			"ADD rows with a `condition` and `predictions`",
			atLeast(p, "predictions", `{"condition": "…", "predictions": {"H1": "…", "H2": "…"}}`)),
		newRule("EP-002", "every prediction has a condition and predictions",
			"an outcome means nothing without its condition, and vice versa",
			"EDIT it with what is missing",
			conditionAndPredictions),
		newRule("EP-003", "every prediction has an outcome for each active hypothesis that is not a third alternative",
			"a hypothesis without a prediction cannot be wrong",
			"EDIT the row with the outcomes that are missing, or KILL the cell if the condition does not apply",
			outcomesFor(func(s *subject) []string { return s.plain }, "%s has no outcome for %s", `{"predictions": {"%s": "what it predicts here"}}`)),
		newRule("WP-001", "a prediction's outcomes are not all equal",
			"if all hypotheses predict the same, no outcome decides between them",
			"sharpen the condition until the outcomes differ, or KILL the row",
			discriminating),
		newRule("WP-101", "predictions name hypotheses that exist",
			"an outcome under an unknown id belongs to no hypothesis",
			"replace `predictions` with `\"predictions_replace\": true`",
			knownColumns),
		newRule("IP-001", "every prediction has an outcome for the third alternative, which may be \"indeterminate\"",
			"a third alternative often predicts nothing, and that should be visible",
			"EDIT the row with `\"indeterminate\"` for it",
			outcomesFor(func(s *subject) []string { return s.thirds }, "%s has no outcome for the third alternative %s; it may be \"indeterminate\"",
				`{"predictions": {"%s": "indeterminate"}}, or with what it predicts`)),
	}
}

type row struct {
	artifact.Row
	cells artifact.Map
}

// rowsOf returns the predictions that have cells. EP-002 reports the others.
func rowsOf(predictions []*artifact.Item, struck map[string]bool) []row {
	var rows []row
	for _, it := range predictions {
		if cells := it.Map("predictions"); len(cells) > 0 {
			rows = append(rows, row{artifact.RowOf(it, struck), cells})
		}
	}
	return rows
}

// lacking returns the first hypotheses without an outcome in the row, and their number. N/A is an
// outcome; WP-101 reports keys in doubt. The cost does not depend on the hypotheses.
func (r *row) lacking(hypotheses []string, wanted map[string]bool) (first []string, total int) {
	said := make(map[string]bool, len(r.cells))
	for _, e := range r.cells {
		if wanted[e.Key] && !blank(e.Value) {
			said[e.Key] = true
		}
	}
	for _, c := range r.Cells() {
		if wanted[c.Key] {
			said[c.Key] = true
		}
	}
	total = len(hypotheses) - len(said)
	for _, h := range hypotheses {
		if len(first) == min(total, maxShown) {
			break
		}
		if !said[h] {
			first = append(first, h)
		}
	}
	return first, total
}

func conditionAndPredictions(s *subject, r *report) {
	const p = artifact.PredictionsTable
	requireText(p, "condition", "what is done or observed")(s, r)
	for _, it := range s.active[p] {
		if wrong := wrongPredictions(it); wrong != "" {
			r.add(inItem(p, it, "predictions"), wrong, edit(it, `{"predictions": {"H1": "…", "H2": "…"}}`))
		}
	}
}

// wrongPredictions returns why a row has no cells, or "".
func wrongPredictions(it *artifact.Item) string {
	switch v := it.Get("predictions").(type) {
	case artifact.Conflict:
		return ""
	case artifact.Map:
		if len(v) > 0 || len(it.Cells()) > 0 {
			return ""
		}
		return show(it.ID) + " predicts nothing"
	case nil:
		return show(it.ID) + " has no predictions"
	default:
		return "the predictions of " + show(it.ID) + " are not outcomes by hypothesis"
	}
}

// outcomesFor returns the check of the outcomes for some of the hypotheses.
func outcomesFor(some func(*subject) []string, message, payload string) check {
	return func(s *subject, r *report) {
		hypotheses := some(s)
		wanted := artifact.SetOf(hypotheses)
		for _, row := range s.rows {
			if first, total := row.lacking(hypotheses, wanted); total > 0 {
				r.add(inItem(artifact.PredictionsTable, row.Item, "predictions"),
					fmt.Sprintf(message, show(row.ID), enumerate(first, total)), edit(row.Item, payload, first[0]))
			}
		}
	}
}

// discriminating compares outcomes, except in rows with one outcome or with a CONFLICT.
func discriminating(s *subject, r *report) {
	for _, row := range s.rows {
		if outcome, n := row.onlyOutcome(s); n > 1 {
			r.add(inItem(artifact.PredictionsTable, row.Item, "predictions"),
				fmt.Sprintf("%s predicts %s for all of %d hypotheses, and so decides between none", show(row.ID), outcome, n),
				edit(row.Item, `a sharper condition and outcomes that differ, {"condition": "…", "predictions": {"H1": "…", "H2": "…"}}, or KILL it`))
		}
	}
}

// onlyOutcome returns the single outcome of a row and its number of hypotheses, else 0.
func (r *row) onlyOutcome(s *subject) (outcome string, n int) {
	first := ""
	for _, e := range r.cells {
		if !s.hypotheses[e.Key] || r.NotApplicable(e.Key) || r.InDoubt(e.Key) || blank(e.Value) {
			continue
		}
		if _, ok := e.Value.(artifact.Conflict); ok {
			return "", 0
		}
		text := compared(e.Value)
		if n++; n == 1 {
			first, outcome = text, valueOf(e.Value)
		} else if text != first {
			return "", 0
		}
	}
	return outcome, n
}

func compared(v artifact.Value) string {
	if t, ok := v.(artifact.Text); ok {
		return normal(string(t))
	}
	return string(artifact.Canonical(v))
}

func knownColumns(s *subject, r *report) {
	for _, row := range s.rows {
		var d dangling
		for _, e := range row.cells {
			if !artifact.HypothesisSlate.ValidID(e.Key) {
				d.add(show(e.Key) + " is not the id of a hypothesis")
				continue
			}
			d.id(e.Key, s.exists(e.Key), row.InDoubt(e.Key))
		}
		if wrong := d.describe(row.Item, "predictions"); wrong != "" {
			r.add(inItem(artifact.PredictionsTable, row.Item, "predictions"), wrong,
				edit(row.Item, `{"predictions": {"H1": "…"}, "predictions_replace": true}, all outcomes as they shall stand`))
		}
	}
}
