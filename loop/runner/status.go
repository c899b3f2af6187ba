package runner

import (
	"cmp"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// Summary is the status of a loop.
type Summary struct {
	Schema    string `json:"schema"`
	Loop      string `json:"loop"`
	Phase     string `json:"phase"`
	Reason    string `json:"reason"` // why it ended
	HeldBy    string `json:"held_by"`
	Place     string `json:"place,omitempty"` // where its sessions run; empty means in the process of the loop
	Rehearsal bool   `json:"rehearsal"`
	Round     int    `json:"round"`
	Rounds    int    `json:"rounds"`
	Planned   int    `json:"planned"`
	Done      int    `json:"done"`
	Failed    int    `json:"failed"`
	Short     int    `json:"short"` // ended by their own budget
	// Nothing counts the ended sessions in which no agent contributed and the artifact did
	// not move.
	Nothing     int     `json:"nothing"`
	Skipped     int     `json:"skipped"`
	Running     int     `json:"running"`
	Waiting     int     `json:"waiting"`
	NotOpened   int     `json:"not_opened"` // in rounds not opened yet
	Concurrency int     `json:"concurrency"`
	Tokens      int     `json:"tokens_spent"`
	Lost        int     `json:"tokens_lost"` // part of Tokens: possible cost of calls without a reply
	Reserved    int     `json:"tokens_reserved"`
	TokensLimit int     `json:"tokens_budget"`
	USD         float64 `json:"usd_spent"`
	USDLimit    float64 `json:"usd_budget"`
	Unpriced    int     `json:"unpriced_models,omitzero"` // asked, without a price: USD leaves them out
	ByHand      int     `json:"tokens_by_hand,omitzero"`  // not part of Tokens: spent in sessions resumed by hand
	Until       string  `json:"until"`                    // when it stops
	RetryAt     string  `json:"retry_at"`                 // no session starts before
	// Outage is what the loop waits for, if an endpoint does not respond.
	Outage *Outage `json:"outage,omitzero"`
	// Cause is what kept sessions from running, if the loop ended for it.
	Cause       *loop.Cause      `json:"cause,omitzero"`
	Conflicts   int              `json:"conflicts"`    // open ones, in all sessions
	NeedsPerson []string         `json:"needs_person"` // sessions that need a decision
	Attention   int              `json:"attention"`    // items that the report lists for a person
	Sessions    []SummarySession `json:"sessions"`
	Report      string           `json:"report"` // the report's file, if any
	Deliveries  []Delivery       `json:"deliveries"`
	Head        string           `json:"head"`
	Entries     int              `json:"entries"`
	Next        []string         `json:"next"`
	// Exit is set by a command that ends with this summary.
	Exit    *int   `json:"exit,omitzero"`
	Started string `json:"started_at"`
	Updated string `json:"updated_at"`

	Stopping      bool   `json:"-"` // stop requested
	Paused        bool   `json:"-"` // by a person, and not ended
	ResumeCommand string `json:"-"` // the command that resumes it
	// raise continues the first session out of its own budget, decide is for the first that needs a
	// decision.
	raise, decide string
	// Backoff reports whether RetryAt is when a failed session is retried; otherwise a
	// provider set it.
	Backoff bool `json:"-"`
}

// SummarySession is one session of a loop.
type SummarySession struct {
	Number    int        `json:"number"`
	Round     int        `json:"round"`
	Name      string     `json:"name"`
	Thread    string     `json:"thread_id"`
	Base      string     `json:"base"`
	Status    string     `json:"status"`
	Reason    string     `json:"reason"`
	Attempts  int        `json:"attempts"`
	Version   int        `json:"version"`
	Tokens    int        `json:"tokens"`
	Conflicts int        `json:"conflicts"`
	Code      fault.Code `json:"code"`
	Problem   string     `json:"problem"`
	Nothing   bool       `json:"nothing"`       // no agent contributed
	Silent    int        `json:"silent_agents"` // that contributed nothing in any round
	Lost      int        `json:"tokens_lost"`   // part of Tokens: possible cost of calls without a reply
	Idle      []string   `json:"silent"`        // the names of the silent agents
	Others    []string   `json:"other_models,omitempty"`
	// Task is the id of the task that it runs. Records are those that its agent put.
	Task    string `json:"task,omitempty"`
	Records int    `json:"records,omitzero"`
	Refused int    `json:"refused_records,omitzero"`
	Unread  int    `json:"unread_records,omitzero"`
	Machine string `json:"machine,omitempty"` // that runs it, if that is not always the process of the loop
	Process int    `json:"process,omitzero"`  // on that machine
}

// Outage is a time in which an endpoint does not respond. One session at a time asks
// again; after GivesUp, a failure counts as lasting.
type Outage struct {
	Code    fault.Code `json:"code"`
	Detail  string     `json:"detail"`
	Since   string     `json:"since"`
	AsksAt  string     `json:"asks_again_at"` // empty while it asks, is paused or does not run
	GivesUp string     `json:"gives_up_at"`
	Tries   int        `json:"tries"`
}

// Delivery is the delivery of a loop's report to one reader.
type Delivery struct {
	To     string     `json:"to"`
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// The phases that only loops have.
const (
	PhasePaused   = "paused"
	PhaseStopping = "stopping" // stop requested; calls in flight finish
	// PhaseSubmitted is a loop that a machine of its place will begin or continue.
	PhaseSubmitted = "submitted"
)

// statusLeft is the status of a session whose process was killed.
const statusLeft = "left"

// Summarise returns the status of a loop, without what only its project knows: the report's file,
// the models without a price, and the commands that are useful now. The locks show which process
// runs it; nil means that this process ran it and still holds its lock.
func Summarise(st *loop.State, locks store.Locks, now time.Time) *Summary {
	s := &Summary{
		Schema: "brenner.loop/v1", Loop: st.Opened.Name, Phase: session.PhaseEnded, Reason: st.Ended, Place: st.At.Place, Rehearsal: st.Work.Script != "",
		Round: st.Round, Rounds: st.Limits.Rounds, Planned: st.Planned(), Done: st.Count(loop.Finished), Failed: st.Count(loop.Broken),
		Short:   st.Count(loop.Cut),
		Skipped: st.Count(loop.Omitted), Running: st.Count(loop.Running), Waiting: st.Count(loop.Waiting), NotOpened: st.Planned() - len(st.Jobs),
		Concurrency: st.Limits.Concurrency, Tokens: st.Spent.Tokens, Reserved: st.Reserved.Tokens, TokensLimit: st.Limits.Tokens,
		USD: flow.Dollars(st.Spent.USD), USDLimit: flow.Dollars(st.Limits.USD), Until: st.Limits.Until,
		NeedsPerson: []string{}, Sessions: []SummarySession{}, Deliveries: []Delivery{},
		Head: st.Head.Hash, Entries: st.Head.Seq, Started: artifact.FormatInstant(st.Began), Updated: artifact.FormatInstant(st.Last),
		Stopping: st.Stopping != "", Cause: st.Hindrance(),
	}
	for i := range st.Jobs {
		j := &st.Jobs[i]
		t := &j.Settled
		s.Sessions = append(s.Sessions, SummarySession{
			j.Number, j.Round, j.Name(), j.Thread, j.Base, string(j.Status), t.Reason, j.Attempts, t.Version, t.Spent + j.Before.Tokens + j.ByHand, t.Conflicts, t.Code, st.Shortage(j),
			t.Nothing, t.Silent, t.Lost, t.Idle, j.Others, j.Cell.Task, t.Records, t.Refused, t.Unread, "", 0,
		})
		s.Conflicts += t.Conflicts
		s.Lost += t.Lost
		s.ByHand += j.ByHand
		if t.Nothing && j.Final() {
			s.Nothing++
		}
		if j.Status == loop.Cut && s.raise == "" {
			s.raise = report.Raise(st, j)
		}
	}
	s.Lost += st.Opened.Preflight.Lost()
	s.Attention = st.Attention()
	for _, j := range st.Needing() {
		s.NeedsPerson = append(s.NeedsPerson, j.Thread)
		s.decide = cmp.Or(s.decide, report.Decide(j))
	}
	for _, r := range st.LastReports() {
		s.Deliveries = append(s.Deliveries, Delivery(r))
	}
	if st.Ended == "" {
		s.setUnendedPhase(locks, st)
		if until, provider := st.WaitsUntil(now); !until.IsZero() {
			s.RetryAt, s.Backoff = artifact.FormatInstant(until), !provider
		}
		s.setOutage(st, now)
	}
	return s
}

// setOutage sets what the loop waits for.
func (s *Summary) setOutage(st *loop.State, now time.Time) {
	all := st.Outages()
	if len(all) == 0 {
		return
	}
	o := &all[0]
	s.Outage = &Outage{Code: o.Code, Detail: o.Detail, Since: artifact.FormatInstant(o.Since), GivesUp: artifact.FormatInstant(o.Until), Tries: o.Tries}
	if s.Phase == session.PhaseRunning && o.Next.After(now) {
		s.Outage.AsksAt = artifact.FormatInstant(o.Next)
	}
}

// The results of a loop's sessions.
const (
	ResultFine   = "fine"   // no session failed, contributed nothing, or ran out of its budget
	ResultPartly = "partly" // some did
	ResultFailed = "failed" // all that ended failed or contributed nothing
)

// Result judges the loop by its sessions. Sessions that a stop rule left out do not count,
// unless an outage or the budget kept them from running.
func (s *Summary) Result() string {
	good, bad := 0, 0
	for i := range s.Sessions {
		switch one := &s.Sessions[i]; loop.Status(one.Status) {
		case loop.Broken, loop.Omitted:
			bad++
		case loop.Finished, loop.Cut:
			if one.Nothing {
				bad++
			} else {
				good++
			}
		}
	}
	if s.Cause != nil {
		bad++
	}
	switch {
	case bad == 0 && s.Short == 0:
		return ResultFine
	case good == 0:
		return ResultFailed
	}
	return ResultPartly
}

// setUnendedPhase sets the phase of a loop that has not ended.
func (s *Summary) setUnendedPhase(locks store.Locks, st *loop.State) {
	s.Phase, s.Paused = session.PhaseLeft, st.Paused
	if locks != nil {
		holder, held, err := locks.HolderOf(Lock(s.Loop))
		s.setMachines(locks, &holder)
		if err == nil && held {
			s.Phase, s.HeldBy = session.PhaseRunning, holder.String()
			switch {
			case s.Stopping:
				s.Phase = PhaseStopping
			case st.Paused:
				s.Phase = PhasePaused
			}
			return
		}
	}
	if st.At.Submitted {
		s.Phase = PhaseSubmitted
	}
	for i := range s.Sessions { // the process that ran them was killed
		if one := &s.Sessions[i]; one.Status == string(loop.Running) && one.Machine == "" {
			one.Status = statusLeft
			s.Waiting, s.Running = s.Waiting+1, s.Running-1
		}
	}
}

// setMachines sets which machines run sessions, unless the process of the loop runs all.
func (s *Summary) setMachines(locks store.Locks, own *store.Holder) {
	for i := range s.Sessions {
		one := &s.Sessions[i]
		if one.Status != string(loop.Running) {
			continue
		}
		holder, held, err := locks.HolderOf(one.Thread)
		if err == nil && held && (s.Place != "" || holder.PID != own.PID || holder.Host != own.Host) {
			one.Machine, one.Process = cmp.Or(holder.Host, "-"), holder.PID
		}
	}
}

// Commands returns the commands most likely to be useful now.
func (s *Summary) Commands() []string {
	switch s.Phase {
	case session.PhaseRunning:
		return []string{"brenner loop status " + s.Loop, "brenner loop pause " + s.Loop, "brenner loop stop " + s.Loop}
	case PhaseSubmitted:
		if s.Paused {
			return []string{"brenner loop pause " + s.Loop + " --off", "brenner loop status " + s.Loop, s.ResumeCommand + "   # ends the pause, too"}
		}
		return []string{"brenner loop status " + s.Loop, "brenner loop stop " + s.Loop, s.ResumeCommand + "   # submits it again, if no machine continues it"}
	case PhaseStopping:
		return []string{"brenner loop status " + s.Loop}
	case PhasePaused:
		return []string{"brenner loop pause " + s.Loop + " --off", "brenner loop status " + s.Loop, "brenner loop stop " + s.Loop}
	case session.PhaseLeft:
		if s.Stopping {
			return []string{s.ResumeCommand + "   # ends it", "brenner loop status " + s.Loop}
		}
		return []string{s.ResumeCommand, "brenner loop status " + s.Loop, "brenner loop stop " + s.Loop}
	}
	next := []string{"brenner loop report " + s.Loop}
	switch {
	case s.Report == "":
		next = append(next, s.ResumeCommand+"   # writes it into files")
	case slices.ContainsFunc(s.Deliveries, func(d Delivery) bool { return d.Code != "" }):
		next = append(next, "brenner loop report "+s.Loop+" --send")
	}
	switch {
	case s.Reason == loop.EndCause:
		next = append(next, s.ResumeCommand+"   # continues it, after the cause is removed")
	case s.Reason == loop.EndBudget:
		next = append(next, s.ResumeCommand+" --go-on   # continues it, after its budget is raised")
	case s.Cause != nil, s.Reason == loop.EndStopped && s.Waiting+s.NotOpened > 0:
		next = append(next, s.ResumeCommand+" --go-on   # continues it")
	case s.Failed+s.Skipped > 0, slices.ContainsFunc(s.Sessions, func(j SummarySession) bool { return j.Task != "" && j.Nothing }):
		next = append(next, s.ResumeCommand+" --retry-failed")
	}
	if s.raise != "" {
		next = append(next, s.raise)
	}
	if s.decide != "" {
		next = append(next, s.decide)
	}
	if thread := s.worthShowing(); thread != "" {
		next = append(next, "brenner session show "+thread)
	}
	return next
}

// worthShowing returns the first session that is done or, of tasks, the last one that put records.
func (s *Summary) worthShowing() string {
	task := ""
	for i := range s.Sessions {
		switch one := &s.Sessions[i]; {
		case one.Status != string(loop.Finished):
		case one.Task == "":
			return one.Thread
		case one.Records > 0:
			task = one.Thread
		}
	}
	return task
}
