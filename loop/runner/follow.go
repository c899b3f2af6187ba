package runner

import (
	"context"
	"errors"
	"sync"

	"brenner/loop"
	"brenner/store"
	"brenner/store/journal"
)

// Follower reads the journals of loops for a process that looks at them often: each time, only what is new. The zero
// value with a store is ready for use.
type Follower struct {
	Store store.Store

	mu  sync.Mutex
	all map[string]*followed
}

type followed struct {
	sync.Mutex
	state *loop.State
}

// mostFollowed is the number of loops from which on states are dropped.
const mostFollowed = 16

// Look calls do with the current state of a loop, which do must neither change nor keep.
func (f *Follower) Look(ctx context.Context, name string, do func(*loop.State) error) error {
	one := f.of(name)
	one.Lock()
	defer one.Unlock()
	if err := one.read(ctx, f.Store, name); err != nil {
		one.state = nil // to be read again
		return err
	}
	return do(one.state)
}

func (f *Follower) of(name string) *followed {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.all[name]
	if !ok {
		if f.all == nil || len(f.all) >= mostFollowed {
			f.all = make(map[string]*followed)
		}
		one = &followed{}
		f.all[name] = one
	}
	return one
}

// read brings the state up to date.
func (d *followed) read(ctx context.Context, st store.Store, name string) (err error) {
	if d.state == nil {
		d.state, err = Load(ctx, st, name)
		return err
	}
	stream := loop.Prefix + name
	entries, err := st.Entries(ctx, stream, d.state.Head.Seq)
	err = errors.Join(err, journal.Check(stream, d.state.Head, entries))
	for i := range entries {
		if err != nil {
			break
		}
		err = d.state.Apply(&entries[i])
	}
	return err
}
