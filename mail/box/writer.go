package box

import (
	"context"
	"errors"
	"time"

	"brenner/internal/fault"
	"brenner/store/sqlite"
)

// maxBatch bounds the changes in one transaction.
const maxBatch = 256

// writer is the only write connection. Waiting changes share one transaction, each with its own
// savepoint: a refused one leaves no trace, and the others are kept.
type writer struct {
	*sqlite.Writer
	box   *Box
	group *sqlite.Group[*change]

	// Only the caller whose turn it is uses these.
	cache rowCache
	last  time.Time // the newest instant returned
}

// change is a write of one caller.
type change struct {
	do    func(ctx context.Context, w *writer) error
	after func() // called once committed
	// checksFirst means that a refusal comes before any write, so that no savepoint is needed.
	checksFirst bool
	err         error
}

func openWriter(ctx context.Context, b *Box) (*writer, error) {
	to, err := sqlite.OpenWriter(ctx, &b.file, nil)
	if err != nil {
		return nil, err
	}
	w := &writer{Writer: to, box: b}
	w.group = sqlite.NewGroup(maxBatch, 0, w.commit)
	return w, nil
}

// write commits a change. If the context ends before the change's turn, it is not made; after that,
// write waits for its outcome.
func (w *writer) write(ctx context.Context, do func(ctx context.Context, w *writer) error, after func()) error {
	return w.submit(ctx, &change{do: do, after: after})
}

func (w *writer) submit(ctx context.Context, c *change) error { return w.group.Submit(ctx, c, 0) }

// commit makes all changes in one transaction and returns its outcome to each caller.
func (w *writer) commit(jobs []*sqlite.Job[*change]) (left []*sqlite.Job[*change]) {
	err := w.Transaction(context.Background(), func(ctx context.Context) error {
		if err := w.beginBatch(ctx); err != nil {
			return err
		}
		for _, j := range jobs {
			c := j.Change
			if c.err = w.attempt(ctx, c); c.err != nil && !isRefusal(c.err) {
				return c.err
			}
		}
		return w.count(ctx)
	})
	if err != nil {
		w.clearCache() // cached values may be wrong after a rollback
	}
	for _, j := range jobs {
		c := j.Change
		if c.err == nil {
			c.err = err
		}
		if c.err == nil && c.after != nil {
			c.after()
		}
		j.Answer(c.err)
	}
	return nil
}

func (w *writer) attempt(ctx context.Context, c *change) error {
	if c.checksFirst {
		return c.do(ctx, w)
	}
	if err := w.Exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	err := c.do(ctx, w)
	if err == nil {
		return w.Exec(ctx, "RELEASE one")
	}
	w.clearCache()
	_ = w.Exec(ctx, "ROLLBACK TO one") // if this fails, the transaction is already gone
	_ = w.Exec(ctx, "RELEASE one")
	return err
}

// isRefusal reports whether an error is a refusal of this package. An SQLite error may have ended the
// whole transaction, as a full disk does.
func isRefusal(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

// rowCache caches immutable rows and policies. A commit of another process clears it.
type rowCache struct {
	version  int64 // SQLite's data_version, which other connections' commits change
	projects map[string]int64
	agents   map[agentKey]agentRow
	writers  map[[2]int64]bool // thread and agent
	threads  map[agentKey]int64
	active   map[int64]bool  // agents whose activity this batch has recorded
	more     map[int64]int64 // messages that this batch has added per thread
}

// agentKey names an agent or a thread.
type agentKey struct {
	project int64
	name    string // as written by the caller
}

type agentRow struct {
	id           int64
	name, policy string
}

// maxCached bounds the entries of the cache; a busy project has far fewer.
const maxCached = 10_000

func (w *writer) clearCache() {
	w.cache = rowCache{
		projects: make(map[string]int64), agents: make(map[agentKey]agentRow), writers: make(map[[2]int64]bool),
		threads: make(map[agentKey]int64), active: w.cache.active, more: w.cache.more, version: w.cache.version,
	}
}

// beginBatch begins a batch and clears the cache if another process has written.
func (w *writer) beginBatch(ctx context.Context) error {
	var version int64
	if _, err := w.Row(ctx, []any{&version}, "PRAGMA data_version"); err != nil {
		return err
	}
	m := &w.cache
	if version != m.version || m.projects == nil || len(m.projects)+len(m.agents)+len(m.writers)+len(m.threads) > maxCached {
		m.version = version
		w.clearCache()
	}
	m.active, m.more = make(map[int64]bool), make(map[int64]int64)
	return nil
}

// thread finds or creates a thread's row and counts a message in it.
func (w *writer) thread(ctx context.Context, project int64, name string) (int64, error) {
	key := agentKey{project, name}
	id, ok := w.cache.threads[key]
	if !ok {
		there, err := w.Row(ctx, []any{&id}, "SELECT id FROM threads WHERE project = ? AND name = ?", project, name)
		if err == nil && !there {
			id, err = w.Insert(ctx, "INSERT INTO threads (project, name, total) VALUES (?, ?, 0)", project, name)
		}
		if err != nil {
			return 0, err
		}
		w.cache.threads[key] = id
	}
	w.cache.more[id]++
	return id, nil
}

// count writes the number of messages that the batch added to each thread.
func (w *writer) count(ctx context.Context) error {
	for thread, n := range w.cache.more {
		if err := w.Exec(ctx, "UPDATE threads SET total = total + ? WHERE id = ?", n, thread); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) project(ctx context.Context, name string) (int64, error) {
	if id, ok := w.cache.projects[name]; ok {
		return id, nil
	}
	var id int64
	there, err := w.Row(ctx, []any{&id}, "SELECT id FROM projects WHERE key = ?1 OR slug = ?1", name)
	if err == nil && !there {
		err = noProject(name)
	}
	if err == nil {
		w.cache.projects[name] = id
	}
	return id, err
}

// agent returns an agent's row and sets name to the registered name, which may differ in case.
func (w *writer) agent(ctx context.Context, project int64, name *string) (id int64, policy string, err error) {
	key := agentKey{project, *name}
	row, ok := w.cache.agents[key]
	if !ok {
		there, err := w.Row(ctx, []any{&row.id, &row.name, &row.policy}, "SELECT id, name, policy FROM agents WHERE project = ? AND name = ?", project, *name)
		if err == nil && !there {
			err = noAgent(*name)
		}
		if err != nil {
			return 0, "", err
		}
		w.cache.agents[key] = row
	}
	*name = row.name
	return row.id, row.policy, nil
}

// recordSender records an agent as a sender in a thread.
func (w *writer) recordSender(ctx context.Context, thread, message, agent int64) error {
	key := [2]int64{thread, agent}
	if w.cache.writers[key] {
		return nil
	}
	err := w.Exec(ctx, "INSERT INTO writers (thread, first, agent) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", thread, message, agent)
	w.cache.writers[key] = err == nil
	return err
}

// recordActivity records an agent's activity, once per batch.
func (w *writer) recordActivity(ctx context.Context, agent, at int64) error {
	if w.cache.active[agent] {
		return nil
	}
	w.cache.active[agent] = true
	return w.Exec(ctx, "UPDATE agents SET active = ? WHERE id = ?", at, agent)
}
