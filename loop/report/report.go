// Package report renders the results of a loop as Markdown, as one self-contained HTML
// file, and as JSON.
//
// The package is pure: it takes the results of sessions as values. Text from agents is
// escaped and cannot become a heading, a link or a tag.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/session/flow"
)

// Schema is the schema id of a report.
const Schema = "brenner.loop.report/v1"

// Report is the result of a loop.
type Report struct {
	Schema      string `json:"schema"`
	Loop        string `json:"loop"`
	Reason      string `json:"reason"` // why it ended; empty before that
	Rehearsal   bool   `json:"rehearsal"`
	Began       string `json:"started_at"`
	Last        string `json:"updated_at"`
	Head        string `json:"head"` // of the loop's journal
	Runs        int    `json:"runs"` // how often it was started or resumed
	Round       int    `json:"round"`
	Rounds      int    `json:"rounds"`
	Planned     int    `json:"planned"` // sessions of all rounds
	Done        int    `json:"done"`
	FailedCount int    `json:"failed_count"`
	Short       int    `json:"short_count"` // sessions stopped by their own budget
	Skipped     int    `json:"skipped_count"`
	Nothing     int    `json:"nothing_count"` // ended sessions without any contribution
	// Cause is what kept sessions from running, if the loop ended for it.
	Cause       *loop.Cause `json:"cause,omitzero"`
	Tokens      int         `json:"tokens_spent"`
	Lost        int         `json:"tokens_lost"` // part of Tokens: possible cost of calls without a reply
	TokensLimit int         `json:"tokens_budget"`
	USD         float64     `json:"usd_spent"`
	USDLimit    float64     `json:"usd_budget"`
	Unpriced    int         `json:"unpriced_models,omitzero"` // asked, without a price: USD leaves them out
	ByHand      int         `json:"tokens_by_hand,omitzero"`  // not part of Tokens: spent in sessions resumed by hand
	Person      []Need      `json:"needs_person"`
	Questions   []Question  `json:"questions"`
	Tests       []Test      `json:"tests"`
	Learned     []Lesson    `json:"learned"`
	Spent       []Spending  `json:"spent"`
	Failed      []Failure   `json:"failed"`
	Undone      []Undone    `json:"undone"`
	NotOpened   int         `json:"not_opened"` // sessions of rounds that were never opened
	Sessions    []Row       `json:"sessions"`
	Tasks       []Task      `json:"tasks,omitempty"`
}

// Kinds of needs, in the order of the report.
const (
	NeedCause     = "cause"     // no session can run
	NeedFailed    = "failed"    // a session failed
	NeedShort     = "short"     // a session out of its own budget
	NeedNothing   = "nothing"   // a session without any contribution
	NeedSilent    = "silent"    // agents that contributed nothing in any round
	NeedConflict  = "conflict"  // an open conflict
	NeedStalemate = "stalemate" // an open stalemate
	NeedLint      = "lint"      // lint errors
)

func kinds() []string {
	return []string{NeedCause, NeedFailed, NeedShort, NeedNothing, NeedSilent, NeedConflict, NeedStalemate, NeedLint}
}

// Need is something that needs a person.
type Need struct {
	Kind    string `json:"kind"`
	Session string `json:"session"`
	What    string `json:"what"`
	Command string `json:"command"`
	Sides   []Side `json:"sides,omitempty"` // of a conflict
}

// Spending is the cost of the sessions of one kind.
type Spending struct {
	Name     string  `json:"name"`
	Sessions int     `json:"sessions"`
	Tokens   int     `json:"tokens"`
	USD      float64 `json:"usd"`
	Unpriced int     `json:"unpriced_models,omitzero"` // asked, without a price: USD leaves them out

	// Cell has the roster and the model of the sessions; nil for the preflight.
	Cell *loop.Cell `json:"-"`
}

// Cost formats the cost.
func (s *Spending) Cost() string {
	if s.USD == 0 {
		return "-"
	}
	return flow.AtLeast(dollars(s.USD), s.Unpriced)
}

// dollars formats a cost; one below a cent is not rounded to a cent.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Failure is a session that failed for good.
type Failure struct {
	Session  string     `json:"session"`
	Name     string     `json:"name"`
	Attempts int        `json:"attempts"`
	Code     fault.Code `json:"code"`
	Detail   string     `json:"detail"`
	Command  string     `json:"command"` // that resumes it, if any
}

// Undone is a session that did not finish.
type Undone struct {
	Session string `json:"session"` // empty if it never began
	Name    string `json:"name"`
	Round   int    `json:"round"`
	State   string `json:"state"`
	Command string `json:"command"` // that resumes it, if any
}

// Bounds of a report: a loop may have thousands of sessions.
const (
	maxTests   = 20
	maxLessons = 50
)

// New returns a report with the data of the loop's own state.
func New(s *loop.State) *Report {
	r := &Report{
		Schema: Schema, Loop: s.Opened.Name, Reason: s.Ended, Rehearsal: s.Work.Script != "",
		Began: artifact.FormatInstant(s.Began), Last: artifact.FormatInstant(s.Last), Head: s.Head.Hash, Runs: s.Runs,
		Round: s.Round, Rounds: s.Limits.Rounds, Planned: s.Planned(), NotOpened: s.Planned() - len(s.Jobs),
		Done: s.Count(loop.Finished), FailedCount: s.Count(loop.Broken), Short: s.Count(loop.Cut), Skipped: s.Count(loop.Omitted),
		Tokens: s.Spent.Tokens, TokensLimit: s.Limits.Tokens, USD: flow.Dollars(s.Spent.USD), USDLimit: flow.Dollars(s.Limits.USD),
		Person: []Need{}, Questions: []Question{}, Tests: []Test{}, Learned: []Lesson{}, Spent: []Spending{}, Failed: []Failure{},
		Undone: []Undone{}, Sessions: []Row{},
	}
	if r.Cause = s.Hindrance(); r.Cause != nil {
		what := causeText(r.Cause)
		if s.StoppedEarly() {
			what = "no session can run: " + what
		}
		r.Person = append(r.Person, Need{Kind: NeedCause, What: what})
	}
	spent := make(map[string]int)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		r.job(s, j)
		kind := j.Cell.Question + ", " + j.Cell.Roster
		if j.Cell.Task != "" {
			kind = "task " + j.Cell.Task
		}
		if j.Cell.Model != "" {
			kind += ", " + j.Cell.Model
		}
		at, ok := spent[kind]
		if !ok {
			at = len(r.Spent)
			spent[kind] = at
			r.Spent = append(r.Spent, Spending{Name: kind, Cell: &j.Cell})
		}
		if j.Thread != "" {
			r.Spent[at].Sessions++
		}
		spent := j.Settled.Cost().Plus(j.Before)
		r.Spent[at].Tokens += spent.Tokens
		r.Spent[at].USD += flow.Dollars(spent.USD)
	}
	if cost := s.Opened.Preflight.Cost(); cost.Tokens > 0 {
		r.Spent = append(r.Spent, Spending{Name: "preflight", Tokens: cost.Tokens, USD: flow.Dollars(cost.USD)})
	}
	return r
}

func causeText(c *loop.Cause) string {
	return strings.TrimSpace(string(c.Code) + " " + c.Detail)
}

// Key returns the key by which readers recognise a report sent twice. Several
// projects may report to one receiver, and loops of the same name started at different
// times.
func (r *Report) Key() string {
	return r.Loop + "/" + r.Began + "/" + fmt.Sprint(r.Runs)
}

// SortNeeds sorts what needs a person by kind.
func (r *Report) SortNeeds() {
	slices.SortStableFunc(r.Person, func(a, b Need) int {
		return cmp.Compare(slices.Index(kinds(), a.Kind), slices.Index(kinds(), b.Kind))
	})
}

func (r *Report) job(s *loop.State, j *loop.Job) {
	t := &j.Settled
	r.Sessions = append(r.Sessions, Row{
		Number: j.Number, Round: j.Round, Name: j.Name(), Session: j.Thread, Base: j.Base, Status: string(j.Status), Reason: t.Reason,
		Version: t.Version, Tokens: t.Spent + j.Before.Tokens + j.ByHand, Lost: t.Lost, Missing: t.Missing, Conflicts: t.Conflicts, Errors: t.Errors, Warnings: t.Warnings,
		Nothing: j.CameToNothing(), Silent: t.Silent, Idle: t.Idle, ended: s.Ended != "",
	})
	if j.CameToNothing() {
		r.Nothing++
		what := "no agent contributed, and the artifact did not change"
		if j.Cell.Task != "" {
			what = "the task " + j.Cell.Task + " put no records"
		}
		r.Person = append(r.Person, Need{
			Kind: NeedNothing, Session: j.Thread, What: what, Command: "brenner trace list " + j.Thread,
		})
	}
	switch {
	case j.Status == loop.Omitted:
		r.Undone = append(r.Undone, Undone{Session: j.Thread, Name: j.Name(), Round: j.Round, State: "skipped: " + causeText(&loop.Cause{Code: t.Code, Detail: t.Detail})})
	case j.Status == loop.Broken:
		f := Failure{Session: j.Thread, Name: j.Name(), Attempts: j.Attempts, Code: t.Code, Detail: t.Detail}
		if j.Thread != "" && t.Version > 0 { // else it has nothing to resume
			f.Command = "brenner session resume " + j.Thread
		}
		r.Failed = append(r.Failed, f)
		what := "failed after " + text.Count(j.Attempts, "attempt") + ": " + causeText(&loop.Cause{Code: t.Code, Detail: t.Detail})
		r.Person = append(r.Person, Need{Kind: NeedFailed, Session: cmp.Or(j.Thread, j.Name()), What: what, Command: f.Command})
	case j.Status == loop.Cut:
		u := Undone{Session: j.Thread, Name: j.Name(), Round: j.Round, State: "out of budget: " + s.Shortage(j), Command: Raise(s, j)}
		r.Undone = append(r.Undone, u)
		r.Person = append(r.Person, Need{Kind: NeedShort, Session: j.Thread, What: u.State, Command: u.Command})
	case !j.Final():
		u := Undone{Session: j.Thread, Name: j.Name(), Round: j.Round, State: unbegun}
		if j.Thread != "" {
			u.State = unended
		}
		if j.Thread != "" && s.Ended != "" { // before that, the loop itself resumes it
			u.Command = "brenner session resume " + j.Thread
		}
		if t.Detail != "" {
			u.State += ": " + t.Detail
		}
		r.Undone = append(r.Undone, u)
	}
}

// Raise returns the command that continues a session out of budget with a larger one.
func Raise(s *loop.State, j *loop.Job) string {
	return "brenner session resume " + j.Thread + s.Work.Settings.SufficientBudget(j.Settled.Cost().Plus(flow.Cost{Tokens: j.ByHand}), j.Settled.Wanting()).Flags()
}

// Decide returns the command for a session that needs a person's decision: to resolve its conflicts
// or, if it has none, to rule on its stalemates.
func Decide(j *loop.Job) string {
	if j.Settled.Conflicts > 0 {
		return "brenner session resolve " + j.Thread
	}
	return "brenner stalemate list " + j.Thread
}

// Restore sets what the JSON of a report, from which it was read, does not have.
func (r *Report) Restore() {
	for i := range r.Sessions {
		r.Sessions[i].ended = r.Reason != ""
	}
}
