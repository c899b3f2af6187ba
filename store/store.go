// Package store keeps a project's data: blobs by their SHA-256, streams of journal entries, and
// versioned records. Everything is append-only.
//
// A Batch is written completely or not at all, and survives a crash of process and machine once Write
// has returned without an error. Streams grow by compare-and-swap on the hash of their head.
// Implementations are in directories below; storetest is their conformance suite.
package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"brenner/internal/fault"
	"brenner/store/journal"
	"brenner/store/record"
)

// Codes of store faults.
const (
	Moved       fault.Code = "STALE_HEAD"        // Another process wrote to the journal first; the write is retried on the new head.
	NoBlob      fault.Code = "NO_BLOB"           // No blob is stored under a referenced hash.
	NoStore     fault.Code = "NO_STORE"          // The project has no store yet; the first session or record creates it.
	Closed      fault.Code = "STORE_CLOSED"      // The store is already closed.
	Damaged     fault.Code = "STORE_DAMAGED"     // Stored data is not what was written.
	Full        fault.Code = "DISK_FULL"         // No space left; data stored before is intact.
	Lost        fault.Code = "STORE_LOST"        // The store's file was moved, deleted or replaced while in use.
	Unwritable  fault.Code = "STORE_UNWRITABLE"  // The store's directory or file is not writable.
	Unsupported fault.Code = "STORE_UNSUPPORTED" // Network file system, newer store version, or not a store.
	Busy        fault.Code = "STORE_BUSY"        // Other processes kept the store busy for too long; try again.
	Unreachable fault.Code = "STORE_UNREACHABLE" // The database server does not answer; try again.
	Denied      fault.Code = "STORE_DENIED"      // The database refused the login, or the user lacks a right.
	Elsewhere   fault.Code = "STORE_ELSEWHERE"   // The directory's store was a database, and no address is set now.
	BadAddress  fault.Code = "STORE_ADDRESS"     // Invalid address of a store, one with a password, or an invalid PG… variable beside it.
	Held        fault.Code = "HELD"              // Another process is running this session or loop.
	BadName     fault.Code = "BAD_LOCK_NAME"     // Invalid lock name.
	Conflict    fault.Code = "RECORD_CONFLICT"   // Another process wrote this version of the record first.
	NoRecord    fault.Code = "NO_RECORD"         // No record with this id or version.
	BadText     fault.Code = "BAD_TEXT"          // A name or text to be stored contains a NUL character.
	TooLarge    fault.Code = "BLOB_TOO_LARGE"    // A single text is larger than a store accepts.
	CanonMoved  fault.Code = "CANONICAL_MOVED"   // Another process promoted a version first; nothing was changed.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{
		NoBlob:      fault.ClassFailed,
		Damaged:     fault.ClassFailed,
		Full:        fault.ClassFailed,
		Lost:        fault.ClassFailed,
		Unwritable:  fault.ClassFailed,
		Denied:      fault.ClassDenied,
		Busy:        fault.ClassLater,
		Unreachable: fault.ClassLater,
		Held:        fault.ClassPerson,
		CanonMoved:  fault.ClassPerson,
	}
}

// Store keeps a project's data. It is safe for concurrent use.
//
// When a context ends, a method returns an error that wraps the context's, and nothing was written.
// After Close every method but Close fails with Closed.
type Store interface {
	// Write stores a batch completely or not at all. Faults are checked in this order: Batch.Check,
	// Moved, Conflict, then NoRecord and CanonMoved for marks.
	Write(ctx context.Context, b Batch) error
	// Blob returns the data with a hash, verified, or NoBlob.
	Blob(ctx context.Context, hash string) ([]byte, error)
	// Entries returns a stream's entries after number after, in order. It does not check the chain:
	// journal.Check does. A missing stream is empty.
	Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error)
	// Streams returns the streams whose name begins with prefix, by name.
	Streams(ctx context.Context, prefix string) ([]Stream, error)
	// Records returns the matching records by id and version, with their current status.
	Records(ctx context.Context, q Query) ([]record.Record, error)
	Catalogue
	io.Closer
}

// Catalogue answers queries about records without reading each of them.
type Catalogue interface {
	// Heads returns the matching records, one head for all versions.
	Heads(ctx context.Context, q HeadQuery) ([]record.Head, error)
	// Census counts all records by type, module and status.
	Census(ctx context.Context) ([]record.Count, error)
	// Edges returns the links from or to versions, ordered by both ends.
	Edges(ctx context.Context, q EdgeQuery) ([]record.Edge, error)
	// Marks returns the marks of a record's versions, oldest first, or of all records if id is empty.
	Marks(ctx context.Context, id string) ([]record.Mark, error)
	// Tips returns the branch tips of a record, by number.
	Tips(ctx context.Context, id string) ([]int, error)
}

// Batch is what one transaction writes.
type Batch struct {
	Blobs   [][]byte // stored once each, under their hashes
	Appends []Append
	Records []record.Record // the next version of each id
	Marks   []record.Mark   // of versions that exist or are among Records
}

// Append adds entries to the end of a stream.
type Append struct {
	Stream string
	// After is the head that the entries follow. If the stream has another head, the whole batch is
	// refused with Moved. Without entries an Append only checks this.
	After   journal.Head
	Entries []journal.Entry // chained from After
	// Summary of the stream as of the last entry replaces the earlier one. The store does not read it.
	Summary string
}

// Stream is an item of a list of streams.
type Stream struct {
	Name  string
	Head  journal.Head
	Began time.Time // time of the first entry
	Last  time.Time // time of the last entry
	// Summary is what the writer of the last entry passed; it is empty if that had none, or was an older program.
	Summary string
}

// Query selects records that match every field set; the zero value selects all.
type Query struct {
	ID      string
	Version int
	Type    string
	Status  string // current status
	Latest  bool   // only the highest version of each id
	// Stale selects records whose summary was written for other content.
	Stale bool
	// Initial returns each record with the status that it was stored with, without its marks.
	Initial bool
}

// HeadQuery selects heads; the zero value selects all, by id.
type HeadQuery struct {
	ID      string
	Prefix  string   // of the id
	Types   []string // one of these; none means any
	Modules []string // one of these; none means any
	Tag     string   // at least one version has it
	Status  string
	// Live excludes deprecated records.
	Live      bool
	Canonical bool // has a canonical version
	Forked    bool
	// After and Before are exclusive bounds of the head's time.
	After, Before time.Time
	// Unreferenced selects records that no standing version of another live record links to.
	// Messages sent and received by sessions do not count, nor do reviews, which judge records.
	Unreferenced bool
	// Besides excludes records whose standing version one of these directly depends on.
	Besides []record.Ref
	// Newest sorts newest first, then by id.
	Newest bool
	Limit  int // 0 means no limit
}

// EdgeQuery selects links. Version 0 stands for all versions of an id.
type EdgeQuery struct {
	From []record.Ref // sources
	To   []record.Ref // targets
}

// Locks allow one process at a time to hold a name, for as long as the process lives and can renew it.
type Locks interface {
	// Hold locks the name, or fails with Held. The lock ends with the lease's Release, or with the process.
	Hold(name string, who Holder) (Lease, error)
	// HolderOf returns the current holder of a name.
	HolderOf(name string) (Holder, bool, error)
}

// NotDurable reports whether a crash of a store's server can lose what was written last. The user has accepted it.
func NotDurable(st any) bool {
	d, ok := st.(interface{ Durable() bool })
	return ok && !d.Durable()
}

// Lease is a lock that is held.
type Lease interface {
	// Release ends the lock; a second call does nothing.
	Release() error
	// Lost returns a channel that is closed once other processes may take the lock, although it was
	// not released. It is nil if that cannot happen.
	Lost() <-chan struct{}
}

// Holder describes the holder of a lock to other processes.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Doing string    `json:"doing"` // "session start"
}

func (h Holder) String() string {
	return fmt.Sprintf("process %d on %s (%s, since %s)", h.PID, h.Host, h.Doing, h.Since.UTC().Format(time.RFC3339))
}

// Holding is a lock that a process holds.
type Holding struct {
	Name string
	By   Holder
}

// Hash returns the name under which data is stored.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// StreamOf returns a stream as listed; the zero Stream if there is none of this name.
func StreamOf(ctx context.Context, st Store, name string) (Stream, error) {
	streams, err := st.Streams(ctx, name)
	if err != nil || len(streams) == 0 || streams[0].Name != name { // nothing that begins with it sorts before it
		return Stream{}, err
	}
	return streams[0], nil
}

// HeadOf returns the stored head of a stream; the zero head if there is no such stream.
func HeadOf(ctx context.Context, st Store, stream string) (journal.Head, error) {
	s, err := StreamOf(ctx, st, stream)
	return s.Head, err
}

// EndsAt reports whether a stream as read ends at its stored head. The head may have moved on
// since; then the entries up to it must exist.
func EndsAt(ctx context.Context, st Store, stream string, end journal.Head) (head journal.Head, ends bool, err error) {
	head, err = HeadOf(ctx, st, stream)
	if err != nil || head == end || head.Seq == 0 {
		return head, true, err
	}
	later := 0
	err = Walk(ctx, st, stream, end.Seq, func(*journal.Line) error { later++; return nil })
	return head, head.Seq > end.Seq && end.Seq+later >= head.Seq, err
}

// Walker is a store that can read long streams without holding all of them in memory.
type Walker interface {
	// Walk visits a stream's entries after number after, in order, as stored. It stops at the first
	// error of visit and returns it.
	Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error
	// Blobs visits the data of each hash, verified, in the order of the hashes. It stops at the
	// first error of visit and returns it.
	Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error
}

// Prover is a store that can check what it has stored.
type Prover interface {
	// Verify reads the whole store and returns all faults joined.
	Verify(ctx context.Context) error
	// QuickCheck returns the first fault that can be found without reading the whole store.
	QuickCheck(ctx context.Context) error
}

// Walk visits a stream's entries one by one, in any store.
func Walk(ctx context.Context, st Store, stream string, after int, visit func(*journal.Line) error) error {
	if w, ok := st.(Walker); ok {
		return w.Walk(ctx, stream, after, visit)
	}
	entries, err := st.Entries(ctx, stream, after)
	for i := range entries {
		if err != nil {
			return err
		}
		line := journal.LineOf(&entries[i])
		err = visit(&line)
	}
	return err
}

// Blobs visits the data of many hashes, in any store.
func Blobs(ctx context.Context, st Store, hashes []string, visit func(n int, data []byte) error) error {
	if w, ok := st.(Walker); ok {
		return w.Blobs(ctx, hashes, visit)
	}
	for n, hash := range hashes {
		data, err := st.Blob(ctx, hash)
		if err == nil {
			err = visit(n, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
