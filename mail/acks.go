package mail

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// Ack says whether a recipient acknowledged a message that asks for it.
type Ack struct {
	Message ID     `json:"message_id"`
	Agent   string `json:"agent"`
	Acked   bool   `json:"acknowledged"`
}

// Unacked is what an agent has not acknowledged.
type Unacked struct {
	ids   []ID
	whole bool // nothing is left out
}

// Acked reports whether a message was acknowledged, if that is known.
func (u Unacked) Acked(id ID) (acked, known bool) {
	waits := slices.Contains(u.ids, id)
	return u.whole && !waits, u.whole || waits
}

// Unacknowledged returns what an agent has not acknowledged, if the server lists it. A server may list the newest ones only. A name that
// belongs to another project by now is an error.
func (c *Client) Unacknowledged(ctx context.Context, project, agent string) (u Unacked, err error) {
	const least = 20 // that servers list, whatever the limit
	v := url.Values{"project": {project}, "limit": {strconv.Itoa(MaxPage)}}
	var all []Message
	if err := c.resource(ctx, "resource://views/ack-required/"+url.PathEscape(agent)+"?"+v.Encode(), &all); err != nil {
		return u, err
	}
	for i := range all {
		u.ids = append(u.ids, all[i].ID)
	}
	u.whole = len(all) < least
	return u, c.CheckProject(ctx, project, agent)
}

// Acks returns who acknowledged which message of a thread, of those that ask for it: by the receipts or, without them, by the view of what
// an agent has not acknowledged. It leaves out those of which the server does not tell. It returns false if it has neither.
func (c *Client) Acks(ctx context.Context, project string, thread []Message) (acks []Ack, known bool) {
	receipts := slices.ContainsFunc(thread, func(m Message) bool { return len(m.Receipts) > 0 })
	waiting := make(map[string]Unacked)
	for i := range thread {
		m := &thread[i]
		for _, name := range slices.Concat(m.To, m.CC) {
			if !m.AckRequired || strings.EqualFold(name, m.From) {
				continue
			}
			acked, isKnown := m.Acked(name), true
			if !receipts {
				u, asked := waiting[name]
				if !asked {
					var err error
					if u, err = c.Unacknowledged(ctx, project, name); err != nil && fault.CodeOf(err) != OtherProject {
						return nil, false
					}
					u.whole = u.whole && err == nil
					waiting[name] = u
				}
				acked, isKnown = u.Acked(m.ID)
			}
			if isKnown {
				acks = append(acks, Ack{m.ID, name, acked})
			}
		}
	}
	return acks, true
}
