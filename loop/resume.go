package loop

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/session/flow"
	"brenner/store/journal"
)

func (s *State) applyResumed(e *journal.Entry) error {
	body, err := decode[Resumed](e)
	if err != nil {
		return err
	}
	if len(body.Ways) > 0 {
		s.move(body.Ways)
	}
	if body.Limits != nil {
		if s.Limits.Quiet == 0 && body.Limits.Quiet > 0 {
			s.ignoredRounds = s.Round // claims of earlier rounds were not recorded
		}
		s.Limits = *body.Limits
	}
	if body.Repeat {
		s.repeatTasks()
	}
	switch {
	case body.Retry:
		s.retry(func(*Job) bool { return true })
	case s.Ended == EndCause:
		s.retry(func(j *Job) bool { return j.Settled.Trouble != "" })
	}
	s.forgetReach(e.At)
	if s.Ended != "" { // else a pending stop request still holds
		s.Stopping, s.ignoredRounds, s.ignoredFailures = "", s.Round, s.Count(Broken)
		s.resetNeeds()
		s.Hold = time.Time{} // the operator overrides the provider's wait
	}
	byItself := body.Placed && body.At.Submitted // without its operator, who may have paused it
	s.Ended, s.Left, s.Paused = "", "", s.Paused && byItself
	s.Runs, s.At = s.Runs+1, body.At
	for i := range s.Jobs {
		// A session that was running keeps its reservation: it is resumed.
		if j := &s.Jobs[i]; j.Status == Running && !body.Placed {
			s.set(j, Waiting)
		}
	}
	return nil
}

// move changes how models are reached. An outage of the old way says nothing about the new one.
func (s *State) move(ways []RosterWays) {
	for i := range ways {
		w := &ways[i]
		same := slices.ContainsFunc(s.Ways, func(o RosterWays) bool { return reflect.DeepEqual(o, *w) })
		if s.Opened.NotesLost() && !same {
			delete(s.reach, (&Cell{Roster: w.Roster, Model: w.Model}).group())
		}
	}
	s.Ways = ways
}

// endWaits ends the pause, and every wait for a provider or an endpoint: the operator
// overrides them.
func (s *State) endWaits(at time.Time) {
	s.Paused, s.Hold = false, time.Time{}
	for _, g := range slices.Sorted(maps.Keys(s.reach)) {
		if o := s.reach[g].outage; o != nil {
			o.Next = at
			if s.Opened.NotesLost() && !at.Before(o.Until) { // it was paused meanwhile
				o.Until = at.Add(Patience)
			}
		}
	}
}

// retry makes skipped sessions, and failed ones that are chosen, wait again.
func (s *State) retry(chosen func(*Job) bool) {
	s.first, s.ignoredFailures = 0, 0
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; {
		case j.Status == Broken && chosen(j):
			j.Failures = 0
			s.set(j, Waiting)
		case j.Status == Omitted:
			j.Settled = Settled{}
			s.set(j, Waiting)
		}
	}
}

// repeatTasks makes tasks wait that ended without records: nothing came of them, or another task was skipped
// because it needs their records. They begin again, in a session of their own.
func (s *State) repeatTasks() {
	needed := make(map[int]bool)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Status == Omitted {
			for _, n := range j.Waits {
				needed[n] = true
			}
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Cell.Task == "" || j.Status != Finished || j.Settled.Records > 0 || !j.Settled.Nothing && !needed[j.Number] {
			continue
		}
		again := *j
		again.Repeats++
		if again.Repeats > maxRepeats || !artifact.IsThreadID(s.ThreadOf(&again)) {
			continue
		}
		j.Before = j.Before.Plus(j.Settled.Cost())
		j.Repeats, j.Thread, j.Settled, j.Attempts, j.Failures = again.Repeats, "", Settled{}, 0, 0
		j.Extra, j.Asking = flow.Cost{}, flow.Cost{}
		s.first = 0
		s.set(j, Waiting)
		s.countNeeds(j)
	}
}

// maxRepeats is how often a task is run once more: its sessions are named by letters.
const maxRepeats = 'z' - 'a'
