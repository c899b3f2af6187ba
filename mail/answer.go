package mail

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// toolResult is what MCP wraps the answer of a tool in.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// call calls a tool and reads what it answers.
func (c *Client) call(ctx context.Context, tool string, arguments map[string]any, into any) error {
	return c.wait(ctx, 0, tool, arguments, into)
}

// wait is call for a tool that may take so long besides.
func (c *Client) wait(ctx context.Context, long time.Duration, tool string, arguments map[string]any, into any) error {
	var r toolResult
	if err := c.rpc(ctx, long, "tools/call", map[string]any{"name": tool, "arguments": arguments}, &r); err != nil {
		return err
	}
	payload := r.payload()
	if said := saidIn(payload, r.IsError); said != nil {
		return c.refused(tool, said)
	}
	return c.decode(tool, payload, r.rest(), into)
}

// payload is the answer itself: the structured one, or the JSON in the first text.
func (r *toolResult) payload() json.RawMessage {
	if !absent(r.Structured) {
		return r.Structured
	}
	for _, block := range r.Content {
		if block.Type != "text" {
			continue
		}
		if text := json.RawMessage(block.Text); json.Valid(text) {
			return text
		}
		text, _ := json.Marshal(block.Text) // a string can always be written
		return text
	}
	return nil
}

// rest are the other texts: some servers give a list as a text for each element.
func (r *toolResult) rest() []json.RawMessage {
	if !absent(r.Structured) || len(r.Content) < 2 {
		return nil
	}
	var all []json.RawMessage
	for _, block := range r.Content[1:] {
		if block.Type == "text" && json.Valid([]byte(block.Text)) {
			all = append(all, json.RawMessage(block.Text))
		}
	}
	return all
}

func absent(data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || bytes.Equal(data, []byte("null"))
}

// saidIn finds a refusal in an answer: as a flag, or as a member of the object.
func saidIn(payload json.RawMessage, flagged bool) *Said {
	var object struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(payload, &object) == nil && !absent(object.Error) {
		var text string
		said := &Said{}
		switch {
		case json.Unmarshal(object.Error, &text) == nil:
			if text == "" {
				break
			}
			return &Said{Message: text}
		case json.Unmarshal(object.Error, said) == nil && (said.Message != "" || said.Type != ""):
			return said
		case bytes.HasPrefix(bytes.TrimSpace(object.Error), []byte("{")):
			return &Said{Message: string(object.Error)}
		}
	}
	if !flagged {
		return nil
	}
	var text string
	if json.Unmarshal(payload, &text) != nil {
		text = string(payload)
	}
	return &Said{Message: text}
}

// decode reads an answer that may be wrapped, bare, or missing where it is a list.
func (c *Client) decode(op string, payload json.RawMessage, rest []json.RawMessage, into any) error {
	list, wantsList := into.(*[]Message)
	payload = unwrapped(payload, wantsList)
	if !wantsList {
		if into == nil {
			return nil
		}
		if absent(payload) {
			return c.garbled(op, "it answered with nothing", nil)
		}
		if err := json.Unmarshal(payload, into); err != nil {
			return c.garbled(op, "its answer has another form than it should", payload)
		}
		return nil
	}
	if absent(payload) {
		*list = nil
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(payload), []byte("{")) { // a text for each element
		payload, _ = json.Marshal(append([]json.RawMessage{payload}, rest...)) // each is valid
	}
	if err := json.Unmarshal(payload, list); err != nil {
		return c.garbled(op, "its list has another form than it should", payload)
	}
	return nil
}

// unwrapped takes an answer out of {"result": …} and, for lists, out of the member
// that holds them.
func unwrapped(payload json.RawMessage, list bool) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(payload, &object) != nil {
		return payload
	}
	if inner, ok := object["result"]; ok && (len(object) == 1 || list) {
		return inner
	}
	if !list {
		return payload
	}
	for _, name := range []string{"messages", "inbox", "items"} {
		if inner, ok := object[name]; ok {
			return inner
		}
	}
	return payload
}

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
