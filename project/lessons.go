package project

import (
	"context"
	"fmt"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/playbook/keeper"
	"brenner/session/memory"
	"brenner/store"
)

// learner returns the playbook of running sessions.
func (p *Project) learner(st store.Store) *memory.Learner {
	c := &p.Config.Playbook
	return &memory.Learner{Store: st, Domain: c.Domain, Now: p.Now, Log: p.Log, Open: func(ctx context.Context) (*memory.Book, error) {
		e, err := p.embedder()
		if err != nil {
			return nil, err
		}
		k, err := keeper.Open(ctx, keeper.Options{Store: st, Rules: c.Rules, Embedder: e, Now: p.Now})
		return &memory.Book{Keeper: k, Tokens: c.Tokens, Count: p.Tokens.Count}, err
	}}
}

// unlearned notes sessions that a run would learn from before it writes its messages.
func (p *Project) unlearned(ctx context.Context, st store.Store) []string {
	threads, err := memory.Due(ctx, st)
	if err != nil || len(threads) == 0 {
		return nil // a run reports the error
	}
	return []string{fmt.Sprintf("a run first learns from %s, which may add lessons; `brenner playbook harvest` does it now", text.Plural(len(threads), "session", "sessions"))}
}

// Harvest is what the playbook learned.
type Harvest struct {
	Schema   string             `json:"schema"`
	Sessions []HarvestedSession `json:"sessions"`
}

// HarvestedSession is what one session taught.
type HarvestedSession struct {
	Thread string `json:"thread_id"`
	keeper.Learned
	RolledBack string `json:"rolled_back"` // what the guardrail rolled back, and why
}

// HarvestPlaybook learns from one session that has ended, or from all that are due if
// thread is empty.
func (p *Project) HarvestPlaybook(ctx context.Context, thread string) (*Harvest, error) {
	out := &Harvest{Schema: "brenner.playbook.harvest/v1"}
	// Look first: do not create a store.
	look, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore && thread == "" {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p.CloseStore(look)
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	threads := []string{thread}
	if thread == "" {
		if threads, err = memory.Due(ctx, st); err != nil {
			return nil, err
		}
	}
	m := p.learner(st)
	for _, t := range threads {
		h, err := p.source(st, t).Load(ctx)
		if err != nil {
			return nil, err
		}
		if why := memory.Unfit(h); why != "" && thread == "" {
			continue // due again when it ends
		} else if why != "" {
			return nil, &fault.Error{Code: NothingToLearn, Op: "learn from " + h.Thread, Detail: why, Hint: "the playbook learns only from finished sessions with real agents"}
		}
		learned, back, err := m.Ingest(ctx, h)
		if err != nil {
			return nil, err
		}
		out.Sessions = append(out.Sessions, HarvestedSession{Thread: h.Thread, Learned: learned, RolledBack: back})
	}
	return out, nil
}

// NothingToLearn is the code of a session that has nothing to teach.
const NothingToLearn fault.Code = "NOTHING_TO_LEARN" // No lessons from this session: it is a rehearsal or has not ended.
