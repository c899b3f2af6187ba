package mail

import (
	"slices"
	"strconv"
	"strings"

	"brenner/internal/pattern"
)

// question is a KICKOFF, or another question of the leader, in a thread.
type question struct {
	id       ID
	ids      []ID // with those of its reminders
	subject  string
	round    int
	to       []string // empty means everyone
	answered []string
}

func (q *question) asks(name string) bool { return len(q.to) == 0 || has(q.to, name) }

// Replied is the question that a message answers. Direct means that the message itself says so, by the
// message that it replies to or by its subject. Otherwise it is taken to answer the oldest question that
// its author has not answered yet: a late reply is not taken for an answer to a newer question.
type Replied struct {
	To     ID
	Direct bool
}

// Replied returns what the message that Next was called with last answers, if it is an answer.
func (t *Thread) Replied() Replied { return t.replied }

// askAgain records a request to repair a reply, or a reminder, which stands for the question it is about. Only
// the markers of a session tell.
func (t *Thread) askAgain(m *Message, prefix string) {
	mark, ok := MarkerIn(m.Body)
	if !ok || mark.Round == 0 {
		return
	}
	if prefix == "QUESTION" {
		t.questions = append(t.questions, question{ids: []ID{m.ID}, id: m.ID, subject: m.Subject, round: mark.Round, to: []string{mark.To}})
		return
	}
	if q := t.newest(func(q *question) bool { return q.round == mark.Round && q.asks(mark.To) }); q != nil {
		q.ids = append(q.ids, m.ID)
	}
}

func (t *Thread) newest(is func(*question) bool) *question {
	for i := len(t.questions) - 1; i >= 0; i-- {
		if is(&t.questions[i]) {
			return &t.questions[i]
		}
	}
	return nil
}

var roundTag = pattern.New(`(?i)\[round (\d{1,6})\]`)

// named returns the question that a message names: the one it replies to, or that of its subject.
func (t *Thread) named(m *Message) *question {
	if m.ReplyTo != "" {
		return t.newest(func(q *question) bool { return slices.Contains(q.ids, m.ReplyTo) })
	}
	subject := bareSubject(m.Subject)
	if isCompiled(subject) {
		return nil
	}
	its := func(q *question) bool {
		return q.asks(m.From) && subject != m.Subject && sameSubject(subject, q.subject)
	}
	if q := t.newest(its); q != nil {
		return q
	}
	if round := taggedRound(m.Subject); round > 0 {
		return t.newest(func(q *question) bool { return (q.round == round || taggedRound(q.subject) == round) && q.asks(m.From) })
	}
	return nil
}

// taggedRound returns the round in a subject, or 0.
func taggedRound(subject string) int {
	tag := roundTag.FindStringSubmatch(subject)
	if tag == nil {
		return 0
	}
	round, _ := strconv.Atoi(tag[1]) // at most six digits
	return round
}

// owed returns the oldest question that an agent has not answered, else the newest that it was asked.
func (t *Thread) owed(name string) *question {
	for i := range t.questions {
		if q := &t.questions[i]; q.asks(name) && !has(q.answered, name) {
			return q
		}
	}
	return t.newest(func(q *question) bool { return q.asks(name) })
}

// bareSubject returns a subject without the marks of a reply.
func bareSubject(subject string) string {
	subject = strings.TrimSpace(subject)
	for len(subject) > 3 && strings.EqualFold(subject[:3], "re:") {
		subject = strings.TrimSpace(subject[3:])
	}
	return subject
}

// sameSubject compares subjects, of which a server may have cut one.
func sameSubject(a, b string) bool {
	const enough = 40
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	return strings.EqualFold(a, b) || min(len(a), len(b)) >= enough && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
