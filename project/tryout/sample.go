package tryout

import "brenner/kickoff"

// The question that is asked if there is none. It is small, and has hypotheses, so that every role
// has something to work on.
const (
	sampleQuestion = "Why does bread go stale faster in a refrigerator than at room temperature?"
	sampleContext  = "Loaves kept at 4 °C are firm after one day, loaves kept at 20 °C after three days. Both lose the same weight. " +
		"Frozen loaves stay soft for weeks. A stale loaf that is heated to 60 °C is soft again for some hours."
)

func sampleHypotheses() []kickoff.Hypothesis {
	return []kickoff.Hypothesis{
		{Text: "Cold air dries the crumb, and a dry crumb is firm."},
		{Text: "Starch crystallises faster near 4 °C than at 20 °C, and crystals make the crumb firm."},
	}
}
