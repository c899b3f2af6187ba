package mail

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"brenner/internal/fault"
	post "brenner/mail"
	"brenner/roster"
)

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
