package cli

import (
	"fmt"

	"brenner/artifact"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/store/journal"
)

// loopLine says in one line what an event of a loop was.
func (a *app) loopLine(e *journal.Entry, s *loop.State) string {
	name := s.Opened.Name
	switch e.Kind {
	case loop.KindOpened:
		line := fmt.Sprintf("%s: %s a round, %s, %d at a time", name, count(len(s.Work.Cells), "session"), count(s.Limits.Rounds, "round"), s.Limits.Concurrency)
		if s.Limits.Until != "" {
			line += ", until " + a.clock(s.Limits.Until)
		}
		return line
	case loop.KindResumed:
		return fmt.Sprintf("%s: going on, %d of %s done", name, s.Count(loop.Finished), count(s.Planned(), "session"))
	case loop.KindRound:
		return fmt.Sprintf("round %d of %d: %s", s.Round, s.Limits.Rounds, count(len(s.Work.Cells), "session"))
	case loop.KindBegan, loop.KindSettled:
		return a.jobLine(e, s)
	case loop.KindAdded:
		return fmt.Sprintf("%s: more work was added, %s a round", name, count(len(s.Work.Cells), "session"))
	case loop.KindPaused:
		return name + ": paused; sessions under way go on"
	case loop.KindUnpaused:
		return name + ": no longer paused"
	case loop.KindStopping:
		return name + ": told to stop by " + clean(s.Stopping)
	case loop.KindLeft:
		return name + ": interrupted; the same command goes on"
	case loop.KindEnded:
		return name + ": " + report.Ending(s.Ended)
	}
	return ""
}

// jobLine says what happened to a session.
func (a *app) jobLine(e *journal.Entry, s *loop.State) string {
	for i := len(s.Jobs) - 1; i >= 0; i-- {
		j := &s.Jobs[i]
		switch {
		case e.Kind == loop.KindBegan && j.Seq == e.Seq:
			line := fmt.Sprintf("%s: %s begins", clean(j.Thread), clean(j.Name()))
			if j.Attempts > 1 {
				line = fmt.Sprintf("%s: %s goes on, attempt %d", clean(j.Thread), clean(j.Name()), j.Attempts)
			}
			if j.Base != "" {
				line += " from what " + clean(j.Base) + " came to"
			}
			return line
		case e.Kind == loop.KindSettled && j.Seq == e.Seq:
			return a.settledLine(s, j)
		}
	}
	return ""
}

func (a *app) settledLine(s *loop.State, j *loop.Job) string {
	t, who := &j.Settled, clean(j.Thread)
	if who == "" {
		who = clean(j.Name())
	}
	switch t.Outcome {
	case loop.Done:
		line := fmt.Sprintf("%s: %s, version %d, %d tokens", who, endedBy(t.Reason), t.Version, t.Spent)
		if t.Conflicts > 0 {
			line += ", " + count(t.Conflicts, "conflict")
		}
		if t.Stalemates > 0 {
			line += ", " + count(t.Stalemates, "stalemate")
		}
		return line
	case loop.Short:
		return fmt.Sprintf("%s: short of budget, version %d, %d tokens: %s", who, t.Version, t.Spent, clean(t.Detail))
	case loop.Later:
		return fmt.Sprintf("%s: asked to return at %s; the loop waits, for a day at most", who, a.clock(t.RetryAt))
	case loop.Aside:
		return who + ": left before its end"
	case loop.Skipped:
		return who + ": skipped, " + clean(t.Detail)
	}
	line := who + ": failed"
	if !j.Final() {
		line += ", and is tried again at " + a.clock(artifact.FormatInstant(s.Again(j)))
	}
	return line + ": " + clean(string(t.Code)+" "+t.Detail)
}
