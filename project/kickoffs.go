package project

import (
	"context"
	"slices"
	"sync"

	"brenner/agent/openai"
	"brenner/config"
	"brenner/session/flow"
)

// smallContext is the context size, in tokens, below which a model gets short kickoffs: a full one
// leaves too little room for the artifact and the reply.
const smallContext = 12_288

// contextSizes are the context sizes of models as their endpoints report them, each asked once.
type contextSizes struct {
	mu sync.Mutex
	of map[[3]string]func() int // by endpoint, model and key
}

// contextOf returns the context size of a party's model as its endpoint reports it, or 0.
func (m *Models) contextOf(ctx context.Context, p *flow.Party) int {
	_, key := m.Project.keyOf(m.Project.asked(p))
	asked := [3]string{p.Endpoint(), p.ModelID, key}
	m.contexts.mu.Lock()
	ask := m.contexts.of[asked]
	if ask == nil {
		ask = sync.OnceValue(func() int { return openai.ContextSize(ctx, m.Transport, asked[0], asked[2], asked[1]) })
		m.contexts.of[asked] = ask
	}
	m.contexts.mu.Unlock()
	return ask()
}

// ChooseKickoffs decides which parties of a new session get short kickoffs, and sets it in their
// ways, which other lists of the same parties share: as configured, or by the context size that the
// endpoint of a model reports. All endpoints are asked at the same time.
func (m *Models) ChooseKickoffs(ctx context.Context, parties []flow.Party) {
	m.Project.ConfigureKickoffs(parties)
	var wait sync.WaitGroup
	for i := range parties {
		p := &parties[i]
		if form := m.Project.asked(p).Kickoff; p.Way == nil || p.Via != config.ViaOpenAI || form != "" && form != config.KickoffAuto {
			continue
		}
		wait.Go(func() {
			p.Way.Context = m.contextOf(ctx, p)
			if 0 < p.Way.Context && p.Way.Context < smallContext {
				p.Way.Kickoff = flow.KickoffShort
			}
		})
	}
	wait.Wait()
}

// sizeContexts adds the context sizes of models that agents of a resumed session are moved to. Their kickoffs keep
// their form.
func (m *Models) sizeContexts(ctx context.Context, parties []flow.Party, ways []flow.NewWay) {
	parties = flow.Rerouted(parties, ways)
	for i := range ways {
		w := &ways[i]
		at := slices.IndexFunc(parties, func(p flow.Party) bool { return p.Name == w.Agent })
		if at < 0 || parties[at].Via != config.ViaOpenAI || w.Way.Context > 0 {
			continue
		}
		if form := m.Project.asked(&parties[at]).Kickoff; form == "" || form == config.KickoffAuto {
			w.Way.Context = m.contextOf(ctx, &parties[at])
		}
	}
}

// chooseLoopKickoffs does the same for all sessions of a new loop.
func (m *Models) chooseLoopKickoffs(ctx context.Context, pins *loopPins) {
	var all []flow.Party
	for i := range pins.reached {
		all = append(all, pins.reached[i].Agents...)
	}
	m.ChooseKickoffs(ctx, all)
}

// ConfigureKickoffs sets short kickoffs for parties for which they are configured.
func (p *Project) ConfigureKickoffs(parties []flow.Party) {
	for i := range parties {
		if party := &parties[i]; party.Way != nil && p.asked(party).Kickoff == config.KickoffShort {
			party.Way.Kickoff = flow.KickoffShort
		}
	}
}

// KickoffChoice is the form of an agent's kickoffs.
type KickoffChoice struct {
	Agent   string `json:"agent"`
	Form    string `json:"form"`                    // short or full
	Context int    `json:"context_tokens,omitzero"` // of the model, if its endpoint was asked and reports it
	Reason  string `json:"-"`                       // the form, and why
}

// choicesOf returns the forms of the parties' kickoffs.
func choicesOf(parties []flow.Party) []KickoffChoice {
	var all []KickoffChoice
	for i := range parties {
		p := &parties[i]
		if p.Way == nil {
			continue
		}
		c := KickoffChoice{Agent: p.Name, Form: config.KickoffFull, Context: p.Way.Context, Reason: p.Way.KickoffForm()}
		if p.Way.Short() {
			c.Form = config.KickoffShort
		}
		all = append(all, c)
	}
	return all
}

// FirstKickoff is what a model would be sent first, and the room for it.
type FirstKickoff struct {
	Agent   string
	Short   bool
	Tokens  int // of the message; 0 means unknown
	Reply   int // reserved for the reply
	Context int // as the endpoint reports it; 0 means unknown
}

// firstKickoffs returns what the models of a plan would be sent first, with the
// messages of a preview.
func (m *Models) firstKickoffs(ctx context.Context, plan *sessionPlan, v *SessionPreview) []FirstKickoff {
	var all []FirstKickoff
	for i := range plan.parties {
		p := &plan.parties[i]
		if p.Via != config.ViaOpenAI {
			continue
		}
		k := FirstKickoff{Agent: p.Name, Short: p.Way.Short(), Reply: plan.brief.Settings.Reply, Context: m.contextOf(ctx, p)}
		for j := range v.Messages {
			if v.Messages[j].To == p.Name {
				k.Tokens = v.Tokens[j]
			}
		}
		all = append(all, k)
	}
	return all
}
