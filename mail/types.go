package mail

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
)

// Importance of a message.
const (
	Low    = "low"
	Normal = "normal"
	High   = "high"
	Urgent = "urgent"
)

// Contact policies: who may write to an agent.
const (
	PolicyOpen     = "open"          // every agent
	PolicyAuto     = "auto"          // every agent; servers may ask the recipient
	PolicyContacts = "contacts_only" // agents that the recipient has written to before
	PolicyBlock    = "block_all"     // no agent
)

// Project is a project with mail.
type Project struct {
	ID      ID      `json:"id"`
	Slug    string  `json:"slug"`
	Key     string  `json:"human_key"` // an absolute path
	Created Instant `json:"created_at"`
}

// Agent is the owner of a mailbox.
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
	// Token authenticates the agent. Only the registration returns it.
	Token string `json:"registration_token,omitempty"`
}

// Message is a message as visible to its reader.
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
	Receipts    []Receipt `json:"receipts,omitempty"` // for the sender, if the server reports them
	project     ID        // in which it is filed, if the server reports that
}

// Receipt records when a recipient read and acknowledged a message.
type Receipt struct {
	Agent string  `json:"agent"`
	Read  Instant `json:"read_ts"`
	Acked Instant `json:"ack_ts"`
}

// Files returns the attachments as far as they can be read: servers other than the embedded one describe them in their own way.
func (m *Message) Files() []Attachment {
	all := make([]Attachment, len(m.Attachments))
	for i, any := range m.Attachments {
		data, _ := json.Marshal(any) // it came as JSON
		var other struct {
			Path string `json:"path"`
			Type string `json:"type"`
		}
		_ = json.Unmarshal(data, &all[i]) // what does not fit is not shown
		_ = json.Unmarshal(data, &other)
		all[i].Name, all[i].MediaType = cmp.Or(all[i].Name, other.Path, "unnamed"), cmp.Or(all[i].MediaType, other.Type, "unknown type")
	}
	return all
}

// Acked reports whether an agent acknowledged the message, according to the receipts.
func (m *Message) Acked(agent string) bool {
	return slices.ContainsFunc(m.Receipts, func(r Receipt) bool { return r.Agent == agent && !r.Acked.IsZero() })
}

// Draft is a message to send.
type Draft struct {
	Project     string
	From        string
	To, CC, BCC []string
	Subject     string
	Body        string // Markdown
	Thread      string // empty continues that of ReplyTo, or begins one
	Importance  string // empty means Normal
	AckRequired bool
	ReplyTo     ID
	Attachments []File
	// Key makes sending idempotent: the same sender and key return the existing message.
	Key string
	// Again means that an earlier process may have sent it, for SendOnce.
	Again bool
}

// File is the content of an attachment.
type File struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data_base64"`
}

// Attachment describes an attachment of a message.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Size      int    `json:"bytes"`
	SHA256    string `json:"sha256"`
}

// States of a contact.
const (
	ContactPending  = "pending"
	ContactAccepted = "accepted"
	ContactRefused  = "refused"
)

// Contact is a request for permission to write to an agent.
type Contact struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	State    string  `json:"status"`
	Reason   string  `json:"reason"`
	Asked    Instant `json:"requested_ts"`
	Answered Instant `json:"answered_ts"`
}

// Names are agents' names; some servers send a single one without a list.
type Names []string

// MarshalJSON writes a list, also for nil.
func (n Names) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// UnmarshalJSON accepts a list, a single name or null.
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

// Conflict is a path that other agents have reserved.
type Conflict struct {
	Path    string        `json:"path"`
	Holders []Reservation `json:"holders"`
}

// Reserved is the result of a reservation.
type Reserved struct {
	Granted   []Reservation `json:"granted"`
	Conflicts []Conflict    `json:"conflicts"`
}

// Summary is a generated summary of a thread.
type Summary struct {
	Thread       string    `json:"thread_id"`
	Total        int       `json:"total_messages"`
	Participants []string  `json:"participants"`
	KeyPoints    []string  `json:"key_points"`
	ActionItems  []string  `json:"action_items"`
	Examples     []Message `json:"examples,omitempty"`
}

// ID is the id of a message. Servers use numbers or strings; both are strings here.
type ID string

// Number returns the id as a number, for boxes that count.
func (id ID) Number() (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == string(id)
}

// Numbered returns a numeric id.
func Numbered(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// exact is the largest integer that every JSON reader keeps exactly.
const exact = 1 << 53

// MarshalJSON writes a number if it is one: most servers expect that.
func (id ID) MarshalJSON() ([]byte, error) {
	if n, ok := id.Number(); ok && n <= exact {
		return []byte(id), nil
	}
	if id == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON accepts a number, a string or null.
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

// Instant is a time on the wire: RFC 3339, in UTC, to the microsecond.
type Instant struct{ time.Time }

// ParseInstant parses a time with Z, an offset or no zone (UTC), and any fraction.
func ParseInstant(text string) (Instant, error) {
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02"} {
		if at, err := time.Parse(form, text); err == nil {
			return Instant{at.UTC()}, nil
		}
	}
	return Instant{}, &fault.Error{Code: Invalid, Detail: "not a time: " + fault.Shown(text), Hint: "use a form such as 2026-01-31T12:00:00Z"}
}

const instantForm = "2006-01-02T15:04:05.000000Z07:00"

// String returns the time as it is written.
func (i Instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.UTC().Format(instantForm)
}

// MarshalJSON writes the time, or null for the zero time.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads a time; null and the empty string are the zero time. Some servers send seconds
// since 1970, or fractions such as milliseconds.
func (i *Instant) UnmarshalJSON(data []byte) error {
	var number float64
	if json.Unmarshal(data, &number) == nil && string(data) != "null" {
		*i = instantFromNumber(number)
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

// instantFromNumber returns the time of a number, whose magnitude distinguishes seconds from milliseconds and
// smaller units; 0 is the zero time.
func instantFromNumber(n float64) Instant {
	for n > 1e11 {
		n /= 1000
	}
	if n <= 0 {
		return Instant{}
	}
	return Instant{time.UnixMicro(int64(math.Round(n * 1e6))).UTC()}
}
