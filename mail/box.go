package mail

import (
	"context"
	"io"
	"time"
)

// Box stores mail. It is safe for concurrent use by several processes.
//
// A write that returned without an error survives a crash of process and machine. Reading changes
// nothing. When a context ends, a method returns an error that wraps the context's, and nothing was
// written.
//
// Errors have the codes of this package, or those of package store for errors of disk and file. A
// Box does not check permissions; its caller must.
type Box interface {
	Directory
	Writer
	Reader
	Reservations
	Contacts
	io.Closer
}

// Directory stores projects and agents. Projects are named by key or slug everywhere.
type Directory interface {
	// EnsureProject returns the project with a key and creates it if missing.
	EnsureProject(ctx context.Context, key string) (Project, error)
	// Projects returns one project, or all of them for the empty name.
	Projects(ctx context.Context, name string) ([]Project, error)
	// Register creates an agent, or changes one if Renew is set.
	Register(ctx context.Context, r Registration) (Agent, error)
	// Agents returns one agent, or all of them for the empty name, by name.
	Agents(ctx context.Context, project, name string) ([]Agent, error)
	// Owner returns the owner of the token with this hash. Only the agent's immutable fields are set.
	Owner(ctx context.Context, tokenHash string) (Project, Agent, error)
}

// Registration describes an agent to be registered.
type Registration struct {
	Project, Name, Program, Model, Task string
	TokenHash                           string // empty keeps the current one
	// Policy sets who may write to the agent; empty keeps the current one.
	Policy string
	// Renew allows an existing agent with the name to be changed.
	Renew bool
}

// Writer sends and marks messages.
type Writer interface {
	// Send delivers a message to all recipients or to none, once per key.
	Send(ctx context.Context, d Draft) (Message, error)
	// Mark marks messages of an agent's inbox as read or acknowledged, which implies read: all of
	// them or none. Marking again keeps the first time; Mark returns that of the first message.
	Mark(ctx context.Context, m Mark) (time.Time, error)
}

// Mark is a request to mark messages.
type Mark struct {
	Project, Agent string
	Messages       []ID
	Ack            bool
}

// Reader reads mail. Every list ends before it exceeds MaxResponse, but has at least one message.
type Reader interface {
	// Inbox returns an agent's incoming mail, newest first, or oldest first if After is set.
	Inbox(ctx context.Context, q InboxQuery) ([]Message, error)
	// Await returns Inbox's result once it is not empty, or nothing at the context's deadline.
	Await(ctx context.Context, q InboxQuery) ([]Message, error)
	// Thread returns a page of a thread, oldest first.
	Thread(ctx context.Context, q ThreadQuery) (Page, error)
	// Message returns a message that the reader sent or received.
	Message(ctx context.Context, project, reader string, id ID) (Message, error)
	// Attachment returns an attachment of such a message.
	Attachment(ctx context.Context, project, reader string, id ID, name string) (File, error)
	// Search returns the messages that contain all words, best match first.
	Search(ctx context.Context, q SearchQuery) ([]Message, error)
}

// InboxQuery selects mail of an agent's inbox.
type InboxQuery struct {
	Project, Agent string
	Thread         string    // only this thread
	Since          time.Time // only later messages
	Before         time.Time // only earlier messages
	After          ID        // only messages after this one; "0" starts at the beginning
	Urgent         bool      // only high and urgent
	Unread         bool
	Unacknowledged bool // only those that require an acknowledgement of the agent, and have none
	Sent           bool // the messages that the agent sent instead
	Limit          int  // 0 means DefaultLimit
	NoBodies       bool
}

// ThreadQuery selects a page of a thread.
type ThreadQuery struct {
	Project, Thread string
	// Reader limits the result to messages it sent or received; empty sees everything.
	Reader   string
	After    ID   // the page begins after this message
	Last     bool // return the last page, in the same order
	Limit    int  // 0 means DefaultPage
	NoBodies bool
	Receipts bool
}

// SearchQuery selects messages by words.
type SearchQuery struct {
	Project, Words string
	Reader         string // as in ThreadQuery
	Limit          int
}

// Page is a page of a thread.
type Page struct {
	Messages []Message
	Next     ID  // where the next page begins; empty at the end
	Total    int // of the whole thread; 0 for a reader that sees only a part
	// People are the senders in the thread, in order of their first message.
	People []string
}

// Default and largest numbers of messages in a list.
const (
	DefaultLimit = 20
	DefaultPage  = 100
	MaxPage      = 1000
)

// MaxResponse bounds the bytes of messages in one response, unless the first message alone is larger.
// Both sides hold a response in memory, a server several times over.
const MaxResponse = 8 << 20

// Reservations are advisory claims that keep agents from editing the same files.
type Reservations interface {
	Reserve(ctx context.Context, c Claim) (Reserved, error)
	// Release drops the claims on paths, or all claims if paths is empty, and returns their number.
	Release(ctx context.Context, project, agent string, paths []string) (int, error)
	// Renew extends claims, counted from now.
	Renew(ctx context.Context, project, agent string, paths []string, ttl time.Duration) ([]Reservation, error)
	// Reserved returns the claims of all agents.
	Reserved(ctx context.Context, project string) ([]Reservation, error)
	// Revoke drops a claim of another agent, and tells its holder.
	Revoke(ctx context.Context, r Revocation) (Reservation, error)
}

// Revocation is a request to drop a claim of another agent.
type Revocation struct {
	Project, By, Note string
	Claim             ID
}

// Contacts are permissions to write to agents whose policy is PolicyContacts.
type Contacts interface {
	// RequestContact asks an agent for permission to write to it: once, by a message.
	RequestContact(ctx context.Context, r ContactRequest) (Contact, error)
	// AnswerContact grants a request, and tells its sender, or refuses it. Later answers replace earlier ones.
	AnswerContact(ctx context.Context, project, agent, from string, accept bool) (Contact, error)
	// Contacts returns the requests of and to an agent.
	Contacts(ctx context.Context, project, agent string) ([]Contact, error)
}

// ContactRequest is a request for permission to write to an agent.
type ContactRequest struct{ Project, From, To, Reason string }

// Claim is a request to reserve files.
type Claim struct {
	Project, Agent string
	Paths          []string
	TTL            time.Duration
	Exclusive      bool
	Reason         string
}
