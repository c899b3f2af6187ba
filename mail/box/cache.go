package box

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"brenner/mail"
)

// messageCache caches recently read messages, which never change. It has two generations: when the
// young one is full, it replaces the old one.
type messageCache struct {
	mu         sync.Mutex
	young, old map[int64]mail.Message
	size       int // bytes of the young ones
}

const (
	cacheBytes    = 16 << 20 // of each generation
	largestCached = 64 << 10 // larger messages are read from the file each time
	messageBytes  = 600      // overhead of a message beside its text
)

func (c *messageCache) get(id int64) (mail.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.young[id]
	if !ok {
		if m, ok = c.old[id]; ok {
			c.put(id, &m)
		}
	}
	return m, ok
}

func (c *messageCache) keep(id int64, m *mail.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(id, m)
}

func (c *messageCache) put(id int64, m *mail.Message) {
	if len(m.Body) > largestCached {
		return
	}
	if c.young == nil || c.size > cacheBytes {
		c.young, c.old, c.size = make(map[int64]mail.Message), c.young, 0
	}
	c.young[id] = *m
	c.size += len(m.Body) + messageBytes
}

// messages returns messages by row, in that order, as a reader may see them, as far as they fit.
func (b *Box) messages(ctx context.Context, rows []int64, reader string, bodies bool) ([]mail.Message, error) {
	all := make([]mail.Message, len(rows))
	var missing []int64
	for i, row := range rows {
		m, ok := b.cache.get(row)
		if all[i] = m; !ok {
			missing = append(missing, row)
		}
	}
	if len(missing) > 0 {
		found, err := b.fetch(ctx, missing, bodies)
		if err != nil {
			return nil, err
		}
		for i, row := range rows {
			if m, ok := found[row]; ok && all[i].ID == "" {
				all[i] = m
			}
		}
	}
	var r budget
	for i := range all {
		if !bodies {
			all[i].Body = ""
		}
		if all[i].ID == "" || !r.fits(&all[i]) { // what was not fetched did not fit
			return all[:i], nil
		}
		all[i] = visibleTo(all[i], reader)
	}
	return all, nil
}

// fetch reads messages from the file, as far as they fit, and caches those with bodies.
func (b *Box) fetch(ctx context.Context, rows []int64, bodies bool) (map[int64]mail.Message, error) {
	numbers, _ := json.Marshal(rows) // numbers always marshal
	// CROSS JOIN keeps the order of the list; sorting would hold all the texts.
	all, _, err := readFitting(ctx, b, "", "SELECT "+messageColumns+body(bodies)+" FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value", string(numbers))
	found := make(map[int64]mail.Message, len(all))
	for i := range all {
		id, _ := all[i].ID.Number()
		found[id] = all[i]
		if bodies {
			b.cache.keep(id, &all[i])
		}
	}
	return found, err
}

// visibleTo returns a message as a reader sees it: of the BCC recipients only the reader, unless it is
// the sender. The empty reader sees everything.
func visibleTo(m mail.Message, reader string) mail.Message {
	if reader == "" || strings.EqualFold(m.From, reader) {
		return m
	}
	is := func(name string) bool { return strings.EqualFold(name, reader) }
	switch {
	case slices.ContainsFunc(m.To, is):
	case slices.ContainsFunc(m.CC, is):
		m.Kind = "cc"
	default:
		m.Kind = "bcc"
	}
	if len(m.BCC) > 0 {
		m.BCC = slices.DeleteFunc(slices.Clone(m.BCC), func(name string) bool { return !is(name) })
	}
	return m
}
