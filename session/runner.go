// Package session runs sessions: it executes the commands of package flow, with agents and a
// store behind interfaces, and it reads stored sessions.
//
// Plans are stored before agents are asked, and answers before they are used. A run may be
// killed at any instruction; the next one continues from what is stored.
package session

import (
	"context"
	"reflect"
	"time"

	"github.com/rs/zerolog"

	"brenner/agent"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/store"
	"brenner/store/journal"
)

// Error codes of sessions.
const (
	Exists    fault.Code = "SESSION_EXISTS"    // A session with this id already exists.
	NoSession fault.Code = "NO_SESSION"        // No session with this id in the project.
	NoVersion fault.Code = "NO_VERSION"        // The session has no such version.
	NotOpen   fault.Code = "NOTHING_TO_RESUME" // The session has ended, and nothing has changed since.

	PromptsChanged fault.Code = "PROMPTS_CHANGED" // The session was started with different prompts than this program has.
)

// Counter counts tokens.
type Counter interface{ Count(text string) int }

// Runner runs sessions, also concurrently.
type Runner struct {
	Store store.Store
	Locks store.Locks
	Now   func() time.Time
	Log   zerolog.Logger
	// Agent returns the agent of a roster entry, with retries and other wrappers.
	Agent func(flow.Party) (agent.Agent, error)
	// Common caches what sessions share; nil means one cache for each run.
	Common *Common
	// Tokens counts what is sent.
	Tokens Counter
	// Project provides the project's records; nil without a project.
	Project Project
	// Memory, if not nil, provides the lessons of earlier sessions. Rehearsals are shown none.
	Memory Memory
	// Observe, if not nil, is called with every entry after it was stored, in order, and the
	// state after it. It must not keep the state.
	Observe func(*journal.Entry, *flow.State)
	// Allowance, if not nil, is kept up to date for retries of calls.
	Allowance *Allowance
	// Drain, when closed, stops new calls; calls in flight may end.
	Drain <-chan struct{}
	// Deadline limits the time of one run; 0 means no limit.
	Deadline time.Duration
	// Mail is the mail of the session's thread; nil if there are no mailboxes.
	Mail Mailer
	// Ways, if not nil, returns the agents of a resumed session that are reached in another way
	// from now on.
	Ways func(*flow.State) []flow.NewWay
	// Resumable, if not nil, may refuse to resume a session. It is called with the session's lease held.
	Resumable func(context.Context, *flow.State) error
	// Holder identifies this process to others that need the session.
	Holder store.Holder
}

// Project is the governed store as sessions use it.
type Project interface {
	// RecordsFor returns the project's records as shown to an agent of a role. Task, if not empty, is the
	// address of the task that the agent does: then they are its context.
	RecordsFor(ctx context.Context, role, module, task string) (ShownRecords, error)
	// BriefText returns the fields of a version of the project's brief, as prompts show them.
	BriefText(ctx context.Context, brief flow.RecordRef) (string, error)
	// StaleRecords returns which of the shown records no longer hold, and the precondition for
	// journaling that.
	StaleRecords(ctx context.Context, thread string, shown []flow.RecordRef) ([]flow.MovedRecord, store.Append, error)
	// Patch applies the search/replace blocks and anchor patches of an answer to records that its author was shown.
	Patch(ctx context.Context, p *PatchInput) ([]PatchOutcome, error)
	// CheckPatches returns what Patch would refuse or leave out of an answer, and how many texts it would
	// change. It writes nothing.
	CheckPatches(ctx context.Context, p *PatchInput) (refused []settle.Defect, applies int, err error)
	// Write puts the records of an answer, within the rights of its author. One that was put before is
	// found again.
	Write(ctx context.Context, w *WriteInput) ([]PatchOutcome, error)
	// Mistakes returns what Write would refuse. It writes nothing.
	Mistakes(ctx context.Context, w *WriteInput) ([]settle.Defect, error)
}

// ShownRecords is the project's records as shown to an agent: their text, their references, and the
// hash of the spec that selected them.
type ShownRecords struct {
	Text    string
	View    string
	Records []flow.RecordRef
	// Patchable are the records whose texts the agent may change, and Hashes those of their canonical texts.
	Patchable, Hashes []string
	// Creates are the types of records that the agent may create.
	Creates []string
	// Inputs are those of the task that the agent does.
	Inputs []flow.RecordRef
	Tokens int // of the text
	// Left are the records for which there is no room; with More, there are others.
	Left []flow.RecordRef
	More bool
	// LeftFields are the fields of the project's brief that are left out, of all that it has.
	LeftFields []string
	Fields     int
	// Over is not nil if the overview is larger than the role's view, and shown nevertheless.
	Over error
	// Within, if not nil, returns the same records within a limit of tokens, the least important left
	// out; OverviewOnly leaves only the overview of the project. It reads nothing.
	// The text does not say what is left out.
	Within func(limit int) (ShownRecords, error)
}

// OverviewOnly is the limit of records of which only the overview is shown.
const OverviewOnly = -1

// Result is the outcome of a run.
type Result struct {
	State    *flow.State
	Settled  []flow.Commit // of this run
	Missing  []flow.Absence
	Reason   string
	Duration time.Duration
	Letters  []letters.Row // of a compiled thread: all of its messages

	current *artifact.Artifact
}

// History returns the session after the run, with the newest version already assembled.
func (r *Result) History(st store.Store) *History {
	return &History{Store: st, Thread: r.State.Opened.Thread, State: r.State, current: r.current}
}

// Start opens a session and runs it to its end. A session of that name must not exist yet.
func (r *Runner) Start(ctx context.Context, b Brief) (*Result, error) {
	lease, err := r.hold(b.Thread)
	if err != nil {
		return nil, err
	}
	defer r.release(b.Thread, lease)
	agents, err := r.agents(b.Agents) // before anything is written: a failure leaves no trace
	if err != nil {
		return nil, err
	}
	l, opening, err := r.opening(ctx, &b)
	if err != nil {
		return nil, err
	}
	if r.Mail == nil {
		l.unstored, err = true, l.keep(opening) // stored with the first request
	} else {
		err = l.write(ctx, opening)
	}
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l, agents, lease)
}

// Open opens a session and does not run it: any process that uses the store can resume it. A session of
// that name must not exist yet.
func (r *Runner) Open(ctx context.Context, b Brief) error {
	lease, err := r.hold(b.Thread)
	if err != nil {
		return err
	}
	defer r.release(b.Thread, lease)
	l, opening, err := r.opening(ctx, &b)
	if err != nil {
		return err
	}
	return l.write(ctx, opening)
}

// opening returns the ledger of a new session, and the first draft to store.
func (r *Runner) opening(ctx context.Context, b *Brief) (*ledger, func(*flow.State) (*draft, error), error) {
	if err := CheckFree(ctx, r.Store, b.Thread); err != nil {
		return nil, nil, err
	}
	if r.Mail != nil { // then the opening is stored before the first messages are composed
		if _, err := r.Preview(ctx, b, false); err != nil {
			return nil, nil, err
		}
	}
	opening := func(*flow.State) (*draft, error) { return b.open(r.Project != nil) }
	return r.ledger(b.Thread, &flow.State{}, &flow.State{}), opening, nil
}

func existsError(thread string) error {
	return &fault.Error{
		Code: Exists, Detail: "session " + thread + " already exists",
		Hint: "`brenner session resume " + thread + "` continues it; --if-exists new starts another one",
	}
}

// CheckFree returns an error if a session or another record has the thread's id already.
func CheckFree(ctx context.Context, st store.Store, thread string) error {
	head, err := store.HeadOf(ctx, st, Prefix+thread)
	if err != nil {
		return err
	}
	if head.Seq > 0 {
		return existsError(thread)
	}
	existing, err := st.Heads(ctx, store.HeadQuery{ID: thread})
	if err != nil || len(existing) == 0 {
		return err
	}
	return &fault.Error{
		Code: Exists, Detail: thread + " is already the id of a record (" + existing[0].Type + ")",
		Hint: "pass another --thread-id",
	}
}

func (r *Runner) agents(parties []flow.Party) (map[string]agent.Agent, error) {
	all := make(map[string]agent.Agent)
	for _, p := range parties {
		if p.Via == flow.ViaMail && r.Mail == nil {
			return nil, &fault.Error{Code: agent.UnknownKind, Detail: p.Name + " is reached by mail, but no mail server is configured"}
		}
		a, err := r.Agent(p)
		if err != nil {
			return nil, err
		}
		all[p.Name] = a
	}
	return all, nil
}

// Resume continues a session. Change, if not nil, sets the settings that apply from now on.
func (r *Runner) Resume(ctx context.Context, thread string, change func(*flow.Settings)) (*Result, error) {
	lease, err := r.hold(thread)
	if err != nil {
		return nil, err
	}
	defer r.release(thread, lease)
	l, err := r.reopen(ctx, thread)
	if err != nil {
		return nil, err
	}
	if l.state.Head.Seq == 0 {
		return nil, noSession(thread)
	}
	if _, err := l.state.Opened.MergeRules(); err != nil {
		return nil, err // before the journal has an entry of the attempt
	}
	if r.Resumable != nil {
		if err := r.Resumable(ctx, l.state); err != nil {
			return nil, err
		}
	}
	settings := l.state.Settings
	if change != nil {
		change(&settings)
	}
	if l.state.Opened.Task != "" {
		settings.Rounds = 1
	}
	if done := CheckResumable(l.state, settings); done != nil {
		return nil, done
	}
	var ways []flow.NewWay
	if r.Ways != nil {
		ways = r.Ways(l.state)
	}
	agents, err := r.agents(flow.Rerouted(l.state.Agents, ways))
	if err != nil {
		return nil, err
	}
	err = l.write(ctx, func(s *flow.State) (*draft, error) {
		resumed := flow.Resumed{Ways: ways}
		if !reflect.DeepEqual(settings, s.Settings) {
			resumed.Settings = &settings
		}
		return newDraft(flow.KindResumed, resumed), nil
	})
	if err != nil {
		return nil, err
	}
	return r.run(ctx, l, agents, lease)
}

// CheckResumable returns an error if there is nothing to resume. A finished session stays finished
// until a person adds a note, changes it by hand, or requests more rounds.
func CheckResumable(s *flow.State, settings flow.Settings) error {
	f := &fault.Error{Code: NotOpen, Hint: "to continue, add a note, change it by hand, or pass --rounds " + itoa(max(settings.Rounds, s.Round())+1)}
	requested := settings
	requested.Limits, requested.Prices = s.Settings.Limits, s.Settings.Prices
	same := !s.Touched && reflect.DeepEqual(requested, s.Settings)
	switch {
	case s.Ended == flow.EndRounds && s.Opened.Task != "":
		f.Detail, f.Hint = "the task has run", "`brenner store run "+s.Opened.Task+" --again` runs it once more"
	case s.Ended == flow.EndRounds && settings.Rounds <= s.Round():
		f.Detail, f.Hint = "all rounds are done", "pass --rounds "+itoa(s.Round()+1)+" to add one"
	case s.Ended == flow.EndQuiet && same:
		f.Detail = "its last rounds changed nothing"
	case s.Ended == flow.EndClean && same:
		f.Detail = "lint finds nothing to fix"
	default:
		return nil
	}
	f.Detail = s.Opened.Thread + " has ended: " + f.Detail
	return f
}

func noSession(thread string) error {
	return &fault.Error{
		Code: NoSession, Detail: "no session " + fault.Shown(thread),
		Hint: "`brenner session list` lists the sessions",
	}
}

// ledger returns the ledger of a session. Seen is a deep copy of its state.
func (r *Runner) ledger(thread string, state, seen *flow.State) *ledger {
	wrote := func(e *journal.Entry, s *flow.State) {
		if r.Allowance != nil {
			r.Allowance.update(s)
		}
		if r.Observe != nil {
			r.Observe(e, s)
		}
	}
	if r.Observe == nil {
		seen = nil // passing the current state suffices
	}
	l := newLedger(r.Store, Prefix+thread, r.Now, state, seen, wrote)
	l.writer.Runs = func(s *flow.State) int { return s.Runs }
	return l
}

// reopen returns the ledger of a session from its journal; it is empty for a new session.
func (r *Runner) reopen(ctx context.Context, thread string) (*ledger, error) {
	entries, state, err := read(ctx, r.Store, Prefix+thread)
	if err != nil {
		return nil, err
	}
	var seen *flow.State
	if r.Observe != nil {
		seen, err = flow.Fold(entries) // it lags behind state and must share nothing with it
	}
	return r.ledger(thread, state, seen), err
}

func (r *Runner) hold(thread string) (store.Lease, error) {
	return r.Locks.Hold(thread, r.Holder)
}

func (r *Runner) release(thread string, lease store.Lease) {
	if err := lease.Release(); err != nil {
		r.Log.Warn().Err(err).Str("session", thread).Msg("cannot release the session's lock")
	}
}
