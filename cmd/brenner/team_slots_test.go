package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent/openai/openaitest"
)

// Sessions on two machines keep the limit of an endpoint together, and doctor says so.
func TestTeamSharesLimit(t *testing.T) {
	m := newTeam(t)
	var mu sync.Mutex
	now, most, asked := 0, 0, 0
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		now += n
		most, asked = max(most, now), asked+max(0, n)
	}
	models := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		count(1)
		answer := behave(r, r.N)
		answer.Wait = func(piece int) {
			if piece == 0 {
				<-time.After(100 * time.Millisecond)
				count(-1)
			}
		}
		return answer
	})
	var waits []func() int
	for i, h := range m.homes {
		const config = "agents:\n  models:\n    - {model: m, id: m, concurrent: 2}\n"
		if err := os.WriteFile(filepath.Join(h.dir, "brenner.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, wait := m.start(i, "session", "start", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2",
			"--thread-id", "RS-20261115-team-"+string(rune('a'+i)), "--via", "openai", "--model", "m", "--base-url", models.BaseURL())
		waits = append(waits, wait)
	}
	for i, wait := range waits {
		if code := wait(); code != 0 {
			t.Errorf("the session on machine %d: got exit %d, want 0", i, code)
		}
	}
	if most != 2 || asked < 12 {
		t.Errorf("got %d calls, at most %d at once; want at least 12, at most 2 at once\n%s", asked, most, &m.all)
	}
	out, _ := m.run(0, "doctor", "--via", "openai", "--model", "m", "--base-url", models.BaseURL())
	const want = "at most 2 concurrent calls of all sessions of the project on this machine\n"
	if !strings.Contains(out, want) || strings.Contains(out, "slot-") || strings.Contains(out, "call to") {
		t.Errorf("doctor does not say %q, or lists calls that have ended:\n%s", want, out)
	}
}
