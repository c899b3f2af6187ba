package program

import (
	"encoding/json"

	"brenner/agent"
)

// reported reads what a program says that its run has cost, under these names: what it
// was given may stand under several. It is nil where a number cannot be true: who
// writes one such number is not believed in the others.
func reported(raw json.RawMessage, output string, inputs ...string) *agent.Usage {
	var said map[string]json.RawMessage
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	tokens := func(name string) (int, bool) {
		if n := said[name]; n != nil && string(n) != "null" {
			return agent.Tokens(n)
		}
		return 0, true
	}
	n, ok := tokens(output)
	if !ok {
		return nil
	}
	u := agent.Usage{Output: n}
	for _, input := range inputs {
		if n, ok = tokens(input); !ok {
			return nil
		}
		u = u.Plus(agent.Usage{Input: n})
	}
	return &u
}

// usage is what the run has cost: what the program says, and where it says nothing, or
// that it was for nothing, what we count.
func (x *execution) usage(s said) agent.Usage {
	u := agent.Usage{Guessed: s.usage == nil}
	if s.usage != nil {
		u = *s.usage
	}
	if u.Input == 0 {
		u.Input, u.Guessed = x.Count(x.text), true
	}
	if u.Output == 0 && s.text != "" {
		u.Output, u.Guessed = x.Count(s.text), true
	}
	return u
}
