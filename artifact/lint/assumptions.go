package lint

import (
	"strings"
	"unicode"

	"brenner/artifact"
)

func assumptionRules() []rule {
	const a = artifact.AssumptionLedger
	return []rule{
		{
			id: "EA-001", title: minimum(a, "assumptions"),
			why:   "there always are some, and those that nobody wrote down are never checked",
			fix:   "ADD assumptions with a `statement`, a `load` and a `test`",
			check: atLeast(a, "assumptions", `{"statement": "…", "load": "what falls if it is wrong", "test": "…"}`),
		},
		{
			id: "EA-002", title: "one active assumption is a scale check",
			why: "many ideas die of a number that somebody could have worked out on the back of an envelope",
			fix: "ADD one with `\"scale_check\": true` and a `calculation`",
			check: oneOf(a, (*artifact.Item).ScaleCheck, []string{"scale_check", "name"},
				"no active assumption is a scale check",
				`ADD to assumption_ledger: {"statement": "…", "scale_check": true, "calculation": "10 µm / 0.1 µm/s = 100 s"}`),
		},
		{
			id: "EA-003", title: "every assumption has a statement",
			why:   "without one there is nothing to check",
			fix:   "EDIT it with a `statement`",
			check: wantsText(a, "statement", "what is taken for granted"),
		},
		{
			id: "WA-001", title: "every assumption says what rests on it",
			why:   "assumptions that carry nothing need no check; those that carry everything need it first",
			fix:   "EDIT it with a `load`: what falls if it is wrong",
			check: wantsText(a, "load", "what falls if it is wrong, such as H1 and T2"),
		},
		{
			id: "WA-002", title: "every assumption that is not a scale check has a test",
			why:   "an assumption that cannot be checked is a belief",
			fix:   "EDIT it with a `test`; a scale check has its calculation instead",
			check: assumptionTest,
		},
		{
			id: "WA-003", title: "every scale check has a calculation",
			why:   "that is what makes it one",
			fix:   "EDIT it with a `calculation`",
			check: calculation,
		},
		{
			id: "WA-101", title: "the calculation of a scale check has numbers in it",
			why:   "\"small enough\" is not a calculation",
			fix:   "EDIT the `calculation` with the quantities and the result",
			check: numbers,
		},
		{
			id: "IA-001", title: statuses(a, "assumption"),
			why:   "a falsified assumption takes down what rests on it",
			fix:   "EDIT it with its `status`",
			check: wantsStatus(a),
		},
	}
}

const exampleCalculation = "diffusion over 100 µm at 10 µm²/s takes about 500 s"

func assumptionTest(s *subject, r *report) {
	for _, it := range s.active[artifact.AssumptionLedger] {
		if !it.ScaleCheck() && !undecided(it, "scale_check") {
			wantText(r, artifact.AssumptionLedger, it, "test", "how it could be checked")
		}
	}
}

func calculation(s *subject, r *report) {
	for _, it := range s.active[artifact.AssumptionLedger] {
		if it.ScaleCheck() {
			wantText(r, artifact.AssumptionLedger, it, "calculation", exampleCalculation)
		}
	}
}

func numbers(s *subject, r *report) {
	for _, it := range s.active[artifact.AssumptionLedger] {
		text := it.Text("calculation")
		if !it.ScaleCheck() || strings.TrimSpace(text) == "" || hasNumber(text) {
			continue
		}
		r.add(inItem(artifact.AssumptionLedger, it, "calculation"),
			"the calculation of "+show(it.ID)+" has no numbers in it",
			edit(it, `{"calculation": "%s"}`, exampleCalculation))
	}
}

// hasNumber looks for a number that is not merely the number of an item: "see A2"
// is not a calculation.
func hasNumber(text string) bool {
	between := func(r rune) bool { return notWord(r) && !unicode.IsNumber(r) }
	for _, word := range strings.FieldsFunc(text, between) {
		if _, isID := artifact.SectionOfID(word); !isID && strings.ContainsFunc(word, unicode.IsNumber) {
			return true
		}
	}
	return false
}
