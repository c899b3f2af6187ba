package session

import (
	"context"
	"sync"

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

// forget is for blobs that are not stored after all.
func (r *recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.held)
}

// news gives, once each, the blobs that this run has not stored yet.
func (r *recent) news(blobs []blob) [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all [][]byte
	among := make(map[string]bool)
	for _, b := range blobs {
		if _, ok := r.blobs[b.hash]; ok || among[b.hash] {
			continue
		}
		among[b.hash] = true
		all = append(all, b.data)
	}
	return all
}

// stored remembers blobs that are stored.
func (r *recent) stored(blobs []blob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.held)
	for _, b := range blobs {
		if _, ok := r.blobs[b.hash]; ok || len(b.data) > mostRecent {
			continue
		}
		if r.size += len(b.data); r.size > mostRecent {
			clear(r.blobs)
			r.size = len(b.data)
		}
		r.blobs[b.hash] = b.data
	}
}
