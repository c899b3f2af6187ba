package stalemate

import "brenner/artifact"

// ArbiterRole is what an agent is that rules. It has no rights: it reads the request.
const ArbiterRole = "arbiter"

// MostAnswers is how many answers of an arbiter are taken in one stalemate: a second
// where the first was no verdict; after that it is a person's.
const MostAnswers = 2

// Subject is that of the message to an arbiter.
func Subject(id string) string { return "A ruling is needed: " + id }

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
func OpenBy(thread string, a *artifact.Artifact, place string, round int) (Case, bool) {
	for _, it := range active(a) {
		for _, s := range disputed(it) {
			if s.place() != place {
				continue
			}
			candidates, _ := s.value.(artifact.Conflict)
			c := conflictCase(nil, &s, candidates, round, round)
			c.ID = caseID(thread, c.ID)
			return c, true
		}
	}
	return Case{}, false
}

// FromRequest makes a case of a request that a person brings about a place where
// nothing is in conflict.
func FromRequest(thread string, r *Request, place string, round int) Case {
	c := Case{ID: caseID(thread, Person, place, string(r.JSON())), Kind: Person, Place: place, Since: round, Round: round}
	Bring(&c, r)
	return c
}
