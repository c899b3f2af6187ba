// Package store is what a project keeps: blobs by their SHA-256, streams of
// journal entries, and versioned records. Everything is append-only.
//
// A Batch is written whole or not at all, and what Write returned from without
// an error survives a crash of the process and of the machine. Streams grow by
// compare-and-swap on the hash of their head. The interface stands here, beside
// its conformance suite in storetest; implementations are in folders below.
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

// The codes of stores.
const (
	Moved       fault.Code = "STALE_HEAD"        // the stream is not where the writer thought
	NoBlob      fault.Code = "NO_BLOB"           // nothing has this hash
	NoStore     fault.Code = "NO_STORE"          // a command that only reads found no store
	Closed      fault.Code = "STORE_CLOSED"      // the store was used after its end
	Damaged     fault.Code = "STORE_DAMAGED"     // what is stored is not what was written
	Full        fault.Code = "DISK_FULL"         // no space is left
	Unwritable  fault.Code = "STORE_UNWRITABLE"  // the folder or file cannot be written to
	Unsupported fault.Code = "STORE_UNSUPPORTED" // the file system, or the form of the file, is none that works
	Busy        fault.Code = "STORE_BUSY"        // others were writing for longer than we wait
	Held        fault.Code = "HELD"              // another process holds it
	BadName     fault.Code = "BAD_LOCK_NAME"     // no lock can have this name
	Conflict    fault.Code = "RECORD_CONFLICT"   // not the next version of its record
	NoRecord    fault.Code = "NO_RECORD"         // no record has this id or version
	CanonMoved  fault.Code = "CANONICAL_MOVED"   // another version is canonical than the writer thought
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{
		NoBlob:     fault.ClassFailed,
		Damaged:    fault.ClassFailed,
		Full:       fault.ClassFailed,
		Unwritable: fault.ClassFailed,
		Busy:       fault.ClassLater,
		Held:       fault.ClassPerson,
		CanonMoved: fault.ClassPerson,
	}
}

// Store keeps a project's data. It is safe for concurrent use.
//
// A context that ends makes a method return an error that wraps the context's;
// then nothing was written. After Close every method but Close fails with Closed.
type Store interface {
	// Write stores a batch whole or not at all. What Batch.Check refuses comes
	// first, then Moved, then Conflict, then NoRecord and CanonMoved for marks, in
	// their order.
	Write(ctx context.Context, b Batch) error
	// Blob gives the bytes with a hash, and has checked that they have it. Code
	// NoBlob where there are none.
	Blob(ctx context.Context, hash string) ([]byte, error)
	// Entries gives a stream's entries behind number after, in order. It does
	// not check the chain: journal.Check does. A stream that is not there is empty.
	Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error)
	// Streams lists the streams whose name begins with prefix, by name.
	Streams(ctx context.Context, prefix string) ([]Stream, error)
	// Records gives the records that a query asks for, by id and version, each with
	// the status that it has now.
	Records(ctx context.Context, q Query) ([]record.Record, error)
	Catalogue
	io.Closer
}

// Catalogue is what a store knows of its records without reading each of them.
type Catalogue interface {
	// Heads gives the records that a query asks for, one for all versions.
	Heads(ctx context.Context, q HeadQuery) ([]record.Head, error)
	// Census counts all records by type, module and status.
	Census(ctx context.Context) ([]record.Count, error)
	// Edges gives the links that versions have, or that point at them, ordered by
	// both ends.
	Edges(ctx context.Context, q EdgeQuery) ([]record.Edge, error)
	// Marks gives the marks of a record's versions, the oldest first.
	Marks(ctx context.Context, id string) ([]record.Mark, error)
	// Tips gives the versions of a record that nobody has gone on from, by number.
	Tips(ctx context.Context, id string) ([]int, error)
}

// Batch is what is written in one transaction.
type Batch struct {
	Blobs   [][]byte // stored once each, under their hashes
	Appends []Append
	Records []record.Record // of each id the next version
	Marks   []record.Mark   // of versions that are there, or among Records
}

// Append adds entries to the end of a stream.
type Append struct {
	Stream string
	// After is the head that the entries follow. If the stream's head is
	// another one, the whole batch is refused with Moved. Without entries this
	// is all that an Append does.
	After   journal.Head
	Entries []journal.Entry // chained from After
}

// Stream is what a list of streams says of one.
type Stream struct {
	Name  string
	Head  journal.Head
	Began time.Time // of its first entry
	Last  time.Time // of its last entry
}

// Query chooses records; the zero value chooses all. A record has to fit every
// field that is set.
type Query struct {
	ID      string
	Version int
	Type    string
	Status  string // that it has now
	Latest  bool   // it is the highest version of its id
	// Stale are those whose summary was written for another content.
	Stale bool
}

// HeadQuery chooses heads; the zero value chooses all, by id.
type HeadQuery struct {
	ID      string
	Prefix  string   // of the id
	Types   []string // one of these; none means any
	Modules []string // one of these; none means any
	Tag     string   // some version of it has this tag
	Status  string
	// Live leaves those out whose status is deprecated.
	Live      bool
	Canonical bool // it has a canonical version
	Forked    bool
	// After and Before are bounds of its time, neither of them included.
	After, Before time.Time
	// Unreferenced are those at which no standing version of another live record
	// points. What sessions sent and heard does not count.
	Unreferenced bool
	// Besides leaves those out on whose standing version one of these rests, directly.
	Besides []record.Ref
	// Newest gives the newest first, and by id where times are equal.
	Newest bool
	Limit  int // 0 is none
}

// EdgeQuery chooses links. A version of 0 stands for all versions of an id.
type EdgeQuery struct {
	From []record.Ref // that have them
	To   []record.Ref // that they point at
}

// Locks give a name to one process at a time, for as long as it lives.
type Locks interface {
	// Hold takes the name, or says with code Held who has it. The lock ends
	// with release, or with the process.
	Hold(name string, who Holder) (release func() error, err error)
	// HolderOf says who holds a name now.
	HolderOf(name string) (Holder, bool, error)
}

// Holder is who holds a lock, for whoever else wants it.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Doing string    `json:"doing"` // "session start"
}

func (h Holder) String() string {
	return fmt.Sprintf("process %d on %s (%s, since %s)", h.PID, h.Host, h.Doing, h.Since.UTC().Format(time.RFC3339))
}

// Hash gives the name under which bytes are stored.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// HeadOf gives the head of a stream as the store knows it; that of a stream that is not
// there is the zero one.
func HeadOf(ctx context.Context, st Store, stream string) (journal.Head, error) {
	streams, err := st.Streams(ctx, stream)
	if err != nil || len(streams) == 0 || streams[0].Name != stream { // nothing that begins with it sorts before it
		return journal.Head{}, err
	}
	return streams[0].Head, nil
}

// EndsAt compares the end of a stream, as it was read, with the store's head of it. The
// head may be further by now: then the entries up to it are there.
func EndsAt(ctx context.Context, st Store, stream string, end journal.Head) (head journal.Head, ends bool, err error) {
	head, err = HeadOf(ctx, st, stream)
	if err != nil || head == end || head.Seq == 0 {
		return head, true, err
	}
	later := 0
	err = Walk(ctx, st, stream, end.Seq, func(*journal.Line) error { later++; return nil })
	return head, head.Seq > end.Seq && end.Seq+later >= head.Seq, err
}

// Walker is a store that can hand out a long stream without holding all of it.
type Walker interface {
	// Walk gives a stream's entries behind number after, in order, as they are
	// stored. It ends with the first error of visit, and gives that.
	Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error
	// Blobs gives the bytes with each hash, in the order of the hashes, and has
	// checked that they have it. It ends with the first error of visit.
	Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error
}

// Walk gives a stream's entries one by one, from any store.
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

// Blobs gives the bytes of many hashes, from any store.
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
