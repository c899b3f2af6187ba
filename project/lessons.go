package project

import (
	"context"
	"fmt"
	"sync"

	"brenner/internal/text"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/session/memory"
	"brenner/store"
)

// lessonBook is the playbook as sessions use it: it gives them lessons, and takes in what
// they teach. It is opened when it is first needed.
type lessonBook struct {
	Project *Project
	Store   store.Store
	Counter session.Counter

	mu   sync.Mutex
	kept *keeper.Keeper
	// Tell is told what a session taught; it may be nil.
	Tell  func(thread string, learned []string)
	begun map[string]bool // the sessions that were said to teach
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

// book is the playbook for one process, opened when it is first needed.
func (m *lessonBook) book(ctx context.Context) (*memory.Book, error) {
	k, err := m.keeper(ctx)
	return &memory.Book{Keeper: k, Tokens: m.Project.Config.Playbook.Tokens, Count: m.Counter.Count}, err
}

// Recall gives the lessons for one agent's message.
func (m *lessonBook) Recall(ctx context.Context, r session.Recall) (session.Recalled, error) {
	b, err := m.book(ctx)
	if err != nil {
		return session.Recalled{}, err
	}
	if err := m.begin(ctx, r.Thread); err != nil {
		return session.Recalled{}, err
	}
	return b.Recall(ctx, &r)
}

// guard says what was taken back as sessions got worse, or nothing.
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
