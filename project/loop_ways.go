package project

import (
	"context"
	"slices"

	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session/flow"
)

// loopPins are how the agents of a loop are reached, in all of its sessions.
type loopPins struct {
	reached []loop.RosterWays
	changed bool // by a flag, since the journal
	idle    bool // no session runs
}

// pins returns how the agents of the plan's loop are reached: as its journal has it, at the
// addresses of the flag if there are any. A nil state is a new loop.
func (p *PinnedPlan) pins(s *loop.State, o *LoopOptions) (loopPins, error) {
	run := Traffic{BaseURL: o.BaseURL}
	switch {
	case s == nil:
		return loopPins{reached: p.opened.Ways}, nil
	case s.Ended != "" && !s.StoppedEarly() && !o.resumes():
		return loopPins{idle: true}, nil
	case len(s.Ways) == 0 && slices.ContainsFunc(p.parties, func(p flow.Party) bool { return p.Via == config.ViaOpenAI && run.addressOf(p.Name) == "" }):
		return loopPins{}, &fault.Error{
			Code: NoAddress, Detail: "loop " + s.Opened.Name + " began before addresses were journaled",
			Hint: "pass --base-url URL; it is journaled, so later runs need no flag",
		}
	case len(s.Ways) == 0:
		return loopPins{reached: p.opened.Ways, changed: len(p.opened.Ways) > 0}, nil
	}
	out := loopPins{reached: s.Ways}
	if err := p.project.checkMove(out.parties(), &ResumeOptions{Traffic: run}); err != nil {
		return loopPins{}, err
	}
	out.reached, out.changed = loop.Moved(s.Ways, run.moveParty)
	err := p.project.moveLoopMail(&out)
	return out, err
}

// nameAddresses moves the agents of the plan to the addresses that the flag names for them.
func (p *PinnedPlan) nameAddresses(run Traffic) error {
	if !run.Names() || len(p.opened.Ways) == 0 {
		return nil
	}
	if err := run.reach(p.parties); err != nil {
		return err
	}
	p.opened.Ways, _ = loop.Moved(p.opened.Ways, run.moveParty)
	return nil
}

// moveParty changes the address of a party as the flag says, and reports whether it differs. Of
// programs, one address for all changes only those that are told one.
func (r Traffic) moveParty(p *flow.Party) bool {
	base := r.addressOf(p.Name)
	if base == "" || p.Way == nil || p.Via == config.ViaMail || baseurl.Normal(p.Way.Endpoint) == base || !r.Names() && p.Via != config.ViaOpenAI && p.Way.Endpoint == "" {
		return false
	}
	way := *p.Way
	way.Endpoint, way.Context = base, 0 // only the other endpoint reported it
	p.Way = &way
	return true
}

// parties returns all pinned parties.
func (l *loopPins) parties() []flow.Party {
	var all []flow.Party
	for _, r := range l.reached {
		all = append(all, flow.WithArbiter(r.Agents, r.Arbiter)...)
	}
	return all
}

// openModels opens the models of a loop, as pinned.
func (p *PinnedPlan) openModels(pins *loopPins, o *LoopOptions) (*Models, error) {
	parties := pins.parties()
	if len(parties) == 0 {
		parties = p.parties
	}
	if pins.idle {
		return p.project.OpenModels(Traffic{}, nil, 0)
	}
	return p.project.OpenModels(Traffic{BaseURL: o.BaseURL}, parties, p.opened.Work.Settings.BudgetUSD)
}

// reach sets how the agents of a session are reached, and returns its arbiter. Work that was
// added since the loop began may combine rosters and models in new ways: it goes to no other address
// than the rest.
func (l *loopPins) reach(p *Project, c *loop.Cell, parties []flow.Party, scripted bool) (*flow.Party, error) {
	pinned := l.pin(c, parties)
	if pinned == nil {
		mailAt(pinnedMail(l.parties()), parties)
		arbiter, err := p.arbiter(scripted, parties)
		if err != nil || len(l.reached) == 0 {
			return arbiter, err
		}
		return arbiter, l.checkKnown(flow.WithArbiter(parties, arbiter))
	}
	if pinned.Arbiter == nil {
		return nil, nil
	}
	arbiter := *pinned.Arbiter
	return &arbiter, nil
}

// pin sets how the agents of a session are reached to what the loop pins for its roster and model,
// and returns that, or nil.
func (l *loopPins) pin(c *loop.Cell, parties []flow.Party) *loop.RosterWays {
	pinned := l.find(c)
	if pinned == nil {
		return nil
	}
	for i := range parties {
		party := &parties[i]
		at := slices.IndexFunc(pinned.Agents, func(p flow.Party) bool { return p.Name == party.Name })
		if at < 0 {
			continue
		}
		party.Via, party.ModelID, party.Way = pinned.Agents[at].Via, pinned.Agents[at].ModelID, pinned.Agents[at].Way
		if party.Via != config.ViaOpenAI {
			party.Seed = nil
		}
	}
	return pinned
}

// find returns what the loop pins for a roster and a model, or nil.
func (l *loopPins) find(c *loop.Cell) *loop.RosterWays {
	i := slices.IndexFunc(l.reached, func(r loop.RosterWays) bool { return r.Roster == c.Roster && r.Model == c.Model })
	if i < 0 {
		return nil
	}
	return &l.reached[i]
}

// checkKnown refuses addresses that the loop does not pin.
func (l *loopPins) checkKnown(parties []flow.Party) error {
	known := addresses(l.parties())
	for i := range parties {
		base := baseurl.Normal(parties[i].Endpoint())
		if base != "" && !slices.Contains(known, base) {
			return &fault.Error{
				Code: NoAddress, Detail: "the loop does not ask models at " + base + ", which is configured for " + fault.Shown(parties[i].Name),
				Hint: "pass --base-url to change the address of all models of the loop",
			}
		}
	}
	return nil
}

// ways returns how a resumed session of the loop is reached from now on: at the address of the
// flag, if it changed, and with the current versions of programs.
func (l *loopPins) ways(ctx context.Context, m *Models, parties []flow.Party) func(*flow.State) []flow.NewWay {
	return func(s *flow.State) []flow.NewWay {
		var ways []flow.NewWay
		now := flow.WithArbiter(s.Agents, s.Arbiter)
		for i := range parties {
			if p := &parties[i]; l.changed && p.Way != nil && (p.Via == config.ViaOpenAI || p.Way.Endpoint != "" || p.Way.Mail != "") {
				ways = append(ways, flow.NewWay{Agent: p.Name, ModelID: p.ModelID, Way: *p.Way})
			}
		}
		ways = append(ways, m.newVersions(ctx, flow.Rerouted(now, ways))...)
		return changedWays(s, ways)
	}
}
