package project

import (
	"slices"
	"strings"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// ArbiterParty says how the arbiter is reached; nil where nobody was named. One of the
// project does not rule in the built-in rehearsal: that has no part for it, and nothing
// in it is anybody's work. Scripted means that agents play a script that somebody named.
func ArbiterParty(cfg *Project, scripted bool, parties []flow.Party) (*flow.Party, error) {
	origin := cfg.Origin("session.arbiter")
	rehearsed := !slices.ContainsFunc(parties, func(p flow.Party) bool { return p.Via != config.ViaRehearsal })
	if cfg.Arbiter == "" || rehearsed && !scripted && origin.Level != roster.Flags {
		return nil, nil
	}
	name, via, model := ArbiterWords(cfg.Arbiter)
	reach := cfg.Reach(model)
	p := flow.Party{Name: name, Role: stalemate.ArbiterRole, Model: model, Via: reach.Via, ModelID: reach.ID}
	if model != "" && p.ModelID == "" {
		p.ModelID = model
	}
	switch {
	case scripted && (via == "" || origin.Level != roster.Flags):
		p.Via = config.ViaRehearsal
	case via != "":
		p.Via = via
	}
	if p.Name == "" || p.Via == "" {
		return nil, &fault.Error{
			Code: config.InvalidValue, Place: origin.String(), Detail: "the arbiter " + fault.Shown(cfg.Arbiter) + " does not say who is asked, and how",
			Hint: "write NAME=KIND, such as Judge=openai:gpt-5",
		}
	}
	if p.Via == config.ViaMail {
		return nil, &fault.Error{
			Code: NoWay, Detail: "the arbiter " + fault.Shown(p.Name) + " cannot be reached via mail: who has a mailbox sees more than the request",
			Hint: "ask a model (NAME=openai:MODEL) or a program, or let a person rule: `brenner stalemate rule`",
		}
	}
	if p.Via == config.ViaProgram && via != "" { // what stands behind it is a program, which knows its models itself
		p.Program, p.Model, p.ModelID = model, "", ""
	}
	if p.Via == config.ViaProgram && p.Program == "" {
		return nil, &fault.Error{
			Code: NoProgram, Place: origin.String(), Detail: "the arbiter " + fault.Shown(p.Name) + " is reached via program, and nothing says which",
			Hint: "write " + p.Name + "=program:PROGRAM: " + strings.Join(knownPrograms(), ", ") + ", or one under agents.programs: in " + config.FileName,
		}
	}
	return &p, CheckVias([]flow.Party{p})
}

// ArbiterWords takes apart what names an arbiter: NAME=KIND:MODEL.
func ArbiterWords(text string) (name, via, model string) {
	name, how, _ := strings.Cut(text, "=")
	via, model, _ = strings.Cut(how, ":")
	return strings.TrimSpace(name), via, model
}

// Everyone gives all who are asked in a session, the arbiter last.
func Everyone(parties []flow.Party, arbiter *flow.Party) []flow.Party {
	if arbiter == nil {
		return parties
	}
	return append(parties[:len(parties):len(parties)], *arbiter)
}
