// Package govern is the one door to a project's records: what people and agents
// put, read, promote and ask for goes through it, and so do the contexts that
// agents are given.
//
// It promises: every change is a new version or a mark, in one transaction with an
// entry of the journal that says who and why; what a role may not read is in no
// context that it gets, and what it may not write is refused, and the attempt is
// kept; canonical moves by Promote alone. What decides is in the pure packages
// record, policy and view; this one reads the store for them, and writes.
//
// It must not know flags, terminals or how an agent is reached.
package govern

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// The streams of the journal.
const (
	Changes  = "records"  // every put, promotion and mark
	Refusals = "refusals" // every attempt outside a role's scope
	Calls    = "calls"    // every context that an agent was given, and what came of it
	Attempts = "attempts" // every patch of a record that was refused
)

// The codes of the door.
const (
	BadID        fault.Code = "BAD_RECORD_ID"
	BadRecord    fault.Code = "BAD_RECORD"     // a draft that cannot become a record
	BadLink      fault.Code = "BAD_LINK"       // a relation that is none, or a version that is not there
	LinkCycle    fault.Code = "LINK_CYCLE"     // it would rest on itself
	NotUnique    fault.Code = "NOT_UNIQUE"     // the beginning of several ids
	NoCanonical  fault.Code = "NO_CANONICAL"   // no version of it was promoted
	NoFork       fault.Code = "NO_FORK"        // there is nothing to merge
	StillUsed    fault.Code = "STILL_USED"     // others rest on it
	NotATask     fault.Code = "NOT_A_TASK"     // the record is no task spec
	NothingNew   fault.Code = "NOTHING_NEW"    // the version would be the same as its parent
	UnknownRole  fault.Code = "UNKNOWN_ROLE"   // no role of this name has rights
	NothingGiven fault.Code = "NOTHING_TO_ADD" // a put, memo or check without anything to work on
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{StillUsed: fault.ClassDenied}
}

// Door is the way to a project's records.
type Door struct {
	Store store.Store
	Types record.Types
	// Access is what roles may read and write.
	Access policy.Accesses
	// Views are the context specs of roles; a role without one has the built-in.
	Views map[string]contexts.Spec
	Rules Rules
	Now   func() time.Time
	// Count counts tokens; nil counts bytes.
	Count func(string) int
	// Artifact gives the content of a research artifact, which the store keeps in
	// pieces, and what lint finds in it; nil where there are none.
	Artifact func(ctx context.Context, ref record.Ref) (content []byte, faults []string, err error)
	// Vouched tells whether another journal than the door's says that a version was
	// put, as those of sessions do; nil where there are none.
	Vouched func(ctx context.Context, ref record.Ref) (bool, error)
	// Meant gives the type and the hash of the content, as far as they are known, of
	// the record that a version means by a name, where another journal than the door's
	// says so: a session that was imported names records of another project. Nil where
	// there are no sessions.
	Meant func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error)

	// left is where the door left the journal of changes. If it is somewhere else now,
	// the store refuses the next write, and it is read.
	left atomic.Pointer[journal.Head]
}

// Rules are what a project decides for itself. The zero value turns them off.
type Rules struct {
	// Compression is how many new or changed records of a module make a new memo
	// due.
	Compression int
	// Unused is for how long nobody may have pointed at a record before it can be
	// deprecated.
	Unused time.Duration
	// Unattended are the types that are promoted without a person.
	Unattended []string
	// Authorities are the people who may decide. They may put every type.
	Authorities []string
	// Call is how many tokens a request to an arbiter may have; 0 is the built-in bound
	// of a call.
	Call int
	// People is the role whose types all other people may put; "" is every type.
	People string
}

// Actor is a person, or an agent with its role. Names are not verified.
type Actor struct {
	Name string
	Role string // of an agent; "" for a person
}

func (a Actor) person() bool { return a.Role == "" }

// change is what is written in one transaction.
type change struct {
	blobs   [][]byte
	records []record.Record
	marks   []record.Mark
	kind    string
	event   any
}

// attempts is how often a write is made anew when sessions, which have journals of
// their own, put versions meanwhile.
const attempts = 8

// write makes a change from what the store holds, and stores it. If anything
// changed meanwhile, it is made anew, so that what was checked still holds.
func (d *Door) write(ctx context.Context, prepare func() (*change, error)) error {
	l := d.ledger(Changes)
	tries := 0
	l.Retry = func(err error) bool {
		tries++
		return fault.CodeOf(err) == store.Conflict && tries <= attempts
	}
	l.Wrote = func(e *journal.Entry, _ *struct{}) {
		head := e.Head()
		d.left.Store(&head)
	}
	known := d.left.Load()
	if known == nil {
		head, err := d.head(ctx, Changes)
		if err != nil {
			return err
		}
		known = &head
	}
	l.Head = *known
	return l.Update(ctx, func(*struct{}) (*store.Draft, error) {
		c, err := prepare()
		if err != nil || c == nil {
			return nil, err
		}
		event, err := encoded(c.kind, c.event)
		return &store.Draft{Events: event, Blobs: c.blobs, Records: c.records, Marks: c.marks}, err
	})
}

// ledger returns the writer of a stream of which the head is all that is known.
func (d *Door) ledger(stream string) *store.Ledger[struct{}] {
	reload := func(ctx context.Context) (journal.Head, error) { return d.head(ctx, stream) }
	return &store.Ledger[struct{}]{Store: d.Store, Stream: stream, Now: d.Now, Reload: reload}
}

func (d *Door) head(ctx context.Context, stream string) (journal.Head, error) {
	return store.HeadOf(ctx, d.Store, stream)
}

func encoded(kind string, event any) ([]store.Event, error) {
	body, err := journal.Encode(event)
	if err != nil {
		return nil, &fault.Error{Code: BadRecord, Op: "write the journal", Cause: err, Hint: "every text must be UTF-8"}
	}
	return []store.Event{{Kind: kind, Body: jsontext.Value(body)}}, nil
}

// log appends to a stream that nothing depends on.
func (d *Door) log(ctx context.Context, stream, kind string, event any, blobs ...[]byte) error {
	l := d.ledger(stream)
	var err error
	if l.Head, err = d.head(ctx, stream); err != nil {
		return err
	}
	events, err := encoded(kind, event)
	if err != nil {
		return err
	}
	return l.Update(ctx, func(*struct{}) (*store.Draft, error) { return &store.Draft{Events: events, Blobs: blobs}, nil })
}

// authority reports whether an actor is a person who may decide.
func (d *Door) authority(a Actor) bool {
	return a.person() && slices.Contains(d.Rules.Authorities, a.Name)
}

func (d *Door) count(text string) int {
	if d.Count == nil {
		return len(text)
	}
	return d.Count(text)
}

// view returns the context spec of a role.
func (d *Door) view(role string) (contexts.Spec, error) {
	access, ok := d.Access.Of(role)
	if !ok {
		return contexts.Spec{}, unknownRole(role, d.Access)
	}
	if spec, ok := d.Views[role]; ok {
		return spec, nil
	}
	return contexts.Default(access), nil
}
