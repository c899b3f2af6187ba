package mail

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// stream reads events until our answer comes; whatever else the server has to say
// (progress, logs) is not for us.
func (c *Client) stream(ctx context.Context, method string, id int64, body io.Reader) (json.RawMessage, error) {
	lines := bufio.NewReader(body)
	var data strings.Builder
	for {
		line, err := lines.ReadString('\n')
		text := strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(text, "data:"):
			if data.Len() > 0 {
				data.WriteByte('\n')
			}
			data.WriteString(strings.TrimPrefix(strings.TrimPrefix(text, "data:"), " "))
		case text == "" && data.Len() > 0:
			if reply, mine := answer([]byte(data.String()), id); mine {
				return c.result(method, reply)
			}
			data.Reset()
		}
		if err == nil {
			continue
		}
		if reply, mine := answer([]byte(data.String()), id); mine { // the last event needs no empty line behind it
			return c.result(method, reply)
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("the stream ended before the answer")
		}
		return nil, c.unanswered(ctx, method, err)
	}
}
