package session

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/session/flow"
	"brenner/store/record"
)

// words is one wording of a session's records. Verify compares stored records literally, and the
// journal does not contain their wording. So the wordings of all programs that wrote records are
// kept; any other text was altered.
type words struct {
	roster  func(*flow.Opened) string
	kickoff func(*flow.Planned, *flow.Kickoff) string
	answer  func(*flow.Call) string
	letter  func(*flow.Letter) string
	about   func(place, thread string) string // subject of a stalemate
	stuck   func(m *flow.Stalemated, about string) string
	ruled   func(m *flow.Stalemated, about string) string
	version func(*artifact.Artifact) string
	change  func(*flow.Committed) string
}

// wordings returns all wordings, newest first: records are written in that one and verified against
// any. To reword records, put a copy with the new texts in front and leave the others unchanged.
func wordings() []words { return []words{firstWords()} }

// firstWords is frozen, with all that it calls.
func firstWords() words {
	return words{
		roster: func(o *flow.Opened) string {
			names := make([]string, len(o.Agents))
			for i, p := range o.Agents {
				names[i] = p.Name
			}
			return "who takes part in " + o.Thread + ": " + strings.Join(names, ", ")
		},
		kickoff: func(p *flow.Planned, k *flow.Kickoff) string {
			return fmt.Sprintf("to %s, round %d: %s", k.Agent, p.Round, k.Subject)
		},
		answer: func(c *flow.Call) string { return fmt.Sprintf("of %s, round %d (%s)", c.Agent, c.Round, c.Turn) },
		letter: func(l *flow.Letter) string { return fmt.Sprintf("of %s, a letter: %s", l.Agent, l.Subject) },
		about:  func(place, thread string) string { return record.Extract([]byte(place + " of " + thread)) },
		stuck: func(m *flow.Stalemated, about string) string {
			return about + " is stuck (" + m.Kind + "): a ruling is needed"
		},
		ruled:   func(m *flow.Stalemated, about string) string { return m.By + " ruled on " + about },
		version: summary,
		change:  changes,
	}
}

func changes(c *flow.Committed) string {
	text := fmt.Sprintf("%s: %d applied, %d rejected, %d in conflict", sourceText(c), c.Outcome.Applied, c.Outcome.Rejected, c.Outcome.Conflicts)
	for _, m := range c.Moved {
		text += "; " + m.String()
	}
	return text
}

func sourceText(c *flow.Committed) string {
	switch c.Source {
	case flow.ByRound:
		return "round " + itoa(c.Round)
	case flow.ByPerson:
		if c.Ruling != "" {
			return "ruling of " + c.Author + " in " + c.Ruling
		}
		return "deltas of " + c.Author
	case flow.ByThread:
		return "letters of the thread"
	default:
		return "the brief"
	}
}

func summary(a *artifact.Artifact) string {
	text := ""
	if t := a.Thread(); t != nil {
		text = t.Text("statement")
	}
	const longest = 120
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return fmt.Sprintf("%s (%d hypotheses, %d tests)", text, len(a.Active(artifact.HypothesisSlate)), len(a.Active(artifact.DiscriminativeTests)))
}
