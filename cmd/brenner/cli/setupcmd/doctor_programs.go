package setupcmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/project"
	"brenner/roster"
)

// doctorPrograms shows of each program that the roster would run: whether it is
// there, its version, how it is logged in, and the exact command line.
func doctorPrograms(ctx context.Context, a *ui.App, p *project.Project, r roster.Roster) diagnosis {
	m := &project.Models{Project: p}
	var d diagnosis
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
		d = append(d, doctorProgram(ctx, a, m, e.Program, p, wanted)...)
	}
	return d
}

func doctorProgram(ctx context.Context, a *ui.App, m *project.Models, name string, p *program.Program, wanted bool) diagnosis {
	plan := p.Plan()
	c := check{What: "program " + name, Status: fine}
	if !plan.Found {
		c.Status, c.Found, c.Fix = note, "it is not there", "needed only for agents that are reached via program"
		if wanted {
			c.Status, c.Fix = broken, plan.Install
		}
		return diagnosis{c}
	}
	if entry, listed := m.Project.Config.FindProgram(name); listed {
		if err := m.MustTrust(m.Project.Config.Origin("agents.programs"), project.WantOf(entry)); err != nil {
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
			c.Status = note
		}
	}
	if !wanted {
		return diagnosis{c}
	}
	return diagnosis{c, {What: "runs", Status: fine, Found: plan.CommandLine()}}
}
