package mail

import "time"

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
