package project

import (
	"context"
	"fmt"

	"brenner/internal/text"
	"brenner/playbook/keeper"
	"brenner/session/memory"
	"brenner/store"
)

// Learner returns the playbook of running sessions.
func (p *Project) Learner(st store.Store) *memory.Learner {
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
