package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/storetest"
)

// The suite passes through PgBouncer in transaction mode, and so do locks.
func TestThroughPgBouncer(t *testing.T) {
	t.Parallel()
	base := postgrestest.Address(t)
	through := postgrestest.Bouncer(t, base)
	address := func(t *testing.T) string {
		t.Helper()
		direct := postgrestest.Address(t)
		_, old, _ := strings.Cut(base, "&project")
		_, own, _ := strings.Cut(direct, "&project")
		return strings.Replace(through, old, own, 1)
	}
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store { return openAt(t, address(t), Options{}) })
	})
	t.Run("locks", func(t *testing.T) {
		storetest.Locks(t, func(t *testing.T) (one, other store.Locks) {
			a := address(t)
			return openAt(t, a, Options{}), openAt(t, a, Options{})
		})
	})
}

// The password is in no error, no log of the server, no table and no process list.
func TestPasswordIsSecret(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, "log_statement=all", "log_min_error_statement=debug5", "log_connections=on")
	secret := server.Password
	s := openOn(t, server)
	head := journal.Head{}
	texts := []string{s.Address().String(), commandLines(t)}
	note := func(err error) {
		if err != nil {
			texts = append(texts, err.Error(), fault.HintOf(err))
		}
	}
	entries := storetest.Chain(t, "s", head, 1)
	for range 2 { // the second is refused
		note(s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "s", Entries: entries}}}))
	}
	lease, err := s.Hold("a", store.Holder{PID: os.Getpid(), Doing: "test"})
	note(err)
	note(lease.Release())
	h, err := s.Health(t.Context())
	note(err)
	texts = append(texts, h.Version, h.Encoding)
	server.Crash()
	s.wait = 0
	_, err = s.Streams(t.Context(), "")
	note(err)
	log, err := os.ReadFile(server.Log())
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(log))
	if len(texts) < 7 {
		t.Errorf("only %d texts", len(texts))
	}
	for _, text := range texts {
		if strings.Contains(text, secret) {
			t.Errorf("it contains the password: %.200s", text)
		}
	}
}

// commandLines returns the command lines of all processes, where the system shows them.
func commandLines(t *testing.T) string {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var all strings.Builder
	for _, file := range files {
		text, _ := os.ReadFile(file) // the process may have ended
		all.Write(text)
	}
	return all.String()
}
