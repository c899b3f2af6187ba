package project

import (
	"context"
	"fmt"
	"sync"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/internal/tokens"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/memory"
	"brenner/store"
)

// lessonBook is the playbook as sessions use it: it provides lessons and learns from
// sessions. It is opened on first use.
type lessonBook struct {
	Project *Project
	Store   store.Store
	Counter session.Counter

	mu   sync.Mutex
	kept *keeper.Keeper
	// Learned, if not nil, is called with what the playbook learned from a session.
	Learned func(thread string, learned []string)
	begun   map[string]bool // sessions marked as due for learning
	// readOnly only recalls lessons, for a dry run.
	readOnly bool
}

func (m *lessonBook) keeper(ctx context.Context) (*keeper.Keeper, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept != nil {
		return m.kept, nil
	}
	e, err := m.Project.embedder()
	if err != nil {
		return nil, err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: m.Store, Rules: m.Project.Config.Playbook.Rules, Embedder: e, Now: m.Project.Now})
	if err == nil {
		m.kept = k
	}
	return k, err
}

// book returns the playbook of this process, opened on first use.
func (m *lessonBook) book(ctx context.Context) (*memory.Book, error) {
	k, err := m.keeper(ctx)
	return &memory.Book{Keeper: k, Tokens: m.Project.Config.Playbook.Tokens, Count: m.Counter.Count}, err
}

// Recall returns the lessons for one agent's message.
func (m *lessonBook) Recall(ctx context.Context, r session.LessonQuery) (session.LessonSet, error) {
	b, err := m.book(ctx)
	if err != nil {
		return session.LessonSet{}, err
	}
	if !m.readOnly {
		if err := m.begin(ctx, r.Thread); err != nil {
			return session.LessonSet{}, err
		}
	}
	return b.Recall(ctx, &r)
}

// guard describes what was rolled back because sessions got worse, or returns "".
func (m *lessonBook) guard(ctx context.Context, b *memory.Book) (string, error) {
	streams, err := session.Streams(ctx, m.Store)
	if err != nil {
		return "", err
	}
	threads := make([]string, len(streams))
	for i := range streams {
		threads[i] = session.ThreadOf(&streams[i])
	}
	back, err := b.Guard(ctx, learner, threads)
	if err != nil || len(back.Bullets) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s rolled back (%s)", text.Plural(len(back.Bullets), "lesson", "lessons"), back.Breach), nil
}

// learner is the actor that writes lessons learned from sessions.
const learner = "brenner"

// begin marks a session as due for learning before any agent is asked: if this process is
// killed, the next one finds the mark.
func (m *lessonBook) begin(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.begun[thread] {
		return nil
	}
	err := keeper.Begin(ctx, m.Store, m.Project.Now(), thread)
	if err != nil {
		return err
	}
	if m.begun == nil {
		m.begun = make(map[string]bool)
	}
	m.begun[thread] = true
	return nil
}

// unfit returns why nothing can be learned from a session, or "".
func unfit(h *session.History) string {
	switch {
	case h.State.Opened.Rehearsal != "":
		return "a rehearsal teaches nothing"
	case h.State.Ended == "" || h.State.Ended == flow.EndInterrupted:
		return "it has not ended"
	case h.State.Version() == 0:
		return "it has no result"
	}
	return ""
}

// learn learns from a finished session. A failure is only logged: the next session catches
// up on it.
func (m *lessonBook) learn(ctx context.Context, h *session.History) {
	if unfit(h) != "" {
		return
	}
	learned, back, err := m.Ingest(ctx, h)
	if err != nil {
		m.Project.Log.Warn().Err(err).Msg("cannot learn from this session; retry with `brenner playbook harvest`")
	}
	var said []string
	if !learned.Nothing() {
		said = append(said, LearnedText(learned))
	}
	if back != "" {
		said = append(said, back)
	}
	if len(said) > 0 && m.Learned != nil {
		m.Learned(h.Thread, said)
	}
}

// LearnedText formats what the playbook learned.
func LearnedText(l keeper.Learned) string {
	return fmt.Sprintf("%s credited, %d added, %d counted", text.Plural(l.Credited, "lesson", "lessons"), l.Added, l.Counted)
}

// Ingest learns from a session that has ended, and reports what the guardrail rolled back.
func (m *lessonBook) Ingest(ctx context.Context, h *session.History) (learned keeper.Learned, back string, err error) {
	harvest, err := h.Harvest(ctx)
	if err != nil {
		return learned, "", err
	}
	b, err := m.book(ctx)
	if err != nil {
		return learned, "", err
	}
	t := keeper.Teaching{Session: h.Thread, Entries: h.State.Head.Seq, Credits: harvest.Credits, Insights: harvest.Insights}
	for i := range t.Insights {
		t.Insights[i].Domain = m.Project.Config.Playbook.Domain
	}
	if learned, err = b.Keeper.Take(ctx, learner, &t); err != nil {
		return learned, "", err
	}
	back, err = m.guard(ctx, b)
	return learned, back, err
}

// due returns the sessions that have changed since the playbook last learned from them,
// oldest first.
func due(ctx context.Context, st store.Store) ([]string, error) {
	taken, err := keeper.HarvestProgress(ctx, st)
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	streams, err := session.Streams(ctx, st)
	if err != nil {
		return nil, err
	}
	var threads []string
	for i := len(streams) - 1; i >= 0; i-- {
		thread := session.ThreadOf(&streams[i])
		if n, ok := taken[thread]; ok && n < streams[i].Head.Seq {
			threads = append(threads, thread)
		}
	}
	return threads, nil
}

// catchUp learns from sessions that earlier processes did not get to: they were killed, or
// the operator has ruled since. Failures are only logged.
func (m *lessonBook) catchUp(ctx context.Context) {
	threads, err := due(ctx, m.Store)
	if err != nil {
		m.Project.Log.Warn().Err(err).Msg("cannot list the sessions to learn from")
	}
	for _, thread := range threads {
		h, err := session.Load(ctx, m.Store, thread)
		if err != nil {
			m.Project.Log.Warn().Err(err).Str("session", thread).Msg("cannot learn from an earlier session; `brenner verify` shows why")
			continue
		}
		m.learn(ctx, h)
	}
}

// Harvest is what the playbook learned.
type Harvest struct {
	Schema   string             `json:"schema"`
	Sessions []HarvestedSession `json:"sessions"`
}

// HarvestedSession is what one session taught.
type HarvestedSession struct {
	Thread string `json:"thread_id"`
	keeper.Learned
	RolledBack string `json:"rolled_back"` // what the guardrail rolled back, and why
}

// HarvestPlaybook learns from one session that has ended, or from all that are due if
// thread is empty.
func (p *Project) HarvestPlaybook(ctx context.Context, thread string) (*Harvest, error) {
	out := &Harvest{Schema: "brenner.playbook.harvest/v1"}
	// Look first: do not create a store.
	look, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore && thread == "" {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p.CloseStore(look)
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	threads := []string{thread}
	if thread == "" {
		if threads, err = due(ctx, st); err != nil {
			return nil, err
		}
	}
	m := &lessonBook{Project: p, Store: st, Counter: tokens.New()}
	for _, t := range threads {
		h, err := p.source(st, t).Load(ctx)
		if err != nil {
			return nil, err
		}
		if why := unfit(h); why != "" && thread == "" {
			continue // due again when it ends
		} else if why != "" {
			return nil, &fault.Error{Code: NothingToLearn, Op: "learn from " + h.Thread, Detail: why, Hint: "the playbook learns only from finished sessions with real agents"}
		}
		learned, back, err := m.Ingest(ctx, h)
		if err != nil {
			return nil, err
		}
		out.Sessions = append(out.Sessions, HarvestedSession{Thread: h.Thread, Learned: learned, RolledBack: back})
	}
	return out, nil
}

// NothingToLearn is the code of a session that has nothing to teach.
const NothingToLearn fault.Code = "NOTHING_TO_LEARN" // No lessons from this session: it is a rehearsal or has not ended.
