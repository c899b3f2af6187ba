package ui

import (
	"context"
	"sync"
)

// Interrupts says what becomes of a signal. Most commands can be ended at any
// instruction; a session that runs would rather end what is under way.
type Interrupts struct {
	mu     sync.Mutex
	drain  chan struct{}
	cancel context.CancelFunc
	word   func()
}

// Signal takes one signal. It gives false if the program should end at once.
func (i *Interrupts) Signal() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.drain != nil:
		i.word()
		close(i.drain)
		i.drain = nil
	case i.cancel != nil:
		i.cancel()
		i.cancel = nil
	default:
		return false
	}
	return true
}

// Gently makes the first signal close the channel, after a word about it, and the
// second one cancel the context; done gives signals their usual meaning back.
func (i *Interrupts) Gently(ctx context.Context, word func()) (hard context.Context, drain <-chan struct{}, done func()) {
	hard, cancel := context.WithCancel(ctx)
	channel := make(chan struct{})
	if i == nil {
		return hard, channel, cancel
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drain, i.cancel, i.word = channel, cancel, word
	return hard, channel, func() {
		cancel()
		i.mu.Lock()
		defer i.mu.Unlock()
		i.drain, i.cancel = nil, nil
	}
}
