package sqlite

import (
	"context"
	"errors"
	"testing"
)

// Whoever has an order in hand may give it back, because its own context has ended: an
// order that nobody wants any more is then taken back, and nobody waits for it for ever.
func TestAnOrderThatWasGivenBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &writer{turn: make(chan struct{}, 1)}
	o := &order{ctx: ctx, done: make(chan error, 1)}
	w.turn <- struct{}{} // somebody writes, and has the order in hand
	gone := make(chan error)
	go func() { gone <- w.giveUp(ctx, o) }()
	w.waiting.add(o)
	<-w.turn
	if err := <-gone; !errors.Is(err, context.Canceled) || len(w.waiting.all) != 0 {
		t.Errorf("%v, and %d orders wait", err, len(w.waiting.all))
	}
}

// The outcome of one that was written meanwhile is what its owner is told.
func TestAnOrderThatWasWrittenAllTheSame(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &writer{turn: make(chan struct{}, 1)}
	o := &order{ctx: ctx, done: make(chan error, 1)}
	w.turn <- struct{}{}
	gone := make(chan error)
	go func() { gone <- w.giveUp(ctx, o) }()
	o.done <- nil
	<-w.turn
	if err := <-gone; err != nil {
		t.Error(err)
	}
}
