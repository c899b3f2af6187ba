package project

import (
	"cmp"
	"context"
	"errors"
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
	"brenner/internal/trust"
	"brenner/roster"
	"brenner/session/audit"
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
	if base = p.variable(EnvBaseURL); base != "" {
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

// pinnedAddress returns an address as journals keep it. Invalid addresses are refused before
// anything is journaled.
func pinnedAddress(base string) string {
	u, ok := baseurl.Parse(base)
	if !ok {
		return base
	}
	u.Host = strings.ToLower(u.Host)
	return strings.TrimRight(u.String(), "/")
}

// way returns how a party is reached as configured now, without the version of a program.
func (p *Project) way(party *flow.Party) *flow.Way {
	model := p.asked(party)
	switch party.Via {
	case config.ViaOpenAI:
		return &flow.Way{
			Endpoint: pinnedAddress(p.addressOf(model)), API: cmp.Or(model.API, config.APIChat), Structured: cmp.Or(model.Structured, config.StructuredFences),
		}
	case config.ViaProgram:
		return &flow.Way{Endpoint: pinnedAddress(p.programAddress(model)), Program: p.commandOf(party.Program)}
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
// asked: the model of a preset if the configuration does not list it, and the program of a model
// at an endpoint.
func (p *Project) unlabelled(parties []flow.Party) []flow.Party {
	all := slices.Clone(parties)
	for i := range all {
		party := &all[i]
		if party.Way == nil {
			continue
		}
		if party.Via == config.ViaOpenAI {
			party.Program = ""
		}
		if !slices.ContainsFunc(p.Config.Models, func(m config.Model) bool { return m.Model == party.Model }) {
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

// checkAddresses reports the models whose address is unknown or invalid. The sessions of a loop may
// share agents: each is named once.
func (m *Models) checkAddresses(parties []flow.Party) fault.List {
	var unknown, invalid []string
	for i := range parties {
		p := &parties[i]
		name, base := fault.Shown(p.Name), p.Endpoint()
		switch {
		case base == "" && m.offline, p.Via != config.ViaOpenAI:
		case base == "" && !slices.Contains(unknown, name):
			unknown = append(unknown, name)
		case base != "" && !baseurl.Valid(base) && !slices.Contains(invalid, name):
			invalid = append(invalid, name)
		}
	}
	var found fault.List
	if len(unknown) > 0 {
		found.Add(NoAddress, "", addressHint, "no address for the model of %s, and no key in %s", strings.Join(unknown, ", "), envKey)
	}
	if len(invalid) > 0 {
		found.Add(fault.Usage, "", baseurl.Hint, "the address for %s is not a valid http or https URL", strings.Join(invalid, ", "))
	}
	return found
}

// checkSetup refuses to make an agent for an address that was not checked, such as one that
// another process has journaled since.
func (m *Models) checkSetup(s *agent.Setup) error {
	switch {
	case m.offline:
		return nil
	case s.BaseURL == "":
		return &fault.Error{Code: NoAddress, Detail: "no address for the model of " + fault.Shown(s.Agent), Hint: addressHint}
	}
	if err := m.Project.CheckHost(s.BaseURL); err != nil {
		return err
	}
	return m.checkTrust([]flow.Party{{Name: s.Agent, Model: s.Model, ModelID: s.ModelID, Via: config.ViaOpenAI, Way: &flow.Way{Endpoint: s.BaseURL}}})
}

// checkTrust ensures that no key is sent to an address that only an untrusted file or a
// journal names, or that is not the one of the key.
func (m *Models) checkTrust(parties []flow.Party) error {
	for i := range parties {
		p := &parties[i]
		if m.offline || p.Via != config.ViaOpenAI && p.Via != config.ViaProgram {
			continue
		}
		base := p.Endpoint()
		if p.Way == nil {
			base = pinnedAddress(m.Project.addressOf(m.Project.asked(p)))
		}
		err := m.Project.checkTrustOf(m.Project.asked(p), base, p.Via == config.ViaProgram, base != "" && m.named[p.Name] == base)
		if ownKey := errors.Is(err, errOwnKey); ownKey || errors.Is(err, errForeign) {
			err = m.Project.untrustedAddress(parties, p, base, ownKey)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Why an address may not receive a key.
var (
	errForeign = errors.New("only the journal names the address")
	errOwnKey  = errors.New("the key belongs to another address")
)

// checkTrustOf refuses to send a key to an address if an untrusted file names the address or
// chooses the key's variable, if only a journal names the address, which may come with a
// project, or if the configuration has another address for the key. Named is an address that a
// flag names for this agent. A program may hold keys of its own.
func (p *Project) checkTrustOf(model config.Model, address string, ownKeys, named bool) error {
	base, from := p.addressFrom(model)
	if named {
		base, from = address, config.Origin{Level: roster.Flags}
	}
	name, key := p.keyOf(model)
	base = pinnedAddress(base)
	address = cmp.Or(address, base) // a program that is told no address
	foreign := base != address
	if key == "" && (!foreign || !ownKeys && len(model.Headers) == 0) {
		return nil
	}
	if key != "" && model.KeyEnv != "" {
		if err := p.mustTrust(p.Config.Origin("agents.models"), sendKey(name, address)); err != nil {
			return err
		}
	}
	switch {
	case key != "" && name != envKey && !named && model.BaseURL != "" && pinnedAddress(model.BaseURL) != address:
		return errOwnKey
	case !foreign:
		return p.mustTrust(from, sendKey(name, address))
	case baseurl.IsLocal(address):
		return nil
	}
	return errForeign
}

// untrustedAddress returns the error that an address may not receive a key.
func (p *Project) untrustedAddress(parties []flow.Party, party *flow.Party, address string, ownKey bool) error {
	model := p.asked(party)
	name, key := p.keyOf(model)
	what := "the key of " + name
	if key == "" {
		what = "its keys"
	}
	if ownKey {
		return &fault.Error{
			Code: trust.Untrusted, Detail: what + " belongs to " + pinnedAddress(model.BaseURL) + ", but " + party.Name + " is at " + address,
			Hint: "if the address is right, pass --base-url " + party.Name + "=" + address + " (in a loop, set base_url: of the model in " + config.FileName + ")",
		}
	}
	return &fault.Error{
		Code: trust.Untrusted, Detail: "only the journal names the address " + address + ", which would receive " + what,
		Hint: "if the address is right, pass --base-url " + p.confirm(parties) + "; otherwise pass another --base-url",
	}
}

// ConfirmNext adds the flag that confirms the session's addresses to the suggested commands that
// resume it: without the flags of this command, only the journal names them.
func (p *Project) ConfirmNext(s *audit.Summary, st *flow.State) {
	value := p.confirm(flow.WithArbiter(st.Agents, st.Arbiter))
	for i, next := range s.Next {
		if value != "" && strings.HasPrefix(next, "brenner session resume ") {
			s.Next[i] += " --base-url " + value
		}
	}
}

// confirm returns the value of --base-url that confirms the addresses that only a journal or a
// flag names.
func (p *Project) confirm(parties []flow.Party) string {
	var pairs []string
	for i := range parties {
		party := &parties[i]
		model, base := p.asked(party), party.Endpoint()
		_, from := p.addressFrom(model)
		_, key := p.keyOf(model)
		byFlag := from.Level == roster.Flags && key != "" && !baseurl.IsLocal(base)
		if base != "" && (byFlag || errors.Is(p.checkTrustOf(model, base, party.Via == config.ViaProgram, false), errForeign)) {
			pairs = append(pairs, party.Name+"="+base)
		}
	}
	if all := addresses(parties); len(all) == 1 && len(pairs) > 0 {
		return all[0]
	}
	return strings.Join(pairs, ",")
}

// addresses returns the different pinned addresses.
func addresses(parties []flow.Party) []string {
	var all []string
	for i := range parties {
		if base := parties[i].Endpoint(); base != "" && !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	return all
}

// Names reports whether --base-url names agents: NAME=URL,…
func (r Traffic) Names() bool {
	name, _, ok := strings.Cut(r.BaseURL, "=")
	return ok && !strings.Contains(name, "://")
}

// named returns the addresses that the flag names for agents.
func (r Traffic) named() map[string]string {
	if !r.Names() {
		return nil
	}
	all := make(map[string]string)
	for part := range strings.SplitSeq(r.BaseURL, ",") {
		name, base, _ := strings.Cut(strings.TrimSpace(part), "=")
		all[name] = pinnedAddress(base)
	}
	return all
}

// reach moves the parties to the addresses that the flag names for them.
func (r Traffic) reach(parties []flow.Party) error {
	if !r.Names() {
		return nil
	}
	names := make([]string, len(parties))
	for i := range parties {
		names[i] = parties[i].Name
	}
	all, each, err := parsePairs("--base-url", []string{r.BaseURL}, names)
	if err != nil {
		return err
	}
	for i := range parties {
		p := &parties[i]
		base, ok := each[p.Name]
		switch {
		case all != "" || ok && !baseurl.Valid(base):
			return &fault.Error{Code: fault.Usage, Place: "--base-url", Detail: fault.Shown(cmp.Or(all, base)) + " is not NAME=URL", Hint: baseurl.Hint}
		case ok && p.Way == nil:
			return &fault.Error{Code: fault.Usage, Place: "--base-url", Detail: p.Name + " is not a model at an endpoint or a program", Hint: "omit it"}
		case ok:
			way := *p.Way
			way.Endpoint = pinnedAddress(base)
			p.Way = &way
		}
	}
	return nil
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

// reroute returns the parties of a session that are reached in another way from now on, as
// flags request it. Addresses, APIs and structured modes of the configuration do not matter:
// those of the session's start apply.
func (p *Project) reroute(parties []flow.Party, o *ResumeOptions) ([]flow.NewWay, error) {
	names := make([]string, len(parties))
	for i := range parties {
		names[i] = parties[i].Name
	}
	all, each, err := parsePairs("--model", o.Model, names)
	if err == nil {
		err = p.checkMove(parties, o)
	}
	if err != nil {
		return nil, err
	}
	named := o.Traffic.named()
	var ways []flow.NewWay
	for i := range parties {
		party := &parties[i]
		if party.Via != config.ViaOpenAI && party.Via != config.ViaProgram {
			continue
		}
		way := flow.NewWay{Agent: party.Name, ModelID: cmp.Or(each[party.Name], all, party.ModelID), Way: p.startingWay(party)}
		if plain := o.Traffic.BaseURL; plain != "" && !o.Traffic.Names() && (party.Via == config.ViaOpenAI || way.Way.Endpoint != "") {
			way.Way.Endpoint = pinnedAddress(plain)
		}
		way.Way.Endpoint = cmp.Or(named[party.Name], way.Way.Endpoint)
		if party.Via == config.ViaOpenAI && way.Way.Endpoint == "" {
			if o.Traffic.Tape != "" {
				continue
			}
			return nil, &fault.Error{
				Code: NoAddress, Detail: "the session began before addresses were journaled: no address for the model of " + fault.Shown(party.Name),
				Hint: "pass --base-url URL; it is journaled, so later runs need no flag",
			}
		}
		old := party.Via == config.ViaProgram && party.Way == nil && way.ModelID == party.ModelID
		if way.Changes(party) && !old {
			ways = append(ways, way)
		}
	}
	return ways, nil
}

// checkMove refuses flags that move no agent, and a single address for agents at several.
func (p *Project) checkMove(parties []flow.Party, o *ResumeOptions) error {
	pinned := addresses(parties)
	switch {
	case len(o.Model) > 0 && !anyVia(parties, config.ViaOpenAI) && !anyVia(parties, config.ViaProgram):
		return &fault.Error{Code: fault.Usage, Detail: "--model has no effect: no agent is a model at an endpoint or a program", Hint: "omit it"}
	case o.Traffic.Names():
		return o.Traffic.reach(p.withWays(parties))
	case o.Traffic.BaseURL != "" && len(pinned) > 1:
		return &fault.Error{
			Code: fault.Usage, Place: "--base-url", Detail: "the agents of this session are at different addresses: " + strings.Join(pinned, ", "),
			Hint: "say whose address changes: --base-url NAME=URL,…",
		}
	}
	return nil
}

// withWays returns the parties, each with its starting way.
func (p *Project) withWays(parties []flow.Party) []flow.Party {
	all := slices.Clone(parties)
	for i := range all {
		if all[i].Via == config.ViaOpenAI || all[i].Via == config.ViaProgram {
			way := p.startingWay(&all[i])
			all[i].Way = &way
		}
	}
	return all
}

// startingWay returns the pinned way of a party; without one, the configured way, but no address
// of a model.
func (p *Project) startingWay(party *flow.Party) flow.Way {
	if party.Way != nil {
		return *party.Way
	}
	way := *p.way(party)
	if party.Via == config.ViaOpenAI {
		way.Endpoint = ""
	}
	return way
}

// changedWays returns those ways that differ from how a session's agents are reached.
func changedWays(s *flow.State, ways []flow.NewWay) []flow.NewWay {
	now := flow.WithArbiter(s.Agents, s.Arbiter)
	return slices.DeleteFunc(slices.Clone(ways), func(w flow.NewWay) bool {
		i := slices.IndexFunc(now, func(p flow.Party) bool { return p.Name == w.Agent })
		return i < 0 || !w.Changes(&now[i])
	})
}

// warnOfAddresses warns about configured addresses that are not used, because the journal
// pins others.
func (p *Project) warnOfAddresses(parties []flow.Party) {
	var seen []string
	for i := range parties {
		party := &parties[i]
		pinned := party.Endpoint()
		if pinned == "" {
			continue
		}
		base, from := p.addressFrom(p.asked(party))
		if base = pinnedAddress(base); base == "" || base == pinned || from.Level == roster.Default || slices.Contains(seen, base+pinned) {
			continue
		}
		seen = append(seen, base+pinned)
		p.Log.Warn().Msgf("%s names %s, but the models at %s are asked, as at the start; to change that, pass --base-url %s", from, base, pinned, base)
	}
}

// newVersions returns the programs whose command or version has changed since the journal.
func (m *Models) newVersions(ctx context.Context, parties []flow.Party) []flow.NewWay {
	var ways []flow.NewWay
	for i := range parties {
		p := &parties[i]
		if p.Via != config.ViaProgram || p.Way == nil {
			continue
		}
		way := flow.NewWay{Agent: p.Name, ModelID: p.ModelID, Way: *p.Way}
		way.Way.Program, way.Way.Version = m.Project.commandOf(p.Program), m.version(ctx, m.Project.setupOf(p))
		if way.Changes(p) {
			ways = append(ways, way)
		}
	}
	return ways
}
