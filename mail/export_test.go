package mail

// ReadAtMost says how many bytes of a thread are read.
func (c *Client) ReadAtMost(n int) { c.most = n }
