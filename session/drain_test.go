package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/session/flow"
	"brenner/store/memory"
)

// limited is a script in which the critic is asked once to retry in an hour.
const limited = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - role: hypothesis_generator
    rounds: [{reply: 'NO CHANGES: it stands', delay: 1m}]
  - role: test_designer
    rounds: [{reply: 'NO CHANGES: it stands', delay: 1m}]
  - role: adversarial_critic
    rounds:
      - fail: {code: AGENT_UNAVAILABLE, message: too much at once, times: 1, after: 1h, retry: true}
        reply: 'NO CHANGES: it stands'
`

// A draining run does not wait for calls that only wait for a retry, and sends nothing more. The
// round stays open, whatever its quorum, and a resumed run asks only the missing agents.
func TestDrainDoesNotWaitForRetries(t *testing.T) {
	for _, quorum := range []string{flow.QuorumRole, "1"} {
		synctest.Test(t, func(t *testing.T) {
			st := memory.New()
			s := &actors{script: parse(t, limited)}
			r := runner(st, s)
			drain, began := make(chan struct{}), time.Now()
			r.Drain, r.Now = drain, time.Now
			time.AfterFunc(2*time.Minute, func() { close(drain) })
			b := brief(1)
			b.Settings.Quorum = quorum
			res, err := r.Start(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			if res.Reason != flow.EndInterrupted || time.Since(began) != 2*time.Minute || s.asked.Load() != 3 || res.State.OpenLeg() == nil {
				t.Errorf("quorum %s: ended with %s after %s and %d calls", quorum, res.Reason, time.Since(began), s.asked.Load())
			}
			if at, ok := res.State.OpenLeg().RetryTime(); !ok || !at.Equal(began.Add(time.Hour)) {
				t.Errorf("quorum %s: wrong retry time: %s", quorum, at)
			}
			r.Drain = nil
			res, err = r.Resume(t.Context(), thread, nil)
			if err != nil || res.Reason != flow.EndRounds || len(res.Missing) > 0 || s.asked.Load() != 4 {
				t.Errorf("quorum %s: %v, %+v after %d calls", quorum, err, res, s.asked.Load())
			}
		})
	}
}

// A session that drains while its last calls are in flight ends as done, not as interrupted.
func TestDrainDuringLastCallsEndsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		r := runner(st, &actors{script: parse(t, strings.Replace(limited, "after: 1h", "after: 1s", 1))})
		drain, began := make(chan struct{}), time.Now()
		r.Drain, r.Now = drain, time.Now
		time.AfterFunc(30*time.Second, func() { close(drain) })
		res, err := r.Start(t.Context(), brief(1))
		if err != nil || res.Reason != flow.EndRounds || len(res.Missing) > 0 || time.Since(began) != time.Minute {
			t.Errorf("after %s: %v, %+v", time.Since(began), err, res)
		}
	})
}
