// Package mail implements agents that are asked by mail: each has a mailbox on an
// Agent Mail server, reads a kickoff, acknowledges it and answers in the thread,
// within minutes or hours.
//
// It promises: a call is one message, however often it is made and whatever
// happens to the reply; a reply is the complete body of the message that answers
// it; an agent that acknowledged but did not answer is reminded once; waiting ends
// with the context.
//
// It must not know what a message means, how replies are used, or how mail is stored.
package mail

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	post "brenner/mail"
	"brenner/roster"
)

// Options configure a Mailer. Client, Project and Sender are required.
type Options struct {
	Client  *post.Client
	Project string // the absolute path of the project's directory
	Sender  string // the name under which kickoffs are sent
	Fixed   bool   // refuse the name if another project has it, instead of a name that is like it
	// Poll is the longest interval between checks for mail; 0 means 2 s.
	Poll time.Duration
	// Nudge is how long after its acknowledgement an agent is reminded; 0 means half
	// of the remaining time.
	Nudge time.Duration
	// Count counts tokens; nil estimates them.
	Count func(string) int
	// Observe, if not nil, is called from the calls' goroutines whenever the
	// progress of a call changes.
	Observe func(Progress)
	// Trouble, if not nil, is called when the server becomes unreachable during a
	// wait, and with nil when it responds again; the waits continue.
	Trouble func(err error)
	// Holds reports whether a text contains changes, whatever the subject of its message says; nil
	// means never.
	Holds func(text string) bool
	// Presets are those whose words an earlier session may have given to mailboxes.
	Presets []roster.Preset
}

// Progress is the progress of a call by mail; a zero time means "not yet".
type Progress struct {
	Call, Agent, Name               string // Name is the agent's name on the server
	Sent, Acked, Reminded, Answered time.Time
}

// Late reports whether the question was sent and not yet answered.
func (s *Progress) Late() bool { return !s.Sent.IsZero() && s.Answered.IsZero() }

// Mailbox is the mailbox of a roster's agent; the server may have renamed it.
type Mailbox struct{ Agent, Name string }

// unknown stands for the program and the model in a mailbox that we made for an agent; the agent
// registers its own.
const unknown = "unknown"

// author returns the program and the model that an agent registered. Sessions of earlier versions
// registered the words of their rosters, with the role as the task: these say nothing.
func (m *Mailer) author(a *post.Agent, own roster.Entry) (program, model string) {
	entries := []roster.Entry{own, {}}
	for _, p := range slices.Concat(m.Presets, roster.BuiltIn()) {
		entries = append(entries, p.Entries...)
	}
	said := func(e roster.Entry) bool {
		return cmp.Or(e.Program, "brenner") == a.Program && cmp.Or(e.Model, unknown) == a.Model // as Client.Register does
	}
	if roster.Role(a.Task).Valid() && slices.ContainsFunc(entries, said) {
		return "", ""
	}
	known := func(s string) string {
		if s == unknown {
			return ""
		}
		return baseurl.Shown(s)
	}
	return known(a.Program), known(a.Model)
}

// Mailer sends and receives all mail of a session.
type Mailer struct {
	Options
	joining  sync.Mutex // one registration at a time
	mu       sync.Mutex
	ready    bool
	sender   string // our name on the server
	joined   map[string]Mailbox
	progress map[string]*Progress
	known    map[string]string // mailbox names from an earlier process
	taken    map[string]string // message key to the call that it answers
	charged  map[string]bool   // beginnings of calls whose input was counted
	gone     bool              // the server is unreachable
}

// New returns a mailer. It sends nothing.
func New(o Options) *Mailer {
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	if o.Count == nil {
		o.Count = agent.EstimateTokens
	}
	return &Mailer{Options: o, sender: o.Sender, joined: make(map[string]Mailbox), progress: make(map[string]*Progress), known: make(map[string]string), taken: make(map[string]string), charged: make(map[string]bool)}
}

// Agent is an agent.Maker.
func (m *Mailer) Agent(s agent.Setup) (agent.Agent, error) { return &mailAgent{m, s}, nil }

// Join ensures that we and an agent have mailboxes, and returns the agent's. An
// existing registration is not changed.
func (m *Mailer) Join(ctx context.Context, s roster.Entry) (Mailbox, error) {
	m.joining.Lock()
	defer m.joining.Unlock()
	if err := m.open(ctx); err != nil {
		return Mailbox{}, err
	}
	m.mu.Lock()
	j, ok := m.joined[s.Agent]
	m.mu.Unlock()
	if ok {
		return j, nil
	}
	if strings.EqualFold(s.Agent, m.Sender) {
		return Mailbox{}, &fault.Error{
			Code: post.NameTaken, Detail: fault.Shown(s.Agent) + " is the session's own name",
			Hint: "rename the agent in the roster",
		}
	}
	a, err := m.mailbox(ctx, post.Registration{
		Project: m.Project, Name: s.Agent, Program: unknown, Model: unknown, Task: string(s.Role),
	})
	if err != nil {
		return Mailbox{}, err
	}
	j = Mailbox{Agent: s.Agent, Name: a.Name}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, other := range m.joined {
		if strings.EqualFold(other.Name, j.Name) {
			return Mailbox{}, sharedMailbox(s.Agent, other.Agent, j.Name)
		}
	}
	if strings.EqualFold(j.Name, m.sender) {
		return Mailbox{}, sharedMailbox(s.Agent, m.Sender, j.Name)
	}
	m.joined[s.Agent] = j
	return j, nil
}

// sharedMailbox returns the error for two agents with the same mailbox, whose messages
// could not be told apart.
func sharedMailbox(one, two, name string) error {
	return &fault.Error{
		Code: post.NameTaken, Detail: fmt.Sprintf("%s and %s would have the same mailbox, %s", fault.Shown(one), fault.Shown(two), fault.Shown(name)),
		Hint: "use names that differ in letters or digits; to some servers case and signs do not matter",
	}
}

// Open ensures that the project and our own mailbox exist.
func (m *Mailer) Open(ctx context.Context) error {
	m.joining.Lock()
	defer m.joining.Unlock()
	return m.open(ctx)
}

// Register opens the mailer, and registers our own mailbox also if it exists.
func (m *Mailer) Register(ctx context.Context) error {
	if err := m.Open(ctx); err != nil {
		return err
	}
	own := m.registration()
	own.Name = m.OwnName()
	a, err := m.Client.Register(ctx, own)
	switch fault.CodeOf(err) {
	case post.NameTaken, post.NotYours:
		return nil // the server registers agents, and this one exists
	case "":
		return m.Client.Keys().Keep(m.Client.URL(), m.Project, m.Sender, a.Name, a.Token)
	}
	return err
}

// registration returns that of our own mailbox.
func (m *Mailer) registration() post.Registration {
	return post.Registration{Project: m.Project, Name: m.Sender, Program: "brenner", Model: "none", Task: "runs sessions"}
}

func (m *Mailer) open(ctx context.Context) error {
	m.mu.Lock()
	ready := m.ready
	m.mu.Unlock()
	if ready {
		return nil
	}
	if _, err := m.Client.EnsureProject(ctx, m.Project); err != nil {
		return err
	}
	own := m.registration()
	a, err := m.mailbox(ctx, own)
	if fault.CodeOf(err) == post.OtherProject && !m.Fixed { // names are global there, and another project runs sessions, too
		own.Name = senderOf(m.Sender, m.Project)
		if a, err = m.mailbox(ctx, own); fault.CodeOf(err) == post.OtherProject {
			f := *fault.Distinct(err)[0]
			f.Hint = "another project took the name of this project's sessions: delete or rename it on the server, or use another server"
			return &f
		}
		if err == nil {
			err = m.Client.Keys().Keep(m.Client.URL(), m.Project, m.Sender, a.Name, a.Token)
		}
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.ready, m.sender = true, a.Name
	m.mu.Unlock()
	return nil
}

// senderOf returns our name on a server on which another project has it: with a part that only this project has.
func senderOf(name, project string) string {
	sum := sha256.Sum256([]byte(project))
	return name + hex.EncodeToString(sum[:3])
}

// mailbox finds an agent's mailbox, by the known name or its own, or registers one. A name that another project has is
// refused: on servers with global names, a registration would take it away from that project.
func (m *Mailer) mailbox(ctx context.Context, r post.Registration) (post.Agent, error) {
	m.mu.Lock()
	name, ok := m.known[r.Name]
	m.mu.Unlock()
	if !ok {
		name = m.Client.Keys().Name(m.Client.URL(), m.Project, r.Name)
	}
	if err := m.Client.CheckProject(ctx, m.Project, name); err != nil {
		return post.Agent{}, err
	}
	a, err := m.Client.Whois(ctx, m.Project, name)
	if fault.CodeOf(err) != post.NotFound {
		return a, err
	}
	a, err = m.Client.Register(ctx, r)
	if fault.CodeOf(err) == post.NameTaken { // registered concurrently, or the server's choice is taken
		if there, err := m.Client.Whois(ctx, m.Project, r.Name); err == nil {
			return there, nil
		}
	}
	return a, err
}

// Restore sets state of an earlier process: mailbox names, including ours, and the
// messages already taken as replies.
func (m *Mailer) Restore(names map[string]string, taken []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for agent, name := range names {
		m.known[agent] = name
	}
	for _, key := range taken {
		if _, ok := m.taken[key]; !ok {
			m.taken[key] = "" // not a call id
		}
	}
}

// note updates the progress of a call and notifies the observer.
func (m *Mailer) note(call, name string, j Mailbox, change func(*Progress)) {
	m.mu.Lock()
	s, ok := m.progress[call]
	if !ok {
		s = &Progress{Call: call, Agent: name, Name: j.Name}
		m.progress[call] = s
	}
	before := *s
	change(s)
	now := *s
	m.mu.Unlock()
	if m.Observe != nil && now != before {
		m.Observe(now)
	}
}

// away reports once that the server is unreachable, and once that it responds again, however many calls wait.
func (m *Mailer) away(err error) {
	m.mu.Lock()
	changed := m.gone != (err != nil)
	m.gone = err != nil
	m.mu.Unlock()
	if changed && m.Trouble != nil {
		m.Trouble(err)
	}
}

// take claims a message as the reply to a call. It returns false if the message
// belongs to another call.
func (m *Mailer) take(key, call string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if by, ok := m.taken[key]; ok {
		return by == call
	}
	m.taken[key] = call
	return true
}

// charge reports whether to count a call's input, which happens once.
func (m *Mailer) charge(call string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.charged[call] {
		return false
	}
	m.charged[call] = true
	return true
}

// Compiled is a version of an artifact, to be sent to all agents.
type Compiled struct {
	Thread  string
	Version int
	Subject string
	Bodies  map[string]string // Markdown, by the roster's name
	Whole   string            // Markdown, for our own mailbox, where the operator reads it
	Again   bool              // an earlier process began to send it
}

// Publish sends COMPILED, once for each version and recipient. It returns the
// messages and the agents that were not reached. After an error, the remaining
// agents were not tried.
func (m *Mailer) Publish(ctx context.Context, c Compiled) (sent []post.Message, missed []string, err error) {
	if err := m.Open(ctx); err != nil {
		return nil, nil, err
	}
	names := make([]string, 0, len(c.Bodies))
	for name := range c.Bodies {
		names = append(names, name)
	}
	slices.Sort(names)
	send := func(to, body string) error {
		draft := post.Draft{Project: m.Project, From: m.from(), To: []string{to}, Thread: c.Thread, Subject: c.Subject, Body: body, Again: c.Again}
		mark := post.MarkerOf(c.Thread, 0, to, "compiled/"+strconv.Itoa(c.Version)+"/"+to)
		s, err := m.Client.SendOnce(ctx, draft, mark)
		if fault.CodeOf(err) == post.KeyReused { // already sent, with a view from before a later note
			s, err = m.Client.Marked(ctx, draft, mark)
		}
		sent = append(sent, s.Messages...)
		return err
	}
	for _, name := range names {
		j, err := m.Join(ctx, roster.Entry{Agent: name})
		if err == nil {
			err = send(j.Name, c.Bodies[name])
		}
		switch fault.CodeOf(err) {
		case "":
		case post.Blocked, post.NameTaken, post.NotFound, post.OtherProject: // only this agent is unreachable
			missed = append(missed, name)
		default:
			return sent, names[slices.Index(names, name):], err
		}
	}
	return sent, missed, send(m.from(), c.Whole)
}

// names maps lower-case names on the server to the roster's names.
func (m *Mailer) names(agents []string) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make(map[string]string)
	for _, a := range agents {
		name := a
		if known, ok := m.known[a]; ok {
			name = known
		}
		if j, ok := m.joined[a]; ok {
			name = j.Name
		}
		key := strings.ToLower(name)
		if _, ok := names[key]; ok { // two agents with one mailbox: the author is unknown
			names[key] = ""
			continue
		}
		names[key] = a
	}
	maps.DeleteFunc(names, func(_, agent string) bool { return agent == "" })
	return names
}

// OwnName returns our name on the server, as far as it is known.
func (m *Mailer) OwnName() string { return m.from() }
