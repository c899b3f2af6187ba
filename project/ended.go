package project

import "brenner/session/flow"

// EndedBy returns why a session ended, in words.
func EndedBy(reason string) string {
	switch reason {
	case flow.EndRounds:
		return "done"
	case flow.EndQuiet:
		return "ended, since nothing new came"
	case flow.EndClean:
		return "ended, since nothing is left to mend"
	case flow.EndBudget:
		return "stopped, since the budget does not reach further"
	case flow.EndTime:
		return "stopped, since its time was up"
	case flow.EndLater:
		return "stopped, since too few agents answered, and they said when to return"
	case flow.EndQuorum:
		return "stopped, since too few agents answered"
	case flow.EndInterrupted:
		return "interrupted"
	case flow.EndCompiled:
		return "compiled from its thread"
	}
	return "ended (" + reason + ")"
}
