// Package flow is a session as a machine: Fold gives the state that a journal
// stands for, Next gives the commands that lead on from a state. Whoever runs a
// session only executes commands and journals what came of them; a run that was
// killed goes on by folding what it left.
//
// The package is pure. It knows no agent, no store and no clock.
package flow

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/roster"
)

// The codes of a journal that makes no sense as a session.
const (
	UnknownEvent fault.Code = "UNKNOWN_EVENT"
	BadSequence  fault.Code = "BAD_SEQUENCE"
)

// The kinds of events of a session.
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

// Opened is the first event: everything that decides what the session comes to.
type Opened struct {
	Thread      string         `json:"thread"`
	Operator    string         `json:"operator"`
	Program     string         `json:"program"` // what wrote it: "brenner 0.3.0"
	Question    string         `json:"question"`
	Context     string         `json:"context,omitempty"`
	Excerpt     string         `json:"excerpt,omitempty"` // a hash, like all that can be long
	Evidence    []Evidence     `json:"evidence,omitempty"`
	Constraints []string       `json:"constraints,omitempty"`
	Brief       string         `json:"brief"` // the hash of the operator's deltas
	Roster      jsontext.Value `json:"roster"`
	Agents      []Party        `json:"agents"`            // in the roster's order
	Arbiter     *Party         `json:"arbiter,omitempty"` // who is asked when the session is stuck; no party of it
	Rules       Rules          `json:"rules"`
	Rehearsal   string         `json:"rehearsal,omitempty"` // the hash of the script
	Settings    Settings       `json:"settings"`
	// Records is always true, and nobody asks: the roster, kickoffs and replies of every
	// session are records of the store. Journals have the key, and are read strictly.
	Records bool   `json:"records,omitzero"`
	Module  string `json:"module,omitempty"` // of the project; "" is the whole
}

// Evidence is a file that every agent is given.
type Evidence struct {
	ID   string `json:"id"` // "EV-001"
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Party is an agent and how it is reached.
type Party struct {
	Name    string `json:"name"`
	Role    string `json:"role,omitempty"`
	Program string `json:"program,omitempty"`
	Model   string `json:"model,omitempty"`
	Via     string `json:"via"`
	ModelID string `json:"model_id,omitempty"`
	Seed    *int   `json:"seed,omitempty"` // that the model is asked with
	View    string `json:"view,omitempty"` // the hash of its view's specification
}

// Entry returns the party as the roster has it.
func (p *Party) Entry() roster.Entry {
	return roster.Entry{Agent: p.Name, Role: roster.Role(p.Role), Program: p.Program, Model: p.Model}
}

// Everyone returns all who are asked in a session, the arbiter last.
func Everyone(parties []Party, arbiter *Party) []Party {
	if arbiter == nil {
		return parties
	}
	return append(parties[:len(parties):len(parties)], *arbiter)
}

// Party returns the agent of a name; one that is not there is empty.
func (o *Opened) Party(name string) Party {
	for _, p := range o.Agents {
		if p.Name == name {
			return p
		}
	}
	return Party{}
}

// Settings are what may change while a session goes on; each change is journaled.
type Settings struct {
	Rounds int    `json:"rounds"`
	Flow   string `json:"flow"`   // parallel or staged
	Quorum string `json:"quorum"` // role, all, or a number of answers
	Budget int    `json:"budget_tokens"`
	// BudgetUSD and Prices are in billionths of a dollar: whole numbers, so that a
	// ledger of them is exact.
	BudgetUSD  int64  `json:"budget_nano_usd,omitzero"`
	Prices     Prices `json:"prices,omitempty"`
	Reply      int    `json:"reply_tokens"` // reserved for each answer
	QuietAfter int    `json:"quiet_rounds"` // rounds without anything new that end it; 0: never
	WhenClean  bool   `json:"stop_when_clean"`
	Repair     bool   `json:"repair"` // ask once more for what could not be read
	// Context is the most tokens that one call may send; 0 is the built-in bound.
	Context int   `json:"context_tokens,omitzero"`
	Limits  Times `json:"limits"`
}

// Times are how long things may take, in milliseconds; 0 is no limit.
type Times struct {
	Call  int64 `json:"call_ms"`
	Idle  int64 `json:"idle_ms"`
	Agent int64 `json:"agent_ms"`
	Run   int64 `json:"run_ms"`
}

// Planned begins a leg of a round: who is asked, and with what.
type Planned struct {
	Round    int       `json:"round"`
	Leg      int       `json:"leg"`
	At       string    `json:"at"`   // the instant of everything in it
	Base     int       `json:"base"` // the version that was shown
	Kickoffs []Kickoff `json:"kickoffs"`
	// Mailboxes are the names of agents on a mail server, which may give them others
	// than the roster does.
	Mailboxes []Mailbox `json:"mailboxes,omitempty"`
}

// Mailbox is an agent of the roster on a mail server.
type Mailbox struct {
	Agent string `json:"agent"`
	Name  string `json:"name"`
}

// Kickoff is a message as it was composed.
type Kickoff struct {
	Agent    string   `json:"agent"`
	Subject  string   `json:"subject"`
	Body     string   `json:"body"`     // hash
	Examples string   `json:"examples"` // hash
	Template string   `json:"template"`
	Hash     string   `json:"template_hash"`
	Tokens   int      `json:"tokens"`
	Saw      []string `json:"saw,omitempty"` // the items that its view shows
	// Records are the versions of the project's records that it shows.
	Records []RecordRef `json:"records,omitempty"`
	// RecordsView is the hash of the spec by which they were chosen.
	RecordsView string `json:"records_view,omitempty"`
	// Lessons are the bullets of the playbook that it quotes, LessonsLeft those for
	// which there was no room.
	Lessons     []string `json:"lessons,omitempty"`
	LessonsLeft []string `json:"lessons_left,omitempty"`
}

// RecordRef names a version of a record. Its content tells it from another project's
// record of the same name.
type RecordRef struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form,omitempty"`    // summary or full
	Content string `json:"content,omitempty"` // hash
}

// MovedRecord is a record that changed while agents worked with an earlier version.
type MovedRecord struct {
	ID      string `json:"id"`
	Version int    `json:"version"`      // that was shown
	Now     int    `json:"now,omitzero"` // that holds now; 0 where none does
}

// String is quoted by records of sessions, and is frozen with their words.
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
)

// Began is journaled before a call: what it is, and what is set aside for it.
type Began struct {
	Call        string `json:"call"`
	Agent       string `json:"agent"`
	Round       int    `json:"round"`
	Leg         int    `json:"leg"`
	Turn        string `json:"turn"`
	Prompt      string `json:"prompt"` // hash of what was sent
	Reserved    int    `json:"reserved_tokens"`
	ReservedUSD int64  `json:"reserved_nano_usd,omitzero"`
}

// Answered is a reply, stored verbatim before anybody reads it.
type Answered struct {
	Call     string `json:"call"`
	Reply    string `json:"reply"` // hash
	Model    string `json:"model,omitempty"`
	Input    int    `json:"input_tokens"`
	Output   int    `json:"output_tokens"`
	Cost     int64  `json:"nano_usd,omitzero"`
	Guessed  bool   `json:"guessed,omitzero"`
	Attempts int    `json:"attempts"`
	TookMS   int    `json:"took_ms"`
	Mend     int    `json:"mend"`             // how many things in it could be mended
	Letter   string `json:"letter,omitempty"` // the message that it came in, if it came by mail
}

// Failed is a call without an answer.
type Failed struct {
	Call     string     `json:"call"`
	Code     fault.Code `json:"code"`
	Detail   string     `json:"detail"`
	Hint     string     `json:"hint,omitempty"`
	Partial  string     `json:"partial,omitempty"` // hash of what came: evidence only
	Spent    int        `json:"spent_tokens"`      // what it may have cost all the same
	SpentUSD int64      `json:"spent_nano_usd,omitzero"`
	RetryAt  string     `json:"retry_at,omitempty"` // when asking again may help, where that is known
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

// Committed is a settlement. Version is that of the base where nothing changed.
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
	Stale    bool     `json:"stale_base,omitzero"` // somebody committed after the agents were shown the base
	// Moved are records that its authors were shown in a version that does not hold
	// any more when it is settled.
	Moved   []MovedRecord  `json:"moved_records,omitempty"`
	Outcome Outcome        `json:"outcome"`
	Active  map[string]int `json:"active"` // items of each section that were not killed
}

// Letter is a message of the session's thread that no call asked for.
type Letter struct {
	ID      string `json:"id"`    // on the mail server, and when it came: "17@2026-11-15T09:30:00Z"
	Agent   string `json:"agent"` // the roster's name
	Subject string `json:"subject"`
	At      string `json:"at"`    // when the server had it
	Body    string `json:"body"`  // hash
	Shown   int    `json:"shown"` // the version that its author had been sent
}

// Piece is an item that a version changed.
type Piece struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Outcome counts what a settlement came to.
type Outcome struct {
	Applied   int `json:"applied"`
	Rejected  int `json:"rejected"`
	Other     int `json:"other"`
	Conflicts int `json:"conflicts"`
	Errors    int `json:"lint_errors"`
	Warnings  int `json:"lint_warnings"`
}

// Noted is a word of a person to the agents.
type Noted struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

// Publishing is journaled before a version is mailed. The marker that the mail
// carries is made of the session and the version, so that it is the same however
// often it is tried.
type Publishing struct {
	Version int      `json:"version"`
	To      []string `json:"to"`
}

// Published is what came of it. A version that could not be mailed is not tried
// again by itself: the session does not hang on a mail server.
type Published struct {
	Version int        `json:"version"`
	Letters []string   `json:"letters,omitempty"`
	Missed  []string   `json:"missed,omitempty"` // agents who were not reached
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
	EndLater       = "later" // too few answered, and those who did not said when to return
	EndInterrupted = "interrupted"
	EndCompiled    = "compiled" // another tool asked; its thread was merged
)

// BrokeOff reports whether a session that ended for this reason goes on where it
// stopped when it is resumed.
func BrokeOff(reason string) bool {
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

// Resumed begins another run. Calls that began and were never answered, and calls
// that failed, are open again.
type Resumed struct {
	Settings *Settings `json:"settings,omitempty"` // if they changed
}
