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

// stuck retries a bad patch until there is a stalemate.
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
		k.Fatal("no request for a ruling")
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

var validVerdict = verdictFor("the rules", reader.Name, "D1")

func TestSentRequestIsRequested(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		_, err := k.Send(k.ctx(), govern.Actor{Name: "Guest"}, "note", id)
		k.wantFault(err, policy.OutOfScope)
		for range 2 { // sending twice makes one request
			s, err := k.Send(k.ctx(), sydney, "note", id)
			if err != nil {
				k.Fatal(err)
			}
			k.equal("state", s.State, stalemate.Requested)
			k.equal("by", s.By, sydney.Name)
			k.equal("kind", s.Kind, stalemate.Retry)
			k.equal("waits", s.Waits(), true)
		}
		k.equal("versions", k.record(id).Version, 2)
		// The same request can be ruled on.
		s, err := k.Rule(k.ctx(), sydney, "note@v1", id, []byte(validVerdict))
		if err != nil {
			k.Fatal(err)
		}
		k.equal("state", s.State, stalemate.Ruled)
		_, err = k.Send(k.ctx(), sydney, "note", id)
		k.wantFault(err, stalemate.BadState)
		_, err = k.Rule(k.ctx(), sydney, "note", id, []byte(validVerdict))
		k.wantFault(err, stalemate.BadState)
		k.wantVerified()
	})
}

func TestInvalidRequestsAreSkipped(t *testing.T) {
	both(t, func(k *kit) {
		k.stuck()
		k.put(draft("ST-mine", record.StalemateRequest, "not a request"))
		d := draft("ST-other", record.StalemateRequest, "not one either", "cites=note")
		d.Tags = []string{stalemate.Retry}
		k.put(d)
		all, err := k.Stalemates(k.ctx(), "")
		if err != nil || len(all) != 1 {
			k.Fatal(err, all)
		}
		_, err = k.Stalemate(k.ctx(), "", "ST-other")
		k.wantFault(err, "NO_RECORD")
	})
}

func TestStalemateExpiresWithANewerVersion(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		k.put(draft("note", "", two))
		s, err := k.Stalemate(k.ctx(), "", id)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("state", s.State, stalemate.Expired)
		_, err = k.Rule(k.ctx(), sydney, "", id, []byte(validVerdict))
		k.wantFault(err, stalemate.BadState)
	})
}

func TestOpenStalemate(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, one))
		_, _, err := k.OpenStalemate(k.ctx(), sydney, "note", nil)
		k.wantFault(err, govern.NothingGiven, "no patch of it was refused")
		bad := k.patchBetween(one, two)
		bad.Groups[0].Anchor.Text = "omega\n"
		k.patch(writerOfNotes, "note", bad)
		_, _, err = k.OpenStalemate(k.ctx(), govern.Actor{Name: "Guest"}, "note", nil)
		k.wantFault(err, policy.OutOfScope)
		s, _, err := k.OpenStalemate(k.ctx(), sydney, "note", nil)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("kind", s.Kind, stalemate.Person)
		k.equal("about", s.About.String(), "note@v1")
		if err := s.Request.Sendable(); err != nil {
			k.Error(err)
		}
		_, _, err = k.OpenStalemate(k.ctx(), sydney, "note@v1", nil)
		k.wantFault(err, stalemate.BadState)
		// The third refusal is the same stalemate.
		k.patch(writerOfNotes, "note", bad)
		k.equal("stuck", k.patch(writerOfNotes, "note", bad).Stuck.ID, s.ID)
		// A request from a file, with a placeholder: a warning, and it cannot be sent.
		asked := s.Request
		asked.Evidence = append(asked.Evidence, stalemate.Evidence{Type: "error_log", Content: "[the log]", Hash: stalemate.HashOf("[the log]")})
		own, warnings, err := k.OpenStalemate(k.ctx(), sydney, "note", asked.JSON())
		if err != nil || len(warnings) != 1 {
			k.Fatal(err, warnings)
		}
		_, err = k.Send(k.ctx(), sydney, "note", own.ID)
		k.wantFault(err, stalemate.Placeholder)
		_, _, err = k.OpenStalemate(k.ctx(), sydney, "note", []byte("{"))
		if fault.CodeOf(err) == "" {
			k.Error("an invalid request was accepted")
		}
		k.wantVerified()
	})
}

// judge replies in turn.
type judge struct {
	answers []string
	asked   []agent.Call
	before  func() // called before each reply
}

func (j *judge) Ask(_ context.Context, c agent.Call) (agent.Reply, error) {
	j.asked = append(j.asked, c)
	if j.before != nil {
		j.before()
	}
	return agent.Reply{Text: j.answers[len(j.asked)-1]}, nil
}

func TestArbitrate(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{"I do not know.", "Here:\n```json\n" + validVerdict + "\n```\n"}}
		for _, name := range []string{reader.Name, sydney.Name} {
			_, err := k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: name}, "note", id)
			k.wantFault(err, stalemate.ArbiterIsParty)
		}
		_, err := k.Arbitrate(k.ctx(), govern.Actor{Name: "Guest"}, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, policy.OutOfScope)
		s, err := k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: "Judge", Model: "m"}, "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("state", s.State, stalemate.Ruled)
		k.equal("arbiter", s.Verdict.Arbiter, stalemate.Arbiter{Kind: stalemate.ByAgent, Name: "Judge", Model: "m"})
		k.equal("asked", len(j.asked), 2)
		k.equal("sees", j.asked[0].Turns[0].Text, s.Request.Message())
		calls, err := k.Calls(k.ctx())
		if err != nil || len(calls) != 2 {
			k.Fatal(err, calls)
		}
		k.equal("role", calls[1].Role, stalemate.ArbiterRole)
		k.equal("produced", calls[1].Produced, []string{"verdict-" + id + "@v1"})
		k.equal("creator", k.record("verdict-"+id).Creator, "Judge")
		k.wantVerified()
	})
}

func TestRulingDuringArbitrationIsKept(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{verdictFor("D1", reader.Name, "the rules")}}
		j.before = func() {
			if _, err := k.Rule(k.ctx(), sydney, "note", id, []byte(validVerdict)); err != nil {
				k.Error(err)
			}
		}
		_, err := k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, stalemate.BadState)
		s, err := k.Stalemate(k.ctx(), "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("for", s.Verdict.For, stalemate.TheRules)
		k.equal("verdicts", k.record("verdict-"+id).Version, 1)
		calls, err := k.Calls(k.ctx())
		if err != nil || len(calls) != 1 || calls[0].Reply == "" {
			k.Error("the reply is lost", err, calls)
		}
		k.wantVerified()
	})
}

func TestArbiterWithoutVerdict(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		j := &judge{answers: []string{"No.", "No."}}
		_, err := k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", id)
		k.wantFault(err, stalemate.NoVerdict)
		s, err := k.Stalemate(k.ctx(), "note", id)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("state", s.State, stalemate.Requested)
	})
}

// A record with the id of a future stalemate would prevent it. Other ids with the same prefix
// are allowed.
func TestStalemateIDsAreReserved(t *testing.T) {
	both(t, func(k *kit) {
		for _, kind := range []string{record.PaperNote, record.StalemateRequest} {
			_, err := k.Put(k.ctx(), sydney, draft("ST-0123456789abcdef", kind, "mine"))
			k.wantFault(err, govern.BadID, "reserved for stalemates", "stalemate open")
		}
		id := k.stuck().ID
		_, err := k.Put(k.ctx(), sydney, govern.Draft{ID: id, Parent: 1, Content: []byte("another"), Change: "because"})
		k.wantFault(err, govern.BadID)
		k.put(draft("ST-elevation", record.PaperNote, "a sign in an electrocardiogram"))
	})
}

// Only a ruling puts a record with the id of a verdict.
func TestVerdictIDsAreReserved(t *testing.T) {
	both(t, func(k *kit) {
		id := k.stuck().ID
		_, err := k.Put(k.ctx(), writerOfNotes, draft("verdict-"+id, record.PaperNote, "a note"))
		k.wantFault(err, govern.BadID)
		_, err = k.Put(k.ctx(), guest, draft("verdict-"+id, record.StalemateVerdict, validVerdict))
		k.wantFault(err, govern.BadID)
		all, err := k.Stalemates(k.ctx(), "")
		if err != nil || len(all) != 1 || all[0].State != stalemate.Open {
			k.Errorf("%v, %v", all, err)
		}
		if _, err := k.Rule(k.ctx(), sydney, "note", id, []byte(validVerdict)); err != nil {
			k.Error(err)
		}
	})
	// An existing record of another type with that id is not a verdict.
	both(t, func(k *kit) {
		k.putBySession("verdict-"+k.stuck().ID, record.PaperNote, "a note")
		all, err := k.Stalemates(k.ctx(), "")
		if err != nil || len(all) != 1 || all[0].State != stalemate.Open {
			k.Errorf("%v, %v", all, err)
		}
	})
}

// If a request exceeds the token limit of a call, the arbiter is not asked, and the request is
// not marked as sent.
func TestArbitrationRespectsTheCallLimit(t *testing.T) {
	both(t, func(k *kit) {
		s, err := k.Stalemate(k.ctx(), "note", k.stuck().ID)
		if err != nil {
			k.Fatal(err)
		}
		length := len(s.Request.Message())
		j := &judge{answers: []string{validVerdict}}
		k.Rules.Call = length - 1
		_, err = k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", s.ID)
		k.wantFault(err, view.TooLarge, "session.context_tokens")
		k.equal("asked", len(j.asked), 0)
		if s, err = k.Stalemate(k.ctx(), "note", s.ID); err != nil {
			k.Fatal(err)
		}
		k.equal("state", s.State, stalemate.Open)
		k.Rules.Call, k.Count = 1, func(text string) int { return len(text) / length }
		if _, err = k.Arbitrate(k.ctx(), sydney, &govern.Helper{Agent: j, Name: "Judge"}, "note", s.ID); err != nil {
			k.Error(err)
		}
	})
}
