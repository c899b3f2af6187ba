package mail

import (
	"slices"
	"strings"
	"time"
)

// Meaning is the role of a message in a session's thread.
type Meaning uint8

// Meanings of messages.
const (
	Other        Meaning = iota
	Asks                 // a KICKOFF of the leader
	Acknowledges         // a recipient has seen the KICKOFF
	Answers              // a recipient answers
	Publishes            // COMPILED
	Criticises           // an objection to a published version
	Closes               // the session is over
)

// Thread classifies a session's messages, oldest first. The sender of the first KICKOFF leads; a
// KICKOFF of another agent does not begin a round. The zero value is an empty thread.
type Thread struct {
	// Lead is the agent that leads the session; empty is set by the first KICKOFF.
	Lead string
	// Roster are the agents that a KICKOFF asks if the server does not say whom; empty means
	// everyone who writes after it.
	Roster []string
	// Holds reports whether a text contains changes; nil means never. Such a message is no mere sign of life.
	Holds func(text string) bool

	Asked     []string // in the newest round
	AskedAt   time.Time
	round     int
	asking    bool
	anyone    bool       // the newest KICKOFF has no recipients
	questions []question // oldest first
	replied   Replied
}

// Leads reports whether an agent leads the session.
func (t *Thread) Leads(name string) bool { return t.Lead != "" && strings.EqualFold(t.Lead, name) }

// Next returns the meaning of the next message and its round, from 1; 0 is before the first
// KICKOFF. The first rule that matches decides:
//
//	KICKOFF of the leader                              asks
//	COMPILED of an agent that was not asked            publishes
//	INFO: closed… of an agent that was not asked       closes
//	another KICKOFF or COMPILED that replies to nothing, and
//	any message of an agent that was not asked         other
//	ACK                                                acknowledges
//	CLAIM, INFO, BLOCKED, QUESTION, HANDOFF            other
//	a reply to a KICKOFF                               answers, in its round
//	CRITIQUE, or a reply to COMPILED                   criticises
//	everything else                                    answers; see Replied
func (t *Thread) Next(m *Message) (Meaning, int) {
	prefix := PrefixOf(m.Subject)
	t.replied = Replied{}
	if prefix == "KICKOFF" && (t.Lead == "" || t.Leads(m.From)) {
		t.ask(m)
		return Asks, t.round
	}
	if t.anyone && !t.Leads(m.From) {
		t.Asked = union(t.Asked, m.From)
	}
	if has(t.Asked, m.From) {
		return t.classifyReply(m, prefix)
	}
	if t.Leads(m.From) {
		t.askAgain(m, prefix)
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

// classifyReply classifies a message of an agent that was asked.
func (t *Thread) classifyReply(m *Message, prefix string) (Meaning, int) {
	switch {
	case (prefix == "KICKOFF" || prefix == "COMPILED") && m.ReplyTo == "":
		return Other, t.round
	case t.Holds != nil && t.Holds(m.Body): // whatever its subject says
	case prefix == "ACK":
		return Acknowledges, t.round
	case IsSign(m.Subject):
		return Other, t.round
	}
	q := t.named(m)
	if q == nil && (prefix == "CRITIQUE" || isCompiled(bareSubject(m.Subject))) {
		return Criticises, t.round
	}
	if q == nil && m.ReplyTo == "" && taggedRound(m.Subject) > 0 {
		return Other, t.round // to a question that was not asked: late, whatever it is
	}
	t.replied.Direct = q != nil
	if q == nil {
		q = t.owed(m.From)
	}
	round := t.round
	if q != nil {
		q.answered = union(q.answered, m.From)
		round, t.replied.To = q.round, q.id
	}
	t.asking = t.asking && round != t.round
	return Answers, round
}

func isCompiled(subject string) bool { return PrefixOf(subject) == "COMPILED" }

// ask records a KICKOFF: the first one after an answer or a COMPILED begins a round, unless the
// session's marker says which round it is.
func (t *Thread) ask(m *Message) {
	marked := MarkedRound(m.Body)
	if marked > t.round || !t.asking && marked == 0 {
		t.round = max(t.round+1, marked)
		t.Asked = nil
	}
	t.asking, t.Lead, t.AskedAt = true, m.From, m.Created.Time
	to := slices.DeleteFunc(slices.Concat(m.To, m.CC), func(name string) bool { return strings.EqualFold(name, m.From) })
	t.anyone = len(to) == 0 && len(t.Roster) == 0 && len(m.To) == 0
	if len(to) == 0 && len(m.To) == 0 {
		to = t.Roster
	}
	t.Asked = union(t.Asked, to...)
	t.questions = append(t.questions, question{ids: []ID{m.ID}, id: m.ID, subject: m.Subject, round: t.round, to: to})
}

// IsSign reports whether a subject's prefix marks a sign of life rather than content.
func IsSign(subject string) bool {
	return slices.Contains([]string{"ACK", "CLAIM", "INFO", "BLOCKED", "QUESTION", "HANDOFF"}, PrefixOf(subject))
}

// PrefixOf returns the word before the colon of a subject, in capitals and without a tag:
// DELTA[gpt] is DELTA. The prefix of a reply is RE.
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

// Key identifies a message across servers as well as possible: a server that lost its mail counts
// from 1 again. It uses whole seconds, since listings may round times.
func (m *Message) Key() string {
	return string(m.ID) + "@" + m.Created.UTC().Truncate(time.Second).Format(time.RFC3339)
}

// Phase is the phase of a session as its thread shows it.
type Phase string

// Phases of a session.
const (
	NotStarted        Phase = "not_started"
	AwaitingResponses Phase = "awaiting_responses"
	PartiallyComplete Phase = "partially_complete"
	AwaitingCompiling Phase = "awaiting_compilation"
	CompiledPhase     Phase = "compiled"
	InCritique        Phase = "in_critique"
	Closed            Phase = "closed"
)

// Progress is the progress of a session as its thread shows it.
type Progress struct {
	Phase Phase
	// Agents asked, acknowledging and answering in the newest round.
	Asked, Acked, Answered []string
	AskedAt                time.Time // of its last KICKOFF
	Compiled               int       // number of published versions
}

// Read returns the progress of a session from its thread, oldest message first. The first rule
// that matches decides. A new KICKOFF ends the phases closed, in_critique and compiled.
//
//	no KICKOFF yet                                    not_started
//	closed                                            closed
//	criticised since the last publication             in_critique
//	published                                         compiled
//	no answer yet                                     awaiting_responses
//	some have answered                                partially_complete
//	all have answered                                 awaiting_compilation
func Read(thread []Message) Progress {
	p := Progress{Phase: NotStarted}
	var t Thread
	round, published := 0, ""
	var phase Phase // what ended the round; empty while it is open
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
			if phase = CompiledPhase; m.Subject != published { // each reader gets its own copy
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
	if phase == "" && round > 0 {
		p.Phase = p.open()
	} else if phase == "" {
		p.Phase = NotStarted
	}
	return p
}

// open returns the phase of a round that has not ended.
func (p *Progress) open() Phase {
	switch {
	case len(p.Answered) == 0:
		return AwaitingResponses
	case len(p.Answered) < len(p.Asked):
		return PartiallyComplete
	}
	return AwaitingCompiling
}
