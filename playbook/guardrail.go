package playbook

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Observation is the outcome of a session as input of the guardrail.
type Observation struct {
	Session   string
	At        time.Time // start of the session
	OK        bool      // it ended regularly
	Latencies []time.Duration
	Failed    int // calls without a reply
	Calls     int
}

// Metrics measures the sessions of a window.
type Metrics struct {
	Sessions int           `json:"sessions"`
	Success  float64       `json:"success"` // share of sessions
	Errors   float64       `json:"errors"`  // share of calls
	P95      time.Duration `json:"-"`
}

// Measure returns the metrics of some sessions.
func Measure(all []Observation) Metrics {
	var m Metrics
	var latencies []time.Duration
	calls, failed, good := 0, 0, 0
	for _, o := range all {
		if o.OK {
			good++
		}
		calls, failed = calls+o.Calls, failed+o.Failed
		latencies = append(latencies, o.Latencies...)
	}
	m.Sessions = len(all)
	if m.Sessions > 0 {
		m.Success = float64(good) / float64(m.Sessions)
	}
	if calls > 0 {
		m.Errors = float64(failed) / float64(calls)
	}
	if n := len(latencies); n > 0 {
		slices.Sort(latencies)
		m.P95 = latencies[min(n-1, int(math.Ceil(0.95*float64(n)))-1)]
	}
	return m
}

// Windows splits the latest sessions into the current window and the previous one, and returns
// when the current one begins. It returns false if there are too few for two windows.
func (g Guardrail) Windows(all []Observation) (before, now Metrics, since time.Time, ok bool) {
	n := g.Window
	if n <= 0 || len(all) < 2*n {
		return Metrics{}, Metrics{}, time.Time{}, false
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b Observation) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session, b.Session))
	})
	current := all[len(all)-n:]
	return Measure(all[len(all)-2*n : len(all)-n]), Measure(current), current[0].At, true
}

// Breach describes how a window is worse than the one before it by more than the guardrail
// allows, or returns "".
func (g Guardrail) Breach(before, now Metrics) string {
	const rounding = 1e-9
	var why []string
	if before.Success-now.Success > g.Success+rounding {
		why = append(why, fmt.Sprintf("success fell from %.1f %% to %.1f %%", 100*before.Success, 100*now.Success))
	}
	if before.P95 > 0 && float64(now.P95) > float64(before.P95)*(1+g.Latency)*(1+rounding) {
		why = append(why, fmt.Sprintf("the 95th percentile of latency rose from %s to %s", before.P95, now.P95))
	}
	if now.Errors > g.Errors+rounding {
		why = append(why, fmt.Sprintf("errors are at %.1f %%", 100*now.Errors))
	}
	return strings.Join(why, "; ")
}

// Rollback quarantines the bullets added in a window, both ends included, and returns their
// ids. Those that were merged, and older ones that were merged into them, are separated first. Nothing is
// deleted: each gets an entry with the reason.
func (d *Draft) Rollback(since, until time.Time) ([]string, error) {
	if err := d.needsReason(); err != nil {
		return nil, err
	}
	older := make(map[int][]string) // merged bullets from before the window, by the bullet that they went into
	for _, n := range slices.Sorted(maps.Keys(d.book.merges)) {
		if b := d.book.bullets[n]; b.Created.Before(since) {
			into := d.book.merges[n].into
			older[into] = append(older[into], b.ID)
		}
	}
	var ids, less []string
	for n, b := range d.book.bullets {
		if b.Created.Before(since) || b.Created.After(until) || b.Stage == Quarantined {
			continue
		}
		stood, err := d.unmergeAll(append([]string{b.ID}, older[n]...))
		if err == nil {
			err = d.change(OpRollback, b.ID, note{}, quarantine)
		}
		if err != nil {
			return nil, err
		}
		ids, less = append(ids, b.ID), append(less, stood...)
	}
	return ids, d.demote(nil, less...)
}
