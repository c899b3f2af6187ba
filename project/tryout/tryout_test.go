package tryout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"brenner/agent/openai/openaitest"
	"brenner/config"
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
	p, err := project.Open(&project.Host{
		Environ: []string{"OPENAI_BASE_URL=" + s.BaseURL()}, Log: zerolog.Nop(), Now: func() time.Time { return now },
	}, config.Options{Dir: t.TempDir()})
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
