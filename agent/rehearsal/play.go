package rehearsal

import (
	"context"
	"time"

	"brenner/agent"
)

// model is what answers, in the words of the trace: nothing that could be taken
// for a model.
const model = "rehearsal"

// nothingToAdd is what an agent says for which the script has no words.
const nothingToAdd = "I have nothing to add in this round.\n"

// player is one agent on the stage.
type player struct {
	script *Script
	part   *part
}

func (p *player) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	alive(c)
	r := p.part.at(c.Round)
	if len(c.Turns) > 1 { // a repair turn: ours, its own, ours
		return r.says(c, r.repair), nil
	}
	if r.hang {
		<-ctx.Done()
		return agent.Reply{}, agent.Ended(ctx)
	}
	if !pause(ctx, r.delay) {
		return agent.Reply{}, agent.Ended(ctx)
	}
	alive(c)
	if f := r.fail; f != nil && p.script.failed.due(c.ID, f.times) {
		return agent.Reply{}, &agent.Failure{
			Code: f.code, Detail: f.message, Retry: f.retry, After: f.after, Attempts: 1,
		}
	}
	if r.cut {
		return agent.Reply{}, &agent.Failure{
			Code: agent.Cut, Detail: "the script lets the answer break off here", Retry: true, Partial: r.reply, Attempts: 1,
		}
	}
	return r.says(c, r.reply), nil
}

// at gives what the part says in a round, from 1; past its end that is nothing.
func (p *part) at(n int) round {
	if n = max(n, 1); n <= len(p.rounds) {
		return p.rounds[n-1]
	}
	return round{reply: nothingToAdd, repair: nothingToAdd}
}

// says makes a reply of a text.
func (r round) says(c agent.Call, text string) agent.Reply {
	reply := agent.Reply{Text: text, Model: model, Attempts: 1}
	if r.usage != nil {
		reply.Usage = *r.usage
		return reply
	}
	reply.Usage = agent.Usage{Output: agent.Guess(text), Guessed: true}
	for _, t := range c.Turns {
		reply.Usage.Input += agent.Guess(t.Text)
	}
	return reply
}

func alive(c agent.Call) {
	if c.Alive != nil {
		c.Alive()
	}
}

// pause waits; false means that the context was over first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
