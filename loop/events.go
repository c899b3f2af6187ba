package loop

import (
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store/journal"
)

// Prefix is what the names of loops' streams begin with.
const Prefix = "loop/"

// The codes of a journal that makes no sense as a loop.
const (
	UnknownEvent fault.Code = "UNKNOWN_LOOP_EVENT" // The loop's journal has an event or rules unknown to this program.
	BadSequence  fault.Code = "BAD_LOOP_SEQUENCE"  // An event in a loop's journal is unreadable or out of order.
)

// The kinds of events of a loop.
const (
	KindOpened   = "loop.opened"
	KindResumed  = "loop.resumed"
	KindLeft     = "loop.left"
	KindEnded    = "loop.ended"
	KindAdded    = "loop.added"
	KindPaused   = "loop.paused"
	KindUnpaused = "loop.unpaused"
	KindStopping = "loop.stopping"
	KindRound    = "round.opened"
	KindBegan    = "session.began"
	KindSettled  = "session.settled"
	KindReported = "report.sent"
)

// Opened is the first event: everything that decides what the sessions come to.
type Opened struct {
	Name    string `json:"name"`
	Rules   string `json:"rules"`   // by which it decides: those of Next
	Program string `json:"program"` // what wrote it: "brenner 0.3.0"
	Plan    string `json:"plan"`    // the hash of the file
	// File is where that was, as seen from the project, for whoever goes on.
	File string `json:"file,omitempty"`
	// Key is that for which the plan is run once; without one it is run as often as it
	// is asked for.
	Key    string `json:"key,omitempty"`
	Work   Work   `json:"work"`
	Limits Limits `json:"limits"`
	// Deliver says to whom the report was to go when the loop began: who is named later
	// is owed nothing by a loop that has ended.
	Deliver []string `json:"deliver,omitempty"`
}

// Work is what is to be done. It stays as it is for as long as the loop lives, but
// for what is added.
type Work struct {
	Questions []Question    `json:"questions"`
	Rosters   []Roster      `json:"rosters"`
	Models    []PlanModel   `json:"models,omitempty"`
	Cells     []Cell        `json:"cells"`
	Script    string        `json:"script,omitempty"` // hash; of scripted agents, for questions without one of their own
	Via       string        `json:"via,omitempty"`
	Follow    *Follow       `json:"follow,omitempty"`
	Rotate    bool          `json:"rotate,omitzero"`
	Settings  flow.Settings `json:"settings"` // of each session

	index *workIndex // by id; nil is looked up in the lists
}

// Question is what sessions are about.
type Question struct {
	ID          string     `json:"id"`
	Question    string     `json:"question"`
	Context     string     `json:"context,omitempty"`
	Hypotheses  []string   `json:"hypotheses,omitempty"`
	Constraints []string   `json:"constraints,omitempty"`
	Excerpt     string     `json:"excerpt,omitempty"` // hash
	Evidence    []Evidence `json:"evidence,omitempty"`
	Script      string     `json:"script,omitempty"` // hash; of scripted agents
}

// Evidence is a file that every agent is given.
type Evidence struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Roster is who takes part, as it was resolved.
type Roster struct {
	ID     string         `json:"id"`
	Roster jsontext.Value `json:"roster"`
}

// PlanModel says which model everybody of a session has.
type PlanModel struct {
	ID      string `json:"id"`
	Model   string `json:"model,omitempty"`    // as rosters name models
	Via     string `json:"via,omitempty"`      // how it is reached
	ModelID string `json:"model_id,omitempty"` // where it is asked
}

// Cell is a session of every round, by the ids of what it is made of.
type Cell struct {
	ID       string `json:"id,omitempty"`
	Question string `json:"question"`
	Roster   string `json:"roster"`
	Model    string `json:"model,omitempty"`
	Seed     *int   `json:"seed,omitzero"`   // nil: what the configuration says of the model
	After    string `json:"after,omitempty"` // the id of another cell, or a session of the store
}

// What sessions of later rounds begin with.
const (
	FollowOwn  = "own"  // what their own cell came to
	FollowBest = "best" // the best that came of their question
)

// Follow says that sessions of later rounds begin with what the round before them
// came to, and which sections of it they take over.
type Follow struct {
	From     string   `json:"from"`
	Take     []string `json:"take"`
	Relation string   `json:"relation"`
}

// Limits are what may change while a loop goes on; each change is journaled.
type Limits struct {
	Rounds      int    `json:"rounds"`
	Concurrency int    `json:"concurrency"`
	Tokens      int    `json:"tokens,omitzero"` // for everything; 0 is no limit
	USD         int64  `json:"nano_usd,omitzero"`
	Until       string `json:"until,omitempty"` // an instant
	Stop        string `json:"stop,omitempty"`  // what the plan says of it
	Quiet       int    `json:"quiet_rounds,omitzero"`
	Clean       bool   `json:"when_clean,omitzero"`
	Failures    int    `json:"failures,omitzero"` // so many failed sessions are too many; 0: never
	Person      bool   `json:"when_person_needed,omitzero"`
	Retry       int    `json:"retry,omitzero"`    // how often a failed session is resumed
	Pause       int64  `json:"pause_ms,omitzero"` // how long it is left alone before; twice as long each time
	Then        string `json:"then,omitempty"`    // go_on or stop
}

// What becomes of a loop when a session has failed for good.
const (
	ThenGoOn = "go_on"
	ThenStop = "stop"
)

// Resumed begins another run.
type Resumed struct {
	Limits *Limits `json:"limits,omitempty"`      // if they changed
	Retry  bool    `json:"retry_failed,omitzero"` // failed sessions are tried again
}

// Left is the end of a run that was told to go.
type Left struct {
	Reason string `json:"reason"`
}

// Ended is the end of the loop, by one of its rules or by a person.
type Ended struct {
	Reason string `json:"reason"`
}

// Added is more work, for the round that is open and for those after it.
type Added struct {
	By        string     `json:"by"`
	Questions []Question `json:"questions,omitempty"`
	Cells     []Cell     `json:"cells"`
}

// Paused says that no more sessions begin.
type Paused struct {
	By string `json:"by"`
}

// Stopping says that a person wants the loop to end.
type Stopping struct {
	By string `json:"by"`
}

// RoundOpened begins a round: its sessions are numbered from here.
type RoundOpened struct {
	Round int `json:"round"`
}

// Began is journaled before a session: what it is called, and what is set aside
// for it. It stands again before each further attempt.
type Began struct {
	Job         int    `json:"job"`
	Thread      string `json:"thread"`
	Base        string `json:"base,omitempty"` // the session that it follows
	Reserved    int    `json:"reserved_tokens"`
	ReservedUSD int64  `json:"reserved_nano_usd,omitzero"`
}

// What a session came to.
const (
	Done    = "done"
	Short   = "short" // its own budget did not reach to its end
	Failed  = "failed"
	Skipped = "skipped" // what it was to follow came to nothing
	Later   = "later"   // a provider said when to return
	Aside   = "left"    // it was interrupted, and can be resumed
)

// Settled is what came of a session, or of an attempt.
type Settled struct {
	Job       int        `json:"job"`
	Outcome   string     `json:"outcome"`
	Reason    string     `json:"reason,omitempty"` // by which the session itself ended
	Code      fault.Code `json:"code,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	RetryAt   string     `json:"retry_at,omitempty"`
	Round     int        `json:"round,omitzero"`
	Version   int        `json:"version,omitzero"`
	Artifact  string     `json:"artifact,omitempty"` // the hash of the whole JSON
	Spent     int        `json:"tokens"`             // in all attempts
	SpentUSD  int64      `json:"nano_usd,omitzero"`
	Wants     int        `json:"wants_tokens,omitzero"` // of one that is short: by the calls that its budget did not allow
	WantsUSD  int64      `json:"wants_nano_usd,omitzero"`
	Merged    int        `json:"merged,omitzero"`  // how often answers were merged
	Missing   int        `json:"missing,omitzero"` // answers
	Conflicts int        `json:"conflicts,omitzero"`
	// Stalemates are those that wait for a person and are about no conflict.
	Stalemates int      `json:"stalemates,omitzero"`
	Errors     int      `json:"lint_errors,omitzero"`
	Warnings   int      `json:"lint_warnings,omitzero"`
	Tests      int      `json:"tests,omitzero"`
	Says       []string `json:"says,omitempty"` // what its active items say, by short hashes
}

// Cost is what the session has cost.
func (t *Settled) Cost() flow.Cost { return flow.Cost{Tokens: t.Spent, USD: t.SpentUSD} }

// Wanting is what it would have had to have set aside to go on.
func (t *Settled) Wanting() flow.Cost { return flow.Cost{Tokens: t.Wants, USD: t.WantsUSD} }

// Needs counts what of a session only a person can decide. All that asks for a person
// asks here: the stop rule, the list of sessions that wait, and the rule that a session
// is clean.
func (t *Settled) Needs() int { return t.Conflicts + t.Stalemates }

// Reported is what became of the report.
type Reported struct {
	To     string     `json:"to"`
	Code   fault.Code `json:"code,omitempty"`
	Detail string     `json:"detail,omitempty"`
}

// Reasons for which a loop ends.
const (
	EndRounds   = "rounds"
	EndTime     = "time"
	EndBudget   = "budget"
	EndQuiet    = "quiet"
	EndClean    = "clean"
	EndFailures = "failures"
	EndPerson   = "person"
	EndStopped  = "stopped"
)

func decode[T any](e *journal.Entry) (T, error) { return journal.Decode[T](e, BadSequence) }
