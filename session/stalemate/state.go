package stalemate

import (
	"slices"
	"strings"

	"brenner/internal/fault"
)

// The states of a stalemate.
const (
	Open      = "open"      // seen, or declared
	Requested = "requested" // an arbiter has the request
	Ruled     = "ruled"     // there is a verdict
	Applied   = "applied"   // it stands in the artifact
	Refused   = "refused"   // it does not, and will not
	Expired   = "expired"   // it was settled before anybody ruled
)

// BadState is the code of a step that a stalemate cannot take.
const BadState fault.Code = "STALEMATE_STATE"

// after says which states may follow a state.
func after(state string) []string {
	switch state {
	case "":
		return []string{Open}
	case Open:
		return []string{Requested, Ruled, Expired}
	case Requested:
		return []string{Requested, Ruled, Expired} // an arbiter whose answer was none may be asked again
	case Ruled:
		return []string{Applied, Refused}
	}
	return nil
}

// May tells whether a state may follow another.
func May(from, to string) bool { return slices.Contains(after(from), to) }

// Waits tells whether somebody is still needed in a state.
func Waits(state string) bool { return state == Open || state == Requested || state == Ruled }

// Step checks that a state may follow another.
func Step(id, from, to string) error {
	if May(from, to) {
		return nil
	}
	f := &fault.Error{Code: BadState, Detail: id + " is " + from + ", and cannot become " + to, Hint: "nothing more can be done with it"}
	if from == "" {
		f.Detail = "there is no stalemate " + id + " yet"
	}
	if Waits(from) {
		f.Hint = "what may follow: " + strings.Join(after(from), ", ")
	}
	return f
}
