package letters

import (
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/session/flow"
)

// FollowUps returns the letters of a thread that agents sent after their replies in the open leg: an author may have taken back
// or corrected the reply. They are settled with it, since reader/4.
func FollowUps(state *flow.State, all []Letter) (after []Letter) {
	if !FollowUpsCount(state) {
		return nil
	}
	replies := make(map[string]bool)
	for c := range state.OpenLeg().Calls() {
		if c.Status == flow.Replied && c.Answered.Letter != "" {
			replies[c.Answered.Letter] = true
		}
	}
	rows, _ := AccountFor(state, all)
	last := make(map[string]string) // the replies of agents, as far as the thread was read
	for i := range all {
		l := all[i]
		if replies[l.ID] {
			last[l.Agent] = l.ID
		}
		if l.Follows = last[l.Agent]; l.Follows != "" && rows[i].New {
			after = append(after, l)
		}
	}
	return after
}

// FollowUpsCount reports whether the open leg has replies by mail, and the session settles letters with them.
func FollowUpsCount(state *flow.State) bool {
	leg := state.OpenLeg()
	if leg == nil || !state.Opened.Reads().Since(delta.FourthReader) {
		return false
	}
	for c := range leg.Calls() {
		if c.Status == flow.Replied && c.Answered.Letter != "" {
			return true
		}
	}
	return false
}

// SentAt returns when a message was sent, according to its id; zero if the id has no time.
func SentAt(id string) time.Time {
	_, at, _ := strings.Cut(id, "@")
	sent, _ := artifact.ParseInstant(at)
	return sent
}
