package openai

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is what is believed at most of a time that an endpoint names.
const longestWait = 366 * 24 * time.Hour

// later finds out when to come back; 0 where nobody said.
func later(h http.Header, now time.Time) time.Duration {
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent // by the clock of whoever names a date
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms / 1000)
	}
	if at := h.Get("Retry-After"); at != "" {
		if seconds, err := strconv.ParseFloat(at, 64); err == nil {
			return bounded(seconds)
		}
		if date, err := http.ParseTime(at); err == nil {
			return bounded(date.Sub(now).Seconds())
		}
	}
	return reset(h, now)
}

// reset reads the headers that tell how full the buckets are. The one that is
// empty decides; where none says so, the one that is full again first.
func reset(h http.Header, now time.Time) time.Duration {
	var empty, first time.Duration
	for _, which := range []string{"-Requests", "-Tokens", ""} {
		d := moment(h.Get("X-Ratelimit-Reset"+which), now)
		if d <= 0 {
			continue
		}
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+which)) == "0" {
			empty = max(empty, d)
		}
		if first == 0 || d < first {
			first = d
		}
	}
	if empty > 0 {
		return empty
	}
	return first
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
	case seconds > longestWait.Seconds():
		return longestWait
	case seconds > 0:
		return time.Duration(seconds * float64(time.Second))
	}
	return 0 // and for what is no number
}
