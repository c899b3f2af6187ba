package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
)

// Health is the state of a server.
type Health struct {
	Status      string `json:"status"`
	Environment string `json:"environment"`
	Version     string `json:"version"`
}

// Ready reports whether the server reports that it works.
func (h Health) Ready() bool { return h.Status == "ready" || h.Status == "ok" || h.Status == "healthy" }

// Health returns the state of the server.
func (c *Client) Health(ctx context.Context) (h Health, err error) {
	err = c.call(ctx, "health_check", map[string]any{}, &h)
	return h, err
}

// EnsureProject returns the project of a directory and creates it if missing.
func (c *Client) EnsureProject(ctx context.Context, key string) (p Project, err error) {
	err = c.call(ctx, "ensure_project", map[string]any{"human_key": key}, &p)
	return p, err
}

// Register registers an agent and stores its token. The returned name may differ from the
// requested.
func (c *Client) Register(ctx context.Context, r Registration) (Agent, error) {
	arguments := map[string]any{"project_key": r.Project, "program": cmp.Or(r.Program, "brenner"), "model": cmp.Or(r.Model, "unknown")}
	if r.Name != "" {
		arguments["name"] = r.Name
	}
	if r.Task != "" {
		arguments["task_description"] = r.Task
	}
	var a Agent
	if err := c.callAs(ctx, proof{r.Project, r.Name, "registration_token", false}, "register_agent", arguments, &a); err != nil {
		return a, err
	}
	err := c.keep(r.Project, cmp.Or(r.Name, a.Name), &a)
	return a, err
}

// keep stores an agent's token and the name that the server gave it.
func (c *Client) keep(project, asked string, a *Agent) error {
	if a.Name == "" {
		return c.garbled("register_agent", "no name for the agent in the response", nil)
	}
	return c.keys.Keep(c.url, project, asked, a.Name, a.Token)
}

// Whois returns an agent.
func (c *Client) Whois(ctx context.Context, project, agent string) (a Agent, err error) {
	err = c.call(ctx, "whois", map[string]any{"project_key": project, "agent_name": agent}, &a)
	return a, err
}

// CheckExists returns an error if one of the agents is not registered: some servers create unknown recipients.
func (c *Client) CheckExists(ctx context.Context, project string, agents ...string) error {
	offered, err := c.arguments(ctx)
	if _, ok := offered["whois"]; err != nil || !ok {
		return err
	}
	for _, name := range agents {
		if _, err := c.Whois(ctx, project, name); fault.CodeOf(err) == NotFound {
			return &fault.Error{Code: NotFound, Place: c.url, Detail: "no such agent: " + fault.Shown(name)}
		}
	}
	return nil
}

// Inbox returns an agent's incoming mail and does not mark it as read. If wait is positive, a
// server that supports long polling responds when there is mail, or after wait.
func (c *Client) Inbox(ctx context.Context, q InboxQuery, wait time.Duration) ([]Message, error) {
	const tool = "fetch_inbox"
	arguments := map[string]any{"project_key": q.Project, "agent_name": q.Agent, "include_bodies": !q.NoBodies}
	set := func(name string, value any, wanted bool) {
		if wanted {
			arguments[name] = value
		}
	}
	set("limit", q.Limit, q.Limit > 0)
	set("urgent_only", true, q.Urgent)
	set("since_ts", Instant{q.Since}.String(), !q.Since.IsZero())
	// Arguments beyond the contract are sent only to servers that offer them.
	offers := func(name string) bool { return c.accepts(ctx, tool, name) }
	set("mark_read", false, offers("mark_read"))
	set("unread_only", true, q.Unread && offers("unread_only"))
	set("thread_id", q.Thread, q.Thread != "" && offers("thread_id"))
	set("after_id", q.After, q.After != "" && offers("after_id"))
	set("wait_seconds", int(math.Ceil(wait.Seconds())), wait > 0 && offers("wait_seconds"))
	var all []Message
	if err := c.callLongAs(ctx, wait, proof{q.Project, q.Agent, "registration_token", true}, tool, arguments, &all); err != nil {
		return nil, err
	}
	if q.Thread == "" {
		return addressed(all), nil
	}
	all = slices.DeleteFunc(all, func(m Message) bool { return m.Thread != q.Thread }) // some servers ignore the argument
	return addressed(c.inProject(ctx, q.Project, all)), nil
}

// inProject returns the messages that are filed in a project. On servers with global names, a thread of the same id in another
// project may have mail to our agents.
func (c *Client) inProject(ctx context.Context, project string, all []Message) []Message {
	if !slices.ContainsFunc(all, func(m Message) bool { return m.project != "" }) {
		return all
	}
	own, err := c.projectID(ctx, project)
	return slices.DeleteFunc(all, func(m Message) bool { return err == nil && own != "" && m.project != "" && m.project != own })
}

// addressed sets the recipients that the markers name where the server lists none.
func addressed(all []Message) []Message {
	for i := range all {
		all[i].addressFromMarker()
	}
	return all
}

// TakesKeys reports whether the server sends messages with the same key once.
func (c *Client) TakesKeys(ctx context.Context) bool {
	return c.accepts(ctx, "send_message", "idempotency_key")
}

// Waits reports whether the server supports long polling.
func (c *Client) Waits(ctx context.Context) bool {
	return c.accepts(ctx, "fetch_inbox", "wait_seconds")
}

// Acknowledge acknowledges a message.
func (c *Client) Acknowledge(ctx context.Context, project, agent string, id ID) error {
	const tool = "acknowledge_message"
	arguments := map[string]any{"project_key": project, "agent_name": agent, "message_id": id}
	return c.callAs(ctx, proof{project, agent, "registration_token", false}, tool, arguments, nil)
}

// Search returns messages that match words.
func (c *Client) Search(ctx context.Context, project, words string, limit int) (all []Message, err error) {
	arguments := map[string]any{"project_key": project, "query": words}
	if limit > 0 {
		arguments["limit"] = limit
	}
	err = c.call(ctx, "search_messages", arguments, &all)
	return all, err
}

// SetContactPolicy sets who may write to an agent.
func (c *Client) SetContactPolicy(ctx context.Context, project, agent, policy string) error {
	const tool = "set_contact_policy"
	arguments := map[string]any{"project_key": project, "agent_name": agent, "policy": policy}
	return c.callAs(ctx, proof{project, agent, "registration_token", false}, tool, arguments, nil)
}

func (c *Client) resource(ctx context.Context, uri string, into any) error {
	var r struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	if err := c.rpc(ctx, 0, "resources/read", map[string]any{"uri": uri}, &r); err != nil {
		return err
	}
	if len(r.Contents) == 0 || absent(json.RawMessage(r.Contents[0].Text)) { // an empty list is a content, too
		return c.garbled(uri, "empty response", nil)
	}
	payload := json.RawMessage(r.Contents[0].Text)
	if refusal := errorIn(payload, false); refusal != nil {
		return c.refused(uri, refusal)
	}
	return c.decode(uri, payload, nil, into)
}

// Agents returns the agents of a project, which is named by its slug.
func (c *Client) Agents(ctx context.Context, slug string) ([]Agent, error) {
	var raw json.RawMessage
	uri := "resource://agents/" + url.PathEscape(slug)
	if err := c.resource(ctx, uri, &raw); err != nil {
		return nil, err
	}
	var object struct {
		Agents []Agent `json:"agents"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Agents, nil
	}
	var bare []Agent
	if err := json.Unmarshal(raw, &bare); err != nil {
		return nil, c.garbled(uri, "unexpected list", raw)
	}
	return bare, nil
}

// Thread returns a thread, oldest first. If the server has no thread resource, it returns the
// reader's incoming mail in the thread.
func (c *Client) Thread(ctx context.Context, q ThreadQuery) ([]Message, error) {
	v := url.Values{"project": {q.Project}, "include_bodies": {strconv.FormatBool(!q.NoBodies)}}
	if c.pages(ctx) {
		return c.paged(ctx, q, v)
	}
	v.Set("include_bodies", "true") // a server that lists no recipients still has the markers in the bodies
	var all []Message
	err := c.resource(ctx, "resource://thread/"+url.PathEscape(q.Thread)+"?"+v.Encode(), &all)
	switch fault.CodeOf(err) {
	case NotFound, Refused:
		if q.Reader == "" {
			return nil, err
		}
		all, err = c.Inbox(ctx, InboxQuery{Project: q.Project, Agent: q.Reader, Thread: q.Thread, Limit: MaxPage}, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := c.readBodies(ctx, q.Project, all); err != nil {
		return nil, err
	}
	all = addressed(c.inProject(ctx, q.Project, all))
	sortByTime(all)
	return all, nil
}

// readBodies reads the texts that a list leaves out, each once.
func (c *Client) readBodies(ctx context.Context, project string, all []Message) error {
	for i := range all {
		m := &all[i]
		if m.Body != "" || m.ID == "" {
			continue
		}
		c.mu.Lock()
		body, known := c.bodies[m.ID]
		c.mu.Unlock()
		if !known {
			var one Message
			uri := "resource://message/" + url.PathEscape(string(m.ID)) + "?" + url.Values{"project": {project}}.Encode()
			if err := c.resource(ctx, uri, &one); MayPass(err) {
				return err
			}
			body = one.Body
			c.mu.Lock()
			if c.bodies == nil {
				c.bodies = make(map[ID]string)
			}
			c.bodies[m.ID] = body
			c.mu.Unlock()
		}
		m.Body = body
	}
	return nil
}

// addressFromMarker sets the recipient that the marker names if the server lists none.
func (m *Message) addressFromMarker() {
	if len(m.To)+len(m.CC)+len(m.BCC) > 0 {
		return
	}
	if mark, ok := MarkerIn(m.Body); ok && mark.To != "" && !strings.EqualFold(mark.To, m.From) {
		m.To = Names{mark.To}
	}
}

// pages reports whether threads come in pages: servers with after_id for the inbox have them.
func (c *Client) pages(ctx context.Context) bool { return c.accepts(ctx, "fetch_inbox", "after_id") }

// Limits for reading a thread.
const (
	maxPages       = 1000
	maxThreadBytes = 256 << 20
)

// paged reads a thread page by page from the query's start, up to its limit or an empty page.
func (c *Client) paged(ctx context.Context, q ThreadQuery, v url.Values) ([]Message, error) {
	var all []Message
	seen, size := make(map[ID]bool), 0
	v.Set("receipts", strconv.FormatBool(q.Receipts))
	v.Set("limit", strconv.Itoa(limitOr(q.Limit, MaxPage)))
	after := q.After
	for range maxPages {
		v.Set("after", string(after))
		var page struct {
			Messages []Message `json:"messages"`
			Next     ID        `json:"next"`
		}
		if err := c.resource(ctx, "resource://thread/"+url.PathEscape(q.Thread)+"?"+v.Encode(), &page); err != nil {
			return nil, err
		}
		before := len(all)
		for _, m := range page.Messages {
			if seen[m.ID] {
				continue
			}
			seen[m.ID] = true
			all = append(all, m)
			size += len(m.Body)
		}
		switch after = page.Next; {
		case after == "" || q.Limit > 0 || len(page.Messages) == 0:
			return all, nil
		case len(all) == before:
			return nil, c.garbled("read the thread", "pages repeat", nil)
		case size > c.maxThreadBytes:
			return nil, &fault.Error{
				Code: TooLarge, Op: "read the thread", Place: c.url, Detail: fmt.Sprintf("the thread exceeds %d bytes", c.maxThreadBytes),
				Hint: "continue in a new thread",
			}
		}
	}
	return nil, c.garbled("read the thread", "too many pages", nil)
}

func limitOr(n, usual int) int {
	if n <= 0 {
		return usual
	}
	return n
}

func sortByTime(all []Message) {
	if len(all) > 1 && all[0].Created.After(all[len(all)-1].Created.Time) {
		slices.Reverse(all)
	}
	slices.SortStableFunc(all, func(a, b Message) int { return a.Created.Compare(b.Created.Time) })
}
