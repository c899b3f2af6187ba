package agent

import "time"

// Care is all that an agent's calls need, put on in the one right order. Its zero
// value retries, and limits nothing.
type Care struct {
	PerCall time.Duration // see Deadline
	Idle    time.Duration // see WatchIdle
	Slots   *Slots        // see Limit
	Retry   RetryPolicy
}

// Around puts the wrappers on, the watchdog innermost: waiting for a slot is
// neither idleness nor part of a call's time, and nobody holds a slot while it
// waits for another try.
func (c Care) Around(a Agent) Agent {
	return Retry(Limit(Deadline(WatchIdle(a, c.Idle), c.PerCall), c.Slots), c.Retry)
}
