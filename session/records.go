package session

import (
	"sort"
	"strings"

	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// A session keeps what it sends and receives as records beside the versions of its artifact:
// the roster, and each agent's kickoffs and replies. They are linked, so that a lineage leads
// from a version to the replies behind it, the messages they answer, and what those showed. All
// of it derives from the journal, which is the only source of truth.

const (
	rosterPrefix  = "roster/"
	kickoffPrefix = "kickoff/"
	replyPrefix   = "reply/"
	requestPrefix = "stalemate/"
	verdictPrefix = "verdict/"
)

func rosterID(thread string) string { return rosterPrefix + thread }

func kickoffID(thread, agent string) string { return kickoffPrefix + thread + "/" + agent }

func replyID(thread, agent string) string { return replyPrefix + thread + "/" + agent }

// IsReplyOf reports whether an id is that of the answers of an agent of a session.
func IsReplyOf(thread, id string) bool { return strings.HasPrefix(id, replyID(thread, "")) }

func requestID(thread, id string) string { return requestPrefix + thread + "/" + id }

func verdictID(thread, id string) string { return verdictPrefix + thread + "/" + id }

// sideRecords returns the records derived from entries, other than versions of the artifact, in
// the current wording. The state is the one before the entries.
func sideRecords(before *flow.State, entries []journal.Entry) (records []record.Record, blobs [][]byte, err error) {
	return wordings()[0].sideRecords(before, entries)
}

func (w *words) sideRecords(before *flow.State, entries []journal.Entry) (records []record.Record, blobs [][]byte, err error) {
	s := &sideBuilder{words: w, opened: before.Opened, kickoffs: make(map[string]int), replies: make(map[string]int), calls: make(map[string]flow.Call), places: make(map[string]string), requests: make(map[string]int), version: before.Version()}
	for i := range before.Legs {
		for _, k := range before.Legs[i].Kickoffs {
			s.kickoffs[k.Agent]++
		}
	}
	for _, c := range before.Calls() {
		s.calls[c.ID] = *c
		if c.Status == flow.Replied {
			s.replies[c.Agent]++
		}
	}
	for i := range before.Commits {
		for _, l := range before.Commits[i].Letters {
			s.replies[l.Agent]++
		}
	}
	for _, m := range before.Stalemates {
		s.places[m.ID], s.requests[m.ID] = m.Place, len(m.Former)+1
	}
	for i := range entries {
		if err := s.apply(&entries[i]); err != nil {
			return nil, nil, err
		}
	}
	return s.records, s.blobs, nil
}

type sideBuilder struct {
	words             *words
	opened            flow.Opened
	kickoffs, replies map[string]int       // versions so far, by agent
	calls             map[string]flow.Call // by id
	places            map[string]string    // subjects of stalemates, by id
	requests          map[string]int       // versions so far, by id of the stalemate
	version           int                  // of the artifact
	records           []record.Record
	blobs             [][]byte
}

func (s *sideBuilder) apply(e *journal.Entry) error {
	switch e.Kind {
	case flow.KindOpened:
		o, err := journal.Decode[flow.Opened](e, flow.BadSequence)
		if err != nil {
			return err
		}
		s.opened = o
		s.addRoster(e)
	case flow.KindPlanned:
		p, err := journal.Decode[flow.Planned](e, flow.BadSequence)
		if err != nil {
			return err
		}
		for i := range p.Kickoffs {
			s.addKickoff(e, &p, &p.Kickoffs[i])
		}
	case flow.KindBegan:
		b, err := journal.Decode[flow.Began](e, flow.BadSequence)
		if err != nil {
			return err
		}
		s.calls[b.Call] = flow.Call{ID: b.Call, Agent: b.Agent, Round: b.Round, Turn: b.Turn}
	case flow.KindAnswered:
		a, err := journal.Decode[flow.Answered](e, flow.BadSequence)
		if err != nil {
			return err
		}
		c := s.calls[a.Call]
		s.addReply(e, c.Agent, a.Reply, s.words.answer(&c))
	case flow.KindCommitted:
		c, err := journal.Decode[flow.Committed](e, flow.BadSequence)
		if err != nil {
			return err
		}
		s.version = c.Version
		for i := range c.Letters {
			l := &c.Letters[i]
			s.addReply(e, l.Agent, l.Body, s.words.letter(l))
		}
	case flow.KindStalemate:
		m, err := journal.Decode[flow.Stalemated](e, flow.BadSequence)
		if err != nil {
			return err
		}
		s.addStalemate(e, &m)
	}
	return nil
}

// addStalemate adds the request when a stalemate is opened, or a model was asked about it, and the verdict when it is ruled on.
func (s *sideBuilder) addStalemate(e *journal.Entry, m *flow.Stalemated) {
	thread := s.opened.Thread
	switch {
	case m.State == stalemate.Open && m.Request != "":
		if s.requests[m.ID]++; m.Place != "" {
			s.places[m.ID] = m.Place
		}
		r := record.Record{
			ID: requestID(thread, m.ID), Type: record.StalemateRequest, Version: s.requests[m.ID], Content: m.Request, Creator: m.By,
			Summary: s.words.stuck(m, s.about(m.ID)),
		}
		if r.Creator == "" {
			r.Creator = s.opened.Operator
		}
		if s.version > 0 {
			r.Links = []record.Link{{Relation: record.Cites, ID: thread, Version: s.version}}
		}
		s.addRecord(e, r)
	case m.Verdict != "":
		s.addRecord(e, record.Record{
			ID: verdictID(thread, m.ID), Type: record.StalemateVerdict, Version: 1, Content: m.Verdict, Creator: m.By,
			Summary: s.words.ruled(m, s.about(m.ID)),
			Links:   []record.Link{{Relation: record.RepliesTo, ID: requestID(thread, m.ID), Version: s.requests[m.ID]}},
		})
	}
}

func (s *sideBuilder) about(id string) string { return s.words.about(s.places[id], s.opened.Thread) }

func (s *sideBuilder) addRecord(e *journal.Entry, r record.Record) {
	r.Parent, r.Status, r.Module, r.At = r.Version-1, record.Draft, moduleOf(&s.opened), e.At
	r.SummaryOf, r.SummaryBy = r.Content, record.Extracted
	if s.opened.Rehearsal != "" {
		r.Tags = []string{record.Rehearsal}
	}
	s.records = append(s.records, r)
}

func (s *sideBuilder) addRoster(e *journal.Entry) {
	s.blobs = append(s.blobs, s.opened.Roster)
	r := record.Record{
		ID: rosterID(s.opened.Thread), Type: record.Roster, Version: 1, Content: store.Hash(s.opened.Roster), Creator: s.opened.Operator,
		Summary: s.words.roster(&s.opened),
	}
	if task, err := record.ParseAddress(s.opened.Task); err == nil && s.opened.Task != "" {
		r.Links = []record.Link{{Relation: record.DerivesFrom, ID: task.ID, Version: task.Version}}
	}
	s.addRecord(e, r)
}

func (s *sideBuilder) addKickoff(e *journal.Entry, p *flow.Planned, k *flow.Kickoff) {
	s.kickoffs[k.Agent]++
	r := record.Record{
		ID: kickoffID(s.opened.Thread, k.Agent), Type: record.Kickoff, Version: s.kickoffs[k.Agent], Content: k.Body, Creator: s.opened.Operator,
		Summary: s.words.kickoff(p, k),
		Links:   []record.Link{{Relation: record.DerivesFrom, ID: rosterID(s.opened.Thread), Version: 1}},
	}
	if p.Base > 0 {
		r.Links = append(r.Links, record.Link{Relation: record.DerivesFrom, ID: s.opened.Thread, Version: p.Base})
	}
	for _, ref := range k.Records {
		r.Links = append(r.Links, record.Link{Relation: record.Cites, ID: ref.ID, Version: ref.Version})
	}
	s.addRecord(e, r)
}

// addReply adds an answer or a letter. In threads that another tool began, letters answer no
// kickoff.
func (s *sideBuilder) addReply(e *journal.Entry, agent, content, summary string) {
	s.replies[agent]++
	r := record.Record{
		ID: replyID(s.opened.Thread, agent), Type: record.Reply, Version: s.replies[agent], Content: content, Creator: agent,
		Summary: summary,
	}
	if n := s.kickoffs[agent]; n > 0 {
		r.Links = []record.Link{{Relation: record.RepliesTo, ID: kickoffID(s.opened.Thread, agent), Version: n}}
	}
	s.addRecord(e, r)
}

func moduleOf(o *flow.Opened) string {
	if o.Module == "" {
		return record.Project
	}
	return o.Module
}

// sourcesOf returns links to the replies and letters that a version was made from, or to the
// verdict that it carries out.
func sourcesOf(state *flow.State, c *flow.Committed) []record.Link {
	if c.Ruling != "" {
		return []record.Link{{Relation: record.DerivesFrom, ID: verdictID(state.Opened.Thread, c.Ruling), Version: 1}}
	}
	versions := make(map[string]int)
	var links []record.Link
	for _, h := range receivedReplies(state, c) {
		versions[h.agent]++
		if h.settledHere {
			links = append(links, record.Link{Relation: record.DerivesFrom, ID: replyID(state.Opened.Thread, h.agent), Version: versions[h.agent]})
		}
	}
	sort.SliceStable(links, func(i, j int) bool { return record.CompareRefs(links[i].Ref(), links[j].Ref()) < 0 })
	return links
}

type receivedReply struct {
	agent       string
	seq         int        // of its entry
	settledHere bool       // the commit in question settles it
	call        *flow.Call // that it answers; nil for letters
}

// CallOf returns the call that a record of a reply answers, or nil for letters and other records.
func (h *History) CallOf(reply record.Ref) *flow.Call {
	versions := make(map[string]int)
	for _, r := range receivedReplies(h.State, &flow.Committed{}) {
		id := replyID(h.Thread, r.agent)
		if versions[id]++; id == reply.ID && versions[id] == reply.Version {
			return r.call
		}
	}
	return nil
}

// receivedReplies returns replies and letters in journal order. The commit may be stored or not.
func receivedReplies(state *flow.State, c *flow.Committed) []receivedReply {
	var all []receivedReply
	for _, call := range state.Calls() {
		if call.Status == flow.Replied {
			all = append(all, receivedReply{call.Agent, call.Seq, c.Source == flow.ByRound && call.Round == c.Round && call.Leg == c.Leg, call})
		}
	}
	stored := false
	for i := range state.Commits {
		one := &state.Commits[i]
		this := one.Seal == c.Seal
		stored = stored || this
		for _, l := range one.Letters {
			all = append(all, receivedReply{l.Agent, one.Seq, this, nil})
		}
	}
	if !stored {
		for _, l := range c.Letters {
			all = append(all, receivedReply{l.Agent, state.Head.Seq + 1, true, nil})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].seq < all[j].seq })
	return all
}
