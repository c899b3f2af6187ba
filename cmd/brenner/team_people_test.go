package main

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"brenner/session"
	"brenner/store/postgres"
	"brenner/web"
)

// open opens the team's store, which a command has created.
func (m *team) open() {
	m.t.Helper()
	at, err := postgres.ParseAddress(m.address)
	if err == nil {
		m.store, err = postgres.Open(m.t.Context(), at, postgres.Options{ReadOnly: true})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = m.store.Close() })
}

// visit is a person at the page of a machine, behind a proxy.
type visit struct {
	m    *team
	base string
	jar  http.Client
}

// serve runs the page of a machine, and lets a person log in.
func (m *team) serve(machine int, token string) *visit {
	m.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	c := exec.Command("brenner", "serve", "--listen", at, "--behind-proxy", "127.0.0.1", "--host", "lab.example.org")
	c.Dir, c.Env = m.homes[machine].dir, m.homes[machine].env
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() })
	_, _ = out.Read(make([]byte, 200)) // the requests say what is missing
	v := &visit{m: m, base: "http://" + at}
	v.jar.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v.jar.Jar, _ = cookiejar.New(nil)
	if status, body := v.post("/enter", url.Values{"token": {token}}); status != http.StatusSeeOther {
		m.t.Fatalf("log in: %d %.300s", status, body)
	}
	return v
}

func (v *visit) post(path string, form url.Values) (status int, body string) {
	v.m.t.Helper()
	r, err := http.NewRequestWithContext(v.m.t.Context(), http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.m.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("X-Forwarded-Host", "lab.example.org")
	for _, cookie := range v.cookies() {
		r.AddCookie(cookie)
	}
	got, err := v.jar.Do(r)
	if err != nil {
		v.m.t.Fatal(err)
	}
	text, err := io.ReadAll(got.Body)
	_ = got.Body.Close()
	if err != nil {
		v.m.t.Fatal(err)
	}
	v.m.all.Write(text)
	return got.StatusCode, string(text)
}

// cookies returns those that are for TLS, which the proxy has.
func (v *visit) cookies() []*http.Cookie {
	u, err := url.Parse(strings.Replace(v.base, "http:", "https:", 1))
	if err != nil {
		v.m.t.Fatal(err)
	}
	return v.jar.Jar.Cookies(u)
}

// Two people at the pages of two machines: one decides, the form of the other is stale. The journal has their names.
func TestTeamPeople(t *testing.T) {
	m := newTeam(t)
	const thread = "RS-20261115-open"
	text, tokens := "authorities: [Sydney, Robin]\nserve:\n  people:\n", []string{}
	for _, name := range []string{"Sydney", "Robin"} {
		token, hash := web.NewToken()
		tokens = append(tokens, token)
		text += "    - {name: " + name + ", token_sha256: " + hash + "}\n"
	}
	for _, h := range m.homes {
		if err := os.WriteFile(filepath.Join(h.dir, "brenner.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := m.run(0, "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2", "--thread-id", thread); code < 0 || code == 2 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	m.open()
	load := func() *session.History {
		h, err := session.Load(t.Context(), m.store, thread)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	version := load().State.Version()
	sydney, robin := m.serve(0, tokens[0]), m.serve(1, tokens[1])
	path := "/sessions/" + thread
	form := url.Values{"version": {strconv.Itoa(version)}, "place": {"A1.status"}, "take": {"other"}, "value": {"unchecked"}, "why": {"nothing was measured"}}
	if status, body := sydney.post(path+"/conflicts", form); status != http.StatusSeeOther {
		t.Fatalf("decide: %d %.1000s", status, body)
	}
	if status, body := robin.post(path+"/conflicts", form); status != http.StatusConflict {
		t.Errorf("the stale form: %d %.1000s", status, body)
	}
	if status, body := robin.post(path+"/notes", url.Values{"text": {"Look again."}}); status != http.StatusSeeOther {
		t.Errorf("note: %d %.1000s", status, body)
	}
	after := load().State
	if after.Version() != version+1 || len(after.Notes) != 1 || after.Notes[0].Author != "Robin" {
		t.Errorf("version %d after %d, notes %+v", after.Version(), version, after.Notes)
	}
	entries, err := m.store.Entries(t.Context(), session.Prefix+thread, 0)
	decided := 0
	for i := range entries {
		if strings.Contains(string(entries[i].Body), `"Sydney"`) {
			decided++
		}
	}
	if err != nil || decided == 0 {
		t.Errorf("no entry names Sydney; %v", err)
	}
	m.noPassword()
}

// A loop runs on one machine and is refused on the other, which continues it after the first was killed. Both read
// its report and the playbook.
func TestTeamLoop(t *testing.T) {
	m := newTeam(t)
	night, err := filepath.Abs("../../examples/night/night.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"loop", "run", night, "--store", m.address}, {"loop", "report", "night"}, {"playbook", "list"}, {"verify"}} {
		machine := 1
		if args[0] == "loop" && args[1] == "run" {
			machine = 0
		}
		if out, code := m.run(machine, args...); code != 0 {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
	m.open()
	plan := "schema: brenner.loop.plan/v1\nname: shared\nmodels: [{model_id: m, via: openai}]\nquestions: [{id: why, question: \"Why?\"}, {id: how, question: \"How?\"}]\n" +
		"rosters: [default-3-agent]\nrounds: 1\nconcurrency: 2\nsession: {rounds: 2}\n"
	run := []string{"loop", "run", "plan.yaml", "--base-url", m.models.BaseURL()}
	for _, h := range m.homes {
		if err := os.WriteFile(filepath.Join(h.dir, "plan.yaml"), []byte(plan), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second := exec.Command("brenner", run...)
	second.Dir, second.Env = m.homes[1].dir, m.homes[1].env
	var refused []byte
	m.killAt(5, func() { refused, _ = second.CombinedOutput() }) // the text says how it ended
	if out, code := m.run(0, run...); code != -1 {
		t.Fatalf("the first run was not killed: exit %d\n%s", code, out)
	}
	m.when(0, nil) // the end of what happened at the fifth request
	if !strings.Contains(string(refused), "held by process") {
		t.Errorf("the second run was not refused\n%s", refused)
	}
	m.expire()
	read := func() (answered int) {
		threads, err := session.List(t.Context(), m.store)
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			if strings.Contains(thread, "shared") {
				answered += m.readStored(thread)
			}
		}
		return answered
	}
	before := read()
	if out, code := m.run(1, run...); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if after := read(); after < 12 || after <= before {
		t.Errorf("%d calls answered, %d before", after, before)
	}
	for machine := range m.homes {
		for _, args := range [][]string{{"loop", "report", "shared"}, {"verify"}} {
			if out, code := m.run(machine, args...); code != 0 {
				t.Errorf("%v: exit %d\n%s", args, code, out)
			}
		}
	}
	m.noPassword()
}
