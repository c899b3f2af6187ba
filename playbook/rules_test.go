package playbook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/playbook"
)

// Matching within one section only could never quarantine anything.
func TestHarmfulInsightQuarantinesHelpfulBullet(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Cache everything", "")
	s.want(t, id, "SHADOW 1/0/0 ")
	_, entries := s.learn("", playbook.Harmful, "Caching everything", id)
	s.want(t, id, "QUARANTINED 1/1/0 ")
	if got := ops(entries); !slices.Equal(got, []playbook.Op{playbook.OpCount, playbook.OpQuarantine}) {
		t.Errorf("operations %v", got)
	}
	if s.book.Len() != 1 {
		t.Error("a new bullet was added")
	}
}

func TestParaphraseIsCountedOnce(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Use careful prompt engineering", "")
	before := s.find(id).Hash()
	_, entries := s.learn("", playbook.Helpful, "Prompt engineering improves accuracy", id)
	s.want(t, id, "SHADOW 2/0/0 ")
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	e, b := entries[0], s.find(id)
	if b.Content != "Use careful prompt engineering" || e.BeforeHash != before || e.AfterHash != b.Hash() || e.BeforeHash == e.AfterHash {
		t.Errorf("%+v, %+v", e, b)
	}
	if e.Insight != "Prompt engineering improves accuracy" || e.Cosine != 0.85 || *e.Before.Helpful != 1 || *e.After.Helpful != 2 || !b.LastSeen.Equal(e.At) {
		t.Errorf("%+v", e)
	}
}

func TestOppositesBecomeTwoBullets(t *testing.T) {
	s := newTestBook(t)
	one, _ := s.learn("", playbook.Helpful, "Increase the learning rate", "")
	two, entries := s.learn("", playbook.Helpful, "Decrease the learning rate", one)
	if one == two || s.book.Len() != 2 || entries[0].Op != playbook.OpAdd {
		t.Fatalf("%s, %s", one, two)
	}
	s.want(t, one, "SHADOW 1/0/0 ")
	if near := s.find(two).Near; !slices.Equal(near, []string{one}) {
		t.Error(near)
	}
}

// The most similar bullet may be the opposite, and the next one the same.
func TestFirstMatchWithSameMeaningCounts(t *testing.T) {
	s := newTestBook(t)
	up, _ := s.learn("", playbook.Helpful, "Increase the learning rate", "")
	down, _ := s.learn("", playbook.Helpful, "Decrease the learning rate", up)
	s.do(playbook.Act{}, func(d *playbook.Draft) error {
		out, err := d.Learn(playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Learning rate: decrease it"},
			[]playbook.Match{{ID: up, Cosine: 0.95}, {ID: down, Cosine: 0.9}}, playbook.Embedding{})
		if out.Bullet != down || out.Added {
			t.Errorf("%+v", out)
		}
		return err
	})
	s.want(t, up, "SHADOW 1/0/0 ")
	s.want(t, down, "SHADOW 2/0/0 ")
}

func TestGatesForAgentBullets(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("RS-0", playbook.Helpful, "Name the mechanism", "")
	s.credit("RS-1", id, playbook.Helpful)
	s.want(t, id, "SHADOW 2/0/0 ")
	s.credit("RS-2", id, playbook.Helpful)
	s.want(t, id, "STAGING 3/0/0 ")
	s.credit("RS-3", id, playbook.Helpful)
	entries := s.credit("RS-4", id, playbook.Helpful)
	s.want(t, id, "STAGING 5/0/0 waiting") // 0.6 and four sessions: 0.68
	if got := ops(entries); !slices.Equal(got, []playbook.Op{playbook.OpCount, playbook.OpReview}) {
		t.Error(got)
	}
	s.credit("RS-5", id, playbook.Helpful)
	s.want(t, id, "STAGING 6/0/0 waiting") // 0.70, but it waits for review
	s.do(playbook.Act{Reason: "looked at it"}, func(d *playbook.Draft) error { return d.Review(id, true) })
	s.want(t, id, "PROD 6/0/0 approved")
	if c := s.find(id).Confidence; c != 1 {
		t.Errorf("confidence %v", c)
	}
}

// Harm does not bypass the review queue: until the ratio is right, sessions raise the
// confidence above the gate, and a review is still required.
func TestContestedAgentBulletIsReviewed(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("RS-0", playbook.Helpful, "Obey the voice", "")
	for n := range 3 {
		s.credit(fmt.Sprint("RS-for-", n), id, playbook.Helpful)
	}
	s.credit("RS-1", id, playbook.Harmful)
	s.credit("RS-2", id, playbook.Harmful)
	var last []playbook.Entry
	for n := 3; n < 9; n++ {
		last = s.credit(fmt.Sprint("RS-for-", n), id, playbook.Helpful)
	}
	s.want(t, id, "STAGING 10/2/0 waiting")
	if b := s.find(id); b.Confidence < s.rules.Prod.Confidence || !strings.Contains(last[len(last)-1].Reason, "nobody has approved it") {
		t.Errorf("%v, %+v", b.Confidence, last)
	}
	for n := range 30 {
		s.credit(fmt.Sprint("RS-more-", n), id, playbook.Helpful)
	}
	if c := s.find(id).Confidence; c >= playbook.Person {
		t.Errorf("sessions raised the confidence to that of a person: %v", c)
	}
	s.do(playbook.Act{Reason: "it is the fire alarm"}, func(d *playbook.Draft) error { return d.Review(id, true) })
	s.want(t, id, "PROD 40/2/0 approved")
}

// A gate at the agents' own confidence requires no review.
func TestGateAtAgentConfidenceNeedsNoReview(t *testing.T) {
	s := newTestBook(t)
	s.rules.Prod.Confidence = s.rules.AgentConfidence
	id, _ := s.learn("RS-0", playbook.Helpful, "Name the mechanism", "")
	for n := range 4 {
		s.credit(fmt.Sprint("RS-for-", n), id, playbook.Helpful)
	}
	s.want(t, id, "PROD 5/0/0 ")
}

// A confidence equal to the gate passes, a lower one does not.
func TestConfidenceAtGate(t *testing.T) {
	for confidence, want := range map[float64]string{0.7: "PROD 5/0/0 ", 0.6999: "STAGING 5/0/0 waiting"} {
		s := newTestBook(t)
		s.rules.AgentConfidence = s.rules.Prod.Confidence
		var id string
		s.do(playbook.Act{}, func(d *playbook.Draft) error {
			out, err := d.Learn(playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism", Confidence: confidence}, nil, playbook.Embedding{})
			id = out.Bullet
			return err
		})
		for range 4 {
			s.credit("", id, playbook.Helpful) // without a session: the confidence stays unchanged
		}
		s.want(t, id, want)
	}
}

func TestGatesForBulletsOfPeople(t *testing.T) {
	s := newTestBook(t)
	var id string
	s.do(playbook.Act{}, func(d *playbook.Draft) error {
		out, err := d.Learn(playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Name the mechanism", Person: true}, nil, playbook.Embedding{})
		id = out.Bullet
		return err
	})
	for range 4 {
		s.credit("", id, playbook.Helpful)
	}
	s.want(t, id, "PROD 5/0/0 ")
}

func TestConfidenceRisesWithSessions(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("RS-0", playbook.Helpful, "Name the mechanism", "")
	s.credit("RS-1", id, playbook.Helpful)
	for range 3 {
		if entries := s.credit("RS-1", id, playbook.Helpful); len(entries) > 0 {
			t.Error("one session counted twice")
		}
	}
	if entries := s.credit("RS-0", id, playbook.Helpful); len(entries) > 0 {
		t.Error("a session confirmed its own bullet")
	}
	s.credit("RS-2", id, playbook.Harmful) // this does not confirm it
	if c := s.find(id).Confidence; c != 0.62 {
		t.Errorf("confidence %v", c)
	}
	s.want(t, id, "SHADOW 2/1/0 ")
}

func TestRatios(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	s.credit("", id, playbook.Helpful)
	s.credit("", id, playbook.Harmful)
	s.credit("", id, playbook.Helpful)
	s.want(t, id, "STAGING 3/1/0 ") // 3 : 1 is enough
	s.credit("", id, playbook.Helpful)
	s.credit("", id, playbook.Helpful)
	s.want(t, id, "STAGING 5/1/0 waiting") // 5 : 1 is enough, the confidence is not
	other, _ := s.learn("", playbook.Helpful, "Write the test first", "")
	s.credit("", other, playbook.Helpful)
	s.credit("", other, playbook.Helpful)
	s.credit("", other, playbook.Harmful)
	s.credit("", other, playbook.Harmful)
	s.credit("", other, playbook.Harmful)
	s.want(t, other, "QUARANTINED 3/3/0 ")
}

// A warning is confirmed by harm.
func TestWarningsAreConfirmedByHarm(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Harmful, "Averaging over batches hides the effect", "")
	s.want(t, id, "SHADOW 0/1/0 ")
	s.credit("", id, playbook.Harmful)
	s.credit("", id, playbook.Harmful)
	s.want(t, id, "STAGING 0/3/0 ")
	for range 3 {
		s.learn("", playbook.Helpful, "Averaging over batches shows the effect", id)
	}
	s.want(t, id, "QUARANTINED 3/3/0 ")
}

func TestNeutralStaysInShadow(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Neutral, "The assay takes a day", "")
	for n := range 9 {
		s.learn(fmt.Sprint("RS-", n), playbook.Neutral, "The assay takes a day", id)
	}
	s.want(t, id, "SHADOW 0/0/10 ")
	for range 3 {
		s.credit("", id, playbook.Helpful)
	}
	s.want(t, id, "STAGING 3/0/10 ")
	other, _ := s.learn("", playbook.Neutral, "The reader is blue", "")
	s.credit("", other, playbook.Harmful)
	s.want(t, other, "QUARANTINED 0/1/1 ")
}

func TestOnlyAPersonEndsQuarantine(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Cache everything", "")
	s.credit("", id, playbook.Harmful)
	for n := range 20 {
		s.credit(fmt.Sprint("RS-", n), id, playbook.Helpful)
	}
	s.want(t, id, "QUARANTINED 21/1/0 ")
	restore := func(d *playbook.Draft) error { return d.Restore(id) }
	if _, err := s.try(playbook.Act{}, restore); fault.CodeOf(err) != playbook.NoReason {
		t.Error(err)
	}
	s.do(playbook.Act{Reason: "it was the other cache"}, restore)
	s.want(t, id, "SHADOW 21/1/0 ")
	if _, err := s.try(playbook.Act{Reason: "again"}, restore); fault.CodeOf(err) != playbook.WrongStage {
		t.Error(err)
	}
}

// Support does not quarantine a restored bullet again; new harm does.
func TestSupportDoesNotQuarantineRestoredBullets(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Cache everything", "")
	s.credit("", id, playbook.Harmful)
	s.credit("", id, playbook.Harmful)
	s.do(playbook.Act{Reason: "it was the other cache"}, func(d *playbook.Draft) error { return d.Restore(id) })
	s.credit("", id, playbook.Helpful)
	s.credit("", id, playbook.Neutral)
	s.want(t, id, "SHADOW 2/2/1 ")
	s.credit("", id, playbook.Harmful)
	s.want(t, id, "QUARANTINED 2/3/1 ")
}

func TestRejectedReview(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Cache everything", "")
	review := func(approve bool) func(*playbook.Draft) error {
		return func(d *playbook.Draft) error { return d.Review(id, approve) }
	}
	if _, err := s.try(playbook.Act{Reason: "no"}, review(true)); fault.CodeOf(err) != playbook.WrongStage {
		t.Error(err)
	}
	for range 4 {
		s.credit("", id, playbook.Helpful)
	}
	s.want(t, id, "STAGING 5/0/0 waiting")
	s.do(playbook.Act{Reason: "too broad"}, review(false))
	s.want(t, id, "QUARANTINED 5/0/0 rejected")
}

func TestPromoteByHand(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	to := func(stage playbook.Stage) func(*playbook.Draft) error {
		return func(d *playbook.Draft) error { return d.Promote(id, stage) }
	}
	why := playbook.Act{Reason: "we know it"}
	entries := s.do(why, to(playbook.Staging))
	if entries[0].Op != playbook.OpForce || entries[0].Reason != "we know it" {
		t.Errorf("%+v", entries)
	}
	for _, wrong := range []playbook.Stage{playbook.Staging, playbook.Shadow, playbook.Quarantined, "HEAVEN"} {
		if _, err := s.try(why, to(wrong)); fault.CodeOf(err) != playbook.WrongStage {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	s.do(why, to(playbook.Prod))
	s.want(t, id, "PROD 1/0/0 ")
	s.do(why, func(d *playbook.Draft) error { return d.Quarantine(id) })
	if _, err := s.try(why, to(playbook.Prod)); fault.CodeOf(err) != playbook.WrongStage {
		t.Error(err)
	}
}

func TestReplace(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Harmful, "Never cach results", "")
	var fresh string
	entries := s.do(playbook.Act{Reason: "a typo"}, func(d *playbook.Draft) (err error) {
		fresh, err = d.Replace(id, "Never cache results", playbook.Source{Agent: "Sydney"}, playbook.Embedding{})
		return err
	})
	if got := ops(entries); !slices.Equal(got, []playbook.Op{playbook.OpQuarantine, playbook.OpAdd}) {
		t.Error(got)
	}
	b := s.find(fresh)
	if b.Supersedes != id || b.Section != playbook.Harmful || b.Content != "Never cache results" || s.find(id).Content != "Never cach results" {
		t.Errorf("%+v", b)
	}
	s.want(t, id, "QUARANTINED 0/1/0 ")
	s.want(t, fresh, "SHADOW 0/1/0 ")
}

// A text has one bullet, and a bullet one replacement.
func TestReplaceRefusesDuplicates(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Never cach results", "")
	other, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	why := playbook.Act{Reason: "a typo"}
	replace := func(text string) error {
		_, err := s.try(why, func(d *playbook.Draft) error {
			_, err := d.Replace(id, text, playbook.Source{}, playbook.Embedding{})
			return err
		})
		return err
	}
	wantError := func(err error, code fault.Code, want string) {
		t.Helper()
		if fault.CodeOf(err) != code || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	wantError(replace("name the mechanism."), playbook.BadBullet, "bullet "+other+" already has this text")
	s.do(why, func(d *playbook.Draft) error { return d.Quarantine(other) })
	wantError(replace("name the mechanism."), playbook.BadBullet, "has this text, in quarantine")
	s.want(t, id, "SHADOW 1/0/0 ")
	if err := replace("Never cache results"); err != nil {
		t.Fatal(err)
	}
	wantError(replace("Never cache a result"), playbook.WrongStage, "already replaced by")
	s.do(why, func(d *playbook.Draft) error { return d.Restore(id) })
	if err := replace("Never cache any result"); err != nil {
		t.Error(err)
	}
}

func TestGuardrail(t *testing.T) {
	g := playbook.DefaultRules().Guardrail
	base := playbook.Metrics{Success: 0.9, Errors: 0.05, P95: 10 * time.Second}
	for _, c := range []struct {
		now  playbook.Metrics
		want string
	}{
		{base, ""},
		{playbook.Metrics{Success: 0.82, Errors: 0.15, P95: 13 * time.Second}, ""}, // each at its bound
		{playbook.Metrics{Success: 0.819, Errors: 0.05, P95: 10 * time.Second}, "success fell from 90.0 % to 81.9 %"},
		{playbook.Metrics{Success: 0.9, Errors: 0.151, P95: 10 * time.Second}, "errors are at 15.1 %"},
		{playbook.Metrics{Success: 0.9, Errors: 0.05, P95: 13001 * time.Millisecond}, "latency rose from 10s to 13.001s"},
	} {
		if got := g.Breach(base, c.now); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c.now, got)
		}
	}
}

func TestWindows(t *testing.T) {
	g := playbook.Guardrail{Window: 2}
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	all := []playbook.Observation{
		{Session: "d", At: at(4), OK: false, Calls: 4, Failed: 2, Latencies: []time.Duration{4, 1}},
		{Session: "a", At: at(1), OK: false, Calls: 1},
		{Session: "c", At: at(3), OK: true, Calls: 4, Latencies: []time.Duration{2, 3}},
		{Session: "b", At: at(2), OK: true, Calls: 1},
		{Session: "z", At: at(0), OK: true, Calls: 1, Failed: 1},
	}
	before, now, since, ok := g.Windows(all)
	if !ok || before.Success != 0.5 || before.Errors != 0 || now.Success != 0.5 || now.Errors != 0.25 || now.P95 != 4 || !since.Equal(at(3)) {
		t.Errorf("%+v, %+v, %v, %v", before, now, since, ok)
	}
	if _, _, _, ok := g.Windows(all[:3]); ok {
		t.Error("three sessions are too few for two windows of two")
	}
}

func TestMeasureSuccessRate(t *testing.T) {
	good, bad := playbook.Observation{OK: true}, playbook.Observation{}
	for _, c := range []struct {
		all  []playbook.Observation
		want float64
	}{
		{nil, 0},
		{[]playbook.Observation{bad}, 0},
		{[]playbook.Observation{good}, 1},
		{[]playbook.Observation{good, bad, good, good}, 0.75},
		{[]playbook.Observation{bad, bad, good, bad}, 0.25},
	} {
		if m := playbook.Measure(c.all); m.Success != c.want || m.Sessions != len(c.all) {
			t.Errorf("%+v: %+v", c.all, m)
		}
	}
}

func TestRollback(t *testing.T) {
	s := newTestBook(t)
	old, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	since := s.now.Add(time.Second)
	fresh, _ := s.learn("", playbook.Helpful, "Skip the controls", "")
	gone, _ := s.learn("", playbook.Helpful, "Cache everything", "")
	s.credit("", gone, playbook.Harmful)
	var ids []string
	entries := s.do(playbook.Act{Reason: "guardrail: errors are at 20 %"}, func(d *playbook.Draft) (err error) {
		ids, err = d.Rollback(since, s.now)
		return err
	})
	if !slices.Equal(ids, []string{fresh}) || len(entries) != 1 || entries[0].Op != playbook.OpRollback || entries[0].Reason != "guardrail: errors are at 20 %" {
		t.Errorf("%v, %+v", ids, entries)
	}
	s.want(t, old, "SHADOW 1/0/0 ")
	s.want(t, fresh, "QUARANTINED 1/0/0 ")
}

// undo reverts a session.
func (s *testBook) undo(session string) []playbook.Entry {
	s.t.Helper()
	var all []playbook.Entry
	for i := range s.entries {
		e, err := playbook.Read(&s.entries[i])
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, e)
	}
	return s.do(playbook.Act{Session: session, Reason: "its agent was a parrot"}, func(d *playbook.Draft) error {
		_, err := d.Undo(all)
		return err
	})
}

func TestUndoSession(t *testing.T) {
	s := newTestBook(t)
	old, _ := s.learn("RS-1", playbook.Helpful, "Name the mechanism", "")
	s.credit("RS-2", old, playbook.Helpful)
	fresh, _ := s.learn("RS-2", playbook.Helpful, "Skip the controls", "")
	if entries := s.undo("RS-2"); len(entries) != 2 {
		t.Errorf("%+v", entries)
	}
	s.want(t, old, "SHADOW 1/0/0 ")
	s.want(t, fresh, "QUARANTINED 1/0/0 ")
	if c := s.find(old).Confidence; c != 0.6 {
		t.Errorf("confidence %v", c)
	}
	if entries := s.undo("RS-2"); len(entries) != 0 {
		t.Errorf("undone twice: %+v", entries)
	}
}

// Undo also reverts what the counts caused: stage, confidence and place in the queue.
func TestUndoRevertsEffectsOfCounts(t *testing.T) {
	s := newTestBook(t)
	word := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: "Feed the fish", Person: true}
	s.do(playbook.Act{Session: "RS-1"}, func(d *playbook.Draft) error {
		_, err := d.Learn(word, nil, playbook.Embedding{})
		return err
	})
	mine := s.book.At(0).ID
	agents, _ := s.learn("RS-1", playbook.Helpful, "Obey the voice", "")
	contested, _ := s.learn("RS-1", playbook.Helpful, "Count twice", "")
	for n := 2; n <= 6; n++ {
		s.credit(fmt.Sprint("RS-", n), mine, playbook.Helpful)
		s.credit(fmt.Sprint("RS-", n), agents, playbook.Helpful)
	}
	s.credit("RS-6", contested, playbook.Helpful)
	s.credit("RS-5", contested, playbook.Harmful)
	s.want(t, mine, "PROD 6/0/0 ")
	s.want(t, agents, "STAGING 6/0/0 waiting")
	for n, want := range [][3]string{
		{"PROD 5/0/0 ", "STAGING 5/0/0 waiting", "QUARANTINED 1/1/0 "},
		{"STAGING 4/0/0 ", "STAGING 4/0/0 ", "QUARANTINED 1/0/0 "}, // only a person releases it
		{"STAGING 3/0/0 ", "STAGING 3/0/0 ", "QUARANTINED 1/0/0 "},
		{"SHADOW 2/0/0 ", "SHADOW 2/0/0 ", "QUARANTINED 1/0/0 "},
	} {
		session := fmt.Sprint("RS-", 6-n)
		s.undo(session)
		s.want(t, mine, want[0])
		s.want(t, agents, want[1])
		s.want(t, contested, want[2])
		if entries := s.undo(session); len(entries) != 0 {
			t.Errorf("undone twice: %+v", entries)
		}
	}
	if c := s.find(agents).Confidence; c != 0.62 {
		t.Errorf("confidence %v", c)
	}
}

// Undo keeps decisions of people: promotions and approvals stay, though a stage that needs
// counters is lost.
func TestUndoKeepsDecisionsOfPeople(t *testing.T) {
	s := newTestBook(t)
	approved, _ := s.learn("RS-1", playbook.Helpful, "Name the mechanism", "")
	forced, _ := s.learn("RS-1", playbook.Helpful, "Write the test first", "")
	why := playbook.Act{Reason: "we know it"}
	s.do(why, func(d *playbook.Draft) error { return d.Promote(forced, playbook.Staging) })
	for n := 2; n <= 5; n++ {
		s.credit(fmt.Sprint("RS-", n), approved, playbook.Helpful)
	}
	s.credit("RS-5", forced, playbook.Helpful)
	s.do(why, func(d *playbook.Draft) error { return d.Review(approved, true) })
	s.undo("RS-5")
	s.want(t, approved, "STAGING 4/0/0 approved")
	s.want(t, forced, "STAGING 1/0/0 ")
	if c := s.find(approved).Confidence; c != playbook.Person {
		t.Errorf("confidence %v", c)
	}
	s.credit("RS-7", approved, playbook.Helpful)
	s.want(t, approved, "PROD 5/0/0 approved")
}

func TestReaches(t *testing.T) {
	r := playbook.DefaultRules()
	tried := 0
	for n := range 10_000 {
		session := fmt.Sprint("RS-", n)
		for _, stage := range []playbook.Stage{playbook.Shadow, playbook.Quarantined} {
			if r.Reaches(&playbook.Bullet{Stage: stage}, session) {
				t.Fatal(stage)
			}
		}
		if !r.Reaches(&playbook.Bullet{Stage: playbook.Prod}, session) {
			t.Fatal("a PROD bullet is not in the prompt")
		}
		one, again := r.Reaches(&playbook.Bullet{Stage: playbook.Staging}, session), r.Reaches(&playbook.Bullet{Stage: playbook.Staging}, session)
		if one != again {
			t.Fatal("not repeatable")
		}
		if one {
			tried++
		}
	}
	if tried < 900 || tried > 1100 {
		t.Errorf("%d of 10,000 sessions get STAGING bullets, want about 1,000", tried)
	}
}
