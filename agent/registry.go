package agent

import (
	"maps"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/roster"
)

// The codes of agents that cannot be made.
const (
	UnknownKind fault.Code = "UNKNOWN_AGENT_KIND"
	NoKind      fault.Code = "NO_AGENT_KIND"
)

// Setup is what a kind is told of one agent. Whatever else it needs (a client, a
// key, a log) is its Maker's business, which is a closure over it.
type Setup struct {
	roster.Entry
	ModelID string // what the model is called where it is asked
	BaseURL string // where that is
	Seed    *int   // for the model; nil leaves it to its configuration
	// Before are the agents of the same role that stand before it in the roster.
	Before []string
}

// Maker makes one agent of a kind. It tries nothing out: a kind that cannot be
// reached shows when it is asked.
type Maker func(Setup) (Agent, error)

// Registry holds the kinds of agents, each under the word that `via` has for it.
type Registry struct{ makers map[string]Maker }

// NewRegistry makes a registry of these kinds.
func NewRegistry(makers map[string]Maker) *Registry {
	return &Registry{maps.Clone(makers)}
}

// Kinds gives the words for the kinds, sorted.
func (r *Registry) Kinds() []string { return slices.Sorted(maps.Keys(r.makers)) }

// Make makes an agent that keeps the contract: it is guarded, and answers a call
// once.
func (r *Registry) Make(kind string, s Setup) (Agent, error) {
	maker, ok := r.makers[kind]
	if !ok {
		return nil, r.unknown(kind, s)
	}
	a, err := maker(s)
	if err != nil {
		return nil, err
	}
	return Once(Guard(a)), nil
}

func (r *Registry) unknown(kind string, s Setup) error {
	known := r.Kinds()
	list := "known kinds: " + strings.Join(known, ", ")
	if strings.TrimSpace(kind) == "" {
		return &fault.Error{
			Code: NoKind, Detail: "nothing says how " + fault.Shown(s.Agent) + " is reached",
			Hint: "say it with --via or with via in brenner.yaml; " + list,
		}
	}
	if near, ok := text.Nearest(kind, known); ok {
		list = "did you mean " + fault.Shown(near) + "? " + list
	}
	return &fault.Error{
		Code: UnknownKind, Detail: fault.Shown(s.Agent) + " cannot be reached via " + fault.Shown(kind), Hint: list,
	}
}
