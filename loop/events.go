package loop

import (
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store/journal"
)

// Prefix starts the name of every loop's stream.
const Prefix = "loop/"

// The codes of invalid loop journals.
const (
	UnknownEvent fault.Code = "UNKNOWN_LOOP_EVENT" // The loop's journal has an event or rules unknown to this program.
	BadSequence  fault.Code = "BAD_LOOP_SEQUENCE"  // An event in a loop's journal is unreadable or out of order.
)

// The event kinds of a loop.
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
	KindReached  = "endpoint.reached"
)

// Opened is the first event. It holds everything the sessions' results depend on.
type Opened struct {
	Name    string `json:"name"`
	Rules   string `json:"rules"`   // version of the rules in Next
	Program string `json:"program"` // that wrote it, such as "brenner 0.3.0"
	Plan    string `json:"plan"`    // hash of the plan's file
	// File is the path of the plan, relative to the project.
	File string `json:"file,omitempty"`
	// Key limits the plan to one run per key; without one, each command starts a loop.
	Key    string `json:"key,omitempty"`
	Work   Work   `json:"work"`
	Limits Limits `json:"limits"`
	// Deliver lists the report's readers when the loop began. Readers configured after
	// the loop has ended do not get its report automatically.
	Deliver []string `json:"deliver,omitempty"`
	// Ways are how models and programs are reached, in all sessions.
	Ways []RosterWays `json:"ways,omitempty"`
	// Preflight is how the models replied before the first session; nil if they were not asked.
	Preflight *Preflight `json:"preflight,omitempty"`
	// Pins identify what decides the results besides the work; nil in loops of earlier programs.
	Pins *Pins `json:"pins,omitempty"`
	At   At    `json:"at,omitzero"`
}

// At is where a run takes place. The zero value is the process that journals it.
type At struct {
	// Place names the place of its sessions; the program brenner-PLACE knows it.
	Place string `json:"place"`
	// Submitted says that the place's machines run the loop, too, and continue it by themselves.
	Submitted bool `json:"submitted,omitzero"`
}

// Pins identify what must be equal on all machines that run sessions of a loop.
type Pins struct {
	Config  string `json:"config"`  // hash of the settings that decide results
	Prompts string `json:"prompts"` // of the prompts and the rules of this program
}

// RosterWays are how the agents of a roster are reached with one of the work's models, and the
// arbiter, if any.
type RosterWays struct {
	Roster  string       `json:"roster"`
	Model   string       `json:"model,omitempty"`
	Agents  []flow.Party `json:"agents"`
	Arbiter *flow.Party  `json:"arbiter,omitempty"`
}

// Preflight is the cost and the result of asking each model before the first session.
type Preflight struct {
	Spent    int     `json:"tokens"`
	SpentUSD int64   `json:"nano_usd,omitzero"`
	Probes   []Probe `json:"probes,omitempty"`
	// LostTokens is the part of Spent that is assumed for calls without a usable reply.
	LostTokens int `json:"lost_tokens,omitzero"`
}

// Lost returns the tokens assumed for calls without a usable reply.
func (p *Preflight) Lost() int {
	if p == nil {
		return 0
	}
	return p.LostTokens
}

// Probe is how one model, or one program, replied.
type Probe struct {
	Name   string     `json:"name"`
	Status string     `json:"status"`
	Code   fault.Code `json:"code,omitempty"` // of a failure
	Found  string     `json:"found"`
}

// Cost returns what the preflight has cost.
func (p *Preflight) Cost() flow.Cost {
	if p == nil {
		return flow.Cost{}
	}
	return flow.Cost{}.Plus(flow.Cost{Tokens: p.Spent, USD: p.SpentUSD})
}

// Work describes the sessions to run. It never changes, except that work can be added.
type Work struct {
	Questions []Question    `json:"questions"`
	Rosters   []Roster      `json:"rosters"`
	Models    []PlanModel   `json:"models,omitempty"`
	Cells     []Cell        `json:"cells"`
	Script    string        `json:"script,omitempty"` // hash; default script for scripted agents
	Via       string        `json:"via,omitempty"`
	Follow    *Follow       `json:"follow,omitempty"`
	Rotate    bool          `json:"rotate,omitzero"`
	Settings  flow.Settings `json:"settings"` // of each session
	Tasks     []Task        `json:"tasks,omitempty"`

	index *workIndex // by id; if nil, lookups scan the lists
}

// Question is the subject of sessions.
type Question struct {
	ID          string     `json:"id"`
	Question    string     `json:"question"`
	Context     string     `json:"context,omitempty"`
	Hypotheses  []string   `json:"hypotheses,omitempty"`
	Constraints []string   `json:"constraints,omitempty"`
	Excerpt     string     `json:"excerpt,omitempty"` // hash
	Evidence    []Evidence `json:"evidence,omitempty"`
	Script      string     `json:"script,omitempty"` // hash; for scripted agents
}

// Evidence is a file shown to every agent.
type Evidence struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Roster is a resolved roster.
type Roster struct {
	ID     string         `json:"id"`
	Roster jsontext.Value `json:"roster"`
	// Needs is what a machine must have to run its sessions.
	Needs string `json:"needs,omitempty"`
}

// PlanModel is a model that all agents of a session use.
type PlanModel struct {
	ID      string `json:"id"`
	Model   string `json:"model,omitempty"`    // as rosters name models
	Via     string `json:"via,omitempty"`      // transport
	ModelID string `json:"model_id,omitempty"` // the provider's id
}

// Cell is one session of every round; its parts are ids.
type Cell struct {
	ID       string `json:"id,omitempty"`
	Question string `json:"question"`
	Roster   string `json:"roster"`
	Model    string `json:"model,omitempty"`
	Seed     *int   `json:"seed,omitzero"`   // nil uses the configuration's
	After    string `json:"after,omitempty"` // id of another cell, or a stored session
	Task     string `json:"task,omitempty"`  // id of the task it runs, which has no question; only in the first round
}

// The earlier results that sessions of later rounds can start from.
const (
	FollowOwn  = "own"  // the last of the same cell
	FollowBest = "best" // the best for the same question
)

// Follow makes sessions of later rounds start from an earlier result. Take lists the
// sections to inherit.
type Follow struct {
	From     string   `json:"from"`
	Take     []string `json:"take"`
	Relation string   `json:"relation"`
}

// Limits may change when a loop is resumed; each change is journaled.
type Limits struct {
	Rounds      int    `json:"rounds"`
	Concurrency int    `json:"concurrency"`
	Tokens      int    `json:"tokens,omitzero"` // total; 0 means no limit
	USD         int64  `json:"nano_usd,omitzero"`
	Until       string `json:"until,omitempty"` // instant
	Stop        string `json:"stop,omitempty"`  // how the plan writes it
	Quiet       int    `json:"quiet_rounds,omitzero"`
	Clean       bool   `json:"when_clean,omitzero"`
	Failures    int    `json:"failures,omitzero"` // failed sessions that end the loop; 0 means no limit
	Person      bool   `json:"when_person_needed,omitzero"`
	Retry       int    `json:"retry,omitzero"`    // how often a failed session is resumed
	Pause       int64  `json:"pause_ms,omitzero"` // before the first retry; doubles each time
	Then        string `json:"then,omitempty"`    // go_on or stop
}

// What the loop does when a session has failed for good.
const (
	ThenContinue = "go_on"
	ThenStop     = "stop"
)

// Resumed starts another run.
type Resumed struct {
	Limits *Limits `json:"limits,omitempty"`      // if they changed
	Retry  bool    `json:"retry_failed,omitzero"` // retry failed sessions
	// Ways are how models and programs are reached from now on, if changed.
	Ways []RosterWays `json:"ways,omitempty"`
	// Repeat also runs tasks once more that put no records.
	Repeat bool `json:"repeat_tasks,omitzero"`
	// Placed leaves running sessions running: they are at a place.
	Placed bool `json:"placed,omitzero"`
	At     At   `json:"at,omitzero"`
}

// Left is the end of an interrupted run.
type Left struct {
	Reason string `json:"reason"`
}

// Ended is the end of the loop, by one of its rules or by the operator.
type Ended struct {
	Reason string `json:"reason"`
}

// Added is more work, for the open round and later ones.
type Added struct {
	By        string     `json:"by"`
	Questions []Question `json:"questions,omitempty"`
	Cells     []Cell     `json:"cells"`
}

// Paused keeps further sessions from starting.
type Paused struct {
	By string `json:"by"`
}

// Stopping is the operator's request to end the loop.
type Stopping struct {
	By string `json:"by"`
}

// RoundOpened starts a round and numbers its sessions.
type RoundOpened struct {
	Round int `json:"round"`
}

// Began is journaled before each attempt to run a session, with the session's name and
// its reservation.
type Began struct {
	Job         int    `json:"job"`
	Thread      string `json:"thread"`
	Base        string `json:"base,omitempty"` // session it starts from
	Reserved    int    `json:"reserved_tokens"`
	ReservedUSD int64  `json:"reserved_nano_usd,omitzero"`
	// After is the number of entries of the session's journal, if it runs at a place.
	After int `json:"after,omitzero"`
}

// Outcomes of a session or attempt.
const (
	Done        = "done"
	Short       = "short" // its own budget was exhausted
	Failed      = "failed"
	Skipped     = "skipped" // the session it follows got no replies
	Later       = "later"   // a provider named a time to retry
	Interrupted = "left"    // interrupted; can be resumed
)

// Settled is the outcome of a session or of one attempt.
type Settled struct {
	Job       int        `json:"job"`
	Outcome   string     `json:"outcome"`
	Reason    string     `json:"reason,omitempty"` // why the session itself ended
	Code      fault.Code `json:"code,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	RetryAt   string     `json:"retry_at,omitempty"`
	Round     int        `json:"round,omitzero"`
	Version   int        `json:"version,omitzero"`
	Artifact  string     `json:"artifact,omitempty"` // hash of its JSON
	Spent     int        `json:"tokens"`             // in all attempts
	SpentUSD  int64      `json:"nano_usd,omitzero"`
	Wants     int        `json:"wants_tokens,omitzero"` // if short: for the calls that exceeded its budget
	WantsUSD  int64      `json:"wants_nano_usd,omitzero"`
	Merged    int        `json:"merged,omitzero"`  // how often replies were merged
	Missing   int        `json:"missing,omitzero"` // replies
	Conflicts int        `json:"conflicts,omitzero"`
	// Stalemates counts those that wait for a person, except conflicts.
	Stalemates int      `json:"stalemates,omitzero"`
	Errors     int      `json:"lint_errors,omitzero"`
	Warnings   int      `json:"lint_warnings,omitzero"`
	Tests      int      `json:"tests,omitzero"`
	Says       []string `json:"says,omitempty"` // short hashes of its active items' claims
	// Trouble is set if asking its agents failed: Lasting or Passing. This and the following
	// keys are only in loops that began with rules loop/2 or later.
	Trouble string `json:"trouble,omitempty"`
	Nothing bool   `json:"nothing,omitzero"` // no agent contributed, and the artifact did not move
	// Silent counts the agents that contributed nothing in any round.
	Silent int `json:"silent_agents,omitzero"`
	// Lost is the part of Spent that calls without a reply may have cost. This and the following
	// keys are only in loops that began with rules loop/3 or later.
	Lost    int      `json:"lost_tokens,omitzero"`
	LostUSD int64    `json:"lost_nano_usd,omitzero"`
	Idle    []string `json:"silent,omitempty"` // the names of the silent agents
	// Records counts the records that the agent of a task put, Refused those that were refused.
	Records int `json:"records,omitzero"`
	Refused int `json:"refused_records,omitzero"`
	// Unread counts those that could not be read. Journals of earlier programs do not have it.
	Unread int `json:"unread_records,omitzero"`
}

// Cost returns what the session has cost.
func (t *Settled) Cost() flow.Cost { return flow.Cost{Tokens: t.Spent, USD: t.SpentUSD} }

// Unanswered returns the part of it that calls without a reply may have cost.
func (t *Settled) Unanswered() flow.Cost { return flow.Cost{Tokens: t.Lost, USD: t.LostUSD} }

// Wanting returns the reservation the session would have needed to continue.
func (t *Settled) Wanting() flow.Cost { return flow.Cost{Tokens: t.Wants, USD: t.WantsUSD} }

// Needs counts what only a person can decide. The stop rules and the list of waiting
// sessions all use this count.
func (t *Settled) Needs() int { return t.Conflicts + t.Stalemates }

// Reported is the outcome of one delivery of the report.
type Reported struct {
	To     string     `json:"to"`
	Code   fault.Code `json:"code,omitempty"`
	Detail string     `json:"detail,omitempty"`
}

// Reached is the first reply that a session got when it asked again during an outage.
type Reached struct {
	Job int `json:"job"`
}

// Why a loop ended.
const (
	EndRounds   = "rounds"
	EndTime     = "time"
	EndBudget   = "budget"
	EndQuiet    = "quiet"
	EndClean    = "clean"
	EndFailures = "failures"
	EndPerson   = "person"
	EndStopped  = "stopped"
	EndCause    = "cause" // no session can run until a person removes the cause
)

func decode[T any](e *journal.Entry) (T, error) { return journal.Decode[T](e, BadSequence) }
