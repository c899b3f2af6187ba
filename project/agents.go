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
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// Resolve merges the given layers with those of the environment and the configuration into
// one roster. Warnings are logged.
func (p *Project) Resolve(above []roster.Layer) (roster.Resolution, error) {
	environment, warnings, err := config.RosterFromEnvironment(p.Environ)
	if err != nil {
		return roster.Resolution{}, err
	}
	p.Warn(warnings)
	res, err := roster.Resolve(p.Config.RosterInput(append(above, environment...)...))
	if err == nil {
		p.Warn(res.Warnings) // only if the roster resolves
	}
	return res, err
}

// The codes of agents that cannot be reached with the current configuration.
const (
	NoWay               fault.Code = "NO_WAY_TO_AGENT"      // The configuration does not say how to reach an agent.
	BuiltInQuestionOnly fault.Code = "REHEARSAL_OF_ITS_OWN" // The built-in rehearsal has its own question; others need `--via rehearsal`.
	UnknownAgents       fault.Code = "FLAG_NAMES_NOBODY"    // A flag names an agent that is not in the roster.
)

// parsePairs reads a flag that is one value for all agents, or NAME=VALUE pairs, and checks
// the names against the roster.
func parsePairs(flag string, values, agents []string) (all string, each map[string]string, err error) {
	each = make(map[string]string)
	wrong := func(detail string) error {
		return &fault.Error{Code: fault.Usage, Place: flag, Detail: detail, Hint: "write one value for all agents, and NAME=VALUE once for each other one"}
	}
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch _, given := each[name]; {
		case len(values) == 0:
		case ok && !slices.Contains(agents, name):
			hint := cmp.Or(text.Suggest(name, agents), "agents in the roster: "+strings.Join(agents, ", "))
			return "", nil, &fault.Error{Code: UnknownAgents, Detail: fmt.Sprintf("%s: agent %s is not in the roster", flag, fault.Shown(name)), Hint: hint}
		case name == "" || ok && value == "":
			return "", nil, wrong("empty value")
		case ok && given:
			return "", nil, wrong("two values for " + fault.Shown(name))
		case ok:
			each[name] = value
		case all != "":
			return "", nil, wrong("two values for all agents")
		default:
			all = name
		}
	}
	return all, each, nil
}

// AgentOptions override how the agents of a session are reached.
type AgentOptions struct {
	Via      []string // a kind for all, or NAME=KIND,…
	Model    []string // a model's id for all, or NAME=ID,…
	Scripted bool     // agents that Via does not name play a script
}

// AgentOverride overrides the configuration for one agent. Zero values override nothing.
type AgentOverride struct {
	Via     string
	ModelID string
	Seed    *int // for a model at an endpoint
}

// Party returns how one agent is reached: as configured for its model, with the overrides.
func (p *Project) Party(e roster.Entry, o AgentOverride) flow.Party {
	reach := p.Config.Reach(e.Model)
	party := flow.Party{
		Name: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model,
		Via: cmp.Or(o.Via, reach.Via), ModelID: cmp.Or(o.ModelID, reach.ID),
	}
	if party.Via == config.ViaOpenAI {
		party.Seed = cmp.Or(o.Seed, p.asked(&party).Seed)
	}
	party.Way = p.way(&party)
	return party
}

// Parties returns how each agent of the roster is reached. With the error that there is no way to
// some, it still returns all of them.
func (p *Project) Parties(s *AgentOptions, r roster.Roster) ([]flow.Party, error) {
	via, vias, err := parsePairs("--via", s.Via, r.Agents())
	if err != nil {
		return nil, err
	}
	model, models, err := parsePairs("--model", s.Model, r.Agents())
	if err != nil {
		return nil, err
	}
	var parties []flow.Party
	var missing []string
	for _, e := range r.Entries {
		o := AgentOverride{Via: cmp.Or(vias[e.Agent], via), ModelID: cmp.Or(models[e.Agent], model)}
		if s.Scripted {
			o.Via = cmp.Or(o.Via, config.ViaRehearsal)
		}
		party := p.Party(e, o)
		if party.Via == "" {
			missing = append(missing, e.Agent)
		}
		parties = append(parties, party)
	}
	if len(missing) > 0 {
		detail, pass := "no way to reach "+strings.Join(missing, ", "), "pass --via"
		switch {
		case len(s.Model) > 0 || p.Config.BaseURL != "":
			return parties, &fault.Error{Code: NoWay, Detail: detail, Hint: "pass --via openai, too, to ask models at an endpoint"}
		case p.Config.Project.File != "":
			pass = "pass --via openai --base-url URL --model ID"
		}
		return parties, &fault.Error{
			Code: NoWay, Detail: detail,
			Hint: p.firstSteps(pass, "set via: in "+config.FileName+" (or for each model under agents.models:); `brenner session start --dry-run` composes without agents, --via rehearsal plays a script"),
		}
	}
	return parties, checkVias(parties)
}

// anyVia reports whether any party is reached via the given kind.
func anyVia(parties []flow.Party, via string) bool {
	return slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == via })
}

// checkVias rejects unknown kinds of agents.
func checkVias(parties []flow.Party) error {
	for _, p := range parties {
		if !slices.Contains(config.Vias(), p.Via) {
			return &fault.Error{Code: agent.UnknownKind, Detail: fmt.Sprintf("%s: unknown via %s", p.Name, fault.Shown(p.Via)), Hint: "use one of " + strings.Join(config.Vias(), ", ")}
		}
	}
	return nil
}

// rehearsalScript returns the script of a session with scripted agents, or nil: the user's
// own, or the built-in one. The built-in one only plays its own question, unless
// anyQuestion is set: scripted replies must never pass for replies to the user's question.
func (p *Project) rehearsalScript(own *rehearsal.Script, anyQuestion bool, parties []flow.Party) (*rehearsal.Script, error) {
	if !anyVia(parties, config.ViaRehearsal) {
		return nil, nil
	}
	if own != nil {
		return own, nil
	}
	script := rehearsal.BuiltIn()
	if anyQuestion || PlainText(p.Config.Question) == PlainText(script.Question()) {
		return script, nil
	}
	return nil, &fault.Error{
		Code: BuiltInQuestionOnly, Detail: "the built-in rehearsal only answers its own question: " + script.Question(),
		Hint: "to ask real agents, set via: or agents.models: in " + config.FileName + "; to play the script anyway, pass --via rehearsal",
	}
}

// PlainText normalises text for comparison: lower case, with single spaces.
func PlainText(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Agents returns a function that makes the agent of a party, with limits and with retries within the budget.
func (m *Models) Agents(script *rehearsal.Script, all []flow.Party) func(flow.Party) (agent.Agent, error) {
	return m.AgentsWithin(script, all, m.Allow.AllowRetry)
}

// AgentsWithin is Agents with another rule for retries: whether an agent's call may be tried again after a failure.
func (m *Models) AgentsWithin(script *rehearsal.Script, all []flow.Party, again func(string, *agent.Failure) bool) func(flow.Party) (agent.Agent, error) {
	makers := map[string]agent.Maker{config.ViaOpenAI: m.maker, config.ViaProgram: m.programMaker, config.ViaMail: m.Mail.maker}
	if script != nil {
		makers[config.ViaRehearsal] = script.Agent
	}
	registry, limits := agent.NewRegistry(makers), m.Project.Config.Timeouts
	return func(p flow.Party) (agent.Agent, error) {
		setup := m.Project.setupOf(&p)
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
		idle, attempts := limits.Idle, m.Project.Config.Attempts
		if p.Via == config.ViaMail { // an agent that reads its mail once an hour is not idle, and has the question
			idle, attempts = 0, 1
		}
		limited := agent.Limits{PerCall: limits.Call, Idle: idle, Slots: m.limit(p), Retry: agent.RetryPolicy{
			Attempts: attempts, Patience: m.patience,
			Again: func(_ context.Context, f *agent.Failure, _ int) bool { return again(p.Name, f) },
		}}
		return agent.Deadline(limited.Wrap(made), limits.Agent), nil
	}
}

// arbiter returns how the arbiter is reached, or nil if none is configured. The built-in
// rehearsal has no part for a configured arbiter; scripted means that the agents play a
// script of the user.
func (p *Project) arbiter(scripted bool, parties []flow.Party) (*flow.Party, error) {
	origin := p.Config.Origin("session.arbiter")
	rehearsed := !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via != config.ViaRehearsal })
	if p.Config.Arbiter == "" || rehearsed && !scripted && origin.Level != roster.Flags {
		return nil, nil
	}
	name, via, model := ParseArbiter(p.Config.Arbiter)
	o := AgentOverride{Via: via}
	if scripted && (via == "" || origin.Level != roster.Flags) {
		o.Via = config.ViaRehearsal
	}
	arbiter := p.Party(roster.Entry{Agent: name, Role: stalemate.ArbiterRole, Model: model}, o)
	arbiter.ModelID, arbiter.Seed = cmp.Or(arbiter.ModelID, model), nil
	arbiter.Way = p.way(&arbiter)
	if arbiter.Name == "" || arbiter.Via == "" {
		return nil, &fault.Error{
			Code: config.InvalidValue, Place: origin.String(), Detail: "the arbiter " + fault.Shown(p.Config.Arbiter) + " lacks a name or a kind",
			Hint: "write NAME=KIND, such as Judge=openai:gpt-5",
		}
	}
	if arbiter.Via == config.ViaMail {
		return nil, &fault.Error{
			Code: NoWay, Detail: "the arbiter " + fault.Shown(arbiter.Name) + " cannot be reached via mail: an agent with a mailbox sees more than the request",
			Hint: "use a model (NAME=openai:MODEL) or a program, or rule yourself: `brenner stalemate rule`",
		}
	}
	if arbiter.Via == config.ViaProgram && via != "" { // the last part is a program, which chooses its own model
		arbiter.Program, arbiter.Model, arbiter.ModelID = model, "", ""
		arbiter.Way = p.way(&arbiter)
	}
	if arbiter.Via == config.ViaProgram && arbiter.Program == "" {
		return nil, &fault.Error{
			Code: NoProgram, Place: origin.String(), Detail: "the arbiter " + fault.Shown(arbiter.Name) + " is reached via program, but names no program",
			Hint: "write " + arbiter.Name + "=program:PROGRAM: " + strings.Join(knownPrograms(), ", ") + ", or one under agents.programs: in " + config.FileName,
		}
	}
	return &arbiter, checkVias([]flow.Party{arbiter})
}

// ParseArbiter splits the description of an arbiter, NAME=KIND:MODEL.
func ParseArbiter(text string) (name, via, model string) {
	name, how, _ := strings.Cut(text, "=")
	via, model, _ = strings.Cut(how, ":")
	return strings.TrimSpace(name), via, model
}

// HelperOptions select the agent for a job on the records.
type HelperOptions struct {
	Model   string // its name in the configuration, or its id
	Via     string // how it is reached; empty means as configured
	Name    string // in the records
	Traffic Traffic
}

// Helper makes an agent for jobs on the records in the given role. The returned function
// closes it.
func (p *Project) Helper(ctx context.Context, o *HelperOptions, role string) (*govern.Helper, func(), error) {
	party := p.Party(roster.Entry{Agent: o.Name, Role: roster.Role(role), Program: o.Model, Model: o.Model}, AgentOverride{Via: o.Via})
	if party.Seed = nil; party.Via != config.ViaProgram { // o.Model names the program, which chooses its own
		party.ModelID = cmp.Or(party.ModelID, o.Model)
	}
	party.Way = p.way(&party)
	if party.Via != config.ViaOpenAI && party.Via != config.ViaProgram {
		return nil, nil, &fault.Error{
			Code: NoWay, Detail: "no way to reach " + fault.Shown(o.Model), Hint: "pass --via openai or --via program; a rehearsal only plays sessions",
		}
	}
	m, err := p.OpenModels(o.Traffic, []flow.Party{party}, 0)
	if err != nil {
		return nil, nil, err
	}
	made, err := m.Agents(nil, []flow.Party{party})(party)
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	m.pinVersion(ctx, &party)
	return &govern.Helper{Agent: made, Name: o.Name, Model: cmp.Or(party.ModelID, o.Model), Asked: party.Author}, m.Close, nil
}
