package loopcmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/project"
	"brenner/session/flow"
	"brenner/store/journal"
)

// loopProgress returns a function that prints every event of a loop, or nil.
func loopProgress(a *ui.App) func(*journal.Entry, *loop.State) {
	if a.Quiet || a.JSON {
		return nil
	}
	return func(e *journal.Entry, s *loop.State) {
		if e.Kind == loop.KindOpened && s.Work.Script != "" {
			a.Say(ui.RehearsalNote + "\n")
		}
		if line := loopLine(a, e, s); line != "" {
			a.Say(e.At.In(a.Now().Location()).Format(time.TimeOnly) + " " + line + "\n")
		}
	}
}

// preflightProgress prints how models replied before the first session.
func preflightProgress(a *ui.App) func([]project.ModelProbe) {
	if a.Quiet || a.JSON {
		return nil
	}
	return func(probes []project.ModelProbe) {
		for i := range probes {
			r := &probes[i]
			a.Say("preflight: " + r.Status + ": " + ui.Clean(r.Name()) + ": " + ui.Clean(r.Found()) + "\n")
			if r.Fix != "" {
				a.Say("  fix: " + ui.Clean(r.Fix) + "\n")
			}
		}
	}
}

// loopLine describes an event of a loop in one line.
func loopLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	name := s.Opened.Name
	switch e.Kind {
	case loop.KindOpened:
		line := fmt.Sprintf("%s: %s per round, %s, %d concurrently", name, text.Count(len(s.Work.Cells), "session"), text.Count(s.Limits.Rounds, "round"), s.Limits.Concurrency)
		if s.Limits.Until != "" {
			line += ", until " + a.Clock(s.Limits.Until)
		}
		if len(s.Ways) > 0 {
			line += ", asking " + askedBy(s)
		}
		return line
	case loop.KindResumed:
		line := fmt.Sprintf("%s: resumed, %d of %s done in its journal", name, s.Count(loop.Finished), text.Count(s.Planned(), "session"))
		if r, err := journal.Decode[loop.Resumed](e, loop.BadSequence); err == nil && len(r.Ways) > 0 {
			line += ", asking " + askedBy(s)
		}
		return line + waitText(a, e.At, s)
	case loop.KindRound:
		return fmt.Sprintf("round %d of %d: %s", s.Round, s.Limits.Rounds, text.Count(len(s.Work.Cells), "session"))
	case loop.KindBegan, loop.KindSettled:
		return jobLine(a, e, s)
	case loop.KindAdded:
		return fmt.Sprintf("%s: question added, %s per round", name, text.Count(len(s.Work.Cells), "session"))
	case loop.KindPaused:
		return name + ": paused; running sessions continue"
	case loop.KindUnpaused:
		return name + ": no longer paused or waiting"
	case loop.KindStopping:
		return name + ": stop requested by " + ui.Clean(s.Stopping)
	case loop.KindLeft:
		return name + ": interrupted; repeat the command to resume"
	case loop.KindEnded:
		if cause := s.Stopped(); s.StoppedEarly() && cause != nil {
			return name + ": " + report.Ending(s.Ended) + ": " + causeText(cause)
		}
		return name + ": " + report.Ending(s.Ended)
	case loop.KindReached:
		return name + ": the endpoint responds again; the loop continues"
	}
	return ""
}

// jobLine describes what happened to a session.
func jobLine(a *ui.App, e *journal.Entry, s *loop.State) string {
	for i := len(s.Jobs) - 1; i >= 0; i-- {
		j := &s.Jobs[i]
		switch {
		case e.Kind == loop.KindBegan && j.Seq == e.Seq:
			line := fmt.Sprintf("%s: %s started", ui.Clean(j.Thread), ui.Clean(j.Name()))
			if j.Attempts > 1 {
				line = fmt.Sprintf("%s: %s resumed, attempt %d", ui.Clean(j.Thread), ui.Clean(j.Name()), j.Attempts)
			}
			if j.Base != "" {
				line += " from " + ui.Clean(j.Base)
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
		line := fmt.Sprintf("%s: %s, version %d, %d tokens", who, ui.EndedBy(t.Reason, ""), t.Version, t.Spent)
		if j.Cell.Task != "" {
			line = fmt.Sprintf("%s: %s, %s, %d tokens", who, ui.EndedBy(t.Reason, ""), recordsText(t.Records, t.Refused, t.Unread), t.Spent)
		}
		if t.Conflicts > 0 {
			line += ", " + text.Count(t.Conflicts, "conflict")
		}
		if t.Stalemates > 0 {
			line += ", " + text.Count(t.Stalemates, "stalemate")
		}
		switch {
		case t.Nothing && j.Cell.Task != "":
			line += ", " + withoutRecords(t) + ": brenner session show " + who
		case t.Nothing:
			line += ", no agent contributed"
		case t.Silent > 0:
			line += ", " + silentText(t.Silent, t.Idle) + " contributed nothing"
		}
		return line
	case loop.Short:
		return fmt.Sprintf("%s: out of budget, version %d, %d tokens: %s", who, t.Version, t.Spent, ui.Clean(s.Shortage(j)))
	case loop.Later:
		return fmt.Sprintf("%s: to be retried at %s; the loop waits, at most a day", who, a.Clock(t.RetryAt))
	case loop.Interrupted:
		return who + ": incomplete"
	case loop.Skipped:
		return who + ": skipped, " + causeText(&loop.Cause{Code: t.Code, Detail: t.Detail})
	}
	if o := s.OutageOf(j); o != nil && t.Trouble == loop.Passing {
		return fmt.Sprintf("%s: not reached; the loop asks again at %s, until %s: %s", who, a.Clock(artifact.FormatInstant(o.Next)),
			a.Clock(artifact.FormatInstant(o.Until)), ui.Clean(string(t.Code)+" "+t.Detail))
	}
	line := who + ": failed"
	if !j.Final() {
		line += ", to be retried at " + a.Clock(artifact.FormatInstant(s.RetryAt(j)))
	}
	return line + ": " + causeText(&loop.Cause{Code: t.Code, Detail: t.Detail})
}

// withoutRecords says why the session of a task put no record although its agent replied.
func withoutRecords(t *loop.Settled) string {
	switch {
	case t.Refused > 0 && t.Unread > 0:
		return "all records of the reply were refused or not read"
	case t.Refused > 0:
		return "all records of the reply were refused"
	case t.Unread > 0:
		return "the records of the reply could not be read"
	}
	return "the reply has no records"
}

// recordsText says how many records the agent of a task put.
func recordsText(put, refused, unread int) string {
	var not []string
	if refused > 0 {
		not = append(not, fmt.Sprintf("%d refused", refused))
	}
	if unread > 0 {
		not = append(not, fmt.Sprintf("%d not read", unread))
	}
	line := text.Count(put, "record")
	if len(not) > 0 {
		line += " (" + strings.Join(not, ", ") + ")"
	}
	return line
}

// askedBy lists the models and programs of a loop, each once.
func askedBy(s *loop.State) string {
	var all []string
	for _, r := range s.Ways {
		for _, p := range flow.WithArbiter(r.Agents, r.Arbiter) {
			if asked := ui.Clean(p.Asked()); !slices.Contains(all, asked) {
				all = append(all, asked)
			}
		}
	}
	return text.Some(all)
}
