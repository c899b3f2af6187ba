// Package mail is the kind of agent that is asked by mail: somebody with a mailbox
// on an Agent Mail server, who reads a kickoff, acknowledges it, and answers in the
// thread, in minutes or in hours.
//
// It promises: a call is one message, however often it is asked and whatever
// happens to its answer; a reply is the body of the message that answers it, whole;
// who acknowledged and did not answer is reminded once; waiting ends with the context.
//
// It must not know what a message says, what becomes of an answer, or how mail is kept.
package mail

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	post "brenner/mail"
	"brenner/roster"
)

// Options say whose mail it is. Client, Project and Sender are needed.
type Options struct {
	Client  *post.Client
	Project string // the absolute path of the project's folder
	Sender  string // our own name, under which kickoffs are sent
	// Poll is how often an agent's mail is looked at, at least; 0 is 2 s.
	Poll time.Duration
	// Nudge is how long after its acknowledgement an agent is reminded; 0 is half of
	// the time that is left then.
	Nudge time.Duration
	// Count counts the tokens of a text; nil guesses.
	Count func(string) int
	// Observe, if not nil, is told whenever an agent's standing changes. It is called
	// from the goroutines of the calls.
	Observe func(Standing)
	// Trouble, if not nil, is told when the server is gone while an agent's answer is
	// waited for; the wait goes on.
	Trouble func(agent string, err error)
}

// Standing is how far a call by mail has come; the zero time is "not yet".
type Standing struct {
	Call, Agent, Name               string // Name is the agent's own on the server
	Sent, Acked, Reminded, Answered time.Time
}

// Late tells whether an agent has been asked and has not answered.
func (s *Standing) Late() bool { return !s.Sent.IsZero() && s.Answered.IsZero() }

// Joined is an agent of the roster on the server, which may have renamed it.
type Joined struct{ Agent, Name, Model string }

// Desk is where all mail of a session goes out and comes in.
type Desk struct {
	Options
	joining sync.Mutex // one registration at a time
	mu      sync.Mutex
	ready   bool
	sender  string // our name on the server
	joined  map[string]Joined
	stands  map[string]*Standing
	known   map[string]string // names of agents on the server, from before
	taken   map[string]string // messages, by their keys, that are the answer to a call
	charged map[string]bool   // calls whose mail was counted
}

// New makes a desk. It sends nothing.
func New(o Options) *Desk {
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	if o.Count == nil {
		o.Count = agent.Guess
	}
	return &Desk{Options: o, sender: o.Sender, joined: make(map[string]Joined), stands: make(map[string]*Standing), known: make(map[string]string), taken: make(map[string]string), charged: make(map[string]bool)}
}

// Agent makes the agent of a roster's entry: it is an agent.Maker.
func (d *Desk) Agent(s agent.Setup) (agent.Agent, error) { return &correspondent{d, s}, nil }

// Join makes sure that we and an agent have mailboxes, and says under which name the
// agent has it. Whoever is registered already is left as it is.
func (d *Desk) Join(ctx context.Context, s roster.Entry) (Joined, error) {
	d.joining.Lock()
	defer d.joining.Unlock()
	if err := d.open(ctx); err != nil {
		return Joined{}, err
	}
	d.mu.Lock()
	j, ok := d.joined[s.Agent]
	d.mu.Unlock()
	if ok {
		return j, nil
	}
	if strings.EqualFold(s.Agent, d.Sender) {
		return Joined{}, &fault.Error{
			Code: post.NameTaken, Detail: fault.Shown(s.Agent) + " is the name under which the session itself writes",
			Hint: "give the agent another name in the roster",
		}
	}
	a, err := d.mailbox(ctx, post.Registration{Project: d.Project, Name: s.Agent, Program: s.Program, Model: s.Model, Task: string(s.Role)})
	if err != nil {
		return Joined{}, err
	}
	j = Joined{Agent: s.Agent, Name: a.Name, Model: a.Model}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.joined {
		if strings.EqualFold(other.Name, j.Name) {
			return Joined{}, shared(s.Agent, other.Agent, j.Name)
		}
	}
	if strings.EqualFold(j.Name, d.sender) {
		return Joined{}, shared(s.Agent, d.Sender, j.Name)
	}
	d.joined[s.Agent] = j
	return j, nil
}

// shared refuses one mailbox for two: what one of them wrote would count for both.
func shared(one, two, name string) error {
	return &fault.Error{
		Code: post.NameTaken, Detail: fmt.Sprintf("%s and %s would have the same mailbox, %s", fault.Shown(one), fault.Shown(two), fault.Shown(name)),
		Hint: "give the agents names that differ in more than case",
	}
}

// Open makes sure that there is a project, and a mailbox of our own.
func (d *Desk) Open(ctx context.Context) error {
	d.joining.Lock()
	defer d.joining.Unlock()
	return d.open(ctx)
}

func (d *Desk) open(ctx context.Context) error {
	d.mu.Lock()
	ready := d.ready
	d.mu.Unlock()
	if ready {
		return nil
	}
	if _, err := d.Client.EnsureProject(ctx, d.Project); err != nil {
		return err
	}
	a, err := d.mailbox(ctx, post.Registration{Project: d.Project, Name: d.Sender, Program: "brenner", Model: "none", Task: "runs sessions"})
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.ready, d.sender = true, a.Name
	d.mu.Unlock()
	return nil
}

// mailbox gives the mailbox of an agent: the one it is known to have, the one that
// has its name, or a new one.
func (d *Desk) mailbox(ctx context.Context, r post.Registration) (post.Agent, error) {
	d.mu.Lock()
	name, ok := d.known[r.Name]
	d.mu.Unlock()
	if !ok {
		name = d.Client.Keys().Name(d.Client.URL(), d.Project, r.Name)
	}
	a, err := d.Client.Whois(ctx, d.Project, name)
	if fault.CodeOf(err) != post.NotFound {
		return a, err
	}
	a, err = d.Client.Register(ctx, r)
	if fault.CodeOf(err) == post.NameTaken { // somebody was faster, or has the name that the server gives
		if there, err := d.Client.Whois(ctx, d.Project, r.Name); err == nil {
			return there, nil
		}
	}
	return a, err
}

// Recall tells the desk what an earlier process knew: under which names agents, and
// we ourselves, have mailboxes, and which messages were taken.
func (d *Desk) Recall(names map[string]string, taken []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for agent, name := range names {
		d.known[agent] = name
	}
	for _, key := range taken {
		if _, ok := d.taken[key]; !ok {
			d.taken[key] = "" // no call has this name
		}
	}
}

// note changes the standing of a call, and tells whoever wants to know.
func (d *Desk) note(call, name string, j Joined, change func(*Standing)) {
	d.mu.Lock()
	s, ok := d.stands[call]
	if !ok {
		s = &Standing{Call: call, Agent: name, Name: j.Name}
		d.stands[call] = s
	}
	before := *s
	change(s)
	now := *s
	d.mu.Unlock()
	if d.Observe != nil && now != before {
		d.Observe(now)
	}
}

func (d *Desk) trouble(agent string, err error) {
	if d.Trouble != nil {
		d.Trouble(agent, err)
	}
}

// take claims a message as the answer to a call; false is another call's answer.
func (d *Desk) take(key, call string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by, ok := d.taken[key]; ok {
		return by == call
	}
	d.taken[key] = call
	return true
}

// charge tells whether a call's mail is to be counted: once.
func (d *Desk) charge(call string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.charged[call] {
		return false
	}
	d.charged[call] = true
	return true
}

// Compiled is a version of an artifact that everybody is to see.
type Compiled struct {
	Thread  string
	Version int
	Subject string
	Bodies  map[string]string // Markdown, by agent of the roster
	Whole   string            // Markdown, for our own mailbox: people read it there
}

// Publish sends COMPILED, once for each version of a thread and each reader. It
// gives the messages, and the agents that were not reached; an error is one that
// kept it from reaching anybody further.
func (d *Desk) Publish(ctx context.Context, c Compiled) (sent []post.Message, missed []string, err error) {
	if err := d.Open(ctx); err != nil {
		return nil, nil, err
	}
	names := make([]string, 0, len(c.Bodies))
	for name := range c.Bodies {
		names = append(names, name)
	}
	slices.Sort(names)
	send := func(to, body string) error {
		draft := post.Draft{Project: d.Project, From: d.from(), To: []string{to}, Thread: c.Thread, Subject: c.Subject, Body: body}
		mark := post.MarkerOf(c.Thread, 0, to, "compiled/"+strconv.Itoa(c.Version)+"/"+to)
		s, err := d.Client.SendOnce(ctx, draft, mark)
		if fault.CodeOf(err) == post.KeyReused { // a note since then has changed what its view says: it was sent all the same
			s, err = d.Client.Marked(ctx, draft, mark)
		}
		sent = append(sent, s.Messages...)
		return err
	}
	for _, name := range names {
		j, err := d.Join(ctx, roster.Entry{Agent: name})
		if err == nil {
			err = send(j.Name, c.Bodies[name])
		}
		switch fault.CodeOf(err) {
		case "":
		case post.Blocked, post.NameTaken, post.NotFound: // this one cannot be reached, and others can
			missed = append(missed, name)
		default:
			return sent, names[slices.Index(names, name):], err
		}
	}
	return sent, missed, send(d.from(), c.Whole)
}

// Letter is what an agent wrote in a thread, not only in answer to a call.
type Letter struct {
	post.Message
	Agent string // the roster's name
	Round int    // of the thread, by its kickoffs
	Shown int    // the newest version that we had published before it; 0 is none
}

var compiledSubject = regexp.MustCompile(`(?i)^\s*COMPILED:\s*v(\d{1,6})\b`)

// Letters gives what agents of the roster wrote in a thread, oldest first, without
// signs of life.
func (d *Desk) Letters(ctx context.Context, id string, agents []string) ([]Letter, error) {
	if err := d.Open(ctx); err != nil {
		return nil, err
	}
	all, err := d.Client.Thread(ctx, post.ThreadQuery{Project: d.Project, Thread: id, Reader: d.from()})
	if err != nil {
		return nil, err
	}
	names := d.names(agents)
	var thread post.Thread
	seen := make(map[string]bool)
	shown := 0
	var letters []Letter
	for i := range all {
		m := &all[i]
		what, round := thread.Next(m)
		if v := compiledSubject.FindStringSubmatch(m.Subject); v != nil && strings.EqualFold(m.From, d.from()) {
			shown, _ = strconv.Atoi(v[1])
		}
		agent, ok := names[strings.ToLower(m.From)]
		if !ok || what != post.Answers && what != post.Criticises || m.ID == "" || seen[m.Key()] {
			continue
		}
		seen[m.Key()] = true // some servers list a message once for each recipient
		letters = append(letters, Letter{Message: *m, Agent: agent, Round: round, Shown: shown})
	}
	// What answers an earlier round belongs there, wherever it stands.
	slices.SortStableFunc(letters, func(a, b Letter) int { return cmp.Compare(a.Round, b.Round) })
	return letters, nil
}

// names says whose a name on the server is, in small letters.
func (d *Desk) names(agents []string) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make(map[string]string)
	for _, a := range agents {
		name := a
		if known, ok := d.known[a]; ok {
			name = known
		}
		if j, ok := d.joined[a]; ok {
			name = j.Name
		}
		key := strings.ToLower(name)
		if _, ok := names[key]; ok { // two with one mailbox: nobody can say whose its words are
			names[key] = ""
			continue
		}
		names[key] = a
	}
	maps.DeleteFunc(names, func(_, agent string) bool { return agent == "" })
	return names
}

// Own is our own name on the server, as far as it is known.
func (d *Desk) Own() string { return d.from() }
