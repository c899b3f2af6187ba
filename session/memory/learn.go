package memory

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"brenner/internal/text"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// Learner is the playbook of running sessions: it provides lessons and learns from sessions. It is
// opened on first use.
type Learner struct {
	Store  store.Store
	Open   func(context.Context) (*Book, error)
	Domain string // of sessions without a pinned one
	Now    func() time.Time
	Log    zerolog.Logger
	// Learned, if not nil, is called with what the playbook learned from a session.
	Learned func(thread string, learned []string)
	// ReadOnly only recalls lessons, for a dry run.
	ReadOnly bool

	mu     sync.Mutex
	opened *Book
	begun  map[string]bool // sessions marked as due for learning
}

// book returns the playbook of this process, opened on first use.
func (m *Learner) book(ctx context.Context) (*Book, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.opened != nil {
		return m.opened, nil
	}
	b, err := m.Open(ctx)
	if err == nil {
		m.opened = b
	}
	return b, err
}

// Recall returns the lessons for one agent's message.
func (m *Learner) Recall(ctx context.Context, r session.LessonQuery) (session.LessonSet, error) {
	b, err := m.book(ctx)
	if err != nil {
		return session.LessonSet{}, err
	}
	if !m.ReadOnly {
		if err := m.begin(ctx, r.Thread); err != nil {
			return session.LessonSet{}, err
		}
	}
	r.Domain = cmp.Or(r.Domain, m.Domain)
	return b.Recall(ctx, &r)
}

// guard describes what was rolled back because sessions got worse, or returns "".
func (m *Learner) guard(ctx context.Context, b *Book) (string, error) {
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
func (m *Learner) begin(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.begun[thread] {
		return nil
	}
	err := keeper.Begin(ctx, m.Store, m.Now(), thread)
	if err != nil {
		return err
	}
	if m.begun == nil {
		m.begun = make(map[string]bool)
	}
	m.begun[thread] = true
	return nil
}

// Unfit returns why nothing can be learned from a session, or "".
func Unfit(h *session.History) string {
	switch {
	case h.State.Opened.Rehearsal != "":
		return "a rehearsal teaches nothing"
	case h.State.Opened.Task != "":
		return "the run of a task teaches nothing"
	case h.State.Ended == "" || h.State.Ended == flow.EndInterrupted:
		return "it has not ended"
	case h.State.Version() == 0:
		return "it has no result"
	}
	return ""
}

// Learn learns from a finished session. A failure is only logged: the next session catches
// up on it.
func (m *Learner) Learn(ctx context.Context, h *session.History) {
	if Unfit(h) != "" {
		return
	}
	learned, back, err := m.Ingest(ctx, h)
	if err != nil {
		m.Log.Warn().Err(err).Msg("cannot learn from this session; retry with `brenner playbook harvest`")
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
func (m *Learner) Ingest(ctx context.Context, h *session.History) (learned keeper.Learned, back string, err error) {
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
		t.Insights[i].Domain = cmp.Or(h.State.Opened.Domain, m.Domain)
	}
	if learned, err = b.Keeper.Take(ctx, learner, &t); err != nil {
		return learned, "", err
	}
	back, err = m.guard(ctx, b)
	return learned, back, err
}

// Due returns the sessions that have changed since the playbook last learned from them,
// oldest first.
func Due(ctx context.Context, st store.Store) ([]string, error) {
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

// CatchUp learns from sessions that earlier processes did not get to: they were killed, or
// the operator has ruled since. Failures are only logged.
func (m *Learner) CatchUp(ctx context.Context) {
	threads, err := Due(ctx, m.Store)
	if err != nil {
		m.Log.Warn().Err(err).Msg("cannot list the sessions to learn from")
	}
	for _, thread := range threads {
		h, err := session.Load(ctx, m.Store, thread)
		if err != nil {
			m.Log.Warn().Err(err).Str("session", thread).Msg("cannot learn from an earlier session; `brenner verify` shows why")
			continue
		}
		m.Learn(ctx, h)
	}
}
