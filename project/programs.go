package project

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// NoProgram is the code of an agent reached via program that names no program.
const NoProgram fault.Code = "NO_PROGRAM" // An agent uses `via: program`, and no program is set.

// Supervise reports whether this process was started to supervise a program, and if so does
// it. It is not meant to be called by hand.
func Supervise(args []string) (code int, yes bool) {
	if len(args) == 0 || args[0] != program.SupervisorMarker {
		return 0, false
	}
	return program.SupervisorMain(args[1:]), true
}

// spoolDir is where the runs of programs are logged.
const spoolDir = "spool"

// ProgramOptions returns how a party's program is run.
func (m *Models) ProgramOptions(s agent.Setup) program.Options {
	entry, _ := m.Project.Config.FindProgram(s.Program)
	o := program.Options{
		Kind: s.Program, Command: m.inProject(entry.Command), Model: s.ModelID, Environ: m.Project.Environ, KeyEnv: entry.KeyEnv, Pass: entry.Pass,
		Home: m.Project.Variable("HOME"), Spool: filepath.Join(m.Project.StateDir(), spoolDir), Wall: m.Project.Config.Timeouts.Call, Turns: entry.Turns,
		Count: m.Project.Tokens.Count,
	}
	if !slices.Contains(program.Kinds(), o.Kind) {
		o.Kind = program.Command
	}
	if o.BaseURL = s.BaseURL; o.BaseURL != "" && o.KeyEnv == "" {
		o.KeyEnv = m.Project.Config.Asked(s.Model, s.ModelID).KeyEnv
	}
	return o
}

// inProject resolves ./ at the start of a command's words against the project: programs run
// in an empty directory.
func (m *Models) inProject(command []string) []string {
	out := slices.Clone(command)
	for i, word := range out {
		if rest, ok := strings.CutPrefix(word, "./"); ok {
			out[i] = filepath.Join(m.Project.Config.Project.Dir, rest)
		}
	}
	return out
}

// programMaker makes agents that are programs.
func (m *Models) programMaker(s agent.Setup) (agent.Agent, error) {
	p, err := program.New(m.ProgramOptions(s))
	if err = errors.Join(m.Project.CheckHost(s.BaseURL), err); err != nil {
		return nil, err
	}
	return &versioned{program: p, name: s.Program, version: func(ctx context.Context) string { return m.version(ctx, s) }}, nil
}

// versioned is a program whose replies record its version, for later reviewers.
type versioned struct {
	program *program.Program
	name    string // as in the roster
	version func(context.Context) string
}

// Ask asks the program.
func (v *versioned) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	reply, err := v.program.Ask(ctx, c)
	if err != nil {
		return reply, err
	}
	version := v.version(ctx)
	if version != "" && !strings.HasPrefix(version, v.name) {
		version = v.name + " " + version
	}
	if version != "" && !strings.Contains(reply.Model, version) {
		reply.Model = strings.TrimSpace(version + " " + reply.Model)
	}
	return reply, nil
}

// checkPrograms reports every fault of programs before anything runs: a program that is not
// named, or that only an untrusted file names.
func (m *Models) checkPrograms(parties []flow.Party) error {
	var found fault.List
	for _, p := range parties {
		if p.Via != config.ViaProgram {
			continue
		}
		entry, listed := m.Project.Config.FindProgram(p.Program)
		known := slices.Contains(program.Kinds(), p.Program) && p.Program != program.Command
		switch {
		case p.Program == "":
			found.Add(NoProgram, "", "name one in the roster: "+strings.Join(knownPrograms(), ", ")+", or one under agents.programs: in "+config.FileName,
				"%s is reached via program, but the roster names no program", fault.Shown(p.Name))
		case !known && listed && len(entry.Command) == 0:
			found.Add(NoProgram, "", "set command: in its entry, the program first: [./agent.sh]", "no command for program %s of %s under agents.programs", fault.Shown(p.Program), fault.Shown(p.Name))
		case !known && len(entry.Command) == 0:
			found.Add(NoProgram, "", "known: "+strings.Join(knownPrograms(), ", ")+"; others need a command under agents.programs: in "+config.FileName,
				"unknown program %s of %s", fault.Shown(p.Program), fault.Shown(p.Name))
		default:
			found = append(found, faultsIn(m.Project.CheckProgram(p.Program))...)
			if made, err := m.Project.Program(&p); err == nil { // else reported when it is made
				found = append(found, faultsIn(made.CheckLogin())...)
			}
		}
		found = append(found, faultsIn(m.Project.mustTrust(m.programOrigin(p), programAction(entry)))...)
	}
	return found.Err()
}

// programOrigin returns the origin of the setting that makes an agent a program: it would
// run with the user's login, and at the user's cost.
func (m *Models) programOrigin(p flow.Party) config.Origin {
	if name, via, program := ParseArbiter(m.Project.Config.Arbiter); p.Role == stalemate.ArbiterRole && p.Name == name && via == config.ViaProgram && p.Program == program {
		return m.Project.Config.Origin("session.arbiter")
	}
	model := m.Project.Config.Reach(p.Model)
	if model.Via != config.ViaProgram {
		return config.Origin{Level: roster.Flags} // NAME=program
	}
	via, own := m.Project.Config.Origin("via"), m.Project.Config.Origin("agents.models")
	if m.Project.Config.Via == config.ViaProgram && via.Level <= own.Level {
		return via
	}
	return own
}

func faultsIn(err error) []*fault.Error {
	if err == nil {
		return nil
	}
	return fault.Distinct(err)
}

// programAction describes, for trust, what a configured program would run.
func programAction(p config.Program) string {
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

// keptRuns is how long the logs of programs are kept: the replies are in the store by then.
const keptRuns = 7 * 24 * time.Hour

// sweepRuns removes old runs of programs, and those whose output may contain secrets because all
// their processes were killed.
func (p *Project) sweepRuns() {
	program.SweepScratch()
	if err := program.Sweep(filepath.Join(p.StateDir(), spoolDir), p.Now().Add(-keptRuns)); err != nil {
		p.Log.Warn().Err(err).Msg("cannot remove old logs of programs")
	}
}

// SweepProbes ends and removes what a killed `brenner doctor` left.
func (p *Project) SweepProbes() { program.SweepScratch() }

// FoundPrograms returns the known programs on PATH.
func (p *Project) FoundPrograms() []string { return program.Found(p.Variable("PATH")) }

// Program returns the program of a party.
func (p *Project) Program(party *flow.Party) (*program.Program, error) {
	m := &Models{Project: p}
	return program.New(m.ProgramOptions(p.setupOf(party)))
}

// CheckProgram returns an error if only an untrusted file configures a program.
func (p *Project) CheckProgram(name string) error {
	entry, listed := p.Config.FindProgram(name)
	if !listed {
		return nil
	}
	return p.mustTrust(p.Config.Origin("agents.programs"), programAction(entry))
}
