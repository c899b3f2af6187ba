package mail

// ReadAtMost limits the bytes read of a thread.
func (c *Client) ReadAtMost(n int) { c.maxThreadBytes = n }
