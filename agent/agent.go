// Package agent defines the interface through which a session asks agents, the
// wrappers around it, and the registry of agent kinds. Each kind is a package
// below; agenttest is the suite that all of them pass.
//
// It promises: a session gets a complete reply or a *Failure with a code, never
// a panic; asking twice with one call id has one effect; and every wait ends
// when its context does.
//
// It must not know what a question or a reply means, where replies are stored, or
// what they cost.
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
	// Ask makes a call and waits for the complete reply. Asking again with the
	// same call id returns the same reply, or retries a call that failed. An
	// error is always a *Failure.
	Ask(ctx context.Context, c Call) (Reply, error)
}

// Func adapts a function to the Agent interface.
type Func func(ctx context.Context, c Call) (Reply, error)

// Ask calls the function.
func (f Func) Ask(ctx context.Context, c Call) (Reply, error) { return f(ctx, c) }

// Call is one question to one agent.
type Call struct {
	ID      string // globally unique: "RS-…/r1/BlueLake/ask"
	Agent   string // the roster's name
	Thread  string
	Round   int
	Subject string
	// Before is how often the call began before without a reply, in this process or another.
	Before int
	// Turns is the conversation so far; the last turn is ours. Tokens are their tokens, if known.
	Turns  []Turn
	Tokens int
	// Nudge is the reminder for an agent that has acknowledged the question but not
	// replied, where that is visible. It is sent once; if empty, there is no reminder.
	Nudge string
	// MaxReply limits the reply, in tokens; 0 leaves the limit to the agent.
	MaxReply int
	// Schema is the JSON schema of the reply, {"prose": …, "deltas": […]}, for agents that can be held to one; nil if
	// any text will do. It is valid in OpenAI's strict mode.
	Schema []byte
	// Drain, if not nil, is closed to stop the session. A call in flight
	// continues; one that waits for a slot or a retry ends immediately.
	Drain <-chan struct{}
	// Alive, if not nil, is called on every sign of life, to tell a silent agent
	// from a slow one.
	Alive func()
}

// drained reports whether Drain is closed.
func (c *Call) drained() bool { return isClosed(c.Drain) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c: // a nil channel is never ready
		return true
	default:
		return false
	}
}

// Turn is one message of a conversation.
type Turn struct {
	Own  bool   // written by the agent, not by us
	Text string // Markdown
}

// What is written before the agent's own text, and after it, where a conversation is sent as one text.
const (
	BeforeOwn = "\n\n---\n\nYou have answered this:\n\n"
	AfterOwn  = "\n\n---\n\n"
)

// Reply is a reply, complete unless Cut is set.
type Reply struct {
	Text  string // verbatim; may be blank beside Reasoning
	Model string // as reported by the other side; may be empty
	Usage Usage
	// Attempts is how often the other side was asked; at least 1.
	Attempts int
	// Letter is the key of the message that carried the reply, if it came by mail, and Program what
	// its mailbox says of the author, as Model does.
	Letter, Program string
	// NoSchema means that the call had a schema and the other side refused it, so that the reply was not held to it.
	NoSchema bool
	// Reasoning is what the other side sends as reasoning apart from the text.
	Reasoning string
	// Cut means that the text ends at the limit of its length. Asking again the same way would be
	// paid again and end there, too.
	Cut bool
}

// Whole makes cut replies failed calls, and those that are nothing but reasoning, for callers that need complete replies.
func Whole(a Agent) Agent {
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		reply, err := a.Ask(ctx, c)
		if err == nil && (reply.Cut || reply.isBlank()) {
			return Reply{}, reply.AsFailure()
		}
		return reply, err
	})
}

func (r *Reply) isBlank() bool { return strings.TrimSpace(r.Text) == "" }

// AsFailure returns a cut reply, or one without text, as a failed call, for callers that need complete replies.
func (r *Reply) AsFailure() *Failure {
	if !r.Cut {
		return &Failure{
			Code: Empty, Detail: "blank reply: all of it is reasoning", Hint: "ask again, or ask another model",
			Partial: r.Reasoning, Attempts: r.Attempts, Usage: r.Usage,
		}
	}
	return &Failure{
		Code: Cut, Detail: "reply cut off at the token limit", Hint: "raise budget.reply_tokens; reasoning counts too",
		Partial: r.Text, Attempts: r.Attempts, Usage: r.Usage,
	}
}

// Codes of failed calls.
const (
	Unavailable fault.Code = "AGENT_UNAVAILABLE" // The agent is unreachable, or asked to retry later.
	Refused     fault.Code = "AGENT_REFUSED"     // The agent will not answer this call; retrying does not help.
	TimedOut    fault.Code = "AGENT_TIMEOUT"     // The call exceeded `timeouts.call` or `timeouts.agent`.
	Idle        fault.Code = "AGENT_IDLE"        // The agent was silent for longer than `timeouts.idle`.
	Cut         fault.Code = "REPLY_CUT"         // The connection was lost, or a caller that needs a complete reply got a cut one; partial text is kept as evidence.
	Empty       fault.Code = "REPLY_EMPTY"       // The reply is empty.
	Stopped     fault.Code = "AGENT_STOPPED"     // The call was cancelled before a reply: the session was interrupted or timed out.
	Broken      fault.Code = "AGENT_BROKEN"      // The adapter for this agent failed; the session continues without its reply.
)

// Codes of failed calls to models. They are declared here, not with a kind,
// because a session acts on some of them.
const (
	NoAuth       fault.Code = "AGENT_AUTH"        // The endpoint requires a key, or rejected the one it was sent.
	Forbidden    fault.Code = "AGENT_FORBIDDEN"   // The key is valid but has no access to this model.
	ModelUnknown fault.Code = "MODEL_UNKNOWN"     // The endpoint has no such model.
	HostUnknown  fault.Code = "HOST_UNKNOWN"      // The endpoint's host name does not exist.
	QuotaSpent   fault.Code = "QUOTA_SPENT"       // The account is exhausted; retried only if the endpoint says when to return.
	RateLimited  fault.Code = "RATE_LIMITED"      // The endpoint's rate limit was exceeded; it may say when to return.
	TooLong      fault.Code = "CONTEXT_TOO_LONG"  // The question, or the question with the longest reply, exceeds the model's context window.
	Truncated    fault.Code = "CONTEXT_TRUNCATED" // The endpoint read less than half of the question; the reply is kept as evidence only.
	Filtered     fault.Code = "CONTENT_FILTERED"  // A content filter blocked the question or the reply.
	Malformed    fault.Code = "MALFORMED_ANSWER"  // The endpoint's response is not the JSON of its API.
	TooLarge     fault.Code = "REPLY_TOO_LARGE"   // The reply exceeds the size limit; the rest was not read.
)

// Failure is the error of a failed call.
type Failure struct {
	Code     fault.Code
	Detail   string
	Hint     string
	Retry    bool          // a retry may help
	After    time.Duration // how long to wait before a retry; 0 if unknown
	Partial  string        // text received before the failure: evidence, not a reply
	Attempts int           // how often the other side was asked; 0 if never
	Free     int           // attempts of these in which it did no work
	Unsent   bool          // the last attempt was not sent
	Usage    Usage         // tokens spent, over all attempts
	Cause    error
}

func (f *Failure) Error() string {
	if f.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", f.Code, f.Detail, f.Cause)
	}
	return string(f.Code) + ": " + f.Detail
}

func (f *Failure) Unwrap() error { return f.Cause }

// MayHaveWorked reports whether the other side may have done work in an attempt that it did not report.
func (f *Failure) MayHaveWorked() bool {
	switch f.Code {
	case TimedOut, Idle, Cut, Stopped, Broken:
		return f.Attempts > f.Free
	case Unavailable: // the connection was closed after the request was sent
		return f.Attempts > f.Free && f.Usage.Guessed
	}
	return false
}

// Usage is what a call cost, over all attempts.
type Usage struct {
	Input   int  // tokens
	Output  int  // tokens
	Guessed bool // estimated by us, not reported
}

// EstimateTokens estimates the tokens of text without a tokenizer: about four characters
// each in English.
func EstimateTokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

const (
	// MaxTokens bounds the tokens of a single exchange.
	MaxTokens = 1_000_000_000
	// maxSum bounds sums of tokens: adding two of them is still exact in JSON.
	maxSum = min(1<<52-1, math.MaxInt)
)

// Plus returns the sum of two usages. It is guessed if either part is. Values are
// clamped, so a sum neither overflows nor becomes negative.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: sum(u.Input, v.Input), Output: sum(u.Output, v.Output), Guessed: u.Guessed || v.Guessed}
}

func sum(a, b int) int {
	a, b = min(max(a, 0), maxSum), min(max(b, 0), maxSum)
	if a > maxSum-b {
		return maxSum
	}
	return a + b
}

// clamped returns the usage of one exchange within plausible bounds. Negative
// counts make it guessed.
func (u Usage) clamped() Usage {
	return Usage{
		Input: min(max(u.Input, 0), MaxTokens), Output: min(max(u.Output, 0), MaxTokens),
		Guessed: u.Guessed || u.Input < 0 || u.Output < 0,
	}
}

// ParseTokens parses a token count from JSON. Some servers write numbers with a decimal
// point; anything but a plausible whole number is rejected.
func ParseTokens(raw []byte) (int, bool) {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(n >= 0 && n <= MaxTokens) || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}

// Codes of errors from Registry.Make.
const (
	UnknownKind fault.Code = "UNKNOWN_AGENT_KIND" // Unknown `via`.
	NoKind      fault.Code = "NO_AGENT_KIND"      // No `via` for an agent.
)

// Setup describes one agent to its Maker. A Maker closes over anything else it
// needs, such as a client or a key.
type Setup struct {
	roster.Entry
	ModelID string // the model's id at the endpoint
	// BaseURL, API and Structured are the endpoint, its API and how deltas are requested.
	BaseURL, API, Structured string
	Seed                     *int // for the model; nil leaves it to its configuration
	// Before lists the agents of the same role that precede it in the roster.
	Before []string
}

// Maker makes one agent of a kind. It does not connect: an unreachable agent
// fails when it is asked.
type Maker func(Setup) (Agent, error)

// Registry holds the kinds of agents by their `via` name.
type Registry struct{ makers map[string]Maker }

// NewRegistry makes a registry of these kinds.
func NewRegistry(makers map[string]Maker) *Registry {
	return &Registry{maps.Clone(makers)}
}

// Kinds returns the names of the kinds, sorted.
func (r *Registry) Kinds() []string { return slices.Sorted(maps.Keys(r.makers)) }

// Make makes an agent, wrapped in Guard and Once.
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
			Code: NoKind, Detail: "no via for " + fault.Shown(s.Agent),
			Hint: "pass --via, or set via in brenner.yaml; " + list,
		}
	}
	if near, ok := text.Nearest(kind, known); ok {
		list = "did you mean " + fault.Shown(near) + "? " + list
	}
	return &fault.Error{
		Code: UnknownKind, Detail: fault.Shown(s.Agent) + ": unknown via " + fault.Shown(kind), Hint: list,
	}
}
