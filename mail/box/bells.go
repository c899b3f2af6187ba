package box

import (
	"context"
	"sync"
	"time"
)

// look is how often the file is polled for mail of other processes while a caller waits.
const look = 5 * time.Millisecond

// bells wake waiting callers: the recipients of this process's mail, and all for another's.
type bells struct {
	box *Box

	mu      sync.Mutex
	rung    map[int64]chan struct{} // by agent; closed when mail comes
	waiting int
	known   int64 // all waiters were woken for messages up to this one
	halt    chan struct{}
	looking sync.WaitGroup
}

// listen returns the bell of an agent; forget ends the waiting.
func (b *bells) listen(agent int64) (bell <-chan struct{}, forget func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.rung[agent]
	if !ok {
		c = make(chan struct{})
		b.rung[agent] = c
	}
	if b.waiting++; b.waiting == 1 && b.halt == nil {
		b.halt = make(chan struct{})
		halt := b.halt
		b.looking.Go(func() { b.look(halt) })
	}
	return c, sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting--
	})
}

// ring wakes the recipients of a new message of this process. If the message does not follow the
// last known one, another process has written in between, and known stays so that ringAll still
// wakes all.
func (b *bells) ring(message int64, agents []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if message == b.known+1 {
		b.known = message
	}
	for _, agent := range agents {
		if c, ok := b.rung[agent]; ok {
			close(c)
			delete(b.rung, agent)
		}
	}
}

// ringAll wakes all waiters if there is a message that was not announced.
func (b *bells) ringAll(newest int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if newest <= b.known {
		return
	}
	b.known = newest
	for agent, c := range b.rung {
		close(c)
		delete(b.rung, agent)
	}
}

func (b *bells) stop() {
	b.mu.Lock()
	if b.halt != nil {
		close(b.halt)
		b.halt = nil
	}
	b.mu.Unlock()
	b.looking.Wait()
}

// idleLooks is the number of polls without a waiter before polling ends, so that a caller that
// waits repeatedly does not restart it each time.
const idleLooks = 200

// look polls for mail of other processes until there are no waiters.
func (b *bells) look(halt chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for idle := 0; ; {
		select {
		case <-halt:
			return
		case <-tick.C:
		}
		if newest, ok := b.newest(); ok {
			b.ringAll(newest)
		}
		b.mu.Lock()
		if idle++; b.waiting > 0 {
			idle = 0
		}
		if idle > idleLooks {
			if b.halt == halt {
				b.halt = nil
			}
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
	}
}

func (b *bells) newest() (id int64, ok bool) {
	leave, err := b.box.file.Enter(context.Background(), "look for mail")
	if err != nil {
		return 0, false
	}
	defer leave()
	err = b.box.read.DB.QueryRow("SELECT ifnull(max(id), 0) FROM messages").Scan(&id)
	return id, err == nil // a busy file is polled again in a moment
}
