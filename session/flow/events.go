// Package flow models a session as a state machine: Fold returns the state of a journal, and Next
// the next commands in a state. A runner only executes commands and journals their results; after
// a crash it folds the journal and continues.
//
// The package is pure. It must not know agents, stores or clocks.
package flow

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// Error codes of a journal that is not a valid session.
const (
	UnknownEvent fault.Code = "UNKNOWN_EVENT" // The journal has an event or rules unknown to this program.
	BadSequence  fault.Code = "BAD_SEQUENCE"  // A journal event cannot follow the events before it.
)

// Kinds of a session's events.
const (
	KindOpened    = "session.opened"
	KindResumed   = "session.resumed"
	KindEnded     = "session.ended"
	KindPlanned   = "round.planned"
	KindBegan     = "call.began"
	KindAnswered  = "call.answered"
	KindFailed    = "call.failed"
	KindCommitted = "version.committed"
	KindNoted     = "note.added"

	KindPublishing = "version.publishing"
	KindPublished  = "version.published"
)

// Opened is the first event: everything that determines the session's results.
type Opened struct {
	Thread      string         `json:"thread"`
	Operator    string         `json:"operator"`
	Program     string         `json:"program"` // that wrote it: "brenner 0.3.0"
	Question    string         `json:"question"`
	Context     string         `json:"context,omitempty"`
	Excerpt     string         `json:"excerpt,omitempty"` // hash, as for everything that can be long
	Evidence    []Evidence     `json:"evidence,omitempty"`
	Constraints []string       `json:"constraints,omitempty"`
	Brief       string         `json:"brief"` // hash of the operator's deltas
	Roster      jsontext.Value `json:"roster"`
	Agents      []Party        `json:"agents"`            // in roster order
	Arbiter     *Party         `json:"arbiter,omitempty"` // rules on stalemates; not a party
	Rules       Rules          `json:"rules"`
	Rehearsal   string         `json:"rehearsal,omitempty"` // hash of the script
	Settings    Settings       `json:"settings"`
	// Records is always true and never read: every session keeps its roster, kickoffs and
	// replies as records. Journals have the key and are read strictly.
	Records bool   `json:"records,omitzero"`
	Module  string `json:"module,omitempty"` // of the project; "" is the whole project
	// Protocol is the version of the conversation with the agents: what the prompts ask for, how
	// replies are read, and when a repair is requested. 0 stands for 1.
	Protocol int `json:"protocol,omitzero"`
	// Reader is the version of the rules by which replies are read; "" is the first.
	Reader delta.Reader `json:"reader,omitempty"`
	// Task is the version of the task spec that the session runs: "read-lewis@v1"; "" in all others.
	Task string `json:"task,omitempty"`
	// Writes is the version of the form in which replies may put records; 0 means that they cannot.
	Writes int `json:"writes,omitzero"`
	// Domain is the domain of the playbook whose lessons the session is shown and teaches. It is ""
	// in rehearsals, and in sessions opened before it was pinned.
	Domain string `json:"domain,omitempty"`
	// TaskContent is the hash of the task spec: another project may have another task of the same name.
	TaskContent string `json:"task_content,omitempty"`
}

// RecordsForm is the form of records in replies of new sessions.
const RecordsForm = 1

// Protocols of sessions.
const (
	// FirstProtocol asks for repairs of unreadable blocks only and drops cut replies.
	FirstProtocol = 1
	// SecondProtocol knows NO CHANGES, keeps the complete blocks of cut replies, journals the
	// outcome of each reply, and asks for repairs of most that an agent can correct.
	SecondProtocol = 2
	// ThirdProtocol is that of new sessions. It asks for repairs of everything that an agent can
	// correct, with exact hints, counts only what is not JSON as unreadable, and tells an agent in
	// the next kickoff if nothing of its reply was taken.
	ThirdProtocol = 3
)

// Follows reports whether the session follows a protocol or a later one.
func (o *Opened) Follows(protocol int) bool { return max(o.Protocol, FirstProtocol) >= protocol }

// Reads returns the version of the rules by which the session reads replies.
func (o *Opened) Reads() delta.Reader { return cmp.Or(o.Reader, delta.FirstReader) }

// ReadsRecords returns whether answers of the session may have records, or nothing else.
func (o *Opened) ReadsRecords() delta.RecordUse {
	switch {
	case o.Task != "":
		return delta.OnlyRecords
	case o.Writes > 0:
		return delta.WithRecords
	}
	return delta.NoRecords
}

// Evidence is a file shown to every agent.
type Evidence struct {
	ID   string `json:"id"` // "EV-001"
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Settings may change during a session; each change is journaled.
type Settings struct {
	Rounds int    `json:"rounds"`
	Flow   string `json:"flow"`   // parallel or staged
	Quorum string `json:"quorum"` // role, all, or a number of answers
	Budget int    `json:"budget_tokens"`
	// BudgetUSD and Prices are in billionths of a dollar: integers, so that sums are exact.
	BudgetUSD  int64  `json:"budget_nano_usd,omitzero"`
	Prices     Prices `json:"prices,omitempty"`
	Reply      int    `json:"reply_tokens"` // reserved for each answer
	QuietAfter int    `json:"quiet_rounds"` // rounds without changes that end the session; 0: never
	WhenClean  bool   `json:"stop_when_clean"`
	Repair     bool   `json:"repair"` // ask once more about unreadable blocks
	// Context is the maximum number of tokens that one call may send; 0 is the built-in bound.
	Context int   `json:"context_tokens,omitzero"`
	Limits  Times `json:"limits"`
	// Hypotheses is how many other explanations the arbiter's model is asked for in a stalemate; 0: it is not asked.
	Hypotheses int `json:"hypotheses,omitzero"`
}

// Times are time limits in milliseconds; 0 means no limit.
type Times struct {
	Call  int64 `json:"call_ms"`
	Idle  int64 `json:"idle_ms"`
	Agent int64 `json:"agent_ms"`
	Run   int64 `json:"run_ms"`
}

// Planned begins a leg of a round: the agents and their messages.
type Planned struct {
	Round    int       `json:"round"`
	Leg      int       `json:"leg"`
	At       string    `json:"at"`   // timestamp of everything in it
	Base     int       `json:"base"` // the version shown
	Kickoffs []Kickoff `json:"kickoffs"`
	// Mailboxes are the agents' names on a mail server, which may differ from the roster's.
	Mailboxes []Mailbox `json:"mailboxes,omitempty"`
}

// Mailbox is an agent's mailbox on a mail server.
type Mailbox struct {
	Agent string `json:"agent"`
	Name  string `json:"name"`
}

// Kickoff is a composed message.
type Kickoff struct {
	Agent    string   `json:"agent"`
	Subject  string   `json:"subject"`
	Body     string   `json:"body"`     // hash
	Examples string   `json:"examples"` // hash
	Template string   `json:"template"`
	Hash     string   `json:"template_hash"`
	Tokens   int      `json:"tokens"`
	Saw      []string `json:"saw,omitempty"` // the items in its view
	// Records are the versions of the project's records that it shows.
	Records []RecordRef `json:"records,omitempty"`
	// RecordsView is the hash of the spec that selected them.
	RecordsView string `json:"records_view,omitempty"`
	// Lessons are the quoted bullets of the playbook, LessonsLeft those that did not fit.
	Lessons     []string `json:"lessons,omitempty"`
	LessonsLeft []string `json:"lessons_left,omitempty"`
}

// RecordRef names a version of a record. Content distinguishes it from another project's record
// of the same name.
type RecordRef struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form,omitempty"`    // summary or full
	Content string `json:"content,omitempty"` // hash
}

// MovedRecord is a record that no longer held, in the version shown to agents, when their work was
// settled.
type MovedRecord struct {
	ID      string `json:"id"`
	Version int    `json:"version"`      // shown
	Now     int    `json:"now,omitzero"` // current; 0 if none is
}

// String returns text that session records quote; it is frozen with their wording.
func (m MovedRecord) String() string {
	now := "which does not hold any more"
	if m.Now > 0 {
		now = "and v" + strconv.Itoa(m.Now) + " holds now"
	}
	return m.ID + "@v" + strconv.Itoa(m.Version) + " was shown, " + now
}

// Turns of a call.
const (
	TurnAsk    = "ask"
	TurnRepair = "repair"
	TurnRule   = "rule" // of an arbiter
	// TurnExplain asks the model of the arbiter for other explanations, before the ruling.
	TurnExplain = "explain"
)

// Began is journaled before a call, with its reservation.
type Began struct {
	Call        string `json:"call"`
	Agent       string `json:"agent"`
	Round       int    `json:"round"`
	Leg         int    `json:"leg"`
	Turn        string `json:"turn"`
	Prompt      string `json:"prompt"` // hash of what was sent
	Reserved    int    `json:"reserved_tokens"`
	ReservedUSD int64  `json:"reserved_nano_usd,omitzero"`
	Schema      string `json:"schema,omitempty"` // hash of the schema of the reply, if there is one
	// Once means that the call is one message, however often it begins: what it was taken to cost
	// before no longer counts.
	Once bool `json:"once,omitzero"`
}

// Answered is a reply, stored verbatim before it is read.
type Answered struct {
	Call       string `json:"call"`
	Reply      string `json:"reply"` // hash
	Model      string `json:"model,omitempty"`
	Input      int    `json:"input_tokens"`
	Output     int    `json:"output_tokens"`
	Cost       int64  `json:"nano_usd,omitzero"`
	Guessed    bool   `json:"guessed,omitzero"`
	Attempts   int    `json:"attempts"`
	TookMS     int    `json:"took_ms"`
	Repairable int    `json:"mend"`             // number of repairable defects
	Letter     string `json:"letter,omitempty"` // its message, if it came by mail
	Cut        bool   `json:"cut,omitzero"`     // the reply ended at the limit of its length
	// Program is what the mailbox says of the author of a reply by mail, as Model does.
	Program  string `json:"program,omitempty"`
	NoSchema bool   `json:"no_schema,omitzero"` // the endpoint refused the schema
}

// Failed is a call without an answer.
type Failed struct {
	Call     string     `json:"call"`
	Code     fault.Code `json:"code"`
	Detail   string     `json:"detail"`
	Hint     string     `json:"hint,omitempty"`
	Partial  string     `json:"partial,omitempty"` // hash of the partial reply; evidence only
	Spent    int        `json:"spent_tokens"`      // possible cost
	SpentUSD int64      `json:"spent_nano_usd,omitzero"`
	RetryAt  string     `json:"retry_at,omitempty"` // when a retry may help, if known
	Attempts int        `json:"attempts"`
	TookMS   int        `json:"took_ms"`
}

// Sources of a version.
const (
	ByBrief  = "brief"
	ByRound  = "round"
	ByPerson = "person"
	ByThread = "thread" // letters outside of any call: critiques, late answers, another tool's session
)

// Committed is a settlement. Version is that of the base if nothing changed.
type Committed struct {
	Source   string   `json:"source"`
	Round    int      `json:"round,omitzero"`
	Leg      int      `json:"leg,omitzero"`
	Author   string   `json:"author,omitempty"` // of a brief, or of a person's deltas
	Deltas   string   `json:"deltas,omitempty"` // hash of those
	Letters  []Letter `json:"letters,omitempty"`
	At       string   `json:"at"`
	Message  int      `json:"message"` // number of its first contribution in the thread
	Version  int      `json:"version"`
	Artifact string   `json:"artifact"` // hash of the whole JSON, which is not stored
	Metadata string   `json:"metadata"` // hashes of its pieces
	Changed  []Piece  `json:"changed"`
	Stamps   string   `json:"stamps"`
	Report   string   `json:"report"` // hash
	Seal     string   `json:"seal"`
	Ruling   string   `json:"ruling,omitempty"`    // the stalemate whose ruling this is
	Stale    bool     `json:"stale_base,omitzero"` // another commit followed the base shown to the agents
	// Moved are records shown to its authors in versions that no longer hold when it is settled.
	Moved   []MovedRecord  `json:"moved_records,omitempty"`
	Outcome Outcome        `json:"outcome"`
	Active  map[string]int `json:"active"` // live items of each section
	// Heard is what each reply of the round came to; only since protocol 2.
	Heard []Heard `json:"heard,omitempty"`
}

// Heard is what an agent's reply, with its repair, came to.
type Heard struct {
	Agent   string `json:"agent"`
	Outcome string `json:"outcome"`          // see Contributed
	Reason  string `json:"reason,omitempty"` // of NO CHANGES, shortened
	// Applied and Rejected count its deltas, Fields the refused fields of applied ones,
	// Unreadable the blocks that could not be read.
	Applied    int  `json:"applied,omitzero"`
	Rejected   int  `json:"rejected,omitzero"`
	Fields     int  `json:"refused_fields,omitzero"`
	Unreadable int  `json:"unreadable,omitzero"`
	Cut        bool `json:"cut,omitzero"`  // the reply ended at the limit of its length
	Idle       int  `json:"idle,omitzero"` // those of Applied that changed no value; only since protocol 3
	// Repeated counts the deltas of a letter that its author had sent before; only since reader/2.
	Repeated int `json:"repeated,omitzero"`
}

// Outcomes of an agent in a round, the best first.
const (
	Contributed = "contributed" // a delta was applied
	NoChanges   = "no_changes"  // the agent wrote that there is nothing to change
	Refused     = "refused"     // its deltas were rejected, or had no effect
	Unreadable  = "unreadable"  // it wrote blocks, but none could be read
	ReplyCut    = "cut"         // the reply was cut before its first complete block
	ProseOnly   = "prose_only"  // neither a delta nor NO CHANGES
	NoReply     = "failed"      // the call failed
)

// Letter is a message of the session's thread outside of any call.
type Letter struct {
	ID      string `json:"id"`    // on the mail server, with its arrival time: "17@2026-11-15T09:30:00Z"
	Agent   string `json:"agent"` // in the roster
	Subject string `json:"subject"`
	At      string `json:"at"`    // arrival time on the server
	Body    string `json:"body"`  // hash
	Shown   int    `json:"shown"` // the version that it answers; until reader/1 the one last sent to its author
	// Since reader/2: the agents that received it, the examples that its author was shown (hash), and
	// its outcome.
	To       []string `json:"to,omitempty"`
	Examples string   `json:"examples,omitempty"`
	Heard    Heard    `json:"heard,omitzero"`
	// The examples of other kickoffs (hashes), and its round: of the session or, in that of another tool,
	// of the thread.
	More  []string `json:"more_examples,omitempty"`
	Round int      `json:"round,omitzero"`
	// It answers a question or a version itself, not a letter.
	Direct bool `json:"direct,omitzero"`
	// In the commit of a round, since reader/4: the reply of its author, or the correction of that, which it follows.
	Follows string `json:"follows,omitempty"`
}

// Piece is an item that a version changed.
type Piece struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Outcome counts the results of a settlement.
type Outcome struct {
	Applied   int `json:"applied"`
	Rejected  int `json:"rejected"`
	Other     int `json:"other"`
	Conflicts int `json:"conflicts"`
	Errors    int `json:"lint_errors"`
	Warnings  int `json:"lint_warnings"`
}

// Noted is a person's note to the agents.
type Noted struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

// Publishing is journaled before a version is mailed. The mail's marker is made of the session
// and the version, so that it is the same in every attempt.
type Publishing struct {
	Version int      `json:"version"`
	To      []string `json:"to"`
}

// Published is the result of a mailing. A failed one is not retried automatically: the session
// does not depend on a mail server.
type Published struct {
	Version int        `json:"version"`
	Letters []string   `json:"letters,omitempty"`
	Missed  []string   `json:"missed,omitempty"` // agents not reached
	Code    fault.Code `json:"code,omitempty"`
	Detail  string     `json:"detail,omitempty"`
}

// Reasons for which a session ends or pauses.
const (
	EndRounds      = "rounds"
	EndQuiet       = "quiet"
	EndClean       = "clean"
	EndBudget      = "budget"
	EndTime        = "time"
	EndQuorum      = "quorum"
	EndLater       = "later" // too few answers, and the missing agents named a time to retry
	EndInterrupted = "interrupted"
	EndCompiled    = "compiled" // another tool's thread was merged
)

// Resumable reports whether a session that ended for this reason can be continued in place.
func Resumable(reason string) bool {
	switch reason {
	case EndInterrupted, EndQuorum, EndTime, EndLater:
		return true
	}
	return false
}

// Ended is the end of a run. Resumed may follow it.
type Ended struct {
	Reason string `json:"reason"`
}

// Resumed begins another run. It reopens failed and unanswered calls.
type Resumed struct {
	Settings *Settings `json:"settings,omitempty"` // if changed
	// Ways are the agents that are reached in another way from now on.
	Ways []NewWay `json:"ways,omitempty"`
}

// NewWay is another way to an agent.
type NewWay struct {
	Agent   string `json:"agent"`
	ModelID string `json:"model_id,omitempty"`
	Way     Way    `json:"way"`
}
