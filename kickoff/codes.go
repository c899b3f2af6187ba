package kickoff

import (
	"brenner/artifact"
	"brenner/internal/fault"
)

// The codes of kickoffs that cannot be composed.
const (
	InvalidThreadID fault.Code = "INVALID_THREAD_ID"
	NoQuestion      fault.Code = "KICKOFF_NO_QUESTION"
	NoView          fault.Code = "KICKOFF_NO_VIEW"
)

// The codes of what an audit finds, beside those of package roster.
const (
	BadHead         fault.Code = "KICKOFF_BAD_HEAD"
	BadOrder        fault.Code = "KICKOFF_BAD_ORDER"
	UnknownTemplate fault.Code = "KICKOFF_UNKNOWN_TEMPLATE"
	WrongTemplate   fault.Code = "KICKOFF_WRONG_TEMPLATE"
	TemplateHash    fault.Code = "KICKOFF_TEMPLATE_HASH"
	PromptChanged   fault.Code = "KICKOFF_PROMPT_CHANGED"
	WrongThread     fault.Code = "KICKOFF_WRONG_THREAD"
	RosterDiffers   fault.Code = "KICKOFF_ROSTER_DIFFERS"
)

// CheckThreadID refuses what cannot be the thread id of a research session.
func CheckThreadID(id string) error {
	if artifact.IsThreadID(id) {
		return nil
	}
	return &fault.Error{
		Code: InvalidThreadID, Detail: "not a thread id: " + fault.Shown(id),
		Hint: "a thread id is RS-, the date as eight digits, -, and 2 to 40 of a-z, 0-9 and -: RS-20251230-cell-fate",
	}
}
