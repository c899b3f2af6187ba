package session

import (
	"context"
	"slices"
	"sync"

	"brenner/artifact/delta"
	"brenner/kickoff"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// Common caches what sessions share: message frames and the examples shown in them. All of it
// derives from immutable content. The zero value is ready for use, also concurrently.
type Common struct {
	mu     sync.Mutex
	frames map[string]kickoff.Frame
	known  map[string]delta.Known
}

// maxCached bounds the cached values of each kind. A loop has a handful of rosters, and a
// frame takes some 20 kB.
const maxCached = 256

// cached returns the value under a key and makes it if missing. Two goroutines may make it
// concurrently; they make the same value.
func cached[T any](m *Common, all *map[string]T, key string, fresh func() (T, error)) (T, error) {
	m.mu.Lock()
	have, ok := (*all)[key]
	m.mu.Unlock()
	if ok {
		return have, nil
	}
	made, err := fresh()
	if err != nil {
		return made, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if *all == nil || len(*all) >= maxCached {
		*all = make(map[string]T)
	}
	(*all)[key] = made
	return made, nil
}

// rosterFrames are the frames of one roster under one set of rules.
type rosterFrames struct {
	common *Common
	pinned string // hash of roster, rules and version of the prompts
}

func (m *Common) framesFor(o *flow.Opened, r roster.Roster) (kickoff.Frames, error) {
	rules, err := journal.Encode(o.Rules)
	return rosterFrames{m, store.Hash(slices.Concat(r.Canonical(), rules, []byte{byte(promptsOf(o))}))}, err
}

// Frame implements kickoff.Frames.
func (f rosterFrames) Frame(kind string, later bool, fresh func() kickoff.Frame) kickoff.Frame {
	key := f.pinned + " first " + kind
	if later {
		key = f.pinned + " later " + kind
	}
	made, _ := cached(f.common, &f.common.frames, key, func() (kickoff.Frame, error) { return fresh(), nil })
	return made
}

// examples returns the deltas that a kickoff showed, as a reader reads them; m may be nil.
func (m *Common) examples(ctx context.Context, st store.Store, hash string, version delta.Reader) (delta.Known, error) {
	fresh := func() (delta.Known, error) {
		texts, err := examplesOf(ctx, st, hash)
		return delta.ReadExamples(texts, version), err
	}
	if m == nil {
		return fresh()
	}
	return cached(m, &m.known, string(version)+" "+hash, fresh)
}
