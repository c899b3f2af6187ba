package tryout_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"brenner/agent"
	"brenner/agent/openai/openaitest"
	"brenner/config"
	"brenner/kickoff"
	"brenner/project"
	"brenner/project/tryout"
)

const reply = "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"N","claim":"C"},"rationale":"r"}` + "\n```\n" +
	"```delta\n" + `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"Other"},"rationale":"r"}` + "\n```\n"

// endpoint starts a test endpoint whose models all send the reply.
func endpoint(t *testing.T) *openaitest.Server {
	t.Helper()
	return openaitest.New(t, func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: reply, Usage: &openaitest.Usage{Input: 4000, Output: 50}}
	})
}

// try asks the models of an endpoint in an empty directory, while the clock stands still.
func try(t *testing.T, s *openaitest.Server, now time.Time, o *tryout.Options) *tryout.Report {
	t.Helper()
	return tryIn(t, t.TempDir(), s, now, o)
}

// tryIn is try in a directory.
func tryIn(t *testing.T, dir string, s *openaitest.Server, now time.Time, o *tryout.Options) *tryout.Report {
	t.Helper()
	p, err := project.Open(&project.Host{
		Environ: []string{"OPENAI_BASE_URL=" + s.BaseURL()}, Log: zerolog.Nop(), Now: func() time.Time { return now },
	}, config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tryout.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A role has the rights that it has in a session with all roles, and its messages are those of such a session.
func TestRolesHaveTheirRights(t *testing.T) {
	server := endpoint(t)
	r := try(t, server, time.Unix(1, 0), &tryout.Options{Models: []string{"m"}, Roles: tryout.Roles()})
	want := map[string]tryout.Counts{
		"hypothesis_generator": {Taken: 2}, "test_designer": {Taken: 1, Scope: 1}, "adversarial_critic": {Taken: 1, Scope: 1}, tryout.Unified: {Taken: 2},
	}
	for _, row := range r.Rows {
		if row.Counts != want[row.Role] || row.TookMS != 0 || row.Input != 4000 {
			t.Errorf("%s: %+v", row.Role, row)
		}
	}
	if len(r.Rows) != 4 || server.Asked() != 4 || r.Total.Calls != 4 {
		t.Errorf("%d rows, %d calls, %d counted", len(r.Rows), server.Asked(), r.Total.Calls)
	}
	for _, q := range server.Requests() {
		for _, word := range []string{"RS-00000000-prompts-try", "BlueLake", "GreenValley", "RedSky"} {
			if !strings.Contains(q.Last(), word) {
				t.Errorf("a kickoff lacks %s", word)
			}
		}
	}
}

// Two runs send the same messages, under other ids of calls.
func TestRunsDifferInTheIDsOfCalls(t *testing.T) {
	server := endpoint(t)
	for day := range 2 {
		try(t, server, time.Date(2026, 11, 15+day, 9, 0, 0, 0, time.UTC), &tryout.Options{Models: []string{"m"}, Roles: []string{tryout.Unified}})
	}
	sent := server.Requests()
	if len(sent) != 2 || string(sent[0].Body) != string(sent[1].Body) {
		t.Fatalf("%d requests, or their bodies differ", len(sent))
	}
	if a, b := sent[0].Header.Get("Idempotency-Key"), sent[1].Header.Get("Idempotency-Key"); a == "" || a == b {
		t.Errorf("the ids of calls are %q and %q", a, b)
	}
}

// What the rules refuse of the brief is not the model's: here, the hypotheses beyond the limit of the slate.
func TestRefusalsOfTheBriefAreNotTheModels(t *testing.T) {
	o := tryout.Options{Models: []string{"m"}, Roles: []string{tryout.Unified}}
	for i := range 8 {
		o.Input.Hypotheses = append(o.Input.Hypotheses, kickoff.Hypothesis{Text: fmt.Sprintf("Cause %d explains it all.", i)})
	}
	row := try(t, endpoint(t), time.Unix(1, 0), &o).Rows[0]
	if want := (tryout.Counts{Taken: 1, Refused: 1, Repairable: 1}); row.Counts != want || len(row.Problems) != 1 {
		t.Errorf("%+v", row)
	}
}

// A call is not tried again if all calls, and the attempts that failed, may cost more than the budget.
func TestRetriesStayWithinTheBudget(t *testing.T) {
	for budget, attempts := range map[int]int{30_000: 1, 40_000: 2} { // two calls of about 12,400 tokens
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, config.FileName), fmt.Appendf(nil, "budget:\n  tokens: %d\n", budget), 0o600); err != nil {
			t.Fatal(err)
		}
		server := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
			return openaitest.Answer{Text: reply, Usage: &openaitest.Usage{Input: 4000, Output: 50}, Cut: r.Model == "cut"}
		})
		r := tryIn(t, dir, server, time.Unix(1, 0), &tryout.Options{Models: []string{"m", "cut"}, Roles: []string{tryout.Unified}})
		if spent := r.Total.Input + r.Total.Output + r.Total.Lost; server.Asked() != 1+attempts || r.Total.Lost == 0 || spent > budget {
			t.Errorf("%d requests, %d tokens of %d: %+v", server.Asked(), spent, budget, r.Total)
		}
	}
}

// A repair that was cut is said of the repair, with a fix for the person who reads the report.
func TestCutRepairIsSaid(t *testing.T) {
	server := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		if strings.Contains(r.Last(), "# REPAIR") {
			return openaitest.Answer{Text: "```delta\n{\"operation\":", Finish: "length"}
		}
		return openaitest.Answer{Text: strings.Replace(reply, `,"claim":"C"`, "", 1)}
	})
	row := try(t, server, time.Unix(1, 0), &tryout.Options{Models: []string{"m"}, Roles: []string{tryout.Unified}, Repair: true}).Rows[0]
	i := slices.IndexFunc(row.Problems, func(p tryout.Problem) bool { return p.Kind == tryout.KindReply })
	if i < 0 || row.Calls != 2 {
		t.Fatalf("%+v", row)
	}
	if p := row.Problems[i]; p.Text != "repair" || p.Code != agent.Cut || !strings.Contains(p.Hint, "budget.reply_tokens") {
		t.Errorf("%+v", p)
	}
}
