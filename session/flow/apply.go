package flow

import (
	"fmt"
	"strings"

	"brenner/internal/fault"
	"brenner/store/journal"
)

func (s *State) apply(e *journal.Entry) error {
	switch e.Kind {
	case KindOpened:
		return with(e, s.opened)
	case KindResumed:
		return with(e, s.resumed)
	case KindEnded:
		return with(e, s.ended)
	case KindPlanned:
		return with(e, s.planned)
	case KindBegan:
		return with(e, s.began)
	case KindAnswered:
		return with(e, s.answered)
	case KindFailed:
		return with(e, s.failed)
	case KindCommitted:
		return with(e, s.committed)
	case KindNoted:
		return with(e, s.noted)
	case KindPublishing:
		return with(e, s.publishing)
	case KindPublished:
		return with(e, s.published)
	case KindStalemate:
		return with(e, s.stalemated)
	case KindPatched:
		return with(e, s.patched)
	}
	return &fault.Error{
		Code: UnknownEvent, Place: fmt.Sprintf("%s, entry %d", e.Stream, e.Seq), Detail: "unknown event " + fault.Shown(e.Kind),
		Hint: "it may come from a newer version of this program",
	}
}

func with[T any](e *journal.Entry, take func(*journal.Entry, *T) error) error {
	body, err := journal.Decode[T](e, BadSequence)
	if err != nil {
		return err
	}
	return take(e, &body)
}

func (s *State) opened(e *journal.Entry, body *Opened) error {
	if !strings.HasSuffix(e.Stream, "/"+body.Thread) {
		return s.wrong(e, "the stream is not that of the session %s", fault.Shown(body.Thread))
	}
	hash, rules := openingOf(e.Body)
	*s = State{
		opening: hash, rules: rules, Opened: *body, Settings: body.Settings, Began: e.At, Runs: 1,
		Items: make(map[string]string),
	}
	return nil
}

func (s *State) resumed(_ *journal.Entry, body *Resumed) error {
	if body.Settings != nil {
		s.Settings = *body.Settings
	}
	switch s.Ended {
	case EndRounds, EndQuiet, EndClean: // a finished session is asked for more
		s.ActiveRound = s.Round()
	}
	s.Ended, s.Touched = "", false
	s.Runs++
	s.forgotten()
	leg := s.OpenLeg()
	if leg == nil {
		return nil
	}
	for c := range leg.Calls() {
		// The reservation of a lost call counts as spent: it may have been answered.
		if c.Status == Begun {
			s.Spent, c.Lost, c.Failures = s.Spent.Plus(c.Reserved), c.Lost.Plus(c.Reserved), c.Failures+1
		}
		if c.Status == Begun || c.Status == Lost {
			c.Status = Open
		}
	}
	return nil
}

func (s *State) ended(_ *journal.Entry, body *Ended) error {
	s.Ended, s.Touched = body.Reason, false
	return nil
}

func (s *State) noted(e *journal.Entry, body *Noted) error {
	s.Notes = append(s.Notes, Note{Noted: *body, At: e.At})
	s.Touched, s.ActiveRound = true, s.Round()
	return nil
}

func (s *State) planned(e *journal.Entry, body *Planned) error {
	if s.OpenLeg() != nil || len(s.Commits) == 0 {
		return s.wrong(e, "a round is planned before the last one was settled")
	}
	at, err := instant(e, body.At)
	if err == nil {
		err = s.mailboxes(e, body.Mailboxes)
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
			return s.wrong(e, "the call %s is planned twice", x.Ask.ID)
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

func (s *State) began(e *journal.Entry, body *Began) error {
	c, ok := s.Call(body.Call)
	if !ok || c.Status != Open {
		return s.wrong(e, "the call %s begins, but it is not open", body.Call)
	}
	c.Status, c.Prompt, c.Began, c.Seq = Begun, body.Prompt, e.At, e.Seq
	c.Reserved = Cost{body.Reserved, body.ReservedUSD}
	return nil
}

func (s *State) answered(e *journal.Entry, body *Answered) error {
	c, err := s.end(e, body.Call)
	if err != nil {
		return err
	}
	if body.Letter != "" && s.HasTaken(body.Letter) {
		return s.wrong(e, "the message %s answers a second time", fault.Shown(body.Letter))
	}
	c.Status, c.Answered = Replied, *body
	s.Spent = s.Spent.Plus(body.Spent())
	if c.Turn == TurnAsk && body.Repairable > 0 && s.Settings.Repair {
		_, x := s.Planned(c)
		x.Repair.Status = Open
	}
	return nil
}

func (s *State) failed(e *journal.Entry, body *Failed) error {
	c, err := s.end(e, body.Call)
	if err != nil {
		return err
	}
	c.Status, c.Failed = Lost, *body
	lost := Cost{body.Spent, body.SpentUSD}
	s.Spent, c.Lost, c.Failures = s.Spent.Plus(lost), c.Lost.Plus(lost), c.Failures+1
	return nil
}

func (s *State) end(e *journal.Entry, id string) (*Call, error) {
	c, ok := s.Call(id)
	leg := s.OpenLeg()
	if !ok || c.Status != Begun || leg == nil || c.Round != leg.Round || c.Leg != leg.Leg {
		return nil, s.wrong(e, "the call %s ends, but it did not begin", id)
	}
	c.Ended, c.Seq = e.At, e.Seq
	return c, nil
}

func (s *State) committed(e *journal.Entry, body *Committed) error {
	if err := s.rulingGiven(e, body); err != nil {
		return err
	}
	if v := body.Version - s.Version(); v < 0 || v > 1 {
		return s.wrong(e, "version %d follows version %d", body.Version, s.Version())
	}
	leg := s.OpenLeg()
	if body.Source == ByRound && (leg == nil || leg.Round != body.Round || leg.Leg != body.Leg || body.Stale != (leg.Base != s.Version())) {
		return s.wrong(e, "round %d.%d is settled, but it is not open, or not on this base", body.Round, body.Leg)
	}
	if err := s.letters(e, body); err != nil {
		return err
	}
	if err := s.moved(e, body); err != nil {
		return err
	}
	switch {
	case body.Message != s.NextMessage():
		return s.wrong(e, "its first message has the number %d, not %d", body.Message, s.NextMessage())
	case body.Seal != s.SealFor(body):
		return s.wrong(e, "its seal is not that of what it was made from")
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
	s.Commits = append(s.Commits, Commit{Committed: *body, Instant: at, Seq: e.Seq, Hash: e.Hash})
	return nil
}
