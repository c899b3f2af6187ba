package govern_test

import (
	"context"
	"testing"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store/record"
)

// stuck has an agent try the same patch until it is a stalemate.
func (k *kit) stuck() record.Ref {
	k.Helper()
	return k.stuckOn("note")
}

func (k *kit) stuckOn(id string) record.Ref {
	k.Helper()
	k.put(draft(id, record.PaperNote, one))
	bad := k.patchBetween(one, two)
	bad.Groups[0].Anchor.Text = "omega\n"
	var out *govern.Patched
	for range 3 {
		out = k.patch(writerOfNotes, id, bad)
	}
	if out.Stuck == nil {
		k.Fatal("it is not seen")
	}
	return *out.Stuck
}

func verdictFor(ruling string, others ...string) string {
	text := `{"ruling_for": "` + ruling + `", "root_cause": "c", "reasoning": ["r"], "confidence": 0.5, "rejected": [`
	for i, name := range others {
		if i > 0 {
			text += ", "
		}
		text += `{"hypothesis": "` + name + `", "why": "w"}`
	}
	return text + `]}`
}

var ruled = verdictFor("the rules", reader.Name, "D1", "D2")

func TestARequestThatIsGivenOutIsRequested(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		_, err := k.Send(k.Context1(), govern.Actor{Name: "Guest"}, "note", id)
		k.wantFault(err, policy.OutOfScope)
		for range 2 { // it is one request, however often it is given out
			s, err := k.Send(k.Context1(), sydney, "note", id)
			if err != nil {
				k.Fatal(err)
			}
			k.is("state", s.State, stalemate.Requested)
			k.is("by", s.By, sydney.Name)
			k.is("kind", s.Kind, stalemate.Retry)
			k.is("waits", s.Waits(), true)
		}
		k.is("versions", k.record(id).Version, 2)
		// The same is refused as before, and it is still that request.
		s, err := k.Rule(k.Context1(), sydney, "note@v1", id, []byte(ruled))
		if err != nil {
			k.Fatal(err)
		}
		k.is("state", s.State, stalemate.Ruled)
		_, err = k.Send(k.Context1(), sydney, "note", id)
		k.wantFault(err, stalemate.BadState)
		_, err = k.Rule(k.Context1(), sydney, "note", id, []byte(ruled))
		k.wantFault(err, stalemate.BadState)
		k.proven()
	})
}

func TestAFalseRequestHidesNoOther(t *testing.T) {
	both(t, func(k *kit) {
		k.stuck()
		k.put(draft("ST-mine", record.StalemateRequest, "no request at all"))
		d := draft("ST-other", record.StalemateRequest, "nor this", "cites=note")
		d.Tags = []string{stalemate.Retry}
		k.put(d)
		all, err := k.Stalemates(k.Context1(), "")
		if err != nil || len(all) != 1 {
			k.Fatal(err, all)
		}
		_, err = k.Stalemate(k.Context1(), "", "ST-other")
		k.wantFault(err, "NO_RECORD")
	})
}

func TestAStalemateExpiresWhenItsWayGoesOn(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		k.put(draft("note", "", two))
		s, err := k.Stalemate(k.Context1(), "", id)
		if err != nil {
			k.Fatal(err)
		}
		k.is("state", s.State, stalemate.Expired)
		_, err = k.Rule(k.Context1(), sydney, "", id, []byte(ruled))
		k.wantFault(err, stalemate.BadState)
	})
}

func TestAPersonSaysThatARecordIsStuck(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		_, _, err := k.OpenStalemate(k.Context1(), sydney, "note", nil)
		k.wantFault(err, govern.NothingGiven, "no patch of it was refused")
		bad := k.patchBetween(one, two)
		bad.Groups[0].Anchor.Text = "omega\n"
		k.patch(writerOfNotes, "note", bad)
		_, _, err = k.OpenStalemate(k.Context1(), govern.Actor{Name: "Guest"}, "note", nil)
		k.wantFault(err, policy.OutOfScope)
		s, _, err := k.OpenStalemate(k.Context1(), sydney, "note", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.is("kind", s.Kind, stalemate.Person)
		k.is("about", s.About.String(), "note@v1")
		if err := s.Request.Sendable(); err != nil {
			k.Error(err)
		}
		_, _, err = k.OpenStalemate(k.Context1(), sydney, "note@v1", nil)
		k.wantFault(err, stalemate.BadState)
		// The third time is the same stalemate.
		k.patch(writerOfNotes, "note", bad)
		k.is("stuck", k.patch(writerOfNotes, "note", bad).Stuck.ID, s.ID)
		// A request of their own, with a placeholder that is warned of and not sent.
		asked := s.Request
		asked.Evidence = append(asked.Evidence, stalemate.Evidence{Type: "error_log", Content: "[the log]", Hash: stalemate.HashOf("[the log]")})
		own, warnings, err := k.OpenStalemate(k.Context1(), sydney, "note", asked.JSON())
		if err != nil || len(warnings) != 1 {
			k.Fatal(err, warnings)
		}
		_, err = k.Send(k.Context1(), sydney, "note", own.ID)
		k.wantFault(err, stalemate.Placeholder)
		_, _, err = k.OpenStalemate(k.Context1(), sydney, "note", []byte("{"))
		if fault.CodeOf(err) == "" {
			k.Error("a request that is none")
		}
		k.proven()
	})
}

// judge answers in turn.
type judge struct {
	answers []string
	asked   []agent.Call
	before  func() // what happens while it thinks
}

func (j *judge) Ask(_ context.Context, c agent.Call) (agent.Reply, error) {
	j.asked = append(j.asked, c)
	if j.before != nil {
		j.before()
	}
	return agent.Reply{Text: j.answers[len(j.asked)-1]}, nil
}

func TestAnAgentRulesOnARecord(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{"I do not know.", "Here:\n```json\n" + ruled + "\n```\n"}}
		for _, name := range []string{reader.Name, sydney.Name} {
			_, err := k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: name}, "note", id)
			k.wantFault(err, stalemate.ArbiterIsParty)
		}
		_, err := k.Arbitrate(k.Context1(), govern.Actor{Name: "Guest"}, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, policy.OutOfScope)
		s, err := k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: "Judge", Model: "m"}, "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.is("state", s.State, stalemate.Ruled)
		k.is("arbiter", s.Verdict.Arbiter, stalemate.Arbiter{Kind: stalemate.ByAgent, Name: "Judge", Model: "m"})
		k.is("asked", len(j.asked), 2)
		k.is("sees", j.asked[0].Turns[0].Text, s.Request.Message())
		calls, err := k.Calls(k.Context1())
		if err != nil || len(calls) != 2 {
			k.Fatal(err, calls)
		}
		k.is("role", calls[1].Role, stalemate.ArbiterRole)
		k.is("produced", calls[1].Produced, []string{"verdict-" + id + "@v1"})
		k.is("creator", k.record("verdict-"+id).Creator, "Judge")
		k.proven()
	})
}

func TestAPersonWhoRulesWhileTheArbiterThinks(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{verdictFor("D1", reader.Name, "the rules", "D2")}}
		j.before = func() {
			if _, err := k.Rule(k.Context1(), sydney, "note", id, []byte(ruled)); err != nil {
				k.Error(err)
			}
		}
		_, err := k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, stalemate.BadState)
		s, err := k.Stalemate(k.Context1(), "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.is("for", s.Verdict.For, stalemate.TheRules)
		k.is("verdicts", k.record("verdict-"+id).Version, 1)
		calls, err := k.Calls(k.Context1())
		if err != nil || len(calls) != 1 || calls[0].Reply == "" {
			k.Error("the answer is lost", err, calls)
		}
		k.proven()
	})
}

func TestAnArbiterWithoutAVerdict(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{"No.", "No."}}
		_, err := k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, stalemate.NoVerdict)
		s, err := k.Stalemate(k.Context1(), "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.is("state", s.State, stalemate.Requested)
	})
}

// The id of a stalemate that is still to come is nobody's to take: it would never be
// opened. What only begins so is a name like any other.
func TestNobodyTakesThePlaceOfAStalemate(t *testing.T) {
	both(t, func(k *kit) {
		for _, kind := range []string{record.PaperNote, record.StalemateRequest} {
			_, err := k.Put(k.Context1(), sydney, draft("ST-0123456789abcdef", kind, "mine"))
			k.wantFault(err, govern.BadID, "reserved for stalemates", "stalemate open")
		}
		id := k.stuck().ID
		_, err := k.Put(k.Context1(), sydney, govern.Draft{ID: id, Parent: 1, Content: []byte("another"), Change: "because"})
		k.wantFault(err, govern.BadID)
		k.put(draft("ST-elevation", record.PaperNote, "a sign in an electrocardiogram"))
	})
}

// The place of a verdict is for whoever may decide: neither a note nor a verdict of
// anybody else's can stand there.
func TestNobodyTakesThePlaceOfAVerdict(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		_, err := k.Put(k.Context1(), writerOfNotes, draft("verdict-"+id, record.PaperNote, "a note"))
		k.wantFault(err, govern.BadID)
		_, err = k.Put(k.Context1(), guest, draft("verdict-"+id, record.StalemateVerdict, ruled))
		k.wantFault(err, govern.BadID)
		all, err := k.Stalemates(k.Context1(), "")
		if err != nil || len(all) != 1 || all[0].State != stalemate.Open {
			k.Errorf("%v, %v", all, err)
		}
		if _, err := k.Rule(k.Context1(), sydney, "note", id, []byte(ruled)); err != nil {
			k.Error(err)
		}
	})
	// One that was put there before is no verdict, and hides nothing.
	both(t, func(k *kit) {
		k.said("verdict-"+k.stuck().ID, record.PaperNote, "a note")
		all, err := k.Stalemates(k.Context1(), "")
		if err != nil || len(all) != 1 || all[0].State != stalemate.Open {
			k.Errorf("%v, %v", all, err)
		}
	})
}

// The bound of a call holds for an arbiter's as for everybody's: a text and its patch
// may be more than any model reads. Nobody is asked then, and nothing was given out.
func TestAnArbiterIsSentNoMoreThanACallMayHold(t *testing.T) {
	both(t, func(k *kit) {
		s, err := k.Stalemate(k.Context1(), "note", k.stuck().ID)
		if err != nil {
			k.Fatal(err)
		}
		length := len(s.Request.Message())
		j := &judge{answers: []string{ruled}}
		k.Rules.Call = length - 1
		_, err = k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", s.ID)
		k.wantFault(err, view.TooLarge, "session.context_tokens")
		k.is("asked", len(j.asked), 0)
		if s, err = k.Stalemate(k.Context1(), "note", s.ID); err != nil {
			k.Fatal(err)
		}
		k.is("state", s.State, stalemate.Open)
		k.Rules.Call, k.Count = 1, func(text string) int { return len(text) / length }
		if _, err = k.Arbitrate(k.Context1(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", s.ID); err != nil {
			k.Error(err)
		}
	})
}
