package agent

import (
	"context"
	"sync"
)

// Once remembers answers by call id: a call that was answered is not put again,
// and of two equal calls at one time the second waits for the first. A call that
// failed is free to be tried again. The memory ends with the agent.
func Once(a Agent) Agent { return &once{agent: a, calls: map[string]*remembered{}} }

type once struct {
	agent Agent
	mu    sync.Mutex
	calls map[string]*remembered
}

// remembered is one call id. Who holds turn may look at the answer and ask for it.
type remembered struct {
	turn     chan struct{}
	answered bool
	reply    Reply
}

func (o *once) Ask(ctx context.Context, c Call) (Reply, error) {
	if c.ID == "" {
		return o.agent.Ask(ctx, c)
	}
	call := o.call(c.ID)
	select {
	case <-ctx.Done():
		return Reply{}, Ended(ctx)
	case call.turn <- struct{}{}:
	}
	defer func() { <-call.turn }()
	if call.answered {
		if c.Alive != nil {
			c.Alive()
		}
		return call.reply, nil
	}
	reply, err := o.agent.Ask(ctx, c)
	if err != nil {
		return Reply{}, failureOf(ctx, err)
	}
	call.answered, call.reply = true, reply
	return reply, nil
}

func (o *once) call(id string) *remembered {
	o.mu.Lock()
	defer o.mu.Unlock()
	call, ok := o.calls[id]
	if !ok {
		call = &remembered{turn: make(chan struct{}, 1)}
		o.calls[id] = call
	}
	return call
}
