package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/roster"
)

func kinds(made agent.Agent, err error) *agent.Registry {
	maker := func(agent.Setup) (agent.Agent, error) { return made, err }
	return agent.NewRegistry(map[string]agent.Maker{"openai": maker, "mail": maker})
}

func TestRegistryMake_UnknownKind(t *testing.T) {
	r := kinds(answers("yes"), nil)
	if got := r.Kinds(); !slices.Equal(got, []string{"mail", "openai"}) {
		t.Error(got)
	}
	for kind, want := range map[string]fault.Error{
		"opneai": {Code: agent.UnknownKind, Detail: "BlueLake: unknown via opneai", Hint: "did you mean openai? known kinds: mail, openai"},
		"fax":    {Code: agent.UnknownKind, Detail: "BlueLake: unknown via fax", Hint: "known kinds: mail, openai"},
		"":       {Code: agent.NoKind, Detail: "no via for BlueLake", Hint: "pass --via, or set via in brenner.yaml; known kinds: mail, openai"},
	} {
		a, err := r.Make(kind, agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
		var f *fault.Error
		if !errors.As(err, &f) || *f != want || a != nil {
			t.Errorf("%q: %v, %+v", kind, a, f)
		}
	}
	if _, err := kinds(nil, errNetwork).Make("mail", agent.Setup{}); !errors.Is(err, errNetwork) {
		t.Error(err)
	}
}

func TestRegistryMakeWrapsAgents(t *testing.T) {
	a, err := kinds(answers(" "), nil).Make("mail", agent.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, failure(t, t.Context(), a), agent.Empty)
}

func TestOnceAsksOncePerCallID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		a := agent.Once(fake(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			n := asked.Add(1)
			if _, err := takes(time.Minute).Ask(ctx, c); err != nil {
				return agent.Reply{}, err
			}
			if n == 1 {
				return agent.Reply{}, errNetwork
			}
			return agent.Reply{Text: c.ID}, nil
		}))
		wantCode(t, failure(t, t.Context(), a), agent.Unavailable)
		var all sync.WaitGroup
		for range 5 {
			for _, id := range []string{t.Name(), "another", ""} {
				all.Go(func() {
					alive := false
					reply, err := a.Ask(t.Context(), agent.Call{ID: id, Alive: func() { alive = true }})
					if err != nil || reply.Text != id {
						t.Errorf("%+v, %v, %v", reply, alive, err)
					}
				})
			}
		}
		all.Wait()
		// The failure, each id once, and the calls without an id one by one.
		if asked.Load() != 1+1+1+5 {
			t.Errorf("asked %d times", asked.Load())
		}
	})
}

func TestOnceWaitObeysContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := agent.Once(takes(time.Hour))
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := a.Ask(t.Context(), agent.Call{ID: t.Name()}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantCode(t, failure(t, ctx, a), agent.TimedOut)
		first.Wait()
	})
}
