package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"brenner/config"
	"brenner/fault"
	"brenner/flow"
)

// arbiterRole is what an arbiter is called where agents have roles.
const arbiterRole = "arbiter"

// arbiterFlag adds the flag that names who is asked when a session is stuck.
func (s *startOptions) arbiterFlag(c *cobra.Command) {
	c.Flags().StringVar(&s.arbiter, "arbiter", "", "who rules when the session is stuck: NAME, NAME=KIND or NAME=KIND:MODEL; no agent of the roster")
}

// arbiterParty says how the arbiter is reached; nil where nobody was named.
func (s *startOptions) arbiterParty(c *cobra.Command, cfg *config.Config) (*flow.Party, error) {
	if s.arbiter == "" {
		if c.Flags().Changed("arbiter") {
			return nil, usage(c, "--arbiter names nobody", "")
		}
		return nil, nil
	}
	name, how, _ := strings.Cut(s.arbiter, "=")
	via, model, _ := strings.Cut(how, ":")
	reach := cfg.Reach(model)
	p := flow.Party{Name: strings.TrimSpace(name), Role: arbiterRole, Model: model, Via: reach.Via, ModelID: reach.ID}
	if model != "" && p.ModelID == "" {
		p.ModelID = model
	}
	if s.script != "" {
		p.Via = config.ViaRehearsal
	}
	if via != "" {
		p.Via = via
	}
	if p.Name == "" || p.Via == "" {
		return nil, usage(c, "--arbiter "+clean(s.arbiter)+" does not say who is asked, and how", "write NAME=KIND, such as Judge=openai:gpt-5")
	}
	if p.Via == config.ViaMail {
		return nil, &fault.Error{
			Code: NoWay, Detail: "the arbiter " + fault.Shown(p.Name) + " cannot be reached via mail: who has a mailbox sees more than the request",
			Hint: "ask a model (NAME=openai:MODEL) or a program, or let a person rule: `brenner stalemate rule`",
		}
	}
	return &p, checkVias([]flow.Party{p})
}

// everyone gives all who are asked in a session, the arbiter last.
func everyone(parties []flow.Party, arbiter *flow.Party) []flow.Party {
	if arbiter == nil {
		return parties
	}
	return append(parties[:len(parties):len(parties)], *arbiter)
}
