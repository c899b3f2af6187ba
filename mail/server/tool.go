package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/mail"
)

type call struct {
	*arguments
	server *Server
	who    *caller
}

func (s *Server) handlerOf(t tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		who, err := s.callerOf(ctx, r.GetExtra())
		if err != nil {
			return failed(nil, err), nil
		}
		ctx, cancel := untilDisconnect(ctx)
		defer cancel()
		a := readArguments(r.Params.Arguments)
		if err := a.refuseUnknown(t.arguments); err != nil {
			return failed(who, err), nil
		}
		result, err := t.do(ctx, &call{arguments: a, server: s, who: who})
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

// failed returns a refusal as text: structured content would have to match the tool's output schema.
func failed(who *caller, err error) *mcp.CallToolResult {
	text, _ := json.Marshal(refusalOf(who, err)) // strings always marshal
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// arguments are the arguments of a call. They are parsed leniently: null counts as absent, a number may
// be a string. Errors are collected and reported together.
type arguments struct {
	values map[string]json.RawMessage
	wrong  fault.List
	where  string // they are described; empty means in the tool's schema
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

// refuseUnknown refuses arguments that a tool does not have: a misspelt one would have no effect.
func (a *arguments) refuseUnknown(known []argument) error {
	delete(a.values, "wait_for_previous") // Gemini CLI sends its own argument to every tool
	var names []string
	for i := range known {
		names = append(names, known[i].name)
	}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if !slices.Contains(names, name) && len(a.wrong) < maxUnknown {
			takes := "known are " + cmp.Or(strings.Join(names, ", "), "no arguments")
			a.wrong.Add(mail.Invalid, "", text.SuggestOf(name, names, takes), "unknown argument %s", fault.Shown(name))
		}
	}
	return a.wrong.Err()
}

const maxUnknown = 10 // reported; a request may have a million

func (a *arguments) bad(name, want string) {
	a.wrong.Add(mail.Invalid, "", "see "+cmp.Or(a.where, "the tool's schema"), "%s must be %s", name, want)
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
		a.wrong.Add(mail.Invalid, "", "see "+cmp.Or(a.where, "the tool's schema"), "%s is missing", name)
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
		a.bad(name, "a number from 0 to 1000000000")
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
