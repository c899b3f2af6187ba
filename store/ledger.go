package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/store/journal"
	"brenner/store/record"
)

// ErrBehind reports that another process has written to the journal. The state is the store's
// again, held drafts other than facts are dropped, and the caller must decide again.
var ErrBehind = errors.New("another process has written to the journal")

// Draft is what one transaction writes.
type Draft struct {
	At      time.Time // of its events; the zero time means now
	Events  []Event
	Blobs   [][]byte
	Records []record.Record
	Marks   []record.Mark
	// Holds are other streams that must not move before the draft is written.
	Holds []Append
	// Fact marks a draft that is true whatever other processes write: it is kept after a reload.
	Fact bool
}

// Event becomes an entry of the stream.
type Event struct {
	Kind string
	Body any
}

// Ledger writes a stream by compare-and-swap and keeps the state that its entries build. If another
// process wrote first, the ledger reads those entries and the caller decides again. It is not safe
// for concurrent use.
type Ledger[S any] struct {
	Store  Store
	Stream string
	Now    func() time.Time
	// Head and State include the entries that are held but not yet stored.
	Head  journal.Head
	State *S
	// Apply adds an entry to a state; nil if the ledger keeps only the head.
	Apply func(*S, *journal.Entry) error
	// Clone, if not nil, copies a state, so that a refused draft leaves no trace.
	Clone func(*S) *S
	// Summary, if not nil, returns the summary of the stream as of a state; see Append.
	Summary func(*S) string
	// Beside, if not nil, adds to a draft what its entries store outside the stream.
	Beside func(before *S, entries []journal.Entry, d *Draft) error
	// Reload, if not nil, returns the head of a moved stream; nil reads it into a new state.
	Reload func(context.Context) (journal.Head, error)
	// Retry, if not nil, reports whether a refusal other than Moved is a reason to decide again.
	Retry func(error) bool
	// Overtaken, if not nil, returns the error for a fact that cannot follow the new entries.
	Overtaken func(*S) error
	// Runs, if not nil, counts the runs that a state has seen. If another process began one, nothing that this one
	// holds is stored: that process decides, and Flush returns Overtaken.
	Runs func(*S) int
	// Wrote, if not nil, is called with every stored entry, the ledger's own and those of other
	// processes, and with Seen as of that entry, or with State if Seen is nil.
	Wrote func(*journal.Entry, *S)
	Seen  *S

	held held
	// over is set once another process began a run.
	over bool
}

// held is a batch that grows until it is stored.
type held struct {
	after   journal.Head
	runs    int // as of after
	entries []journal.Entry
	batch   Batch
	facts   []Draft
}

// Holding reports whether any entries are not yet stored.
func (l *Ledger[S]) Holding() bool { return len(l.held.entries) > 0 }

// Keep adds a draft to the state. The next Flush stores it.
func (l *Ledger[S]) Keep(d *Draft) error {
	if l.over {
		return l.Overtaken(l.State)
	}
	entries, err := l.chain(d)
	if err != nil {
		return err
	}
	all, runs := *d, l.runs()
	if l.Beside != nil {
		if err := l.Beside(l.State, entries, &all); err != nil {
			return err
		}
	}
	if err := l.take(entries); err != nil { // an entry that does not apply must not be stored
		return err
	}
	h := &l.held
	if len(h.entries) == 0 {
		h.after, h.runs = l.Head, runs
	}
	h.entries = append(h.entries, entries...)
	h.batch.Blobs = append(h.batch.Blobs, all.Blobs...)
	h.batch.Records = append(h.batch.Records, all.Records...)
	h.batch.Marks = append(h.batch.Marks, all.Marks...)
	h.hold(d.Holds)
	if d.Fact {
		h.facts = append(h.facts, *d)
	}
	if len(entries) > 0 {
		l.Head = journal.HeadOf(entries)
	}
	return nil
}

// chain returns the events of a draft as entries.
func (l *Ledger[S]) chain(d *Draft) ([]journal.Entry, error) {
	head, at := l.Head, d.At
	if at.IsZero() {
		at = l.Now()
	}
	var entries []journal.Entry
	for _, ev := range d.Events {
		body, err := journal.Encode(ev.Body)
		if err != nil {
			return nil, err
		}
		e, err := head.Next(l.Stream, at, ev.Kind, body)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
		head = e.Head()
	}
	return entries, nil
}

func (l *Ledger[S]) take(entries []journal.Entry) error {
	if l.Apply == nil {
		return nil
	}
	next := l.State
	if l.Clone != nil {
		next = l.Clone(l.State)
	}
	if err := l.apply(next, entries); err != nil {
		return err
	}
	*l.State = *next
	return nil
}

func (l *Ledger[S]) apply(state *S, entries []journal.Entry) error {
	for i := range entries {
		if err := l.Apply(state, &entries[i]); err != nil {
			return err
		}
	}
	return nil
}

// hold adds streams that must not have moved when the batch is stored. The first head seen of a
// stream counts: if a later one differs, the stream has moved.
func (h *held) hold(streams []Append) {
	for _, a := range streams {
		if !slices.ContainsFunc(h.batch.Appends, func(o Append) bool { return o.Stream == a.Stream }) {
			h.batch.Appends = append(h.batch.Appends, a)
		}
	}
}

// Flush stores what is held. It returns ErrBehind if another process wrote first, and Moved if a
// stream to be created already exists.
func (l *Ledger[S]) Flush(ctx context.Context) error {
	h := l.held
	if len(h.entries) == 0 {
		return nil
	}
	batch := h.batch
	own := Append{Stream: l.Stream, After: h.after, Entries: h.entries}
	if l.Summary != nil {
		own.Summary = l.Summary(l.State)
	}
	batch.Appends = append(slices.Clip(batch.Appends), own)
	err := l.Store.Write(ctx, batch)
	switch {
	case err == nil:
		l.held = held{}
		return l.notify(h.entries)
	case fault.CodeOf(err) == Moved && (h.after.Seq > 0 || l.Reload != nil):
		return l.fallBack(ctx, len(h.batch.Appends) == 0)
	case l.Retry != nil && l.Retry(err):
		return l.fallBack(ctx, false)
	}
	return err
}

// fallBack reloads the state from the store and holds the facts again. If moved is set, the store
// has reported a moved stream, so there must be new entries.
func (l *Ledger[S]) fallBack(ctx context.Context, moved bool) error {
	h := l.held
	entries, err := l.reload(ctx, &h)
	if err == nil && moved && l.Head == h.after {
		err = l.damaged()
	}
	if err != nil {
		return err
	}
	l.held = held{}
	if l.over = l.runs() != h.runs; l.over {
		return l.Overtaken(l.State)
	}
	for i := range h.facts {
		err := l.Keep(&h.facts[i])
		if err != nil && l.Overtaken != nil {
			return l.Overtaken(l.State)
		}
		if err != nil {
			return err
		}
	}
	if err := l.notify(entries); err != nil {
		return err
	}
	return ErrBehind
}

func (l *Ledger[S]) runs() int {
	if l.Runs == nil {
		return 0
	}
	return l.Runs(l.State)
}

// reload reads the stream and returns the entries that were not known.
func (l *Ledger[S]) reload(ctx context.Context, h *held) ([]journal.Entry, error) {
	if l.Reload != nil {
		head, err := l.Reload(ctx)
		if err == nil {
			l.Head = head
		}
		return nil, err
	}
	entries, err := l.Store.Entries(ctx, l.Stream, 0)
	if err == nil {
		err = journal.Check(l.Stream, journal.Head{}, entries)
	}
	if err != nil {
		return nil, err
	}
	state := new(S)
	if err := l.apply(state, entries); err != nil {
		return nil, err
	}
	if len(entries) < h.after.Seq {
		return nil, l.damaged()
	}
	*l.State, l.Head = *state, journal.HeadOf(entries)
	return entries[h.after.Seq:], nil
}

func (l *Ledger[S]) damaged() error {
	return &fault.Error{
		Code: Damaged, Place: l.Stream, Detail: "the stored head of the journal does not match its last entry",
		Hint: "run `brenner verify` to see what else is damaged",
	}
}

// notify passes stored entries to Wrote.
func (l *Ledger[S]) notify(entries []journal.Entry) error {
	if l.Wrote == nil {
		return nil
	}
	for i := range entries {
		state := l.State
		if l.Seen != nil {
			if err := l.Apply(l.Seen, &entries[i]); err != nil {
				return err
			}
			state = l.Seen
		}
		l.Wrote(&entries[i], state)
	}
	return nil
}

// Update stores the draft that prepare makes from the current state; nil means nothing to do. It
// calls prepare again whenever another process wrote first.
func (l *Ledger[S]) Update(ctx context.Context, prepare func(*S) (*Draft, error)) error {
	for {
		d, err := prepare(l.State)
		if err != nil || d == nil {
			return err
		}
		if err := l.Keep(d); err != nil {
			return err
		}
		if err := l.Flush(ctx); !errors.Is(err, ErrBehind) {
			return err
		}
	}
}

// Refresh reads the entries that other processes have written after the head. It fails with Overtaken if one of
// them began a run.
func (l *Ledger[S]) Refresh(ctx context.Context) error {
	entries, err := l.Store.Entries(ctx, l.Stream, l.Head.Seq)
	if err == nil {
		err = journal.Check(l.Stream, l.Head, entries)
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	runs := l.runs()
	for i := range entries {
		if err := l.Apply(l.State, &entries[i]); err != nil {
			return err
		}
		l.Head = entries[i].Head()
	}
	if l.over = l.runs() != runs; l.over {
		return l.Overtaken(l.State)
	}
	return l.notify(entries)
}
