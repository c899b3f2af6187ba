package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/lease"
	"brenner/store/memory"
	"brenner/store/record"
)

// server is the store's server: the data and the table of leases.
type server struct {
	*memory.Store
	mu    sync.Mutex
	table map[string]holding
}

// holding is a row of the table of leases.
type holding struct {
	who   store.Holder
	key   lease.Key
	by    *process
	until time.Time
}

// holder returns the process that holds a name.
func (s *server) holder(name string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.table[name]; ok && h.until.After(time.Now()) {
		return h.by
	}
	return nil
}

// client is the store as a process uses it.
type client struct {
	world   *world
	process *process
	keeper  *lease.Keeper
	// stored, if not nil, is called with each batch instead of storing it, in a broken program.
	stored func(c *client, b store.Batch) error
	// forgetful hides from the program that its leases are lost, in a broken one.
	forgetful bool
	// hopeful counts leases as renewed, whatever the server says, in a broken program.
	hopeful bool
	cache   map[string]store.Batch // acknowledged by a broken program and not stored, by stream
}

func newClient(w *world, p *process) *client {
	c := &client{world: w, process: p}
	c.keeper = lease.NewKeeper(&rows{c}, lease.Times{Clock: &monotonic{w, p, p.skew}})
	return c
}

// patience is how long a client waits for a server that does not answer.
const patience = time.Minute

// use takes a step on the server, and waits while it cannot be reached.
func (c *client) use(ctx context.Context, format string, args ...any) error {
	for began := time.Now(); ; time.Sleep(time.Second) {
		if !c.world.await(c.process, format, args...) {
			return errKilled
		}
		switch {
		case ctx.Err() != nil:
			return &fault.Error{Op: "use the store", Cause: ctx.Err()}
		case !c.process.apart.After(time.Now()):
			return nil
		case time.Since(began) > patience:
			return &fault.Error{Code: store.Unreachable, Detail: "the server does not answer"}
		}
	}
}

// errKilled is what a process sees after it was killed: nothing that it does has an effect.
var errKilled error = &fault.Error{Code: store.Closed, Detail: "the process was killed"}

// describe names what a batch appends.
func describe(b *store.Batch) string {
	var all []string
	for _, a := range b.Appends {
		text := a.Stream
		for i := range a.Entries {
			text += " " + a.Entries[i].Kind
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func (c *client) Write(ctx context.Context, b store.Batch) error {
	if err := c.use(ctx, "write %s", describe(&b)); err != nil {
		return err
	}
	write := c.world.store
	if c.stored != nil {
		write = c.stored
	}
	if err := write(c, b); err != nil {
		return err
	}
	if !c.world.await(c.process, "wrote %s", describe(&b)) { // the answer may be lost
		return errKilled
	}
	if c.process.apart.After(time.Now()) { // it was stored, and the client asks whether it was
		return c.use(context.WithoutCancel(ctx), "resolve %s", describe(&b))
	}
	return nil
}

func (c *client) Blob(ctx context.Context, hash string) ([]byte, error) {
	if err := c.use(ctx, "blob %.8s", hash); err != nil {
		return nil, err
	}
	return c.world.server.Blob(ctx, hash)
}

func (c *client) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	if err := c.use(ctx, "entries %s %d", stream, after); err != nil {
		return nil, err
	}
	all, err := c.world.server.Entries(ctx, stream, after)
	if b, ok := c.cache[stream]; ok {
		all = append(all, b.Appends[len(b.Appends)-1].Entries...)
	}
	return all, err
}

func (c *client) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	if err := c.use(ctx, "streams %s", prefix); err != nil {
		return nil, err
	}
	return c.world.server.Streams(ctx, prefix)
}

func (c *client) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	if err := c.use(ctx, "records %s", q.ID); err != nil {
		return nil, err
	}
	return c.world.server.Records(ctx, q)
}

func (c *client) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	if err := c.use(ctx, "heads %s", q.ID); err != nil {
		return nil, err
	}
	return c.world.server.Heads(ctx, q)
}

func (c *client) Census(ctx context.Context) ([]record.Count, error) {
	return c.world.server.Census(ctx)
}

func (c *client) Edges(ctx context.Context, q store.EdgeQuery) ([]record.Edge, error) {
	return c.world.server.Edges(ctx, q)
}

func (c *client) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	return c.world.server.Marks(ctx, id)
}

func (c *client) Tips(ctx context.Context, id string) ([]int, error) {
	return c.world.server.Tips(ctx, id)
}

func (c *client) Close() error { return c.keeper.Close() }

func (c *client) Hold(name string, who store.Holder) (store.Lease, error) {
	held, err := c.keeper.Hold(name, who)
	if c.forgetful && err == nil {
		held = forgetful{held}
	}
	return held, err
}

func (c *client) HolderOf(name string) (store.Holder, bool, error) { return c.keeper.HolderOf(name) }

// forgetful is a lease of a program that does not look whether it is lost.
type forgetful struct{ store.Lease }

func (forgetful) Lost() <-chan struct{} { return nil }

// rows is the table of leases as a process uses it.
type rows struct{ *client }

func (r *rows) Take(ctx context.Context, name string, who store.Holder, k lease.Key, term time.Duration, sending func()) (bool, error) {
	sending()
	if err := r.use(ctx, "take %s", name); err != nil {
		return false, err
	}
	s := r.world.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.table[name]; ok && h.until.After(time.Now()) && h.key != k {
		return false, nil
	}
	if died, ok := r.world.orphans[name]; ok {
		delete(r.world.orphans, name)
		r.world.takeover = append(r.world.takeover, time.Since(died))
	}
	s.table[name] = holding{who, k, r.process, time.Now().Add(term)}
	return true, nil
}

func (r *rows) Holder(ctx context.Context, name string) (store.Holder, bool, error) {
	if err := r.use(ctx, "holder %s", name); err != nil {
		return store.Holder{}, false, err
	}
	s := r.world.server
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.table[name]
	return h.who, ok && h.until.After(time.Now()), nil
}

func (r *rows) Renew(ctx context.Context, owner string, marks []int64, term time.Duration) ([]int64, error) {
	renewed, err := r.renew(ctx, owner, marks, term)
	if r.hopeful {
		return marks, nil
	}
	return renewed, err
}

func (r *rows) renew(ctx context.Context, owner string, marks []int64, term time.Duration) (renewed []int64, err error) {
	if !r.world.await(r.process, "renew") {
		return nil, errKilled
	}
	if wait := time.Until(r.process.apart); wait > 0 { // no answer until the timeout
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(odd(wait)):
		}
		if !r.world.await(r.process, "renewed") {
			return nil, errKilled
		}
	}
	s := r.world.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.table)) {
		if h := s.table[name]; h.key.Owner == owner && slices.Contains(marks, h.key.Mark) {
			h.until = time.Now().Add(term)
			s.table[name] = h
			renewed = append(renewed, h.key.Mark)
		}
	}
	return renewed, nil
}

func (r *rows) Release(ctx context.Context, name string, k lease.Key) error {
	if err := r.use(ctx, "release %s", name); err != nil {
		return err
	}
	s := r.world.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table[name].key == k {
		delete(s.table, name)
	}
	return nil
}

func (r *rows) ReleaseAll(context.Context, string) error { return nil } // only a program that ends calls it

// clock is the clock of a process. It may be wrong, and go back.
type clock struct {
	world   *world
	process *process
}

func (c *clock) Now() time.Time {
	c.world.await(c.process, "now")
	return time.Now().Add(c.process.skew)
}

// monotonic is the clock of a process for durations. It passes as time does.
type monotonic struct {
	world   *world
	process *process
	ahead   time.Duration
}

func (c *monotonic) Now() time.Time {
	c.world.await(c.process, "now")
	return time.Now().Add(c.ahead)
}

func (c *monotonic) After(d time.Duration) <-chan time.Time { return time.After(d) }

// violation is an invariant that does not hold.
type violation struct {
	invariant string
	detail    string
}

func (v violation) String() string { return fmt.Sprintf("%s: %s", v.invariant, v.detail) }
