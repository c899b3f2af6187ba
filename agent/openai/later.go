package openai

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is what is believed at most of a time that an endpoint names.
const longestWait = 366 * 24 * time.Hour

// later finds out when to come back; 0 where nobody said. Who is asked too much
// also tells how full the buckets are: others tell it with every answer, and it
// has nothing to do with why they refuse.
func later(resp *http.Response, now time.Time) time.Duration {
	h := resp.Header
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent // by the clock of whoever names a date
	}
	if d := retryAfter(h, now); d > 0 || resp.StatusCode != http.StatusTooManyRequests {
		return d
	}
	return reset(h, now)
}

func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && bounded(ms/1000) > 0 {
		return bounded(ms / 1000)
	}
	at := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(at, 64); err == nil {
		return bounded(seconds)
	}
	if date, err := http.ParseTime(at); err == nil {
		return bounded(date.Sub(now).Seconds())
	}
	return 0
}

// reset reads the headers that tell how full the buckets are. Only an empty one
// makes anybody wait; of several, the last to be full again.
func reset(h http.Header, now time.Time) time.Duration {
	var last time.Duration
	for _, which := range []string{"-Requests", "-Tokens", ""} {
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+which)) == "0" {
			last = max(last, moment(h.Get("X-Ratelimit-Reset"+which), now))
		}
	}
	return last
}

// moment reads "6m0s", seconds, or a point in time in seconds or milliseconds.
func moment(text string, now time.Time) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return bounded(d.Seconds())
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0
	case n > 1e11:
		return bounded(n/1000 - float64(now.Unix()))
	case n > 1e9:
		return bounded(n - float64(now.Unix()))
	}
	return bounded(n)
}

func bounded(seconds float64) time.Duration {
	switch {
	case math.IsInf(seconds, 0):
		return 0 // nobody means it
	case seconds > longestWait.Seconds():
		return longestWait
	case seconds > 0:
		return time.Duration(seconds * float64(time.Second))
	}
	return 0 // and for what is no number
}
