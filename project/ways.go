package project

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
)

// NoAddress is the code of a model without an address.
const NoAddress fault.Code = "NO_ADDRESS" // The address of a model is unknown.

// addressHint lists the ways to set an address.
const addressHint = "pass --base-url URL, set " + EnvBaseURL + ", or set base_url: under agents: or agents.models: in " + config.FileName

// addressOf returns the address of a model's endpoint, or "".
func (p *Project) addressOf(model config.Model) string {
	base, _ := p.addressFrom(model)
	return base
}

// addressFrom returns the address of a model's endpoint, and its origin. The higher layer
// decides between the model's own address and the general one. A key of OpenAI without an
// address means OpenAI's own; with neither, the address is unknown.
func (p *Project) addressFrom(model config.Model) (base string, from config.Origin) {
	general, own := p.Config.Origin("agents.base_url"), p.Config.Origin("agents.models")
	base, from = model.BaseURL, own
	if base == "" || p.Config.BaseURL != "" && general.Level < own.Level {
		base, from = p.Config.BaseURL, general
	}
	if base != "" {
		return base, from
	}
	if base = p.Variable(EnvBaseURL); base != "" {
		return base, config.Origin{Level: roster.Environment, Source: EnvBaseURL}
	}
	if name, key := p.keyOf(model); name == envKey && key != "" {
		base = openai.PublicBaseURL
	}
	return base, config.Origin{Level: roster.Default}
}

// programAddress returns the address that a program is told to use, or "".
func (p *Project) programAddress(model config.Model) string {
	if model.BaseURL == "" && p.Config.BaseURL == "" {
		return ""
	}
	return p.addressOf(model)
}

// way returns how a party is reached as configured now, without the version of a program.
func (p *Project) way(party *flow.Party) *flow.Way {
	model := p.asked(party)
	switch party.Via {
	case config.ViaOpenAI:
		return &flow.Way{
			Endpoint: baseurl.Normal(p.addressOf(model)), API: cmp.Or(model.API, config.APIChat), Structured: cmp.Or(model.Structured, config.StructuredFences),
		}
	case config.ViaProgram:
		return &flow.Way{Endpoint: baseurl.Normal(p.programAddress(model)), Program: p.commandOf(party.Program)}
	case config.ViaMail:
		return &flow.Way{Mail: p.configuredMail()}
	}
	return nil
}

// commandOf returns the command of a program as journals keep it.
func (p *Project) commandOf(name string) string {
	entry, _ := p.Config.FindProgram(name)
	if len(entry.Command) == 0 {
		return cmp.Or(program.Executable(name), name)
	}
	words := slices.Clone(entry.Command)
	if filepath.IsAbs(words[0]) {
		words[0] = filepath.Base(words[0]) // directories of this machine say nothing elsewhere
	}
	line := strings.Join(words, " ")
	for _, key := range p.keys() {
		line = strings.ReplaceAll(line, key, "[secret]")
	}
	return line
}

// keys returns the values of all variables that hold keys: they must never be stored.
func (p *Project) keys() []string {
	var all []string
	for _, model := range append([]config.Model{{}}, p.Config.Models...) {
		if _, key := p.keyOf(model); key != "" {
			all = append(all, key)
		}
	}
	return all
}

// unlabelled returns the parties of a new session without the roster's words for what is not
// asked: the model of a preset if the configuration does not list it, the program of a model
// at an endpoint, and both of an agent with a mailbox.
func (p *Project) unlabelled(parties []flow.Party) []flow.Party {
	all := slices.Clone(parties)
	for i := range all {
		party := &all[i]
		if party.Way == nil {
			continue
		}
		if party.Via != config.ViaProgram {
			party.Program = ""
		}
		if party.Via == config.ViaMail || !slices.ContainsFunc(p.Config.Models, func(m config.Model) bool { return m.Model == party.Model }) {
			party.Model = ""
		}
	}
	return all
}

// setupOf returns what an agent is made from. Programs of sessions opened before ways were
// pinned use the configured address.
func (p *Project) setupOf(party *flow.Party) agent.Setup {
	s := agent.Setup{
		Entry:   roster.Entry{Agent: party.Name, Role: roster.Role(party.Role), Program: party.Program, Model: party.Model},
		ModelID: party.ModelID, Seed: party.Seed,
	}
	switch {
	case party.Way != nil:
		s.BaseURL, s.API, s.Structured = party.Way.Endpoint, party.Way.API, party.Way.Structured
	case party.Via == config.ViaProgram:
		s.BaseURL = p.programAddress(p.asked(party))
	}
	return s
}

// programVersions are the versions of programs, each asked once.
type programVersions struct {
	mu sync.Mutex
	of map[string]string
}

// version returns the version of a program, or "" if it reports none.
func (m *Models) version(ctx context.Context, s agent.Setup) string {
	m.versions.mu.Lock()
	defer m.versions.mu.Unlock()
	if v, ok := m.versions.of[s.Program]; ok {
		return v
	}
	version := ""
	if p, err := program.New(m.ProgramOptions(s)); err == nil {
		version, _ = p.Version(ctx) // a missing version is not an error
	}
	if ctx.Err() == nil {
		m.versions.of[s.Program] = version
	}
	return version
}

// pinVersions adds the versions of programs to the ways of new parties.
func (m *Models) pinVersions(ctx context.Context, parties []flow.Party, arbiter *flow.Party) {
	for i := range parties {
		m.pinVersion(ctx, &parties[i])
	}
	if arbiter != nil {
		m.pinVersion(ctx, arbiter)
	}
}

func (m *Models) pinVersion(ctx context.Context, p *flow.Party) {
	if p.Via == config.ViaProgram && p.Way != nil {
		way := *p.Way
		way.Version = m.version(ctx, m.Project.setupOf(p))
		p.Way = &way
	}
}
