package box

import "context"

// memory is what the writer knows of the file without asking: rows that never
// change, and policies, which change through a writer only. What another process
// has written makes it forget all of it.
type memory struct {
	version  int64 // SQLite's data_version, which other connections' commits change
	projects map[string]int64
	agents   map[agentKey]agentRow
	writers  map[[2]int64]bool // thread and agent
	threads  map[agentKey]int64
	active   map[int64]bool  // agents whose activity this batch has noted
	more     map[int64]int64 // how many messages this batch has added to threads
}

// agentKey names an agent, or a thread.
type agentKey struct {
	project int64
	name    string // in whatever spelling it was asked for
}

type agentRow struct {
	id           int64
	name, policy string
}

// mostKnown is how much the writer keeps in mind; a busy project has far less.
const mostKnown = 10_000

// forget makes the writer ask again.
func (w *writer) forget() {
	w.memory = memory{
		projects: make(map[string]int64), agents: make(map[agentKey]agentRow), writers: make(map[[2]int64]bool),
		threads: make(map[agentKey]int64), active: w.memory.active, more: w.memory.more, version: w.memory.version,
	}
}

// recall begins a batch: what was known still holds, or is forgotten.
func (w *writer) recall(ctx context.Context) error {
	var version int64
	if _, err := w.row(ctx, []any{&version}, "PRAGMA data_version"); err != nil {
		return err
	}
	m := &w.memory
	if version != m.version || m.projects == nil || len(m.projects)+len(m.agents)+len(m.writers)+len(m.threads) > mostKnown {
		m.version = version
		w.forget()
	}
	m.active, m.more = make(map[int64]bool), make(map[int64]int64)
	return nil
}

// thread finds or makes a thread's row, and counts a message in it.
func (w *writer) thread(ctx context.Context, project int64, name string) (int64, error) {
	key := agentKey{project, name}
	id, ok := w.memory.threads[key]
	if !ok {
		there, err := w.row(ctx, []any{&id}, "SELECT id FROM threads WHERE project = ? AND name = ?", project, name)
		if err == nil && !there {
			id, err = w.insert(ctx, "INSERT INTO threads (project, name, total) VALUES (?, ?, 0)", project, name)
		}
		if err != nil {
			return 0, err
		}
		w.memory.threads[key] = id
	}
	w.memory.more[id]++
	return id, nil
}

// count writes how many messages the batch has added to each thread.
func (w *writer) count(ctx context.Context) error {
	for thread, n := range w.memory.more {
		if err := w.exec(ctx, "UPDATE threads SET total = total + ? WHERE id = ?", n, thread); err != nil {
			return err
		}
	}
	return nil
}

// project finds a project's row.
func (w *writer) project(ctx context.Context, name string) (int64, error) {
	if id, ok := w.memory.projects[name]; ok {
		return id, nil
	}
	var id int64
	there, err := w.row(ctx, []any{&id}, "SELECT id FROM projects WHERE key = ?1 OR slug = ?1", name)
	if err == nil && !there {
		err = noProject(name)
	}
	if err == nil {
		w.memory.projects[name] = id
	}
	return id, err
}

// agent finds an agent's row, and spells its name as it was registered.
func (w *writer) agent(ctx context.Context, project int64, name *string) (id int64, policy string, err error) {
	key := agentKey{project, *name}
	row, ok := w.memory.agents[key]
	if !ok {
		there, err := w.row(ctx, []any{&row.id, &row.name, &row.policy}, "SELECT id, name, policy FROM agents WHERE project = ? AND name = ?", project, *name)
		if err == nil && !there {
			err = noAgent(*name)
		}
		if err != nil {
			return 0, "", err
		}
		w.memory.agents[key] = row
	}
	*name = row.name
	return row.id, row.policy, nil
}

// wrote notes who has written in a thread.
func (w *writer) wrote(ctx context.Context, thread, message, agent int64) error {
	key := [2]int64{thread, agent}
	if w.memory.writers[key] {
		return nil
	}
	err := w.exec(ctx, "INSERT INTO writers (thread, first, agent) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", thread, message, agent)
	w.memory.writers[key] = err == nil
	return err
}

// isActive notes that an agent has just done something; once in a batch is enough.
func (w *writer) isActive(ctx context.Context, agent, at int64) error {
	if w.memory.active[agent] {
		return nil
	}
	w.memory.active[agent] = true
	return w.exec(ctx, "UPDATE agents SET active = ? WHERE id = ?", at, agent)
}
