package mail

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
)

// How urgent a message is.
const (
	Low    = "low"
	Normal = "normal"
	High   = "high"
	Urgent = "urgent"
)

// Who may write to an agent.
const (
	PolicyOpen     = "open"          // everybody
	PolicyAuto     = "auto"          // everybody; servers may ask the agent
	PolicyContacts = "contacts_only" // whom the agent has written to before
	PolicyBlock    = "block_all"     // nobody
)

// Project is one project's mail.
type Project struct {
	ID      ID      `json:"id"`
	Slug    string  `json:"slug"`
	Key     string  `json:"human_key"` // an absolute path
	Created Instant `json:"created_at"`
}

// Agent is who has a mailbox.
type Agent struct {
	ID      ID      `json:"id"`
	Name    string  `json:"name"`
	Program string  `json:"program"`
	Model   string  `json:"model"`
	Task    string  `json:"task_description"`
	Since   Instant `json:"inception_ts"`
	Active  Instant `json:"last_active_ts"`
	Project ID      `json:"project_id"`
	Policy  string  `json:"contact_policy,omitempty"`
	// Token proves that a caller is this agent. It comes with a registration, once.
	Token string `json:"registration_token,omitempty"`
}

// Message is a message, as its reader may see it.
type Message struct {
	ID          ID        `json:"id"`
	Thread      string    `json:"thread_id"`
	Subject     string    `json:"subject"`
	Body        string    `json:"body_md"`
	From        string    `json:"from"`
	To          Names     `json:"to"`
	CC          Names     `json:"cc"`
	BCC         Names     `json:"bcc"`
	Importance  string    `json:"importance"`
	AckRequired bool      `json:"ack_required"`
	Created     Instant   `json:"created_ts"`
	ReplyTo     ID        `json:"reply_to"`
	Attachments []any     `json:"attachments"`
	Kind        string    `json:"kind"`
	Receipts    []Receipt `json:"receipts,omitempty"` // for its sender, where the server tells
}

// Receipt is what one recipient did with a message.
type Receipt struct {
	Agent string  `json:"agent"`
	Read  Instant `json:"read_ts"`
	Acked Instant `json:"ack_ts"`
}

// Acked tells whether an agent acknowledged the message, as far as receipts say.
func (m *Message) Acked(agent string) bool {
	return slices.ContainsFunc(m.Receipts, func(r Receipt) bool { return r.Agent == agent && !r.Acked.IsZero() })
}

// Draft is a message to be sent.
type Draft struct {
	Project     string
	From        string
	To, CC, BCC []string
	Subject     string
	Body        string // Markdown
	Thread      string // empty begins a thread, or goes on with that of ReplyTo
	Importance  string // empty is Normal
	AckRequired bool
	ReplyTo     ID
	// Key makes the sending happen once: the same sender with the same key gets
	// the message that is there already.
	Key string
}

// Names are agents' names; some servers write a single one without a list.
type Names []string

// MarshalJSON writes a list, also for none.
func (n Names) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// UnmarshalJSON takes a list, a single name or null.
func (n *Names) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*n = nil
		if one != "" {
			*n = Names{one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(n))
}

// Reservation is a claim on files, so that agents do not edit the same ones.
type Reservation struct {
	ID        ID      `json:"id"`
	Agent     string  `json:"agent"`
	Path      string  `json:"path_pattern"`
	Exclusive bool    `json:"exclusive"`
	Reason    string  `json:"reason"`
	Expires   Instant `json:"expires_ts"`
}

// Conflict is a path that others have reserved.
type Conflict struct {
	Path    string        `json:"path"`
	Holders []Reservation `json:"holders"`
}

// Reserved is what came of a reservation.
type Reserved struct {
	Granted   []Reservation `json:"granted"`
	Conflicts []Conflict    `json:"conflicts"`
}

// Summary is what a thread is about, as far as a program can tell.
type Summary struct {
	Thread       string    `json:"thread_id"`
	Total        int       `json:"total_messages"`
	Participants []string  `json:"participants"`
	KeyPoints    []string  `json:"key_points"`
	ActionItems  []string  `json:"action_items"`
	Examples     []Message `json:"examples,omitempty"`
}

// ID names a message. Servers give numbers or texts; both are texts here.
type ID string

// Number gives the id as a number, for boxes that count.
func (id ID) Number() (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == string(id)
}

// Numbered makes the id of a box that counts.
func Numbered(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// exact is the largest number that every reader of JSON keeps as it is.
const exact = 1 << 53

// MarshalJSON writes a number where it is one: that is what most servers want back.
func (id ID) MarshalJSON() ([]byte, error) {
	if n, ok := id.Number(); ok && n <= exact {
		return []byte(id), nil
	}
	if id == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON takes a number, a text or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.Equal(data, []byte("null")):
		*id = ""
		return nil
	case len(data) > 0 && data[0] == '"':
		var text string
		err := json.Unmarshal(data, &text)
		*id = ID(text)
		return err
	}
	var n json.Number
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*id = ID(n.String())
	return nil
}

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
