package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
)

// place is where processes take slots. Taking one takes a while, whatever the context says.
type place struct {
	mu    sync.Mutex
	taken int
	err   error
	delay time.Duration
}

func (p *place) take(context.Context) (func(), error) {
	<-time.After(p.delay)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	p.taken++
	return func() {
		<-time.After(p.delay)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
	}, nil
}

// A place that answers late delays neither the end of a wait nor a reply. Its slot is released.
func TestSharedSlotsDoNotWaitForPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &place{delay: time.Minute}
		shared := agent.NewSharedSlots(1, slow.take)
		a := agent.Limit(takes(time.Second), shared)
		begin := time.Now()
		if reply, err := a.Ask(t.Context(), agent.Call{}); err != nil || time.Since(begin) != time.Minute+time.Second {
			t.Errorf("got %+v, %v after %s, want a reply after 1m1s: the release must not delay it", reply, err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		begin = time.Now()
		f := failure(t, ctx, a) // waits a minute for the slot of the first call, then half a minute for the place
		if wantCode(t, f, agent.TimedOut); time.Since(begin) != 90*time.Second || f.Attempts != 0 {
			t.Errorf("got %+v after %s, want a failure without attempts after 1m30s", f, time.Since(begin))
		}
		drain := make(chan struct{})
		time.AfterFunc(40*time.Second, func() { close(drain) })
		begin = time.Now()
		_, err := a.Ask(t.Context(), agent.Call{Drain: drain})
		if !errors.As(err, &f) || f.Code != agent.Stopped || !f.Retry || time.Since(begin) != 40*time.Second {
			t.Errorf("got %v after %s, want %s after 40s", err, time.Since(begin), agent.Stopped)
		}
		shared.Wait()
		if slow.taken != 0 {
			t.Errorf("%d slots are still taken, want 0", slow.taken)
		}
	})
}

// A call is not sent without a slot. It may be tried again.
func TestSharedSlotsFailWithPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &place{err: errNetwork}
		limits := agent.Limits{Slots: agent.NewSharedSlots(1, broken.take), Retry: agent.RetryPolicy{
			First: time.Second, Jitter: exactly, Again: func(_ context.Context, _ *agent.Failure, attempt int) bool {
				if attempt == 3 {
					broken.err = nil
				}
				return true
			},
		}}
		f := failure(t, t.Context(), agent.Limit(answers("sent"), limits.Slots))
		if wantCode(t, f, agent.Unavailable); f.Attempts != 0 || !f.Retry || !errors.Is(f, errNetwork) {
			t.Errorf("got %+v, want a failure that may be retried, caused by the network", f)
		}
		if reply, err := limits.Wrap(agent.Guard(answers("sent"))).Ask(t.Context(), agent.Call{}); err != nil || reply.Text != "sent" {
			t.Errorf("got %+v, %v, want the reply of the third attempt", reply, err)
		}
	})
}

func TestSharedSlotsServeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := agent.NewSharedSlots(2, (&place{delay: time.Second}).take)
		var mu sync.Mutex
		var order []string
		busy := fake(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			mu.Lock()
			order = append(order, c.ID)
			mu.Unlock()
			return takes(time.Minute).Ask(ctx, c)
		})
		var all sync.WaitGroup
		want := []string{"a", "b", "c", "d", "e", "f"}
		for _, id := range want {
			all.Go(func() { _, _ = agent.Limit(busy, shared).Ask(t.Context(), agent.Call{ID: id}) })
			synctest.Wait()
		}
		all.Wait()
		shared.Wait()
		if !slices.Equal(order, want) {
			t.Errorf("got calls in the order %q, want %q", order, want)
		}
	})
}
