package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/merge"
	"brenner/roster"
)

// ViaOpenAI and ViaProgram are the kinds of agents whose way is pinned: a model at an endpoint, and
// a program.
const (
	ViaOpenAI    = "openai"
	ViaProgram   = "program"
	viaRehearsal = "rehearsal"
)

// Scripted reports whether a party is played from a script.
func (p *Party) Scripted() bool { return p.Via == viaRehearsal }

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
	if p.Way == nil || p.ModelID != w.ModelID {
		return true
	}
	way := *p.Way
	way.Named = w.Way.Named
	return way != w.Way
}

// Host returns the host and port of the endpoint, or "".
func (w *Way) Host() string {
	if w == nil {
		return ""
	}
	_, rest, _ := strings.Cut(cmp.Or(w.Endpoint, w.Mail), "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// KickoffShort is the form of kickoffs for small contexts.
const KickoffShort = "short"

// Short reports whether the agent gets short kickoffs.
func (w *Way) Short() bool { return w != nil && w.Kickoff == KickoffShort }

// KickoffForm describes the kickoffs of the agent: "short (context of 4096 tokens, as the endpoint
// reports)".
func (w *Way) KickoffForm() string {
	form := "full"
	if w.Short() {
		form = KickoffShort
	}
	switch {
	case w != nil && w.Context > 0:
		form += fmt.Sprintf(" (context of %d tokens, as the endpoint reports)", w.Context)
	case w.Short():
		form += " (as configured)"
	}
	return form
}

// Asked describes what is really asked: "llama3 at 127.0.0.1:8080",
// "codex 0.46.0", "mail at 127.0.0.1:8765", "rehearsal".
// It is "" for models and programs of sessions opened before ways were pinned.
func (p *Party) Asked() string {
	switch {
	case p.Via == ViaMail && p.Way.Host() != "":
		return p.Via + " at " + p.Way.Host()
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

// Structured returns whether a party is asked for JSON by a schema, always ("schema") or if the endpoint takes it ("auto"), or
// "". Sessions opened before ways were pinned do not say it; the agent itself knows.
func (p *Party) Structured() string {
	switch {
	case p.Via != ViaOpenAI:
		return ""
	case p.Way == nil:
		return "auto"
	case p.Way.Structured == "schema" || p.Way.Structured == "auto":
		return p.Way.Structured
	}
	return ""
}

// FormatFix says what a person can do about a model that does not write deltas; structured is how they
// are requested, and how is added to the first advice. A session keeps the mode with which it began.
func FormatFix(structured, how string) string {
	fix := "ask another model" + how
	if structured == "" || structured == "fences" {
		fix += ", or set structured: auto for this one under agents.models: and start another session"
	}
	return fix
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
// one; of a reply by mail, what its mailbox says: "codex-cli with llama3 by mail". It is "" for calls of sessions opened before ways were pinned.
func (s *State) Author(c *Call) string {
	p := s.Reached(c)
	if p == nil || !s.Opened.names(p) {
		return ""
	}
	if p.Via == ViaMail && c.Status == Replied {
		return byMail(c.Answered.Program, c.Answered.Model, p.Asked())
	}
	_, match := s.matchModel(c)
	return p.author(c.Answered.Model, match)
}

// Author describes what is really asked, and the model that answered if it is another one.
func (p *Party) Author(answered string) string { return p.author(answered, p.match(answered)) }

func (p *Party) author(answered string, match Match) string {
	if match == MatchOther && p.Way != nil {
		return p.Asked() + ", answered by " + answered
	}
	return p.Asked()
}

// byMail describes the author of a reply by mail, if the mailbox says anything.
func byMail(program, model, unknown string) string {
	switch {
	case program == "" && model == "":
		return unknown
	case program != "" && model != "":
		program += " with "
	}
	return program + model + " by mail"
}

// names reports whether the session's texts say what the party really asks. Rehearsals do so since
// protocol 2.
func (o *Opened) names(p *Party) bool {
	return p.Way != nil || p.Via == viaRehearsal && o.Follows(SecondProtocol)
}

// Ruler describes what was really asked for the ruling of a commit, or "".
func (s *State) Ruler(c *Committed) string {
	if i := s.ruling(c); i >= 0 {
		return s.Author(&s.Rulings[i])
	}
	return ""
}

// ruling returns the index of the arbiter's call whose reply a commit carries out, or -1.
func (s *State) ruling(c *Committed) int {
	for i := len(s.Rulings) - 1; i >= 0 && c.Ruling != ""; i-- {
		if call := &s.Rulings[i]; call.Status == Replied && call.Turn != TurnExplain && call.Agent == c.Author && strings.Contains(call.ID, "/"+c.Ruling+"/") {
			return i
		}
	}
	return -1
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

// NamesAuthors reports whether artifacts of the session name endpoints and programs.
func (s *State) NamesAuthors() bool {
	return namedLate(s.Agents) || slices.ContainsFunc(s.Opened.Agents, func(p Party) bool { return p.Way != nil })
}

// SetAuthors sets the agents of the rules for a commit, as they were reached when they answered,
// with what was really asked. Agents are those at the time of the commit. Sessions opened before
// ways were pinned keep the roster's words until a way is journaled that names authors.
func (s *State) SetAuthors(r *merge.Rules, c *Committed, agents []Party) {
	late := namedLate(agents)
	if !late && !slices.ContainsFunc(WithArbiter(s.Opened.Agents, s.Opened.Arbiter), func(p Party) bool { return s.Opened.names(&p) }) {
		return
	}
	current := late || s.Opened.Follows(SecondProtocol)
	leg := s.Leg(c.Round, c.Leg)
	r.Agents, r.Asked, r.Repairs = nil, make(map[string]string), make(map[string]merge.Writer)
	for i := range agents {
		p := &agents[i]
		if s.Opened.names(p) {
			r.Asked[p.Name] = p.Asked()
		}
		if x := leg.of(p.Name); x != nil && c.Source == ByRound && x.Ask.By != nil && (late || x.Ask.By.Way != nil) {
			p = x.Ask.By
			r.Asked[p.Name] = cmp.Or(s.Author(&x.Ask), s.Opened.requested(p.Name))
			if by := x.Repair.By; by != nil && by.Way != nil && current {
				r.Repairs[p.Name] = merge.Writer{Model: by.ModelID, Asked: s.Author(&x.Repair)}
			}
		}
		r.Agents = append(r.Agents, p.Entry())
	}
	if asked := s.Ruler(c); asked != "" && current {
		r.Asked[c.Author] = asked
	}
	r.Roster = s.Opened.askedRoster(r.Roster, agents, current)
}

// namedLate reports whether a session opened without ways names authors.
func namedLate(agents []Party) bool {
	return slices.ContainsFunc(agents, func(p Party) bool { return p.Way != nil && p.Way.Named })
}

// NameEarlier returns the contributors; those whose ways were not known when they contributed get the
// requested model if later ones are named.
func (s *State) NameEarlier(all []artifact.Contributor, agents []Party) []artifact.Contributor {
	if !namedLate(agents) {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Asked = cmp.Or(all[i].Asked, s.Opened.requested(all[i].Agent))
	}
	return all
}

// requested returns the model or program that a model or program was requested as when the session
// was opened, or "".
func (o *Opened) requested(name string) string {
	if p := o.Party(name); p.Via == ViaOpenAI || p.Via == ViaProgram {
		return cmp.Or(p.ModelID, p.Program)
	}
	return ""
}

// of is Of for a leg that may be nil.
func (l *Leg) of(agent string) *Exchange {
	if l == nil {
		return nil
	}
	return l.Of(agent)
}

// askedRoster returns a roster whose entries say what is really asked of the agents. If current, as
// since protocol 2, models follow changes of the way, too.
func (o *Opened) askedRoster(v artifact.Value, agents []Party, current bool) artifact.Value {
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
		at := slices.IndexFunc(agents, func(p Party) bool { return artifact.Text(p.Name) == name })
		if at < 0 || !o.names(&agents[at]) {
			continue
		}
		p := &agents[at]
		keys := append(slices.Clone(entry), artifact.Entry{Key: "asked", Value: artifact.Text(p.Asked())})
		if p.Way != nil && p.Entry().Model != "" && current {
			keys = append(keys, artifact.Entry{Key: "model", Value: artifact.Text(p.ModelID)})
		}
		if p.Way != nil && p.Way.Named && p.Via != ViaProgram {
			keys = slices.DeleteFunc(keys, func(e artifact.Entry) bool { return e.Key == "program" || e.Key == "model" && p.Via == ViaMail })
		}
		entries[i] = artifact.MapOf(keys...)
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

// HasRoster reports whether the session was opened with a roster. A session has other words for
// models than its roster had, unless the configuration lists them: they do not count.
func (o *Opened) HasRoster(r roster.Roster) bool {
	for _, e := range r.Entries {
		p := o.Party(e.Agent)
		if p.Way != nil && (p.Via == ViaProgram && p.Program != e.Program || p.Model != "" && p.Model != e.Model) {
			return false
		}
	}
	return string(artifact.Canonical(AskedRoster(r, o.Agents).Value())) == string(o.Roster)
}
