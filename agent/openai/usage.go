package openai

import (
	"encoding/json"

	"brenner/agent"
)

// usage is what an endpoint says that an answer cost; nil is what it does not say,
// or not in a way that can be believed.
type usage struct{ input, output *int }

// cost takes in what an endpoint says of the cost, which has these names there.
func (a *answer) cost(raw json.RawMessage, input, output string) {
	var said map[string]json.RawMessage
	if !isSet(raw) || decode(raw, &said) != nil {
		return
	}
	u := usage{tokens(said[input]), tokens(said[output])}
	if (u.input == nil || *u.input == 0) && (u.output == nil || *u.output == 0) {
		return // said, but not known
	}
	if a.usage = u; u.output != nil {
		a.progress(*u.output)
	}
}

// tokens reads a number of tokens; nil is not known.
func tokens(raw json.RawMessage) *int {
	if n, ok := agent.Tokens(raw); ok {
		return &n
	}
	return nil
}

// reported is how much of the question the endpoint says it has read; 0 where it
// does not say.
func (x *exchange) reported() int {
	if n := x.answer.usage.input; n != nil {
		return *n
	}
	return 0
}

// spent is what the exchange cost: as the endpoint says, and where it does not, by
// our own count.
func (x *exchange) spent() agent.Usage {
	a := &x.answer
	u := agent.Usage{Guessed: a.usage.input == nil || a.usage.output == nil}
	if a.usage.input != nil {
		u.Input = *a.usage.input
	} else {
		u.Input = x.input(x.call)
	}
	if a.usage.output != nil {
		u.Output = *a.usage.output
	} else {
		u.Output = x.Count(a.text.String()) + x.Count(a.refusal.String()) + a.thoughts
	}
	return u
}
