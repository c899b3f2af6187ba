package loop

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/fault"
	"brenner/flow"
	"brenner/journal"
)

type applier func(*State, *journal.Entry) (func(), error)

// appliers says what each kind of event does to the state.
func appliers() map[string]applier {
	return map[string]applier{
		KindOpened: (*State).opened, KindResumed: (*State).resumed, KindLeft: (*State).left, KindEnded: (*State).ended,
		KindAdded: (*State).added, KindPaused: (*State).paused, KindUnpaused: (*State).unpaused, KindStopping: (*State).stopping,
		KindRound: (*State).round, KindBegan: (*State).began, KindSettled: (*State).settled, KindReported: (*State).reported,
	}
}

func (s *State) opened(e *journal.Entry) (func(), error) {
	body, err := decode[Opened](e)
	if err != nil {
		return nil, err
	}
	if e.Stream != Prefix+body.Name {
		return nil, s.wrong(e, "the stream is not that of the loop %s", fault.Shown(body.Name))
	}
	if body.Rules != Rules {
		return nil, &fault.Error{
			Code: UnknownEvent, Place: e.Stream, Detail: fmt.Sprintf("it decides by the rules %s; this program knows %s", fault.Shown(body.Rules), Rules),
			Hint: "go on with the version that began it: " + fault.Shown(body.Program),
		}
	}
	if flaw := cmp.Or(body.Work.Index(), body.Work.flaw(body.Work.Cells)); flaw != "" {
		return nil, s.wrong(e, "%s", flaw)
	}
	return func() {
		*s = State{
			Opened: body, Work: body.Work, Limits: body.Limits, Began: e.At, Runs: 1,
			counts: make(map[Status]int), news: make(map[int]int), said: make(map[string]bool), heard: make(map[int]bool),
		}
	}, nil
}

// flaw says which cell is made of something that there is not, or "".
func (w *Work) flaw(cells []Cell) string {
	for i := range cells {
		if flaw := w.flawOf(&cells[i]); flaw != "" {
			return flaw
		}
	}
	return ""
}

func (w *Work) flawOf(c *Cell) string {
	if _, ok := w.Question(c.Question); !ok {
		return "there is no question " + fault.Shown(c.Question)
	}
	if _, ok := w.Roster(c.Roster); !ok {
		return "there is no roster " + fault.Shown(c.Roster)
	}
	if _, ok := w.Model(c.Model); !ok {
		return "there is no model " + fault.Shown(c.Model)
	}
	return ""
}

func (s *State) resumed(e *journal.Entry) (func(), error) {
	body, err := decode[Resumed](e)
	if err != nil {
		return nil, err
	}
	return func() {
		if body.Limits != nil {
			if s.Limits.Quiet == 0 && body.Limits.Quiet > 0 {
				s.stirred = s.Round // of the rounds before nobody wrote down what they said
			}
			s.Limits = *body.Limits
		}
		if body.Retry {
			s.retry()
		}
		if s.Ended != "" { // a word that was not obeyed yet still holds
			s.Stopping, s.stirred, s.forgiven, s.needing = "", s.Round, s.Count(Broken), 0
			s.Hold = time.Time{} // who goes on with it knows better than a provider did then
		}
		s.Ended, s.Left, s.Paused = "", "", false
		s.Runs++
		for i := range s.Jobs {
			// What is set aside for a session that was under way stays so: it goes on.
			if j := &s.Jobs[i]; j.Status == Running {
				s.set(j, Waiting)
			}
		}
	}, nil
}

func (s *State) left(e *journal.Entry) (func(), error) {
	body, err := decode[Left](e)
	return func() { s.Left = body.Reason }, err
}

func (s *State) ended(e *journal.Entry) (func(), error) {
	body, err := decode[Ended](e)
	return func() { s.Ended, s.Reports = body.Reason, nil }, err // each end has its own report
}

func (s *State) paused(e *journal.Entry) (func(), error) {
	_, err := decode[Paused](e)
	return func() { s.Paused = true }, err
}

func (s *State) unpaused(e *journal.Entry) (func(), error) {
	_, err := decode[Paused](e)
	return func() { s.Paused, s.Hold = false, time.Time{} }, err // whoever says so does not want to wait
}

func (s *State) stopping(e *journal.Entry) (func(), error) {
	body, err := decode[Stopping](e)
	return func() { s.Stopping = body.By }, err
}

func (s *State) reported(e *journal.Entry) (func(), error) {
	body, err := decode[Reported](e)
	return func() { s.Reports = append(s.Reports, body) }, err
}

func (s *State) added(e *journal.Entry) (func(), error) {
	body, err := decode[Added](e)
	if err != nil {
		return nil, err
	}
	if s.Ended != "" {
		return nil, s.wrong(e, "work is added to a loop that has ended")
	}
	w := s.Work
	w.Questions = slices.Concat(w.Questions, body.Questions)
	if flaw := cmp.Or(w.Index(), w.flaw(body.Cells)); flaw != "" {
		return nil, s.wrong(e, "%s", flaw)
	}
	w.Cells = slices.Concat(w.Cells, body.Cells)
	if !ValidName(s.Opened.Name, s.PlannedWith(len(body.Cells))) {
		return nil, s.wrong(e, "its name leaves no room for the numbers of so many sessions")
	}
	return func() {
		first := len(s.Work.Cells)
		s.Work = w
		if s.Round > 0 {
			s.enlist(first)
		}
	}, nil
}

func (s *State) round(e *journal.Entry) (func(), error) {
	body, err := decode[RoundOpened](e)
	if err != nil {
		return nil, err
	}
	if body.Round != s.Round+1 || s.Open() > 0 {
		return nil, s.wrong(e, "round %d is opened before the one before it was done", body.Round)
	}
	return func() {
		s.Round++
		s.enlist(0)
	}, nil
}

// enlist makes the jobs of the open round for all cells from one on.
func (s *State) enlist(first int) {
	byID := make(map[string]int)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Round == s.Round && j.Cell.ID != "" {
			byID[j.Cell.ID] = j.Number
		}
	}
	bases := s.bases()
	for i := first; i < len(s.Work.Cells); i++ {
		c := s.Work.Cells[i]
		j := Job{Number: len(s.Jobs) + 1, Round: s.Round, Index: i, Cell: c, Status: Waiting}
		if s.Work.Rotate {
			j.Turn = s.Round - 1
		}
		switch needs, ok := byID[c.After]; {
		case bases.of(&c, i) != "":
			j.Base = bases.of(&c, i)
		case ok:
			j.Needs = needs
		default:
			j.Base = c.After
		}
		if c.ID != "" {
			byID[c.ID] = j.Number
		}
		s.Jobs = append(s.Jobs, j)
		s.counts[Waiting]++
	}
}

func (s *State) began(e *journal.Entry) (func(), error) {
	body, err := decode[Began](e)
	if err != nil {
		return nil, err
	}
	j, ok := s.Job(body.Job)
	switch {
	case !ok || j.Status != Waiting:
		return nil, s.wrong(e, "session %d begins, but it does not wait", body.Job)
	case j.Thread != "" && j.Thread != body.Thread:
		return nil, s.wrong(e, "session %d has begun as %s", body.Job, fault.Shown(j.Thread))
	}
	return func() {
		if j.Thread == "" {
			j.Began = e.At
		}
		s.reserve(j, flow.Cost{Tokens: body.Reserved, USD: body.ReservedUSD})
		s.set(j, Running)
		j.Thread, j.Base = body.Thread, body.Base
		j.Attempts++
		j.Seq = e.Seq
	}, nil
}

// reserve sets so much aside for a job, instead of what was set aside before.
func (s *State) reserve(j *Job, c flow.Cost) {
	s.Reserved, j.Reserved = s.Reserved.Minus(j.Reserved).Plus(c), c
}

func (s *State) settled(e *journal.Entry) (func(), error) {
	body, err := decode[Settled](e)
	if err != nil {
		return nil, err
	}
	j, ok := s.Job(body.Job)
	if !ok || j.Status != Running && (body.Outcome != Skipped || j.Status != Waiting) {
		return nil, s.wrong(e, "session %d is settled, but it is not under way", body.Job)
	}
	hold := s.Hold
	if body.RetryAt != "" {
		at, err := artifact.ParseInstant(body.RetryAt)
		if err != nil {
			return nil, s.wrong(e, "a bad instant: %v", err)
		}
		if most := e.At.Add(longestHold); at.After(most) {
			at = most
		}
		if at.After(hold) {
			hold = at
		}
	}
	status, ok := s.after(j, body.Outcome)
	if !ok {
		return nil, s.wrong(e, "no session comes to %s", fault.Shown(body.Outcome))
	}
	return func() {
		s.reserve(j, flow.Cost{})
		s.Spent = s.Spent.Minus(j.Settled.Cost()).Plus(body.Cost())
		if body.Outcome == Failed {
			j.Failures++
		}
		if body.Outcome == Later {
			s.Hold = hold
		}
		j.Settled, j.Closed, j.Seq = body, e.At, e.Seq
		s.set(j, status)
		s.countNeeds(j)
		s.hear(j)
	}, nil
}

// countNeeds counts the jobs that leave something to a person. One that goes on may still
// decide it itself.
func (s *State) countNeeds(j *Job) {
	if j.counted {
		s.needing = max(0, s.needing-1)
	}
	if j.counted = j.Final() && j.Settled.Needs() > 0; j.counted {
		s.needing++
	}
}

// longestHold is how long a provider is believed that says when to return: one that says
// next year, be it by mistake, must not end every night until then.
const longestHold = 24 * time.Hour

// after says what becomes of a job: it has ended, or waits for another attempt.
func (s *State) after(j *Job, outcome string) (Status, bool) {
	switch outcome {
	case Done:
		return Finished, true
	case Short:
		return Cut, true
	case Failed:
		if j.Failures < s.Limits.Retry {
			return Waiting, true
		}
		return Broken, true
	case Skipped:
		return Omitted, true
	case Later, Aside:
		return Waiting, true
	}
	return "", false
}

// hear counts what a session said that nobody had said before.
func (s *State) hear(j *Job) {
	if j.Answered() {
		s.heard[j.Round] = true
	}
	for _, says := range j.Settled.Says {
		if !s.said[says] {
			s.said[says] = true
			s.news[j.Round]++
		}
	}
	j.Settled.Says = nil // it is counted; thousands of sessions say much
}

// String says what a job is, for logs.
func (j *Job) String() string { return fmt.Sprintf("session %d (%s)", j.Number, j.Name()) }
