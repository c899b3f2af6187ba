package flow

import (
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/merge"
	"brenner/roster"
)

// ViaOpenAI and ViaProgram are the kinds of agents whose way is pinned: a model at an endpoint, and
// a program.
const (
	ViaOpenAI  = "openai"
	ViaProgram = "program"
)

// Rerouted returns the parties with other ways to some of them.
func Rerouted(parties []Party, ways []NewWay) []Party {
	all := slices.Clone(parties)
	for i := range all {
		for _, w := range ways {
			if w.Agent == all[i].Name {
				way := w.Way
				all[i].ModelID, all[i].Way = w.ModelID, &way
			}
		}
	}
	return all
}

// Changes reports whether the way differs from how the party is reached.
func (w *NewWay) Changes(p *Party) bool {
	return p.Way == nil || *p.Way != w.Way || p.ModelID != w.ModelID
}

// Host returns the host and port of the endpoint, or "".
func (w *Way) Host() string {
	if w == nil {
		return ""
	}
	_, rest, _ := strings.Cut(w.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// Asked describes what is really asked: "llama3 at 127.0.0.1:8080", "codex 0.46.0", "rehearsal".
// It is "" for models and programs of sessions opened before ways were pinned.
func (p *Party) Asked() string {
	switch {
	case p.Via != ViaOpenAI && p.Via != ViaProgram:
		return p.Via
	case p.Way == nil:
		return ""
	}
	name := p.ModelID
	if p.Via == ViaProgram {
		name = programName(p.Way)
		if p.ModelID != "" {
			name += " with " + p.ModelID
		}
	}
	if host := p.Way.Host(); host != "" {
		name += " at " + host
	}
	return name
}

// programName returns the name and the version of a program. Most programs report their own name
// with the version.
func programName(w *Way) string {
	switch {
	case w.Version == "":
		return w.Program
	case strings.HasPrefix(w.Version, w.Program):
		return w.Version
	}
	return w.Program + " " + w.Version
}

// Reached returns the agent of a call as it was reached, or as it would be now if it has not begun.
func (s *State) Reached(c *Call) *Party {
	if c.By != nil {
		return c.By
	}
	return s.party(c.Agent)
}

// Author describes what was really asked by a call, and the model that answered if it is another
// one. It is "" for calls of sessions opened before ways were pinned.
func (s *State) Author(c *Call) string {
	p := s.Reached(c)
	if p == nil || p.Way == nil {
		return ""
	}
	if _, match := s.matchModel(c); match == MatchOther {
		return p.Asked() + ", answered by " + c.Answered.Model
	}
	return p.Asked()
}

// RepliedBy returns the agent as it was reached when it last replied, and what wrote its replies, in
// order. An agent that has not replied is as it is reached now. Replies before ways were pinned have
// the name of the requested model.
func (s *State) RepliedBy(p *Party) (last *Party, authors []string) {
	last, pinned := p, false
	for _, c := range s.Calls() {
		if c.Agent != p.Name || c.Status != Replied {
			continue
		}
		last = s.Reached(c)
		pinned = pinned || last.Way != nil
		if author := cmp.Or(s.Author(c), last.ModelID, last.Via); !slices.Contains(authors, author) {
			authors = append(authors, author)
		}
	}
	if !pinned {
		return last, nil
	}
	return last, authors
}

// newWay returns how the agent of an exchange was reached when it answered, or nil if as opened.
func (s *State) newWay(x *Exchange) *NewWay {
	by := x.Ask.By
	if by == nil || by.Way == nil || x.Answer() == nil {
		return nil
	}
	opened := s.Opened.Party(by.Name)
	w := &NewWay{Agent: by.Name, ModelID: by.ModelID, Way: *by.Way}
	if !w.Changes(&opened) {
		return nil
	}
	return w
}

// Pinned reports whether the session was opened with the ways to its models and programs.
func (o *Opened) Pinned() bool {
	return slices.ContainsFunc(o.Agents, func(p Party) bool { return p.Way != nil })
}

// SetAuthors sets the agents of the rules for a commit, as they were reached when they answered,
// with what was really asked. Agents are those at the time of the commit. Sessions opened before
// ways were pinned keep the roster's words.
func (s *State) SetAuthors(r *merge.Rules, c *Committed, agents []Party) {
	if !s.Opened.Pinned() {
		return
	}
	leg := s.Leg(c.Round, c.Leg)
	now := make(map[string]string)
	r.Agents, r.Asked = nil, make(map[string]string)
	for i := range agents {
		p := &agents[i]
		if p.Way != nil {
			now[p.Name] = p.Asked()
			r.Asked[p.Name] = now[p.Name]
		}
		if x := leg.of(p.Name); x != nil && c.Source == ByRound && x.Ask.By != nil && x.Ask.By.Way != nil {
			p = x.Ask.By
			r.Asked[p.Name] = s.Author(&x.Ask)
		}
		r.Agents = append(r.Agents, p.Entry())
	}
	r.Roster = withAsked(r.Roster, now)
}

// of is Of for a leg that may be nil.
func (l *Leg) of(agent string) *Exchange {
	if l == nil {
		return nil
	}
	return l.Of(agent)
}

// withAsked returns a roster whose entries say what is really asked.
func withAsked(v artifact.Value, asked map[string]string) artifact.Value {
	m, _ := v.(artifact.Map)
	found, _ := m.Get("entries")
	entries, ok := found.(artifact.List)
	if !ok {
		return v
	}
	entries = slices.Clone(entries)
	for i := range entries {
		entry, _ := entries[i].(artifact.Map)
		name, _ := entry.Get("agentName")
		agent, _ := name.(artifact.Text)
		if text := asked[string(agent)]; text != "" {
			entries[i] = artifact.MapOf(append(slices.Clone(entry), artifact.Entry{Key: "asked", Value: artifact.Text(text)})...)
		}
	}
	return artifact.MapOf(append(slices.Clone(m), artifact.Entry{Key: "entries", Value: entries})...)
}

// AskedRoster returns the roster with what is really asked of each agent whose way is known. Names
// of hosts are not part of it: agents read it.
func AskedRoster(r roster.Roster, parties []Party) roster.Roster {
	r.Entries = slices.Clone(r.Entries)
	for i := range r.Entries {
		for j := range parties {
			if p := &parties[j]; p.Name == r.Entries[i].Agent && p.Way != nil {
				asked := p.Entry()
				r.Entries[i].Program, r.Entries[i].Model = asked.Program, asked.Model
			}
		}
	}
	return r
}
