package flow

import "brenner/roster"

// Party is an agent and how it is reached.
type Party struct {
	Name    string `json:"name"`
	Role    string `json:"role,omitempty"`
	Program string `json:"program,omitempty"`
	Model   string `json:"model,omitempty"`
	Via     string `json:"via"`
	ModelID string `json:"model_id,omitempty"`
	Seed    *int   `json:"seed,omitempty"` // for the model
	View    string `json:"view,omitempty"` // hash of its view's specification
	Way     *Way   `json:"way,omitempty"`  // nil in sessions opened before ways were pinned
}

// Way is what is really asked: a model at an endpoint, a program, or an agent with a mailbox.
type Way struct {
	Endpoint   string `json:"endpoint,omitempty"` // scheme, host, port and path; never credentials
	API        string `json:"api,omitempty"`
	Structured string `json:"structured,omitempty"` // how deltas are requested
	Program    string `json:"program,omitempty"`    // its command
	Version    string `json:"version,omitempty"`    // as the program reports it
	// Named means that artifacts say what is asked from now on, in a session opened without ways.
	Named bool `json:"named,omitzero"`
	// Mail is the address of the mail server, for an agent with a mailbox.
	Mail string `json:"mail,omitempty"`
	// Kickoff is "short" for an agent with short kickoffs; "" means full ones.
	Kickoff string `json:"kickoff,omitempty"`
	// Context is the context size of the model in tokens, if its endpoint reported one.
	Context int `json:"context,omitzero"`
}

// Endpoint returns the pinned address of the party, or "".
func (p *Party) Endpoint() string {
	if p.Way == nil {
		return ""
	}
	return p.Way.Endpoint
}

// Entry returns the party as a roster entry. If its way is pinned, the entry says what is really
// asked: a model at an endpoint has no program, a program without a model id chooses its own, and what reads a
// mailbox is not known.
func (p *Party) Entry() roster.Entry {
	e := roster.Entry{Agent: p.Name, Role: roster.Role(p.Role), Program: p.Program, Model: p.Model}
	if p.Way != nil {
		e.Model = p.ModelID
	}
	if p.Way != nil && p.Via == ViaMail {
		e.Model = ""
	}
	if p.Way != nil && p.Via != ViaProgram {
		e.Program = ""
	}
	return e
}

// WithArbiter returns the parties followed by the arbiter, if any.
func WithArbiter(parties []Party, arbiter *Party) []Party {
	if arbiter == nil {
		return parties
	}
	return append(parties[:len(parties):len(parties)], *arbiter)
}

// Party returns the agent of a name, or a zero Party.
func (o *Opened) Party(name string) Party {
	for _, p := range o.Agents {
		if p.Name == name {
			return p
		}
	}
	return Party{}
}
