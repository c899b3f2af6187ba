package audit

import (
	"slices"

	"brenner/artifact"
	"brenner/mail"
)

// Thread is how far a session has come, by its thread of mail alone.
type Thread struct {
	Server   string            `json:"server"`
	Phase    mail.Phase        `json:"phase,omitempty"`
	Agents   []ThreadAgent     `json:"agents"`
	Compiled int               `json:"compiled"` // versions that were published
	Messages int               `json:"messages"`
	Names    map[string]string `json:"names,omitempty"`   // agents whom the server calls otherwise
	Problem  string            `json:"problem,omitempty"` // why the thread could not be read
}

// ThreadAgent is what one agent has done in the newest round.
type ThreadAgent struct {
	Name         string `json:"name"`
	Acknowledged bool   `json:"acknowledged"`
	Answered     bool   `json:"answered"`
	Asked        string `json:"asked_at"`
}

// ReadThread returns what the messages of a thread tell.
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
