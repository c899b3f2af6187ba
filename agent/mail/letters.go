package mail

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	post "brenner/mail"

	"brenner/internal/pattern"
)

// Letter is a message in a thread, whether or not it answers a call.
type Letter struct {
	post.Message
	Agent      string   // the roster's name of its sender; empty for other senders
	Recipients []string // the roster's names of those of its recipients that are in the roster
	Own        bool     // of the session itself: ours, or a question or version of the thread's leader
	ByHand     bool     // ours, but written by a person: neither a question nor a version
	Sign       bool     // a sign of life: its subject says so, and it contains no changes
	Round      int      // counted by the thread's kickoffs
	Sent       int      // the newest round when it was sent
	Shown      int      // the newest version published before it; 0 if none
	Basis      Basis    // what its author had before it
	Asked      []string // the bodies of all questions before it
}

// Basis is the question or version that a message answers or, if it answers none, the last one sent to
// its author before it. Without such a message it is zero. Direct means that the message answers it.
type Basis struct {
	At      time.Time
	Version int // of a version that the session published
	Round   int // of the session, of its own question
	Direct  bool
}

var compiledSubject = pattern.New(`(?i)^\s*COMPILED:\s*v(\d{1,6})\b`)

// newBasis returns what a message shows its recipients. Only our own say which round or version it is.
func newBasis(m *post.Message, ours bool) Basis {
	b := Basis{At: m.Created.Time}
	if !ours {
		return b
	}
	b.Round = post.MarkedRound(m.Body)
	if v := compiledSubject.FindStringSubmatch(m.Subject); v != nil {
		b.Version, _ = strconv.Atoi(v[1])
	}
	return b
}

// bases are the questions and versions of a thread, by message and by recipient.
type bases struct {
	of   map[post.ID]Basis
	last map[string]Basis
}

func (b *bases) add(m *post.Message, basis Basis) {
	b.of[m.ID] = basis
	for _, to := range slices.Concat(m.To, m.CC) {
		b.last[strings.ToLower(to)] = basis
	}
}

// find returns the basis of an agent's message. Without a message that it replies to, it is the question that it
// answers: what was sent after that question may be unknown to its author.
func (b *bases) find(m *post.Message, answers post.Replied) Basis {
	if basis, ok := b.of[m.ReplyTo]; ok && m.ReplyTo != "" {
		basis.Direct = true
		return basis
	}
	last := b.last[strings.ToLower(m.From)]
	if basis, ok := b.of[answers.To]; ok && answers.To != "" && m.ReplyTo == "" && (answers.Direct || basis.Round < last.Round) {
		basis.Direct = answers.Direct
		return basis
	}
	return last
}

// recipients returns the agents to whom a message was sent.
func recipients(m *post.Message, names map[string]string) (agents []string) {
	for _, to := range slices.Concat(m.To, m.CC) {
		if name, ok := names[strings.ToLower(to)]; ok {
			agents = append(agents, name)
		}
	}
	return agents
}

// Letters returns all messages of a thread, oldest first.
func (m *Mailer) Letters(ctx context.Context, id string, agents []string) ([]Letter, error) {
	if err := m.Open(ctx); err != nil {
		return nil, err
	}
	all, err := m.Client.Thread(ctx, post.ThreadQuery{Project: m.Project, Thread: id, Reader: m.from()})
	if err != nil {
		return nil, err
	}
	return ReadLetters(all, m.from(), m.names(agents), func(body string) bool { return m.Holds != nil && m.Holds(body) }), nil
}

// ReadLetters returns all messages of a thread as letters. Own is the name of the session on the server; names are those of its agents,
// in small letters, with the names of the roster. Holds reports whether a text has changes.
func ReadLetters(all []post.Message, own string, names map[string]string, holds func(string) bool) (letters []Letter) {
	thread := post.Thread{Holds: holds, Roster: slices.Sorted(maps.Keys(names))}
	seen := make(map[string]bool)
	shown, newest := 0, 0
	from := bases{of: make(map[post.ID]Basis), last: make(map[string]Basis)}
	var asked []string
	for i := range all {
		msg := &all[i]
		if seen[msg.Key()] && names[strings.ToLower(msg.From)] != "" && msg.ID != "" { // some servers list a message once for each recipient
			continue
		}
		what, round := thread.Next(msg)
		newest = max(newest, round)
		ours := strings.EqualFold(msg.From, own)
		l := Letter{
			Message: *msg, Agent: names[strings.ToLower(msg.From)], Recipients: recipients(msg, names),
			Sign: post.IsSign(msg.Subject) && !holds(msg.Body), Round: round, Sent: newest, Basis: from.find(msg, thread.Replied()),
		}
		l.Own = ours || what == post.Asks || what == post.Publishes && (l.Agent == "" || thread.Leads(msg.From))
		basis := newBasis(msg, ours)
		shows := what == post.Asks || what == post.Publishes || basis.Round > 0 || basis.Version > 0
		l.ByHand = ours && !shows
		shown = cmp.Or(basis.Version, shown)
		if what == post.Asks {
			asked = append(asked, msg.Body)
		}
		if l.Own && shows {
			from.add(msg, basis)
		}
		if seen[msg.Key()] && msg.ID != "" {
			continue
		}
		seen[msg.Key()] = true
		l.Shown, l.Asked = shown, slices.Clip(asked)
		letters = append(letters, l)
	}
	return letters
}

func (m *Mailer) holds(msg *post.Message) bool { return m.Holds != nil && m.Holds(msg.Body) }
