package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/mail"
)

// tool is one row of the contract's table.
type tool struct {
	name, about string
	takes       []argument
	reads       bool // it changes nothing
	repeats     bool // doing it twice is doing it once
	do          func(context.Context, *call) (any, error)
}

// argument is one that a tool takes.
type argument struct {
	name, kind, about string
	needed            bool
}

// call is one call of a tool.
type call struct {
	*arguments
	server *Server
	who    *caller
}

// described is the tool as clients see it. The schema leaves out
// additionalProperties: clients send along what they like. Both hints together let
// a client call the tool without asking its user.
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

// answering makes the handler of a tool.
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

// asking gives who asks, as the gate found out.
func (s *Server) asking(ctx context.Context, extra *mcp.RequestExtra) (*caller, error) {
	if in, ok := ctx.Value(callerKey{}).(*admitted); ok {
		return in.who, nil
	}
	if extra == nil || extra.Header == nil {
		return nil, &fault.Error{Code: mail.NoAuth, Cause: errNoCaller}
	}
	return s.caller(ctx, extra.Header.Get("Authorization"))
}

// whileThere gives a context that ends when the client is gone.
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

// succeeded gives a result in both forms: as a structure, where a list needs a
// member to stand in, and as text for who reads nothing else.
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

// refusal is how a fault is told to a client.
type refusal struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	} `json:"error"`
}

// refusalOf tells a caller what is wrong. Where the machine is at fault, the operator
// hears it whole; an agent does not hear of files.
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
	text, _ := json.Marshal(r) // texts can always be written
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: r}
}
