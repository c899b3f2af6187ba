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

// Phase is how far a research session has come, as its thread alone tells.
type Phase string

// The phases.
const (
	NotStarted        Phase = "not_started"
	AwaitingResponses Phase = "awaiting_responses"
	PartiallyComplete Phase = "partially_complete"
	AwaitingCompiling Phase = "awaiting_compilation"
	CompiledPhase     Phase = "compiled"
	InCritique        Phase = "in_critique"
	Closed            Phase = "closed"
)

// Progress is what a thread tells of a session.
type Progress struct {
	Phase Phase
	// Of the newest round: who was asked, who acknowledged, who answered.
	Asked, Acked, Answered []string
	AskedAt                time.Time // of its last KICKOFF
	Compiled               int       // how many versions were published
}

// Read derives the progress of a session from its thread, oldest message first, by
// what Thread makes of each. The rules, of which the first that fits decides:
//
//	nobody was asked                                  not_started
//	it was closed, and nobody asked again             closed
//	it was criticised after the last publication,
//	and nobody asked again                            in_critique
//	it was published, and nobody asked again          compiled
//	nobody asked has answered                         awaiting_responses
//	some have answered                                partially_complete
//	all have answered                                 awaiting_compilation
func Read(thread []Message) Progress {
	p := Progress{Phase: NotStarted}
	var t Thread
	round, published := 0, ""
	var phase Phase // what ended the round; empty where it is open
	for i := range thread {
		m := &thread[i]
		what, of := t.Next(m)
		switch what {
		case Asks:
			if phase = ""; of != round {
				round, p.Acked, p.Answered = of, nil, nil
			}
			for _, r := range m.Receipts {
				if !r.Acked.IsZero() {
					p.Acked = union(p.Acked, r.Agent)
				}
			}
		case Publishes:
			if phase = CompiledPhase; m.Subject != published { // each reader gets one of its own
				published = m.Subject
				p.Compiled++
			}
		case Criticises:
			if phase == CompiledPhase {
				phase = InCritique
			}
		case Closes:
			phase = Closed
		case Acknowledges:
			p.Acked = union(p.Acked, m.From)
		case Answers:
			if of == round {
				p.Acked, p.Answered = union(p.Acked, m.From), union(p.Answered, m.From)
			}
		case Other:
		}
	}
	p.Asked, p.AskedAt, p.Phase = t.Asked, t.AskedAt, phase
	if phase == "" {
		p.Phase = p.open()
	}
	return p
}

// open is the phase of a round that nothing has ended.
func (p *Progress) open() Phase {
	switch {
	case p.Asked == nil:
		return NotStarted
	case len(p.Answered) == 0:
		return AwaitingResponses
	case len(p.Answered) < len(p.Asked):
		return PartiallyComplete
	}
	return AwaitingCompiling
}
