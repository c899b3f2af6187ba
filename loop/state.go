package loop

import (
	"cmp"
	"fmt"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store/journal"
)

// State is the state of a loop, computed from its journal.
type State struct {
	Head   journal.Head
	Opened Opened
	Work   Work // as opened, plus added work
	// Ways are how models and programs are reached now.
	Ways   []RosterWays
	Limits Limits
	Began  time.Time
	Last   time.Time
	Runs   int
	At     At // where the last run took place
	Round  int
	Jobs   []Job // in the order of their numbers
	Ended  string
	Left   string // why the last run ended, until the loop is resumed
	Paused bool
	// Stopping names the operator who asked the loop to end.
	Stopping string
	// Hold is the instant before which a provider accepts no calls.
	Hold time.Time
	// Spent is the cost so far, Reserved the reservations of running sessions.
	Spent    flow.Cost
	Reserved flow.Cost
	// Reports lists deliveries of the report since the loop ended.
	Reports []Reported

	counts      map[Status]int
	begun       int // waiting jobs whose session has begun
	first       int // all jobs before this one are final
	needsPerson int
	// When the operator continues a loop that a rule ended, rounds and failures before
	// that no longer count for the rules.
	ignoredRounds   int             // the last ignored round
	ignoredFailures int             // the number of ignored failures
	news            map[int]int     // new claims by round
	seen            map[string]bool // all claims of active items
	answered        map[int]bool    // rounds with replies
	reach           map[group]*reach
}

// Status is the status of a job.
type Status string

// The statuses of jobs.
const (
	Waiting  Status = "waiting"
	Running  Status = "running"
	Finished Status = "done"
	Cut      Status = "short" // stopped by its own budget
	Broken   Status = "failed"
	Omitted  Status = "skipped"
)

// Job is one session of one round.
type Job struct {
	Number int // from 1, over all rounds
	Round  int
	Index  int // of its cell
	Cell   Cell
	Turn   int    // by how many places roles are rotated
	Base   string // session it starts from
	Needs  int    // number of the job it waits for; 0 means none
	Waits  []int  // of a task: numbers of the jobs it waits for
	// Sources are the sessions of the tasks whose records are inputs of this one, once it may start.
	Sources  []string
	Status   Status
	Thread   string // once it has begun
	Attempts int
	Failures int
	// Repeats is how often a task was run before, in sessions without records, and Before what they cost.
	Repeats  int
	Before   flow.Cost
	Reserved flow.Cost
	After    int // entries of the session's journal when it began last, if it runs at a place
	// Extra is what calls may have cost that got no reply in an outage; Asking is the part of the
	// last attempt.
	Extra   flow.Cost
	Asking  flow.Cost
	Settled Settled // last outcome
	// ByHand are the tokens that the operator spent by resuming it, and Others says which agents
	// were answered by another model than the requested one. Both are for display only.
	ByHand int
	Others []string
	Began  time.Time
	Closed time.Time
	Seq    int // of the last entry about it

	taken   flow.Cost // of its share, by the preflight
	counted bool      // as needing a person
}

// Final reports whether a job has ended.
func (j *Job) Final() bool { return j.Status != Waiting && j.Status != Running }

// Answered reports whether replies were merged in a session.
func (j *Job) Answered() bool { return j.Status == Finished || j.Settled.Merged > 0 }

// Name returns the name of a job for display.
func (j *Job) Name() string {
	if j.Cell.ID != "" {
		return j.Cell.ID
	}
	name := j.Cell.Question + "/" + j.Cell.Roster
	if j.Cell.Model != "" {
		name += "/" + j.Cell.Model
	}
	if j.Cell.Seed != nil {
		name += fmt.Sprintf("/%d", *j.Cell.Seed)
	}
	return name
}

// Fold returns the state after all entries of a loop's journal. The caller must check the
// hash chain.
func Fold(entries []journal.Entry) (*State, error) {
	s := &State{}
	for i := range entries {
		if err := s.Apply(&entries[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Apply applies one more entry, or returns an error and leaves the state unchanged.
func (s *State) Apply(e *journal.Entry) error {
	if err := s.step(e); err != nil {
		return err
	}
	s.Head, s.Last = e.Head(), e.At
	return nil
}

func (s *State) badSequence(e *journal.Entry, format string, args ...any) error {
	return &fault.Error{
		Code: BadSequence, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: fmt.Sprintf(format, args...),
		Hint: "the journal was written by another program, or by several loops",
	}
}

// Job returns the job with a number.
func (s *State) Job(number int) (*Job, bool) {
	if number < 1 || number > len(s.Jobs) {
		return nil, false
	}
	return &s.Jobs[number-1], true
}

// Count returns the number of jobs with a status.
func (s *State) Count(status Status) int { return s.counts[status] }

// Open returns the number of jobs that are not final.
func (s *State) Open() int { return s.counts[Waiting] + s.counts[Running] }

// set changes a job's status and updates the counts, so that loops with many thousands of
// sessions need no scans.
func (s *State) set(j *Job, status Status) {
	waits := func() int {
		if j.Status == Waiting && j.Thread != "" {
			return 1
		}
		return 0
	}
	s.begun -= waits()
	s.counts[j.Status]--
	j.Status = status
	s.counts[j.Status]++
	s.begun += waits()
	for s.first < len(s.Jobs) && s.Jobs[s.first].Final() {
		s.first++
	}
}

// Planned returns the number of sessions in all rounds.
func (s *State) Planned() int {
	n := len(s.Jobs) + max(0, s.Limits.Rounds-s.Round)*s.Work.sessions()
	if s.Round == 0 {
		n += len(s.Work.Tasks)
	}
	return n
}

// PlannedWith returns the number of sessions with more per round, from the open round on.
func (s *State) PlannedWith(more int) int {
	return s.Planned() + (max(0, s.Limits.Rounds-s.Round)+min(s.Round, 1))*more
}

// Needing returns the jobs that need a person's decision.
func (s *State) Needing() []*Job {
	var all []*Job
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Settled.Needs() > 0 {
			all = append(all, j)
		}
	}
	return all
}

// Attention counts what needs a person: everything that the report lists for one.
func (s *State) Attention() int {
	n := 0
	if s.Hindrance() != nil {
		n++
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		n += j.Settled.Needs()
		for _, need := range []bool{j.Status == Broken, j.Status == Cut, j.CameToNothing(), j.HasSilent(), j.HasErrors()} {
			if need {
				n++
			}
		}
	}
	return n
}

// CameToNothing reports whether a session ended in which no agent contributed and the
// artifact did not move.
func (j *Job) CameToNothing() bool { return j.Final() && j.Settled.Nothing }

// HasSilent reports whether some agents of an ended session contributed nothing in any round.
func (j *Job) HasSilent() bool {
	return j.Final() && j.Status != Broken && !j.Settled.Nothing && j.Settled.Silent > 0
}

// HasErrors reports whether the artifact of an ended session has lint errors.
func (j *Job) HasErrors() bool {
	return (j.Status == Finished || j.Status == Cut) && !j.Settled.Nothing && j.Settled.Errors > 0
}

// ThreadOf returns the session id of a job.
func (s *State) ThreadOf(j *Job) string {
	id := fmt.Sprintf("RS-%s-%s-%04d", s.Began.UTC().Format("20060102"), s.Opened.Name, j.Number)
	if j.Repeats > 0 {
		id += string(rune('a' + j.Repeats))
	}
	return id
}

// workIndex maps ids to positions in the lists of a Work: loops may have many thousands of
// questions.
type workIndex struct{ questions, rosters, models, tasks map[string]int }

// Index builds the index for lookups by id. It must be called again after work was added.
// It describes the first duplicate id, or returns "".
func (w *Work) Index() (flaw string) {
	w.index = &workIndex{}
	var questions, rosters, models, tasks string
	w.index.questions, questions = placesOf("question", w.Questions, func(q *Question) string { return q.ID })
	w.index.rosters, rosters = placesOf("roster", w.Rosters, func(r *Roster) string { return r.ID })
	w.index.models, models = placesOf("model", w.Models, func(m *PlanModel) string { return m.ID })
	w.index.tasks, tasks = placesOf("task", w.Tasks, func(t *Task) string { return t.ID })
	return cmp.Or(questions, rosters, models, tasks)
}

func placesOf[T any](what string, list []T, id func(*T) string) (places map[string]int, duplicate string) {
	places = make(map[string]int, len(list))
	for i := range list {
		name := id(&list[i])
		if _, there := places[name]; there {
			if duplicate == "" {
				duplicate = "duplicate " + what + " id " + fault.Shown(name)
			}
			continue
		}
		places[name] = i
	}
	return places, duplicate
}

// find returns the position of an id.
func find[T any](places map[string]int, list []T, id string, of func(*T) string) (int, bool) {
	if places != nil {
		i, ok := places[id]
		return i, ok
	}
	for i := range list {
		if of(&list[i]) == id {
			return i, true
		}
	}
	return 0, false
}

func (w *Work) places() workIndex {
	if w.index == nil {
		return workIndex{}
	}
	return *w.index
}

// Question returns a question by id.
func (w *Work) Question(id string) (Question, bool) {
	i, ok := find(w.places().questions, w.Questions, id, func(q *Question) string { return q.ID })
	if !ok {
		return Question{}, false
	}
	return w.Questions[i], true
}

// Roster returns a roster by id.
func (w *Work) Roster(id string) (Roster, bool) {
	i, ok := find(w.places().rosters, w.Rosters, id, func(r *Roster) string { return r.ID })
	if !ok {
		return Roster{}, false
	}
	return w.Rosters[i], true
}

// RosterOf returns the roster of a cell's session, with the cell's model and with roles
// rotated by turn places.
func (w *Work) RosterOf(c *Cell, turn int) (roster.Roster, error) {
	pinned, _ := w.Roster(c.Roster)
	v, err := artifact.ParseValue(pinned.Roster, artifact.MaxDepth)
	if err != nil {
		return roster.Roster{}, err
	}
	r, _, err := roster.FromValue(v)
	if err != nil {
		return r, err
	}
	if m, _ := w.Model(c.Model); m.Model != "" {
		for i := range r.Entries {
			r.Entries[i].Model = m.Model
			if c.Task != "" && cmp.Or(m.Via, w.Via) != flow.ViaOpenAI { // a task names no program besides
				r.Entries[i].Program = m.Model
			}
		}
	}
	return Rotated(r, turn), nil
}

// Model returns a model by id; "" always exists.
func (w *Work) Model(id string) (PlanModel, bool) {
	if id == "" {
		return PlanModel{}, true
	}
	i, ok := find(w.places().models, w.Models, id, func(m *PlanModel) string { return m.ID })
	if !ok {
		return PlanModel{}, false
	}
	return w.Models[i], true
}

// ScriptOf returns the hash of the rehearsal script for a question; "" for real agents.
func (w *Work) ScriptOf(q *Question) string { return cmp.Or(q.Script, w.Script) }
