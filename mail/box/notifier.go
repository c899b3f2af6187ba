package box

import (
	"context"
	"sync"
	"time"
)

// poll is how often the file is polled for mail of other processes while a caller waits.
const poll = 5 * time.Millisecond

// notifier wakes waiting callers: the recipients of this process's mail, and all callers for mail of
// other processes.
type notifier struct {
	box *Box

	mu      sync.Mutex
	waiters map[int64]chan struct{} // by agent; closed when mail comes
	waiting int
	known   int64 // all waiters were woken for messages up to this one
	halt    chan struct{}
	polling sync.WaitGroup
}

// subscribe returns a channel that is closed when mail for an agent arrives; forget ends the waiting.
func (n *notifier) subscribe(agent int64) (wake <-chan struct{}, forget func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.waiters[agent]
	if !ok {
		c = make(chan struct{})
		n.waiters[agent] = c
	}
	if n.waiting++; n.waiting == 1 && n.halt == nil {
		n.halt = make(chan struct{})
		halt := n.halt
		n.polling.Go(func() { n.poll(halt) })
	}
	return c, sync.OnceFunc(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.waiting--
	})
}

// wakeAgents wakes the recipients of a new message of this process. If the message does not follow
// the last known one, another process has written in between; then known is not changed, so that
// wakeAll still wakes all.
func (n *notifier) wakeAgents(message int64, agents []int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if message == n.known+1 {
		n.known = message
	}
	for _, agent := range agents {
		if c, ok := n.waiters[agent]; ok {
			close(c)
			delete(n.waiters, agent)
		}
	}
}

// wakeAll wakes all waiters if there is a message after the last known one.
func (n *notifier) wakeAll(newest int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if newest <= n.known {
		return
	}
	n.known = newest
	for agent, c := range n.waiters {
		close(c)
		delete(n.waiters, agent)
	}
}

func (n *notifier) stop() {
	n.mu.Lock()
	if n.halt != nil {
		close(n.halt)
		n.halt = nil
	}
	n.mu.Unlock()
	n.polling.Wait()
}

// idlePolls is the number of polls without a waiter before polling ends, so that a caller that
// waits repeatedly does not restart it each time.
const idlePolls = 200

// poll polls for mail of other processes until there are no waiters.
func (n *notifier) poll(halt chan struct{}) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for idle := 0; ; {
		select {
		case <-halt:
			return
		case <-tick.C:
		}
		if newest, ok := n.newest(); ok {
			n.wakeAll(newest)
		}
		n.mu.Lock()
		if idle++; n.waiting > 0 {
			idle = 0
		}
		if idle > idlePolls {
			if n.halt == halt {
				n.halt = nil
			}
			n.mu.Unlock()
			return
		}
		n.mu.Unlock()
	}
}

func (n *notifier) newest() (id int64, ok bool) {
	leave, err := n.box.file.Enter(context.Background(), "check for mail")
	if err != nil {
		return 0, false
	}
	defer leave()
	err = n.box.read.DB.QueryRow("SELECT ifnull(max(id), 0) FROM messages").Scan(&id)
	return id, err == nil // a busy file is polled again in a moment
}
