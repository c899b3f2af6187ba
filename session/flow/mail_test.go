package flow_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session/flow"
)

// mailJournal returns a session of two agents after its first round; the second agent has a mailbox.
func mailJournal(t *testing.T) *journalBuilder {
	t.Helper()
	o := flow.Opened{Thread: "RS-20260101-ab", Operator: "op", Roster: []byte(`{}`), Settings: flow.Settings{Rounds: 2}}
	o.Agents = []flow.Party{{Name: "A1", Role: "x", Via: "rehearsal"}, {Name: "A2", Role: "y", Via: flow.ViaMail}}
	tl := (&journalBuilder{t: t}).add(flow.KindOpened, o)
	tl.seal(flow.Committed{Source: flow.ByBrief, At: "2026-01-01T00:00:00Z", Version: 1})
	tl.add(flow.KindPlanned, flow.Planned{
		Round: 1, Leg: 1, At: "2026-01-01T01:00:00Z", Base: 1, Mailboxes: []flow.Mailbox{{Agent: "A2", Name: "Calm"}},
		Kickoffs: []flow.Kickoff{{Agent: "A1", Body: "k"}, {Agent: "A2", Body: "k"}},
	})
	tl.answer(1, 1, "A1", flow.TurnAsk, 0).begin(1, 1, "A2", flow.TurnAsk)
	tl.add(flow.KindAnswered, flow.Answered{Call: tl.call(1, 1, "A2", flow.TurnAsk), Reply: "r", Letter: "7"})
	return tl.seal(flow.Committed{Source: flow.ByRound, Round: 1, Leg: 1, At: "2026-01-01T01:00:00Z", Version: 2})
}

func letterCommit(letters ...flow.Letter) flow.Committed {
	return flow.Committed{Source: flow.ByThread, At: "2026-01-01T02:00:00Z", Version: 3, Letters: letters}
}

func TestVersionIsPublishedBeforeNextRound(t *testing.T) {
	tl := mailJournal(t)
	if got := tl.next(); got != "publish 2" {
		t.Fatal(got)
	}
	tl.add(flow.KindPublishing, flow.Publishing{Version: 2, To: []string{"A2"}})
	if got := tl.next(); got != "publish 2" {
		t.Errorf("after a kill while publishing: %s", got)
	}
	tl.add(flow.KindPublished, flow.Published{Version: 2, Code: "MAIL_UNREACHABLE"})
	if got := tl.next(); got != "plan 2.1 A1 A2" {
		t.Errorf("after a failed mailing: %s", got)
	}
	if s := tl.state(); s.Unmailed.Code != "MAIL_UNREACHABLE" || s.Mailboxes()[0].Name != "Calm" || !s.HasTaken("7") || s.HasTaken("8") {
		t.Errorf("%+v", s)
	}
	tl.add(flow.KindPublishing, flow.Publishing{Version: 2}).add(flow.KindPublished, flow.Published{Version: 2, Letters: []string{"9"}})
	if s := tl.state(); s.Unmailed.Code != "" || s.Mailed != 2 {
		t.Errorf("%+v", s.Unmailed)
	}
}

func TestLettersAreTakenOnce(t *testing.T) {
	letter := flow.Letter{ID: "8", Agent: "A2", Body: "b", Shown: 2}
	tl := mailJournal(t).seal(letterCommit(letter))
	if s := tl.state(); s.Version() != 3 || !s.Touched || s.NextMessage() != 5 {
		t.Errorf("%d, %v, %d", s.Version(), s.Touched, s.NextMessage())
	}
	if tl.state().Seal() == mailJournal(t).seal(letterCommit(flow.Letter{ID: "8", Agent: "A2", Body: "c", Shown: 2})).state().Seal() {
		t.Error("the seal does not cover the text of a letter")
	}
	for name, c := range map[string]struct {
		journal *journalBuilder
		want    string
	}{
		"taken as a letter":          {mailJournal(t).seal(letterCommit(letter)).seal(letterCommit(letter)), "was taken before"},
		"taken as an answer":         {mailJournal(t).seal(letterCommit(flow.Letter{ID: "7", Agent: "A2"})), "was taken before"},
		"twice in one commit":        {mailJournal(t).seal(letterCommit(letter, letter)), "was taken before"},
		"unknown author":             {mailJournal(t).seal(letterCommit(flow.Letter{ID: "8", Agent: "B"})), "not in the roster"},
		"future version":             {mailJournal(t).seal(letterCommit(flow.Letter{ID: "8", Agent: "A2", Shown: 3})), "which does not exist"},
		"no letters":                 {mailJournal(t).seal(letterCommit()), "has letters"},
		"in a person's commit":       {mailJournal(t).seal(flow.Committed{Source: flow.ByPerson, At: "2026-01-01T02:00:00Z", Version: 3, Letters: []flow.Letter{letter}}), "has letters"},
		"published without start":    {mailJournal(t).add(flow.KindPublished, flow.Published{Version: 2}), "never began"},
		"publishing unknown version": {mailJournal(t).add(flow.KindPublishing, flow.Publishing{Version: 3}), "does not exist"},
	} {
		_, err := flow.Fold(c.journal.entries)
		if fault.CodeOf(err) != flow.BadSequence || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The commit of a round has only letters that follow a reply in it, and its seal covers which.
func TestLettersOfRoundFollowReplies(t *testing.T) {
	round := func(reader delta.Reader, letters ...flow.Letter) *journalBuilder {
		o := flow.Opened{Thread: "RS-20260101-ab", Operator: "op", Roster: []byte(`{}`), Reader: reader, Settings: flow.Settings{Rounds: 2}}
		o.Agents = []flow.Party{{Name: "A1", Role: "x", Via: flow.ViaMail}, {Name: "A2", Role: "y", Via: flow.ViaMail}}
		tl := (&journalBuilder{t: t}).add(flow.KindOpened, o)
		tl.seal(flow.Committed{Source: flow.ByBrief, At: "2026-01-01T00:00:00Z", Version: 1})
		tl.plan(1, 1, "A1", "A2").answer(1, 1, "A1", flow.TurnAsk, 0).begin(1, 1, "A2", flow.TurnAsk)
		tl.add(flow.KindAnswered, flow.Answered{Call: tl.call(1, 1, "A2", flow.TurnAsk), Reply: "r", Letter: "7"})
		at := tl.state().OpenLeg().At
		return tl.seal(flow.Committed{Source: flow.ByRound, Round: 1, Leg: 1, At: at, Version: 2, Letters: letters})
	}
	letter := flow.Letter{ID: "8", Agent: "A2", Body: "b", Shown: 1, Follows: "7"}
	s := round(delta.FourthReader, letter).state()
	if l := s.LetterOf(&s.Commits[1], 4); !s.HasTaken("8") || s.NextMessage() != 5 || l == nil || l.ID != "8" || s.LetterOf(&s.Commits[1], 3) != nil {
		t.Errorf("%v, %d, %+v", s.HasTaken("8"), s.NextMessage(), l)
	}
	for name, tl := range map[string]*journalBuilder{
		"before reader/4":            round(delta.ThirdReader, letter),
		"after nothing":              round(delta.FourthReader, flow.Letter{ID: "8", Agent: "A2", Body: "b", Shown: 1}),
		"after a reply of another":   round(delta.FourthReader, flow.Letter{ID: "8", Agent: "A1", Body: "b", Shown: 1, Follows: "7"}),
		"in a commit of the thread":  round(delta.FourthReader).seal(letterCommit(letter)),
		"the reply itself":           round(delta.FourthReader, flow.Letter{ID: "7", Agent: "A2", Body: "b", Shown: 1, Follows: "7"}),
		"the same letter once again": round(delta.FourthReader, letter, letter),
	} {
		if _, err := flow.Fold(tl.entries); fault.CodeOf(err) != flow.BadSequence {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMessageAnswersOnlyOneCall(t *testing.T) {
	tl := mailJournal(t).add(flow.KindPublishing, flow.Publishing{Version: 2}).add(flow.KindPublished, flow.Published{Version: 2})
	tl.plan(2, 1, "A1", "A2").begin(2, 1, "A2", flow.TurnAsk)
	tl.add(flow.KindAnswered, flow.Answered{Call: tl.call(2, 1, "A2", flow.TurnAsk), Reply: "r", Letter: "7"})
	if _, err := flow.Fold(tl.entries); fault.CodeOf(err) != flow.BadSequence {
		t.Error(err)
	}
}

// A call by mail is one message: however often it begins, it costs once. A session of an earlier version counts each
// beginning.
func TestMailCallCostsOnce(t *testing.T) {
	for once, want := range map[bool][]int{true: {900, 900, 40, 130}, false: {900, 1800, 1840, 1970}} {
		o := flow.Opened{Thread: "RS-20260101-ab", Operator: "op", Roster: []byte(`{}`), Settings: flow.Settings{Rounds: 1, Budget: 2000, Reply: 800}}
		o.Agents = []flow.Party{{Name: "A2", Role: "y", Via: flow.ViaMail}}
		tl := (&journalBuilder{t: t}).add(flow.KindOpened, o)
		tl.seal(flow.Committed{Source: flow.ByBrief, At: "2026-01-01T00:00:00Z", Version: 1})
		tl.add(flow.KindPlanned, flow.Planned{
			Round: 1, Leg: 1, At: "2026-01-01T01:00:00Z", Base: 1, Kickoffs: []flow.Kickoff{{Agent: "A2", Body: "k", Tokens: 100}},
		})
		call := tl.call(1, 1, "A2", flow.TurnAsk)
		begin := func() {
			tl.add(flow.KindBegan, flow.Began{Call: call, Agent: "A2", Round: 1, Leg: 1, Turn: flow.TurnAsk, Prompt: "k", Reserved: 900, Once: once})
		}
		spent := func(what string, want int) {
			t.Helper()
			if got := tl.state().Spent.Tokens; got != want {
				t.Errorf("once %t, %s: %d tokens are spent, want %d", once, what, got, want)
			}
		}
		begin()
		tl.add(flow.KindResumed, flow.Resumed{})
		spent("killed", want[0])
		if got := tl.next(); once && !strings.HasPrefix(got, "ask") {
			t.Errorf("the budget covers what is waiting, but next is %s", got)
		}
		begin()
		if s := tl.state(); once && (s.Spent.Tokens != 0 || s.InFlight().Tokens != 900) {
			t.Errorf("%d tokens are spent and %d in flight, want 900 in flight", s.Spent.Tokens, s.InFlight().Tokens)
		}
		tl.add(flow.KindResumed, flow.Resumed{})
		spent("killed twice", want[1])
		begin()
		tl.add(flow.KindFailed, flow.Failed{Call: call, Code: "TIMEOUT", Spent: 40})
		spent("failed", want[2])
		tl.add(flow.KindResumed, flow.Resumed{})
		begin()
		tl.add(flow.KindAnswered, flow.Answered{Call: call, Reply: "r", Letter: "7", Input: 40, Output: 90})
		spent("answered", want[3])
	}
}
