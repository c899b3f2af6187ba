package project

import (
	"context"
	"errors"
	"slices"
	"sync"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/config"
	"brenner/internal/baseurl"
	"brenner/session/flow"
	"brenner/session/preflight"
)

// What is asked and estimated before a session.
type (
	// ModelProbe is how a model, or a program, replied.
	ModelProbe = preflight.Probe
	// Estimate is what a session costs at most.
	Estimate = preflight.Estimate
	// RoundEstimate is what one agent costs at most in one round.
	RoundEstimate = preflight.RoundEstimate
	// LoopEstimate is what a loop costs at most.
	LoopEstimate = preflight.LoopEstimate
	// SessionEstimate is what one session of a loop costs at most.
	SessionEstimate = preflight.SessionEstimate
)

// Check returns everything that prevents the session from starting, as Prepare would, and what its
// agents would be sent, as far as it is known. No message is sent, and nothing is written.
func (k *Composed) Check(ctx context.Context, o *StartOptions) ([]FirstKickoff, error) {
	k.Project.chooseQuestion(&k.Roster.Roster)
	own, incomplete := k.Project.Compose(k.Input, k.Roster)
	if incomplete != nil {
		own = *k
	}
	plan, models, err := own.openDry(o)
	if err != nil {
		return nil, errors.Join(incomplete, err)
	}
	defer models.Close()
	models.ChooseKickoffs(ctx, plan.parties)
	v := &SessionPreview{}
	if incomplete == nil {
		if v, err = own.preview(ctx, o, plan, anyName); err != nil {
			return nil, err
		}
	}
	return models.firstKickoffs(ctx, plan, v), incomplete
}

// openDry returns what open does, and creates no tape.
func (k *Composed) openDry(o *StartOptions) (*sessionPlan, *Models, error) {
	quiet := *o
	quiet.Traffic = o.Traffic.Unwritten()
	return k.open(&quiet)
}

// Preflight asks the models of a session that could start.
func (k *Composed) Preflight(ctx context.Context, o *StartOptions) []ModelProbe {
	plan, models, err := k.open(o)
	if err != nil {
		return nil
	}
	defer models.Close()
	return models.Preflight(ctx, plan.all)
}

// Preflight asks each distinct model and program of the parties a short question and for a delta.
// Agents with a mailbox and scripted ones are not asked.
func (m *Models) Preflight(ctx context.Context, parties []flow.Party) []ModelProbe {
	probes, asked := m.probesOf(parties)
	m.askAll(ctx, probes, asked, m.Project.Config.Session.Reply, true)
	return probes
}

// probesOf returns a probe for each distinct model and program of the parties, and the first
// party that uses it. Nothing is asked yet.
func (m *Models) probesOf(parties []flow.Party) (probes []ModelProbe, asked []flow.Party) {
	for _, p := range parties {
		if p.Via != config.ViaOpenAI && p.Via != config.ViaProgram {
			continue
		}
		at := slices.IndexFunc(asked, func(o flow.Party) bool { return m.sameWay(&o, &p) })
		if at < 0 {
			at = len(asked)
			asked = append(asked, p)
			probes = append(probes, ModelProbe{Via: p.Via, Endpoint: baseurl.Shown(p.Endpoint()), Model: p.ModelID, Structured: m.Project.setupOf(&p).Structured})
		}
		if !slices.Contains(probes[at].Agents, p.Name) {
			probes[at].Agents = append(probes[at].Agents, p.Name)
		}
	}
	return probes, asked
}

// fit leaves out the probes that a budget may not cover, and returns how many remain.
func (m *Models) fit(probes []ModelProbe, asked []flow.Party, reply int, budget flow.Cost) int {
	input, output := preflight.Most(m.Project.Tokens.Count, reply)
	return preflight.Fit(probes, budget, func(i int) flow.Cost {
		return m.Project.prices(asked[i:i+1]).Cost(asked[i].Name, input, output)
	})
}

// askAll asks all models that are not left out, at the same time, and each program at least for its
// version. Reply limits each reply.
func (m *Models) askAll(ctx context.Context, probes []ModelProbe, asked []flow.Party, reply int, programs bool) {
	once := m.withoutRetries()
	var wait sync.WaitGroup
	for i := range probes {
		if probes[i].Status == "" {
			wait.Go(func() { once.probe(ctx, &probes[i], asked[i], reply, programs) })
		}
	}
	wait.Wait()
}

// sameWay reports whether two parties are the same program, or the same model with the same key,
// whichever variables hold it.
func (m *Models) sameWay(a, b *flow.Party) bool {
	if a.Via == config.ViaProgram || a.Via != b.Via {
		return b.Via == a.Via && a.Program == b.Program && a.ModelID == b.ModelID && a.Endpoint() == b.Endpoint()
	}
	_, mine := m.Project.keyOf(m.Project.asked(a))
	_, other := m.Project.keyOf(m.Project.asked(b))
	return a.ModelID == b.ModelID && a.Endpoint() == b.Endpoint() && mine == other
}

// withoutRetries returns a copy that asks once: a probe reports a failure, it does not wait for it
// to pass.
func (m *Models) withoutRetries() *Models {
	once := m.fork()
	own := *m.Project.Config
	own.Attempts = 1
	once.Project = &Project{Host: m.Project.Host, Config: &own}
	return once
}

func (m *Models) probe(ctx context.Context, r *ModelProbe, p flow.Party, reply int, programs bool) {
	r.Status = preflight.Fine
	if p.Via == config.ViaProgram {
		m.probeProgram(ctx, r, p, reply, programs)
		return
	}
	made, err := m.Agents(nil, []flow.Party{p})(p)
	if err != nil {
		r.Fail(err)
		return
	}
	r.Ask(ctx, made, p.Name, reply, m.Project.Tokens.Count, m.Project.Now)
	r.Price(m.Project.prices([]flow.Party{p}), p.Name)
	if r.Status != preflight.Broken {
		r.Context = m.contextOf(ctx, &p)
	}
}

// probeProgram asks a program for its version and, if ask is set, both questions. The runs are not kept.
func (m *Models) probeProgram(ctx context.Context, r *ModelProbe, p flow.Party, reply int, ask bool) {
	r.Program, r.Model, r.Endpoint = p.Program, "", ""
	o := m.ProgramOptions(m.Project.setupOf(&p))
	scratch, err := program.OpenScratch("")
	if err != nil {
		r.Fail(err)
		return
	}
	defer scratch.Close()
	made, err := program.New(scratch.In(o))
	if err = errors.Join(m.Project.CheckHost(o.BaseURL), err); err == nil {
		r.Version, err = made.Version(ctx)
	}
	if err != nil {
		r.Fail(err)
		return
	}
	if ask {
		r.Ask(ctx, agent.Guard(made), p.Name, reply, m.Project.Tokens.Count, m.Project.Now)
		r.Price(m.Project.prices([]flow.Party{p}), p.Name)
	}
}
