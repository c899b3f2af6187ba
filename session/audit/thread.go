package audit

import (
	"cmp"
	"slices"

	"brenner/artifact"
	"brenner/mail"
	"brenner/session"
)

// Thread is the progress of a session according to its mail thread alone.
type Thread struct {
	Server   string            `json:"server"`
	Phase    mail.Phase        `json:"phase,omitempty"`
	Agents   []ThreadAgent     `json:"agents"`
	Compiled int               `json:"compiled"` // number of published versions
	Messages int               `json:"messages"`
	Names    map[string]string `json:"names,omitempty"`   // agents with other names on the server
	Problem  string            `json:"problem,omitempty"` // why the thread could not be read
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
	t := &Thread{Server: server, Phase: p.Phase, Compiled: p.Compiled, Messages: len(all), Agents: []ThreadAgent{}}
	for _, name := range p.Asked {
		t.Agents = append(t.Agents, ThreadAgent{
			Name: name, Acknowledged: slices.Contains(p.Acked, name), Answered: slices.Contains(p.Answered, name),
			Asked: artifact.FormatInstant(p.AskedAt),
		})
	}
	return t
}

// Count counts the letters that were read as answers, whatever their subjects say. Names maps agents to
// their names on the server.
func (t *Thread) Count(letters []session.LetterRow, names map[string]string) {
	for i := range t.Agents {
		a := &t.Agents[i]
		its := func(r session.LetterRow) bool {
			return r.TookPart() && cmp.Or(names[r.Agent], r.Agent) == a.Name && r.At >= a.Asked
		}
		a.Answered = a.Answered || slices.ContainsFunc(letters, its)
	}
}
