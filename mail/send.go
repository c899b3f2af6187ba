package mail

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
)

// Sent is the result of sending.
type Sent struct {
	Messages []Message // one, or one per recipient if they could not be reached together
	Missed   []Missed
	Before   bool   // it was sent earlier; nothing was sent now
	unclear  string // why the server does not show whether it was sent earlier
}

// Missed is a recipient that was not reached, and why.
type Missed struct {
	Agent string
	Why   error
}

// Send sends a message once; after a lost response it may or may not have been delivered. If a
// contact policy rejects it, Send opens the policies of recipients whose tokens are in the keyring
// and tries again, then sends to each recipient separately. It fails if no recipient was reached.
func (c *Client) Send(ctx context.Context, d Draft) (Sent, error) {
	m, err := c.send(ctx, d)
	if fault.CodeOf(err) != Blocked {
		return sent(m), err
	}
	opened := false
	for _, name := range d.Recipients() {
		if c.keys.Token(c.url, d.Project, name) != "" {
			opened = c.SetContactPolicy(ctx, d.Project, name, PolicyOpen) == nil || opened
		}
	}
	if opened {
		if m, err = c.send(ctx, d); fault.CodeOf(err) != Blocked {
			return sent(m), err
		}
	}
	return c.oneByOne(ctx, d, err)
}

func sent(m Message) Sent {
	if m.ID == "" {
		return Sent{}
	}
	return Sent{Messages: []Message{m}}
}

// oneByOne sends to each recipient that can be reached.
func (c *Client) oneByOne(ctx context.Context, d Draft, blocked error) (Sent, error) {
	names := d.Recipients()
	if len(names) == 1 {
		return Sent{Missed: []Missed{{names[0], blocked}}}, blocked
	}
	s, err := sendEach(d, names, func(one Draft) (Sent, error) {
		m, err := c.send(ctx, one)
		return sent(m), err
	})
	if err == nil && len(s.Messages) == 0 {
		err = blocked
	}
	return s, err
}

// sendEach sends one message per recipient. Those whose contact policy rejects it are missed.
func sendEach(d Draft, names []string, send func(Draft) (Sent, error)) (Sent, error) {
	var s Sent
	for _, name := range names {
		one := d
		one.To, one.CC, one.BCC = []string{name}, nil, nil
		if d.Key != "" {
			one.Key = d.Key + "/" + name
		}
		got, err := send(one)
		switch {
		case err == nil:
			s.Messages = append(s.Messages, got.Messages...)
		case fault.CodeOf(err) == Blocked:
			s.Missed = append(s.Missed, Missed{name, err})
		default:
			return s, err
		}
	}
	return s, nil
}

func (c *Client) send(ctx context.Context, d Draft) (Message, error) {
	if d.ReplyTo != "" && d.Thread == "" {
		return c.reply(ctx, d)
	}
	const tool = "send_message"
	arguments := map[string]any{
		"project_key": d.Project, "sender_name": d.From, "to": d.To, "subject": d.Subject, "body_md": d.Body,
		"ack_required": d.AckRequired,
	}
	if d.Thread != "" {
		arguments["thread_id"] = d.Thread
	}
	if d.Importance != "" {
		arguments["importance"] = d.Importance
	}
	return c.deliver(ctx, tool, d, arguments)
}

func (c *Client) reply(ctx context.Context, d Draft) (Message, error) {
	arguments := map[string]any{"project_key": d.Project, "message_id": d.ReplyTo, "sender_name": d.From, "body_md": d.Body}
	if len(d.To) > 0 {
		arguments["to"] = d.To
	}
	return c.deliver(ctx, "reply_message", d, arguments)
}

// deliver sends a message, after checking that its sender and its recipients belong to its project. Arguments
// that change only how it is shown are left out if the server does not have them.
func (c *Client) deliver(ctx context.Context, tool string, d Draft, arguments map[string]any) (Message, error) {
	if err := c.CheckProject(ctx, d.Project, append(d.Recipients(), d.From)...); err != nil {
		return Message{}, err
	}
	for name, people := range map[string][]string{"cc": d.CC, "bcc": d.BCC} {
		if len(people) > 0 {
			arguments[name] = people
		}
	}
	if d.Key != "" {
		keyed, err := c.mustAccept(ctx, tool, "idempotency_key")
		if err != nil {
			return Message{}, err // without its key it could be delivered twice
		}
		if keyed {
			arguments["idempotency_key"] = d.Key
		}
	}
	if len(d.Attachments) > 0 {
		if ok, err := c.mustAccept(ctx, tool, "attachments"); !ok || err != nil {
			return Message{}, cmp.Or(err, noAttachments(c.url, tool))
		}
		arguments["attachments"] = d.Attachments
	}
	for _, name := range []string{"importance", "ack_required"} {
		if _, ok := arguments[name]; ok && c.lacks(ctx, tool, name) {
			delete(arguments, name)
		}
	}
	var r struct {
		Deliveries []struct {
			Payload Message `json:"payload"`
		} `json:"deliveries"`
		Message // some servers return it bare
	}
	if err := c.callAs(ctx, proof{d.Project, d.From, "sender_token", true}, tool, arguments, &r); err != nil {
		return Message{}, err
	}
	m := r.Message
	if len(r.Deliveries) > 0 {
		m = r.Deliveries[0].Payload
	}
	if m.ID == "" {
		return m, c.garbled(tool, "no message id in the response", nil)
	}
	if m.Thread == "" {
		m.Thread = d.Thread
	}
	if _, keyed := arguments["idempotency_key"]; keyed {
		return m, nil
	}
	// Another project may have taken a name since the check.
	if err := c.CheckProject(ctx, d.Project, d.Recipients()...); fault.CodeOf(err) == OtherProject {
		f := fault.Distinct(err)[0]
		f.Detail = "message " + string(m.ID) + " may have reached an agent of another project, whose reply does not count: " + f.Detail
		return m, f
	}
	return m, nil
}

func noAttachments(server, tool string) error {
	return &fault.Error{
		Code: Invalid, Op: tool, Place: server, Detail: "this server takes no attachments; nothing was sent",
		Hint: "name a path in the text, or use `brenner mail serve`",
	}
}

// CheckProject returns an error if one of the agents belongs to another project. On some servers names are
// global: mail to a name reaches the agent of whatever project has it, and a registration takes the name from
// that agent. Agents that do not exist are not checked.
func (c *Client) CheckProject(ctx context.Context, project string, agents ...string) error {
	own, err := c.projectID(ctx, project)
	if err != nil || own == "" {
		return err
	}
	for _, name := range agents {
		a, err := c.Whois(ctx, project, name)
		switch code := fault.CodeOf(err); {
		case code == NotFound, code == Refused: // the server decides what becomes of it
		case err != nil:
			return err
		case a.Project != "" && a.Project != own:
			return otherProject(c.url, name)
		}
	}
	return nil
}

// projectID returns the server's id of a project, or "" if it has none.
func (c *Client) projectID(ctx context.Context, project string) (ID, error) {
	c.mu.Lock()
	id, known := c.projects[project]
	c.mu.Unlock()
	if known {
		return id, nil
	}
	own, err := c.EnsureProject(ctx, project)
	switch code := fault.CodeOf(err); {
	case MayPass(err):
		return "", err
	case code == "", code == Garbled, code == NotFound, code == Refused, code == Invalid:
	default:
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.projects == nil {
		c.projects = make(map[string]ID)
	}
	c.projects[project] = own.ID
	return own.ID, nil
}

func otherProject(server, name string) error {
	return &fault.Error{
		Code: OtherProject, Place: server, Detail: fault.Shown(name) + " is an agent of another project; on this server names are global",
		Hint: "give the agent another name in the roster, or use another server: `brenner mail serve` keeps projects apart",
	}
}

// attempts bounds how often a message is sent while its outcome is unknown.
const attempts = 2

// SendOnce sends a message with a marker exactly once: if a message with that marker exists, it is
// not sent again, neither after a lost response nor by another process.
func (c *Client) SendOnce(ctx context.Context, d Draft, mark Marker) (Sent, error) {
	d.Body, d.Key = mark.In(d.Body), mark.Session+"/"+mark.Hash
	keyed := c.TakesKeys(ctx)
	for try := 1; ; try++ {
		var there Sent
		if !keyed { // the server does not detect duplicates: search for it
			var err error
			if there, err = c.settled(ctx, d, mark); err != nil || len(there.Messages) > 0 && len(there.Missed) == 0 {
				return there, err
			}
		}
		s, err := c.sendRest(ctx, d, there.Messages)
		if lost(err) {
			c.noteLoss(d.Key)
			if try < attempts && ctx.Err() == nil {
				continue
			}
		}
		s.Messages = append(there.Messages, s.Messages...)
		return s, err
	}
}

// noteLoss remembers when the response to a message was lost.
func (c *Client) noteLoss(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.losses == nil {
		c.losses = make(map[string]time.Time)
	}
	c.losses[key] = time.Now()
}

// settled is marked for a message that may be on its way: a server may still work on a request whose client is gone. So
// what an earlier process or a request without a response may have sent is searched for until such a request
// must be done. If the server does not show whether it was sent, it is not sent again.
func (c *Client) settled(ctx context.Context, d Draft, mark Marker) (Sent, error) {
	c.mu.Lock()
	since, maybe := c.losses[d.Key]
	c.mu.Unlock()
	if d.Again && !maybe {
		since, maybe = c.began, true
	}
	until := since.Add(c.settle)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		last := !maybe || !time.Now().Before(until)
		there, err := c.marked(ctx, d, mark, maybe)
		if err == nil && maybe && len(there.Messages) == 0 && there.unclear != "" {
			err = &fault.Error{
				Code: Refused, Op: "send_message", Place: c.url, Detail: fmt.Sprintf("%q to %s may have been sent before, and is not sent again: %s", d.Subject, strings.Join(d.Recipients(), ", "), there.unclear),
				Hint: "use a server that shows the texts of threads, such as `brenner mail serve`",
			}
		}
		if last || err != nil || len(there.Messages) > 0 {
			return there, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return there, &fault.Error{Code: Unsure, Op: "send_message", Place: c.url, Detail: "stopped while looking for an earlier message", Cause: ctx.Err()}
		}
	}
}

// sendRest sends a message to the recipients not yet reached: one by one if others have it, so that
// a blind copy stays hidden.
func (c *Client) sendRest(ctx context.Context, d Draft, there []Message) (Sent, error) {
	if len(there) == 0 {
		return c.Send(ctx, d)
	}
	return sendEach(d, remaining(d.Recipients(), there), func(one Draft) (Sent, error) { return c.Send(ctx, one) })
}

// remaining returns the recipients that no message has reached, as a copy or otherwise. A message of which the
// server lists no recipients has reached the one that its marker names or, without one, all.
func remaining(names []string, there []Message) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(there, func(m Message) bool {
			return has(m.To, name) || has(m.CC, name) || has(m.BCC, name) || len(m.To)+len(m.CC)+len(m.BCC) == 0
		})
	})
}

func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(o string) bool { return strings.EqualFold(o, name) })
}

// Marker identifies a message after a lost response. It is invisible in rendered Markdown.
type Marker struct {
	Session string
	Round   int
	To      string
	Hash    string // of the message's purpose: a call, a publication
}

// MarkerOf returns the marker of a message for one purpose; equal purposes have equal markers.
func MarkerOf(session string, round int, to, purpose string) Marker {
	sum := sha256.Sum256([]byte(purpose))
	return Marker{Session: session, Round: round, To: to, Hash: hex.EncodeToString(sum[:8])}
}

// String returns the marker as written in a body.
func (m Marker) String() string {
	inert := strings.NewReplacer("--", "", "<", "", ">", "", "\n", " ")
	return fmt.Sprintf("<!-- brenner session=%s round=%d to=%s hash=%s -->", inert.Replace(m.Session), m.Round, inert.Replace(m.To), m.Hash)
}

// In returns body with the marker appended.
func (m Marker) In(body string) string {
	return strings.TrimRight(body, "\n") + "\n\n" + m.String() + "\n"
}

// SameRecipient reports whether a body has a marker of the same session, round and recipient.
func (m Marker) SameRecipient(body string) bool {
	want, _, _ := strings.Cut(m.String(), " hash=")
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, want+" hash=") {
			return true
		}
	}
	return false
}

// MarkerIn returns the last marker of a body.
func MarkerIn(body string) (Marker, bool) {
	at := strings.LastIndex("\n"+body, "\n<!-- brenner session=")
	if at < 0 {
		return Marker{}, false
	}
	line, _, _ := strings.Cut(body[at:], "\n")
	m := Marker{}
	for field := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "session":
			m.Session = value
		case "round":
			round, _ := strconv.Atoi(value)
			m.Round = max(0, round)
		case "to":
			m.To = value
		case "hash":
			m.Hash = value
		}
	}
	return m, m.Hash != ""
}

// MarkedRound returns the round in the last marker of a body, or 0.
func MarkedRound(body string) int {
	m, _ := MarkerIn(body)
	return m.Round
}

// Marks reports whether a body has the marker on a line of its own; quoted lines do not count.
func (m Marker) Marks(body string) bool {
	want := m.String()
	for line := range strings.Lines(body) {
		if strings.TrimRight(line, "\r\n \t") == want {
			return true
		}
	}
	return false
}
