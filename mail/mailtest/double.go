// Package mailtest provides Agent Mail servers for tests: the real one, with quirks of other servers.
package mailtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/server"
)

// Project is the project of the tests.
const Project = "/srv/cell-fate"

// Quirks are the peculiarities of a server; the zero value is the embedded server.
type Quirks struct {
	NoInitialize bool // does not support initialize
	Session      bool // requires its session id with every request
	Forgets      bool // loses the session once
	SSE          bool // responds with server-sent events
	NoStructure  bool // responds without structured content
	NoResources  bool
	// Plain refuses every argument that the contract does not name.
	Plain bool
	// Rename changes the names that agents ask for.
	Rename func(string) string
	// Tokens refuses calls for an agent without its token.
	Tokens bool
	// Errors is the form of refusals: "rpc", "text", "member", or the embedded server's.
	Errors string
	// Lists is the form of lists: "bare", "texts" (one per element), or the embedded server's.
	Lists string
	// Lose is the number of messages delivered without a response.
	Lose int
	// Refuse is the number of messages refused with HTTP 503.
	Refuse int
	// Reads marks fetched mail as read, unless mark_read is false.
	Reads bool
}

// Double is a server with quirks.
type Double struct {
	*httptest.Server
	counter
	Box    *box.Box
	inner  http.Handler
	mu     sync.Mutex
	quirks Quirks
	tokens map[string]string
	// forgets is how many more times the session is lost.
	forgets int
}

// New starts a server that ends with the test.
func New(tb testing.TB, q Quirks) *Double {
	tb.Helper()
	b, err := box.Open(context.Background(), tb.TempDir(), box.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := server.New(server.Options{Box: b})
	if err != nil {
		tb.Fatal(err)
	}
	d := &Double{Box: b, inner: s, quirks: q, tokens: make(map[string]string), forgets: 1}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	d.Server = serve(tb, d)
	return d
}

// Client returns a client of the server, whose transport ends with the test.
func (d *Double) Client(tb testing.TB, o mail.Options) *mail.Client {
	tb.Helper()
	o.URL = d.URL + "/mcp"
	return NewClient(tb, o)
}

// Reply answers a message in its thread, as an agent does.
func Reply(ctx context.Context, c *mail.Client, from string, to mail.ID, body string) (mail.Message, error) {
	s, err := c.Send(ctx, mail.Draft{Project: Project, From: from, ReplyTo: to, Body: body})
	if err != nil {
		return mail.Message{}, err
	}
	return s.Messages[0], nil
}

type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params,omitempty"`
}

func (r *request) tool() string {
	name, _ := r.Params["name"].(string)
	return name
}

func (r *request) arguments() map[string]any {
	a, _ := r.Params["arguments"].(map[string]any)
	return a
}

// ServeHTTP implements http.Handler.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var q request
	if json.Unmarshal(body, &q) != nil {
		http.Error(w, "invalid JSON", http.StatusBadRequest)
		return
	}
	d.count(&q)
	d.mu.Lock()
	quirks := d.quirks
	d.mu.Unlock()
	if d.intercept(w, r, &q, &quirks) {
		return
	}
	reply := d.ask(r, &q, &quirks)
	if q.tool() == "send_message" && d.once(&d.quirks.Lose) {
		panic(http.ErrAbortHandler) // done, but the response is lost
	}
	write(w, &quirks, reply)
}

// once decrements a count and reports whether it was positive.
func (d *Double) once(count *int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if *count <= 0 {
		return false
	}
	*count--
	return true
}

// intercept answers requests that do not reach the real server.
func (d *Double) intercept(w http.ResponseWriter, r *http.Request, q *request, quirks *Quirks) bool {
	switch {
	case q.Method == "initialize" && quirks.NoInitialize:
		write(w, quirks, rpcError(q, -32601, "Method not found"))
	case q.Method == "initialize" && quirks.Session:
		w.Header().Set("Mcp-Session-Id", "the session")
		write(w, quirks, result(q, map[string]any{"protocolVersion": "2025-03-26", "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "double", "version": "1"}}))
	case quirks.Session && r.Header.Get("Mcp-Session-Id") != "the session":
		http.Error(w, "Bad Request: Missing session ID", http.StatusBadRequest)
	case quirks.Forgets && q.Method == "tools/call" && d.once(&d.forgets):
		http.Error(w, "Session not found", http.StatusNotFound)
	case strings.HasPrefix(q.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case quirks.NoResources && strings.HasPrefix(q.Method, "resources/"):
		write(w, quirks, rpcError(q, -32601, "Method not found"))
	case q.tool() == "send_message" && d.once(&d.quirks.Refuse):
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	default:
		return false
	}
	return true
}

// ask calls the real server, and changes request and response by the quirks.
func (d *Double) ask(r *http.Request, q *request, quirks *Quirks) map[string]any {
	if reason := d.refuses(q, quirks); reason != "" {
		return failure(q, quirks, reason)
	}
	wanted, _ := q.arguments()["name"].(string)
	if q.tool() == "register_agent" && quirks.Rename != nil {
		q.arguments()["name"] = quirks.Rename(wanted)
	}
	if q.tool() == "fetch_inbox" && quirks.Reads && q.arguments()["mark_read"] != false {
		q.arguments()["mark_read"] = true
	}
	delete(q.arguments(), "sender_token")
	delete(q.arguments(), "registration_token")
	body, _ := json.Marshal(q) // it came as JSON
	inner := r.Clone(r.Context())
	inner.Body, inner.ContentLength, inner.Host = io.NopCloser(bytes.NewReader(body)), int64(len(body)), "localhost"
	inner.Header.Del("Mcp-Session-Id")
	inner.Header.Del("Authorization")
	recorder := httptest.NewRecorder()
	d.inner.ServeHTTP(recorder, inner)
	var reply map[string]any
	if json.Unmarshal(recorder.Body.Bytes(), &reply) != nil {
		return rpcError(q, -32603, recorder.Body.String())
	}
	d.rewrite(q, quirks, reply)
	return reply
}

// refuses returns why a server with these quirks refuses a call.
func (d *Double) refuses(q *request, quirks *Quirks) string {
	if q.Method != "tools/call" {
		return ""
	}
	if quirks.Plain {
		for name := range q.arguments() {
			if !slices.Contains(contract(), name) {
				return "1 validation error: unexpected keyword argument " + name
			}
		}
	}
	if !quirks.Tokens {
		return ""
	}
	for who, proof := range map[string]string{"sender_name": "sender_token", "agent_name": "registration_token"} {
		name, _ := q.arguments()[who].(string)
		d.mu.Lock()
		token := d.tokens[name]
		d.mu.Unlock()
		if token != "" && q.tool() != "whois" && q.tool() != "acknowledge_message" && q.arguments()[proof] != token {
			return "registration token required for " + name
		}
	}
	return ""
}

// contract returns the arguments that every server accepts.
func contract() []string {
	return strings.Fields(`human_key project_key program model name task_description agent_name sender_name to subject body_md cc bcc thread_id importance
		ack_required sender_token message_id limit urgent_only include_bodies since_ts registration_token query include_examples policy inbox_limit paths ttl_seconds exclusive reason`)
}

// rewrite changes a response by the quirks.
func (d *Double) rewrite(q *request, quirks *Quirks, reply map[string]any) {
	r, ok := reply["result"].(map[string]any)
	if !ok {
		return
	}
	if tools, ok := r["tools"].([]any); ok && quirks.Plain {
		narrow(tools)
	}
	structured, _ := r["structuredContent"].(map[string]any)
	if structured == nil {
		return
	}
	if q.tool() == "register_agent" {
		if name, ok := structured["name"].(string); ok {
			token, _ := structured["registration_token"].(string)
			d.mu.Lock()
			d.tokens[name] = token
			d.mu.Unlock()
		}
	}
	if r["isError"] == true {
		failed, _ := structured["error"].(map[string]any)
		text, _ := failed["message"].(string)
		if quirks.Errors != "" {
			clear(reply)
			maps.Copy(reply, failure(q, quirks, text))
		}
		return
	}
	list, isList := structured["result"].([]any)
	text := func(v any) map[string]any {
		data, _ := json.Marshal(v) // it came as JSON
		return map[string]any{"type": "text", "text": string(data)}
	}
	switch {
	case isList && quirks.Lists == "texts":
		delete(r, "structuredContent")
		content := []any{}
		for _, v := range list {
			content = append(content, text(v))
		}
		r["content"] = content
	case isList && quirks.Lists == "bare", quirks.NoStructure:
		delete(r, "structuredContent")
	}
}

// narrow removes arguments that the contract does not name from the tools' schemas.
func narrow(tools []any) {
	for _, t := range tools {
		properties := t.(map[string]any)["inputSchema"].(map[string]any)["properties"].(map[string]any)
		maps.DeleteFunc(properties, func(name string, _ any) bool { return !slices.Contains(contract(), name) })
	}
}

func result(q *request, value any) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": value}
}

func rpcError(q *request, code int, text string) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": map[string]any{"code": code, "message": text}}
}

func failure(q *request, quirks *Quirks, text string) map[string]any {
	content := []any{map[string]any{"type": "text", "text": text}}
	switch quirks.Errors {
	case "rpc":
		return rpcError(q, -32000, text)
	case "member":
		return result(q, map[string]any{"content": []any{}, "structuredContent": map[string]any{"error": map[string]any{"type": "REFUSED", "message": text}}})
	}
	return result(q, map[string]any{"isError": true, "content": content})
}

// write answers as JSON, or as events with another event before the response.
func write(w http.ResponseWriter, quirks *Quirks, reply map[string]any) {
	data, _ := json.Marshal(reply) // it came as JSON
	if !quirks.SSE {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, ": hello\r\n\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\r\n\r\n")
	_, _ = io.WriteString(w, "event: message\nid: 1\ndata: "+string(data[:1])+"\ndata: "+string(data[1:])+"\n\n")
}
