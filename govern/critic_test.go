package govern_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/govern"
	"brenner/govern/finding"
	"brenner/internal/fault"
	"brenner/playbook/embedding/uselite"
	"brenner/store"
	"brenner/store/record"
)

// runChecks runs checks with a critic, and stores the findings.
func runChecks(ctx context.Context, rs *govern.Records, h *govern.Helper, checks ...string) (*govern.CheckResult, error) {
	return rs.RunChecks(ctx, sydney, govern.CheckRun{
		Name: strings.Join(checks, "-"), Checks: checks, Write: true, Helper: func() (*govern.Helper, func(), error) { return h, func() {}, nil },
	})
}

func (k *kit) runChecks(h *govern.Helper, checks ...string) *govern.CheckResult {
	k.Helper()
	res, err := runChecks(k.ctx(), k.Records, h, checks...)
	if err != nil {
		k.Fatal(err)
	}
	return res
}

// answers is an agent that answers with one text after the other.
type answers struct {
	texts []string
	calls []agent.Call
}

func (a *answers) Ask(_ context.Context, c agent.Call) (agent.Reply, error) {
	a.calls = append(a.calls, c)
	return agent.Reply{Text: a.texts[min(len(a.calls), len(a.texts))-1], Model: "m", Attempts: 1}, nil
}

func critic(texts ...string) (*govern.Helper, *answers) {
	a := &answers{texts: texts}
	return &govern.Helper{Agent: a, Name: "Ada", Model: "m"}, a
}

const goodFinding = "```finding\nrecords: a-1@v1, a-2@v1\nwrong: The one denies the other.\n```\n"

func (k *kit) twoAssumptions() {
	for _, id := range []string{"a-1", "a-2"} {
		k.put(draft(id, record.Assumption, "Something about "+id))
	}
}

func TestCriticsAnswers(t *testing.T) {
	const inProse = "a-1@v1 and a-2@v1: the one denies the other."
	for name, tt := range map[string]struct {
		answers  []string
		asked    int
		findings []string
		rows     int
	}{
		"structured":          {[]string{goodFinding}, 1, []string{"assumptions: The one denies the other."}, 0},
		"nothing":             {[]string{"NO FINDINGS"}, 1, nil, 0},
		"prose":               {[]string{inProse, inProse}, 2, []string{"unread: 2 parts of the answer about assumptions could not be read as findings, also after a correction was asked for"}, 4},
		"nothing in prose":    {[]string{"Nothing found.", "Nothing found."}, 2, []string{"unread: 1 part of the answer about assumptions could not be read as findings, also after a correction was asked for"}, 2},
		"corrected":           {[]string{inProse, goodFinding}, 2, []string{"assumptions: The one denies the other."}, 2},
		"withdrawn":           {[]string{inProse, "NO FINDINGS"}, 2, nil, 2},
		"partly corrected":    {[]string{goodFinding + "\n```finding\nrecords: ghost@v1\nwrong: x\n```", "NO FINDINGS"}, 2, []string{"assumptions: The one denies the other."}, 1},
		"in reasoning":        {[]string{"<think>\n" + goodFinding + "</think>\nNO FINDINGS"}, 1, nil, 1},
		"repeated by mistake": {[]string{goodFinding + "And a-1 again, and ghost@v9.", goodFinding}, 2, []string{"assumptions: The one denies the other."}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(k *kit) {
				k.twoAssumptions()
				h, ada := critic(tt.answers...)
				res := k.runChecks(h, finding.Assumptions)
				var got []string
				for _, f := range res.Findings {
					got = append(got, f.Check+": "+f.Detail)
				}
				k.equal("findings", got, tt.findings)
				k.equal("asked", len(ada.calls), tt.asked)
				k.equal("rows", len(res.NotCounted), tt.rows)
				calls, err := k.Calls(k.ctx())
				if err != nil || len(calls) != tt.asked {
					k.Fatal(calls, err)
				}
				for i := range calls {
					k.equal("produced", calls[i].Produced, []string{res.Review})
				}
				if len(got) > 0 && strings.HasPrefix(got[0], "unread") && !strings.Contains(k.content(res.Review), "> "+tt.answers[1]) {
					k.Error(k.content(res.Review))
				}
			})
		})
	}
}

// Without room for a correction, the answer is reported as it is.
func TestNoRoomForACorrection(t *testing.T) {
	both(t, func(k *kit) {
		k.twoAssumptions()
		h, ada := critic("It is odd.")
		k.Rules.Call = 1400
		res := k.runChecks(h, finding.Assumptions)
		k.equal("asked", len(ada.calls), 1)
		k.equal("finding", res.Findings[0].Detail, "1 part of the answer about assumptions could not be read as findings, and there was no room to ask for a correction")
		k.equal("row", res.NotCounted[0].Asked, false)
	})
}

// Several checks are several questions, each about the records that it needs.
func TestEachCheckAsksItsQuestion(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("brief", record.ProjectBrief, "## Goal\n\nThe goal.\n\n## Constraints\n\nNo animals.\n"))
		k.promote("brief")
		k.twoAssumptions()
		k.put(draft("ms", record.ManuscriptSection, "The text."))
		k.put(draft("note", record.PaperNote, "The note."))
		k.clock.skip(31 * 24 * time.Hour)
		h, ada := critic("NO FINDINGS")
		res := k.runChecks(h, finding.Names()...)
		k.equal("asked", len(ada.calls), 3)
		for i, want := range []struct {
			question string
			shown    []string
		}{
			{"Compare the core records below with the brief", []string{"ms@v1"}},
			{"Compare what the records below assume", []string{"a-1@v1", "a-2@v1"}},
			{"Look for records below that should be consolidated", []string{"a-1@v1", "a-2@v1", "note@v1"}},
		} {
			text := ada.calls[i].Turns[0].Text
			if !strings.Contains(text, want.question) || !strings.Contains(text, "\n  Constraints:\n  | No animals.\n") {
				k.Error(text)
			}
			for _, ref := range []string{"ms@v1", "a-1@v1", "a-2@v1", "note@v1"} {
				if strings.Contains(text, "- "+ref) != slices.Contains(want.shown, ref) {
					k.Errorf("question %d about %s:\n%s", i, ref, text)
				}
			}
		}
		review := k.record(res.Review)
		tasks := 0
		for _, l := range review.Links {
			if l.Relation == record.DerivesFrom {
				tasks++
			}
		}
		k.equal("tasks", tasks, 3)
		// What the critic was shown, and a review is about, is as unused as before.
		unused, err := k.Unused(k.ctx())
		if err != nil || len(unused) != 3 {
			k.Errorf("%v, %v", unused, err)
		}
		h, ada = critic("NO FINDINGS")
		k.runChecks(h, finding.Links, finding.Summaries)
		k.equal("asked about what no model can help with", len(ada.calls), 0)
	})
}

func TestNoQuestionWithoutRecords(t *testing.T) {
	both(t, func(k *kit) {
		h, ada := critic("NO FINDINGS")
		res := k.runChecks(h, finding.Alignment, finding.Duplicates)
		k.equal("asked", len(ada.calls), 0)
		k.equal("notes", res.Notes, []string{"alignment: Ada was not asked: there are no records to compare", "duplicates: Ada was not asked: there are no records to compare"})
	})
}

// What does not fit into one question is asked in several; what fits into none is named.
func TestQuestionsInPortions(t *testing.T) {
	both(t, func(k *kit) {
		for i, id := range []string{"a-1", "a-2", "a-3", "a-4"} {
			d := draft(id, record.Assumption, "It is "+id+".\n"+strings.Repeat("word of "+id+"\n", []int{100, 100, 100, 1000}[i]))
			d.Summary = "About " + id
			k.put(d)
		}
		h, ada := critic("NO FINDINGS")
		res := k.runChecks(h, finding.Assumptions)
		k.equal("notes", res.Notes, []string{
			"assumptions: Ada was shown only summaries of 1 record, whose texts do not fit into the view of the role adversarial_critic: a-4@v1",
			"assumptions: Ada was asked in 4 questions: records of different ones were not compared in full",
		})
		k.equal("asked", len(ada.calls), 4)
		for i, id := range []string{"a-3", "a-2", "a-1"} {
			if !strings.Contains(ada.calls[i].Turns[0].Text, "  | word of "+id+"\n") {
				k.Errorf("%s is not in\n%s", id, ada.calls[i].Turns[0].Text)
			}
		}
		if text := k.content(res.Review); !strings.Contains(text, "shown 1 of 4 records; of these 1 only summaries were shown (a-4@v1). It found nothing in that.") {
			k.Error(text)
		}
	})
}

// failing is a critic whose second question has no answer.
type failing struct {
	asked int
	err   error
}

func (f *failing) Ask(_ context.Context, _ agent.Call) (agent.Reply, error) {
	if f.asked++; f.asked == 1 {
		return agent.Reply{Text: goodFinding, Attempts: 1}, nil
	}
	return agent.Reply{Text: "<think>\nHm.", Attempts: 1}, f.err
}

// A question without an answer leaves the others as they are.
func TestEachQuestionStandsAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		code  fault.Code
		found []string
		asked int
	}{
		"only reasoning": {nil, "", []string{finding.Assumptions, finding.Unread}, 3},
		"blank":          {&agent.Failure{Code: agent.Empty}, "", []string{finding.Assumptions, finding.Unread}, 3},
		"unavailable":    {&agent.Failure{Code: agent.Unavailable}, agent.Unavailable, []string{finding.Assumptions}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(k *kit) {
				k.twoAssumptions()
				f := &failing{err: tt.err}
				res, err := runChecks(k.ctx(), k.Records, &govern.Helper{Agent: f, Name: "Ada", Model: "m"}, finding.Assumptions, finding.Duplicates)
				if fault.CodeOf(err) != tt.code || res == nil {
					k.Fatal(err)
				}
				var got []string
				for _, f := range res.Findings {
					got = append(got, f.Check)
				}
				k.equal("findings", got, tt.found)
				k.equal("asked", f.asked, tt.asked)
				if text := k.content(res.Review); !strings.Contains(text, "The one denies the other.") {
					k.Error(text)
				}
			})
		})
	}
}

// together is a critic during whose answer another process stores the review of the same checks.
type together struct{ other func() }

func (a *together) Ask(context.Context, agent.Call) (agent.Reply, error) {
	if other := a.other; other != nil {
		a.other = nil
		other()
	}
	return agent.Reply{Text: goodFinding, Attempts: 1}, nil
}

func TestReviewsAtOnce(t *testing.T) {
	both(t, func(k *kit) {
		k.twoAssumptions()
		for i := range 2 {
			bob, _ := critic("NO FINDINGS")
			bob.Name = "Bob"
			ada := &together{other: func() { k.runChecks(bob, finding.Assumptions) }}
			res := k.runChecks(&govern.Helper{Agent: ada, Name: "Ada", Model: "m"}, finding.Assumptions)
			k.equal("review", res.Review, fmt.Sprintf("review-assumptions@v%d", 2*i+2))
		}
	})
}

// dying is a process that is killed when it has journaled some replies, before it puts a review.
type dying struct {
	store.Store
	left int
}

func (s *dying) Write(ctx context.Context, b store.Batch) error {
	for _, e := range b.Appends {
		if e.Stream == govern.Calls {
			s.left--
		}
	}
	if s.left < 0 || s.left == 0 && slices.ContainsFunc(b.Records, func(r record.Record) bool { return r.Type == record.Review }) {
		return errKilled
	}
	return s.Store.Write(ctx, b)
}

// corrects is a critic that answers in prose, and corrects that.
type corrects struct{ asked, repaired int }

func (c *corrects) Ask(_ context.Context, call agent.Call) (agent.Reply, error) {
	if strings.Contains(call.Turns[len(call.Turns)-1].Text, "# REPAIR") {
		c.repaired++
		return agent.Reply{Text: goodFinding, Attempts: 1}, nil
	}
	c.asked++
	return agent.Reply{Text: "a-1@v1 denies it.", Attempts: 1}, nil
}

// Whenever a run is killed, the next one asks nothing that was journaled, and ends the same.
func TestKilledBetweenQuestionAndRepair(t *testing.T) {
	for left, want := range [][]int{{2, 1}, {1, 2}, {1, 1}} {
		both(t, func(k *kit) {
			k.twoAssumptions()
			ada := &corrects{}
			h := &govern.Helper{Agent: ada, Name: "Ada", Model: "m"}
			dead := k.withStore(&dying{Store: k.Store, left: left})
			if _, err := runChecks(k.ctx(), dead, h, finding.Assumptions); !errors.Is(err, errKilled) {
				k.Fatal(err)
			}
			res := k.runChecks(h, finding.Assumptions)
			k.equal("findings", []any{len(res.Findings), res.Findings[0].Check}, []any{1, finding.Assumptions})
			k.equal("asked and repaired", []int{ada.asked, ada.repaired}, want)
		})
	}
}

func TestNearCopies(t *testing.T) {
	both(t, func(k *kit) {
		model := uselite.New(uselite.Options{Lower: true})
		k.Embed = func(ctx context.Context, text string) ([]float32, error) {
			v, err := model.Embed(ctx, []string{text})
			if err != nil {
				return nil, err
			}
			return v[0].Values, nil
		}
		data, err := os.ReadFile("testdata/near.txt")
		if err != nil {
			k.Fatal(err)
		}
		kinds := make(map[string]string)
		number := 0
		for line := range strings.Lines(string(data)) {
			parts := strings.Split(strings.TrimSpace(line), " | ")
			if len(parts) != 3 {
				continue
			}
			number++
			for i, end := range []string{"a", "b"} {
				id := parts[0] + "-" + string(rune('a'+number/26)) + string(rune('a'+number%26)) + end
				d := draft(id, record.PaperNote, parts[i+1])
				d.Module = []string{"fate", "signal"}[i]
				k.put(d)
				kinds[id] = parts[0]
			}
		}
		found, err := k.Check(k.ctx(), sydney, finding.Duplicates)
		if err != nil {
			k.Fatal(err)
		}
		got := make(map[string]int)
		for i := range found {
			f := &found[i]
			if strings.HasPrefix(f.Detail, "a near copy of ") {
				got[kinds[f.Ref.ID]]++
			}
		}
		k.equal("near copies", got, map[string]int{"copy": 16})
	})
}
