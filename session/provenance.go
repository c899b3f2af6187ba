package session

import (
	"context"
	"strings"
	"sync"

	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// RecordIndex reports which record versions were written by the sessions of a store, according to
// their journals. It reads each journal once, and again when it has grown.
type RecordIndex struct {
	store   store.Store
	threads map[string]*writtenRecords
}

type writtenRecords struct {
	head   journal.Head
	broken bool // Verify reports the details
	refs   map[record.Ref]bool
}

// NewRecordIndex returns a RecordIndex for the sessions of a store.
func NewRecordIndex(st store.Store) *RecordIndex {
	return &RecordIndex{store: st, threads: make(map[string]*writtenRecords)}
}

// Contains reports whether a session wrote a version. A session with an unreadable journal is
// assumed to have written every record named after it: Verify reports the damage.
func (x *RecordIndex) Contains(ctx context.Context, ref record.Ref) (bool, error) {
	thread := threadOf(ref.ID)
	have := x.threads[thread]
	if have != nil && (have.broken || have.refs[ref]) {
		return true, nil
	}
	now, err := store.HeadOf(ctx, x.store, Prefix+thread)
	if err != nil || now == (journal.Head{}) || have != nil && have.head == now {
		return false, err
	}
	entries, err := x.store.Entries(ctx, Prefix+thread, 0)
	if err != nil {
		return false, err
	}
	have = recordsWrittenBy(thread, entries)
	x.threads[thread] = have
	return have.broken || have.refs[ref], nil
}

func recordsWrittenBy(thread string, entries []journal.Entry) *writtenRecords {
	out := &writtenRecords{head: journal.HeadOf(entries), refs: make(map[record.Ref]bool)}
	state, err := fold(Prefix+thread, entries)
	if err != nil {
		out.broken = true
		return out
	}
	beside, _, err := sideRecords(&flow.State{}, entries)
	if err != nil {
		out.broken = true
		return out
	}
	for i := range beside {
		out.refs[beside[i].Ref()] = true
	}
	for i := range state.Commits {
		out.refs[record.Ref{ID: thread, Version: state.Commits[i].Version}] = true
	}
	return out
}

// ThreadOfRecord returns the session that writes a record, by its id.
func ThreadOfRecord(id string) string { return threadOf(id) }

func threadOf(id string) string {
	for _, prefix := range []string{rosterPrefix, kickoffPrefix, replyPrefix, requestPrefix, verdictPrefix} {
		if rest, ok := strings.CutPrefix(id, prefix); ok {
			thread, _, _ := strings.Cut(rest, "/")
			return thread
		}
	}
	return id
}

// Citations are the records named in kickoffs, and the tasks of sessions. An imported session names records
// of its original project, and a local record may have the same name. Each journal is read only once,
// so this suits short-lived commands.
type Citations struct {
	store store.Store

	mu      sync.Mutex
	threads map[string]citedRecords
}

// citedRecords are the records of a session's kickoffs and its task, by both ends of the link without the
// relation.
type citedRecords map[record.Edge]flow.RecordRef

// NewCitations returns the Citations of the sessions of a store.
func NewCitations(st store.Store) *Citations {
	return &Citations{store: st, threads: make(map[string]citedRecords)}
}

// Resolve returns the record that a kickoff or roster means by a name. It reports false if the version is
// neither, or does not name that record.
func (c *Citations) Resolve(ctx context.Context, from, to record.Ref) (flow.RecordRef, bool, error) {
	if !strings.HasPrefix(from.ID, kickoffPrefix) && !strings.HasPrefix(from.ID, rosterPrefix) {
		return flow.RecordRef{}, false, nil
	}
	thread := threadOf(from.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.threads[thread]
	if have == nil {
		entries, err := c.store.Entries(ctx, Prefix+thread, 0)
		if err != nil {
			return flow.RecordRef{}, false, err
		}
		have = citedBy(thread, entries)
		c.threads[thread] = have
	}
	ref, ok := have[record.Edge{From: from, To: to}]
	return ref, ok, nil
}

func citedBy(thread string, entries []journal.Entry) citedRecords {
	out := make(citedRecords)
	add := func(id string, version int, ref flow.RecordRef) {
		out[record.Edge{From: record.Ref{ID: id, Version: version}, To: record.Ref{ID: ref.ID, Version: ref.Version}}] = ref
	}
	versions := make(map[string]int)
	for i := range entries {
		switch entries[i].Kind {
		case flow.KindOpened:
			o, err := journal.Decode[flow.Opened](&entries[i], flow.BadSequence)
			if err != nil {
				return out // Verify reports the details
			}
			if task, err := record.ParseAddress(o.Task); err == nil {
				add(rosterID(thread), 1, flow.RecordRef{ID: task.ID, Version: task.Version, Type: record.TaskSpec, Content: o.TaskContent})
			}
		case flow.KindPlanned:
			p, err := journal.Decode[flow.Planned](&entries[i], flow.BadSequence)
			if err != nil {
				return out
			}
			for _, k := range p.Kickoffs {
				versions[k.Agent]++
				for _, ref := range k.Records {
					add(kickoffID(thread, k.Agent), versions[k.Agent], ref)
				}
			}
		}
	}
	return out
}
