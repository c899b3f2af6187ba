package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store/journal"
)

// step applies an entry. Each kind validates before it changes anything, so a refused
// entry leaves the state unchanged.
func (s *State) step(e *journal.Entry) error {
	if (s.Head.Seq == 0) != (e.Kind == KindOpened) {
		return s.badSequence(e, "%s must be the first entry, and only the first", KindOpened)
	}
	switch e.Kind {
	case KindOpened:
		return s.applyOpened(e)
	case KindResumed:
		return s.applyResumed(e)
	case KindLeft:
		return applyEvent(e, func(l Left) { s.Left = l.Reason })
	case KindEnded:
		return applyEvent(e, func(end Ended) { s.Ended, s.Reports = end.Reason, nil }) // each end has its own report
	case KindAdded:
		return s.applyAdded(e)
	case KindPaused:
		return applyEvent(e, func(Paused) { s.Paused = true })
	case KindUnpaused:
		return applyEvent(e, func(Paused) { s.endWaits(e.At) })
	case KindStopping:
		return applyEvent(e, func(stop Stopping) { s.Stopping = stop.By })
	case KindRound:
		return s.applyRound(e)
	case KindBegan:
		return s.applyBegan(e)
	case KindSettled:
		return s.applySettled(e)
	case KindReached:
		return applyEvent(e, func(r Reached) { s.endOutage(r.Job) })
	case KindReported:
		return applyEvent(e, func(r Reported) { s.Reports = append(s.Reports, r) })
	}
	return &fault.Error{
		Code: UnknownEvent, Place: fmt.Sprintf("%s, entry %d", e.Stream, e.Seq), Detail: "unknown event " + fault.Shown(e.Kind),
		Hint: "the journal may come from a newer version of this program",
	}
}

func (s *State) applyOpened(e *journal.Entry) error {
	body, err := decode[Opened](e)
	if err != nil {
		return err
	}
	if e.Stream != Prefix+body.Name {
		return s.badSequence(e, "the stream does not belong to loop %s", fault.Shown(body.Name))
	}
	if !slices.Contains([]string{Rules, secondRules, firstRules}, body.Rules) {
		return &fault.Error{
			Code: UnknownEvent, Place: e.Stream, Detail: fmt.Sprintf("unknown rules %s; this program supports %s", fault.Shown(body.Rules), Rules),
			Hint: "continue with the version that started it: " + fault.Shown(body.Program),
		}
	}
	if flaw := cmp.Or(body.Work.Index(), body.Work.checkCells(body.Work.Cells), body.Work.checkTasks()); flaw != "" {
		return s.badSequence(e, "%s", flaw)
	}
	*s = State{
		Opened: body, Work: body.Work, Ways: body.Ways, Limits: body.Limits, Began: e.At, Runs: 1, At: body.At,
		Spent:  body.Preflight.Cost(),
		counts: make(map[Status]int), news: make(map[int]int), seen: make(map[string]bool), answered: make(map[int]bool),
		reach: make(map[group]*reach),
	}
	return nil
}

// checkCells describes the first cell that names something unknown, or returns "".
func (w *Work) checkCells(cells []Cell) string {
	for i := range cells {
		if flaw := w.checkCell(&cells[i]); flaw != "" {
			return flaw
		}
	}
	return ""
}

func (w *Work) checkCell(c *Cell) string {
	if _, ok := w.Question(c.Question); !ok && c.Task == "" {
		return "no such question: " + fault.Shown(c.Question)
	}
	if _, ok := w.Roster(c.Roster); !ok {
		return "no such roster: " + fault.Shown(c.Roster)
	}
	if _, ok := w.Model(c.Model); !ok {
		return "no such model: " + fault.Shown(c.Model)
	}
	return ""
}

// applyEvent decodes an event that is valid in every state, and applies it.
func applyEvent[T any](e *journal.Entry, into func(T)) error {
	body, err := decode[T](e)
	if err == nil {
		into(body)
	}
	return err
}

func (s *State) applyAdded(e *journal.Entry) error {
	body, err := decode[Added](e)
	if err != nil {
		return err
	}
	if s.Ended != "" {
		return s.badSequence(e, "work added to a loop that has ended")
	}
	w := s.Work
	w.Questions = slices.Concat(w.Questions, body.Questions)
	if flaw := cmp.Or(w.Index(), w.checkCells(body.Cells)); flaw != "" {
		return s.badSequence(e, "%s", flaw)
	}
	if slices.ContainsFunc(body.Cells, func(c Cell) bool { return c.Task != "" }) {
		return s.badSequence(e, "a task added to a loop")
	}
	w.Cells = slices.Concat(w.Cells, body.Cells)
	if !ValidName(s.Opened.Name, s.PlannedWith(len(body.Cells))) {
		return s.badSequence(e, "the loop's name is too long for so many sessions")
	}
	first := len(s.Work.Cells)
	s.Work = w
	if s.Round > 0 {
		s.enlist(first)
	}
	return nil
}

func (s *State) applyRound(e *journal.Entry) error {
	body, err := decode[RoundOpened](e)
	if err != nil {
		return err
	}
	if body.Round != s.Round+1 || s.Open() > 0 {
		return s.badSequence(e, "round %d opened before the previous round was done", body.Round)
	}
	s.Round++
	s.enlist(0)
	return nil
}

// enlist creates the jobs of the open round for all cells from index first.
func (s *State) enlist(first int) {
	byID := make(map[string]int)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Round == s.Round && j.Cell.ID != "" {
			byID[j.Cell.ID] = j.Number
		}
	}
	bases, before := s.bases(), len(s.Jobs)
	for i := first; i < len(s.Work.Cells); i++ {
		c := s.Work.Cells[i]
		if c.Task != "" && s.Round > 1 {
			continue
		}
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
	s.waitFor(s.Jobs[before:], byID)
}

func (s *State) applyBegan(e *journal.Entry) error {
	body, err := decode[Began](e)
	if err != nil {
		return err
	}
	j, ok := s.Job(body.Job)
	switch {
	case !ok || j.Status != Waiting:
		return s.badSequence(e, "session %d begins but is not waiting", body.Job)
	case j.Thread != "" && j.Thread != body.Thread:
		return s.badSequence(e, "session %d already began as %s", body.Job, fault.Shown(j.Thread))
	}
	if j.Thread == "" {
		j.Began = e.At
	}
	s.reserve(j, flow.Cost{Tokens: body.Reserved, USD: body.ReservedUSD})
	j.taken = s.share(j).Minus(j.Reserved)
	s.set(j, Running)
	if o := s.outageOf(&j.Cell); o != nil {
		o.probe = j.Number
	}
	j.Thread, j.Base, j.After = body.Thread, body.Base, body.After
	j.Attempts++
	j.Seq = e.Seq
	return nil
}

// reserve replaces a job's reservation.
func (s *State) reserve(j *Job, c flow.Cost) {
	s.Reserved, j.Reserved = s.Reserved.Minus(j.Reserved).Plus(c), c
}

func (s *State) applySettled(e *journal.Entry) error {
	body, err := decode[Settled](e)
	if err != nil {
		return err
	}
	j, ok := s.Job(body.Job)
	if !ok || j.Status != Running && (body.Outcome != Skipped || j.Status != Waiting) {
		return s.badSequence(e, "session %d settled but not running", body.Job)
	}
	hold := s.Hold
	if body.RetryAt != "" {
		at, err := artifact.ParseInstant(body.RetryAt)
		if err != nil {
			return s.badSequence(e, "invalid instant: %v", err)
		}
		if most := e.At.Add(maxHold); at.After(most) {
			at = most
		}
		if at.After(hold) {
			hold = at
		}
	}
	status, ok := s.statusAfter(j, body.Outcome)
	if !ok {
		return s.badSequence(e, "unknown outcome %s", fault.Shown(body.Outcome))
	}
	s.reserve(j, flow.Cost{})
	s.Spent = s.Spent.Minus(j.Settled.Cost()).Plus(body.Cost())
	status = s.judge(j, &body, e.At, status)
	if body.Outcome == Failed && (status == Broken || body.Trouble != Passing) {
		j.Failures++
	}
	if body.Outcome == Later {
		s.Hold = hold
	}
	j.Settled, j.Closed, j.Seq = body, e.At, e.Seq
	s.set(j, status)
	s.countNeeds(j)
	s.countNews(j)
	return nil
}

// countNeeds counts the final jobs that need a person. A job that is not final may still
// resolve it itself.
func (s *State) countNeeds(j *Job) {
	if j.counted {
		s.needsPerson--
	}
	if j.counted = j.Final() && j.Settled.Needs() > 0; j.counted {
		s.needsPerson++
	}
}

// resetNeeds forgets the needs counted so far. After the operator continues a loop, only
// new ones count.
func (s *State) resetNeeds() {
	s.needsPerson = 0
	for i := range s.Jobs {
		s.Jobs[i].counted = false
	}
}

// maxHold bounds how long a provider's retry time is respected. A time in a year
// must not block every loop until then.
const maxHold = 24 * time.Hour

// statusAfter returns a job's status after an outcome: final, or waiting for another attempt.
func (s *State) statusAfter(j *Job, outcome string) (Status, bool) {
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
	case Later, Interrupted:
		return Waiting, true
	}
	return "", false
}

// countNews counts the claims of a session that no earlier session made.
func (s *State) countNews(j *Job) {
	if j.Answered() && j.Cell.Task == "" {
		s.answered[j.Round] = true
	}
	for _, claim := range j.Settled.Says {
		if !s.seen[claim] {
			s.seen[claim] = true
			s.news[j.Round]++
		}
	}
	j.Settled.Says = nil // counted; thousands of sessions would use much memory
}

// String formats a job for logs.
func (j *Job) String() string { return fmt.Sprintf("session %d (%s)", j.Number, j.Name()) }

// Addition is a question to add to a loop, with the sessions that ask it.
type Addition struct {
	Question string
	Context  string // shown to every agent
	Roster   string // id of a roster of the plan; "" means all
	Model    string // id of a model of the plan; "" means all
	Seed     *int   // for the models; nil uses the configuration's
	After    string // stored session to start from; "" means none
}

// Check reports an error if the addition is invalid for every loop.
func (a *Addition) Check() error {
	switch {
	case strings.TrimSpace(a.Question) == "":
		return usage("--question is missing", "pass --question \"…\"")
	case a.Seed != nil && (*a.Seed < 0 || *a.Seed > MaxSeed):
		return usage(fmt.Sprintf("--seed: %d is out of range", *a.Seed), fmt.Sprintf("use 0 to %d", MaxSeed))
	case a.After != "" && !artifact.IsThreadID(a.After):
		return usage("--after: not a session id: "+fault.Shown(a.After), "`brenner session list` lists the sessions")
	}
	return nil
}

// Add returns the event that adds a question to the loop, with a session for each chosen
// roster and model. The limits of a plan apply.
func (s *State) Add(a *Addition) (Added, error) {
	if err := a.Check(); err != nil {
		return Added{}, err
	}
	q := Question{Question: strings.TrimSpace(a.Question), Context: strings.TrimSpace(a.Context)}
	for n, taken := len(s.Work.Questions)+1, true; taken; n++ { // a plan may use such an id itself
		q.ID = fmt.Sprintf("added-%d", n)
		_, taken = s.Work.Question(q.ID)
	}
	known := s.Work.planRosters()
	if len(known) == 0 {
		return Added{}, usage("the plan of loop "+s.Opened.Name+" has only tasks, and no roster to ask a question", "start another loop, with questions: and rosters: in its plan")
	}
	rosters, err := choose("roster", a.Roster, known)
	if err != nil {
		return Added{}, err
	}
	models, err := choose("model", a.Model, idsOf(s.Work.Models, func(m *PlanModel) string { return m.ID }))
	if err != nil {
		return Added{}, err
	}
	if len(models) == 0 {
		models = []string{""}
	}
	added := Added{Questions: []Question{q}}
	for _, r := range rosters {
		for _, m := range models {
			added.Cells = append(added.Cells, Cell{Question: q.ID, Roster: r, Model: m, Seed: a.Seed, After: a.After})
		}
	}
	if n := len(s.Work.Cells) + len(added.Cells); n > MaxSessions {
		return Added{}, usage(fmt.Sprintf("the loop would have %d sessions per round; the limit is %d", n, MaxSessions), "start another loop")
	}
	if n := s.PlannedWith(len(added.Cells)); !ValidName(s.Opened.Name, n) {
		return Added{}, usage(fmt.Sprintf("%d sessions are too many for a loop name this long", n), "start another loop, with a shorter name: in its plan")
	}
	return added, nil
}

// choose returns the given id, or all ids if it is empty.
func choose(what, id string, all []string) ([]string, error) {
	if id == "" {
		return all, nil
	}
	if !slices.Contains(all, id) {
		return nil, usage("--"+what+": the plan has no "+what+" "+fault.Shown(id), "known: "+cmp.Or(strings.Join(all, ", "), "none"))
	}
	return []string{id}, nil
}

func usage(detail, hint string) error {
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}

// LastReports returns the last delivery of the report to each reader since the loop ended.
func (s *State) LastReports() []Reported {
	var last []Reported
	for _, r := range s.Reports {
		if i := slices.IndexFunc(last, func(o Reported) bool { return o.To == r.To }); i >= 0 {
			last[i] = r
			continue
		}
		last = append(last, r)
	}
	return last
}

// Unreached returns the readers that have not received the final report.
func (s *State) Unreached(readers []string) []string {
	var all []string
	for _, to := range readers {
		if !slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to && r.Code == "" }) {
			all = append(all, to)
		}
	}
	return all
}

// Owed returns the readers that have yet to receive the final report. A reader that was
// configured after the loop began, and to which it was never sent, does not count.
func (s *State) Owed(readers []string) []string {
	return slices.DeleteFunc(s.Unreached(readers), func(to string) bool {
		tried := slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to })
		return !tried && !slices.Contains(s.Opened.Deliver, to)
	})
}
