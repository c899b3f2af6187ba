package mail

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"brenner/internal/fault"
)

// protocol is the MCP version that the client offers; a server may choose an older one.
const protocol = "2025-06-18"

// maxResponseBytes bounds the size of a response; the rest is not read.
const maxResponseBytes = 64 << 20

// rpc makes a request and reads its result. It initializes the connection first, and again if the
// server has lost the session; servers without initialize work too. extra extends the timeout.
func (c *Client) rpc(ctx context.Context, extra time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout+max(extra, 0), errTimeout)
	defer cancel()
	if err := c.initialize(ctx); err != nil {
		return err
	}
	reply, err := c.post(ctx, method, params)
	if c.sessionLost(err) {
		if err := c.initialize(ctx); err != nil {
			return err
		}
		reply, err = c.post(ctx, method, params)
	}
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(reply, result); err != nil {
		return c.garbled(method, "unexpected response: "+err.Error(), reply)
	}
	return nil
}

var errTimeout = errors.New("timeout")

// sessionLost reports whether a request failed because the server has lost its session, and clears
// the session, unless another request has already replaced it. Such a request had no effect.
func (c *Client) sessionLost(err error) bool {
	var s *httpStatus
	if !errors.As(err, &s) || s.session == "" ||
		s.status != http.StatusNotFound && !(s.status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(s.body), []byte("session"))) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s.session {
		c.initialized, c.session = false, ""
	}
	return true
}

// initialize initializes the connection, once.
func (c *Client) initialize(ctx context.Context) error {
	c.initMu.Lock()
	defer c.initMu.Unlock()
	c.mu.Lock()
	initialized := c.initialized
	c.mu.Unlock()
	if initialized {
		return nil
	}
	reply, err := c.post(ctx, "initialize", map[string]any{
		"protocolVersion": protocol, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "brenner", "version": "1"},
	})
	var info struct {
		Version string `json:"protocolVersion"`
	}
	switch code := fault.CodeOf(err); {
	case err == nil && json.Unmarshal(reply, &info) == nil && info.Version != "":
		c.mu.Lock()
		c.version = info.Version
		c.mu.Unlock()
		if _, err := c.post(ctx, "notifications/initialized", nil); err != nil && ctx.Err() != nil {
			return err
		}
	case code == NoAuth, MayPass(err), err != nil && code == "":
		return err
	}
	c.mu.Lock()
	c.initialized = true
	c.mu.Unlock()
	return nil
}

func (c *Client) post(ctx context.Context, method string, params any) (json.RawMessage, error) {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	c.mu.Lock()
	c.last++
	id, session, version := c.last, c.session, c.version
	token := c.token
	if c.ownOnly && !c.asked {
		token = ""
	}
	c.mu.Unlock()
	notice := strings.HasPrefix(method, "notifications/")
	if !notice {
		message["id"] = id
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, &fault.Error{Code: Invalid, Op: method, Cause: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &fault.Error{Code: Invalid, Op: method, Cause: err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Mcp-Session-Id": session, "MCP-Protocol-Version": version} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.noResponse(ctx, method, err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written to it
	if s := resp.Header.Get("Mcp-Session-Id"); s != "" && method == "initialize" {
		c.mu.Lock()
		c.session = s
		c.mu.Unlock()
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		err := c.refusedByHTTP(method, session, resp)
		if token == "" && c.asksForOwn(err) {
			return c.post(ctx, method, params)
		}
		return nil, err
	}
	if notice {
		return nil, nil
	}
	return c.read(ctx, method, id, resp)
}

// asksForOwn reports whether a server refused a request without a token, as `brenner mail serve` does, and we have one for it.
func (c *Client) asksForOwn(err error) bool {
	var s *httpStatus
	if c.token == "" || !errors.As(err, &s) || s.status != http.StatusUnauthorized || !bytes.Contains(s.body, []byte("brenner mail")) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = true
	return true
}

// noResponse returns the error for a request without a response. It distinguishes an unreachable
// server from a lost response.
func (c *Client) noResponse(ctx context.Context, method string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return &fault.Error{
			Code: Unreachable, Op: method, Place: c.url, Detail: "no mail server", Cause: c.plain(err),
			Hint: HowToServe(c.url, c.flags...),
		}
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeout) {
		return &fault.Error{Code: Unsure, Op: method, Place: c.url, Detail: "stopped before a response arrived", Cause: ctx.Err()}
	}
	return &fault.Error{
		Code: Unsure, Op: method, Place: c.url, Detail: "the response was lost; the request may have been carried out", Cause: c.plain(err),
		Hint: "check whether it was carried out before you repeat it",
	}
}

// plain returns an error with secrets masked.
func (c *Client) plain(err error) error { return errors.New(c.mask(err.Error())) }

// read returns the result in a response of either form.
func (c *Client) read(ctx context.Context, method string, id int64, resp *http.Response) (json.RawMessage, error) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body := io.LimitReader(resp.Body, maxResponseBytes)
	if kind == "text/event-stream" {
		return c.stream(ctx, method, id, body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, c.noResponse(ctx, method, err)
	}
	reply, mine := parseReply(data, id)
	if !mine {
		return nil, c.garbled(method, fmt.Sprintf("HTTP %d without a valid response", resp.StatusCode), data)
	}
	return c.result(method, reply)
}

type rpcReply struct {
	ID     ID              `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// parseReply parses a message and reports whether it answers the request. An error needs no id.
func parseReply(data []byte, id int64) (rpcReply, bool) {
	var reply rpcReply
	if json.Unmarshal(data, &reply) != nil || reply.Result == nil && reply.Error == nil {
		return reply, false
	}
	return reply, reply.ID == Numbered(id) || reply.ID == "0" && id == 0 || reply.ID == "" && reply.Error != nil
}

func (c *Client) result(method string, reply rpcReply) (json.RawMessage, error) {
	if reply.Error == nil {
		return reply.Result, nil
	}
	refusal := &ServerError{Type: fmt.Sprint(reply.Error.Code), Message: reply.Error.Message, Data: reply.Error.Data}
	return nil, c.refused(method, refusal)
}
