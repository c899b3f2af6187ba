package flow

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/store/journal"
)

// storedOpening has every key that an opening of brenner.seal/v1 can have.
const storedOpening = `{"agents":[{"model":"m <&>","model_id":"id","name":"A1","program":"p","role":"r","seed":0,"via":"openai","view":"v"},{"name":"A2","via":"mail"}],` +
	`"arbiter":{"name":"Judge","via":"openai"},"brief":"b","constraints":["c","d"],"context":"x \u0001\u2028 \" \\","evidence":[{"hash":"h","id":"EV-001","name":"n"}],` +
	`"excerpt":"e","module":"fate","operator":"op","program":"brenner 0.1","question":"Why ä?","records":true,"rehearsal":"s",` +
	`"roster":{"entries":[{"agentName":"A1","model":"m","role":"r"}],"schema":"x"},` +
	`"rules":{"authorities":["a"],"grants":[{"add":["y"],"kill_anywhere":true,"role":"r","write":["x"]},{"role":"q"}],` +
	`"limits":{"a":{"max":2,"min":1},"b":{"max":0,"min":0}},"priority":["p"],"strict_scopes":true,"unified":true,"version":"1"},` +
	`"settings":{"budget_tokens":5,"flow":"staged","limits":{"agent_ms":1,"call_ms":2,"idle_ms":3,"run_ms":4},"quiet_rounds":1,"quorum":"all","repair":true,` +
	`"reply_tokens":6,"rounds":2,"stop_when_clean":true},"thread":"RS-20260101-ab"}`

const storedOpeningHash = "55b26049c419305889288beb4056286fdb711b060bbb306fd22c931c0f3e78e5"

// entry returns the entry that follows a head, as a store would hold it.
func entry(t *testing.T, after journal.Head, kind, body string) *journal.Entry {
	t.Helper()
	e, err := after.Next("session/RS-20260101-ab", time.Unix(0, 0), kind, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

// Journals contain seals, so they must never change.
func TestSealsAreStable(t *testing.T) {
	for name, c := range map[string]struct{ opening, hash, brief string }{
		"every key": {storedOpening, storedOpeningHash, "adb137ed995c7a3c7ef13ede53c141004e3b36b7157a2145cb21beab6df9aa08"},
		"few keys": {
			`{"agents":[],"brief":"","operator":"op","program":"","question":"","roster":{},"rules":{"grants":[],"version":""},"settings":{},"thread":"RS-20260101-ab"}`,
			"c06d7a9cfae164961c2f0b7ec44865f37e83970f922eb702de8acbeced6925af", "ffd9f5a9b3d2c94335abdbf2726c211b2f3536f8f32c7d5f75b06703929e25d9",
		},
	} {
		s, err := Fold([]journal.Entry{*entry(t, journal.Head{}, KindOpened, c.opening)})
		if err != nil {
			t.Fatal(err)
		}
		if s.opening != c.hash {
			t.Errorf("%s: the hash of the opening is %s, want %s", name, s.opening, c.hash)
		}
		if got := s.SealFor(&Committed{Source: ByBrief, Author: "op", Deltas: "d", At: "2026-01-01T00:00:00Z"}); got != c.brief {
			t.Errorf("%s: the seal of the brief is %s, want %s", name, got, c.brief)
		}
	}
}

func TestSealsOfRoundsAreStable(t *testing.T) {
	const want = "82b8e1872c258702990b456e1c0421a2753bf12bc3170d88f93a86deb264596d"
	s, err := Fold([]journal.Entry{*entry(t, journal.Head{}, KindOpened, storedOpening)})
	if err != nil {
		t.Fatal(err)
	}
	s.Commits = []Commit{{}}
	plan := `{"at":"2026-01-01T01:00:00Z","base":1,"kickoffs":[{"agent":"A1","body":"k","examples":"","subject":"","template":"","template_hash":"","tokens":0}],"leg":1,` +
		`"mailboxes":[{"agent":"A2","name":"Calm <é>"}],"round":1}`
	if err := s.Apply(entry(t, s.Head, KindPlanned, plan)); err != nil {
		t.Fatal(err)
	}
	if got := s.SealFor(&Committed{Source: ByRound, Round: 1, Leg: 1, At: "2026-01-01T00:00:00Z"}); got != want {
		t.Errorf("the seal is %s, want %s", got, want)
	}
}

// A later program may have more keys. The seals of older journals do not depend on what it would
// write, and those of its own journals cover the new keys.
func TestSealsHashStoredBytes(t *testing.T) {
	var tomorrow struct {
		Opened
		Always int `json:"always"`
	}
	if err := json.Unmarshal([]byte(storedOpening), &tomorrow); err != nil {
		t.Fatal(err)
	}
	tomorrow.Opened.Settings = Settings{}
	if digest(tomorrow) == storedOpeningHash {
		t.Error("an additional key does not change the written form, so this test is void")
	}
	seen := map[string]string{storedOpeningHash: "unchanged"}
	for name, change := range map[string][2]string{
		"a key of the opening":        {`{"agents"`, `{"a_new_one":1,"agents"`},
		"another value of it":         {`{"agents"`, `{"a_new_one":2,"agents"`},
		"a key of an agent":           {`"via":"mail"}`, `"via":"mail","zone":"new"}`},
		"a key of the arbiter":        {`"Judge",`, `"Judge","new":true,`},
		"a key of evidence":           {`"id":"EV-001",`, `"id":"EV-001","kind":"new",`},
		"a key of the rules":          {`"version":"1"`, `"version":"1","zeal":"new"`},
		"a key of a grant":            {`{"role":"q"}`, `{"new":"x","role":"q"}`},
		"a key of a limit":            {`"max":2,`, `"max":2,"mean":1,`},
		"another value of an old key": {`"rehearsal":"s"`, `"rehearsal":"t"`},
		"a missing old key":           {`"rehearsal":"s",`, ``},
	} {
		changed := strings.Replace(storedOpening, change[0], change[1], 1)
		hash, _ := openingOf([]byte(changed))
		if same := seen[hash]; changed == storedOpening || same != "" {
			t.Errorf("%s: same hash as: %s", name, same)
		}
		seen[hash] = name
	}
	with := strings.Replace(storedOpening, `"rounds":2`, `"rounds":9,"tomorrow":1`, 1)
	if hash, _ := openingOf([]byte(with)); hash != storedOpeningHash {
		t.Errorf("settings are part of the hash: %s", hash)
	}
}
