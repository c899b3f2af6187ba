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

// Resolve makes one roster of the layers of a face, the environment and the
// configuration. Warnings are logged.
func (p *Project) Resolve(above []roster.Layer) (roster.Resolution, error) {
	environment, warnings, err := config.RosterFromEnvironment(p.Environ)
	if err != nil {
		return roster.Resolution{}, err
	}
	p.Warn(warnings)
	res, err := roster.Resolve(p.Config.RosterInput(append(above, environment...)...))
	if err == nil {
		p.Warn(res.Warnings) // what would have been taken is no news where nothing is
	}
	return res, err
}

// The codes of agents that cannot be reached as the configuration stands.
const (
	NoWay         fault.Code = "NO_WAY_TO_AGENT"      // The configuration does not say how to reach an agent.
	NotItsOwn     fault.Code = "REHEARSAL_OF_ITS_OWN" // The built-in rehearsal has its own question; others need `--via rehearsal`.
	UnknownAgents fault.Code = "FLAG_NAMES_NOBODY"    // A flag names an agent that is not in the roster.
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
				hint := cmp.Or(text.Suggest(name, agents), "the roster has "+strings.Join(agents, ", "))
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

// anyVia reports whether an agent is reached in a way.
func anyVia(parties []flow.Party, via string) bool {
	return slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via == via })
}

// setupOf returns what an agent is made from.
func setupOf(p *flow.Party) agent.Setup {
	return agent.Setup{Entry: p.Entry(), ModelID: p.ModelID, Seed: p.Seed}
}

// checkVias refuses ways to agents that are unknown.
func checkVias(parties []flow.Party) error {
	for _, p := range parties {
		if !slices.Contains(config.Vias(), p.Via) {
			return &fault.Error{Code: agent.UnknownKind, Detail: fmt.Sprintf("%s cannot be reached via %s", p.Name, fault.Shown(p.Via)), Hint: "it is one of " + strings.Join(config.Vias(), ", ")}
		}
	}
	return nil
}

// rehearsalScript returns the script of a session with scripted agents, or nil: the
// user's own, or the built-in one. That plays its own question only, unless it is asked
// for by hand: scripted answers must never pass for answers to a question of the user's.
func (p *Project) rehearsalScript(own *rehearsal.Script, byHand bool, parties []flow.Party) (*rehearsal.Script, error) {
	if !anyVia(parties, config.ViaRehearsal) {
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
		setup := setupOf(&p)
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
		limited := agent.Limits{PerCall: limits.Call, Idle: idle, Slots: m.limit(p), Retry: agent.RetryPolicy{
			Attempts: m.Project.Config.Attempts, Patience: m.patience,
			Again: func(_ context.Context, f *agent.Failure, _ int) bool { return m.Allow.AllowRetry(p.Name, f) },
		}}
		return agent.Deadline(limited.Wrap(made), limits.Agent), nil
	}
}

// arbiter returns how the arbiter is reached; nil where none was named. One of the
// project does not rule in the built-in rehearsal, which has no part for it. Scripted
// means that agents play a script of the user's.
func (p *Project) arbiter(scripted bool, parties []flow.Party) (*flow.Party, error) {
	origin := p.Config.Origin("session.arbiter")
	rehearsed := !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via != config.ViaRehearsal })
	if p.Config.Arbiter == "" || rehearsed && !scripted && origin.Level != roster.Flags {
		return nil, nil
	}
	name, via, model := ArbiterWords(p.Config.Arbiter)
	way := Way{Via: via}
	if scripted && (via == "" || origin.Level != roster.Flags) {
		way.Via = config.ViaRehearsal
	}
	arbiter := p.Party(roster.Entry{Agent: name, Role: stalemate.ArbiterRole, Model: model}, way)
	arbiter.ModelID, arbiter.Seed = cmp.Or(arbiter.ModelID, model), nil
	if arbiter.Name == "" || arbiter.Via == "" {
		return nil, &fault.Error{
			Code: config.InvalidValue, Place: origin.String(), Detail: "the arbiter " + fault.Shown(p.Config.Arbiter) + " does not say who is asked, and how",
			Hint: "write NAME=KIND, such as Judge=openai:gpt-5",
		}
	}
	if arbiter.Via == config.ViaMail {
		return nil, &fault.Error{
			Code: NoWay, Detail: "the arbiter " + fault.Shown(arbiter.Name) + " cannot be reached via mail: who has a mailbox sees more than the request",
			Hint: "ask a model (NAME=openai:MODEL) or a program, or let a person rule: `brenner stalemate rule`",
		}
	}
	if arbiter.Via == config.ViaProgram && via != "" { // what stands behind it is a program, which knows its models itself
		arbiter.Program, arbiter.Model, arbiter.ModelID = model, "", ""
	}
	if arbiter.Via == config.ViaProgram && arbiter.Program == "" {
		return nil, &fault.Error{
			Code: NoProgram, Place: origin.String(), Detail: "the arbiter " + fault.Shown(arbiter.Name) + " is reached via program, and nothing says which",
			Hint: "write " + arbiter.Name + "=program:PROGRAM: " + strings.Join(knownPrograms(), ", ") + ", or one under agents.programs: in " + config.FileName,
		}
	}
	return &arbiter, checkVias([]flow.Party{arbiter})
}

// ArbiterWords takes apart what names an arbiter: NAME=KIND:MODEL.
func ArbiterWords(text string) (name, via, model string) {
	name, how, _ := strings.Cut(text, "=")
	via, model, _ = strings.Cut(how, ":")
	return strings.TrimSpace(name), via, model
}

// HelperOptions say whom to ask for a job on the records.
type HelperOptions struct {
	Model   string // as the configuration names it, or by its id
	Via     string // how it is reached; empty where the configuration says it
	Name    string // in the records
	Traffic Traffic
}

// Helper makes an agent for jobs of a role on the records, and returns what ends it.
func (p *Project) Helper(o *HelperOptions, role string) (*govern.Helper, func(), error) {
	own := *p.Config
	p = &Project{Host: p.Host, Config: &own}
	p.Config.Models = slices.Clone(p.Config.Models)
	for i := range p.Config.Models {
		p.Config.Models[i].Structured = "" // the answer is a text, no deltas
	}
	party := p.Party(roster.Entry{Agent: o.Name, Role: roster.Role(role), Program: o.Model, Model: o.Model}, Way{Via: o.Via})
	party.ModelID, party.Seed = cmp.Or(party.ModelID, o.Model), nil
	if party.Via != config.ViaOpenAI && party.Via != config.ViaProgram {
		return nil, nil, &fault.Error{
			Code: NoWay, Detail: "nothing says how to reach " + fault.Shown(o.Model), Hint: "give --via openai or --via program; a rehearsal plays sessions only",
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
	return &govern.Helper{Agent: made, Name: o.Name, Model: o.Model}, m.Close, nil
}
