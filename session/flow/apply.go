package flow

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/store/journal"
)

func (s *State) apply(e *journal.Entry) error {
	switch e.Kind {
	case KindOpened:
		return decodeTo(e, s.applyOpened)
	case KindResumed:
		return decodeTo(e, s.applyResumed)
	case KindEnded:
		return decodeTo(e, s.applyEnded)
	case KindPlanned:
		return decodeTo(e, s.applyPlanned)
	case KindBegan:
		return decodeTo(e, s.applyBegan)
	case KindAnswered:
		return decodeTo(e, s.applyAnswered)
	case KindFailed:
		return decodeTo(e, s.applyFailed)
	case KindCommitted:
		return decodeTo(e, s.applyCommitted)
	case KindNoted:
		return decodeTo(e, s.applyNoted)
	case KindPublishing:
		return decodeTo(e, s.applyPublishing)
	case KindPublished:
		return decodeTo(e, s.applyPublished)
	case KindStalemate:
		return decodeTo(e, s.applyStalemate)
	case KindPatched:
		return decodeTo(e, s.applyPatched)
	}
	return &fault.Error{
		Code: UnknownEvent, Place: fmt.Sprintf("%s, entry %d", e.Stream, e.Seq), Detail: "unknown event " + fault.Shown(e.Kind),
		Hint: "it may come from a newer version of this program",
	}
}

func decodeTo[T any](e *journal.Entry, take func(*journal.Entry, *T) error) error {
	body, err := journal.Decode[T](e, BadSequence)
	if err != nil {
		return err
	}
	return take(e, &body)
}

func (s *State) applyOpened(e *journal.Entry, body *Opened) error {
	if !strings.HasSuffix(e.Stream, "/"+body.Thread) {
		return s.badEntry(e, "the stream is not that of the session %s", fault.Shown(body.Thread))
	}
	hash, rules := openingOf(e.Body)
	*s = State{
		opening: hash, rules: rules, Opened: *body, Settings: body.Settings, Began: e.At, Runs: 1,
		Agents: slices.Clone(body.Agents), Items: make(map[string]string),
	}
	if body.Arbiter != nil {
		arbiter := *body.Arbiter
		s.Arbiter = &arbiter
	}
	return nil
}

// setWays changes how agents are reached. Earlier calls and commits keep the parties of their time.
func (s *State) setWays(e *journal.Entry, ways []NewWay) error {
	for _, w := range ways {
		if s.party(w.Agent) == nil {
			return s.badEntry(e, "%s is not an agent of the session", fault.Shown(w.Agent))
		}
	}
	if len(ways) == 0 {
		return nil
	}
	s.Agents = Rerouted(s.Agents, ways)
	if s.Arbiter != nil {
		s.Arbiter = &Rerouted([]Party{*s.Arbiter}, ways)[0]
	}
	return nil
}

// party returns the agent or arbiter of a name as it is reached now, or nil.
func (s *State) party(name string) *Party {
	for i := range s.Agents {
		if s.Agents[i].Name == name {
			return &s.Agents[i]
		}
	}
	if s.Arbiter != nil && s.Arbiter.Name == name {
		return s.Arbiter
	}
	return nil
}

func (s *State) applyResumed(e *journal.Entry, body *Resumed) error {
	if err := s.setWays(e, body.Ways); err != nil {
		return err
	}
	if body.Settings != nil {
		s.Settings = *body.Settings
	}
	switch s.Ended {
	case EndRounds, EndQuiet, EndClean: // a finished session gets more rounds
		s.ActiveRound = s.Round()
	}
	s.Ended, s.Touched = "", false
	s.Runs++
	s.chargeLostRulings()
	leg := s.OpenLeg()
	if leg == nil {
		return nil
	}
	for c := range leg.Calls() {
		// The reservation of a lost call counts as spent: it may have been answered.
		if c.Status == Begun {
			s.Spent, c.Lost = s.Spent.Plus(c.Reserved), c.Lost.Plus(c.Reserved)
			c.Failures, c.Killed = c.Failures+1, c.Killed+1
		}
		if c.Status == Begun || c.Status == Lost {
			c.Status = Open
		}
	}
	return nil
}

func (s *State) applyEnded(_ *journal.Entry, body *Ended) error {
	s.Ended, s.Touched = body.Reason, false
	return nil
}

func (s *State) applyNoted(e *journal.Entry, body *Noted) error {
	s.Notes = append(s.Notes, Note{Noted: *body, At: e.At})
	s.Touched, s.ActiveRound = true, s.Round()
	return nil
}

func (s *State) applyPlanned(e *journal.Entry, body *Planned) error {
	if s.OpenLeg() != nil || len(s.Commits) == 0 {
		return s.badEntry(e, "a round is planned before the last one was settled")
	}
	at, err := instant(e, body.At)
	if err == nil {
		err = s.checkMailboxes(e, body.Mailboxes)
	}
	if err != nil {
		return err
	}
	leg := Leg{Planned: *body, Instant: at, mailboxes: storedMailboxes(e.Body)}
	for i := range body.Kickoffs {
		k := &body.Kickoffs[i]
		x := Exchange{k, s.call(body, k.Agent, TurnAsk), s.call(body, k.Agent, TurnRepair)}
		x.Ask.Status, x.Ask.Prompt = Open, k.Body
		if _, twice := s.Call(x.Ask.ID); twice || leg.Of(k.Agent) != nil {
			return s.badEntry(e, "the call %s is planned twice", x.Ask.ID)
		}
		leg.Exchanges = append(leg.Exchanges, x)
	}
	s.Legs = append(s.Legs, leg)
	return nil
}

// call returns a call of a plan that is not open yet.
func (s *State) call(p *Planned, agent, turn string) Call {
	return Call{ID: CallID(s.Opened.Thread, p.Round, p.Leg, agent, turn), Agent: agent, Round: p.Round, Leg: p.Leg, Turn: turn}
}

func (s *State) applyBegan(e *journal.Entry, body *Began) error {
	c, ok := s.Call(body.Call)
	if !ok || c.Status != Open {
		return s.badEntry(e, "the call %s begins, but it is not open", body.Call)
	}
	s.Spent, c.Lost = s.Spent.Minus(s.again(c, body.Once)), c.Lost.Minus(s.again(c, body.Once))
	c.Status, c.Prompt, c.Schema, c.Began, c.Seq, c.By, c.Once = Begun, body.Prompt, body.Schema, e.At, e.Seq, s.party(c.Agent), body.Once
	c.Reserved = Cost{body.Reserved, body.ReservedUSD}
	return nil
}

func (s *State) applyAnswered(e *journal.Entry, body *Answered) error {
	c, err := s.endCall(e, body.Call)
	if err != nil {
		return err
	}
	if body.Letter != "" && s.HasTaken(body.Letter) {
		return s.badEntry(e, "message %s answers a second time", fault.Shown(body.Letter))
	}
	c.Status, c.Answered = Replied, *body
	s.Spent = s.Spent.Plus(body.Spent())
	if c.Turn == TurnAsk && body.Repairable > 0 && s.Settings.Repair {
		_, x := s.Planned(c)
		x.Repair.Status = Open
	}
	return nil
}

func (s *State) applyFailed(e *journal.Entry, body *Failed) error {
	c, err := s.endCall(e, body.Call)
	if err != nil {
		return err
	}
	c.Status, c.Failed = Lost, *body
	lost := Cost{body.Spent, body.SpentUSD}
	s.Spent, c.Lost, c.Failures = s.Spent.Plus(lost), c.Lost.Plus(lost), c.Failures+1
	return nil
}

func (s *State) endCall(e *journal.Entry, id string) (*Call, error) {
	c, ok := s.Call(id)
	leg := s.OpenLeg()
	if !ok || c.Status != Begun || leg == nil || c.Round != leg.Round || c.Leg != leg.Leg {
		return nil, s.badEntry(e, "the call %s ends, but it did not begin", id)
	}
	c.Ended, c.Seq = e.At, e.Seq
	return c, nil
}

func (s *State) applyCommitted(e *journal.Entry, body *Committed) error {
	if err := s.checkRuling(e, body); err != nil {
		return err
	}
	if v := body.Version - s.Version(); v < 0 || v > 1 {
		return s.badEntry(e, "version %d follows version %d", body.Version, s.Version())
	}
	leg := s.OpenLeg()
	if body.Source == ByRound && (leg == nil || leg.Round != body.Round || leg.Leg != body.Leg || body.Stale != (leg.Base != s.Version())) {
		return s.badEntry(e, "round %d.%d is settled, but is not open or has another base", body.Round, body.Leg)
	}
	if err := s.checkLetters(e, body); err != nil {
		return err
	}
	if err := s.checkMoved(e, body); err != nil {
		return err
	}
	switch {
	case body.Message != s.NextMessage():
		return s.badEntry(e, "its first message has the number %d, not %d", body.Message, s.NextMessage())
	case body.Seal != s.SealFor(body):
		return s.badEntry(e, "its seal does not match its content")
	}
	if body.Source == ByRound {
		leg.Settled = true
	}
	if body.Source == ByPerson || body.Source == ByThread {
		s.Touched, s.ActiveRound = true, s.Round()
	}
	at, err := instant(e, body.At)
	if err != nil {
		return err
	}
	for _, p := range body.Changed {
		s.Items[p.ID] = p.Hash
	}
	s.Commits = append(s.Commits, Commit{Committed: *body, Instant: at, Seq: e.Seq, Hash: e.Hash, Agents: s.Agents})
	return nil
}
