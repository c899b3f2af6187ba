// Package memory is the playbook as sessions use it: the lessons for an agent, warnings about
// similar killed hypotheses, and the rollback of lessons when sessions get worse.
//
// It promises that lessons stay within the token bound, counted on the exact lines of the
// message. It must not know commands, or where the playbook is opened.
package memory

import (
	"context"

	"brenner/kickoff"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/session"
)

// Book is a playbook that provides lessons to sessions.
type Book struct {
	Keeper *keeper.Keeper
	Tokens int // bound for the lessons of one message
	Count  func(string) int
}

// Lesson returns a bullet as shown to an agent.
func Lesson(b *playbook.Bullet) kickoff.Bullet {
	text := b.Content
	if b.Section == playbook.Harmful {
		text = "(a warning) " + text
	}
	return kickoff.Bullet{ID: b.ID, Text: text}
}

// Line returns the line of a bullet in a message.
func Line(b *playbook.Bullet) string { return Lesson(b).Quoted() }

// Recall returns the lessons for one agent's message.
func (b *Book) Recall(ctx context.Context, r *session.LessonQuery) (session.LessonSet, error) {
	chosen, err := b.Keeper.Choose(ctx, keeper.Selection{
		Domain: r.Domain, Session: r.Thread, Role: r.Role, About: r.Question, Tokens: b.Tokens, Count: b.Count, Line: Line,
	})
	if err != nil {
		return session.LessonSet{}, err
	}
	out := session.LessonSet{Omitted: chosen.Left}
	for _, id := range chosen.Taken {
		found, err := b.Keeper.Find(id)
		if err != nil {
			return session.LessonSet{}, err
		}
		out.Lessons = append(out.Lessons, Lesson(found))
	}
	warnings, err := b.similarKilled(ctx, r)
	b.warn(&out, chosen.Text, warnings)
	return out, err
}

// warn appends warnings to the lessons, whose text is given, as far as the bound allows.
func (b *Book) warn(out *session.LessonSet, text string, warnings []kickoff.Bullet) {
	for _, w := range warnings {
		longer := text + w.Quoted()
		if b.Count(longer) > b.Tokens {
			out.Omitted = append(out.Omitted, w.ID)
			continue
		}
		out.Lessons, text = append(out.Lessons, w), longer
	}
}

// Rollback is what the guardrail rolled back, and why.
type Rollback struct {
	Bullets []string
	Breach  string
}

// Guard examines the latest sessions and rolls back the bullets added while they got worse.
// Threads are ordered latest first.
func (b *Book) Guard(ctx context.Context, actor string, threads []string) (Rollback, error) {
	g := b.Keeper.Rules.Guardrail
	var all []playbook.Observation
	for _, thread := range threads {
		if len(all) >= 2*g.Window {
			break
		}
		h, err := session.Load(ctx, b.Keeper.Store, thread)
		if err != nil {
			continue // a damaged session has no outcome; verify reports it
		}
		if h.State.Opened.Rehearsal == "" && h.State.Ended != "" {
			all = append(all, h.Observe())
		}
	}
	before, now, since, ok := g.Windows(all)
	if !ok {
		return Rollback{}, nil
	}
	back := Rollback{Breach: g.Breach(before, now)}
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
