package loop_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines without time zones

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
)

const good = `schema: brenner.loop.plan/v1
name: night
rounds: 3
concurrency: 8
questions:
  - id: fate
    question: How does a cell know what to become?
    hypotheses: [It inherits it.]
  - What makes the sky dark at night?
rosters:
  - default-3-agent
  - id: pair
    entries:
      - {agentName: BlueLake, role: hypothesis_generator, model: Qwen 3}
      - {agentName: RedSky, role: adversarial_critic}
models:
  - {id: small, model_id: "qwen3:8b", via: openai}
  - Opus 4.5
seeds: [1, 2, 3]
session: {rounds: 2, quorum: 1, when_clean: true, flow: staged}
budget: {session_tokens: 1000, tokens: 100000, session_usd: 0.25, usd: 12}
stop: {at: "07:00", quiet_rounds: 2, when_clean: true, failures: 3, when_person_needed: true}
failed: {retry: 2, pause: 90s, then: stop}
follow: {from: best, relation: refines, take: [hypothesis_slate]}
rotate: true
`

func seed(n int) *int { return &n }

func sameCell(a, b loop.Cell) bool { return reflect.DeepEqual(a, b) }

// Seed 0 differs from no seed.
func TestSeedZeroIsASeed(t *testing.T) {
	const head = "schema: brenner.loop.plan/v1\nquestions: [a]\nrosters: [b]\n"
	for plan, want := range map[string][]*int{
		"":                                     {nil},
		"seeds: [0, 7]":                        {seed(0), seed(7)},
		"sessions: [{seed: 0}, {}, {seed: 3}]": {seed(0), nil, seed(3)},
	} {
		p, err := loop.Parse([]byte(head + plan + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []*int
		for _, c := range p.Cells() {
			got = append(got, c.Seed)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: seeds %v, want %v", plan, got, want)
		}
	}
	if name := (&loop.Job{Cell: loop.Cell{Question: "q", Roster: "r", Seed: seed(0)}}).Name(); name != "q/r/0" {
		t.Errorf("name is %q, want q/r/0", name)
	}
}

// Too many sessions are refused, none is dropped, and the check is fast.
func TestParseRefusesTooManySessions(t *testing.T) {
	_, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nquestions: [{id: a, question: a}, {id: b, question: b}]\nrosters: [r]\nsessions:\n- {question: a, repeat: 100000}\n- {question: b, repeat: 5}\n"))
	if all := fault.All(err); len(all) != 1 || all[0].Where() != "line 6" || !strings.Contains(all[0].Detail, "more than 100000 sessions") {
		t.Error(err)
	}
	p, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nquestions: [a]\nrosters: [r]\nsessions: [{repeat: 99999}, {}]\n"))
	if err != nil || len(p.Cells()) != 100_000 {
		t.Error(err)
	}
	long := func(what, each string, n int) string {
		return what + ": [" + strings.Repeat(each+", ", n) + each + "]\n"
	}
	_, err = loop.Parse([]byte("schema: brenner.loop.plan/v1\n" + long("questions", "a", 40_000) + long("models", "{model: b}", 40_000) + "rosters: [r]\n"))
	if err == nil || !strings.Contains(err.Error(), "has 1600080001 sessions per round") {
		t.Error(err)
	}
	_, err = loop.Parse([]byte("schema: brenner.loop.plan/v1\n" + long("questions", "a", 30_000) + "rosters: [r]\n" + long("sessions", "{question: none}", 1000)))
	if text := err.Error(); len(text) > 1_000_000 || !strings.Contains(fault.All(err)[0].Hint, "q20 and 29981 more") {
		t.Errorf("%d bytes: %s", len(text), fault.All(err)[0].Hint)
	}
}

// Session ids are valid whatever their number.
func TestNamesLeaveRoomForNumbers(t *testing.T) {
	for _, n := range []int{1, 9999, 99_999, 100_000, 999_999, 100_000_000} {
		name := strings.Repeat("a", loop.MaxNameFor(n))
		s := loop.State{Opened: loop.Opened{Name: name}, Began: start}
		if !loop.ValidName(name, n) || loop.ValidName(name+"a", n) {
			t.Errorf("%d sessions: wrong maximum length %d", n, len(name))
		}
		if thread := s.ThreadOf(&loop.Job{Number: n}); !artifact.IsThreadID(thread) {
			t.Errorf("%s is not a session id", thread)
		}
	}
}

func TestParse(t *testing.T) {
	p, err := loop.Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	cells := p.Cells()
	if len(cells) != 2*2*2*3 {
		t.Fatalf("%d sessions per round, want 24", len(cells))
	}
	first, last := cells[0], cells[len(cells)-1]
	if !sameCell(first, loop.Cell{Question: "fate", Roster: "default-3-agent", Model: "small", Seed: seed(1)}) || !sameCell(last, loop.Cell{Question: "q2", Roster: "pair", Model: "m2", Seed: seed(3)}) {
		t.Errorf("first and last combination: %v, %v", first, last)
	}
	want := loop.Limits{
		Rounds: 3, Concurrency: 8, Tokens: 100_000, USD: 12_000_000_000, Quiet: 2, Clean: true, Failures: 3, Person: true, Retry: 2, Pause: 90_000, Then: loop.ThenStop,
	}
	if p.Limits != want {
		t.Errorf("limits: %+v", p.Limits)
	}
	if *p.Budget.USD != 250_000_000 || *p.Budget.Tokens != 1000 || *p.Session.Rounds != 2 || p.Session.Quorum != "1" || !*p.Session.Clean {
		t.Errorf("settings: %+v, %+v", p.Session, p.Budget)
	}
	if p.Follow.From != loop.FollowBest || !p.Rotate || p.Follow.Relation != "refines" {
		t.Errorf("follow: %+v", p.Follow)
	}
}

func TestParseListOfSessions(t *testing.T) {
	p, err := loop.Parse([]byte(`schema: brenner.loop.plan/v1
questions: [{id: a, question: A}, {id: b, question: B}]
rosters: [default-3-agent]
sessions:
  - {id: first, question: a}
  - {question: b, after: first, repeat: 2}
  - {question: a, after: RS-20261115-cell-fate, seed: 7}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []loop.Cell{
		{ID: "first", Question: "a", Roster: "default-3-agent"},
		{Question: "b", Roster: "default-3-agent", After: "first"},
		{Question: "b", Roster: "default-3-agent", After: "first"},
		{Question: "a", Roster: "default-3-agent", After: "RS-20261115-cell-fate", Seed: seed(7)},
	}
	got := p.Cells()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if !sameCell(got[i], want[i]) {
			t.Errorf("session %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestParseErrors(t *testing.T) {
	replace := func(old, by string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the plan has no %q", old)
		}
		return strings.Replace(good, old, by, 1)
	}
	for _, c := range []struct {
		name, plan, line, code, detail string
	}{
		{"invalid YAML on line 7", replace("    question: How", "    question: How: now:"), "line 7", "PLAN_INVALID_YAML", "invalid YAML"},
		{"unknown key on line 7", replace("    question: How", "    qestion: How"), "line 7", "PLAN_UNKNOWN_KEY", "qestion"},
		{"empty", "", "line 1", "PLAN_INVALID_YAML", "empty"},
		{"YAML anchor", replace("name: night", "name: &n night"), "line 2", "PLAN_INVALID_YAML", ""},
		{"wrong schema", replace("plan/v1", "plan/v2"), "line 1", "PLAN_INVALID_VALUE", "schema"},
		{"invalid name", replace("name: night", "name: Night!"), "line 2", "PLAN_INVALID_VALUE", "Night!"},
		{"duplicate key", replace("rounds: 3", "name: day"), "line 3", "PLAN_DUPLICATE_KEY", "line 2"},
		{"rounds", replace("rounds: 3", "rounds: 0"), "line 3", "PLAN_INVALID_VALUE", "rounds"},
		{"word instead of a number", replace("rounds: 3", "rounds: many"), "line 3", "PLAN_WRONG_TYPE", "many"},
		{"concurrency", replace("concurrency: 8", "concurrency: 1000"), "line 4", "PLAN_INVALID_VALUE", "1000"},
		{"no question", replace("    question: How does a cell know what to become?\n", ""), "line 6", "PLAN_INVALID_VALUE", "question is empty"},
		{"invalid id of a question", replace("id: fate", "id: The Fate"), "line 6", "PLAN_INVALID_VALUE", "The Fate"},
		{"duplicate id", replace("id: pair", "id: default-3-agent"), "line 12", "PLAN_INVALID_VALUE", "duplicate roster id"},
		{"roster without agents", replace("  - default-3-agent", "  - {id: none}"), "line 11", "PLAN_INVALID_VALUE", "no agents"},
		{"model without a name", replace(`model_id: "qwen3:8b", `, ""), "line 17", "PLAN_INVALID_VALUE", "no name"},
		{"negative seed", replace("[1, 2, 3]", "[1, -2]"), "line 19", "PLAN_INVALID_VALUE", "-2"},
		{"unknown flow", replace("staged", "stagd"), "line 20", "PLAN_INVALID_VALUE", "stagd"},
		{"unknown quorum", replace("quorum: 1", "quorum: most"), "line 20", "PLAN_INVALID_VALUE", "most"},
		{"token budget too small for one session", replace("tokens: 100000", "tokens: 999"), "line 21", "PLAN_INVALID_VALUE", "no session can start"},
		{"too many dollars", replace("usd: 12}", "usd: 1e9}"), "line 21", "PLAN_INVALID_VALUE", "1e9"},
		{"zero dollars", replace("usd: 12}", "usd: 0}"), "line 21", "PLAN_INVALID_VALUE", "invalid usd: 0"},
		{"zero dollars per session", replace("session_usd: 0.25", "session_usd: 0.0"), "line 21", "PLAN_INVALID_VALUE", "invalid session_usd: 0.0"},
		{"dollar budget too small for one session", replace("usd: 12}", "usd: 0.2}"), "line 21", "PLAN_INVALID_VALUE", "dollars"},
		{"invalid time of day", replace(`"07:00"`, "7am"), "line 22", "PLAN_INVALID_VALUE", "7am"},
		{"time of day and duration", replace(`at: "07:00"`, `at: "07:00", after: 8h`), "line 22", "PLAN_INVALID_VALUE", "both at: and after:"},
		{"then", replace("then: stop", "then: cry"), "line 23", "PLAN_INVALID_VALUE", "cry"},
		{"unknown section to take", replace("take: [hypothesis_slate]", "take: [hypotheses]"), "line 24", "PLAN_INVALID_VALUE", "hypotheses"},
		{"unknown relation", replace("refines", "loves"), "line 24", "PLAN_INVALID_VALUE", "loves"},
		{"rotate", replace("rotate: true", "rotate: 3"), "line 25", "PLAN_WRONG_TYPE", "true or false"},
		{"rehearsal without a script", good + "via: rehearsal\n", "line 26", "PLAN_INVALID_VALUE", "script"},
		{"script without a rehearsal", good + "script: x.yaml\n", "line 26", "PLAN_INVALID_VALUE", "rehearsal"},
		{"rehearsal with models", good + "via: rehearsal\nscript: x.yaml\n", "line 17", "PLAN_INVALID_VALUE", "models"},
		{"empty list", good + "sessions: []\n", "line 26", "PLAN_INVALID_VALUE", "empty"},
		{"session with an unknown roster", good + "sessions:\n  - {question: fate, roster: trio, model: small}\n", "line 27", "PLAN_INVALID_VALUE", "trio"},
		{"session after an unknown one", good + "sessions:\n  - {question: fate, roster: pair, model: small, after: it}\n", "line 27", "PLAN_INVALID_VALUE", "after: no session it to follow"},
		{"repeated session with an id", good + "sessions:\n  - {id: a, question: fate, roster: pair, model: small, repeat: 2}\n", "line 27", "PLAN_INVALID_VALUE", "repeated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := loop.Parse([]byte(c.plan))
			if err == nil {
				t.Fatal("no error")
			}
			for _, f := range fault.All(err) {
				if f.Where() == c.line && string(f.Code) == c.code && strings.Contains(f.Detail, c.detail) {
					if f.Hint == "" {
						t.Error("no hint")
					}
					return
				}
			}
			t.Errorf("want %s, %s, %q; got %v", c.line, c.code, c.detail, err)
		})
	}
}

func TestParseReportsAllErrors(t *testing.T) {
	_, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nrounds: 0\nrotate: 1\nquestions: [a]\nrosters: [{}]\n"))
	if n := len(fault.All(err)); n != 3 {
		t.Errorf("%d errors, want 3: %v", n, err)
	}
}

func TestParseSortsErrorsByLine(t *testing.T) {
	_, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nname: Bad Name\nrounds: 0\nquestions: [a]\nrosters: [b]\nsessions:\n  - {model: gpt}\nstop: {at: '07:00',\n  after: 8h}\nrotate: 1\n"))
	var lines []string
	for _, f := range fault.All(err) {
		lines = append(lines, f.Where())
		if strings.HasSuffix(f.Hint, "known: ") {
			t.Errorf("empty hint: %q", f.Hint)
		}
	}
	if got := strings.Join(lines, ", "); got != "line 2, line 3, line 7, line 9, line 10" {
		t.Errorf("%s: %v", got, err)
	}
}

// A model's id defaults to its name, or to a number if the name is not a valid id.
func TestParseModelIDs(t *testing.T) {
	p, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nquestions: [a]\nrosters: [b]\nmodels: [alpha, Opus 4.5, {model: beta}]\nsessions: [{model: alpha}, {model: m2}, {model: m3}]\n"))
	if err != nil || p.Models[0].ID != "alpha" || p.Models[1].ID != "m2" || p.Models[2].ID != "m3" {
		t.Errorf("%v: %+v", err, p)
	}
}

func TestStopAt(t *testing.T) {
	zone := time.FixedZone("there", 2*60*60)
	in := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	york, paulo, apia := in("America/New_York"), in("America/Sao_Paulo"), in("Pacific/Apia")
	for _, c := range []struct {
		stop, want string
		now        time.Time
	}{
		{`at: "07:00"`, "2026-11-16T05:00:00Z", time.Date(2026, 11, 15, 22, 0, 0, 0, zone)},
		{`at: "07:00"`, "2026-11-15T05:00:00Z", time.Date(2026, 11, 15, 6, 59, 0, 0, zone)},
		{`at: "07:00"`, "2026-12-01T05:00:00Z", time.Date(2026, 11, 30, 7, 0, 0, 0, zone)},
		// Clocks skip from 02:00 to 03:00: 02:30 means that instant.
		{`at: "02:30"`, "2027-03-14T07:00:00Z", time.Date(2027, 3, 14, 1, 45, 0, 0, york)},
		{`at: "02:30"`, "2027-03-14T07:00:00Z", time.Date(2027, 3, 13, 22, 0, 0, 0, york)},
		{`at: "02:30"`, "2027-03-15T06:30:00Z", time.Date(2027, 3, 14, 3, 10, 0, 0, york)},
		{`at: "03:00"`, "2027-03-14T07:00:00Z", time.Date(2027, 3, 14, 1, 45, 0, 0, york)},
		{`at: "00:30"`, "2018-11-04T03:00:00Z", time.Date(2018, 11, 3, 23, 0, 0, 0, paulo)},
		{`at: "07:00"`, "2011-12-30T10:00:00Z", time.Date(2011, 12, 29, 22, 0, 0, 0, apia)}, // Apia skipped the 30th
		{`after: 90m`, "2026-11-15T21:30:00Z", time.Date(2026, 11, 15, 22, 0, 0, 0, zone)},
	} {
		p, err := loop.Parse([]byte("schema: brenner.loop.plan/v1\nquestions: [a]\nrosters: [b]\nstop: {" + c.stop + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.StopAt(c.now); got != c.want {
			t.Errorf("%s at %s: got %s, want %s", c.stop, c.now, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("schema: brenner.loop.plan/v1\nsessions: [{repeat: 100000}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := loop.Parse(data)
		if (p == nil) == (err == nil) {
			t.Fatal("want either a plan or an error")
		}
		if err != nil {
			for _, one := range fault.All(err) {
				if !strings.HasPrefix(one.Where(), "line ") {
					t.Fatalf("error without a line: %v", one)
				}
			}
			return
		}
		if n := len(p.Cells()); n == 0 || n > 100_000 {
			t.Fatalf("plan with %d sessions", n)
		}
	})
}
