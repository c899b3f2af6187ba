package main

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"brenner/agent/openai/openaitest"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/journal"
	"brenner/store/postgres"
	"brenner/store/postgres/postgrestest"
)

// envTeamKills is the variable with the number of kills of TestTeam.
const envTeamKills = "BRENNER_TEST_TEAM_KILLS"

// team is two machines, which are two directories with different homes, on one store.
type team struct {
	t       *testing.T
	server  *postgrestest.Server
	address string
	store   *postgres.Store
	models  *openaitest.Server
	homes   []*teamHome

	mu     sync.Mutex
	stored map[string]bool // calls whose answers are stored
	at     int             // the request of the current run at which something happens
	asked  int             // in the current run
	then   func()
	all    bytes.Buffer // everything that was printed
}

type teamHome struct {
	dir string
	env []string
}

func newTeam(t *testing.T) *team {
	t.Helper()
	m := &team{t: t, server: postgrestest.Start(t), stored: make(map[string]bool)}
	t.Setenv("PGPASSWORD", m.server.Password)
	m.address = m.server.Address("postgres") + "&project=cells"
	for range 2 {
		home := t.TempDir()
		h := &teamHome{dir: filepath.Join(home, "project"), env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=atexit_sleep_ms=0", "PGPASSWORD=" + m.server.Password, "BRENNER_STORE=" + m.address,
		}}
		if err := os.Mkdir(h.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		m.homes = append(m.homes, h)
	}
	m.models = openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		m.mu.Lock()
		defer m.mu.Unlock()
		if call := r.Header.Get("Idempotency-Key"); m.stored[call] || call == "" {
			t.Errorf("the call %q was made after its answer was stored", call)
		}
		if m.asked++; m.asked == m.at && m.then != nil {
			m.then()
		}
		return behave(r, r.N)
	})
	return m
}

// run runs a command at one machine and returns its output and exit code, -1 if it was killed.
func (m *team) run(machine int, args ...string) (string, int) {
	m.t.Helper()
	out, _, wait := m.start(machine, args...)
	code := wait()
	return out.String(), code
}

// start starts a command and returns its output, how to kill it, and how to wait for its exit code.
func (m *team) start(machine int, args ...string) (out *bytes.Buffer, kill func(), wait func() int) {
	m.t.Helper()
	out = &bytes.Buffer{}
	c := exec.Command("brenner", args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = m.homes[machine].dir, m.homes[machine].env, out, out
	m.mu.Lock()
	err := c.Start() // its requests wait until it has a process that can be killed
	if err == nil && m.at < 0 {
		before := m.then
		m.at, m.then = -m.at, func() {
			if before != nil {
				before()
			}
			_ = c.Process.Kill()
		}
	}
	m.mu.Unlock()
	if err != nil {
		m.t.Fatal(err)
	}
	return out, func() { _ = c.Process.Kill() }, func() int {
		_ = c.Wait() // the exit code tells
		m.all.Write(out.Bytes())
		return c.ProcessState.ExitCode()
	}
}

// killAt makes the next command die at its n-th request, after something else, if not nil.
func (m *team) killAt(n int, before func()) { m.when(-n, before) }

// when does something at the n-th request from now on.
func (m *team) when(n int, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.asked, m.then = n, 0, then
}

// expire ends the leases of killed processes, as time does.
func (m *team) expire() {
	postgrestest.Exec(m.t, m.address, "UPDATE brenner_cells.holders SET until = clock_timestamp()")
}

// readStored notes which calls are answered, and checks that none is answered twice.
func (m *team) readStored(thread string) (answered int) {
	m.t.Helper()
	entries, err := m.store.Entries(m.t.Context(), session.Prefix+thread, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := make(map[string]bool)
	for i := range entries {
		if entries[i].Kind != flow.KindAnswered {
			continue
		}
		body, err := journal.Decode[flow.Answered](&entries[i], journal.BadEntry)
		if err != nil || seen[body.Call] {
			m.t.Errorf("%s: the call %s has two answers, or %v", thread, body.Call, err)
		}
		seen[body.Call], m.stored[body.Call] = true, true
	}
	return len(seen)
}

// TestTeam runs sessions on two machines with one store. One machine runs, the other watches and takes notes; both are
// killed, and the server restarts in the middle. Nothing is lost, and no call is made after its answer was stored.
func TestTeam(t *testing.T) {
	wanted := 5
	if n, err := strconv.Atoi(os.Getenv(envTeamKills)); err == nil {
		wanted = n
	}
	m := newTeam(t)
	if out, code := m.run(0, "session", "list", "-v"); code != 0 || strings.Contains(out, m.server.Password) {
		t.Fatalf("exit %d\n%s", code, out)
	}
	start := func(thread string) []string {
		return []string{
			"session", "start", "-v", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2", "--thread-id", thread,
			"--via", "openai", "--model", "m", "--base-url", m.models.BaseURL(),
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	kills, restarts, watchers := 0, 0, 0
	var server sync.WaitGroup // while it restarts
	for n := 1; kills < wanted && !t.Failed(); n++ {
		thread := "RS-20261115-team-" + strconv.Itoa(n)
		m.killAt(1+random.IntN(6), nil)
		machine := n % 2
		_, code := m.run(machine, start(thread)...)
		if m.store == nil {
			at, err := postgres.ParseAddress(m.address)
			if err == nil {
				m.store, err = postgres.Open(t.Context(), at, postgres.Options{ReadOnly: true})
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = m.store.Close() })
		}
		for ; code < 0; kills++ {
			m.expire()
			answered := m.readStored(thread)
			machine = 1 - machine
			if out, code := m.run(1-machine, "session", "note", thread, "note "+strconv.Itoa(kills)); code != 0 && answered > 0 {
				t.Errorf("note: exit %d\n%s", code, out)
			}
			m.when(0, nil)
			_, killWatcher, watched := m.start(1-machine, "session", "watch", thread, "--json-stream")
			switch {
			case restarts == 0 && kills+1 >= wanted/2:
				restarts++
				m.when(1, func() { // the answer comes while the server is away
					m.server.Crash()
					server.Go(func() {
						if err := m.server.Run(); err != nil {
							t.Error(err)
						}
					})
				})
			case random.IntN(2) == 0:
				m.killAt(1+random.IntN(2), nil)
			default:
				m.when(1, func() { killWatcher(); watchers++ })
			}
			_, code = m.run(machine, "session", "resume", "-v", thread, "--rounds", "2")
			watched()
			server.Wait()
			if code == 2 { // nothing of it was stored
				_, code = m.run(machine, start(thread)...)
			}
		}
		m.when(0, nil)
		m.expire()
		if answered := m.readStored(thread); code != 0 || answered < 6 {
			out, _ := m.run(0, "session", "status", thread)
			t.Errorf("%s: exit %d, %d calls answered\n%s", thread, code, answered, out)
		}
	}
	for machine := range m.homes {
		if out, code := m.run(machine, "verify"); code != 0 {
			t.Errorf("verify at machine %d: exit %d\n%s", machine, code, out)
		}
	}
	m.resolveAtOther()
	m.pages()
	m.copies()
	m.noPassword()
	t.Logf("%d kills, %d of them of a process that watches, %d restarts", kills+watchers, watchers, restarts)
}

// resolveAtOther decides at one machine what a session of the other left open.
func (m *team) resolveAtOther() {
	m.t.Helper()
	const thread = "RS-20261115-open"
	if out, code := m.run(0, "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2", "--thread-id", thread); code < 0 || code == 2 {
		m.t.Fatalf("exit %d\n%s", code, out)
	}
	if out, code := m.run(1, "session", "resolve", thread, "A1.status", "--take", "BlueLake", "--why", "the scale check holds"); code != 0 {
		m.t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := m.run(0, "session", "show", thread); code != 0 || !strings.Contains(out, "verified") {
		m.t.Errorf("exit %d\n%s", code, out)
	}
}

// pages opens the page of each machine and reads at one what was noted at the other.
func (m *team) pages() {
	m.t.Helper()
	for machine := range m.homes {
		note := "a note for machine " + strconv.Itoa(machine)
		if out, code := m.run(1-machine, "session", "note", "RS-20261115-open", note); code != 0 {
			m.t.Errorf("exit %d\n%s", code, out)
		}
		c := exec.CommandContext(m.t.Context(), "brenner", "serve", "--listen", "127.0.0.1:0")
		c.Dir, c.Env = m.homes[machine].dir, m.homes[machine].env
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			m.t.Fatal(err)
		}
		address := make([]byte, 200)
		n, _ := out.Read(address) // the check below says what is missing
		at := strings.TrimSpace(string(address[:n]))
		jar, _ := cookiejar.New(nil)
		browser := &http.Client{Jar: jar}
		u, err := url.Parse(at)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, page := range []string{at, "http://" + u.Host + "/sessions/RS-20261115-open"} {
			r, err := browser.Get(page)
			if err != nil {
				m.t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || r.StatusCode != http.StatusOK || page != at && !strings.Contains(string(body), note) {
				m.t.Errorf("%s: %d, %v, no %q in %.200s", page, r.StatusCode, err, note, body)
			}
			m.all.Write(body)
		}
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	}
}

// copies copies the store to a file and back: the exports are the same.
func (m *team) copies() {
	m.t.Helper()
	file := m.t.TempDir()
	back := strings.Replace(m.address, "project=cells", "project=back", 1)
	var exports []string
	for _, step := range [][]string{{m.address, file}, {file, back}} {
		if out, code := m.run(0, "store", "copy", "--from", step[0], "--to", step[1]); code != 0 {
			m.t.Errorf("exit %d\n%s", code, out)
		}
	}
	for _, address := range []string{m.address, back} {
		to := filepath.Join(m.t.TempDir(), "export.jsonl")
		if out, code := m.run(0, "session", "export", "RS-20261115-open", "--store", address, "-o", to); code != 0 {
			m.t.Errorf("exit %d\n%s", code, out)
		}
		data, err := os.ReadFile(to)
		if err != nil {
			m.t.Fatal(err)
		}
		exports = append(exports, string(data))
		m.all.Write(data)
	}
	if out, code := m.run(0, "store", "copy", "--from", m.address, "--to", "."); code != 0 { // sessions are published there
		m.t.Errorf("exit %d\n%s", code, out)
	}
	if exports[0] != exports[1] {
		m.t.Error("the export of the copy differs")
	}
	if out, code := m.run(0, "verify", "--store", back); code != 0 {
		m.t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := m.run(0, "store", "copy", "--from", file, "--to", strings.Replace(m.address, "project=cells", "project=back", 1)); code != 0 || !strings.Contains(out, "nothing was new") {
		m.t.Errorf("exit %d\n%s", code, out)
	}
}

// noPassword looks for the password in everything that was printed or written.
func (m *team) noPassword() {
	m.t.Helper()
	password := []byte(m.server.Password)
	if bytes.Contains(m.all.Bytes(), password) {
		m.t.Error("the password was printed")
	}
	for _, h := range m.homes {
		err := filepath.WalkDir(filepath.Dir(h.dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, password) {
				m.t.Errorf("the password is in %s", path)
			}
			return err
		})
		if err != nil {
			m.t.Error(err)
		}
	}
	for _, path := range processes(m.t) {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, password) { // a process may have ended
			m.t.Errorf("the password is in %s", path)
		}
	}
}

// processes returns the files with the command lines of all processes, where the system has them.
func processes(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return all
}
