package memory

import (
	"context"

	"brenner/playbook"
	"brenner/session"
)

// RolledBack is what the guardrail took back, and why.
type RolledBack struct {
	Bullets []string
	Breach  string
}

// Guard looks at the latest of the sessions, which come the latest first, and rolls back
// what came in while they got worse.
func (b *Book) Guard(ctx context.Context, actor string, threads []string) (RolledBack, error) {
	g := b.Keeper.Rules.Guardrail
	var all []playbook.Observation
	for _, thread := range threads {
		if len(all) >= 2*g.Window {
			break
		}
		h, err := session.Load(ctx, b.Keeper.Store, thread)
		if err != nil {
			continue // a session that is damaged says nothing of how it went; verify names it
		}
		if h.State.Opened.Rehearsal == "" && h.State.Ended != "" {
			all = append(all, h.Observe())
		}
	}
	before, now, since, ok := g.Windows(all)
	if !ok {
		return RolledBack{}, nil
	}
	back := RolledBack{Breach: g.Breach(before, now)}
	if back.Breach == "" {
		return back, nil
	}
	act := playbook.Act{Actor: actor, Reason: "guardrail: " + back.Breach}
	_, err := b.Keeper.Do(ctx, act, func(d *playbook.Draft) (err error) {
		back.Bullets, err = d.Rollback(since, b.Keeper.Now())
		return err
	})
	return back, err
}
