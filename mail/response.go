package mail

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/pattern"
	"brenner/internal/secret"
	"brenner/internal/text"
)

// toolResult is MCP's envelope for the response of a tool.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (c *Client) call(ctx context.Context, tool string, arguments map[string]any, into any) error {
	return c.callLong(ctx, 0, tool, arguments, into)
}

// callLong is call for a tool that may take longer than the client's timeout by extra.
func (c *Client) callLong(ctx context.Context, extra time.Duration, tool string, arguments map[string]any, into any) error {
	var r toolResult
	if err := c.rpc(ctx, extra, "tools/call", map[string]any{"name": tool, "arguments": arguments}, &r); err != nil {
		return err
	}
	payload := r.payload()
	if refusal := errorIn(payload, r.IsError); refusal != nil {
		return c.refused(tool, refusal)
	}
	return c.decode(tool, payload, r.rest(), into)
}

// payload returns the response itself: the structured one, or the JSON in the first text.
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
		text, _ := json.Marshal(block.Text) // a string always marshals
		return text
	}
	return nil
}

// rest returns the other texts: some servers return a list as one text per element.
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

// errorIn returns the refusal in a response that is flagged as an error or has an error member.
func errorIn(payload json.RawMessage, flagged bool) *ServerError {
	var object struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(payload, &object) == nil && !absent(object.Error) {
		var text string
		refusal := &ServerError{}
		switch {
		case json.Unmarshal(object.Error, &text) == nil:
			if text == "" {
				break
			}
			return &ServerError{Message: text}
		case json.Unmarshal(object.Error, refusal) == nil && (refusal.Message != "" || refusal.Type != ""):
			return refusal
		case bytes.HasPrefix(bytes.TrimSpace(object.Error), []byte("{")):
			return &ServerError{Message: string(object.Error)}
		}
	}
	if !flagged {
		return nil
	}
	var text string
	if json.Unmarshal(payload, &text) != nil {
		text = string(payload)
	}
	return &ServerError{Message: text}
}

// decode reads a response that may be wrapped, bare, or missing if it is a list.
func (c *Client) decode(op string, payload json.RawMessage, rest []json.RawMessage, into any) error {
	list, wantsList := into.(*[]Message)
	payload = unwrap(payload, wantsList)
	if !wantsList {
		if into == nil {
			return nil
		}
		if absent(payload) {
			return c.garbled(op, "empty response", nil)
		}
		if err := json.Unmarshal(payload, into); err != nil {
			return c.garbled(op, "unexpected response", payload)
		}
		return nil
	}
	if absent(payload) {
		*list = nil
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(payload), []byte("{")) { // one text per element
		payload, _ = json.Marshal(append([]json.RawMessage{payload}, rest...)) // each is valid
	}
	var filed []struct {
		Message
		Project ID `json:"project_id"`
	}
	if err := json.Unmarshal(payload, &filed); err != nil {
		return c.garbled(op, "unexpected list", payload)
	}
	*list = make([]Message, len(filed))
	for i := range filed {
		(*list)[i] = filed[i].Message
		(*list)[i].project = filed[i].Project
	}
	return nil
}

// unwrap returns the response inside {"result": …} or inside the member that holds a list.
func unwrap(payload json.RawMessage, list bool) json.RawMessage {
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

// stream reads events until the response to the request; other messages (progress, logs) are ignored.
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
			if reply, mine := parseReply([]byte(data.String()), id); mine {
				return c.result(method, reply)
			}
			data.Reset()
		}
		if err == nil {
			continue
		}
		if reply, mine := parseReply([]byte(data.String()), id); mine { // the last event needs no empty line after it
			return c.result(method, reply)
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("stream ended before the response")
		}
		return nil, c.noResponse(ctx, method, err)
	}
}

// ServerError is a server's refusal in its own wording.
type ServerError struct {
	Type    string          `json:"type"`
	Message string          `json:"message"`
	Hint    string          `json:"hint"`
	Data    json.RawMessage `json:"data"`
}

func (s *ServerError) Error() string { return "server error: " + text.Clip(s.Message, maxShown) }

func (c *Client) refused(op string, s *ServerError) error {
	s.Message, s.Type, s.Hint = c.mask(s.Message), c.mask(s.Type), c.mask(s.Hint)
	s.Data = json.RawMessage(c.mask(string(s.Data)))
	f := &fault.Error{Code: classify(s), Op: op, Place: c.url, Hint: s.Hint, Cause: s}
	if f.Hint == "" && f.Code == NoAuth {
		f.Hint = "set " + EnvToken + ", or register the agent again"
	}
	return f
}

// classify returns the code of a refusal: the one sent, or a guess from its text.
func classify(s *ServerError) fault.Code {
	if code := fault.Code(s.Type); isServerCode(code) {
		return code
	}
	low := strings.ToLower(s.Type + " " + s.Message)
	has := func(words ...string) bool { return text.HasAny(low, words...) }
	switch {
	case has("contact") && has("block", "polic", "request", "approv", "requir", "not allowed", "denied"):
		return Blocked
	case has("token", "unauthor", "credential") && has("invalid", "missing", "requir", "match", "wrong", "expired", "unauthor"):
		return NoAuth
	case has("already") && has("name", "agent", "regist", "taken"):
		return NameTaken
	case has("not found", "no such", "there is no", "unknown", "does not exist", "not registered"):
		return NotFound
	}
	return Refused
}

// httpStatus is an HTTP error status.
type httpStatus struct {
	status  int
	body    []byte
	shown   string
	session string // of the request
}

// MayPass reports whether a request may succeed later: no server responded, it was busy, or what arrived is not its response.
func MayPass(err error) bool { return fault.CodeOf(err) == Unreachable || lost(err) }

// Responded reports whether a server responded to the request, with an HTTP error.
func Responded(err error) bool {
	var s *httpStatus
	return errors.As(err, &s)
}

// lost reports whether a call may have been carried out although no valid response arrived.
func lost(err error) bool {
	code := fault.CodeOf(err)
	return code == Unsure || code == Garbled && !Responded(err)
}

func (s *httpStatus) Error() string { return fmt.Sprintf("HTTP %d: %s", s.status, s.shown) }

func (c *Client) refusedByHTTP(op, session string, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // whatever arrived is shown
	s := &httpStatus{status: resp.StatusCode, body: body, session: session}
	// Some servers put a JSON-RPC error into an HTTP one.
	var reply rpcReply
	if json.Unmarshal(body, &reply) == nil && reply.Error != nil && reply.Error.Message != "" && resp.StatusCode < 500 && resp.StatusCode != http.StatusNotFound {
		body = []byte(reply.Error.Message)
	}
	s.shown = c.shown(body)
	f := &fault.Error{Code: Garbled, Op: op, Place: c.url, Cause: s}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		f.Code, f.Hint = NoAuth, "set "+EnvToken+" to the server's token"
	case http.StatusForbidden:
		f.Code, f.Hint = NoAuth, "use a token that may write; if it is mcp-mail, start it with HTTP_RBAC_DEFAULT_ROLE=writer"
	case http.StatusRequestEntityTooLarge:
		f.Code, f.Hint = TooLarge, "send less, or split the text"
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		f.Code, f.Hint = Unreachable, "the server is busy; try again later"
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.Code = Unsure
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		f.Hint = "it redirects to " + c.shown([]byte(resp.Header.Get("Location"))) + ", which was not followed; if that is the server, set " + EnvBaseURL
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		f.Hint = "check the address and its path (" + EnvPath + "); the default is " + DefaultPath
	}
	return f
}

func (c *Client) garbled(op, detail string, body []byte) error {
	return &fault.Error{Code: Garbled, Op: op, Place: c.url, Detail: detail + ": " + c.shown(body), Hint: "is this an Agent Mail server?"}
}

// shown returns the beginning of a body for messages.
func (c *Client) shown(body []byte) string {
	masked := c.mask(string(bytes.ToValidUTF8(body, []byte("\ufffd"))))
	return fault.Shown(text.Clip(strings.TrimSpace(masked), maxShown))
}

// maxShown bounds quoted text in messages, in characters.
const maxShown = 400

func (c *Client) mask(text string) string {
	const shortest = 4
	tokens := secret.New(append(c.keys.all(), c.token), shortest)
	text = tokens.Replace(text, func(int) string { return "[token]" })
	return secretMember.ReplaceAllString(text, "${1}${2}[token]")
}

// secretMember matches JSON members that hold a secret, also in nested or truncated JSON. This
// covers tokens that the keyring does not hold.
var secretMember = pattern.New(`(?i)(\\*"[^"\\]*(?:token|secret|password|authorization|api[-_]?key)[^"\\]*\\*"\s*:\s*(?:\[\s*)?)` +
	`(?:(\\*")(?:\\+[^"\\]|[^"\\])+|[^"\\,}\]\[{\s]+)`)
