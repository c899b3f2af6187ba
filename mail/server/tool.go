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
	name, about string
	takes       []argument
	reads       bool // changes nothing
	repeats     bool // idempotent
	do          func(context.Context, *call) (any, error)
}

type argument struct {
	name, kind, about string
	needed            bool
}

type call struct {
	*arguments
	server *Server
	who    *caller
}

// described returns the tool as clients see it. The schema omits additionalProperties: clients send
// extra arguments. Both hints together let a client call the tool without asking its user.
func (t tool) described() *mcp.Tool {
	properties := make(map[string]any)
	required := []string{}
	for _, a := range t.takes {
		property := map[string]any{"type": a.kind, "description": a.about}
		if a.kind == "array" {
			property["items"] = map[string]any{"type": "string"}
		}
		properties[a.name] = property
		if a.needed {
			required = append(required, a.name)
		}
	}
	no := false
	return &mcp.Tool{
		Name: t.name, Description: t.about,
		InputSchema: map[string]any{"type": "object", "properties": properties, "required": required},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &no, OpenWorldHint: &no, IdempotentHint: t.reads || t.repeats},
	}
}

func (s *Server) answering(t tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		who, err := s.asking(ctx, r.GetExtra())
		if err != nil {
			return failed(nil, err), nil
		}
		ctx, cancel := whileThere(ctx)
		defer cancel()
		result, err := t.do(ctx, &call{arguments: readArguments(r.Params.Arguments), server: s, who: who})
		if err != nil {
			return failed(who, err), nil
		}
		return succeeded(result)
	}
}

// asking returns the caller that the gate identified.
func (s *Server) asking(ctx context.Context, extra *mcp.RequestExtra) (*caller, error) {
	if in, ok := ctx.Value(callerKey{}).(*admitted); ok {
		return in.who, nil
	}
	if extra == nil || extra.Header == nil {
		return nil, &fault.Error{Code: mail.NoAuth, Cause: errNoCaller}
	}
	return s.caller(ctx, extra.Header.Get("Authorization"))
}

// whileThere returns a context that ends when the client is gone.
func whileThere(ctx context.Context) (context.Context, context.CancelFunc) {
	in, ok := ctx.Value(callerKey{}).(*admitted)
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

// succeeded returns a result as a structure and as text. A list needs a member in the structure.
func succeeded(result any) (*mcp.CallToolResult, error) {
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
		r.Error.Message = "the call was stopped; nothing was done"
	case !strings.HasPrefix(string(code), "MAIL_") && (who == nil || !who.operator):
		r.Error.Message, r.Error.Hint = "the mailbox cannot be used now", "tell whoever runs the server, and try again later"
	}
	return r
}

func failed(who *caller, err error) *mcp.CallToolResult {
	r := refusalOf(who, err)
	text, _ := json.Marshal(r) // texts always marshal
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: r}
}

var (
	projectKey = argument{"project_key", "string", "the absolute path of the project's folder, or its slug", true}
	agentName  = argument{"agent_name", "string", "the agent's name", true}
	messageID  = argument{"message_id", "integer", "the message's id", true}
	proof      = argument{"registration_token", "string", "the agent's token, where it is not the bearer token", false}
	senderName = argument{"sender_name", "string", "your name", true}
	senderKey  = argument{"sender_token", "string", "your token, where it is not the bearer token", false}
	onceKey    = argument{"idempotency_key", "string", "the same key gives the same message: send with it again when you did not get an answer", false}
	bodyText   = argument{"body_md", "string", "the text, in Markdown", true}
	paths      = argument{"paths", "array", "paths or patterns, relative to the project", false}
	ttl        = argument{"ttl_seconds", "integer", "how long, in seconds; 3600 if left out", false}
	program    = argument{"program", "string", "the program that you are, such as codex-cli", true}
	model      = argument{"model", "string", "the model that you are", true}
	task       = argument{"task_description", "string", "what you work on", false}
)

func people(to bool) []argument {
	return []argument{
		{"to", "array", "names of agents", to},
		{"cc", "array", "names of agents who get a copy", false},
		{"bcc", "array", "names of agents who get a copy that the others do not see", false},
	}
}

func with(first []argument, more ...argument) []argument { return append(first, more...) }

func tools() []tool {
	return []tool{
		{name: "health_check", about: "Say whether the server works.", reads: true, do: health},
		{
			name: "ensure_project", about: "Make the mail of a project, if it is not there.", repeats: true, do: ensureProject,
			takes: []argument{{"human_key", "string", "the absolute path of the project's folder", true}},
		},
		{
			name: "register_agent", about: "Say who you are. The answer to a new name has your registration_token: keep it.", repeats: true, do: register,
			takes: []argument{projectKey, program, model, {"name", "string", "the name that you want, such as BlueLake; one is made up if left out", false}, task, proof},
		},
		{name: "whois", about: "Tell about an agent.", reads: true, do: whois, takes: []argument{projectKey, agentName}},
		{
			name: "send_message", about: "Send a message to agents of the project. It is delivered to all of them or to none.", do: sendMessage,
			takes: with([]argument{projectKey, senderName}, with(people(true),
				argument{"subject", "string", "PREFIX: text", true}, bodyText,
				argument{"thread_id", "string", "the thread that it belongs to; a new one if left out", false},
				argument{"importance", "string", "low, normal, high or urgent", false},
				argument{"ack_required", "boolean", "whether the recipients have to acknowledge it", false}, senderKey, onceKey)...),
		},
		{
			name: "reply_message", about: "Answer a message, in its thread; to its sender if `to` is left out.", do: replyMessage,
			takes: with([]argument{projectKey, messageID, senderName, bodyText}, with(people(false),
				argument{"subject_prefix", "string", "what stands before the subject of what is answered; Re: if left out", false}, senderKey, onceKey)...),
		},
		{
			name: "fetch_inbox", about: "Show what was sent to you, newest first. It marks nothing as read, unless mark_read says so.", repeats: true, do: fetchInbox,
			takes: []argument{
				projectKey, agentName,
				{"limit", "integer", "how many; 20 if left out", false},
				{"urgent_only", "boolean", "only high and urgent ones", false},
				{"unread_only", "boolean", "only what was not marked as read", false},
				{"include_bodies", "boolean", "with their texts; true if left out", false},
				{"since_ts", "string", "only what came after this time", false},
				{"after_id", "integer", "only what came behind this message, oldest first; 0 begins at the beginning", false},
				{"thread_id", "string", "only of this thread", false},
				{"mark_read", "boolean", "mark what is shown as read", false},
				{"wait_seconds", "integer", "wait so long, 50 at most, until there is something to show", false},
				proof,
			},
		},
		{name: "mark_message_read", about: "Mark a message of your inbox as read.", repeats: true, do: markRead, takes: []argument{projectKey, agentName, messageID, proof}},
		{name: "acknowledge_message", about: "Acknowledge a message of your inbox.", repeats: true, do: acknowledge, takes: []argument{projectKey, agentName, messageID, proof}},
		{
			name: "search_messages", about: `Find messages of yours: words, "phrases", OR between them, * at the end of a word.`, reads: true, do: search,
			takes: []argument{projectKey, {"query", "string", "what to look for", true}, {"limit", "integer", "how many; 20 if left out", false}},
		},
		{
			name: "summarize_thread", about: "Say who writes in a thread, and what is open in it.", reads: true, do: summarize,
			takes: []argument{projectKey, {"thread_id", "string", "the thread", true}, {"include_examples", "boolean", "with its last messages", false}},
		},
		{
			name: "set_contact_policy", about: "Say who may write to you: open, auto, contacts_only or block_all.", repeats: true, do: setPolicy,
			takes: []argument{projectKey, agentName, {"policy", "string", "open, auto, contacts_only or block_all", true}, proof},
		},
		{
			name: "macro_start_session", about: "Make the project, register, and show the inbox: all that a session begins with.", repeats: true, do: startSession,
			takes: []argument{
				{"human_key", "string", "the absolute path of the project's folder", true},
				program, model,
				{"agent_name", "string", "the name that you want", false},
				task,
				{"inbox_limit", "integer", "how many messages to show; 10 if left out", false},
				proof,
			},
		},
		{
			name: "file_reservation_paths", about: "Say that you are going to edit files, and learn who else is.", repeats: true, do: reserve,
			takes: []argument{projectKey, agentName, paths, ttl, {"exclusive", "boolean", "nobody else may edit them; true if left out", false}, {"reason", "string", "what for", false}, proof},
		},
		{name: "release_file_reservations", about: "Give up reservations: of these paths, or all.", repeats: true, do: release, takes: []argument{projectKey, agentName, paths, proof}},
		{name: "renew_file_reservations", about: "Make reservations last longer: of these paths, or all.", repeats: true, do: renew, takes: []argument{projectKey, agentName, paths, ttl, proof}},
	}
}

// arguments are the arguments of a call. They are read leniently: null counts as absent, unknown
// ones are ignored, a number may be a text. Faults are collected and reported together.
type arguments struct {
	given map[string]json.RawMessage
	wrong fault.List
}

func readArguments(raw json.RawMessage) *arguments {
	a := &arguments{given: make(map[string]json.RawMessage)}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return a
	}
	if err := json.Unmarshal(raw, &a.given); err != nil {
		a.bad("arguments", "a JSON object")
	}
	for name, value := range a.given {
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			delete(a.given, name)
		}
	}
	return a
}

func (a *arguments) bad(name, want string) {
	a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s must be %s", name, want)
}

func (a *arguments) has(name string) bool { return a.given[name] != nil }

// text returns a text argument; a number counts as text, as a message id may be one.
func (a *arguments) text(name string) string {
	raw, ok := a.given[name]
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
	a.bad(name, "a text")
	return ""
}

// need returns a text argument that is required.
func (a *arguments) need(name string) string {
	text := a.text(name)
	if strings.TrimSpace(text) == "" && (!a.has(name) || name != "body_md") {
		a.wrong.Add(mail.Invalid, "", "see the tool's schema", "%s is missing", name)
	}
	return text
}

// names returns a list of texts; a single text is a list of one.
func (a *arguments) names(name string) []string {
	raw, ok := a.given[name]
	if !ok {
		return nil
	}
	var all mail.Names
	if all.UnmarshalJSON(raw) != nil {
		a.bad(name, "a list of texts")
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
		a.bad(name, "a number from 0 on")
		return 0
	}
	return int(n)
}

func (a *arguments) seconds(name string) time.Duration {
	return time.Duration(a.number(name)) * time.Second
}

func (a *arguments) flag(name string) bool { return a.flagOr(name, false) }

func (a *arguments) flagOr(name string, usual bool) bool {
	raw, ok := a.given[name]
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
