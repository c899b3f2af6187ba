package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
)

// addresses returns the different pinned addresses.
func addresses(parties []flow.Party) []string {
	var all []string
	for i := range parties {
		if base := baseurl.Normal(parties[i].Endpoint()); base != "" && !slices.Contains(all, base) {
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
		all[name] = baseurl.Normal(base)
	}
	return all
}

// addressOf returns the address that the flag has for an agent, or "".
func (r Traffic) addressOf(name string) string {
	if r.Names() || r.BaseURL == "" {
		return r.named()[name]
	}
	return baseurl.Normal(r.BaseURL)
}

// reach moves the parties to the addresses that the flag names for them. The rosters of a loop may
// share names: one of them must be a model or a program.
func (r Traffic) reach(parties []flow.Party) error {
	if !r.Names() {
		return nil
	}
	var names, pinned []string
	for i := range parties {
		if !slices.Contains(names, parties[i].Name) {
			names = append(names, parties[i].Name)
		}
		if parties[i].Way != nil && parties[i].Via != config.ViaMail {
			pinned = append(pinned, parties[i].Name)
		}
	}
	all, each, err := parsePairs("--base-url", []string{r.BaseURL}, names)
	wrong := func(detail string) error { // without the value: it may have a password
		return &fault.Error{Code: fault.Usage, Place: "--base-url", Detail: detail, Hint: baseurl.Hint}
	}
	if err != nil && strings.Contains(r.BaseURL, "@") {
		return wrong("not NAME=URL,…, or an address has a user or a password")
	}
	if err != nil {
		return err
	}
	for i := range parties {
		p := &parties[i]
		base, ok := each[p.Name]
		switch {
		case ok && !baseurl.Valid(base) && strings.Contains(r.BaseURL, "@"):
			return wrong("the address for " + p.Name + " has a user or a password")
		case ok && !baseurl.Valid(base):
			return wrong("not NAME=URL: the address for " + p.Name + " is not a valid http or https URL")
		case all != "":
			return wrong("an address has no name: write NAME=URL,…")
		case ok && !slices.Contains(pinned, p.Name):
			return &fault.Error{Code: fault.Usage, Place: "--base-url", Detail: p.Name + " is not a model at an endpoint or a program", Hint: "omit it"}
		}
		r.moveParty(p)
	}
	return nil
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
	var ways []flow.NewWay
	now := p.withWays(parties)
	for i := range parties {
		party := &parties[i]
		if party.Via != config.ViaOpenAI && party.Via != config.ViaProgram {
			continue
		}
		o.Traffic.moveParty(&now[i])
		way := flow.NewWay{Agent: party.Name, ModelID: cmp.Or(each[party.Name], all, party.ModelID), Way: *now[i].Way}
		if way.ModelID != party.ModelID {
			way.Way.Context = 0 // of the other model
		}
		if party.Via == config.ViaOpenAI && way.Way.Endpoint == "" {
			if o.Traffic.Tape != "" {
				continue
			}
			why := "the session began before addresses were journaled"
			if party.Way != nil {
				why = "the session was played from a tape"
			}
			return nil, &fault.Error{
				Code: NoAddress, Detail: why + ": no address for the model of " + fault.Shown(party.Name),
				Hint: "pass --base-url URL; it is journaled, so later runs need no flag",
			}
		}
		old := party.Via == config.ViaProgram && party.Way == nil && way.ModelID == party.ModelID
		if way.Changes(party) && !old {
			ways = append(ways, way)
		}
	}
	mailed, err := p.moveMail(parties)
	return append(ways, mailed...), err
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
			Code: fault.Usage, Place: "--base-url", Detail: "the agents are at different addresses: " + strings.Join(pinned, ", "),
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

// changedWays returns those ways that differ from how a session's agents are reached. From then on,
// sessions opened without ways say what is asked, too.
func changedWays(s *flow.State, ways []flow.NewWay) []flow.NewWay {
	now := flow.WithArbiter(s.Agents, s.Arbiter)
	ways = slices.DeleteFunc(slices.Clone(ways), func(w flow.NewWay) bool {
		i := slices.IndexFunc(now, func(p flow.Party) bool { return p.Name == w.Agent })
		return i < 0 || !w.Changes(&now[i])
	})
	opened := flow.WithArbiter(s.Opened.Agents, s.Opened.Arbiter)
	for i := range ways {
		ways[i].Way.Named = slices.ContainsFunc(opened, func(p flow.Party) bool { return p.Name == ways[i].Agent && p.Way == nil })
	}
	return ways
}

// warnOfAddresses warns about configured addresses that are not used, because the journal pins
// others. Agents that the flag moves need no warning.
func (p *Project) warnOfAddresses(parties []flow.Party, run Traffic) {
	names := make(map[string][]string) // by what is said before the names
	var said []string
	for i := range parties {
		party := &parties[i]
		model, pinned := p.asked(party), baseurl.Normal(party.Endpoint())
		base, from := p.addressFrom(model)
		if party.Via == config.ViaProgram {
			base = p.programAddress(model)
		}
		base = baseurl.Normal(base)
		if pinned == "" || run.addressOf(party.Name) != "" || !baseurl.Valid(base) || base == pinned || from.Level == roster.Default {
			continue
		}
		line := fmt.Sprintf("%s names %s, but the models at %s are asked, as the journal says; to change that, pass --base-url ", from, base, pinned)
		if names[line] == nil {
			said = append(said, line)
		}
		names[line] = append(names[line], party.Name+"="+base)
	}
	for _, line := range said {
		slices.Sort(names[line]) // the rosters of a loop may share agents
		names[line] = slices.Compact(names[line])
		value := strings.Join(names[line], ",")
		if len(addresses(parties)) == 1 && !anyVia(parties, config.ViaProgram) {
			_, value, _ = strings.Cut(names[line][0], "=")
		}
		p.Log.Warn().Msg(line + value)
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
