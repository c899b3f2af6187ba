package server

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/fault"
	"brenner/mail"
)

// template is a family of resources.
type template struct{ name, uri, about string }

func templates() []template {
	return []template{
		{"inbox", "resource://inbox/{agent}{?project,limit,include_bodies,since_ts}", "Messages sent to an agent"},
		{"thread", "resource://thread/{thread_id}{?project,include_bodies,limit,after,receipts}", "A thread, oldest first; `next` is the start of the next page"},
		{"outbox", "resource://outbox/{agent}{?project,limit,include_bodies,since_ts}", "Messages sent by an agent"},
		{"mailbox", "resource://mailbox/{agent}{?project,limit}", "The newest messages to and from an agent, without bodies, and what waits for it"},
		{"views/unread", "resource://views/unread/{agent}{?project,limit,include_bodies}", "Unread messages"},
		{"views/ack-required", "resource://views/ack-required/{agent}{?project,limit,include_bodies}", "Messages that wait for an acknowledgement"},
		{"views/overdue", "resource://views/overdue/{agent}{?project,limit,include_bodies,ttl_minutes}", "Messages that have waited too long for an acknowledgement: 30 minutes by default"},
		{"contacts", "resource://contacts/{agent}{?project}", "Requests for contact of and to an agent"},
		{"message", "resource://message/{message_id}{?project}", "A message"},
		{"attachment", "resource://attachment/{message_id}/{name}{?project}", "An attachment of a message, with its own media type"},
		{"file_reservations", "resource://file_reservations/{slug}", "The reservations of a project"},
		{"agents", "resource://agents/{project_slug}", "The agents of a project"},
		{"project", "resource://project/{slug}", "A project"},
	}
}

// anyResource stands for every resource inside the SDK, whose templates require query parameters in one
// order. Clients do not see it.
const anyResource = "resource://any"

// addressKey is the key of the address that a client asked for.
type addressKey struct{}

// addResources lists the templates, and routes requests for all resources through one handler.
func (s *Server) addResources() {
	for _, t := range templates() {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{Name: t.name, URITemplate: t.uri, Description: t.about, MIMEType: "application/json"}, s.readResource)
	}
	s.mcp.AddResource(&mcp.Resource{Name: "any", URI: anyResource}, s.readResource)
	s.mcp.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			switch r := r.(type) {
			case *mcp.ReadResourceRequest:
				inner, params := *r, *r.Params
				params.URI, inner.Params = anyResource, &params
				return next(context.WithValue(ctx, addressKey{}, r.Params.URI), method, &inner)
			case *mcp.ListResourcesRequest:
				result, err := next(ctx, method, r)
				if list, ok := result.(*mcp.ListResourcesResult); ok && err == nil {
					list.Resources, err = s.resourcesOf(ctx, r.GetExtra())
				}
				return result, err
			}
			return next(ctx, method, r)
		}
	})
}

// maxListed bounds the projects whose resources are listed for the operator.
const maxListed = 100

// resourcesOf returns the resources that a caller can read without knowing names: an agent its own, the operator those
// of all projects.
func (s *Server) resourcesOf(ctx context.Context, extra *mcp.RequestExtra) ([]*mcp.Resource, error) {
	who, err := s.callerOf(ctx, extra)
	if err != nil {
		return nil, err
	}
	projects := []mail.Project{who.project}
	if who.operator {
		if projects, err = s.box.Projects(ctx, ""); err != nil {
			return nil, err
		}
	}
	all := []*mcp.Resource{}
	add := func(kind, name, query, about string) {
		all = append(all, &mcp.Resource{Name: kind + " " + name, URI: "resource://" + kind + "/" + name + query, Description: about, MIMEType: "application/json"})
	}
	for _, p := range last(projects, maxListed) {
		for _, t := range templates() {
			switch {
			case strings.Contains(t.uri, "slug}"):
				add(t.name, p.Slug, "", t.about)
			case strings.Contains(t.uri, "{agent}") && !who.operator:
				add(t.name, who.agent.Name, "?project="+p.Slug, t.about)
			}
		}
	}
	return all, nil
}

// noCache means that no result may be kept: mail arrives at any time, and is for its reader only.
var noCache = mcp.Cacheable{CacheScope: "private"}

// setCacheable says which lists are the same for all callers.
func setCacheable(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
	switch r.(type) {
	case *mcp.ListResourcesRequest, *mcp.ReadResourceRequest:
		*c = noCache
	}
}

func (s *Server) readResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	address, _ := ctx.Value(addressKey{}).(string)
	who, err := s.callerOf(ctx, r.GetExtra())
	ctx, cancel := untilDisconnect(ctx)
	defer cancel()
	var value any
	if err == nil {
		value, err = s.resource(ctx, who, address)
	}
	if err != nil {
		return nil, resourceError(who, address, err)
	}
	if f, ok := value.(mail.File); ok {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: address, MIMEType: f.MediaType, Blob: f.Data}}}, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: address, MIMEType: "application/json", Text: string(text)}}}, nil
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
	if err == nil && u.Scheme != "resource" {
		return nil, &fault.Error{Code: mail.NotFound, Detail: errNoResource}
	}
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Detail: "invalid URI: " + fault.Shown(uri)}
	}
	name, err := url.PathUnescape(strings.Trim(u.EscapedPath(), "/"))
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Detail: "invalid URI: " + fault.Shown(uri)}
	}
	a := queryArguments(u.Query())
	if err := a.refuseUnknown(parametersOf(u.Host + "/" + name)); err != nil {
		return nil, err
	}
	switch u.Host {
	case "inbox", "outbox", "views", "mailbox", "contacts":
		return s.boxResource(ctx, who, u.Host, name, a)
	case "message", "attachment":
		return s.messageResource(ctx, who, u.Host, name, a)
	case "thread":
		return s.threadResource(ctx, who, name, a)
	}
	return s.projectResource(ctx, who, u.Host, name)
}

// projectResource returns a resource of a whole project.
func (s *Server) projectResource(ctx context.Context, who *caller, kind, name string) (any, error) {
	if !who.in(name) && slices.Contains([]string{"agents", "project", "file_reservations"}, kind) {
		return nil, denied(who, "read in "+fault.Shown(name))
	}
	switch kind {
	case "file_reservations":
		all, err := s.box.Reserved(ctx, name)
		return map[string]any{"project": name, "file_reservations": nonNil(all)}, err
	case "agents":
		all, err := s.box.Agents(ctx, name, "")
		return map[string]any{"agents": nonNil(all)}, err
	case "project":
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
	a := &arguments{values: make(map[string]json.RawMessage), where: "resources/templates/list"}
	for name, values := range query {
		if len(values) > 0 && values[0] != "" {
			a.values[name], _ = json.Marshal(values[0]) // a string always marshals
		}
	}
	return a
}

// parametersOf returns what the query of a resource may have; every one may name the project.
func parametersOf(path string) []argument {
	all := []argument{{name: "project"}}
	path = strings.Replace(path, "views/ack-overdue/", "views/overdue/", 1)
	for _, t := range templates() {
		if _, query, ok := strings.Cut(t.uri, "{?"); ok && strings.HasPrefix(path, t.name+"/") {
			for name := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSuffix(query, "}"), "project,"), ",") {
				all = append(all, argument{name: name})
			}
		}
	}
	return all
}

// projectOf returns the project of an address; an agent's is its own by default.
func projectOf(who *caller, a *arguments) string {
	if !a.has("project") && !who.operator {
		return who.project.Key
	}
	return a.need("project")
}

// boxResource returns a resource of one agent: mail of its inbox or outbox, an overview, or its contacts.
func (s *Server) boxResource(ctx context.Context, who *caller, kind, name string, a *arguments) (any, error) {
	agent := name
	if kind == "views" {
		var ok bool
		if kind, agent, ok = strings.Cut(name, "/"); !ok {
			return nil, &fault.Error{Code: mail.NotFound, Detail: errNoResource}
		}
	}
	q := mail.InboxQuery{Project: projectOf(who, a), Agent: agent, Limit: a.number("limit"), Since: a.instant("since_ts"), NoBodies: !a.flagOr("include_bodies", true)}
	switch kind {
	case "inbox", "mailbox", "contacts":
	case "outbox":
		q.Sent = true
	case "unread":
		q.Unread = true
	case "ack-required":
		q.Unacknowledged = true
	case "overdue", "ack-overdue":
		q.Unacknowledged, q.Before = true, before(int(overdueAfter.Minutes()))
		if a.has("ttl_minutes") {
			q.Before = before(a.number("ttl_minutes"))
		}
	default:
		return nil, &fault.Error{Code: mail.NotFound, Detail: errNoResource}
	}
	if err := a.wrong.Err(); err != nil {
		return nil, err
	}
	if err := s.authorizeAs(ctx, who, q.Project, agent, ""); err != nil {
		return nil, err
	}
	switch kind {
	case "mailbox":
		return s.overview(ctx, &q)
	case "contacts":
		all, err := s.box.Contacts(ctx, q.Project, agent)
		return map[string]any{"project": q.Project, "agent": agent, "contacts": nonNil(all)}, err
	}
	all, err := s.box.Inbox(ctx, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"project": q.Project, "agent": agent, "count": len(all), "messages": nonNil(all)}, nil
}

// overview returns the newest mail of an agent, and what waits for it.
func (s *Server) overview(ctx context.Context, q *mail.InboxQuery) (any, error) {
	base := mail.InboxQuery{Project: q.Project, Agent: q.Agent, Limit: q.Limit, NoBodies: true}
	sent, unread, waiting := base, base, base
	sent.Sent, unread.Unread, waiting.Unacknowledged = true, true, true
	result := map[string]any{"project": q.Project, "agent": q.Agent}
	for name, one := range map[string]mail.InboxQuery{"inbox": base, "outbox": sent, "unread": unread, "ack_required": waiting} {
		all, err := s.box.Inbox(ctx, one)
		if err != nil {
			return nil, err
		}
		result[name] = nonNil(all)
	}
	contacts, err := s.box.Contacts(ctx, q.Project, q.Agent)
	result["contacts"] = nonNil(contacts)
	return result, err
}

// messageResource returns a message that the caller sent or received, or one of its attachments.
func (s *Server) messageResource(ctx context.Context, who *caller, kind, name string, a *arguments) (any, error) {
	project := projectOf(who, a)
	if err := a.wrong.Err(); err != nil {
		return nil, err
	}
	if !who.in(project) {
		return nil, denied(who, "read in "+fault.Shown(project))
	}
	if kind == "attachment" {
		id, file, _ := strings.Cut(name, "/")
		return s.box.Attachment(ctx, project, who.reader(), mail.ID(id), file)
	}
	return s.box.Message(ctx, project, who.reader(), mail.ID(name))
}

func (s *Server) threadResource(ctx context.Context, who *caller, thread string, a *arguments) (any, error) {
	q := mail.ThreadQuery{
		Project: projectOf(who, a), Thread: thread, Reader: who.reader(), Limit: a.number("limit"), After: mail.ID(a.text("after")),
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
