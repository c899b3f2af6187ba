// Package govern is the access of people and agents to a project's records: they put, read and
// promote records through it, and it assembles the contexts for agents.
//
// It promises that every change is a new version or a mark, in one transaction with a journal
// entry that has the author and the reason; that a role never sees what it may not read; that
// what it may not write is refused and the attempt recorded; and that only Promote changes what
// is canonical. Decisions are made in the pure packages record, policy and contexts; this package
// reads the store for them, and writes.
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
	"brenner/govern/graph"
	"brenner/govern/ledger"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Streams of the journal.
const (
	Changes  = ledger.Stream // puts, promotions and marks
	Refusals = "refusals"    // attempts that rights or gates refused
	Calls    = "calls"       // contexts given to agents, and the results
	Attempts = "attempts"    // refused patches of records
)

// Error codes of the package.
const (
	BadID        fault.Code = "BAD_RECORD_ID"  // An id or a module is too long or has an invalid character.
	BadRecord    fault.Code = "BAD_RECORD"     // A draft lacks content, module, type or a description of the change.
	BadLink      fault.Code = "BAD_LINK"       // A link has an unknown relation, or points at a missing version.
	LinkCycle    fault.Code = "LINK_CYCLE"     // The links would make a record depend on itself.
	NotUnique    fault.Code = "NOT_UNIQUE"     // The id prefix matches several records.
	NoCanonical  fault.Code = "NO_CANONICAL"   // No version of the record was promoted.
	NoFork       fault.Code = "NO_FORK"        // The record has one branch; there is nothing to merge.
	StillUsed    fault.Code = "STILL_USED"     // The record cannot be deprecated: it is on the spine, or others depend on it.
	NotATask     fault.Code = "NOT_A_TASK"     // The record is not a task spec.
	NothingNew   fault.Code = "NOTHING_NEW"    // The version is identical to its parent; nothing was written.
	UnknownRole  fault.Code = "UNKNOWN_ROLE"   // No access rules for this role.
	NothingGiven fault.Code = "NOTHING_TO_ADD" // The command has no input.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{StillUsed: fault.ClassDenied}
}

// Records provides access to a project's records.
type Records struct {
	graph.Source
	Types record.Types
	// Access is what roles may read and write.
	Access policy.Accesses
	// Views are the context specs of roles; the default is built in.
	Views map[string]contexts.Spec
	Rules Rules
	Now   func() time.Time
	// Count counts tokens; nil counts bytes.
	Count func(string) int
	// Embed returns the vector of a text, to find near copies; nil means that none are searched.
	Embed func(ctx context.Context, text string) ([]float32, error)
	// Artifact returns the content of a research artifact, which the store keeps in pieces, and
	// its lint findings; nil if there are no sessions.
	Artifact func(ctx context.Context, ref record.Ref) (content []byte, faults []string, err error)
	// Vouched reports whether another journal, such as a session's, accounts for a version; nil
	// means no.
	Vouched func(ctx context.Context, ref record.Ref) (bool, error)

	// ReplyAuthor returns how an agent wrote a reply of a session; nil if there are no sessions.
	ReplyAuthor func(ctx context.Context, reply record.Ref) (Author, error)

	// lastHead is the last known head of the journal of changes. If it is outdated, the store
	// refuses the next write, and the head is read again.
	lastHead atomic.Pointer[journal.Head]
}

// Rules are the settings of a project. The zero value turns them off.
type Rules struct {
	// Compression is how many new or changed records of a module make a new memo due.
	Compression int
	// Unused is the time without incoming links after which a record can be deprecated.
	Unused time.Duration
	// Unattended are the types that are promoted without a person.
	Unattended []string
	// Authorities are the people who may decide. They may put every type.
	Authorities []string
	// Call bounds the tokens of a context and of a request to an arbiter; 0 means the built-in bound.
	Call int
	// Hypotheses is how many other explanations an arbiter is asked for before it rules; 0: none.
	Hypotheses int
	// People is the role whose types all other people may put; "" allows every type.
	People string
}

// Actor is a person, or an agent with its role. Names are not verified.
type Actor struct {
	Name string
	Role string // of an agent; "" for a person

	source record.Ref // the reply by which it acts, or zero
}

func (a Actor) person() bool { return a.Role == "" }

type change struct {
	blobs   [][]byte
	records []record.Record
	marks   []record.Mark
	kind    string
	event   any
}

// attempts bounds the retries of a write while sessions put versions in their own journals.
const attempts = 8

// write prepares a change from the store and stores it. If anything changed meanwhile, it
// prepares the change again, so that all checks still hold.
func (rs *Records) write(ctx context.Context, prepare func() (*change, error)) error {
	l := rs.ledger(Changes)
	tries := 0
	l.Retry = func(err error) bool {
		tries++
		return fault.CodeOf(err) == store.Conflict && tries <= attempts
	}
	l.Wrote = func(e *journal.Entry, _ *struct{}) {
		head := e.Head()
		rs.lastHead.Store(&head)
	}
	known := rs.lastHead.Load()
	if known == nil {
		head, err := rs.head(ctx, Changes)
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
		event, err := encodeEvent(c.kind, c.event)
		return &store.Draft{Events: event, Blobs: c.blobs, Records: c.records, Marks: c.marks}, err
	})
}

// ledger returns the writer of a stream of which only the head is known.
func (rs *Records) ledger(stream string) *store.Ledger[struct{}] {
	reload := func(ctx context.Context) (journal.Head, error) { return rs.head(ctx, stream) }
	return &store.Ledger[struct{}]{Store: rs.Store, Stream: stream, Now: rs.Now, Reload: reload}
}

func (rs *Records) head(ctx context.Context, stream string) (journal.Head, error) {
	return store.HeadOf(ctx, rs.Store, stream)
}

// Verify verifies the records against their journal, both ways, and the store's lists against
// versions and marks. Other processes may write meanwhile.
func (rs *Records) Verify(ctx context.Context) (*ledger.Proof, error) {
	src := ledger.Source{Store: rs.Store, Others: []string{Refusals, Calls, Attempts}, Vouched: rs.Vouched}
	return src.Verify(ctx)
}

func encodeEvent(kind string, event any) ([]store.Event, error) {
	body, err := journal.Encode(event)
	if err != nil {
		return nil, &fault.Error{Code: BadRecord, Op: "write the journal", Cause: err, Hint: "all text must be valid UTF-8"}
	}
	return []store.Event{{Kind: kind, Body: jsontext.Value(body)}}, nil
}

// log appends to a stream that no decision depends on.
func (rs *Records) log(ctx context.Context, stream, kind string, event any, blobs ...[]byte) error {
	l := rs.ledger(stream)
	var err error
	if l.Head, err = rs.head(ctx, stream); err != nil {
		return err
	}
	events, err := encodeEvent(kind, event)
	if err != nil {
		return err
	}
	return l.Update(ctx, func(*struct{}) (*store.Draft, error) { return &store.Draft{Events: events, Blobs: blobs}, nil })
}

func (rs *Records) authority(a Actor) bool {
	return a.person() && slices.Contains(rs.Rules.Authorities, a.Name)
}

// roleOf returns the actor with the role that limits what it may write; a person who may write
// everything has none.
func (rs *Records) roleOf(who Actor) Actor {
	if who.person() && !rs.authority(who) {
		who.Role = rs.Rules.People
	}
	return who
}

func (rs *Records) count(text string) int {
	if rs.Count == nil {
		return len(text)
	}
	return rs.Count(text)
}

func (rs *Records) view(role string) (contexts.Spec, error) {
	access, ok := rs.Access.Of(role)
	if !ok {
		return contexts.Spec{}, unknownRole(role, rs.Access)
	}
	if spec, ok := rs.Views[role]; ok {
		return spec, nil
	}
	return contexts.Default(access), nil
}
