package loop

import "time"

// A session that failed is left alone for a while: what it failed for may pass.
const (
	longestPause = 24 * time.Hour // that a plan may want
	longPause    = time.Hour      // a pause does not double beyond this
)

// Again gives when a failed session is tried again; it is not after any instant for one
// that may begin at once. It follows from what is journaled: a loop that was killed keeps it.
func (s *State) Again(j *Job) time.Time {
	if j.Status != Waiting || j.Settled.Outcome != Failed || j.Failures == 0 {
		return time.Time{}
	}
	first := time.Duration(s.Limits.Pause) * time.Millisecond
	pause, most := first, max(first, longPause)
	for n := 1; n < j.Failures && pause < most; n++ {
		pause *= 2
	}
	return j.Closed.Add(min(pause, most))
}

// rested gives when the next failed session may be tried again, if none may now.
func (s *State) rested(now time.Time) time.Time {
	var next time.Time
	if s.begun == 0 { // who failed had begun
		return next
	}
	for i := s.first; i < len(s.Jobs); i++ {
		if at := s.Again(&s.Jobs[i]); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// Rests gives the instant before which no session begins, and whether a provider named it;
// the zero time where there is none.
func (s *State) Rests(now time.Time) (until time.Time, provider bool) {
	switch {
	case s.Ended != "":
		return time.Time{}, false
	case s.Hold.After(now):
		return s.Hold, true
	case s.Paused || s.Count(Running) > 0 || s.Rule(now) != "" || len(s.begin(0, now)) > 0:
		return time.Time{}, false
	}
	return s.rested(now), false
}

// retry lets all sessions begin once more that failed, and those that were skipped.
func (s *State) retry() {
	s.first, s.forgiven = 0, 0
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; j.Status {
		case Broken:
			j.Failures = 0
			s.set(j, Waiting)
		case Omitted:
			j.Settled = Settled{}
			s.set(j, Waiting)
		}
	}
}

// See takes in what somebody made of a session that the loop had given up: they went on
// with it by hand, and it came to its end. It is not in the loop's journal, and so only for
// those who look. What the loop spent on it stays what it was.
func (s *State) See(t Settled) {
	j, ok := s.Job(t.Job)
	if !ok || t.Outcome != Done || j.Status == Running {
		return
	}
	t.Spent, t.SpentUSD = j.Settled.Spent, j.Settled.SpentUSD
	j.Settled = t
	s.set(j, Finished)
}
