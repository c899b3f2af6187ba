package sessioncmd

import (
	"fmt"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/session/flow"
	"brenner/store/journal"
)

// progress shows a session while it runs.
type progress interface {
	// event is told of every entry of the journal, with the state after it.
	event(e *journal.Entry, s *flow.State)
	// tokens is told how much of an answer has come, from any goroutine.
	tokens(call string, output int)
	end()
}

// progress chooses how: events in JSON for programs, a live table for people at a
// terminal, lines for logs, nothing where nothing is wanted.
func progressFor(a *ui.App, stream bool) progress {
	switch {
	case stream:
		return &jsonProgress{a}
	case a.Quiet || a.JSON:
		return noProgress{}
	}
	return forPeople(a)
}

// forPeople is the live table on a terminal, and lines elsewhere.
func forPeople(a *ui.App) progress {
	if a.ErrTTY {
		return newLiveTable(a.Err, a.Now)
	}
	return &lineProgress{a}
}

type noProgress struct{}

func (noProgress) event(*journal.Entry, *flow.State) {}

func (noProgress) tokens(string, int) {}

func (noProgress) end() {}

// jsonProgress prints the entries themselves: one line each, as an export has them.
type jsonProgress struct{ a *ui.App }

func (p *jsonProgress) event(e *journal.Entry, _ *flow.State) {
	// If nobody reads on, the session goes on all the same: its journal is stored.
	_ = p.a.Write(append(e.JSON(), '\n'))
}

func (p *jsonProgress) tokens(string, int) {}

func (p *jsonProgress) end() {}

// lineProgress prints a line for each event that a person would want to know of.
type lineProgress struct{ a *ui.App }

func (p *lineProgress) event(e *journal.Entry, s *flow.State) {
	if line := eventLine(e, s); line != "" {
		p.a.Say(line + "\n")
	}
}

func (p *lineProgress) tokens(string, int) {}

func (p *lineProgress) end() {}

// eventLine says in one line what an event was.
func eventLine(e *journal.Entry, s *flow.State) string {
	switch e.Kind {
	case flow.KindOpened:
		line := fmt.Sprintf("%s: %s, %s", s.Opened.Thread, text.Count(len(s.Opened.Agents), "agent"), text.Count(s.Settings.Rounds, "round"))
		if s.Opened.Rehearsal != "" {
			line = ui.RehearsalNote + "\n" + line
		}
		return line
	case flow.KindResumed:
		return fmt.Sprintf("%s: resumed after round %d of %d, at version %d", s.Opened.Thread, s.Round(), s.Settings.Rounds, s.Version())
	case flow.KindBegan:
		return askLine(e, s)
	case flow.KindAnswered, flow.KindFailed:
		return callLine(endedCall(e, s))
	case flow.KindCommitted:
		return commitLine(&s.Commits[len(s.Commits)-1])
	case flow.KindNoted:
		n := s.Notes[len(s.Notes)-1]
		return fmt.Sprintf("note of %s: %s", ui.Clean(n.Author), ui.Clean(n.Text))
	case flow.KindPatched:
		return patchLines(s)
	case flow.KindPublished:
		if s.Unmailed.Version > 0 {
			return unmailedLine(&s.Unmailed)
		}
		return fmt.Sprintf("version %d was mailed", s.Mailed)
	case flow.KindEnded:
		return s.Opened.Thread + ": " + ui.EndedBy(s.Ended)
	}
	return ""
}

// askLine says who is asked, as soon as it is.
func askLine(e *journal.Entry, s *flow.State) string {
	for _, c := range s.Calls() {
		if c.Status != flow.Begun || c.Seq != e.Seq {
			continue
		}
		if c.Turn == flow.TurnRepair {
			return fmt.Sprintf("round %d: asking %s for corrected blocks", c.Round, ui.Clean(c.Agent))
		}
		return fmt.Sprintf("round %d: asking %s", c.Round, ui.Clean(c.Agent))
	}
	return ""
}

// endedCall finds the call that an entry ended.
func endedCall(e *journal.Entry, s *flow.State) *flow.Call {
	for _, c := range s.Calls() {
		if c.Seq == e.Seq {
			return c
		}
	}
	return nil
}

func callLine(c *flow.Call) string {
	if c == nil {
		return ""
	}
	who := fmt.Sprintf("round %d: %s", c.Round, ui.Clean(c.Agent))
	switch {
	case c.Status == flow.Lost:
		line := fmt.Sprintf("%s did not answer: %s, %s", who, ui.Clean(string(c.Failed.Code)), ui.Clean(c.Failed.Detail))
		if c.Failed.Hint != "" {
			line += "\n  hint: " + ui.Clean(c.Failed.Hint)
		}
		return line
	case c.Turn == flow.TurnRepair:
		return who + " sent corrected blocks"
	case c.Answered.Mend > 0:
		return fmt.Sprintf("%s answered (%d tokens); %s in it could not be read", who, c.Answered.Spent().Tokens, text.Plural(c.Answered.Mend, "thing", "things"))
	}
	return fmt.Sprintf("%s answered (%d tokens)", who, c.Answered.Spent().Tokens)
}

func commitLine(c *flow.Commit) string {
	what := "the brief"
	switch c.Source {
	case flow.ByRound:
		what = fmt.Sprintf("round %d", c.Round)
	case flow.ByPerson:
		what = "deltas of " + ui.Clean(c.Author)
	case flow.ByThread:
		what = text.Count(len(c.Letters), "letter") + " of the thread"
	}
	o := c.Outcome
	return fmt.Sprintf("%s: version %d, %d applied, %d rejected, %s; lint: %s, %s", what, c.Version, o.Applied, o.Rejected,
		text.Count(o.Conflicts, "conflict"), text.Count(o.Errors, "error"), text.Count(o.Warnings, "warning"))
}
