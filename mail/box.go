package mail

import (
	"context"
	"io"
	"time"
)

// Box keeps mail. It is safe for concurrent use, in several processes at once.
//
// What a method that writes returned from without an error survives a crash of the
// process and of the machine. Reading changes nothing. A context that ends makes a
// method return an error that wraps the context's; then nothing was written.
//
// Its errors are faults with the codes of this package, or of the store's where
// the disk or the file is at fault. It judges no rights: whoever calls it does.
type Box interface {
	Directory
	Post
	Reader
	Reservations
	io.Closer
}

// Directory is who there is. A project is named by its key or its slug, wherever
// one is named.
type Directory interface {
	// EnsureProject gives the project with a key, and makes it if need be.
	EnsureProject(ctx context.Context, key string) (Project, error)
	// Projects gives one project, or all of them for the empty name.
	Projects(ctx context.Context, name string) ([]Project, error)
	// Register makes an agent, or with Renew changes one.
	Register(ctx context.Context, r Registration) (Agent, error)
	// Agents gives one agent, or all of them for the empty name, by name.
	Agents(ctx context.Context, project, name string) ([]Agent, error)
	// Owner says whose token has this hash: of the agent, what never changes.
	Owner(ctx context.Context, tokenHash string) (Project, Agent, error)
}

// Registration is an agent that wants a mailbox.
type Registration struct {
	Project, Name, Program, Model, Task string
	TokenHash                           string // empty leaves the one there is
	// Policy changes who may write to it; empty leaves it.
	Policy string
	// Renew says that the caller may change the agent that has the name already.
	Renew bool
}

// Post is what changes mail.
type Post interface {
	// Send delivers a message to all its recipients, or to none, once for its key.
	Send(ctx context.Context, d Draft) (Message, error)
	// Mark notes that an agent has read messages of its inbox, or acknowledged them,
	// which is reading too: all of them, or none. The first time counts, and that of the
	// first message is what comes back.
	Mark(ctx context.Context, m Mark) (time.Time, error)
}

// Mark is what an agent did with messages.
type Mark struct {
	Project, Agent string
	Messages       []ID
	Ack            bool
}

// Reader is what reads mail. Every list ends where it would be larger than MaxAnswer,
// but not before its first message.
type Reader interface {
	// Inbox gives what was sent to an agent: newest first, or with After oldest first.
	Inbox(ctx context.Context, q InboxQuery) ([]Message, error)
	// Await gives what Inbox gives as soon as that is something; nothing where the
	// context's time is up.
	Await(ctx context.Context, q InboxQuery) ([]Message, error)
	// Thread gives a page of a thread, oldest first.
	Thread(ctx context.Context, q ThreadQuery) (Page, error)
	// Message gives one message, if the reader has a part in it.
	Message(ctx context.Context, project, reader string, id ID) (Message, error)
	// Search gives the messages that have all the words, the best first.
	Search(ctx context.Context, q SearchQuery) ([]Message, error)
}

// InboxQuery chooses mail of an agent's inbox.
type InboxQuery struct {
	Project, Agent string
	Thread         string    // only of this thread
	Since          time.Time // only what came later
	After          ID        // only what came behind this message; "0" begins at the beginning
	Urgent         bool      // only high and urgent
	Unread         bool
	Limit          int // 0 is DefaultLimit
	NoBodies       bool
}

// ThreadQuery chooses a page of a thread.
type ThreadQuery struct {
	Project, Thread string
	// Reader sees only what it sent or was sent; empty sees everything.
	Reader   string
	After    ID   // the page begins behind this message
	Last     bool // the page is the last one, in the same order
	Limit    int  // 0 is DefaultPage
	NoBodies bool
	Receipts bool
}

// SearchQuery looks for words.
type SearchQuery struct {
	Project, Words string
	Reader         string // as in ThreadQuery
	Limit          int
}

// Page is a part of a thread.
type Page struct {
	Messages []Message
	Next     ID  // where the next page begins; empty at the end
	Total    int // of the whole thread; 0 for a reader who sees a part of it
	// People are who has written in the thread, in the order of their first words.
	People []string
}

// How much is given where nobody says.
const (
	DefaultLimit = 20
	DefaultPage  = 100
	MaxPage      = 1000
)

// MaxAnswer is how many bytes of messages one answer has, unless its first message is
// larger: both sides hold all of it, a server several times over. A list ends where it
// has that many.
const MaxAnswer = 8 << 20

// Reservations keep agents from editing the same files. They bind nobody.
type Reservations interface {
	Reserve(ctx context.Context, c Claim) (Reserved, error)
	// Release gives up claims on these paths, or all for none, and counts them.
	Release(ctx context.Context, project, agent string, paths []string) (int, error)
	// Renew makes claims last longer from now on.
	Renew(ctx context.Context, project, agent string, paths []string, ttl time.Duration) ([]Reservation, error)
}

// Claim is what an agent wants to edit.
type Claim struct {
	Project, Agent string
	Paths          []string
	TTL            time.Duration
	Exclusive      bool
	Reason         string
}
