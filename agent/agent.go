// Package agent is how a session asks anybody anything: one interface, the
// wrappers around it, and the registry of its kinds. Each kind is in a folder
// below; agenttest is the suite that all of them pass.
//
// It promises: whatever a kind does, a session sees a whole answer or a *Failure
// with a code, never a panic; asking twice with one call id has one effect; and
// every wait ends when its context does.
//
// It must not know what a question says, what an answer means, where replies are
// kept, or what they cost.
package agent

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/roster"
)

// Agent answers calls. It is safe for concurrent use.
type Agent interface {
	// Ask puts a call and waits for the whole answer. Asking again with the
	// same call id has one effect: the same answer, or a second try of a call
	// that had none. An error is a *Failure.
	Ask(ctx context.Context, c Call) (Reply, error)
}

// Func is an agent that is one function.
type Func func(ctx context.Context, c Call) (Reply, error)

// Ask calls the function.
func (f Func) Ask(ctx context.Context, c Call) (Reply, error) { return f(ctx, c) }

// Call is one question to one agent.
type Call struct {
	ID      string // of this call in all the world: "RS-…/r1/BlueLake/ask"
	Agent   string // the roster's name
	Thread  string
	Round   int
	Subject string
	// Turns are the conversation so far; the last one is ours, and wants an answer.
	Turns []Turn
	// Nudge is what an agent is told once that has taken notice of the question and
	// does not answer, where that can be seen. Without it nobody is reminded: agents
	// write no words of their own.
	Nudge string
	// MaxReply bounds the answer, in tokens; 0 leaves it to the agent.
	MaxReply int
	// Drain, if not nil, is closed when whoever asks wants to go. A call that is under way
	// goes on; one that waits, for a slot or for another try, ends at once.
	Drain <-chan struct{}
	// Alive, if not nil, is told of every sign of life, so that a silent agent
	// can be told from a slow one.
	Alive func()
}

// drained tells whether whoever asks wants to go.
func (c *Call) drained() bool {
	select {
	case <-c.Drain: // where there is none, this waits for ever, and so is never chosen
		return true
	default:
		return false
	}
}

// Turn is one message of a conversation.
type Turn struct {
	Own  bool   // the agent's own words, not ours
	Text string // Markdown
}

// Reply is a whole answer.
type Reply struct {
	Text  string // verbatim
	Model string // as the other side names what answered; may be empty
	Usage Usage
	// Attempts is how often the other side was asked for it; at least 1.
	Attempts int
	// Letter is the id of the message that brought the answer, if it came by mail.
	Letter string
}

// The codes of calls that were not answered.
const (
	Unavailable fault.Code = "AGENT_UNAVAILABLE" // The agent is unreachable, or asked to retry later.
	Refused     fault.Code = "AGENT_REFUSED"     // The agent will not answer this call; retrying does not help.
	TimedOut    fault.Code = "AGENT_TIMEOUT"     // The call exceeded `timeouts.call` or `timeouts.agent`.
	Idle        fault.Code = "AGENT_IDLE"        // The agent was silent for longer than `timeouts.idle`.
	Cut         fault.Code = "REPLY_CUT"         // The reply was cut off; it is kept as evidence and not merged.
	Empty       fault.Code = "REPLY_EMPTY"       // The reply is empty.
	Stopped     fault.Code = "AGENT_STOPPED"     // The call was cancelled before a reply: the session was interrupted or timed out.
	Broken      fault.Code = "AGENT_BROKEN"      // The adapter for this agent failed; the session continues without its reply.
)

// The codes of calls to models that were not answered. They stand here and not
// with a kind, because a session acts on some of them.
const (
	NoAuth       fault.Code = "AGENT_AUTH"        // The endpoint requires a key, or rejected the one it was sent.
	Forbidden    fault.Code = "AGENT_FORBIDDEN"   // The key is valid but has no access to this model.
	ModelUnknown fault.Code = "MODEL_UNKNOWN"     // The endpoint has no such model.
	QuotaSpent   fault.Code = "QUOTA_SPENT"       // The account is exhausted; retried only if the endpoint says when to return.
	RateLimited  fault.Code = "RATE_LIMITED"      // The endpoint's rate limit was exceeded; it may say when to return.
	TooLong      fault.Code = "CONTEXT_TOO_LONG"  // The question exceeds the model's context window.
	Truncated    fault.Code = "CONTEXT_TRUNCATED" // The endpoint read less than half of the question; the reply is kept as evidence only.
	Filtered     fault.Code = "CONTENT_FILTERED"  // A content filter blocked the question or the reply.
	Malformed    fault.Code = "MALFORMED_ANSWER"  // The endpoint's response is not the JSON of its API.
	TooLarge     fault.Code = "REPLY_TOO_LARGE"   // The reply exceeds the size limit; the rest was not read.
)

// Failure is why a call has no answer.
type Failure struct {
	Code     fault.Code
	Detail   string
	Hint     string
	Retry    bool          // asking again may help
	After    time.Duration // not before this long from now; 0 where nobody said
	Partial  string        // what came before it broke off: evidence, never an answer
	Attempts int           // how often the other side was asked; 0 where we never got so far
	Usage    Usage         // what it cost all the same, over all attempts
	Cause    error
}

func (f *Failure) Error() string {
	if f.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", f.Code, f.Detail, f.Cause)
	}
	return string(f.Code) + ": " + f.Detail
}

func (f *Failure) Unwrap() error { return f.Cause }

// Usage is what a call cost, over all attempts.
type Usage struct {
	Input   int  // tokens
	Output  int  // tokens
	Guessed bool // nobody told us: these are our own counts
}

// Guess counts the tokens of a text where nobody gave a counter: about four characters
// are one token in English.
func Guess(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

const (
	// MostTokens is more than any one exchange has.
	MostTokens = 1_000_000_000
	// mostInAll is where sums end: two of them are a number that JSON carries exactly.
	mostInAll = min(1<<52-1, math.MaxInt)
)

// Plus gives what two calls cost together. A sum of which a part is guessed is a
// guess. No part of it is less than nothing, and none grows past what can be written
// down: a sum must not become a small one, or one below zero.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: sum(u.Input, v.Input), Output: sum(u.Output, v.Output), Guessed: u.Guessed || v.Guessed}
}

func sum(a, b int) int {
	a, b = min(max(a, 0), mostInAll), min(max(b, 0), mostInAll)
	if a > mostInAll-b {
		return mostInAll
	}
	return a + b
}

// believable gives a usage of one exchange as far as it can be true. Who claims less
// than nothing has told us nothing.
func (u Usage) believable() Usage {
	return Usage{
		Input: min(max(u.Input, 0), MostTokens), Output: min(max(u.Output, 0), MostTokens),
		Guessed: u.Guessed || u.Input < 0 || u.Output < 0,
	}
}

// Tokens reads a number of tokens as somebody reports it in JSON. Some write numbers
// with a point; what is no whole number, or none that can be true, tells nothing.
func Tokens(said []byte) (int, bool) {
	n, err := strconv.ParseFloat(string(said), 64)
	if err != nil || !(n >= 0 && n <= MostTokens) || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}

// The codes of agents that cannot be made.
const (
	UnknownKind fault.Code = "UNKNOWN_AGENT_KIND" // Unknown `via`.
	NoKind      fault.Code = "NO_AGENT_KIND"      // No `via` for an agent.
)

// Setup is what a kind is told of one agent. Whatever else it needs (a client, a
// key, a log) is its Maker's business, which is a closure over it.
type Setup struct {
	roster.Entry
	ModelID string // what the model is called where it is asked
	BaseURL string // where that is
	Seed    *int   // for the model; nil leaves it to its configuration
	// Before are the agents of the same role that stand before it in the roster.
	Before []string
}

// Maker makes one agent of a kind. It tries nothing out: a kind that cannot be
// reached shows when it is asked.
type Maker func(Setup) (Agent, error)

// Registry holds the kinds of agents, each under the word that `via` has for it.
type Registry struct{ makers map[string]Maker }

// NewRegistry makes a registry of these kinds.
func NewRegistry(makers map[string]Maker) *Registry {
	return &Registry{maps.Clone(makers)}
}

// Kinds gives the words for the kinds, sorted.
func (r *Registry) Kinds() []string { return slices.Sorted(maps.Keys(r.makers)) }

// Make makes an agent that keeps the contract: it is guarded, and answers a call
// once.
func (r *Registry) Make(kind string, s Setup) (Agent, error) {
	maker, ok := r.makers[kind]
	if !ok {
		return nil, r.unknown(kind, s)
	}
	a, err := maker(s)
	if err != nil {
		return nil, err
	}
	return Once(Guard(a)), nil
}

func (r *Registry) unknown(kind string, s Setup) error {
	known := r.Kinds()
	list := "known kinds: " + strings.Join(known, ", ")
	if strings.TrimSpace(kind) == "" {
		return &fault.Error{
			Code: NoKind, Detail: "nothing says how " + fault.Shown(s.Agent) + " is reached",
			Hint: "say it with --via or with via in brenner.yaml; " + list,
		}
	}
	if near, ok := text.Nearest(kind, known); ok {
		list = "did you mean " + fault.Shown(near) + "? " + list
	}
	return &fault.Error{
		Code: UnknownKind, Detail: fault.Shown(s.Agent) + " cannot be reached via " + fault.Shown(kind), Hint: list,
	}
}
