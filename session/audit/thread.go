package audit

import (
	"cmp"
	"slices"

	"brenner/artifact"
	"brenner/mail"
	"brenner/session/letters"
)

// Thread is the progress of a session according to its mail thread alone.
type Thread struct {
	Server   string            `json:"server"`
	Phase    mail.Phase        `json:"phase,omitempty"`
	Agents   []ThreadAgent     `json:"agents"`
	Compiled int               `json:"compiled"` // number of published versions
	Messages int               `json:"messages"`
	Own      int               `json:"own,omitzero"`      // of these sent by the session or its operator, which are listed only if they have changes
	Names    map[string]string `json:"names,omitempty"`   // agents with other names on the server
	Problem  string            `json:"problem,omitempty"` // why the thread could not be read
	Waiting  bool              `json:"waiting,omitzero"`  // messages of agents are not merged yet
	// Letters are the messages that the journal does not have: not read yet, or not to be read.
	Letters []letters.Row `json:"-"`
	// Acks says who acknowledged the messages that ask for it, as the server reports. NoAcks means that it reports nothing.
	Acks   []mail.Ack `json:"acknowledgements,omitempty"`
	NoAcks bool       `json:"no_acknowledgements,omitzero"`
}

// ThreadAgent is an agent's progress in the newest round.
type ThreadAgent struct {
	Name         string `json:"name"`
	Acknowledged bool   `json:"acknowledged"`
	Answered     bool   `json:"answered"`
	Asked        string `json:"asked_at"`
}

// ReadThread returns the progress according to the messages of a thread.
func ReadThread(server string, all []mail.Message) *Thread {
	p := mail.Read(all)
	t := &Thread{Server: server, Phase: p.Phase, Compiled: p.Compiled, Agents: []ThreadAgent{}}
	for i := range all {
		if all[i].ID != "" { // else not a message
			t.Messages++
		}
	}
	for _, name := range p.Asked {
		t.Agents = append(t.Agents, ThreadAgent{
			Name: name, Acknowledged: slices.Contains(p.Acked, name), Answered: slices.Contains(p.Answered, name),
			Asked: artifact.FormatInstant(p.AskedAt),
		})
	}
	return t
}

// SetAcks sets the acknowledgements that the server reports. That of an agent's newest question counts.
func (t *Thread) SetAcks(all []mail.Message, acks []mail.Ack, known bool) {
	t.Acks, t.NoAcks = acks, !known || len(acks) == 0 && len(t.Agents) > 0
	asks := make(map[mail.ID]bool)
	for i := range all {
		asks[all[i].ID] = mail.PrefixOf(all[i].Subject) == "KICKOFF"
	}
	for i := range t.Agents {
		a, acked := &t.Agents[i], false
		for _, ack := range acks {
			if ack.Agent == a.Name && asks[ack.Message] {
				acked = ack.Acked
			}
		}
		a.Acknowledged = a.Acknowledged || acked
	}
}

// Count counts the letters that were read as answers, whatever their subjects say. Names maps agents to
// their names on the server.
func (t *Thread) Count(rows []letters.Row, names map[string]string) {
	for i := range t.Agents {
		a := &t.Agents[i]
		its := func(r letters.Row) bool {
			return r.TookPart() && cmp.Or(names[r.Agent], r.Agent) == a.Name && r.At >= a.Asked
		}
		a.Answered = a.Answered || slices.ContainsFunc(rows, its)
	}
}

// SetLetters keeps the messages that are not merged yet, of a session without an open round, and those of which something is not
// read that may have changes.
func (t *Thread) SetLetters(rows []letters.Row, open bool) {
	for i := range rows {
		if rows[i].Outcome == letters.Own {
			t.Own++
		}
		switch r := &rows[i]; r.Outcome {
		case letters.Waiting:
			r.New = false // nothing has read it
			if !open {
				t.Waiting, t.Letters = true, append(t.Letters, *r)
			}
		case letters.Stranger, letters.Nameless:
			t.Letters = append(t.Letters, *r)
		default:
			if len(r.Refusals) > 0 {
				t.Letters = append(t.Letters, *r)
			}
		}
	}
}

// AddThread adds the messages of the thread that the journal does not have, and what to do about mail.
func (s *Summary) AddThread(t *Thread, unsent bool) {
	for i := range t.Letters {
		r := &t.Letters[i]
		at := slices.IndexFunc(s.Letters, func(l letters.Row) bool { return l.ID == r.ID })
		if at < 0 {
			s.Letters = append(s.Letters, *r)
		} else {
			s.Letters[at].Refusals = append(s.Letters[at].Refusals, r.Refusals...)
		}
	}
	s.NextOfMail(t.Waiting, unsent)
}
