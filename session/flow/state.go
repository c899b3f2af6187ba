package flow

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// State is the state of a session according to its journal.
type State struct {
	Head   journal.Head
	Opened Opened
	// Agents are the parties in roster order, and Arbiter the arbiter, as they are reached now: as
	// opened, with the changes of later runs.
	Agents   []Party
	Arbiter  *Party
	Began    time.Time
	Last     time.Time
	Settings Settings
	Legs     []Leg // in order; the last one may be open
	Commits  []Commit
	Notes    []Note
	// Stalemates are in the order in which they were found.
	Stalemates []Stalemate
	// Patches are the outcomes of search/replace blocks, in the order of the answers.
	Patches []Patched
	// Rulings are the calls of arbiters, in the order in which they first began.
	Rulings []Call
	Ended   string // the reason, if no run is active
	Runs    int
	// ActiveRound is the last round at the time of the last action of a person or of a resume;
	// rounds up to it do not count as quiet.
	ActiveRound int
	// Touched reports whether a person or a letter changed the session since it ended.
	Touched bool
	// Publishing is the newest version whose mailing began, Mailed the newest whose mailing
	// ended, successfully or not. Unmailed is the failure of that one.
	Publishing int
	Mailed     int
	Unmailed   Published
	// Items are the hashes of the current items, by id.
	Items map[string]string
	// Spent is the reported cost plus the possible cost of lost calls.
	Spent Cost

	opening string // see openingOf
	rules   sealedRules
}

// Leg is a part of a round in which agents are asked concurrently. Without stages a round has one.
type Leg struct {
	Planned
	Instant   time.Time
	Exchanges []Exchange // in kickoff order
	Settled   bool

	mailboxes jsontext.Value // as journaled
}

// Exchange is one agent's call in a leg, and the repair call if its answer could not be read.
type Exchange struct {
	*Kickoff
	Ask    Call
	Repair Call
}

// Answer returns the answered first call, or nil.
func (x *Exchange) Answer() *Call { return x.Ask.replied() }

// RepairAnswer returns the answered repair, or nil.
func (x *Exchange) RepairAnswer() *Call { return x.Repair.replied() }

// Status is the status of a call.
type Status string

// Statuses of calls.
const (
	Open      Status = "open"
	Begun     Status = "begun"
	Replied   Status = "answered"
	Lost      Status = "failed"
	NotNeeded Status = "" // a repair that is not needed
)

// Call is one question to one agent.
type Call struct {
	ID       string
	Agent    string
	Round    int
	Leg      int
	Turn     string
	Status   Status
	Prompt   string
	Schema   string // hash, or ""
	Reserved Cost
	Began    time.Time
	Ended    time.Time
	Seq      int // of the last entry about it
	Answered Answered
	Failed   Failed // the last failure
	Failures int    // number of failed or lost attempts
	Killed   int    // those of them whose process was killed
	Lost     Cost   // their possible cost
	Once     bool   // it is one message, however often it begins
	By       *Party // the agent as it was reached; nil before it begins
}

func (c *Call) replied() *Call {
	if c.Status == Replied {
		return c
	}
	return nil
}

// Commit is a settlement with its place in the journal.
type Commit struct {
	Committed
	Instant time.Time
	Seq     int
	Hash    string  // of the entry
	Agents  []Party // as they were reached at the time
}

// Note is a person's note to the agents.
type Note struct {
	Noted
	At time.Time
}

// CallID returns the id of a call. It derives from the call's place alone, so that a call
// repeated after a crash is the same call.
func CallID(thread string, round, leg int, agent, turn string) string {
	return fmt.Sprintf("%s/r%d.%d/%s/%s", thread, round, leg, agent, turn)
}

// Fold returns the state after all entries of a session's journal. The caller verifies the chain.
func Fold(entries []journal.Entry) (*State, error) {
	s := &State{}
	for i := range entries {
		if err := s.Apply(&entries[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Apply applies one more entry.
func (s *State) Apply(e *journal.Entry) error {
	if (s.Head.Seq == 0) != (e.Kind == KindOpened) {
		return s.badEntry(e, "%s must be the first event, and only the first", KindOpened)
	}
	if err := s.apply(e); err != nil {
		return err
	}
	s.Head, s.Last = e.Head(), e.At
	return nil
}

func (s *State) badEntry(e *journal.Entry, format string, args ...any) error {
	return &fault.Error{
		Code: BadSequence, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: fmt.Sprintf(format, args...),
		Hint: "the journal was not written by this program, or not by one session",
	}
}

// Clone returns a state that can be changed without changing this one.
func (s *State) Clone() *State {
	c := *s
	c.Commits, c.Notes = slices.Clip(s.Commits), slices.Clip(s.Notes)
	c.Items, c.Legs = maps.Clone(s.Items), slices.Clone(s.Legs)
	c.Agents = slices.Clone(s.Agents)
	if s.Arbiter != nil {
		arbiter := *s.Arbiter
		c.Arbiter = &arbiter
	}
	if leg := c.OpenLeg(); leg != nil { // settled legs do not change
		leg.Exchanges = slices.Clone(leg.Exchanges)
	}
	return &c
}

// Version returns the current version of the artifact; 0 before the brief.
func (s *State) Version() int {
	if len(s.Commits) == 0 {
		return 0
	}
	return s.Commits[len(s.Commits)-1].Version
}

// Seal returns the seal of the last commit.
func (s *State) Seal() string {
	if len(s.Commits) == 0 {
		return ""
	}
	return s.Commits[len(s.Commits)-1].Seal
}

// Round returns the number of the last planned round.
func (s *State) Round() int {
	if len(s.Legs) == 0 {
		return 0
	}
	return s.Legs[len(s.Legs)-1].Round
}

// OpenLeg returns the leg that is not settled yet, or nil.
func (s *State) OpenLeg() *Leg {
	if n := len(s.Legs); n > 0 && !s.Legs[n-1].Settled {
		return &s.Legs[n-1]
	}
	return nil
}

// Call returns a call by its id.
func (s *State) Call(id string) (*Call, bool) {
	for i := range slices.Backward(s.Legs) {
		for c := range s.Legs[i].Calls() {
			if c.ID == id {
				return c, true
			}
		}
	}
	return nil, false
}

// Calls returns all calls that were made, in the order of legs and rosters.
func (s *State) Calls() []*Call {
	var all []*Call
	for i := range s.Legs {
		for c := range s.Legs[i].Calls() {
			if c.Status != NotNeeded && !c.Began.IsZero() {
				all = append(all, c)
			}
		}
	}
	return all
}

// NextInstant returns the time for a new event: later than all before it, even if the clock is not.
func (s *State) NextInstant(now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	last := time.Time{}
	if n := len(s.Legs); n > 0 {
		last = s.Legs[n-1].Instant
	}
	// A person's commit may be later than that of the round in progress.
	for i := range s.Commits {
		if s.Commits[i].Instant.After(last) {
			last = s.Commits[i].Instant
		}
	}
	if !now.After(last) {
		return last.Add(time.Millisecond)
	}
	return now
}

// NextAt returns NextInstant in the journal's format.
func (s *State) NextAt(now time.Time) string { return artifact.FormatInstant(s.NextInstant(now)) }

// NextMessage returns the number of the thread's next message.
func (s *State) NextMessage() int {
	if len(s.Commits) == 0 {
		return 1
	}
	last := &s.Commits[len(s.Commits)-1] // numbered by what was then the next number
	return last.Message + s.contributions(last)
}

func (s *State) contributions(c *Commit) int {
	switch c.Source {
	case ByRound:
	case ByThread:
		return len(c.Letters)
	default:
		return 1
	}
	if leg := s.Leg(c.Round, c.Leg); leg != nil {
		return len(leg.Kickoffs) + len(c.Letters)
	}
	return 0
}

// LetterOf returns the letter of a commit that has a number in the thread, or nil.
func (s *State) LetterOf(c *Commit, message int) *Letter {
	i := message - c.Message - s.contributions(c) + len(c.Letters)
	if i < 0 || i >= len(c.Letters) {
		return nil
	}
	return &c.Letters[i]
}

// Planned returns the leg and exchange of a call, or nil. It does not rely on unique leg numbers,
// which a forged journal may repeat.
func (s *State) Planned(c *Call) (*Leg, *Exchange) {
	for i := range s.Legs {
		l := &s.Legs[i]
		if x := l.Of(c.Agent); x != nil && l.Round == c.Round && l.Leg == c.Leg {
			return l, x
		}
	}
	return nil, nil
}

// Leg returns a leg of a round, or nil.
func (s *State) Leg(round, leg int) *Leg {
	for i := range s.Legs {
		if l := &s.Legs[i]; l.Round == round && l.Leg == leg {
			return l
		}
	}
	return nil
}

// Calls returns the calls of the leg: for each agent the first call, then the repair.
func (l *Leg) Calls() iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for i := range l.Exchanges {
			x := &l.Exchanges[i]
			if !yield(&x.Ask) || !yield(&x.Repair) {
				return
			}
		}
	}
}

// Of returns an agent's exchange in the leg, or nil.
func (l *Leg) Of(agent string) *Exchange {
	for i := range l.Exchanges {
		if l.Exchanges[i].Agent == agent {
			return &l.Exchanges[i]
		}
	}
	return nil
}

// Missing returns the agents of the leg without an answer.
func (l *Leg) Missing() []string {
	var out []string
	for i := range l.Exchanges {
		if x := &l.Exchanges[i]; x.Answer() == nil {
			out = append(out, x.Agent)
		}
	}
	return out
}

// RetryTime returns the latest retry time of the agents that did not answer, if all of them named
// one.
func (l *Leg) RetryTime() (time.Time, bool) {
	var latest time.Time
	for i := range l.Exchanges {
		x := &l.Exchanges[i]
		if x.Answer() != nil {
			continue
		}
		at, err := artifact.ParseInstant(x.Ask.Failed.RetryAt)
		if err != nil {
			return latest, false
		}
		if at.After(latest) {
			latest = at
		}
	}
	return latest, !latest.IsZero()
}

// Absence is an agent that did not answer in a round.
type Absence struct {
	Agent string `json:"agent"`
	Round int    `json:"round"`
}

// Missing returns the missing answers of all rounds.
func (s *State) Missing() []Absence {
	var all []Absence
	for i := range s.Legs {
		for _, agent := range s.Legs[i].Missing() {
			all = append(all, Absence{agent, s.Legs[i].Round})
		}
	}
	return all
}

func instant(e *journal.Entry, text string) (time.Time, error) {
	at, err := artifact.ParseInstant(text)
	if err != nil {
		return at, &fault.Error{Code: BadSequence, Place: fmt.Sprintf("%s, entry %d", e.Stream, e.Seq), Detail: "invalid instant", Cause: err}
	}
	return at, nil
}
