package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/mail"
)

type tool struct {
	name, description string
	arguments         []argument
	readOnly          bool
	idempotent        bool
	do                func(context.Context, *call) (any, error)
}

type argument struct {
	name, kind, description string
	required                bool
}

type call struct {
	*arguments
	server *Server
	who    *caller
}

// definition returns the tool as clients see it. The schema omits additionalProperties: clients send
// extra arguments. With both hints a client may call the tool without asking its user.
func (t tool) definition() *mcp.Tool {
	properties := make(map[string]any)
	required := []string{}
	for _, a := range t.arguments {
		property := map[string]any{"type": a.kind, "description": a.description}
		if a.kind == "array" {
			property["items"] = map[string]any{"type": "string"}
		}
		properties[a.name] = property
		if a.required {
			required = append(required, a.name)
		}
	}
	no := false
	return &mcp.Tool{
		Name: t.name, Description: t.description,
		InputSchema: map[string]any{"type": "object", "properties": properties, "required": required},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, DestructiveHint: &no, OpenWorldHint: &no, IdempotentHint: t.readOnly || t.idempotent},
	}
}

func (s *Server) handlerOf(t tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		who, err := s.callerOf(ctx, r.GetExtra())
		if err != nil {
			return failed(nil, err), nil
		}
		ctx, cancel := untilDisconnect(ctx)
		defer cancel()
		result, err := t.do(ctx, &call{arguments: readArguments(r.Params.Arguments), server: s, who: who})
		if err != nil {
			return failed(who, err), nil
		}
		return success(result)
	}
}

// callerOf returns the caller that the gate identified, or identifies it by its header.
func (s *Server) callerOf(ctx context.Context, extra *mcp.RequestExtra) (*caller, error) {
	if in, ok := ctx.Value(callerKey{}).(*admittedRequest); ok {
		return in.who, nil
	}
	if extra == nil || extra.Header == nil {
		return nil, &fault.Error{Code: mail.NoAuth, Cause: errNoCaller}
	}
	return s.caller(ctx, extra.Header.Get("Authorization"))
}

// untilDisconnect returns a context that ends when the client disconnects.
func untilDisconnect(ctx context.Context) (context.Context, context.CancelFunc) {
	in, ok := ctx.Value(callerKey{}).(*admittedRequest)
	ctx, cancel := context.WithCancel(ctx)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(in.request, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// success returns a result as structured content and as text. A list is wrapped in an object.
func success(result any) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	structured := json.RawMessage(text)
	if len(text) > 0 && text[0] == '[' {
		if structured, err = json.Marshal(map[string]json.RawMessage{"result": text}); err != nil {
			return nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: structured}, nil
}

type refusal struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	} `json:"error"`
}

// refusalOf returns the refusal for an error. Internal faults are shown in full only to the
// operator; agents must not see file names.
func refusalOf(who *caller, err error) refusal {
	var r refusal
	code := fault.CodeOf(err)
	r.Error.Type, r.Error.Message, r.Error.Hint = string(code), err.Error(), fault.HintOf(err)
	if r.Error.Type == "" {
		r.Error.Type = string(mail.Refused)
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		r.Error.Message = "stopped; nothing was done"
	case !strings.HasPrefix(string(code), "MAIL_") && (who == nil || !who.operator):
		r.Error.Message, r.Error.Hint = "the mailbox is not available", "tell the operator of the server, and try again later"
	}
	return r
}

func failed(who *caller, err error) *mcp.CallToolResult {
	r := refusalOf(who, err)
	text, _ := json.Marshal(r) // strings always marshal
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: r}
}

var (
	projectKey = argument{"project_key", "string", "the absolute path of the project's directory, or its slug", true}
	agentName  = argument{"agent_name", "string", "the agent's name", true}
	messageID  = argument{"message_id", "integer", "the message's id", true}
	proof      = argument{"registration_token", "string", "the agent's token, if it is not the bearer token", false}
	senderName = argument{"sender_name", "string", "your name", true}
	senderKey  = argument{"sender_token", "string", "your token, if it is not the bearer token", false}
	onceKey    = argument{"idempotency_key", "string", "sending again with the same key returns the same message: use it to retry when you got no response", false}
	bodyText   = argument{"body_md", "string", "the text, in Markdown", true}
	paths      = argument{"paths", "array", "paths or patterns, relative to the project", false}
	ttl        = argument{"ttl_seconds", "integer", "duration in seconds; default 3600", false}
	program    = argument{"program", "string", "your program, such as codex-cli", true}
	model      = argument{"model", "string", "your model", true}
	task       = argument{"task_description", "string", "what you work on", false}
)

func recipients(required bool) []argument {
	return []argument{
		{"to", "array", "names of agents", required},
		{"cc", "array", "names of agents that get a copy", false},
		{"bcc", "array", "names of agents that get a hidden copy", false},
	}
}

func with(first []argument, more ...argument) []argument { return append(first, more...) }

func tools() []tool {
	return []tool{
		{name: "health_check", description: "Report whether the server works.", readOnly: true, do: health},
		{
			name: "ensure_project", description: "Create the mail of a project if it does not exist.", idempotent: true, do: ensureProject,
			arguments: []argument{{"human_key", "string", "the absolute path of the project's directory", true}},
		},
		{
			name: "register_agent", description: "Register yourself. The response to a new name has your registration_token: keep it.", idempotent: true, do: register,
			arguments: []argument{projectKey, program, model, {"name", "string", "the name that you want, such as BlueLake; default: a random one", false}, task, proof},
		},
		{name: "whois", description: "Describe an agent.", readOnly: true, do: whois, arguments: []argument{projectKey, agentName}},
		{
			name: "send_message", description: "Send a message to agents of the project. It is delivered to all of them or to none.", do: sendMessage,
			arguments: with([]argument{projectKey, senderName}, with(recipients(true),
				argument{"subject", "string", "PREFIX: text", true}, bodyText,
				argument{"thread_id", "string", "its thread; default: a new one", false},
				argument{"importance", "string", "low, normal, high or urgent", false},
				argument{"ack_required", "boolean", "whether the recipients must acknowledge it", false}, senderKey, onceKey)...),
		},
		{
			name: "reply_message", description: "Reply to a message in its thread; to its sender unless `to` is set.", do: replyMessage,
			arguments: with([]argument{projectKey, messageID, senderName, bodyText}, with(recipients(false),
				argument{"subject_prefix", "string", "prefix for the subject; default Re:", false}, senderKey, onceKey)...),
		},
		{
			name: "fetch_inbox", description: "Show the messages sent to you, newest first. It marks nothing as read unless mark_read is set.", idempotent: true, do: fetchInbox,
			arguments: []argument{
				projectKey, agentName,
				{"limit", "integer", "how many; default 20", false},
				{"urgent_only", "boolean", "only high and urgent messages", false},
				{"unread_only", "boolean", "only unread messages", false},
				{"include_bodies", "boolean", "with their bodies; default true", false},
				{"since_ts", "string", "only messages after this time", false},
				{"after_id", "integer", "only messages after this one, oldest first; 0 starts at the beginning", false},
				{"thread_id", "string", "only messages of this thread", false},
				{"mark_read", "boolean", "mark the messages as read", false},
				{"wait_seconds", "integer", "wait up to this long, at most 50, until there is a message", false},
				proof,
			},
		},
		{name: "mark_message_read", description: "Mark a message of your inbox as read.", idempotent: true, do: markRead, arguments: []argument{projectKey, agentName, messageID, proof}},
		{name: "acknowledge_message", description: "Acknowledge a message of your inbox.", idempotent: true, do: acknowledge, arguments: []argument{projectKey, agentName, messageID, proof}},
		{
			name: "search_messages", description: `Search your messages: words, "phrases", OR between them, * at the end of a word.`, readOnly: true, do: search,
			arguments: []argument{projectKey, {"query", "string", "what to search for", true}, {"limit", "integer", "how many; default 20", false}},
		},
		{
			name: "summarize_thread", description: "List the senders and the open items of a thread.", readOnly: true, do: summarize,
			arguments: []argument{projectKey, {"thread_id", "string", "the thread", true}, {"include_examples", "boolean", "include its last messages", false}},
		},
		{
			name: "set_contact_policy", description: "Set who may write to you: open, auto, contacts_only or block_all.", idempotent: true, do: setPolicy,
			arguments: []argument{projectKey, agentName, {"policy", "string", "open, auto, contacts_only or block_all", true}, proof},
		},
		{
			name: "macro_start_session", description: "Create the project, register, and show the inbox: everything to start a session.", idempotent: true, do: startSession,
			arguments: []argument{
				{"human_key", "string", "the absolute path of the project's directory", true},
				program, model,
				{"agent_name", "string", "the name that you want", false},
				task,
				{"inbox_limit", "integer", "how many messages to show; default 10", false},
				proof,
			},
		},
		{
			name: "file_reservation_paths", description: "Reserve files that you are going to edit, and see who else has.", idempotent: true, do: reserve,
			arguments: []argument{projectKey, agentName, paths, ttl, {"exclusive", "boolean", "no other agent may edit them; default true", false}, {"reason", "string", "the reason", false}, proof},
		},
		{name: "release_file_reservations", description: "Release reservations of these paths, or all.", idempotent: true, do: release, arguments: []argument{projectKey, agentName, paths, proof}},
		{name: "renew_file_reservations", description: "Extend reservations of these paths, or all.", idempotent: true, do: renew, arguments: []argument{projectKey, agentName, paths, ttl, proof}},
	}
}

// arguments are the arguments of a call. They are parsed leniently: null counts as absent, unknown
// ones are ignored, a number may be a string. Errors are collected and reported together.
type arguments struct {
	values map[string]json.RawMessage
	wrong  fault.List
}

func readArguments(raw json.RawMessage) *arguments {
	a := &arguments{values: make(map[string]json.RawMessage)}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return a
	}
	if err := json.Unmarshal(raw, &a.values); err != nil {
		a.bad("arguments", "a JSON object")
	}
	for name, value := range a.values {
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			delete(a.values, name)
		}
	}
	return a
}

func (a *arguments) bad(name, want string) {
	a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s must be %s", name, want)
}

func (a *arguments) has(name string) bool { return a.values[name] != nil }

// text returns a string argument; a number is accepted, as a message id may be one.
func (a *arguments) text(name string) string {
	raw, ok := a.values[name]
	if !ok {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	a.bad(name, "a string")
	return ""
}

// need returns a required string argument.
func (a *arguments) need(name string) string {
	text := a.text(name)
	if strings.TrimSpace(text) == "" && (!a.has(name) || name != "body_md") {
		a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s is missing", name)
	}
	return text
}

// names returns a list of strings; a single string is a list of one.
func (a *arguments) names(name string) []string {
	raw, ok := a.values[name]
	if !ok {
		return nil
	}
	var all mail.Names
	if all.UnmarshalJSON(raw) != nil {
		a.bad(name, "a list of strings")
	}
	return all
}

func (a *arguments) number(name string) int {
	text := a.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e9 {
		a.bad(name, "a non-negative number")
		return 0
	}
	return int(n)
}

func (a *arguments) seconds(name string) time.Duration {
	return time.Duration(a.number(name)) * time.Second
}

func (a *arguments) flag(name string) bool { return a.flagOr(name, false) }

func (a *arguments) flagOr(name string, usual bool) bool {
	raw, ok := a.values[name]
	if !ok {
		return usual
	}
	value, err := strconv.ParseBool(strings.Trim(string(raw), `"`))
	if err != nil {
		a.bad(name, "true or false")
	}
	return value
}

func (a *arguments) instant(name string) time.Time {
	text := a.text(name)
	if text == "" {
		return time.Time{}
	}
	at, err := mail.ParseInstant(text)
	if err != nil {
		a.bad(name, "a time such as 2026-01-31T12:00:00Z")
	}
	return at.Time
}
