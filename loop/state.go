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

// State is what a loop's journal says.
type State struct {
	Head   journal.Head
	Opened Opened
	Work   Work // as opened, with what was added
	Limits Limits
	Began  time.Time
	Last   time.Time
	Runs   int
	Round  int
	Jobs   []Job // in the order of their numbers
	Ended  string
	Left   string // why the last run went, while none goes on
	Paused bool
	// Stopping is who wants the loop to end.
	Stopping string
	// Hold is when a provider said to return.
	Hold time.Time
	// Spent is what sessions have used, Reserved what is set aside for those under way.
	Spent    flow.Cost
	Reserved flow.Cost
	// Reports is what became of the report since the loop ended.
	Reports []Reported

	counts  map[Status]int
	begun   int // of those that wait: sessions that have begun
	first   int // all jobs before this one are final
	needing int
	// When somebody goes on with a loop that a rule ended, what made the rule hold
	// is known, and counts no longer.
	stirred  int             // the round in which that was
	forgiven int             // the failures by then
	news     map[int]int     // by round: things that nobody had said before
	said     map[string]bool // everything that active items said
	heard    map[int]bool    // the rounds in which anybody said anything
}

// Status of a job.
type Status string

// The statuses of jobs.
const (
	Waiting  Status = "waiting"
	Running  Status = "running"
	Finished Status = "done"
	Cut      Status = "short" // by its own budget, before its end
	Broken   Status = "failed"
	Omitted  Status = "skipped"
)

// Job is one session of one round.
type Job struct {
	Number   int // from 1, over all rounds
	Round    int
	Index    int // of its cell
	Cell     Cell
	Turn     int    // how far roles are rotated
	Base     string // the session that it begins with
	Needs    int    // the number of the job that it waits for; 0 is none
	Status   Status
	Thread   string // once it has begun
	Attempts int
	Failures int
	Reserved flow.Cost
	Settled  Settled // the last time
	Began    time.Time
	Closed   time.Time
	Seq      int // of the last entry about it

	counted bool // among those that need a person
}

// Final tells whether nothing more becomes of a job.
func (j *Job) Final() bool { return j.Status != Waiting && j.Status != Running }

// Answered tells whether a session came to more than its brief: answers were merged.
func (j *Job) Answered() bool { return j.Status == Finished || j.Settled.Merged > 0 }

// Name is how people call a loop's session.
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

// Fold gives the state after all entries of a loop's journal. The chain is the
// caller's to check.
func Fold(entries []journal.Entry) (*State, error) {
	s := &State{}
	for i := range entries {
		if err := s.Apply(&entries[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Apply takes one more entry into the state, or refuses it and changes nothing.
func (s *State) Apply(e *journal.Entry) error {
	if err := s.step(e); err != nil {
		return err
	}
	s.Head, s.Last = e.Head(), e.At
	return nil
}

func (s *State) wrong(e *journal.Entry, format string, args ...any) error {
	return &fault.Error{
		Code: BadSequence, Place: fmt.Sprintf("%s, entry %d (%s)", e.Stream, e.Seq, e.Kind), Detail: fmt.Sprintf(format, args...),
		Hint: "the journal was not written by this program, or not by one loop",
	}
}

// Job finds a job by its number.
func (s *State) Job(number int) (*Job, bool) {
	if number < 1 || number > len(s.Jobs) {
		return nil, false
	}
	return &s.Jobs[number-1], true
}

// Count gives how many jobs have a status.
func (s *State) Count(status Status) int { return s.counts[status] }

// Open gives how many jobs have not come to an end.
func (s *State) Open() int { return s.counts[Waiting] + s.counts[Running] }

// set gives a job another status. The counts are kept, so that a loop of many
// thousands of sessions does not look at all of them for each.
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

// Planned is how many sessions all rounds would have.
func (s *State) Planned() int {
	return len(s.Jobs) + max(0, s.Limits.Rounds-s.Round)*len(s.Work.Cells)
}

// PlannedWith is how many they would have with more sessions a round, from the round
// that is open.
func (s *State) PlannedWith(more int) int {
	return s.Planned() + (max(0, s.Limits.Rounds-s.Round)+min(s.Round, 1))*more
}

// Needing gives the jobs of which a person should look at something.
func (s *State) Needing() []*Job {
	var all []*Job
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Settled.Needs() > 0 {
			all = append(all, j)
		}
	}
	return all
}

// ThreadOf names the session of a job.
func (s *State) ThreadOf(j *Job) string {
	return fmt.Sprintf("RS-%s-%s-%04d", s.Began.UTC().Format("20060102"), s.Opened.Name, j.Number)
}

// workIndex says where in the lists of a Work something of an id stands: loops of
// many thousands of questions look each of them up for each session.
type workIndex struct{ questions, rosters, models map[string]int }

// Index makes lookups by id quick. It must be made anew when something was added, and
// says which id there is twice, or "".
func (w *Work) Index() (flaw string) {
	w.index = &workIndex{}
	var questions, rosters, models string
	w.index.questions, questions = placesOf("question", w.Questions, func(q *Question) string { return q.ID })
	w.index.rosters, rosters = placesOf("roster", w.Rosters, func(r *Roster) string { return r.ID })
	w.index.models, models = placesOf("model", w.Models, func(m *PlanModel) string { return m.ID })
	return cmp.Or(questions, rosters, models)
}

func placesOf[T any](what string, list []T, id func(*T) string) (places map[string]int, twice string) {
	places = make(map[string]int, len(list))
	for i := range list {
		name := id(&list[i])
		if _, there := places[name]; there {
			if twice == "" {
				twice = "there are two of the id " + fault.Shown(name) + ": a " + what
			}
			continue
		}
		places[name] = i
	}
	return places, twice
}

// find gives where something of an id stands.
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

// Question finds a question of the work.
func (w *Work) Question(id string) (Question, bool) {
	i, ok := find(w.places().questions, w.Questions, id, func(q *Question) string { return q.ID })
	if !ok {
		return Question{}, false
	}
	return w.Questions[i], true
}

// Roster finds a roster of the work.
func (w *Work) Roster(id string) (Roster, bool) {
	i, ok := find(w.places().rosters, w.Rosters, id, func(r *Roster) string { return r.ID })
	if !ok {
		return Roster{}, false
	}
	return w.Rosters[i], true
}

// RosterOf returns who takes part in the session of a cell: its roster, with the model
// of the plan's list, and with roles rotated by so many turns.
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
		}
	}
	return Rotated(r, turn), nil
}

// Model finds a model of the work; the one without a name is always there.
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

// ScriptOf is the hash of what scripted agents say to a question; "" where they are real.
func (w *Work) ScriptOf(q *Question) string { return cmp.Or(q.Script, w.Script) }
