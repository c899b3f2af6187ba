package mail

import "context"

// Call calls a tool without any check.
func (c *Client) Call(ctx context.Context, tool string, arguments map[string]any) error {
	return c.call(ctx, tool, arguments, nil)
}

// ReadAtMost limits the bytes read of a thread.
func (c *Client) ReadAtMost(n int) { c.maxThreadBytes = n }
