package session

import (
	"slices"

	"brenner/agent"
	"brenner/internal/fault"
)

// Lasts reports whether a call failed for a cause that a person must remove.
func Lasts(code fault.Code) bool {
	return slices.Contains([]fault.Code{agent.NoAuth, agent.Forbidden, agent.ModelUnknown, agent.HostUnknown}, code)
}

// MayPass reports whether a call failed because of an outage: the endpoint refused the
// connection, did not respond in time, or had a server error.
func MayPass(code fault.Code) bool {
	return slices.Contains([]fault.Code{agent.Unavailable, agent.TimedOut, agent.Idle}, code)
}

// NeedsModel reports whether a call failed because the endpoint does not have the model.
func NeedsModel(code fault.Code) bool { return code == agent.ModelUnknown }

// NotReached reports whether an endpoint was not reached: it may be down, or at another address.
func NotReached(code fault.Code) bool { return code == agent.Unavailable || code == agent.HostUnknown }
