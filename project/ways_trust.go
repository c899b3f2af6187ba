package project

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/roster"
	"brenner/session/audit"
	"brenner/session/flow"
)

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
		base := baseurl.Normal(p.Endpoint())
		if p.Way == nil {
			base = baseurl.Normal(m.Project.addressOf(m.Project.asked(p)))
		}
		err := m.Project.checkTrustOf(m.Project.asked(p), m.Project.keyName(p), base, p.Via == config.ViaProgram, base != "" && m.named[p.Name] == base)
		if ownKey := errors.Is(err, errOwnKey); ownKey || errors.Is(err, errForeign) {
			err = m.untrustedAddress(parties, p, base, ownKey)
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
// flag names for this agent. Name is the variable with the key; a program may hold keys of its own.
func (p *Project) checkTrustOf(model config.Model, name, address string, ownKeys, named bool) error {
	base, from := p.addressFrom(model)
	own := baseurl.Normal(cmp.Or(model.BaseURL, base))
	if named {
		base, from = address, config.Origin{Level: roster.Flags}
	}
	key := p.Variable(name)
	base = baseurl.Normal(base)
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
	case key != "" && model.KeyEnv != "" && name != envKey && !named && own != "" && own != address:
		return errOwnKey
	case !foreign:
		return p.mustTrust(from, sendKey(name, address))
	case baseurl.IsLocal(address):
		return nil
	}
	return errForeign
}

// untrustedAddress returns the error that an address may not receive a key. Its hint confirms the
// addresses of all agents, and repeats those that the flag names already.
func (m *Models) untrustedAddress(parties []flow.Party, party *flow.Party, address string, ownKey bool) error {
	p := m.Project
	model := p.asked(party)
	name := p.keyName(party)
	what := "the key of " + name
	if p.Variable(name) == "" {
		what = "its keys"
	}
	detail := "for " + fault.Shown(party.Name) + ", only the journal names the address " + address + ", which would receive " + what
	if ownKey {
		detail = what + " belongs to " + baseurl.Normal(cmp.Or(model.BaseURL, p.addressOf(model))) + ", but " + fault.Shown(party.Name) + " is at " + address
	}
	return &fault.Error{
		Code: trust.Untrusted, Detail: detail,
		Hint: "if the addresses are right, pass --base-url " + p.confirm(parties, m.named) + "; otherwise pass another --base-url",
	}
}

// ConfirmNext adds the flag that confirms the session's addresses to the suggested commands that
// resume it: without the flags of this command, only the journal names them.
func (p *Project) ConfirmNext(s *audit.Summary, st *flow.State) {
	for i, next := range s.Next {
		if strings.HasPrefix(next, "brenner session resume ") {
			s.Next[i] += p.ConfirmFlag(st)
		}
	}
}

// ConfirmFlag returns the flag that confirms the session's addresses, or "".
func (p *Project) ConfirmFlag(st *flow.State) string {
	value := p.confirm(flow.WithArbiter(st.Agents, st.Arbiter), nil)
	if value == "" {
		return ""
	}
	return " --base-url " + value
}

// confirm returns the value of --base-url that confirms the addresses that only a journal or a
// flag names, or that are not those of the keys. It keeps what the flag names already.
func (p *Project) confirm(parties []flow.Party, named map[string]string) string {
	var pairs []string
	byName := len(named) > 0
	for i := range parties {
		party := &parties[i]
		model, base := p.asked(party), baseurl.Normal(party.Endpoint())
		_, from := p.addressFrom(model)
		key := p.keyName(party)
		byFlag := from.Level == roster.Flags && p.Variable(key) != "" && !baseurl.IsLocal(base) || named[party.Name] != ""
		err := p.checkTrustOf(model, key, base, party.Via == config.ViaProgram, false)
		byName = byName || errors.Is(err, errOwnKey)
		if base != "" && (byFlag || errors.Is(err, errForeign) || errors.Is(err, errOwnKey)) {
			pairs = append(pairs, party.Name+"="+base)
		}
	}
	slices.Sort(pairs) // the rosters of a loop may share agents
	pairs = slices.Compact(pairs)
	if all := addresses(parties); len(all) == 1 && len(pairs) > 0 && !byName {
		return all[0]
	}
	return strings.Join(pairs, ",")
}
