// Package letters accounts for the messages of a session's mail thread: which are read, which are not, and why.
package letters

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/store"
)

// Letter is a message in a session's thread.
type Letter struct {
	flow.Letter        // Agent is empty for a sender that is not in the roster
	From        string // the sender's name on the server
	Text        string
	Files       []string // the names of its attachments
	Own         bool     // of the session itself
	ByHand      bool     // of its operator: neither a question nor a version
	Authority   bool     // of a person who may change everything; see WithAuthorities
	Sign        bool     // a sign of life without changes
	Round       int      // of the thread, counted by kickoffs from 1
	Sent        int      // the newest round when it was sent
	Basis       Basis    // what its author had before it
	Examples    []byte   // in the questions before it, if the session did not ask them; see ThreadExamples
}

// Basis is the question or version that a letter answers or, if it answers none, the last one sent to
// its author before it. Without such a message it is zero. Direct means that the letter answers it.
type Basis struct {
	At      time.Time
	Version int // of a version that the session published
	Round   int // of the session, of its own question
	Direct  bool
}

// shown returns the version that the author of a letter had seen. A question of another tool shows what
// its agents had written before it.
func (b *Basis) shown(state *flow.State) int {
	if 0 < b.Version && b.Version <= state.Version() {
		return b.Version
	}
	for i := range state.Legs {
		if b.Round > 0 && state.Legs[i].Round == b.Round {
			return state.Legs[i].Base
		}
	}
	version := 0
	for i := range state.Commits {
		c := &state.Commits[i]
		later := func(l flow.Letter) bool { return !isBefore(l.At, b.At) }
		if b.At.IsZero() || slices.ContainsFunc(c.Letters, later) || c.Source != flow.ByBrief && c.Source != flow.ByThread && !isBefore(c.At, b.At) {
			break
		}
		version = c.Version
	}
	return version
}

func isBefore(at string, t time.Time) bool {
	instant, err := artifact.ParseInstant(at)
	return err == nil && instant.Before(t)
}

// Row is what became of a message in a session's thread. The outcome is one of an agent in a
// round, or one of those below.
type Row struct {
	ID   string `json:"id"`
	From string `json:"from"`
	flow.Heard
	Subject string `json:"subject"`
	At      string `json:"at"`
	New     bool   `json:"new,omitzero"`     // read for the first time
	Round   int    `json:"round,omitzero"`   // of the session, for a reply to a call
	Version int    `json:"version,omitzero"` // the one it was merged into
	Of      string `json:"of,omitempty"`     // the message that it repeats
	// Conflicts are the places at which a new message conflicts with another: H1.claim.
	Conflicts []string `json:"conflicts,omitempty"`
	// Refusals are the parts of a message that were not taken.
	Refusals []settle.Refusal `json:"refusals,omitempty"`
	// Warnings are about references in the message, bound to another's item or to none, and about corrections.
	// `session compile` lists those of new messages, `session status` all.
	Warnings []merge.Warning `json:"warnings,omitempty"`
}

// The codes for parts of messages that are not read.
const (
	OperatorMessage  fault.Code = "OPERATOR_MESSAGE"  // A message of the operator in a session's thread has a change; such messages are not read.
	UnreadAttachment fault.Code = "UNREAD_ATTACHMENT" // A message in a session's thread has an attachment; only its text is read.
)

// Outcomes of messages that were not read.
const (
	Own      = "own"           // a question, a version or a reminder of the session
	Stranger = "not_in_roster" // its sender is neither in the roster nor an authority
	Sign     = "sign_of_life"  // its subject says so (ACK, CLAIM, INFO, …), and it attempts no change
	Repeated = "duplicate"     // its sender wrote the same text, or all of its changes, before
	Reply    = "reply"         // it answers a call whose round is not settled yet
	Replaced = "corrected"     // a reply that was corrected: its outcome is that of the correction
	Waiting  = "waiting"       // not merged yet
	Merged   = "merged"        // in a session before reader/2, which did not store outcomes
	Nameless = "no_id"         // the server gave it no id
)

// TookPart reports whether the message contributed, or said that there is nothing to change.
func (r *Row) TookPart() bool {
	return r.Outcome == flow.Contributed || r.Outcome == flow.NoChanges
}

// CameToNothing reports whether an agent's new message was read and changed nothing, without saying
// that nothing is to change.
func (r *Row) CameToNothing() bool {
	return r.New && !r.TookPart() && r.Outcome != Waiting && r.Outcome != Repeated
}

// HoldsChanges reports whether a text contains deltas of its own, readable or not, or the words NO
// CHANGES. An announcement is not enough.
func HoldsChanges(text string) bool {
	r := delta.Read([]byte(text), delta.Options{NoChanges: true})
	return r.NoChanges != nil || r.Open > 0 || slices.ContainsFunc(r.Blocks, func(b delta.Block) bool {
		return !b.Skipped() && (b.OK || b.Problems[0].Code != delta.ProseOnly)
	})
}

// attempts reports whether a text has something that a person would read as a change, in whatever form.
func attempts(text string) bool {
	return slices.ContainsFunc(delta.Read([]byte(text), delta.Options{}).Blocks, func(b delta.Block) bool { return !b.Skipped() || b.Flagged(delta.FlagDraft) })
}

// AccountFor returns what became of each message of a thread, in its order, and the letters that are
// not merged yet, by round. A reply to an earlier round belongs to that round.
func AccountFor(state *flow.State, all []Letter) (rows []Row, fresh []Letter) {
	before, known := journaled(state), state.KnownTexts()
	for i := range all {
		l := &all[i]
		row := Row{ID: l.ID, From: l.From, Subject: l.Subject, At: l.At, Heard: flow.Heard{Agent: l.Agent, Outcome: Waiting}}
		text := flow.AgentText{Agent: l.Agent, Hash: store.Hash([]byte(l.Text))}
		of, repeated := l.repeats(known)
		have, merged := before[l.ID]
		switch {
		case l.Own:
			row.Outcome = Own
			if l.ByHand {
				row.Refusals = l.refusals(OperatorMessage, "a message of the operator is not read; `brenner session apply` makes changes by hand")
			}
		case l.Agent == "":
			row.Outcome, row.Refusals = Stranger, l.refusals(merge.UnknownAgent, fault.Shown(l.From)+" is neither in the roster nor an authority")
		case strings.HasPrefix(l.ID, "@"): // only a time
			row.Outcome = Nameless
		case merged:
			row.Heard, row.Round, row.Version, row.Of = have.Heard, have.Round, have.Version, have.Of
		case l.Sign && (state.Head.Seq > 0 && state.Opened.Reads() == delta.FirstReader || !attempts(l.Text)):
			row.Outcome = Sign
		case repeated:
			row.Outcome, row.Of = Repeated, of
		default:
			known[text], row.New = l.ID, true
			fresh = append(fresh, *l)
		}
		row.Refusals = append(row.Refusals, l.unreadFiles()...)
		rows = append(rows, row)
	}
	slices.SortStableFunc(fresh, func(a, b Letter) int { return a.Compare(&b) })
	return rows, fresh
}

// repeats returns the message whose text the letter repeats. Space at its end does not count.
func (l *Letter) repeats(known map[flow.AgentText]string) (of string, ok bool) {
	trimmed := strings.TrimRight(l.Text, " \t\r\n")
	for _, text := range []string{l.Text, trimmed, trimmed + "\n"} {
		if of, ok = known[flow.AgentText{Agent: l.Agent, Hash: store.Hash([]byte(text))}]; ok {
			break
		}
	}
	return of, ok
}

// refusals returns the changes in a message that is not read.
func (l *Letter) refusals(code fault.Code, why string) (all []settle.Refusal) {
	reply := delta.Read([]byte(l.Text), delta.Options{Reader: delta.NewestReader, Author: l.From})
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; !b.Skipped() {
			all = append(all, settle.Refusal{Line: b.Line, Delta: b.Delta.Brief(), Code: code, Message: why})
		}
	}
	return all
}

// unreadFiles returns the attachments of a message, of which nothing is read. What the session sends has none.
func (l *Letter) unreadFiles() (all []settle.Refusal) {
	if l.Own && !l.ByHand {
		return nil
	}
	for _, name := range l.Files {
		all = append(all, settle.Refusal{Code: UnreadAttachment, Message: "the attachment " + fault.Shown(name) + " is not read; changes in it have to be sent in the text of a message"})
	}
	return all
}

// Compare orders letters by round. A late one comes after those of the rounds that ended before it: the
// authors of those cannot have seen it. Those of authorities come last, in a commit of their own: what they write is later
// than what agents wrote.
func (l *Letter) Compare(m *Letter) int {
	return cmp.Or(l.Sent-m.Sent, l.Round-m.Round, boolInt(l.Authority)-boolInt(m.Authority))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// WithAuthorities sets the authors of letters that authorities sent. They are read as the letters of agents are, but their authors
// may change everything.
func WithAuthorities(all []Letter, authorities []string) []Letter {
	for i := range all {
		l := &all[i]
		at := slices.IndexFunc(authorities, func(name string) bool { return strings.EqualFold(name, l.From) })
		if at >= 0 && l.Agent == "" && !l.Own {
			l.Agent, l.Authority = authorities[at], true
		}
	}
	return all
}

// journaled returns what became of the messages in the journal, by id.
func journaled(state *flow.State) map[string]Row {
	all := make(map[string]Row)
	for _, c := range state.Calls() {
		if c.Status == flow.Replied && c.Answered.Letter != "" {
			all[c.Answered.Letter] = Row{Round: c.Round, Heard: flow.Heard{Agent: c.Agent, Outcome: Reply}}
		}
	}
	addCorrected(all, state)
	settled := make(map[flow.Absence]*flow.Commit)
	for i := range state.Commits {
		c := &state.Commits[i]
		for _, l := range c.Letters {
			row := Row{Heard: l.Heard, Version: c.Version}
			if row.Outcome == "" {
				row.Heard = flow.Heard{Agent: l.Agent, Outcome: Merged}
			}
			all[l.ID] = row
		}
		for _, h := range c.Heard {
			settled[flow.Absence{Agent: h.Agent, Round: c.Round}] = c
		}
	}
	for id, row := range all {
		c := settled[flow.Absence{Agent: row.Agent, Round: row.Round}]
		if row.Outcome != Reply || c == nil {
			continue
		}
		at := slices.IndexFunc(c.Heard, func(h flow.Heard) bool { return h.Agent == row.Agent })
		row.Heard, row.Version = state.HeardIn(c)[at], c.Version
		all[id] = row
	}
	return all
}

// addCorrected adds the replies by mail that were corrected by mail.
func addCorrected(all map[string]Row, state *flow.State) {
	for i := range state.Legs {
		for j := range state.Legs[i].Exchanges {
			x := &state.Legs[i].Exchanges[j]
			first, second := x.Answer(), x.RepairAnswer()
			if first != nil && second != nil && first.Answered.Letter != "" && second.Answered.Letter != "" {
				all[first.Answered.Letter] = Row{Round: first.Round, Of: second.Answered.Letter, Heard: flow.Heard{Agent: x.Agent, Outcome: Replaced}}
			}
		}
	}
}

// Rows returns what became of the messages of the thread that were merged outside of calls.
func Rows(state *flow.State) []Row {
	var rows []Row
	known := journaled(state)
	for i := range state.Commits {
		for _, l := range state.Commits[i].Letters {
			row := known[l.ID]
			row.ID, row.From, row.Subject, row.At = l.ID, l.Agent, l.Subject, l.At
			rows = append(rows, row)
		}
	}
	return rows
}

// Commit returns the commit of the letters that are not in the journal, and what Journal returns.
func Commit(state *flow.State, letters []Letter, at string) (flow.Committed, [][]byte) {
	_, fresh := AccountFor(state, letters)
	c := flow.Committed{Source: flow.ByThread, At: at}
	var texts [][]byte
	c.Letters, texts = Journal(state, fresh)
	return c, texts
}

// Journal returns letters as the journal has them, with their texts and then the examples that are not stored
// yet. A shown version that is unknown or does not exist yet is replaced by the current one.
func Journal(state *flow.State, fresh []Letter) (all []flow.Letter, texts [][]byte) {
	var examples [][]byte
	stored := make(map[string]bool)
	for _, l := range fresh {
		if state.Opened.Reads() == delta.FirstReader {
			if l.To = nil; l.Shown <= 0 || l.Shown > state.Version() {
				l.Shown = state.Version()
			}
			all, texts = append(all, l.Letter), append(texts, []byte(l.Text))
			continue
		}
		l.Shown, l.Letter.Round, l.Direct = l.Basis.shown(state), l.roundIn(state), l.Basis.Direct
		if l.Authority {
			l.Shown = state.Version() // as for changes by hand
		}
		if l.Letter.Examples, l.More = kickoffExamples(state, l.Agent); l.Letter.Examples == "" && l.Examples != nil {
			l.Letter.Examples = store.Hash(l.Examples)
			if !stored[l.Letter.Examples] {
				examples, stored[l.Letter.Examples] = append(examples, l.Examples), true
			}
		}
		all, texts = append(all, l.Letter), append(texts, []byte(l.Text))
	}
	return all, append(texts, examples...)
}

// roundIn returns the round of a letter: of the session or, in that of another tool, of the thread.
func (l *Letter) roundIn(state *flow.State) int {
	switch {
	case len(state.Legs) == 0:
		return l.Round
	case l.Basis.Round > 0:
		return l.Basis.Round
	}
	return state.Round()
}

// kickoffExamples returns the hash of the examples in the session's last kickoff to an agent, and those
// of all other kickoffs.
func kickoffExamples(state *flow.State, agent string) (last string, others []string) {
	for i := range state.Legs {
		for _, k := range state.Legs[i].Kickoffs {
			if k.Agent == agent {
				last = k.Examples
			}
			if !slices.Contains(others, k.Examples) {
				others = append(others, k.Examples)
			}
		}
	}
	return last, slices.DeleteFunc(others, func(hash string) bool { return hash == last || hash == "" })
}

// ThreadExamples returns the examples in the questions of a thread, or nil if there are none.
func ThreadExamples(questions []string) []byte {
	var all []string
	for _, body := range questions {
		if HoldsChanges(body) && !slices.Contains(all, body) {
			all = append(all, body)
		}
	}
	if all == nil {
		return nil
	}
	data, _ := json.Marshal(all) // texts
	return data
}
