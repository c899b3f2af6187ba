package mail

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"brenner/internal/fault"
)

// Instant is a moment on the wire: RFC 3339, in UTC, to the microsecond.
type Instant struct{ time.Time }

// ParseInstant reads a moment as servers write it: with Z or an offset, with any
// fraction, or without a zone, which is UTC.
func ParseInstant(text string) (Instant, error) {
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02"} {
		if at, err := time.Parse(form, text); err == nil {
			return Instant{at.UTC()}, nil
		}
	}
	return Instant{}, &fault.Error{Code: Invalid, Detail: "not a time: " + fault.Shown(text), Hint: "write it like 2026-01-31T12:00:00Z"}
}

const instantForm = "2006-01-02T15:04:05.000000Z07:00"

// String gives the moment as it is written.
func (i Instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.UTC().Format(instantForm)
}

// MarshalJSON writes the moment, or null for none.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads a moment; null and the empty text are none. Some servers count
// the seconds since 1970, or parts of them.
func (i *Instant) UnmarshalJSON(data []byte) error {
	var number float64
	if json.Unmarshal(data, &number) == nil && string(data) != "null" {
		*i = counted(number)
		return nil
	}
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == nil || *text == "" {
		*i = Instant{}
		return nil
	}
	at, err := ParseInstant(*text)
	*i = at
	return err
}

// counted gives the moment of a number. Seconds of any time near ours are far smaller
// than its milliseconds, and so on; 0 is none.
func counted(n float64) Instant {
	for n > 1e11 {
		n /= 1000
	}
	if n <= 0 {
		return Instant{}
	}
	return Instant{time.UnixMicro(int64(math.Round(n * 1e6))).UTC()}
}
