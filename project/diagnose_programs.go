package project

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/config"
	"brenner/roster"
)

// checkPrograms shows of each program that the roster would run: whether it is
// there, its version, how it is logged in, and the exact command line.
func checkPrograms(ctx context.Context, p *Project, r roster.Roster) []Check {
	m := &Models{Project: p}
	var d []Check
	var seen []string
	for _, e := range r.Entries {
		if e.Program == "" || slices.Contains(seen, e.Program) {
			continue
		}
		seen = append(seen, e.Program)
		reach := p.Config.Reach(e.Model)
		p, err := program.New(m.ProgramOptions(agent.Setup{Agent: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model, ModelID: reach.ID}))
		wanted := reach.Via == config.ViaProgram
		if err != nil {
			if wanted {
				d = append(d, brokenBy("program "+e.Program, err)...)
			}
			continue
		}
		d = append(d, checkProgram(ctx, m, e.Program, p, wanted)...)
	}
	return d
}

func checkProgram(ctx context.Context, m *Models, name string, p *program.Program, wanted bool) []Check {
	plan := p.Plan()
	c := Check{What: "program " + name, Status: CheckFine}
	if !plan.Found {
		c.Status, c.Found, c.Fix = CheckNote, "it is not there", "needed only for agents that are reached via program"
		if wanted {
			c.Status, c.Fix = CheckBroken, plan.Install
		}
		return []Check{c}
	}
	if entry, listed := m.Project.Config.FindProgram(name); listed {
		if err := m.MustTrust(m.Project.Config.Origin("agents.programs"), wantOf(entry)); err != nil {
			return brokenBy(c.What, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	version, err := p.Version(ctx)
	if err != nil {
		version = "its version cannot be asked: " + err.Error()
	}
	state, detail := p.Login()
	if version == "" {
		version = "it is there"
	}
	c.Found = fmt.Sprintf("%s; login: %s", version, state)
	if state == program.LoginNone {
		c.Fix = detail
		if wanted {
			c.Status = CheckNote
		}
	}
	if !wanted {
		return []Check{c}
	}
	return []Check{c, {What: "runs", Status: CheckFine, Found: plan.CommandLine()}}
}
