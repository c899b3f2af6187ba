package project

import (
	"cmp"
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// arbiter returns how the arbiter is reached; nil where none was named. One of the
// project does not rule in the built-in rehearsal, which has no part for it. Scripted
// means that agents play a script of the user's.
func (p *Project) arbiter(scripted bool, parties []flow.Party) (*flow.Party, error) {
	origin := p.Config.Origin("session.arbiter")
	rehearsed := !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via != config.ViaRehearsal })
	if p.Config.Arbiter == "" || rehearsed && !scripted && origin.Level != roster.Flags {
		return nil, nil
	}
	name, via, model := ArbiterWords(p.Config.Arbiter)
	way := Way{Via: via}
	if scripted && (via == "" || origin.Level != roster.Flags) {
		way.Via = config.ViaRehearsal
	}
	arbiter := p.Party(roster.Entry{Agent: name, Role: stalemate.ArbiterRole, Model: model}, way)
	arbiter.ModelID, arbiter.Seed = cmp.Or(arbiter.ModelID, model), nil
	if arbiter.Name == "" || arbiter.Via == "" {
		return nil, &fault.Error{
			Code: config.InvalidValue, Place: origin.String(), Detail: "the arbiter " + fault.Shown(p.Config.Arbiter) + " does not say who is asked, and how",
			Hint: "write NAME=KIND, such as Judge=openai:gpt-5",
		}
	}
	if arbiter.Via == config.ViaMail {
		return nil, &fault.Error{
			Code: NoWay, Detail: "the arbiter " + fault.Shown(arbiter.Name) + " cannot be reached via mail: who has a mailbox sees more than the request",
			Hint: "ask a model (NAME=openai:MODEL) or a program, or let a person rule: `brenner stalemate rule`",
		}
	}
	if arbiter.Via == config.ViaProgram && via != "" { // what stands behind it is a program, which knows its models itself
		arbiter.Program, arbiter.Model, arbiter.ModelID = model, "", ""
	}
	if arbiter.Via == config.ViaProgram && arbiter.Program == "" {
		return nil, &fault.Error{
			Code: NoProgram, Place: origin.String(), Detail: "the arbiter " + fault.Shown(arbiter.Name) + " is reached via program, and nothing says which",
			Hint: "write " + arbiter.Name + "=program:PROGRAM: " + strings.Join(knownPrograms(), ", ") + ", or one under agents.programs: in " + config.FileName,
		}
	}
	return &arbiter, checkVias([]flow.Party{arbiter})
}

// ArbiterWords takes apart what names an arbiter: NAME=KIND:MODEL.
func ArbiterWords(text string) (name, via, model string) {
	name, how, _ := strings.Cut(text, "=")
	via, model, _ = strings.Cut(how, ":")
	return strings.TrimSpace(name), via, model
}
