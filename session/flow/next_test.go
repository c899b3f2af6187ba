package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store/journal"
)

// journalBuilder builds a journal event by event.
type journalBuilder struct {
	t       *testing.T
	entries []journal.Entry
}

func newJournal(t *testing.T, s flow.Settings, roles ...string) *journalBuilder {
	t.Helper()
	o := flow.Opened{Thread: "RS-20260101-ab", Operator: "op", Roster: []byte(`{}`), Settings: s}
	for i, role := range roles {
		o.Agents = append(o.Agents, flow.Party{Name: fmt.Sprintf("A%d", i+1), Role: role, Via: "rehearsal"})
	}
	tl := &journalBuilder{t: t}
	tl.add(flow.KindOpened, o)
	return tl.seal(flow.Committed{Source: flow.ByBrief, At: "2026-01-01T00:00:00Z", Version: 1})
}

// seal adds a commit with its message number and seal from the state.
func (tl *journalBuilder) seal(c flow.Committed) *journalBuilder {
	tl.t.Helper()
	s, err := flow.Fold(tl.entries)
	if err != nil {
		return tl.add(flow.KindCommitted, c)
	}
	c.Message, c.Seal = s.NextMessage(), s.SealFor(&c)
	if leg := s.OpenLeg(); leg != nil && c.Source == flow.ByRound {
		c.Stale = leg.Base != s.Version()
		c.Seal = s.SealFor(&c)
	}
	return tl.add(flow.KindCommitted, c)
}

func (tl *journalBuilder) add(kind string, body any) *journalBuilder {
	tl.t.Helper()
	data, err := journal.Encode(body)
	if err != nil {
		tl.t.Fatal(err)
	}
	e, err := journal.HeadOf(tl.entries).Next("session/RS-20260101-ab", time.Unix(int64(len(tl.entries)), 0), kind, data)
	if err != nil {
		tl.t.Fatal(err)
	}
	tl.entries = append(tl.entries, e)
	return tl
}

func (tl *journalBuilder) state() *flow.State {
	tl.t.Helper()
	s, err := flow.Fold(tl.entries)
	if err != nil {
		tl.t.Fatal(err)
	}
	return s
}

func (tl *journalBuilder) plan(round, leg int, agents ...string) *journalBuilder {
	p := flow.Planned{Round: round, Leg: leg, At: fmt.Sprintf("2026-01-01T0%d:0%d:00Z", round, leg), Base: 1}
	for _, a := range agents {
		p.Kickoffs = append(p.Kickoffs, flow.Kickoff{Agent: a, Body: "k", Tokens: 100})
	}
	return tl.add(flow.KindPlanned, p)
}

func (tl *journalBuilder) call(round, leg int, agent, turn string) string {
	return flow.CallID("RS-20260101-ab", round, leg, agent, turn)
}

func (tl *journalBuilder) begin(round, leg int, agent, turn string) *journalBuilder {
	return tl.add(flow.KindBegan, flow.Began{Call: tl.call(round, leg, agent, turn), Agent: agent, Round: round, Leg: leg, Turn: turn, Reserved: 150})
}

func (tl *journalBuilder) answer(round, leg int, agent, turn string, repairable int) *journalBuilder {
	return tl.begin(round, leg, agent, turn).add(flow.KindAnswered, flow.Answered{Call: tl.call(round, leg, agent, turn), Reply: "r", Input: 100, Output: 10, Repairable: repairable})
}

func (tl *journalBuilder) fail(round, leg int, agent string) *journalBuilder {
	return tl.begin(round, leg, agent, flow.TurnAsk).add(flow.KindFailed, flow.Failed{Call: tl.call(round, leg, agent, flow.TurnAsk), Code: "AGENT_TIMEOUT", Spent: 150})
}

func (tl *journalBuilder) commit(round, leg, version, hypotheses int) *journalBuilder {
	return tl.seal(flow.Committed{
		Source: flow.ByRound, Round: round, Leg: leg, At: fmt.Sprintf("2026-01-01T0%d:0%d:00Z", round, leg), Version: version,
		Active: map[string]int{"hypothesis_slate": hypotheses},
	})
}

// next returns the commands as text.
func (tl *journalBuilder) next() string {
	tl.t.Helper()
	var commands []string
	for _, c := range flow.Next(tl.state()) {
		switch c := c.(type) {
		case flow.Plan:
			commands = append(commands, fmt.Sprintf("plan %d.%d %s", c.Round, c.Leg, strings.Join(c.Agents, " ")))
		case flow.Ask:
			commands = append(commands, fmt.Sprintf("%s %s", c.Call.Turn, c.Call.Agent))
		case flow.Publish:
			commands = append(commands, fmt.Sprintf("publish %d", c.Version))
		case flow.Settle:
			commands = append(commands, "settle")
		case flow.End:
			commands = append(commands, "end "+c.Reason)
		default:
			commands = append(commands, fmt.Sprintf("%T", c))
		}
	}
	return strings.Join(commands, ", ")
}

func (tl *journalBuilder) wantNext(want string) *journalBuilder {
	tl.t.Helper()
	if got := tl.next(); got != want {
		tl.t.Errorf("next is %q, want %q", got, want)
	}
	return tl
}

const (
	generator = "hypothesis_generator"
	designer  = "test_designer"
	critic    = "adversarial_critic"
)

func settings() flow.Settings {
	return flow.Settings{Rounds: 2, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Reply: 50, Repair: true}
}

func TestNextCommandsOfSession(t *testing.T) {
	newJournal(t, settings(), generator, critic).
		wantNext("plan 1.1 A1 A2").plan(1, 1, "A1", "A2").
		wantNext("ask A1, ask A2").begin(1, 1, "A1", flow.TurnAsk).
		wantNext("ask A2").answer(1, 1, "A2", flow.TurnAsk, 0).
		wantNext(""). // A1 is in flight
		add(flow.KindAnswered, flow.Answered{Call: flow.CallID("RS-20260101-ab", 1, 1, "A1", flow.TurnAsk), Reply: "r", Repairable: 2}).
		wantNext("repair A1").answer(1, 1, "A1", flow.TurnRepair, 3).
		wantNext("settle").commit(1, 1, 2, 1).
		wantNext("plan 2.1 A1 A2").plan(2, 1, "A1", "A2").answer(2, 1, "A1", flow.TurnAsk, 0).answer(2, 1, "A2", flow.TurnAsk, 0).
		wantNext("settle").commit(2, 1, 3, 1).
		wantNext("end rounds").add(flow.KindEnded, flow.Ended{Reason: flow.EndRounds}).
		wantNext("")
}

func TestRepairCanBeDisabled(t *testing.T) {
	s := settings()
	s.Repair = false
	newJournal(t, s, generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 4).wantNext("settle")
}

func TestStagedAgentsWaitForHypotheses(t *testing.T) {
	s := settings()
	s.Flow = flow.FlowStaged
	newJournal(t, s, critic, generator, designer).
		wantNext("plan 1.1 A2").plan(1, 1, "A2").answer(1, 1, "A2", flow.TurnAsk, 0).commit(1, 1, 2, 3).
		wantNext("plan 1.2 A1 A3").plan(1, 2, "A1", "A3").answer(1, 2, "A1", flow.TurnAsk, 0).answer(1, 2, "A3", flow.TurnAsk, 0).commit(1, 2, 3, 3).
		wantNext("plan 2.1 A1 A2 A3")
	// Without an agent that adds hypotheses, waiting would not help.
	newJournal(t, s, critic, designer).wantNext("plan 1.1 A1 A2")
}

func TestQuorum(t *testing.T) {
	for _, c := range []struct {
		quorum string
		roles  []string
		lost   []string
		want   string
	}{
		{flow.QuorumRole, []string{generator, critic, critic}, []string{"A2"}, "settle"},
		{flow.QuorumRole, []string{generator, critic, critic}, []string{"A1"}, "end quorum"},
		{flow.QuorumAll, []string{generator, critic, critic}, []string{"A2"}, "end quorum"},
		{"1", []string{generator, critic, critic}, []string{"A1", "A2"}, "settle"},
		{"2", []string{generator, critic, critic}, []string{"A1", "A2"}, "end quorum"},
		{"7", []string{generator, critic, critic}, nil, "settle"},
	} {
		s := settings()
		s.Quorum = c.quorum
		tl := newJournal(t, s, c.roles...)
		names := []string{"A1", "A2", "A3"}[:len(c.roles)]
		tl.plan(1, 1, names...)
		for _, n := range names {
			if strings.Contains(strings.Join(c.lost, " "), n) {
				tl.fail(1, 1, n)
			} else {
				tl.answer(1, 1, n, flow.TurnAsk, 0)
			}
		}
		tl.wantNext(c.want)
	}
}

// The next run asks agents again that did not answer; the reservations of their calls count as
// spent.
func TestResumeReopensLostCalls(t *testing.T) {
	tl := newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2").
		fail(1, 1, "A1").begin(1, 1, "A2", flow.TurnAsk).
		add(flow.KindResumed, flow.Resumed{}).wantNext("ask A1, ask A2")
	if got := tl.state().Spent.Tokens; got != 300 {
		t.Errorf("%d tokens spent", got)
	}
	more := settings()
	more.Rounds = 5
	if got := tl.add(flow.KindResumed, flow.Resumed{Settings: &more}).state(); got.Settings.Rounds != 5 || got.Runs != 3 {
		t.Errorf("%+v, %d runs", got.Settings, got.Runs)
	}
}

func TestBudget(t *testing.T) {
	s := settings()
	s.Budget, s.Quorum = 320, "1" // enough for two calls of 150 tokens, not three
	tl := newJournal(t, s, generator, critic, designer).plan(1, 1, "A1", "A2", "A3").wantNext("ask A1, ask A2")
	tl.answer(1, 1, "A1", flow.TurnAsk, 0).answer(1, 1, "A2", flow.TurnAsk, 1).
		wantNext("settle"). // neither A3 nor a repair is within the budget
		commit(1, 1, 2, 1).wantNext("end budget")
	more := s
	more.Budget = 1000
	tl.add(flow.KindEnded, flow.Ended{Reason: flow.EndBudget}).add(flow.KindResumed, flow.Resumed{Settings: &more}).wantNext("plan 2.1 A1 A2 A3")
	s.Quorum = flow.QuorumAll // the round stays open
	newJournal(t, s, generator, critic, designer).plan(1, 1, "A1", "A2", "A3").answer(1, 1, "A1", flow.TurnAsk, 0).answer(1, 1, "A2", flow.TurnAsk, 0).
		wantNext("end budget").add(flow.KindResumed, flow.Resumed{Settings: &more}).wantNext("ask A3")
}

// Money is counted like tokens, in whole billionths of a dollar.
func TestBudgetInMoney(t *testing.T) {
	s := settings()
	s.Prices = flow.Prices{{Agent: "A1", Input: 10, Output: 100}}
	s.BudgetUSD = 10*100 + 100*50                                                               // one question and one answer
	tl := newJournal(t, s, generator, critic).plan(1, 1, "A1", "A2").wantNext("ask A1, ask A2") // A2 has no price
	tl.add(flow.KindBegan, flow.Began{Call: tl.call(1, 1, "A1", "ask"), Agent: "A1", Round: 1, Leg: 1, Turn: "ask", Reserved: 150, ReservedUSD: 6000}).
		add(flow.KindAnswered, flow.Answered{Call: tl.call(1, 1, "A1", "ask"), Reply: "r", Input: 100, Output: 10, Cost: 2000, Repairable: 1}).
		answer(1, 1, "A2", flow.TurnAsk, 0).wantNext("settle") // the repair would cost too much
	if got := tl.state().Spent; got.USD != 2000 || got.Tokens != 220 {
		t.Errorf("%+v", got)
	}
}

// Agents that did not answer may name a time to retry.
func TestRetryTime(t *testing.T) {
	lose := func(tl *journalBuilder, agent, at string) *journalBuilder {
		return tl.begin(1, 1, agent, flow.TurnAsk).add(flow.KindFailed, flow.Failed{Call: tl.call(1, 1, agent, "ask"), Code: "RATE_LIMITED", RetryAt: at})
	}
	tl := newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2")
	lose(lose(tl, "A1", "2026-01-01T10:00:00Z"), "A2", "2026-01-01T09:00:00Z").wantNext("end later")
	if at, ok := tl.state().OpenLeg().RetryTime(); !ok || at.Hour() != 10 {
		t.Error(at, ok)
	}
	tl = newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2")
	lose(lose(tl, "A1", "2026-01-01T10:00:00Z"), "A2", "").wantNext("end quorum")
}

// A seal covers the parties and how they are reached: a rehearsal cannot pass for a real session.
func TestSealCoversOpening(t *testing.T) {
	one, two := newJournal(t, settings(), generator), newJournal(t, settings(), critic)
	if one.state().Seal() == two.state().Seal() {
		t.Error("the seal does not cover roles")
	}
	other := settings()
	other.Rounds = 99
	if one.state().Seal() != newJournal(t, other, generator).state().Seal() {
		t.Error("settings are part of the seal")
	}
	forged := newJournal(t, settings(), generator).plan(1, 1, "A1").answer(1, 1, "A1", "ask", 0)
	forged.add(flow.KindCommitted, flow.Committed{Source: flow.ByRound, Round: 1, Leg: 1, At: "2026-01-01T01:01:00Z", Message: 2, Version: 2, Seal: one.state().Seal()})
	if _, err := flow.Fold(forged.entries); fault.CodeOf(err) != flow.BadSequence {
		t.Errorf("seal of another session: %v", err)
	}
}

// applyToClone applies entries to a copy of a state.
func applyToClone(s *flow.State, entries []journal.Entry) error {
	clone := s.Clone()
	for i := range entries {
		if err := clone.Apply(&entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func TestCloneIsIndependent(t *testing.T) {
	tl := newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2")
	s := tl.state()
	more := newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2").answer(1, 1, "A1", "ask", 1).answer(1, 1, "A2", "ask", 0)
	if err := applyToClone(s, more.entries[3:]); err != nil {
		t.Fatal(err)
	}
	if err := applyToClone(s, more.entries[4:]); fault.CodeOf(err) != flow.BadSequence {
		t.Errorf("an answer without a question: %v", err)
	}
	if got := fmt.Sprint(len(flow.Next(s)), s.Spent); got != "2 {0 0}" {
		t.Error(got)
	}
}

func TestStopRules(t *testing.T) {
	s := settings()
	s.Rounds, s.QuietAfter = 9, 2
	tl := newJournal(t, s, generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 0).commit(1, 1, 1, 0).
		wantNext("plan 2.1 A1").plan(2, 1, "A1").answer(2, 1, "A1", flow.TurnAsk, 0).commit(2, 1, 1, 0).wantNext("end quiet")
	tl.state()
	s.QuietAfter, s.WhenClean = 0, true
	newJournal(t, s, generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 0).commit(1, 1, 2, 0).wantNext("end clean")
}

func TestFoldRefusesInvalidJournals(t *testing.T) {
	for name, add := range map[string]func(*journalBuilder){
		"opened twice": func(tl *journalBuilder) { tl.add(flow.KindOpened, flow.Opened{}) },
		"unknown":      func(tl *journalBuilder) { tl.add("call.unknown", flow.Ended{}) },
		"answered before": func(tl *journalBuilder) {
			tl.plan(1, 1, "A1")
			tl.add(flow.KindAnswered, flow.Answered{Call: tl.call(1, 1, "A1", "ask")})
		},
		"answered twice": func(tl *journalBuilder) {
			tl.plan(1, 1, "A1").answer(1, 1, "A1", "ask", 0)
			tl.add(flow.KindAnswered, flow.Answered{Call: tl.call(1, 1, "A1", "ask")})
		},
		"planned twice":           func(tl *journalBuilder) { tl.plan(1, 1, "A1").plan(1, 2, "A1") },
		"settled without plan":    func(tl *journalBuilder) { tl.commit(1, 1, 2, 0) },
		"a version is missing":    func(tl *journalBuilder) { tl.plan(1, 1, "A1").answer(1, 1, "A1", "ask", 0).commit(1, 1, 3, 0) },
		"an agent twice in a leg": func(tl *journalBuilder) { tl.plan(1, 1, "A1", "A1") },
		"a bad instant":           func(tl *journalBuilder) { tl.add(flow.KindPlanned, flow.Planned{Round: 1, Leg: 1, At: "soon"}) },
		"an unknown key":          func(tl *journalBuilder) { tl.add(flow.KindEnded, map[string]string{"reason": "x", "mood": "bad"}) },
	} {
		tl := newJournal(t, settings(), generator)
		add(tl)
		_, err := flow.Fold(tl.entries)
		if code := fault.CodeOf(err); code != flow.BadSequence && code != flow.UnknownEvent {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none journal.Entry
	if _, err := flow.Fold([]journal.Entry{none}); err == nil {
		t.Error("an empty entry was accepted")
	}
}

func TestInstantsIncrease(t *testing.T) {
	s := newJournal(t, settings(), generator).plan(1, 1, "A1").state()
	last := time.Date(2026, 1, 1, 1, 1, 0, 0, time.UTC)
	if got := s.NextInstant(last.Add(-time.Hour)); got != last.Add(time.Millisecond) {
		t.Errorf("clock went back: %v", got)
	}
	if got := s.NextInstant(last.Add(90 * time.Microsecond)); got != last.Add(time.Millisecond) {
		t.Errorf("within a millisecond: %v", got)
	}
	if got := s.NextInstant(last.Add(time.Hour)); got != last.Add(time.Hour) {
		t.Errorf("one hour later: %v", got)
	}
}

// Folding any journal returns a state or an error.
func FuzzFold(f *testing.F) {
	f.Add(flow.KindPlanned, []byte(`{"round":1,"leg":1,"at":"2026-01-01T00:00:01Z","base":1,"kickoffs":[{"agent":"A1"}]}`))
	f.Add(flow.KindResumed, []byte(`{}`))
	f.Add(flow.KindAnswered, []byte(`{"call":"x"}`))
	f.Add(flow.KindCommitted, []byte(`{"source":"round","version":2,"at":"2026-01-01T00:00:01Z"}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		tl := newJournal(t, settings(), generator, critic).plan(1, 1, "A1", "A2").begin(1, 1, "A1", flow.TurnAsk)
		e, err := journal.HeadOf(tl.entries).Next("session/RS-20260101-ab", time.Unix(9, 0), kind, body)
		if err != nil {
			return
		}
		s, err := flow.Fold(append(tl.entries, e))
		if err == nil {
			flow.Next(s)
			s.Calls()
			s.NextMessage()
		}
	})
}

// An artifact is clean if it has neither lint findings nor conflicts.
func TestCleanMeansNoFindingsOrConflicts(t *testing.T) {
	s := settings()
	s.Rounds, s.WhenClean = 9, true
	for want, outcomes := range map[string][]flow.Outcome{
		"end clean":   {{Applied: 1, Rejected: 1, Other: 1}},
		"plan 2.1 A1": {{Errors: 1}, {Warnings: 1}, {Conflicts: 1}},
	} {
		for _, o := range outcomes {
			newJournal(t, s, generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 0).
				seal(flow.Committed{Source: flow.ByRound, Round: 1, Leg: 1, At: "2026-01-01T01:01:00Z", Version: 2, Active: map[string]int{}, Outcome: o}).
				wantNext(want)
		}
	}
}

// A budget is spent to the last token, but not exceeded.
func TestBudgetIsExact(t *testing.T) {
	s := settings()
	s.Rounds = 9
	for budget, want := range map[int]string{149: "end budget", 150: "ask A1", 151: "ask A1"} {
		s.Budget = budget
		newJournal(t, s, generator).plan(1, 1, "A1").wantNext(want)
	}
	// An exactly spent budget allows no further round.
	for budget, want := range map[int]string{110: "end budget", 111: "plan 2.1 A1"} {
		s.Budget = 150
		tl := newJournal(t, s, generator).plan(1, 1, "A1").answer(1, 1, "A1", flow.TurnAsk, 0)
		less := s
		less.Budget = budget
		tl.commit(1, 1, 2, 1).add(flow.KindEnded, flow.Ended{Reason: flow.EndInterrupted}).add(flow.KindResumed, flow.Resumed{Settings: &less}).wantNext(want)
	}
	s.Budget = 0
	s.Prices = flow.Prices{{Agent: "A1", Input: 10, Output: 100}}
	for budget, want := range map[int64]string{5999: "end budget", 6000: "ask A1"} {
		s.BudgetUSD = budget
		newJournal(t, s, generator).plan(1, 1, "A1").wantNext(want)
	}
	s.Budget, s.BudgetUSD = 150, 0 // no limit in dollars
	newJournal(t, s, generator).plan(1, 1, "A1").wantNext("ask A1")
}
