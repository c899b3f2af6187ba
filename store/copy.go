package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"brenner/internal/fault"
	"brenner/store/journal"
	"brenner/store/record"
)

// Differs is the code of a store that cannot receive a copy.
const Differs fault.Code = "STORE_DIFFERS" // The target of a copy contains something that the source does not.

// Lister is a store that lists its blobs.
type Lister interface {
	// Hashes returns up to limit hashes of blobs after a hash, in order.
	Hashes(ctx context.Context, after string, limit int) ([]string, error)
}

// Copyable is a store that can be copied as a whole.
type Copyable interface {
	Store
	Lister
}

// Copied is what a copy contains.
type Copied struct {
	Blobs, Streams, Entries, Records, Marks int
	New                                     int // of them, written by this call
}

// The bounds of one write of a copy.
const (
	copiedHashes = 1000
	copiedBytes  = 8 << 20
	copiedItems  = 500
)

// Copy copies everything from one store to another and compares the two in the end. The target must be
// empty, or contain a part of the source: what an interrupted copy left. Blobs come first, so that no entry
// ever lacks one. No other process may write to either store meanwhile. Progress, if not nil, is called with
// what the copy contains so far.
func Copy(ctx context.Context, from, to Copyable, progress func(Copied)) (*Copied, error) {
	c := &copying{from: from, to: to, progress: progress}
	if c.progress == nil {
		c.progress = func(Copied) {}
	}
	for _, step := range []func(context.Context) error{c.check, c.blobs, c.streams, c.records, c.compare} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &c.done, nil
}

type copying struct {
	from, to Copyable
	done     Copied
	progress func(Copied)

	sources []Stream
	stored  map[string]bool         // hashes of the target's blobs
	heads   map[string]journal.Head // of the target
	have    []record.Record         // of the target
	marked  []record.Mark           // of the target
}

// check refuses a target that contains something else, before anything is written.
func (c *copying) check(ctx context.Context) error {
	var err error
	if c.sources, err = c.from.Streams(ctx, ""); err != nil {
		return err
	}
	there, err := c.to.Streams(ctx, "")
	if err != nil {
		return err
	}
	c.heads = make(map[string]journal.Head, len(there))
	for i := range there {
		at, known := slices.BinarySearchFunc(c.sources, there[i].Name, func(s Stream, name string) int {
			switch {
			case s.Name < name:
				return -1
			case s.Name > name:
				return 1
			}
			return 0
		})
		head := there[i].Head
		switch {
		case !known:
			return differs("the stream " + fault.Shown(there[i].Name))
		case c.sources[at].Head.Seq < head.Seq:
			return differs(fmt.Sprintf("a longer stream %s: %d entries, not %d", fault.Shown(there[i].Name), head.Seq, c.sources[at].Head.Seq))
		}
		if same, err := c.contains(ctx, there[i].Name, head); err != nil || !same {
			return orDiffers(err, "the stream "+fault.Shown(there[i].Name))
		}
		c.heads[there[i].Name] = head
	}
	if err := c.checkRecords(ctx); err != nil {
		return err
	}
	return c.checkBlobs(ctx)
}

func (c *copying) checkBlobs(ctx context.Context) error {
	c.stored = make(map[string]bool)
	err := eachHash(ctx, c.to, func(hashes []string) error {
		for _, h := range hashes {
			c.stored[h] = true
		}
		return nil
	})
	known := 0
	if err == nil {
		err = eachHash(ctx, c.from, func(hashes []string) error {
			for _, h := range hashes {
				if c.stored[h] {
					known++
				}
			}
			return nil
		})
	}
	if err == nil && known < len(c.stored) {
		err = differs("other blobs")
	}
	return err
}

// contains reports whether the source's stream has the head's entry.
func (c *copying) contains(ctx context.Context, stream string, head journal.Head) (bool, error) {
	found := false
	stop := fmt.Errorf("found")
	err := Walk(ctx, c.from, stream, head.Seq-1, func(l *journal.Line) error {
		found = string(l.Hash) == head.Hash
		return stop
	})
	if err == stop { //nolint:errorlint // Walk returns it unchanged
		err = nil
	}
	return found, err
}

func (c *copying) checkRecords(ctx context.Context) error {
	all, err := c.from.Records(ctx, Query{Initial: true})
	if err == nil {
		c.have, err = c.to.Records(ctx, Query{Initial: true})
	}
	if err != nil {
		return err
	}
	known := make(map[record.Ref]*record.Record, len(all))
	for i := range all {
		known[all[i].Ref()] = &all[i]
	}
	for i := range c.have {
		r := &c.have[i]
		if same := known[r.Ref()]; same == nil || !sameRecord(*same, *r) {
			return differs("the record " + fault.Shown(r.Ref().String()))
		}
	}
	marks, err := c.from.Marks(ctx, "")
	if err == nil {
		c.marked, err = c.to.Marks(ctx, "")
	}
	if err != nil {
		return err
	}
	if len(c.marked) > len(marks) || !slices.EqualFunc(c.marked, marks[:len(c.marked)], sameMark) {
		return differs("other marks of records")
	}
	return nil
}

func sameRecord(a, b record.Record) bool {
	same := a.At.Equal(b.At) && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Links, b.Links)
	a.At, a.Tags, a.Links = b.At, b.Tags, b.Links
	return same && reflect.DeepEqual(a, b)
}

func sameMark(a, b record.Mark) bool {
	same := a.At.Equal(b.At)
	a.At = b.At
	return same && a == b
}

func differs(what string) error { return orDiffers(nil, what) }

func orDiffers(err error, what string) error {
	if err != nil {
		return err
	}
	return &fault.Error{
		Code: Differs, Op: "copy the store", Detail: "the target has " + what + ", which the source does not have",
		Hint: "copy to another project name or directory; nothing was overwritten",
	}
}

// blobs copies those blobs that the target does not have.
func (c *copying) blobs(ctx context.Context) error {
	return eachHash(ctx, c.from, func(hashes []string) error {
		c.done.Blobs += len(hashes)
		hashes = slices.DeleteFunc(hashes, func(h string) bool { return c.stored[h] })
		var batch Batch
		size := 0
		err := Blobs(ctx, c.from, hashes, func(_ int, data []byte) error {
			if size += len(data); size > copiedBytes && len(batch.Blobs) > 0 {
				if err := c.to.Write(ctx, batch); err != nil {
					return err
				}
				batch, size = Batch{}, len(data)
			}
			batch.Blobs = append(batch.Blobs, slices.Clone(data))
			return nil
		})
		if err == nil && len(batch.Blobs) > 0 {
			err = c.to.Write(ctx, batch)
		}
		if err == nil {
			c.done.New += len(hashes)
			c.progress(c.done)
		}
		return err
	})
}

func eachHash(ctx context.Context, st Lister, visit func([]string) error) error {
	after := ""
	for {
		hashes, err := st.Hashes(ctx, after, copiedHashes)
		if err != nil || len(hashes) == 0 {
			return err
		}
		after = hashes[len(hashes)-1]
		if err := visit(hashes); err != nil {
			return err
		}
	}
}

// streams copies the entries that the target does not have.
func (c *copying) streams(ctx context.Context) error {
	for i := range c.sources {
		if err := c.stream(ctx, &c.sources[i]); err != nil {
			return err
		}
		c.done.Streams++
		c.done.Entries += c.sources[i].Head.Seq
		c.progress(c.done)
	}
	return nil
}

func (c *copying) stream(ctx context.Context, s *Stream) error {
	head := c.heads[s.Name]
	entries, err := c.from.Entries(ctx, s.Name, head.Seq)
	if err != nil {
		return err
	}
	entries = entries[:min(len(entries), s.Head.Seq-head.Seq)] // as listed
	for len(entries) > 0 {
		n, size := 0, 0
		for n < len(entries) && n < copiedItems && (n == 0 || size < copiedBytes) {
			size += len(entries[n].Body)
			n++
		}
		a := Append{Stream: s.Name, After: head, Entries: entries[:n]}
		if n == len(entries) {
			a.Summary = s.Summary
		}
		if err := c.to.Write(ctx, Batch{Appends: []Append{a}}); err != nil {
			return err
		}
		head, entries = journal.HeadOf(entries[:n]), entries[n:]
		c.done.New += n
	}
	return nil
}

// records copies records and marks in the order of their times, because which branches are open depends on
// it. Marks keep their order, and so do the versions of each record.
func (c *copying) records(ctx context.Context) error {
	all, err := c.from.Records(ctx, Query{Initial: true})
	if err != nil {
		return err
	}
	marks, err := c.from.Marks(ctx, "")
	if err != nil {
		return err
	}
	c.done.Records, c.done.Marks = len(all), len(marks)
	written := make(map[record.Ref]bool, len(c.have))
	for i := range c.have {
		written[c.have[i].Ref()] = true
	}
	pending := make(map[string][]record.Record) // by id
	for i := range all {
		if !written[all[i].Ref()] {
			pending[all[i].ID] = append(pending[all[i].ID], all[i])
		}
	}
	w := &recordWriter{copying: c, ctx: ctx}
	for i := range marks[len(c.marked):] {
		m := &marks[len(c.marked)+i]
		of, n := pending[m.ID], 0
		for n < len(of) && (of[n].Version <= m.Version || !of[n].At.After(m.At)) {
			n++
		}
		pending[m.ID] = of[n:]
		if err := w.add(of[:n], m); err != nil {
			return err
		}
	}
	for i := range all { // those after the last mark, in order
		if of := pending[all[i].ID]; len(of) > 0 && of[0].Version == all[i].Version {
			pending[all[i].ID] = of[1:]
			if err := w.add(of[:1], nil); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

// recordWriter collects records and marks for writes. Within one, records come before marks.
type recordWriter struct {
	*copying
	ctx   context.Context
	batch Batch
}

func (w *recordWriter) add(records []record.Record, m *record.Mark) error {
	full := len(w.batch.Records)+len(w.batch.Marks) >= copiedItems
	if full || len(records) > 0 && len(w.batch.Marks) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.batch.Records = append(w.batch.Records, records...)
	if m != nil {
		w.batch.Marks = append(w.batch.Marks, *m)
	}
	return nil
}

func (w *recordWriter) flush() error {
	n := len(w.batch.Records) + len(w.batch.Marks)
	if n == 0 {
		return nil
	}
	if err := w.to.Write(w.ctx, w.batch); err != nil {
		return err
	}
	w.batch = Batch{}
	w.done.New += n
	w.progress(w.done)
	return nil
}

// compare compares both stores head by head.
func (c *copying) compare(ctx context.Context) error {
	for _, what := range []struct {
		name string
		same func(context.Context) (bool, error)
	}{
		{"blobs", c.sameBlobs},
		{"streams", sameIn(c, func(ctx context.Context, st Store) ([]Stream, error) { return st.Streams(ctx, "") }, sameStream)},
		{"records", sameIn(c, func(ctx context.Context, st Store) ([]record.Record, error) { return st.Records(ctx, Query{}) },
			sameRecord)},
		{"marks", sameIn(c, func(ctx context.Context, st Store) ([]record.Mark, error) { return st.Marks(ctx, "") }, sameMark)},
		{"heads of records", sameIn(c, func(ctx context.Context, st Store) ([]record.Head, error) { return st.Heads(ctx, HeadQuery{}) }, sameHead)},
	} {
		same, err := what.same(ctx)
		if err != nil {
			return err
		}
		if !same {
			return &fault.Error{
				Code: Differs, Op: "compare the copy", Detail: "the " + what.name + " of the two stores differ",
				Hint: "end all processes that use either store, and run the command again: it continues",
			}
		}
	}
	return nil
}

func (c *copying) sameBlobs(ctx context.Context) (bool, error) {
	after := ""
	for {
		one, err := c.from.Hashes(ctx, after, copiedHashes)
		if err != nil {
			return false, err
		}
		two, err := c.to.Hashes(ctx, after, copiedHashes)
		if err != nil || !slices.Equal(one, two) {
			return false, err
		}
		if len(one) == 0 {
			return true, nil
		}
		after = one[len(one)-1]
	}
}

// sameIn returns a function that compares what a query returns from both stores.
func sameIn[T any](c *copying, query func(context.Context, Store) ([]T, error), same func(a, b T) bool) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		one, err := query(ctx, c.from)
		if err != nil {
			return false, err
		}
		two, err := query(ctx, c.to)
		return err == nil && slices.EqualFunc(one, two, same), err
	}
}

func sameStream(a, b Stream) bool {
	return a.Name == b.Name && a.Head == b.Head && a.Began.Equal(b.Began) && a.Last.Equal(b.Last) && a.Summary == b.Summary
}

func sameHead(a, b record.Head) bool {
	same := a.At.Equal(b.At)
	a.At = b.At
	return same && a == b
}
