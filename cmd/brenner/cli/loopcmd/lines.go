package loopcmd

import (
	"fmt"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/store/journal"
)

// loopLine says in one line what an event of a loop was.
func loopLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	name := s.Opened.Name
	switch e.Kind {
	case loop.KindOpened:
		line := fmt.Sprintf("%s: %s a round, %s, %d at a time", name, text.Count(len(s.Work.Cells), "session"), text.Count(s.Limits.Rounds, "round"), s.Limits.Concurrency)
		if s.Limits.Until != "" {
			line += ", until " + a.Clock(s.Limits.Until)
		}
		return line
	case loop.KindResumed:
		return fmt.Sprintf("%s: going on, %d of %s done", name, s.Count(loop.Finished), text.Count(s.Planned(), "session"))
	case loop.KindRound:
		return fmt.Sprintf("round %d of %d: %s", s.Round, s.Limits.Rounds, text.Count(len(s.Work.Cells), "session"))
	case loop.KindBegan, loop.KindSettled:
		return jobLine(a, e, s)
	case loop.KindAdded:
		return fmt.Sprintf("%s: more work was added, %s a round", name, text.Count(len(s.Work.Cells), "session"))
	case loop.KindPaused:
		return name + ": paused; sessions under way go on"
	case loop.KindUnpaused:
		return name + ": no longer paused"
	case loop.KindStopping:
		return name + ": told to stop by " + ui.Clean(s.Stopping)
	case loop.KindLeft:
		return name + ": interrupted; the same command goes on"
	case loop.KindEnded:
		return name + ": " + report.Ending(s.Ended)
	}
	return ""
}

// jobLine says what happened to a session.
func jobLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	for i := len(s.Jobs) - 1; i >= 0; i-- {
		j := &s.Jobs[i]
		switch {
		case e.Kind == loop.KindBegan && j.Seq == e.Seq:
			line := fmt.Sprintf("%s: %s begins", ui.Clean(j.Thread), ui.Clean(j.Name()))
			if j.Attempts > 1 {
				line = fmt.Sprintf("%s: %s goes on, attempt %d", ui.Clean(j.Thread), ui.Clean(j.Name()), j.Attempts)
			}
			if j.Base != "" {
				line += " from what " + ui.Clean(j.Base) + " came to"
			}
			return line
		case e.Kind == loop.KindSettled && j.Seq == e.Seq:
			return settledLine(a, s, j)
		}
	}
	return ""
}

func settledLine(a *ui.App, s *loop.State, j *loop.Job) string {
	t, who := &j.Settled, ui.Clean(j.Thread)
	if who == "" {
		who = ui.Clean(j.Name())
	}
	switch t.Outcome {
	case loop.Done:
		line := fmt.Sprintf("%s: %s, version %d, %d tokens", who, ui.EndedBy(t.Reason), t.Version, t.Spent)
		if t.Conflicts > 0 {
			line += ", " + text.Count(t.Conflicts, "conflict")
		}
		if t.Stalemates > 0 {
			line += ", " + text.Count(t.Stalemates, "stalemate")
		}
		return line
	case loop.Short:
		return fmt.Sprintf("%s: short of budget, version %d, %d tokens: %s", who, t.Version, t.Spent, ui.Clean(t.Detail))
	case loop.Later:
		return fmt.Sprintf("%s: asked to return at %s; the loop waits, for a day at most", who, a.Clock(t.RetryAt))
	case loop.Aside:
		return who + ": left before its end"
	case loop.Skipped:
		return who + ": skipped, " + ui.Clean(t.Detail)
	}
	line := who + ": failed"
	if !j.Final() {
		line += ", and is tried again at " + a.Clock(artifact.FormatInstant(s.Again(j)))
	}
	return line + ": " + ui.Clean(string(t.Code)+" "+t.Detail)
}
