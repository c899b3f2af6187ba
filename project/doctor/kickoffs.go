package doctor

import (
	"fmt"
	"strings"

	"brenner/config"
	"brenner/project"
)

// leastReply is the least number of tokens that is worth reserving for a reply.
const leastReply = 256

// checkKickoffs reports, for models whose endpoints report their context sizes, which get short
// kickoffs, and which first messages leave too little room for the reply.
func checkKickoffs(all []project.FirstKickoff) []Check {
	var d []Check
	for i := range all {
		k := &all[i]
		what, form := "kickoff of "+k.Agent, config.KickoffFull
		if k.Short {
			form = config.KickoffShort
		}
		switch {
		case k.Context == 0:
		case k.Tokens > 0 && k.Tokens+k.Reply > k.Context:
			found := fmt.Sprintf("%s: %d tokens, and %d for the reply, do not fit in the context of %d tokens, as the endpoint reports", form, k.Tokens, k.Reply, k.Context)
			d = append(d, note(what, found, moreRoom(k)))
		case k.Short:
			d = append(d, fine(what, fmt.Sprintf("%s: context of %d tokens, as the endpoint reports", form, k.Context)))
		}
	}
	return d
}

// moreRoom says what to do about a first message that leaves too little room for the reply.
func moreRoom(k *project.FirstKickoff) string {
	var ways []string
	if !k.Short {
		ways = append(ways, "set kickoff: short for the model under agents.models")
	}
	if left := k.Context - k.Tokens; left >= leastReply {
		ways = append(ways, fmt.Sprintf("set budget.reply_tokens to %d or less", left))
	}
	return strings.Join(append(ways, "give the server a larger context"), ", ") + ", or ask another model"
}
