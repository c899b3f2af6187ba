package project

import (
	"cmp"
	"slices"

	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
)

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
