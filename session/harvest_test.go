package session_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/lint"
	"brenner/kickoff"
	"brenner/playbook"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/opentest"
)

// fakeMemory is a memory that records its queries.
type fakeMemory struct {
	asked   []session.LessonQuery
	lessons session.LessonSet
	err     error
}

func (n *fakeMemory) Recall(_ context.Context, r session.LessonQuery) (session.LessonSet, error) {
	n.asked = append(n.asked, r)
	return n.lessons, n.err
}

// realSession plays the example as if its agents were models, without a rehearsal script.
func realSession(t *testing.T, rounds int, m session.Memory) (opentest.Store, *session.History) {
	t.Helper()
	st := opentest.New(t)
	r := runner(st, &actors{script: builtInScript()})
	r.Memory = m
	b := brief(rounds)
	b.Script = nil
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return st, load(t, st)
}

func textsTagged(h *session.Harvest, tag string) (texts []string) {
	for _, i := range h.Insights {
		if slices.Contains(i.Tags, tag) {
			texts = append(texts, i.Text)
		}
	}
	return texts
}

func TestHarvest(t *testing.T) {
	st, _ := realSession(t, 2, nil)
	h, _, err := editor(st).Resolve(t.Context(), thread, "A1.status", "GreenValley", "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]string{
		session.TagKilled: " (killed: Contradicted by the context", session.TagRejected: "of a test_designer were rejected with WRITE_SCOPE", session.TagRuled: ": status is falsified",
	} {
		if texts := textsTagged(got, tag); !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%s: %q", tag, texts)
		}
	}
	for _, i := range got.Insights {
		i.Domain = "general"
		if err := i.Check(playbook.DefaultRules()); err != nil || i.Source.Session != thread {
			t.Errorf("%+v: %v", i, err)
		}
	}
}

// A lint finding of a round that is gone at the end becomes a lesson, even if another item has it
// by then. Findings of the brief do not.
func TestHarvestOfLint(t *testing.T) {
	const killable, conflict = "Make sure that some active test can kill the hypothesis", "Make sure that no field is in CONFLICT"
	for rounds, want := range map[int][]string{1: nil, 2: {killable}, 3: {conflict, killable}} {
		_, h := realSession(t, rounds, nil)
		got, err := h.Harvest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if texts := textsTagged(got, session.TagLint); !slices.Equal(texts, want) {
			t.Errorf("%d rounds: %q", rounds, texts)
		}
	}
}

// The title of every rule makes a sentence: it is a clause, or a number of items.
func TestLintLessonsAreSentences(t *testing.T) {
	verb := regexp.MustCompile(`\b(is|are|has|have|can|follows|stand|resolve|name|names|says|offers)\b`)
	for _, rule := range lint.Rules() {
		text := session.LintLesson(rule.Title, rule.Why)
		if rest := strings.TrimPrefix(text, "Make sure that "); rest == text || !verb.MatchString(rest) {
			t.Errorf("%s: %q is not a sentence", rule.ID, text)
		}
	}
	if got := session.LintLesson("at least 3 active assumptions", "two are few"); got != "Make sure that there are at least 3 active assumptions: two are few" {
		t.Error(got)
	}
}

// The lessons of two rules never count as one.
func TestLintLessonsAreDifferent(t *testing.T) {
	k, err := keeper.Open(t.Context(), keeper.Options{Store: opentest.New(t), Rules: playbook.DefaultRules(), Embedder: uselite.New(uselite.Options{Lower: true})})
	if err != nil {
		t.Fatal(err)
	}
	var lines []playbook.Line
	for _, rule := range lint.Rules() {
		lines = append(lines, playbook.Line{Number: len(lines) + 1, ID: rule.ID, Helpful: 1, Text: session.LintLesson(rule.Title, rule.Why)})
	}
	got, err := k.Import(t.Context(), playbook.Act{Actor: "Sydney"}, lines, playbook.Into{Domain: "general"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, one := range got {
		if one.Did != playbook.ImportAdded {
			t.Errorf("%q %s for %s", lines[n].Text, one.Did, one.Bullet)
		}
	}
}

func TestRehearsalIsNotHarvested(t *testing.T) {
	m := &fakeMemory{lessons: session.LessonSet{Lessons: []kickoff.Bullet{{ID: "pb-00001", Text: "x"}}}}
	st := opentest.New(t)
	r := runner(st, &actors{script: builtInScript()})
	r.Memory = m
	if _, err := r.Start(t.Context(), brief(1)); err != nil {
		t.Fatal(err)
	}
	h := load(t, st)
	if got, err := h.Harvest(t.Context()); err != nil || len(got.Credits)+len(got.Insights) > 0 || len(m.asked) > 0 {
		t.Errorf("%+v, %v, %d", got, err, len(m.asked))
	}
}

// Recalled lessons are in the messages and in the journal. From round 2 on the query has the
// agent's own hypotheses and the killed ones.
func TestRecall(t *testing.T) {
	m := &fakeMemory{lessons: session.LessonSet{Lessons: []kickoff.Bullet{{ID: "pb-00001", Text: "Name the mechanism"}}, Omitted: []string{"pb-00002"}}}
	st, h := realSession(t, 2, m)
	k := h.State.Legs[0].Kickoffs[0]
	body, err := st.Blob(t.Context(), k.Body)
	if err != nil || !strings.Contains(string(body), "> - [pb-00001] Name the mechanism") || !slices.Equal(k.Lessons, []string{"pb-00001"}) || !slices.Equal(k.LessonsLeft, []string{"pb-00002"}) {
		t.Errorf("%v, %+v", err, k)
	}
	if first, later := m.asked[0], m.asked[3]; len(first.Own) != 0 || len(later.Own) == 0 || later.Agent != "BlueLake" || later.Role != "hypothesis_generator" {
		t.Errorf("%+v, %+v", first, later)
	}
	verifyOK(t, st)
}

// An unreadable playbook does not stop a session.
func TestUnreadablePlaybookDoesNotStopSession(t *testing.T) {
	_, h := realSession(t, 1, &fakeMemory{err: errors.New("unreadable")})
	if h.State.Ended != flow.EndRounds || len(h.State.Legs[0].Kickoffs[0].Lessons) > 0 {
		t.Errorf("%s", h.State.Ended)
	}
}

func TestObserve(t *testing.T) {
	_, h := realSession(t, 1, nil)
	o := h.Observe()
	if !o.OK || o.Calls < 3 || o.Failed != 0 || len(o.Latencies) != o.Calls || o.Session != thread {
		t.Errorf("%+v", o)
	}
}

// The root cause in an arbiter's verdict becomes a lesson.
func TestHarvestOfVerdicts(t *testing.T) {
	st := opentest.New(t)
	b := quarrelBrief(3)
	b.Script = nil
	if _, err := patchingRunner(t, st).Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	got, err := load(t, st).Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if texts := textsTagged(got, session.TagRuled); !slices.Equal(texts, []string{"A session was stuck (retry): Another text."}) {
		t.Errorf("%q", texts)
	}
}

// A ruling of an arbiter counts as an agent's lesson, not as a person's.
func TestHarvestOfRulings(t *testing.T) {
	st, s := opentest.New(t), &actors{script: parse(t, quarrel)}
	b := quarrelBrief(3)
	b.Script = nil
	if _, err := runner(st, s).Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	got, err := load(t, st).Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rulings := 0
	for _, i := range got.Insights {
		if slices.Contains(i.Tags, session.TagRuled) {
			rulings++
			if i.Person || i.Source.Agent != "Judge" {
				t.Errorf("%+v", i)
			}
		}
	}
	if rulings == 0 {
		t.Errorf("%+v", got.Insights)
	}
}

// killings has a hypothesis that is killed with a reason, one with a rationale only, and one
// without either.
const killings = `schema: brenner.rehearsal/v1
question: q
agents:
  - name: BlueLake
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"One","claim":"fish sleep"}}
          ` + "```" + `
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Two","claim":"fish dream"}}
          ` + "```" + `
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Three","claim":"fish snore"}}
          ` + "```" + `
      - reply: 'NO CHANGES: it stands'
  - name: PurpleMountain
    rounds:
      - reply: 'NO CHANGES: it stands'
      - reply: 'NO CHANGES: it stands'
  - name: GreenValley
    rounds:
      - reply: 'NO CHANGES: it stands'
      - reply: |
          ` + "```delta" + `
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"the eyes are open"},"rationale":"a look"}
          ` + "```" + `
          ` + "```delta" + `
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H2","rationale":"fish cannot tell"}
          ` + "```" + `
          ` + "```delta" + `
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H3"}
          ` + "```" + `
`

// The reason for a kill is the reason of the KILL, or else its rationale, both in the next round
// and in the playbook.
func TestKillReasonFallsBackToRationale(t *testing.T) {
	st, m := opentest.New(t), &fakeMemory{}
	r := runner(st, &actors{script: parse(t, killings)})
	r.Memory = m
	b := brief(3)
	b.Script, b.Hypotheses = nil, nil
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	want := []session.Claim{{"H1", "fish sleep", "the eyes are open"}, {"H2", "fish dream", "fish cannot tell"}, {"H3", "fish snore", ""}}
	if got := m.asked[len(m.asked)-1].Killed; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	got, err := load(t, st).Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"fish sleep (killed: the eyes are open)", "fish dream (killed: fish cannot tell)", "fish snore (killed: no reason was given)"}
	if killed := textsTagged(got, session.TagKilled); !slices.Equal(killed, texts) {
		t.Errorf("%q", killed)
	}
}
