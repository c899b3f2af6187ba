package mail

import (
	"slices"
	"strings"
	"time"
)

// Meaning is what a message does in a session's thread.
type Meaning uint8

// The meanings.
const (
	Other        Meaning = iota
	Asks                 // a KICKOFF of whoever leads the session
	Acknowledges         // who was asked has seen it
	Answers              // who was asked says something to it
	Publishes            // COMPILED
	Criticises           // something against what was published
	Closes               // the session is over
)

// Thread reads a session's thread, message by message, oldest first, and says what
// each means. Whoever sent the first KICKOFF leads: what others call so is none, or
// anybody could begin a round. Its zero value is the beginning.
type Thread struct {
	Asked    []string // in the newest round
	AskedAt  time.Time
	round    int
	asking   bool
	lead     string
	kickoffs map[ID]int // the round of each
}

// Next says what the next message means, and to which round it belongs, from 1; 0 is
// before the first KICKOFF. The rules, of which the first that fits decides:
//
//	KICKOFF of who leads                               asks
//	COMPILED of somebody who was not asked             publishes
//	INFO: closed… of somebody who was not asked        closes
//	another KICKOFF or COMPILED that replies to nothing, and what was not
//	written by somebody who was asked                  means nothing
//	ACK                                                acknowledges
//	CLAIM, INFO, BLOCKED, QUESTION, HANDOFF            means nothing
//	a reply to a KICKOFF                               answers, in its round
//	CRITIQUE, or a reply to COMPILED                   criticises
//	everything else                                    answers
func (t *Thread) Next(m *Message) (Meaning, int) {
	prefix := PrefixOf(m.Subject)
	if prefix == "KICKOFF" && (t.lead == "" || strings.EqualFold(t.lead, m.From)) {
		t.ask(m)
		return Asks, t.round
	}
	if has(t.Asked, m.From) {
		return t.hear(m, prefix)
	}
	what := Other
	switch {
	case t.round == 0:
	case prefix == "COMPILED":
		what = Publishes
	case prefix == "INFO" && strings.HasPrefix(strings.ToLower(textOf(m.Subject)), "closed"):
		what = Closes
	}
	t.asking = t.asking && what == Other
	return what, t.round
}

// hear says what a message of somebody means who was asked.
func (t *Thread) hear(m *Message, prefix string) (Meaning, int) {
	switch {
	case (prefix == "KICKOFF" || prefix == "COMPILED") && m.ReplyTo == "":
		return Other, t.round
	case prefix == "ACK":
		return Acknowledges, t.round
	case IsSign(m.Subject):
		return Other, t.round
	}
	if round, ok := t.kickoffs[m.ReplyTo]; ok && m.ReplyTo != "" {
		t.asking = t.asking && round != t.round
		return Answers, round
	}
	if prefix == "CRITIQUE" || prefix == "RE" && PrefixOf(textOf(m.Subject)) == "COMPILED" {
		return Criticises, t.round
	}
	t.asking = false
	return Answers, t.round
}

// ask takes a KICKOFF: the first one behind an answer or a COMPILED begins a round.
func (t *Thread) ask(m *Message) {
	if t.kickoffs == nil {
		t.kickoffs = make(map[ID]int)
	}
	if !t.asking {
		t.round++
		t.Asked = nil
	}
	t.asking, t.lead, t.AskedAt = true, m.From, m.Created.Time
	t.kickoffs[m.ID] = t.round
	for _, name := range slices.Concat(m.To, m.CC) {
		if !strings.EqualFold(name, m.From) {
			t.Asked = union(t.Asked, name)
		}
	}
}

// IsSign tells a sign of life from something that was said, by the prefix of its
// subject.
func IsSign(subject string) bool {
	return slices.Contains([]string{"ACK", "CLAIM", "INFO", "BLOCKED", "QUESTION", "HANDOFF"}, PrefixOf(subject))
}

// PrefixOf gives the word before the colon of a subject in capitals, without a tag:
// DELTA[gpt] is DELTA. A reply has the prefix RE, whatever it replies to.
func PrefixOf(subject string) string {
	prefix, _, ok := strings.Cut(strings.TrimSpace(subject), ":")
	if !ok {
		return ""
	}
	prefix, _, _ = strings.Cut(prefix, "[")
	return strings.ToUpper(strings.TrimSpace(prefix))
}

func textOf(subject string) string {
	_, text, _ := strings.Cut(subject, ":")
	return strings.TrimSpace(text)
}

func union(names []string, more ...string) []string {
	for _, name := range more {
		if !has(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Key names a message in all the world, as far as that can be done: a server that
// lost its mail counts from 1 again. Listings may give times more coarsely than
// answers do, so that a second is what counts.
func (m *Message) Key() string {
	return string(m.ID) + "@" + m.Created.UTC().Truncate(time.Second).Format(time.RFC3339)
}
