package session

import (
	"context"
	"sync"

	"brenner/internal/fault"
	"brenner/store"
)

// recent is a store that remembers the blobs that a run has lately stored: most of
// them are read again a moment later. Blobs never change, so there is nothing to
// keep up to date.
type recent struct {
	store.Store

	mu    sync.Mutex
	blobs map[string][]byte // stored
	size  int
	held  map[string][]byte // not yet
}

// mostRecent is how many bytes are remembered; a run of the usual size stays below.
const mostRecent = 4 << 20

func remembering(st store.Store) *recent {
	return &recent{Store: st, blobs: make(map[string][]byte), held: make(map[string][]byte)}
}

// Blob implements store.Store.
func (r *recent) Blob(ctx context.Context, hash string) ([]byte, error) {
	r.mu.Lock()
	data, ok := r.blobs[hash]
	if !ok {
		data, ok = r.held[hash]
	}
	r.mu.Unlock()
	if ok {
		return data, ctx.Err()
	}
	return r.Store.Blob(ctx, hash)
}

// hold keeps blobs that are stored later.
func (r *recent) hold(blobs []blob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range blobs {
		r.held[b.hash] = b.data
	}
}

// Write implements store.Store. The blobs that were held are stored now, or, if another
// process has moved the journal, not after all.
func (r *recent) Write(ctx context.Context, b store.Batch) error {
	err := r.Store.Write(ctx, b)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.remember()
	case fault.CodeOf(err) != store.Moved:
		return err // they are held still
	}
	clear(r.held)
	return err
}

// news gives, once each, the blobs that this run has neither stored nor held yet.
func (r *recent) news(blobs []blob) [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all [][]byte
	among := make(map[string]bool)
	for _, b := range blobs {
		_, stored := r.blobs[b.hash]
		_, held := r.held[b.hash]
		if stored || held || among[b.hash] {
			continue
		}
		among[b.hash] = true
		all = append(all, b.data)
	}
	return all
}

// remember keeps the held blobs as stored ones.
func (r *recent) remember() {
	for hash, data := range r.held {
		if _, ok := r.blobs[hash]; ok || len(data) > mostRecent {
			continue
		}
		if r.size += len(data); r.size > mostRecent {
			clear(r.blobs)
			r.size = len(data)
		}
		r.blobs[hash] = data
	}
}
