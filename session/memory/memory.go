// Package memory is the playbook as sessions use it: which lessons an agent is told, which
// dead hypotheses its own are like, and what is taken back when sessions get worse.
//
// It promises: what an agent is told keeps to the bound of tokens, counted on the very
// lines that its message has. It must not know commands, or where the playbook is opened.
package memory

import (
	"context"

	"brenner/kickoff"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/session"
)

// Book is a playbook that sessions are told from.
type Book struct {
	Keeper *keeper.Keeper
	Tokens int // that the lessons of one message may have
	Count  func(string) int
}

// Lesson is a bullet as an agent is told it.
func Lesson(b *playbook.Bullet) kickoff.Bullet {
	text := b.Content
	if b.Section == playbook.Harmful {
		text = "(a warning) " + text
	}
	return kickoff.Bullet{ID: b.ID, Text: text}
}

// Line is the line that a bullet has in a message.
func Line(b *playbook.Bullet) string { return Lesson(b).Quoted() }

// Recall gives the lessons for one agent's message.
func (b *Book) Recall(ctx context.Context, r *session.Recall) (session.Recalled, error) {
	chosen, err := b.Keeper.Choose(ctx, keeper.Wish{
		Session: r.Thread, Role: r.Role, About: r.Question, Tokens: b.Tokens, Count: b.Count, Line: Line,
	})
	if err != nil {
		return session.Recalled{}, err
	}
	out := session.Recalled{Left: chosen.Left}
	for _, id := range chosen.Taken {
		found, err := b.Keeper.Find(id)
		if err != nil {
			return session.Recalled{}, err
		}
		out.Lessons = append(out.Lessons, Lesson(found))
	}
	warnings, err := b.resembling(ctx, r)
	b.warn(&out, chosen.Text, warnings)
	return out, err
}

// warn puts warnings behind the lessons, whose text is given, as far as the bound reaches.
func (b *Book) warn(out *session.Recalled, text string, warnings []kickoff.Bullet) {
	for _, w := range warnings {
		longer := text + w.Quoted()
		if b.Count(longer) > b.Tokens {
			out.Left = append(out.Left, w.ID)
			continue
		}
		out.Lessons, text = append(out.Lessons, w), longer
	}
}

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
