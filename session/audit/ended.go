package audit

import "brenner/session/flow"

// EndedBy describes how a session ended, by its reason and its verdict.
func EndedBy(reason, verdict string) string {
	v := flow.Verdict(verdict)
	switch finished := reason == flow.EndRounds || reason == flow.EndQuiet || reason == flow.EndClean; {
	case v == flow.Nothing && finished:
		return "ended: nothing came of it"
	case v == flow.Partial && reason == flow.EndRounds:
		return "partly done"
	}
	switch reason {
	case flow.EndRounds:
		return "done"
	case flow.EndQuiet:
		return "ended: nothing new"
	case flow.EndClean:
		return "ended: nothing left to fix"
	case flow.EndBudget:
		return "stopped: budget exhausted"
	case flow.EndTime:
		return "stopped: time limit reached"
	case flow.EndLater:
		return "stopped: too few agents answered; the provider named a retry time"
	case flow.EndQuorum:
		return "stopped: too few agents answered"
	case flow.EndInterrupted:
		return "interrupted"
	case flow.EndCompiled:
		return "compiled from its mail thread"
	}
	return "ended (" + reason + ")"
}

// Ended is EndedBy for a session that may run a task, which has only one agent.
func Ended(task, reason, verdict string) string {
	switch {
	case task != "" && reason == flow.EndQuorum:
		return "stopped: the agent did not answer"
	case task != "" && reason == flow.EndLater:
		return "stopped: the agent did not answer; the provider named a retry time"
	}
	return EndedBy(reason, verdict)
}
