package stalemate

import "brenner/artifact"

// Message is what an arbiter agent is sent: the request, and the form of the answer.
// It gets nothing else of the session.
func (r *Request) Message() string {
	return r.Arbitration + "\n\nAnswer with one JSON object:\n\n" +
		"- \"ruling_for\": the name of a party, or D1, D2, D3 for the other explanations in their order\n" +
		"- \"value\": only when you rule for one of these: what the field should say\n" +
		"- \"root_cause\": one sentence\n" +
		"- \"reasoning\": a list of sentences, step by step\n" +
		"- \"rejected\": a list of {\"hypothesis\": name, \"why\": one sentence}, one for every other party and explanation\n" +
		"- \"confidence\": a number from 0 to 1\n\n" +
		"The request:\n\n```json\n" + string(r.JSON()) + "\n```\n"
}

// OpenBy makes the case of a person who says that a field is stuck: of a conflict
// that stands there, without waiting for a round.
func OpenBy(a *artifact.Artifact, place string, round int) (Case, bool) {
	for _, s := range spots(a) {
		candidates, ok := s.value.(artifact.Conflict)
		if !ok || s.place != place {
			continue
		}
		return conflictCase(nil, &s, candidates, round, round), true
	}
	return Case{}, false
}
