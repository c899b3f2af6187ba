package stalemate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// MaxExplanations is how many explanations that no party holds a request may have.
const MaxExplanations = 3

// Bounds of an explanation by a model, in characters.
const (
	maxStatement     = 300
	maxJustification = 600
)

// Sources of explanations.
const (
	fromCheck = "check "
	fromModel = "model "
)

// unchecked begins the justification of an explanation by a model.
const unchecked = "A claim of a model, not checked. "

// notAsked ends the question of a request that no model was asked about.
const notAsked = " No model was asked for more."

// foundText says where the other explanations are from.
func (r *Request) foundText() string {
	isClaim := func(h Hypothesis) bool { return strings.HasPrefix(h.Source, fromModel) }
	claims := slices.ContainsFunc(r.Dissidents, isClaim)
	checked := slices.ContainsFunc(r.Dissidents, func(h Hypothesis) bool { return !isClaim(h) })
	switch {
	case checked && claims:
		return "An explanation whose source is a check says what the check observed; one whose source is a model is a claim that was not checked."
	case checked:
		return "Each of the other explanations comes from a check that ran, and says what it observed."
	case claims:
		return "No check found another explanation. Each of the other explanations comes from a model, and is a claim that was not checked."
	}
	return "No check found another explanation; the positions may still all be wrong."
}

// Room returns how many more explanations a model may be asked for, at most n. A request that a person wrote, or that a
// model was asked about, has no room.
func (r *Request) Room(n int) int {
	if !strings.HasSuffix(r.Arbitration, r.foundText()+notAsked) {
		return 0
	}
	return max(0, min(n, MaxExplanations-len(r.Dissidents)))
}

// Explained returns the request with the explanations of a model, or with the reason why it has none of them: failure is
// the code of what went wrong, and empty if the model found none.
func (r *Request) Explained(model string, more []Hypothesis, failure fault.Code) Request {
	out := *r
	question, _ := strings.CutSuffix(r.Arbitration, r.foundText()+notAsked)
	out.Dissidents = slices.Clone(r.Dissidents)
	for _, h := range more {
		out.Dissidents = append(out.Dissidents, Hypothesis{
			Name: dissidentName(len(out.Dissidents)), Statement: h.Statement, Justification: unchecked + h.Justification, Source: fromModel + model,
		})
	}
	out.Arbitration = question + out.foundText()
	switch {
	case failure != "":
		out.Arbitration += " A model was asked for more, and gave no usable answer (" + string(failure) + ")."
	case len(more) == 0:
		out.Arbitration += " A model was asked for more, and found none."
	}
	return out
}

func dissidentName(i int) string { return fmt.Sprintf("D%d", i+1) }

// ExplainMessage returns the message that asks a model for at most n more explanations. Further documents are those of
// Message.
func (r *Request) ExplainMessage(n int, more ...Document) string {
	return fmt.Sprintf("The request below asks for a ruling. You do not rule on it. Look for what its parties have not thought of: name at most %s "+
		"of the disagreement, or of why the change is refused. Each must differ from all positions and explanations in the "+
		"request, and must be one that evidence can confirm or refute. None is better than a weak one.\n\n"+
		"Answer with one JSON object:\n\n"+
		"- \"hypotheses\": a list of at most %d {\"statement\": …, \"justification\": …}; [] if you find none\n"+
		"- \"statement\": the explanation in one sentence, at most %d characters\n"+
		"- \"justification\": what in the evidence suggests it, and what would refute it, at most %d characters\n\n"+
		"The request:\n\n```json\n", text.Count(n, "other explanation"), n, maxStatement, maxJustification) + text.Clean(string(r.JSON()), text.PromptText) + "\n```\n" + r.missing(more)
}

// ReadExplanations reads the answer to ExplainMessage. It takes all of it or nothing.
func ReadExplanations(answer []byte, n int, r *Request) ([]Hypothesis, error) {
	m, err := objectWith(answer, explanationsKey)
	if err != nil {
		return nil, err
	}
	in := &reader{}
	in.only(m, "", explanationsKey)
	v, _ := m.Get(explanationsKey)
	list := in.list(v, explanationsKey)
	if len(list) > n {
		in.faults.Add(delta.InvalidField, explanationsKey, "", "number of explanations: %d, at most %d", len(list), n)
	}
	known := make(map[string]bool)
	for _, h := range slices.Concat(r.Parties, r.Dissidents) {
		known[folded(h.Statement)] = true
	}
	var out []Hypothesis
	for i, one := range list {
		place := fmt.Sprintf("%s[%d].", explanationsKey, i)
		in.only(one, place, "statement", "justification")
		h := Hypothesis{Statement: in.bounded(one, "statement", place, maxStatement), Justification: in.bounded(one, "justification", place, maxJustification)}
		if known[folded(h.Statement)] {
			in.faults.Add(delta.InvalidField, place+"statement", "", "the request says it already")
		}
		known[folded(h.Statement)] = true
		out = append(out, h)
	}
	return out, in.faults.Err()
}

const explanationsKey = "hypotheses"

func (r *reader) bounded(m artifact.Map, key, place string, most int) string {
	s := strings.TrimSpace(r.text(m, key, place))
	if n := utf8.RuneCountInString(s); n > most {
		r.faults.Add(delta.InvalidField, place+key, "", "%s has %d characters, at most %d", key, n, most)
	}
	return s
}

// folded returns a sentence as it is compared: without case, space and the mark at its end.
func folded(s string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".!?")
}
