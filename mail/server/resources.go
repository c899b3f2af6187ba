package server

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/mail"
)

// addResources lists the resources and handles all their addresses here: the SDK's templates
// require query parameters in one order.
func (s *Server) addResources() {
	for _, t := range []struct{ name, uri, about string }{
		{"inbox", "resource://inbox/{agent}{?project,limit,include_bodies,since_ts}", "Messages sent to an agent"},
		{"thread", "resource://thread/{thread_id}{?project,include_bodies,limit,after,receipts}", "A thread, oldest first; `next` is the start of the next page"},
		{"agents", "resource://agents/{project_slug}", "The agents of a project"},
		{"project", "resource://project/{slug}", "A project"},
	} {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{Name: t.name, URITemplate: t.uri, Description: t.about, MIMEType: "application/json"}, s.readResource)
	}
	s.mcp.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			read, ok := r.(*mcp.ReadResourceRequest)
			if !ok || method != "resources/read" || !strings.HasPrefix(read.Params.URI, "resource://") {
				return next(ctx, method, r)
			}
			return s.readResource(ctx, read)
		}
	})
}

func (s *Server) readResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	who, err := s.callerOf(ctx, r.GetExtra())
	ctx, cancel := untilDisconnect(ctx)
	defer cancel()
	var value any
	if err == nil {
		value, err = s.resource(ctx, who, r.Params.URI)
	}
	if err != nil {
		return nil, resourceError(who, r.Params.URI, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
}

// resourceError returns a JSON-RPC error with the fault in its data.
func resourceError(who *caller, uri string, err error) error {
	if fault.CodeOf(err) == mail.NotFound && strings.HasPrefix(err.Error(), errNoResource) {
		return mcp.ResourceNotFoundError(uri)
	}
	r := refusalOf(who, err)
	data, _ := json.Marshal(r.Error) // strings always marshal
	text := string(fault.CodeOf(err)) + ": " + r.Error.Message
	if r.Error.Hint != "" {
		text += " (" + r.Error.Hint + ")"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text, Data: data}
}

const errNoResource = "no such resource"

func (s *Server) resource(ctx context.Context, who *caller, uri string) (any, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Detail: "invalid URI: " + fault.Shown(uri)}
	}
	name, err := url.PathUnescape(strings.Trim(u.EscapedPath(), "/"))
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Detail: "invalid URI: " + fault.Shown(uri)}
	}
	a := queryArguments(u.Query())
	switch u.Host {
	case "inbox":
		return s.inboxResource(ctx, who, name, a)
	case "thread":
		return s.threadResource(ctx, who, name, a)
	case "agents":
		if !who.in(name) {
			return nil, denied(who, "read in "+fault.Shown(name))
		}
		all, err := s.box.Agents(ctx, name, "")
		return map[string]any{"agents": nonNil(all)}, err
	case "project":
		if !who.in(name) {
			return nil, denied(who, "read in "+fault.Shown(name))
		}
		all, err := s.box.Projects(ctx, name)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	return nil, &fault.Error{Code: mail.NotFound, Detail: errNoResource}
}

// queryArguments returns the query of an address as arguments of a tool.
func queryArguments(query url.Values) *arguments {
	a := &arguments{values: make(map[string]json.RawMessage)}
	for name, values := range query {
		if len(values) > 0 && values[0] != "" {
			a.values[name], _ = json.Marshal(values[0]) // a string always marshals
		}
	}
	return a
}

func (s *Server) inboxResource(ctx context.Context, who *caller, agent string, a *arguments) (any, error) {
	q := mail.InboxQuery{Project: a.need("project"), Agent: agent, Limit: a.number("limit"), Since: a.instant("since_ts"), NoBodies: !a.flagOr("include_bodies", true)}
	if err := a.wrong.Err(); err != nil {
		return nil, err
	}
	if err := s.authorizeAs(ctx, who, q.Project, agent, ""); err != nil {
		return nil, err
	}
	all, err := s.box.Inbox(ctx, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"project": q.Project, "agent": agent, "count": len(all), "messages": nonNil(all)}, nil
}

func (s *Server) threadResource(ctx context.Context, who *caller, thread string, a *arguments) (any, error) {
	q := mail.ThreadQuery{
		Project: a.need("project"), Thread: thread, Reader: who.reader(), Limit: a.number("limit"), After: mail.ID(a.text("after")),
		NoBodies: !a.flagOr("include_bodies", true), Receipts: a.flagOr("receipts", true),
	}
	if err := a.wrong.Err(); err != nil {
		return nil, err
	}
	if !who.in(q.Project) {
		return nil, denied(who, "read in "+fault.Shown(q.Project))
	}
	if q.Limit == 0 {
		q.Limit = mail.MaxPage // a client without paging gets the largest page
	}
	page, err := s.box.Thread(ctx, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"project": q.Project, "thread_id": thread, "messages": nonNil(page.Messages), "next": page.Next, "total": page.Total}, nil
}
