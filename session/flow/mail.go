package flow

import (
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// ViaMail is the Via of agents with a mailbox.
const ViaMail = "mail"

// ByMail returns the agents that have a mailbox.
func (s *State) ByMail() []Party {
	return slices.DeleteFunc(slices.Clone(s.Opened.Agents), func(p Party) bool { return p.Via != ViaMail })
}

// needsMailing reports whether the current version should be mailed. Version 1 need not be: the
// brief is in the kickoffs.
func (s *State) needsMailing() bool {
	return s.Version() > 1 && s.Mailed < s.Version() && s.Round() > 0 && len(s.ByMail()) > 0
}

// Mailboxes returns the last known names of agents on the mail server.
func (s *State) Mailboxes() []Mailbox {
	var all []Mailbox
	for i := len(s.Legs) - 1; i >= 0; i-- {
		for _, m := range s.Legs[i].Mailboxes {
			if !slices.ContainsFunc(all, func(have Mailbox) bool { return have.Agent == m.Agent }) {
				all = append(all, m)
			}
		}
	}
	return all
}

// HasTaken reports whether a message was consumed before, as an answer or as a letter. The server's
// read marks do not count. The id includes a time, since a server may restart its numbering.
func (s *State) HasTaken(id string) bool { return s.TakenMessages()[id] }

// TakenMessages returns the ids of all consumed messages.
func (s *State) TakenMessages() map[string]bool {
	all := make(map[string]bool)
	for _, c := range s.Calls() {
		if c.Status == Replied && c.Answered.Letter != "" {
			all[c.Answered.Letter] = true
		}
	}
	for i := range s.Commits {
		for _, l := range s.Commits[i].Letters {
			all[l.ID] = true
		}
	}
	return all
}

// InstantsOf returns the instants, up to another one, at which an agent contributed to a round.
func (s *State) InstantsOf(agent string, round int, before string) []string {
	if round == 0 { // a letter whose round is not journaled
		return nil
	}
	var all []string
	for i := range s.Commits {
		c := &s.Commits[i]
		if c.At == before {
			break
		}
		its := func(l Letter) bool { return l.Agent == agent && l.Round == round }
		replied := func(h Heard) bool { return h.Agent == agent && c.Round == round }
		if slices.ContainsFunc(c.Letters, its) || slices.ContainsFunc(c.Heard, replied) {
			all = append(all, c.At)
		}
	}
	return all
}

// AgentText identifies a text of an agent.
type AgentText struct{ Agent, Hash string }

// KnownTexts returns all replies and letters, each with the id of its message; that of a reply to a
// call without mail is empty.
func (s *State) KnownTexts() map[AgentText]string {
	all := make(map[AgentText]string)
	for _, c := range s.Calls() {
		if c.Status == Replied {
			all[AgentText{c.Agent, c.Answered.Reply}] = c.Answered.Letter
		}
	}
	for i := range s.Commits {
		for _, l := range s.Commits[i].Letters {
			all[AgentText{l.Agent, l.Body}] = l.ID
		}
	}
	return all
}

// checkLetters rejects letters that were taken before, that no agent of the roster wrote, or that
// are in another kind of commit. That of a round has only letters that follow replies of the round.
func (s *State) checkLetters(e *journal.Entry, c *Committed) error {
	ofRound := c.Source == ByRound && s.Opened.Reads().Since(delta.FourthReader)
	if (c.Source == ByThread) != (len(c.Letters) > 0) && !ofRound {
		return s.badEntry(e, "only a commit from the thread has letters")
	}
	if len(c.Letters) == 0 {
		return nil
	}
	seen := s.TakenMessages()
	for _, l := range c.Letters {
		switch {
		case seen[l.ID]:
			return s.badEntry(e, "message %s was taken before", fault.Shown(l.ID))
		case !slices.Contains(s.agents(), l.Agent) && !slices.Contains(s.LetterAuthorities(), l.Agent):
			return s.badEntry(e, "%s wrote a letter, but is not in the roster", fault.Shown(l.Agent))
		case (l.Follows != "") != ofRound || ofRound && !s.OpenLeg().repliedBy(l.Agent, l.Follows):
			return s.badEntry(e, "message %s follows %s, which is not a reply of %s in the round", fault.Shown(l.ID), fault.Shown(l.Follows), fault.Shown(l.Agent))
		case l.Shown < 0 || l.Shown > s.Version():
			return s.badEntry(e, "message %s answers version %d, which does not exist", fault.Shown(l.ID), l.Shown)
		}
		seen[l.ID] = true
	}
	return nil
}

// LetterAuthorities returns the authorities whose letters are read: since reader/4, all but the operator.
func (s *State) LetterAuthorities() []string {
	if !s.Opened.Reads().Since(delta.FourthReader) {
		return nil
	}
	return s.Opened.Rules.Authorities
}

// repliedBy reports whether a message is the agent's reply in the leg, or its correction.
func (l *Leg) repliedBy(agent, message string) bool {
	x := l.Of(agent)
	return x != nil && message != "" && (x.Ask.Answered.Letter == message || x.Repair.Answered.Letter == message)
}

// checkMailboxes rejects mailboxes of agents not reached by mail, and shared mailboxes.
func (s *State) checkMailboxes(e *journal.Entry, boxes []Mailbox) error {
	named := make(map[string]bool)
	for _, b := range boxes {
		name := strings.ToLower(b.Name)
		if name == "" || named[name] || !slices.ContainsFunc(s.ByMail(), func(p Party) bool { return p.Name == b.Agent }) {
			return s.badEntry(e, "%s has the invalid mailbox %s", fault.Shown(b.Agent), fault.Shown(b.Name))
		}
		named[name] = true
	}
	return nil
}

func (s *State) applyPublishing(e *journal.Entry, body *Publishing) error {
	if body.Version < 1 || body.Version > s.Version() {
		return s.badEntry(e, "version %d is mailed, but does not exist", body.Version)
	}
	s.Publishing = max(s.Publishing, body.Version)
	return nil
}

func (s *State) applyPublished(e *journal.Entry, body *Published) error {
	if body.Version < 1 || body.Version > s.Publishing {
		return s.badEntry(e, "version %d was mailed, but its mailing never began", body.Version)
	}
	s.Mailed, s.Unmailed = max(s.Mailed, body.Version), Published{}
	if body.Code != "" || len(body.Missed) > 0 {
		s.Unmailed = *body
	}
	return nil
}
