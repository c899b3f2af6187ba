package project

import (
	"context"

	"brenner/loop"
	"brenner/loop/runner"
)

// SteeredLoop is the result of an operator's request to a loop.
type SteeredLoop struct {
	Schema   string `json:"schema"`
	Loop     string `json:"loop"`
	Event    string `json:"event"` // its kind in the journal
	Phase    string `json:"phase"`
	Sessions int    `json:"sessions"` // in all rounds
	Entry    int    `json:"entry"`
	Head     string `json:"head"`

	ResumeCommand string `json:"-"` // the command that resumes the loop
	WasPaused     bool   `json:"-"` // before the request
	Waited        bool   `json:"-"` // for an endpoint or a provider, before the request
}

// PauseLoop pauses a loop: no more sessions start, running ones continue.
func (p *Project) PauseLoop(ctx context.Context, name string) (*SteeredLoop, error) {
	return p.steerLoop(ctx, name, loop.KindPaused, p.pausedBy)
}

// UnpauseLoop ends the pause of a loop, and its wait for a provider.
func (p *Project) UnpauseLoop(ctx context.Context, name string) (*SteeredLoop, error) {
	return p.steerLoop(ctx, name, loop.KindUnpaused, p.pausedBy)
}

func (p *Project) pausedBy(*loop.State) (any, error) { return loop.Paused{By: p.Config.Operator}, nil }

// StopLoop ends a loop: calls in flight finish, and nothing else starts.
func (p *Project) StopLoop(ctx context.Context, name string) (*SteeredLoop, error) {
	return p.steerLoop(ctx, name, loop.KindStopping, func(*loop.State) (any, error) {
		return loop.Stopping{By: p.Config.Operator}, nil
	})
}

// AddToLoop adds a question to a loop.
func (p *Project) AddToLoop(ctx context.Context, name string, a loop.Addition) (*SteeredLoop, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.After != "" {
		if _, err := p.Find(ctx, a.After); err != nil {
			return nil, err
		}
	}
	return p.steerLoop(ctx, name, loop.KindAdded, func(s *loop.State) (any, error) {
		added, err := s.Add(&a)
		added.By = p.Config.Operator
		return added, err
	})
}

// steerLoop writes an operator's request to the journal of a loop, running or not.
func (p *Project) steerLoop(ctx context.Context, name, kind string, event func(*loop.State) (any, error)) (*SteeredLoop, error) {
	st, err := p.openLoops(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	var paused, waited bool
	state, err := runner.Steer(ctx, st, p.Now, name, kind, func(s *loop.State) (any, error) {
		paused, waited = s.Paused, s.Hold.After(p.Now()) || len(s.Outages()) > 0
		return event(s)
	})
	if err != nil {
		return nil, err
	}
	s := p.summariseLoop(st, st, state)
	return &SteeredLoop{
		Schema: "brenner.loop.steer/v1", Loop: name, Event: kind, Phase: s.Phase, Sessions: s.Planned, Entry: s.Entries, Head: s.Head, ResumeCommand: s.ResumeCommand,
		WasPaused: paused, Waited: waited,
	}, nil
}
