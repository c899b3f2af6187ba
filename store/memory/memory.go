// Package memory is the reference model of a store: maps under one mutex, gone with the process.
//
// It promises to be simple enough to be obviously right: other stores are tested against it, and
// tests and rehearsals use it. It must not know about files.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Store is a store.Store and store.Locks in memory.
type Store struct {
	mu     sync.Mutex
	closed bool
	data   data
	held   map[string]store.Holder
}

type data struct {
	blobs   map[string][]byte
	streams map[string][]journal.Entry
	noted   map[string]string          // summaries of streams
	records map[string][]record.Record // by id; version n is at n-1
	marks   map[string][]record.Mark   // by id, oldest first; those of all records by ""
	canon   map[string]int             // canonical version by id
	tips    map[string][]int           // versions without a successor by id, ascending
}

// New returns an empty store.
func New() *Store {
	return &Store{
		data: data{
			blobs: map[string][]byte{}, streams: map[string][]journal.Entry{}, noted: map[string]string{}, records: map[string][]record.Record{},
			marks: map[string][]record.Mark{}, canon: map[string]int{}, tips: map[string][]int{},
		},
		held: map[string]store.Holder{},
	}
}

// enter locks the mutex, or returns why the store cannot be used.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &fault.Error{Op: "use the store", Cause: err}
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return &fault.Error{Code: store.Closed, Op: "use the store", Detail: "it is closed"}
	}
	return nil
}

// look returns the result of find, called under the mutex.
func look[T any](ctx context.Context, s *Store, find func(*data) T) (found T, err error) {
	if err := s.enter(ctx); err != nil {
		return found, err
	}
	defer s.mu.Unlock()
	return find(&s.data), nil
}

// Close closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// Write implements store.Store. It works on copies of the maps, which replace the store's.
func (s *Store) Write(ctx context.Context, b store.Batch) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := b.Check(); err != nil {
		return err
	}
	next := data{
		maps.Clone(s.data.blobs), maps.Clone(s.data.streams), maps.Clone(s.data.noted), maps.Clone(s.data.records),
		maps.Clone(s.data.marks), maps.Clone(s.data.canon), maps.Clone(s.data.tips),
	}
	for _, blob := range b.Blobs {
		next.blobs[store.Hash(blob)] = bytes.Clone(blob)
	}
	for _, a := range b.Appends {
		if err := next.append(a); err != nil {
			return err
		}
	}
	for i := range b.Records {
		if err := next.put(&b.Records[i]); err != nil {
			return err
		}
	}
	for i := range b.Marks {
		if err := next.mark(&b.Marks[i]); err != nil {
			return err
		}
	}
	s.data = next
	return nil
}

func (d *data) append(a store.Append) error {
	have := d.streams[a.Stream]
	if err := a.CheckHead(journal.HeadOf(have)); err != nil {
		return err
	}
	if len(a.Entries) > 0 {
		d.streams[a.Stream], d.noted[a.Stream] = slices.Concat(have, cloneEntries(a.Entries)), a.Summary
	}
	return nil
}

func (d *data) put(r *record.Record) error {
	have := d.records[r.ID]
	if err := store.CheckVersion(r, len(have)); err != nil {
		return err
	}
	d.records[r.ID] = slices.Concat(have, []record.Record{cloneRecord(r)})
	d.close(r.ID, r.Parent)
	for _, l := range r.Links {
		if l.Relation == record.Supersedes && l.ID == r.ID {
			d.close(r.ID, l.Version)
		}
	}
	d.tips[r.ID] = append(slices.Clone(d.tips[r.ID]), r.Version)
	return nil
}

func (d *data) close(id string, version int) {
	d.tips[id] = slices.DeleteFunc(slices.Clone(d.tips[id]), func(n int) bool { return n == version })
}

// Blob implements store.Store.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	blob, ok := s.data.blobs[hash]
	if !ok {
		return nil, store.Missing(hash)
	}
	return bytes.Clone(blob), nil
}

// Entries implements store.Store.
func (s *Store) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	return look(ctx, s, func(d *data) []journal.Entry {
		all := d.streams[stream]
		return cloneEntries(all[min(max(after, 0), len(all)):])
	})
}

// Streams implements store.Store.
func (s *Store) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	return look(ctx, s, func(d *data) []store.Stream {
		var list []store.Stream
		for name, entries := range d.streams {
			if strings.HasPrefix(name, prefix) {
				list = append(list, store.Stream{
					Name: name, Head: journal.HeadOf(entries), Began: entries[0].At.UTC(), Last: entries[len(entries)-1].At.UTC(), Summary: d.noted[name],
				})
			}
		}
		slices.SortFunc(list, func(a, b store.Stream) int { return cmp.Compare(a.Name, b.Name) })
		return list
	})
}

// Values are copied in and out, so that no caller can change what is stored.

func cloneEntries(entries []journal.Entry) []journal.Entry {
	clone := slices.Clone(entries)
	for i := range clone {
		clone[i].Body = bytes.Clone(clone[i].Body)
		clone[i].At = clone[i].At.UTC().Round(0)
	}
	return clone
}

func cloneRecord(r *record.Record) record.Record {
	clone := *r
	clone.At = r.At.UTC().Round(0)
	clone.Tags = append([]string(nil), r.Tags...)
	clone.Links = append([]record.Link(nil), r.Links...)
	return clone
}

// Hold implements store.Locks. The locks end with the process, as the store does.
func (s *Store) Hold(name string, who store.Holder) (store.Lease, error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if has, ok := s.held[name]; ok {
		return nil, store.HeldError(name, has)
	}
	s.held[name] = who
	return &lease{store: s, name: name}, nil
}

// lease is a held name.
type lease struct {
	store    *Store
	name     string
	released bool
}

// Release implements store.Lease.
func (l *lease) Release() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	// A second release must not end the lock of a later holder.
	if !l.released {
		l.released = true
		delete(l.store.held, l.name)
	}
	return nil
}

// Lost implements store.Lease.
func (l *lease) Lost() <-chan struct{} { return nil }

// HolderOf implements store.Locks.
func (s *Store) HolderOf(name string) (store.Holder, bool, error) {
	if err := store.CheckLockName(name); err != nil {
		return store.Holder{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	who, ok := s.held[name]
	return who, ok, nil
}

// Hashes implements store.Lister.
func (s *Store) Hashes(ctx context.Context, after string, limit int) ([]string, error) {
	return look(ctx, s, func(d *data) []string {
		all := slices.DeleteFunc(slices.Sorted(maps.Keys(d.blobs)), func(hash string) bool { return hash <= after })
		return all[:min(len(all), limit)]
	})
}
