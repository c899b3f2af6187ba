package mailtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/mail"
)

// Poor is a server that leaves out what it may: mcp-mail 0.1.19 from PyPI, as measured. Its lists of a thread have
// no recipients, no reply_to and no receipts; agents' names are global, and a registration takes its name from
// the agents of other projects; mail is filed in the project of its sender; unknown recipients are created.
type Poor struct {
	*httptest.Server
	// Token is the bearer token; empty accepts every request.
	Token string
	// Reader refuses writes with 403, as the real one does unless HTTP_RBAC_DEFAULT_ROLE is writer.
	Reader bool
	// Core offers only the tools that the real one has unless MCP_TOOLS_MODE is extended.
	Core bool
	// Lose is the number of messages delivered without a response.
	Lose int
	// Late is the number of messages on which the server still works when their client is gone: they are delivered at the
	// third request for a resource after that.
	Late int
	// Steal is an agent whose name another project takes while a message is sent.
	Steal string
	// Bodies says where texts are: in lists and messages if empty, in "messages" only, in "none", or in an "inbox", without threads.
	Bodies string
	// Cut is what the list of a thread leaves out: "all" messages, the "newest", the "list" itself, or fields of messages.
	Cut string
	// Shut refuses to show inboxes.
	Shut bool

	mu       sync.Mutex
	pending  func()
	reads    int
	projects []string // human keys; the id is the index plus 1
	agents   []*poorAgent
	letters  []*poorLetter
	counter
	headers []string // Authorization of all requests
	faults  int      // requests still to fail
	fail    func(http.ResponseWriter)
}

type poorAgent struct {
	id, project          int
	name, program, model string
	task                 string
	retired              bool
	since                time.Time
}

type poorLetter struct {
	id, project, sender int
	thread, subject     string
	body                string
	importance          string
	ackRequired         bool
	at                  time.Time
	to, cc, bcc         []int
	acked               map[int]bool
}

// NewPoor starts a server that ends with the test.
func NewPoor(tb testing.TB, p *Poor) *Poor {
	tb.Helper()
	p.Server = serve(tb, p)
	return p
}

// Client returns a client of the server, whose transport ends with the test.
func (p *Poor) Client(tb testing.TB, o mail.Options) *mail.Client {
	tb.Helper()
	o.URL = p.URL + "/mcp/"
	return NewClient(tb, o)
}

// Drop makes the server drop this many requests.
func (p *Poor) Drop(requests int) {
	p.Fail(requests, func(http.ResponseWriter) { panic(http.ErrAbortHandler) })
}

// Fail makes the server respond to this many requests with something else.
func (p *Poor) Fail(requests int, respond func(http.ResponseWriter)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.fail = requests, respond
}

// Tokens returns the different values of the header Authorization that were sent.
func (p *Poor) Tokens() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Clone(p.headers)
	slices.Sort(all)
	return slices.Compact(all)
}

// ServeHTTP implements http.Handler.
func (p *Poor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	if json.NewDecoder(r.Body).Decode(&q) != nil {
		http.Error(w, `{"detail":"Bad Request"}`, http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faults > 0 {
		p.faults--
		p.fail(w)
		return
	}
	p.count(&q)
	p.headers = append(p.headers, r.Header.Get("Authorization"))
	detail := func(status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"detail":%q}`, text) // the client may be gone
	}
	switch {
	case p.Token != "" && r.Header.Get("Authorization") != "Bearer "+p.Token:
		detail(http.StatusUnauthorized, "Unauthorized")
	case p.Reader && q.Method == "tools/call" && !slices.Contains(strings.Fields("health_check fetch_inbox whois search_messages summarize_thread summarize_threads"), q.tool()):
		detail(http.StatusForbidden, "Forbidden")
	case strings.HasPrefix(q.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case q.tool() == "send_message" && p.Late > 0:
		p.Late, p.reads, p.pending = p.Late-1, 0, func() { p.answer(&q) }
		panic(http.ErrAbortHandler)
	default:
		p.deliverLate(&q)
		reply := p.answer(&q)
		if q.tool() == "send_message" && p.Lose > 0 {
			p.Lose--
			panic(http.ErrAbortHandler)
		}
		write(w, &Quirks{}, reply)
	}
}

func (p *Poor) deliverLate(q *request) {
	if q.Method != "resources/read" {
		return
	}
	if p.reads++; p.reads == 3 && p.pending != nil {
		p.pending()
	}
}

func (p *Poor) answer(q *request) map[string]any {
	switch q.Method {
	case "initialize":
		return result(q, map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "mcp-agent-mail", "version": "2.14.7"}})
	case "tools/list":
		return result(q, map[string]any{"tools": p.listTools()})
	case "resources/read":
		uri, _ := q.Params["uri"].(string)
		value, err := p.resource(uri)
		if err != nil {
			return rpcError(q, 0, err.Error())
		}
		data, _ := json.Marshal(value) // maps and texts
		return result(q, map[string]any{"contents": []any{map[string]any{"uri": uri, "mimeType": "application/json", "text": string(data)}}})
	case "tools/call":
		value, err := p.call(q.tool(), q.arguments())
		if err != nil {
			return result(q, map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": err.Error()}}})
		}
		data, _ := json.Marshal(value) // maps and texts
		return result(q, map[string]any{"isError": false, "structuredContent": value, "content": []any{map[string]any{"type": "text", "text": string(data)}}})
	}
	return rpcError(q, -32602, "Invalid request parameters")
}

// poorTools returns the tools and their arguments.
func poorTools() map[string]string {
	return map[string]string{
		"health_check":        "",
		"ensure_project":      "human_key",
		"register_agent":      "project_key program model name task_description force_reclaim attachments_policy auto_fetch_inbox inbox_limit",
		"whois":               "project_key agent_name include_recent_commits commit_limit",
		"send_message":        "project_key sender_name to subject body_md cc bcc attachment_paths convert_images importance ack_required thread_id auto_contact_if_blocked",
		"reply_message":       "project_key message_id sender_name body_md to cc bcc subject_prefix",
		"fetch_inbox":         "project_key agent_name limit urgent_only include_bodies since_ts",
		"mark_message_read":   "project_key agent_name message_id",
		"acknowledge_message": "project_key agent_name message_id",
		"search_messages":     "project_key query limit",
	}
}

func (p *Poor) offers(tool string) bool {
	_, ok := poorTools()[tool]
	return ok && (!p.Core || tool != "acknowledge_message" && tool != "search_messages")
}

func (p *Poor) listTools() []any {
	var all []any
	for name, arguments := range poorTools() {
		if !p.offers(name) {
			continue
		}
		properties := make(map[string]any)
		for argument := range strings.FieldsSeq(arguments) {
			properties[argument] = map[string]any{}
		}
		all = append(all, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object", "properties": properties}})
	}
	return all
}

func (p *Poor) call(tool string, a map[string]any) (any, error) {
	if !p.offers(tool) {
		return nil, poorError("Unknown tool: %s", tool)
	}
	for name := range a {
		if !slices.Contains(strings.Fields(poorTools()[tool]), name) {
			return nil, fmt.Errorf("1 validation error for call[%s]\n%s\n  Unexpected keyword argument [type=unexpected_keyword_argument]", tool, name)
		}
	}
	text := func(name string) string { s, _ := a[name].(string); return s }
	switch tool {
	case "health_check":
		return map[string]any{"status": "ok", "environment": "development"}, nil
	case "ensure_project":
		id := p.ensure(text("human_key"))
		return map[string]any{"id": id, "slug": slug(text("human_key")), "human_key": text("human_key"), "created_at": time.Unix(0, 0).UTC().Format(time.RFC3339)}, nil
	case "register_agent":
		return p.register(p.ensure(text("project_key")), text("name"), text("program"), text("model"), text("task_description")).shown(), nil
	case "search_messages":
		return map[string]any{"result": p.search(text("project_key"), text("query"))}, nil
	}
	name := text("agent_name") + text("sender_name")
	who := p.find(name)
	switch {
	case who == nil && tool == "whois":
		return nil, poorError("Error calling tool '%s': Agent '%s' not registered globally.", tool, name)
	case who == nil:
		return nil, poorError("Error calling tool '%s': Agent '%s' not found. Tip: Use register_agent to create a new agent.", tool, name)
	case tool == "whois":
		return who.shown(), nil
	case tool == "fetch_inbox" && p.Shut:
		return nil, poorError("Error calling tool '%s': permission denied.", tool)
	case tool == "fetch_inbox":
		return map[string]any{"result": p.inbox(who, a)}, nil
	case tool == "send_message":
		if p.Steal != "" {
			p.register(p.ensure("/srv/other"), p.Steal, "", "", "")
			p.Steal = ""
		}
		return delivered(p.send(who, text("thread_id"), text("subject"), text("body_md"), a["ack_required"] == true, names(a, "to"), names(a, "cc"), names(a, "bcc"))), nil
	}
	return p.callAbout(tool, who, a)
}

// callAbout calls a tool about a message.
func (p *Poor) callAbout(tool string, who *poorAgent, a map[string]any) (any, error) {
	number, _ := a["message_id"].(float64)
	if number < 1 || int(number) > len(p.letters) {
		return nil, poorError("Error calling tool '%s': Message '%v' not found.", tool, a["message_id"])
	}
	m := p.letters[int(number)-1]
	if tool != "reply_message" {
		m.acked[who.id] = m.acked[who.id] || tool == "acknowledge_message"
		return map[string]any{"message_id": m.id, "acknowledged": m.acked[who.id]}, nil
	}
	to := names(a, "to")
	if to == nil {
		to = []string{p.agents[m.sender-1].name}
	}
	subject := m.subject
	if !strings.HasPrefix(strings.ToLower(subject), "re:") {
		subject = "Re: " + subject
	}
	body, _ := a["body_md"].(string)
	sent := p.send(who, m.thread, subject, body, m.ackRequired, to, names(a, "cc"), names(a, "bcc"))
	shown := delivered(maps.Clone(sent))
	maps.Copy(shown, sent)
	shown["reply_to"] = m.id // only here: no list has it
	return shown, nil
}

func names(a map[string]any, argument string) (all []string) {
	list, _ := a[argument].([]any)
	for _, v := range list {
		s, _ := v.(string)
		all = append(all, s)
	}
	return all
}

// poorError returns an error in the server's words.
func poorError(format string, args ...any) error { return fmt.Errorf(format, args...) }

func delivered(m map[string]any) map[string]any {
	return map[string]any{"deliveries": []any{map[string]any{"payload": m}}, "count": 1}
}

func slug(key string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(key)), "-")
}

func (p *Poor) ensure(key string) int {
	if i := slices.Index(p.projects, key); i >= 0 {
		return i + 1
	}
	p.projects = append(p.projects, key)
	return len(p.projects)
}

// find returns an agent of any project.
func (p *Poor) find(name string) *poorAgent {
	i := slices.IndexFunc(p.agents, func(a *poorAgent) bool { return !a.retired && strings.EqualFold(a.name, bareName(name)) })
	if i < 0 {
		return nil
	}
	return p.agents[i]
}

// bareName returns a name as the server keeps it: letters and digits.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// register takes a name from the agents of other projects.
func (p *Poor) register(project int, name, program, model, task string) *poorAgent {
	if have := p.find(name); have != nil {
		if have.project == project {
			have.program, have.model, have.task = program, model, task
			return have
		}
		have.retired = true
	}
	a := &poorAgent{id: len(p.agents) + 1, project: project, name: bareName(name), program: program, model: model, task: task, since: time.Now()}
	p.agents = append(p.agents, a)
	return a
}

func (a *poorAgent) shown() map[string]any {
	return map[string]any{
		"id": a.id, "name": a.name, "program": a.program, "model": a.model, "task_description": a.task, "project_id": a.project,
		"inception_ts": a.since.UTC().Format(poorTime), "last_active_ts": a.since.UTC().Format(poorTime), "contact_policy": "auto", "is_active": !a.retired,
	}
}

const poorTime = "2006-01-02T15:04:05.000000-07:00"

// send files a message in the project of its sender.
func (p *Poor) send(from *poorAgent, thread, subject, body string, ack bool, to, cc, bcc []string) map[string]any {
	m := &poorLetter{id: len(p.letters) + 1, project: from.project, sender: from.id, thread: thread, subject: subject, body: body, importance: "normal", ackRequired: ack, at: time.Now(), acked: make(map[int]bool)}
	if n := len(p.letters); n > 0 && !m.at.After(p.letters[n-1].at) {
		m.at = p.letters[n-1].at.Add(time.Microsecond)
	}
	ids := func(names []string) (all []int) {
		for _, name := range names {
			a := p.find(name)
			if a == nil {
				a = p.register(from.project, name, from.program, from.model, "")
			}
			all = append(all, a.id)
		}
		return all
	}
	m.to, m.cc, m.bcc = ids(to), ids(cc), ids(bcc)
	p.letters = append(p.letters, m)
	shown := p.shown(m, true)
	shown["to"], shown["cc"], shown["bcc"] = to, cc, bcc
	return shown
}

// shown returns a message as all lists show it.
func (p *Poor) shown(m *poorLetter, body bool) map[string]any {
	shown := map[string]any{
		"id": m.id, "project_id": m.project, "sender_id": m.sender, "thread_id": m.thread, "subject": m.subject, "importance": m.importance,
		"ack_required": m.ackRequired, "created_ts": m.at.UTC().Format(poorTime), "attachments": []any{}, "from": p.agents[m.sender-1].name,
	}
	if body {
		shown["body_md"] = m.body
	}
	return shown
}

// inbox returns the mail of an agent, and that which mentions it.
func (p *Poor) inbox(who *poorAgent, a map[string]any) []any {
	limit := 20
	if n, ok := a["limit"].(float64); ok {
		limit = int(n)
	}
	since, _ := a["since_ts"].(string)
	all := []any{}
	for i := len(p.letters) - 1; i >= 0 && len(all) < limit; i-- {
		m := p.letters[i]
		mine := slices.Contains(slices.Concat(m.to, m.cc, m.bcc), who.id) || m.project == who.project && strings.Contains(m.body, "@"+who.name)
		if at, err := mail.ParseInstant(since); mine && (since == "" || err == nil && m.at.After(at.Time)) {
			shown := p.shown(m, a["include_bodies"] == true && p.Bodies != "none")
			shown["kind"] = "to"
			all = append(all, shown)
		}
	}
	return all
}

func (p *Poor) search(project, words string) []any {
	all := []any{}
	for _, m := range p.letters {
		if p.projects[m.project-1] == project && strings.Contains(m.subject+m.body, words) {
			shown := p.shown(m, true)
			delete(shown, "project_id")
			all = append(all, shown)
		}
	}
	return all
}
