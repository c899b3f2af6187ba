package mail

// Cursor is how far a reader of its own has come in a thread. Servers may mark
// mail as read, give it in any order, and count it in any way: what was taken is
// what counts. Its zero value is the beginning.
type Cursor struct {
	Last ID          `json:"last"` // the newest message that was taken
	Seen map[ID]bool `json:"seen"`
}

// Take gives the messages that were not taken before, in their order, and takes them.
func (c *Cursor) Take(messages []Message) []Message {
	var fresh []Message
	for _, m := range messages {
		if c.Seen[m.ID] {
			continue
		}
		if c.Seen == nil {
			c.Seen = make(map[ID]bool)
		}
		c.Seen[m.ID], c.Last = true, m.ID
		fresh = append(fresh, m)
	}
	return fresh
}
