package project

import (
	"context"
	"slices"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/project/storage"
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
	Domain   string            `json:"domain,omitempty"` // of the playbook
	Roster   roster.Resolution `json:"roster"`
	Messages []kickoff.Message `json:"messages"`
	// Later are the agents whose first message depends on the replies to these messages.
	Later []string `json:"later,omitempty"`
	Notes []string `json:"notes,omitempty"` // about the run
	// Kickoffs are the forms of the agents' kickoffs; not of scripted agents.
	Kickoffs []KickoffChoice `json:"kickoffs,omitempty"`
	// Estimate is what the session costs at most, if asked for.
	Estimate *Estimate `json:"estimate,omitempty"`
	Task     string    `json:"task,omitempty"` // the task spec that the session runs

	Parties []flow.Party `json:"-"`
	Tokens  []int        `json:"-"` // of each message
}

// Preview composes the first messages of the session with the code that runs it, and with the
// project's records and lessons. What stops a run stops the preview, except that there is no way to
// any agent. It sends no message, and writes nothing.
func (k *Composed) Preview(ctx context.Context, o *StartOptions) (*SessionPreview, error) {
	plan, err := k.planPreview(ctx, o)
	if err != nil {
		return nil, err
	}
	return k.preview(ctx, o, plan, func(st store.Store, b *session.Brief) error {
		if err := nameSession(ctx, st, b, o.IfExists, o.Chosen); err != nil {
			return err
		}
		return session.CheckFree(ctx, st, b.Thread)
	})
}

// planPreview returns the plan of the session as it would start, or everything that prevents it from
// starting, unless the only reason is that there is no way to any agent: then the messages can still
// be composed.
func (k *Composed) planPreview(ctx context.Context, o *StartOptions) (*sessionPlan, error) {
	plan, models, err := k.openDry(o)
	if err == nil {
		defer models.Close()
		models.ChooseKickoffs(ctx, plan.parties)
		return plan, nil
	}
	if fault.CodeOf(err) != NoWay {
		return nil, err
	}
	if plan, _ = k.plan(o); plan == nil || slices.ContainsFunc(plan.parties, func(p flow.Party) bool { return p.Via != "" }) {
		return nil, err
	}
	return plan, nil
}

// Kickoffs composes the first messages as Preview does, also for a thread that exists. It asks no
// endpoint: without an entry in the configuration, they are full ones.
func (k *Composed) Kickoffs(ctx context.Context) (*SessionPreview, error) {
	o := &StartOptions{AnyQuestion: true}
	plan, noWay := k.plan(o)
	if plan == nil {
		return nil, noWay
	}
	v, err := k.preview(ctx, o, plan, anyName)
	if err == nil {
		v.Schema, v.DryRun, v.Question, v.Notes, v.Kickoffs = "brenner.kickoff/v1", false, "", nil, nil
	}
	return v, err
}

// anyName accepts the name of a brief.
func anyName(store.Store, *session.Brief) error { return nil }

func (k *Composed) preview(ctx context.Context, o *StartOptions, plan *sessionPlan, name func(store.Store, *session.Brief) error) (*SessionPreview, error) {
	p := k.Project
	st, err := p.openForPreview(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	brief := plan.brief
	b := &brief
	if err := name(st, b); err != nil {
		return nil, err
	}
	r := p.runner(st, p.holder(""))
	r.Project = p.sessionRecords(st)
	lessons := p.Learner(st)
	lessons.ReadOnly, r.Memory = true, lessons
	opening, err := r.Preview(ctx, b, o.Estimate)
	if err != nil {
		return nil, err
	}
	v := &SessionPreview{
		Schema: "brenner.session.plan/v1", DryRun: true, ThreadID: b.Thread, Question: b.Question, Roster: k.Roster,
		Messages: opening.Messages, Later: opening.Later, Parties: plan.parties, Tokens: opening.Tokens, Kickoffs: choicesOf(plan.parties),
		Notes: opening.Notes,
	}
	v.Roster.Roster = b.Roster
	if b.Task != nil {
		v.Task = b.Task.Address
	}
	if o.Estimate {
		v.Estimate = p.estimator(b, plan.parties).Estimate(opening)
	}
	if plan.noWay != nil {
		v.Notes = append(v.Notes, plan.noWay.Error()+": the messages name the models of the roster")
	}
	if plan.script == nil {
		v.Domain, v.Notes = b.Domain, append(v.Notes, p.unlearned(ctx, st)...)
	}
	return v, nil
}

// estimator returns an estimator for sessions with a brief.
func (p *Project) estimator(b *session.Brief, parties []flow.Party) *preflight.Estimator {
	e := &preflight.Estimator{
		Settings: b.Settings, Count: p.Tokens.Count, Parties: parties, Free: func(p *flow.Party) bool { return p.Via == config.ViaRehearsal },
	}
	if b.Script == nil {
		e.Lessons = p.Config.Playbook.Tokens
	}
	return e
}

// openForPreview opens the project's store unchanged, or an empty one if there is none.
func (p *Project) openForPreview(ctx context.Context) (storage.Store, error) {
	st, err := p.OpenUnchanged(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return memory.New(), nil
	}
	if err != nil {
		return nil, err
	}
	return st, nil
}
