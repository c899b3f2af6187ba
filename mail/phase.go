package mail

import (
	"strings"
	"time"
)

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

// Read derives the progress of a session from its thread, oldest message first. The
// rules, of which the first that fits decides:
//
//	no KICKOFF                                        not_started
//	INFO: closed… behind the last KICKOFF or COMPILED closed
//	CRITIQUE behind the last COMPILED, which is
//	behind the last KICKOFF                           in_critique
//	COMPILED behind the last KICKOFF                  compiled
//	nobody asked has answered                         awaiting_responses
//	some have answered                                partially_complete
//	all have answered                                 awaiting_compilation
//
// A round begins with the first KICKOFF behind an answer or a COMPILED. Who was asked
// has answered with DELTA, or with a reply to a KICKOFF that has no prefix of another
// meaning; an ACK, or a receipt, is an acknowledgement only.
func Read(thread []Message) Progress {
	p := Progress{Phase: NotStarted}
	asking := false
	published := ""
	var phase Phase // what COMPILED and later words say; empty where the round is open
	for i := range thread {
		m := &thread[i]
		switch prefix := PrefixOf(m.Subject); {
		case prefix == "KICKOFF":
			if !asking {
				p.Asked, p.Acked, p.Answered = nil, nil, nil
			}
			asking, phase = true, ""
			p.Asked, p.AskedAt = union(p.Asked, m.To...), m.Created.Time
			for _, r := range m.Receipts {
				if !r.Acked.IsZero() {
					p.Acked = union(p.Acked, r.Agent)
				}
			}
		case prefix == "COMPILED" && p.Asked != nil:
			if asking, phase = false, CompiledPhase; m.Subject != published { // each reader gets one of its own
				published = m.Subject
				p.Compiled++
			}
		case prefix == "CRITIQUE" && phase == CompiledPhase:
			phase = InCritique
		case prefix == "INFO" && p.Asked != nil && strings.HasPrefix(strings.ToLower(textOf(m.Subject)), "closed"):
			asking, phase = false, Closed
		case !has(p.Asked, m.From):
		case prefix == "ACK":
			p.Acked = union(p.Acked, m.From)
		case prefix == "DELTA" || prefix == "RE":
			asking = false
			p.Acked, p.Answered = union(p.Acked, m.From), union(p.Answered, m.From)
		}
	}
	if phase == "" {
		phase = p.open()
	}
	p.Phase = phase
	return p
}

// Rounds says for each message of a thread, oldest first, to which round it belongs,
// by the rule of Read; 0 is what came before the first KICKOFF.
func Rounds(thread []Message) []int {
	rounds := make([]int, len(thread))
	round, asking := 0, false
	for i := range thread {
		switch PrefixOf(thread[i].Subject) {
		case "KICKOFF":
			if !asking {
				round++
			}
			asking = true
		case "DELTA", "RE", "COMPILED":
			asking = false
		}
		rounds[i] = round
	}
	return rounds
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

// PrefixOf gives the word before the colon of a subject in capitals, without a tag:
// DELTA[gpt] is DELTA. A reply has that of what it replies to only if it is RE.
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
