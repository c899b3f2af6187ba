package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// NoProgram is the code of an agent that is reached via program and names none.
const NoProgram fault.Code = "NO_PROGRAM"

// Supervise tells whether a process was started to watch over a program, and then
// does that. Nobody calls it by hand.
func Supervise(args []string) (code int, yes bool) {
	if len(args) == 0 || args[0] != program.SupervisorMarker {
		return 0, false
	}
	return program.SupervisorMain(args[1:]), true
}

// spoolFolder is where the runs of programs are written down.
const spoolFolder = "spool"

// programOptions say how a party's program is run.
func (m *models) programOptions(s agent.Setup) program.Options {
	entry, _ := m.config.FindProgram(s.Program)
	model := m.config.Reach(s.Model)
	o := program.Options{
		Kind: s.Program, Command: m.inProject(entry.Command), Model: s.ModelID, Environ: m.config.Environ, KeyEnv: entry.KeyEnv, Pass: entry.Pass,
		Home: m.config.variable("HOME"), Spool: filepath.Join(storeDir(m.config), spoolFolder), Wall: m.config.Timeouts.Call, Turns: entry.Turns,
	}
	if m.counter != nil {
		o.Count = m.counter.Count
	}
	if !slices.Contains(program.Kinds(), o.Kind) {
		o.Kind = program.Command
	}
	if model.BaseURL != "" || m.config.BaseURL != "" {
		o.BaseURL = m.address(model)
		if o.KeyEnv == "" {
			o.KeyEnv, _ = m.key(model)
		}
	}
	return o
}

// inProject makes what begins with ./ in a command a file of the project: programs
// run in an empty folder.
func (m *models) inProject(command []string) []string {
	out := slices.Clone(command)
	for i, word := range out {
		if rest, ok := strings.CutPrefix(word, "./"); ok {
			out[i] = filepath.Join(m.config.Project.Dir, rest)
		}
	}
	return out
}

// programMaker makes agents that are programs.
func (m *models) programMaker(s agent.Setup) (agent.Agent, error) {
	p, err := program.New(m.programOptions(s))
	if err != nil {
		return nil, err
	}
	return &versioned{program: p, name: s.Program}, nil
}

// versioned is a program whose replies say which version of it answered: months
// later that is what a reviewer asks.
type versioned struct {
	program *program.Program
	name    string // as the roster has it
	once    sync.Once
	version string
}

// Ask asks the program, and once in its life for its version.
func (v *versioned) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	reply, err := v.program.Ask(ctx, c)
	if err != nil {
		return reply, err
	}
	v.once.Do(func() {
		// A program that answers but cannot name its version has answered all the same.
		v.version, _ = v.program.Version(ctx)
		if v.version != "" && !strings.HasPrefix(v.version, v.name) {
			v.version = v.name + " " + v.version
		}
	})
	if v.version != "" && !strings.Contains(reply.Model, v.version) {
		reply.Model = strings.TrimSpace(v.version + " " + reply.Model)
	}
	return reply, nil
}

// checkPrograms says what would go wrong with programs before anything runs: one
// that nobody named, or that only the project's file names.
func (m *models) checkPrograms(parties []flow.Party) error {
	var found fault.List
	for _, p := range parties {
		if p.Via != config.ViaProgram {
			continue
		}
		entry, listed := m.config.FindProgram(p.Program)
		known := slices.Contains(program.Kinds(), p.Program) && p.Program != program.Command
		switch {
		case p.Program == "":
			found.Add(NoProgram, "", "give it one in the roster: "+strings.Join(knownPrograms(), ", ")+", or one under agents.programs: in "+config.FileName,
				"%s is reached via program, and the roster names none", fault.Shown(p.Name))
		case !known && len(entry.Command) == 0:
			found.Add(NoProgram, "", "known are "+strings.Join(knownPrograms(), ", ")+"; others need a command under agents.programs: in "+config.FileName,
				"nothing says what the program %s of %s is", fault.Shown(p.Program), fault.Shown(p.Name))
		case listed:
			found = append(found, faultsIn(m.mustTrust(m.config.Origin("agents.programs"), wantOf(entry)))...)
		}
		found = append(found, faultsIn(m.mustTrust(m.saysProgram(p), wantOf(entry)))...)
	}
	return found.Err()
}

// saysProgram gives who says that an agent is a program: it would run with the
// user's login, and at the user's cost.
func (m *models) saysProgram(p flow.Party) config.Origin {
	if name, via, program := arbiterWords(m.config.Arbiter); p.Role == stalemate.ArbiterRole && p.Name == name && via == config.ViaProgram && p.Program == program {
		return m.config.Origin("session.arbiter")
	}
	model := m.config.Reach(p.Model)
	if model.Via != config.ViaProgram {
		return config.Origin{Level: roster.Flags} // NAME=program
	}
	via, own := m.config.Origin("via"), m.config.Origin("agents.models")
	if m.config.Via == config.ViaProgram && via.Level <= own.Level {
		return via
	}
	return own
}

func faultsIn(err error) []*fault.Error {
	if err == nil {
		return nil
	}
	return faultsOf(err)
}

func wantOf(p config.Program) string {
	what := "run " + fault.Shown(strings.Join(p.Command, " "))
	if len(p.Command) == 0 {
		what = "run " + fault.Shown(p.Program)
	}
	if vars := append(slices.Clone(p.Pass), p.KeyEnv); strings.Join(vars, "") != "" {
		what += " with " + strings.Join(slices.DeleteFunc(vars, func(s string) bool { return s == "" }), ", ")
	}
	return what
}

func knownPrograms() []string {
	return slices.DeleteFunc(program.Kinds(), func(k string) bool { return k == program.Command })
}

// keptRuns is how long the runs of programs stay on the disk: the answers are in
// the store by then.
const keptRuns = 7 * 24 * time.Hour

// sweep removes old runs of programs.
func (m *models) sweep() {
	if err := program.Sweep(filepath.Join(storeDir(m.config), spoolFolder), m.config.Now().Add(-keptRuns)); err != nil {
		m.config.Log.Warn().Err(err).Msg("old runs of programs could not be removed")
	}
}

// doctorPrograms shows of each program that the roster would run: whether it is
// there, its version, how it is logged in, and the exact command line.
func (a *app) doctorPrograms(ctx context.Context, cfg *Project, r roster.Roster) diagnosis {
	m := &models{config: cfg}
	var d diagnosis
	var seen []string
	for _, e := range r.Entries {
		if e.Program == "" || slices.Contains(seen, e.Program) {
			continue
		}
		seen = append(seen, e.Program)
		reach := cfg.Reach(e.Model)
		p, err := program.New(m.programOptions(agent.Setup{Agent: e.Agent, Role: string(e.Role), Program: e.Program, Model: e.Model, ModelID: reach.ID}))
		wanted := reach.Via == config.ViaProgram
		if err != nil {
			if wanted {
				d = append(d, brokenBy("program "+e.Program, err)...)
			}
			continue
		}
		d = append(d, a.doctorProgram(ctx, m, e.Program, p, wanted)...)
	}
	return d
}

func (a *app) doctorProgram(ctx context.Context, m *models, name string, p *program.Program, wanted bool) diagnosis {
	plan := p.Plan()
	c := check{What: "program " + name, Status: fine}
	if !plan.Found {
		c.Status, c.Found, c.Fix = note, "it is not there", "needed only for agents that are reached via program"
		if wanted {
			c.Status, c.Fix = broken, plan.Install
		}
		return diagnosis{c}
	}
	if entry, listed := m.config.FindProgram(name); listed {
		if err := m.mustTrust(m.config.Origin("agents.programs"), wantOf(entry)); err != nil {
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
