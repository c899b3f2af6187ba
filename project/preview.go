package project

import (
	"context"
	"fmt"
	"slices"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/tokens"
	"brenner/kickoff"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/store"
	"brenner/store/memory"
)

// SessionPreview is what starting a session would send first, byte for byte.
type SessionPreview struct {
	Schema   string            `json:"schema"`
	DryRun   bool              `json:"dry_run,omitzero"`
	ThreadID string            `json:"thread_id"`
	Question string            `json:"question,omitzero"`
	Roster   roster.Resolution `json:"roster"`
	Messages []kickoff.Message `json:"messages"`
	// Later are the agents whose first message depends on the replies to these messages.
	Later []string `json:"later,omitempty"`
	Notes []string `json:"notes,omitempty"` // about the run
	// Estimate is what the session costs at most, if asked for.
	Estimate *Estimate `json:"estimate,omitempty"`

	Parties []flow.Party `json:"-"`
}

// Preview composes the first messages of the session with the code that runs it, and with the
// project's records and lessons. What stops a run stops the preview, except that there is no way to
// any agent. It sends and writes nothing.
func (k *Composed) Preview(ctx context.Context, o *StartOptions) (*SessionPreview, error) {
	if err := k.checkPreview(o); err != nil {
		return nil, err
	}
	return k.preview(ctx, o, func(st store.Store, b *session.Brief) error {
		if err := nameSession(ctx, st, b, o.IfExists, o.Chosen); err != nil {
			return err
		}
		return session.CheckFree(ctx, st, b.Thread)
	})
}

// checkPreview returns everything that prevents the session from starting, unless the only reason is
// that there is no way to any agent: then the messages can still be composed.
func (k *Composed) checkPreview(o *StartOptions) error {
	err := k.checkOpen(o)
	if fault.CodeOf(err) != NoWay {
		return err
	}
	if plan, _ := k.plan(o); plan == nil || slices.ContainsFunc(plan.parties, func(p flow.Party) bool { return p.Via != "" }) {
		return err
	}
	return nil
}

// Kickoffs composes the first messages as Preview does, also for a thread that exists.
func (k *Composed) Kickoffs(ctx context.Context) (*SessionPreview, error) {
	v, err := k.preview(ctx, &StartOptions{AnyQuestion: true}, func(store.Store, *session.Brief) error { return nil })
	if err == nil {
		v.Schema, v.DryRun, v.Question, v.Notes = "brenner.kickoff/v1", false, "", nil
	}
	return v, err
}

func (k *Composed) preview(ctx context.Context, o *StartOptions, name func(store.Store, *session.Brief) error) (*SessionPreview, error) {
	plan, noWay := k.plan(o)
	if plan == nil {
		return nil, noWay
	}
	p := k.Project
	st, err := p.openForPreview(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	b := &plan.brief
	if err := name(st, b); err != nil {
		return nil, err
	}
	counter := tokens.New()
	r := p.runner(st, p.holder(""), counter)
	r.Project = p.sessionRecords(st)
	r.Memory = &lessonBook{Project: p, Store: st, Counter: counter, readOnly: true}
	opening, err := r.Preview(ctx, b)
	if err != nil {
		return nil, err
	}
	v := &SessionPreview{
		Schema: "brenner.session.plan/v1", DryRun: true, ThreadID: b.Thread, Question: b.Question, Roster: k.Roster,
		Messages: opening.Messages, Later: opening.Later, Parties: plan.parties,
	}
	v.Roster.Roster = b.Roster
	if o.Estimate {
		v.Estimate = p.estimator(b, plan.parties, counter).Estimate(opening)
	}
	if noWay != nil {
		v.Notes = append(v.Notes, noWay.Error()+": the messages name the models of the roster")
	}
	if plan.script == nil {
		v.Notes = append(v.Notes, p.unlearned(ctx, st)...)
	}
	return v, nil
}

// estimator returns an estimator for sessions with a brief.
func (p *Project) estimator(b *session.Brief, parties []flow.Party, counter session.Counter) *preflight.Estimator {
	e := &preflight.Estimator{
		Settings: b.Settings, Count: counter.Count, Parties: parties, Free: func(p *flow.Party) bool { return p.Via == config.ViaRehearsal },
	}
	if b.Script == nil {
		e.Lessons = p.Config.Playbook.Tokens
	}
	return e
}

// openForPreview opens the project's store unchanged, or an empty one if there is none.
func (p *Project) openForPreview(ctx context.Context) (lockStore, error) {
	st, err := p.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return memory.New(), nil
	}
	if err != nil {
		return nil, err
	}
	return st, nil
}

// unlearned notes sessions that a run would learn from before it writes its messages.
func (p *Project) unlearned(ctx context.Context, st store.Store) []string {
	threads, err := due(ctx, st)
	if err != nil || len(threads) == 0 {
		return nil // a run reports the error
	}
	return []string{fmt.Sprintf("a run first learns from %s, which may add lessons; `brenner playbook harvest` does it now", text.Plural(len(threads), "session", "sessions"))}
}
