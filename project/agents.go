package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/roster"
	"brenner/session/flow"
)

// The codes of agents that cannot be reached as the configuration stands.
const (
	NoWay         fault.Code = "NO_WAY_TO_AGENT"
	NotItsOwn     fault.Code = "REHEARSAL_OF_ITS_OWN"
	UnknownAgents fault.Code = "FLAG_NAMES_NOBODY"
)

// pairs reads a flag that is one value for all, or NAME=VALUE pairs, and checks
// the names against the roster.
func pairs(flag string, values, agents []string) (all string, each map[string]string, err error) {
	each = make(map[string]string)
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok {
				all = name
				continue
			}
			if !slices.Contains(agents, name) {
				hint := "the roster has " + strings.Join(agents, ", ")
				if near, ok := text.Nearest(name, agents); ok {
					hint = "did you mean " + near + "?"
				}
				return "", nil, &fault.Error{Code: UnknownAgents, Detail: fmt.Sprintf("%s names %s, who is not in the roster", flag, fault.Shown(name)), Hint: hint}
			}
			each[name] = value
		}
	}
	return all, each, nil
}

// Ways say how agents are reached, beyond what the configuration says.
type Ways struct {
	Via      []string // a kind for all, or NAME=KIND,…
	Model    []string // a model's id for all, or NAME=ID,…
	Scripted bool     // all but those of via play a script
}

// Way is what stands above the configuration for one agent; zero values leave it as it
// is there.
type Way struct {
	Via     string
	ModelID string
	Seed    *int // of a model at an endpoint
}

// Party returns how one agent is reached: as the configuration says of its model, but
// for what way says.
func (p *Project) Party(e roster.Entry, way Way) flow.Party {
	reach := p.Config.Reach(e.Model)
	party := flow.Party{
		Name: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model,
		Via: cmp.Or(way.Via, reach.Via), ModelID: cmp.Or(way.ModelID, reach.ID),
	}
	if party.Via == config.ViaOpenAI {
		party.Seed = cmp.Or(way.Seed, reach.Seed)
	}
	return party
}

// Parties returns how each agent of the roster is reached.
func (p *Project) Parties(s *Ways, r roster.Roster) ([]flow.Party, error) {
	via, vias, err := pairs("--via", s.Via, r.Agents())
	if err != nil {
		return nil, err
	}
	model, models, err := pairs("--model", s.Model, r.Agents())
	if err != nil {
		return nil, err
	}
	var parties []flow.Party
	var missing []string
	for _, e := range r.Entries {
		way := Way{Via: cmp.Or(vias[e.Agent], via), ModelID: cmp.Or(models[e.Agent], model)}
		if s.Scripted {
			way.Via = cmp.Or(way.Via, config.ViaRehearsal)
		}
		party := p.Party(e, way)
		if r.Mode == roster.Heuristic && party.Role == "" {
			role, _, _ := roster.HeuristicRole(e.Agent)
			party.Role = string(role)
		}
		if party.Via == "" {
			missing = append(missing, e.Agent)
		}
		parties = append(parties, party)
	}
	if len(missing) > 0 {
		return nil, &fault.Error{
			Code: NoWay, Detail: "nothing says how to reach " + strings.Join(missing, ", "),
			Hint: "set via: in " + config.FileName + " (or a via for the models of the roster), or give --via; `brenner session start --dry-run` composes without agents, --via rehearsal plays a script",
		}
	}
	return parties, checkVias(parties)
}

// checkVias refuses ways to agents that are unknown.
func checkVias(parties []flow.Party) error {
	for _, p := range parties {
		switch p.Via {
		case config.ViaRehearsal, config.ViaOpenAI, config.ViaProgram, config.ViaMail:
		default:
			return &fault.Error{Code: agent.UnknownKind, Detail: fmt.Sprintf("%s cannot be reached via %s", p.Name, fault.Shown(p.Via)), Hint: "it is one of " + strings.Join(config.Vias(), ", ")}
		}
	}
	return nil
}

// rehearsalScript returns the script of a session with scripted agents, or nil: the
// user's own, or the built-in one. That plays its own question only, unless it is asked
// for by hand: scripted answers must never pass for answers to a question of the user's.
func (p *Project) rehearsalScript(own *rehearsal.Script, byHand bool, parties []flow.Party) (*rehearsal.Script, error) {
	if !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == config.ViaRehearsal }) {
		return nil, nil
	}
	if own != nil {
		return own, nil
	}
	script := rehearsal.BuiltIn()
	if byHand || PlainText(p.Config.Question) == PlainText(script.Question()) {
		return script, nil
	}
	return nil, &fault.Error{
		Code: NotItsOwn, Detail: "the rehearsal plays its own question only: " + script.Question(),
		Hint: "for your question say how real agents are reached (via: or agents.models: in " + config.FileName + "); to play the script all the same, give --via rehearsal",
	}
}

// PlainText returns a text as it is compared: lower case, with single spaces.
func PlainText(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Agents gives the way to each party, with the care that its calls need.
func (m *Models) Agents(script *rehearsal.Script, all []flow.Party) func(flow.Party) (agent.Agent, error) {
	makers := map[string]agent.Maker{config.ViaOpenAI: m.maker, config.ViaProgram: m.programMaker, config.ViaMail: m.Post.maker}
	if script != nil {
		makers[config.ViaRehearsal] = script.Agent
	}
	registry, limits := agent.NewRegistry(makers), m.Project.Config.Timeouts
	return func(p flow.Party) (agent.Agent, error) {
		setup := agent.Setup{Agent: p.Name, Role: p.Role, Program: p.Program, Model: p.Model, ModelID: p.ModelID, Seed: p.Seed}
		for _, o := range all {
			if o.Name == p.Name {
				break
			}
			if o.Role == p.Role {
				setup.Before = append(setup.Before, o.Name)
			}
		}
		made, err := registry.Make(p.Via, setup)
		if err != nil {
			return nil, err
		}
		idle := limits.Idle
		if p.Via == config.ViaMail { // who reads mail once an hour is not idle
			idle = 0
		}
		care := agent.Care{PerCall: limits.Call, Idle: idle, Slots: m.limit(p), Retry: agent.RetryPolicy{
			Attempts: m.Project.Config.Attempts, Patience: m.patience,
			Again: func(_ context.Context, f *agent.Failure, _ int) bool { return m.Allow.Again(p.Name, f) },
		}}
		return agent.Deadline(care.Around(made), limits.Agent), nil
	}
}
