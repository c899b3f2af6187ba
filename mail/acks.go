package mail

import (
	"context"
	"slices"
	"strings"
)

// Ack says whether a recipient acknowledged a message that asks for it.
type Ack struct {
	Message ID     `json:"message_id"`
	Agent   string `json:"agent"`
	Acked   bool   `json:"acknowledged"`
}

// Acks returns who acknowledged which message of a thread, of those that ask for it: by the receipts or, without them, by the view of what
// an agent has not acknowledged. It returns false if the server has neither.
func (c *Client) Acks(ctx context.Context, project string, thread []Message) (acks []Ack, known bool) {
	receipts := slices.ContainsFunc(thread, func(m Message) bool { return len(m.Receipts) > 0 })
	waiting := make(map[string][]ID)
	for i := range thread {
		m := &thread[i]
		for _, name := range slices.Concat(m.To, m.CC) {
			if !m.AckRequired || strings.EqualFold(name, m.From) {
				continue
			}
			acked := m.Acked(name)
			if !receipts {
				ids, asked := waiting[name]
				if !asked {
					if ids, known = c.Unacknowledged(ctx, project, name); !known {
						return nil, false
					}
					waiting[name] = ids
				}
				acked = !slices.Contains(ids, m.ID)
			}
			acks = append(acks, Ack{m.ID, name, acked})
		}
	}
	return acks, true
}
