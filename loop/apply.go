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

// step takes an entry into the state. Each kind judges first and changes then: what is
// refused changes nothing.
func (s *State) step(e *journal.Entry) error {
	if (s.Head.Seq == 0) != (e.Kind == KindOpened) {
		return s.wrong(e, "a loop begins with %s, and only there", KindOpened)
	}
	switch e.Kind {
	case KindOpened:
		return s.opened(e)
	case KindResumed:
		return s.resumed(e)
	case KindLeft:
		return take(e, func(l Left) { s.Left = l.Reason })
	case KindEnded:
		return take(e, func(end Ended) { s.Ended, s.Reports = end.Reason, nil }) // each end has its own report
	case KindAdded:
		return s.added(e)
	case KindPaused:
		return take(e, func(Paused) { s.Paused = true })
	case KindUnpaused:
		return take(e, func(Paused) { s.Paused, s.Hold = false, time.Time{} }) // the user does not want to wait
	case KindStopping:
		return take(e, func(stop Stopping) { s.Stopping = stop.By })
	case KindRound:
		return s.round(e)
	case KindBegan:
		return s.began(e)
	case KindSettled:
		return s.settled(e)
	case KindReported:
		return take(e, func(r Reported) { s.Reports = append(s.Reports, r) })
	}
	return &fault.Error{
		Code: UnknownEvent, Place: fmt.Sprintf("%s, entry %d", e.Stream, e.Seq), Detail: "unknown event " + fault.Shown(e.Kind),
		Hint: "it may come from a newer version of this program",
	}
}

func (s *State) opened(e *journal.Entry) error {
	body, err := decode[Opened](e)
	if err != nil {
		return err
	}
	if e.Stream != Prefix+body.Name {
		return s.wrong(e, "the stream is not that of the loop %s", fault.Shown(body.Name))
	}
	if body.Rules != Rules {
		return &fault.Error{
			Code: UnknownEvent, Place: e.Stream, Detail: fmt.Sprintf("it decides by the rules %s; this program knows %s", fault.Shown(body.Rules), Rules),
			Hint: "go on with the version that began it: " + fault.Shown(body.Program),
		}
	}
	if flaw := cmp.Or(body.Work.Index(), body.Work.flaw(body.Work.Cells)); flaw != "" {
		return s.wrong(e, "%s", flaw)
	}
	*s = State{
		Opened: body, Work: body.Work, Limits: body.Limits, Began: e.At, Runs: 1,
		counts: make(map[Status]int), news: make(map[int]int), said: make(map[string]bool), heard: make(map[int]bool),
	}
	return nil
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

func (s *State) resumed(e *journal.Entry) error {
	body, err := decode[Resumed](e)
	if err != nil {
		return err
	}
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
		s.Stopping, s.stirred, s.forgiven = "", s.Round, s.Count(Broken)
		s.forgetNeeds()
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
	return nil
}

// take decodes an event that can always happen, and takes it into the state.
func take[T any](e *journal.Entry, into func(T)) error {
	body, err := decode[T](e)
	if err == nil {
		into(body)
	}
	return err
}

func (s *State) added(e *journal.Entry) error {
	body, err := decode[Added](e)
	if err != nil {
		return err
	}
	if s.Ended != "" {
		return s.wrong(e, "work is added to a loop that has ended")
	}
	w := s.Work
	w.Questions = slices.Concat(w.Questions, body.Questions)
	if flaw := cmp.Or(w.Index(), w.flaw(body.Cells)); flaw != "" {
		return s.wrong(e, "%s", flaw)
	}
	w.Cells = slices.Concat(w.Cells, body.Cells)
	if !ValidName(s.Opened.Name, s.PlannedWith(len(body.Cells))) {
		return s.wrong(e, "its name leaves no room for the numbers of so many sessions")
	}
	first := len(s.Work.Cells)
	s.Work = w
	if s.Round > 0 {
		s.enlist(first)
	}
	return nil
}

func (s *State) round(e *journal.Entry) error {
	body, err := decode[RoundOpened](e)
	if err != nil {
		return err
	}
	if body.Round != s.Round+1 || s.Open() > 0 {
		return s.wrong(e, "round %d is opened before the one before it was done", body.Round)
	}
	s.Round++
	s.enlist(0)
	return nil
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

func (s *State) began(e *journal.Entry) error {
	body, err := decode[Began](e)
	if err != nil {
		return err
	}
	j, ok := s.Job(body.Job)
	switch {
	case !ok || j.Status != Waiting:
		return s.wrong(e, "session %d begins, but it does not wait", body.Job)
	case j.Thread != "" && j.Thread != body.Thread:
		return s.wrong(e, "session %d has begun as %s", body.Job, fault.Shown(j.Thread))
	}
	if j.Thread == "" {
		j.Began = e.At
	}
	s.reserve(j, flow.Cost{Tokens: body.Reserved, USD: body.ReservedUSD})
	s.set(j, Running)
	j.Thread, j.Base = body.Thread, body.Base
	j.Attempts++
	j.Seq = e.Seq
	return nil
}

// reserve sets so much aside for a job, instead of what was set aside before.
func (s *State) reserve(j *Job, c flow.Cost) {
	s.Reserved, j.Reserved = s.Reserved.Minus(j.Reserved).Plus(c), c
}

func (s *State) settled(e *journal.Entry) error {
	body, err := decode[Settled](e)
	if err != nil {
		return err
	}
	j, ok := s.Job(body.Job)
	if !ok || j.Status != Running && (body.Outcome != Skipped || j.Status != Waiting) {
		return s.wrong(e, "session %d is settled, but it is not under way", body.Job)
	}
	hold := s.Hold
	if body.RetryAt != "" {
		at, err := artifact.ParseInstant(body.RetryAt)
		if err != nil {
			return s.wrong(e, "a bad instant: %v", err)
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
		return s.wrong(e, "no session comes to %s", fault.Shown(body.Outcome))
	}
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
	return nil
}

// countNeeds counts the jobs that leave something to a person. One that goes on may still
// decide it itself.
func (s *State) countNeeds(j *Job) {
	if j.counted {
		s.needing--
	}
	if j.counted = j.Final() && j.Settled.Needs() > 0; j.counted {
		s.needing++
	}
}

// forgetNeeds is for whoever goes on although something needs a person: only what needs
// one from now on counts.
func (s *State) forgetNeeds() {
	s.needing = 0
	for i := range s.Jobs {
		s.Jobs[i].counted = false
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

// Addition is a question to add to a loop, with the sessions that ask it.
type Addition struct {
	Question string
	Context  string // what every agent is told about it
	Roster   string // the id of a roster of the plan; "" is all of them
	Model    string // the id of a model of the plan; "" is all of them
	Seed     *int   // of the models; nil: what the configuration says of them
	After    string // a session of the store to begin with; "" is none
}

// Check refuses what cannot be added to any loop.
func (a *Addition) Check() error {
	switch {
	case strings.TrimSpace(a.Question) == "":
		return usage("the question is missing", "give it with --question \"…\"")
	case a.Seed != nil && (*a.Seed < 0 || *a.Seed > MostSeed):
		return usage(fmt.Sprintf("--seed cannot be %d", *a.Seed), fmt.Sprintf("0 to %d are possible", MostSeed))
	case a.After != "" && !artifact.IsThreadID(a.After):
		return usage("--after "+fault.Shown(a.After)+" is no session", "`brenner session list` shows those there are")
	}
	return nil
}

// Add returns what a question adds to the loop, within the limits of a plan: a session
// for each roster and model that is meant.
func (s *State) Add(a *Addition) (Added, error) {
	if err := a.Check(); err != nil {
		return Added{}, err
	}
	q := Question{Question: strings.TrimSpace(a.Question), Context: strings.TrimSpace(a.Context)}
	for n, taken := len(s.Work.Questions)+1, true; taken; n++ { // a plan may use such an id itself
		q.ID = fmt.Sprintf("added-%d", n)
		_, taken = s.Work.Question(q.ID)
	}
	rosters, err := choose("roster", a.Roster, idsOf(s.Work.Rosters, func(r *Roster) string { return r.ID }))
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
	if n := len(s.Work.Cells) + len(added.Cells); n > MostSessions {
		return Added{}, usage(fmt.Sprintf("the loop would have %d sessions a round; %d are the most", n, MostSessions), "begin another one")
	}
	if n := s.PlannedWith(len(added.Cells)); !ValidName(s.Opened.Name, n) {
		return Added{}, usage(fmt.Sprintf("%d sessions are too many for a loop with so long a name", n), "begin another one, with a shorter name:")
	}
	return added, nil
}

// choose returns the id that is named, or all of them.
func choose(what, id string, all []string) ([]string, error) {
	if id == "" {
		return all, nil
	}
	if !slices.Contains(all, id) {
		return nil, usage("the plan has no "+what+" "+fault.Shown(id), "it has "+cmp.Or(strings.Join(all, ", "), "none"))
	}
	return []string{id}, nil
}

func usage(detail, hint string) error {
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}

// LastReports returns what became of the report the last time, for each reader to whom it
// went since the loop ended.
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

// Unreached returns the readers whom the report of the loop's end has not reached.
func (s *State) Unreached(readers []string) []string {
	var all []string
	for _, to := range readers {
		if !slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to && r.Code == "" }) {
			all = append(all, to)
		}
	}
	return all
}

// Owed returns the readers to whom the loop's end still owes its report. A reader who
// was named only after the loop began, and to whom it was never sent, is owed nothing.
func (s *State) Owed(readers []string) []string {
	return slices.DeleteFunc(s.Unreached(readers), func(to string) bool {
		tried := slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to })
		return !tried && !slices.Contains(s.Opened.Deliver, to)
	})
}
