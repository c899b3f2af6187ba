package loop

import (
	"strconv"
	"time"

	"brenner/artifact"
)

// StopAt gives the instant at which a loop that begins now stops by the clock, or "".
func (p *Plan) StopAt(now time.Time) string {
	switch {
	case p.After > 0:
		return artifact.FormatInstant(now.Add(p.After).Truncate(time.Millisecond))
	case p.At == "":
		return ""
	}
	hour, _ := strconv.Atoi(p.At[:2])
	minute, _ := strconv.Atoi(p.At[3:])
	at := onDay(now, 0, hour, minute)
	if !at.After(now) {
		at = onDay(now, 1, hour, minute)
	}
	return artifact.FormatInstant(at)
}

// StopWords are what the plan says of that instant: as long as it says the same, the
// instant stays what it was when the loop began.
func (p *Plan) StopWords() string {
	switch {
	case p.After > 0:
		return "after " + p.After.String()
	case p.At != "":
		return "at " + p.At
	}
	return ""
}

// LimitsFrom returns the limits of a loop that begins now.
func (p *Plan) LimitsFrom(now time.Time) Limits {
	l := p.Limits
	l.Until, l.Stop = p.StopAt(now), p.StopWords()
	return l
}

// LimitsOn returns the limits under which a loop goes on, from those it would begin with
// now. The instant at which it stops stays the same, unless the loop had ended or the plan
// says something else of it.
func (p *Plan) LimitsOn(s *State, now Limits) Limits {
	switch {
	case s.Ended != "":
	case now.Stop == s.Limits.Stop:
		now.Until = s.Limits.Until // its hour does not move because it was killed
	case p.After > 0:
		now.Until = p.StopAt(s.Began)
	}
	return now
}

// onDay gives a time of day, some days after another instant. Where clocks are put
// forward over it there is no such time: it is then when they are.
func onDay(from time.Time, days, hour, minute int) time.Time {
	at := time.Date(from.Year(), from.Month(), from.Day()+days, hour, minute, 0, 0, from.Location())
	asked := time.Date(from.Year(), from.Month(), from.Day()+days, hour, minute, 0, 0, time.UTC)
	shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
	before, after := at.ZoneBounds()
	switch {
	case shown.After(asked):
		return before
	case shown.Before(asked):
		return after
	}
	return at
}
