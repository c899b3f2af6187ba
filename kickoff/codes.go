package kickoff

import (
	"strconv"
	"strings"
	"unicode"

	"brenner/fault"
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
	RosterDiffers   fault.Code = "KICKOFF_ROSTER_DIFFERS"
)

// CheckThreadID refuses what cannot be the thread id of a research session,
// ^RS-\d{8}-[a-z0-9-]{2,40}$: it joins thread, artifact and store, and is used as
// a file name. Whether the digits are a day of the calendar is not asked.
func CheckThreadID(id string) error {
	rest, ok := strings.CutPrefix(id, "RS-")
	date, slug, cut := strings.Cut(rest, "-")
	if ok && cut && len(date) == 8 && only(date, isDigit) &&
		len(slug) >= 2 && len(slug) <= 40 && only(slug, isSlug) {
		return nil
	}
	return &fault.Error{
		Code: InvalidThreadID, Detail: "not a thread id: " + shown(id),
		Hint: "a thread id is RS-, the date as eight digits, -, and 2 to 40 of a-z, 0-9 and -: RS-20251230-cell-fate",
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSlug(c byte) bool { return isDigit(c) || ('a' <= c && c <= 'z') || c == '-' }

func only(text string, is func(byte) bool) bool {
	for i := range len(text) {
		if !is(text[i]) {
			return false
		}
	}
	return true
}

// longestShown is how much of a text a message repeats.
const longestShown = 80

// shown gives a text from outside for a message: as it is where it can be read,
// quoted where it is blank or could deceive a terminal.
func shown(s string) string {
	if runes := []rune(s); len(runes) > longestShown {
		s = string(runes[:longestShown]) + "…"
	}
	if strings.TrimSpace(s) == "" || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
