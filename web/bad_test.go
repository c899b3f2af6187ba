package web_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // changes stores behind the program's back

	"brenner/project"
	"brenner/web/webtest"
)

// damage changes the file of a project's store.
func damage(t *testing.T, p *project.Project, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(p.StateDir(), "brenner.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// A session that is damaged in the middle: its pages name the entry, and the others are shown.
func TestDamagedSession(t *testing.T) {
	p := webtest.WithConflict(t)
	webtest.Play(t, p, "RS-20261115-whole", "Why is this one whole?", 1, nil)
	s := serve(t, p, false)
	damage(t, p, "UPDATE entries SET kind = 'other' WHERE seq = 7 AND stream = (SELECT stream FROM entries WHERE seq = 1 ORDER BY stream LIMIT 1)")
	home := s.get("/")
	if !strings.Contains(home, "Why is this one whole?") { // the list comes from summaries and may not notice
		t.Errorf("the overview: %s", home)
	}
	damaged, whole := webtest.Conflict, "RS-20261115-whole"
	if s.do(http.MethodGet, "/sessions/"+whole, nil, nil).status != http.StatusOK {
		damaged, whole = whole, damaged
	}
	s.get("/sessions/" + whole)
	for _, page := range []string{"", "/artifact", "/trace", "/conflicts", "/diff", "/export.html", "/proof?verify=1", "?format=json"} {
		r := s.do(http.MethodGet, "/sessions/"+damaged+page, nil, nil)
		if r.status != http.StatusInternalServerError || !strings.Contains(r.body, "entry 7") {
			t.Errorf("%s: got %d, want 500 and the entry: %.600s", page, r.status, r.body)
		}
		if rest := strings.Contains(r.body, "Who answered") || strings.Contains(r.body, "BlueLake"); (page == "" || page == "/trace") && !rest {
			t.Errorf("%s: the entries before the damage are not shown: %.3000s", page, r.body)
		}
		if strings.Contains(r.body, "<form method=\"post\"") {
			t.Errorf("%s: a damaged session has a form", page)
		}
	}
	if r := s.do(http.MethodPost, "/sessions/"+damaged+"/notes", url.Values{"text": {"Take care."}}, nil); r.status != http.StatusInternalServerError || !strings.Contains(r.body, "Take care.") {
		t.Errorf("a note: got %d, want 500 and the text: %.600s", r.status, r.body)
	}
}

// A page whose text is damaged names the entry that refers to it, and leads to the rest. The overview
// marks the session from then on.
func TestDamagedText(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	commits := history(t, p, webtest.Conflict).State.Commits
	last := &commits[len(commits)-1]
	entry := "entry " + itoa(last.Seq)
	damage(t, p, "DELETE FROM blobs WHERE hash = x'"+last.Changed[0].Hash+"'")
	if body := s.get("/"); strings.Contains(body, "state damaged") {
		t.Errorf("the overview knows of damage that no page has found: %s", body)
	}
	for _, page := range []string{"", "/conflicts", "/predictions", "/artifact"} {
		r := s.do(http.MethodGet, "/sessions/"+webtest.Conflict+page, nil, nil)
		for _, want := range []string{entry, "This session is damaged", `class="tabs"`, "artifact?v=2"} {
			if r.status != http.StatusInternalServerError || !strings.Contains(r.body, want) {
				t.Errorf("%s: got %d, want 500 and %q: %s", page, r.status, want, r.body)
			}
		}
	}
	s.get("/sessions/" + webtest.Conflict + "/artifact?v=2") // which is not damaged
	if body := s.get("/"); !strings.Contains(body, "state damaged") {
		t.Errorf("the overview does not mark the session: %s", body)
	}
}

func TestStoreOfNewerProgram(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	damage(t, p, "PRAGMA user_version = 999")
	for _, page := range []string{"/", "/sessions/" + webtest.Conflict, "/store", "/playbook"} {
		if r := s.do(http.MethodGet, page, nil, nil); r.status < 400 || !strings.Contains(r.body, "version 999") {
			t.Errorf("%s: got %d, want the reason: %.600s", page, r.status, r.body)
		}
	}
}

// A project whose store was removed says so; it is not one without sessions.
func TestStoreIsGone(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	s.get("/")
	if err := os.RemoveAll(p.StateDir()); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"/", "/store", "/playbook", "/stalemates", "/sessions/" + webtest.Conflict, "/sessions/" + webtest.Conflict + "/artifact"} {
		if r := s.do(http.MethodGet, page, nil, nil); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "The store is gone") || strings.Contains(r.body, "No sessions yet") {
			t.Errorf("%s: got %d, want 503: %.300s", page, r.status, r.body)
		}
	}
	forms := map[string]url.Values{"/sessions/" + webtest.Conflict + "/notes": {"text": {"x"}}, "/start": {"question": {"Why?"}, "rehearsal": {"1"}, "do": {"start"}}}
	for page, form := range forms {
		if r := s.do(http.MethodPost, page, form, nil); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "The store is gone") {
			t.Errorf("%s: got %d, want 503: %.300s", page, r.status, r.body)
		}
	}
	if r := s.do(http.MethodGet, "/sessions/"+webtest.Conflict+"/export.html", nil, nil); r.status != http.StatusServiceUnavailable {
		t.Errorf("the export: got %d, want 503: %.300s", r.status, r.body)
	}
	if _, err := os.Stat(p.StateDir()); err == nil {
		t.Error("there is a store again")
	}
}

// A clock that was set back, as seen by a page: the cookie is still valid, and entries follow in order.
func TestClockIsBehind(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	before := p.Now()
	p.Host.Now = func() time.Time { return before.Add(-48 * time.Hour) }
	if r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"Early."}}, nil); r.status != http.StatusOK {
		t.Errorf("a note: %d %.300s", r.status, r.body)
	}
	p.Host.Now = func() time.Time { return before.Add(13 * time.Hour) }
	if r := s.do(http.MethodGet, "/", nil, nil); r.status != http.StatusUnauthorized {
		t.Errorf("after 13 hours: got %d, want 401", r.status)
	}
}

// The cookie of another user, or of another project, is not valid.
func TestCookieOfAnother(t *testing.T) {
	one, two := serve(t, webtest.WithConflict(t), false), serve(t, webtest.WithConflict(t), false)
	base, err := url.Parse(one.base)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(two.base, "127.0.0.1:")
	value := one.Jar.Cookies(base)[0].Value
	r := two.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"x"}}, func(r *http.Request) {
		two.Jar = nil
		r.Header.Set("Cookie", "brenner-"+port+"="+value)
	})
	if r.status != http.StatusUnauthorized {
		t.Errorf("got %d, want 401", r.status)
	}
}

// A session that is imported while its page is open appears there.
func TestImportWhileShown(t *testing.T) {
	from, to := webtest.WithConflict(t), webtest.Empty(t)
	src := serve(t, from, false)
	s := serve(t, to, false)
	if r := s.do(http.MethodGet, "/sessions/"+webtest.Conflict, nil, nil); r.status != http.StatusNotFound {
		t.Fatalf("before the import: got %d, want 404", r.status)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines, _ := s.listen(ctx, "?stream=&after=0", "")
	waitFor(t, lines, "retry:")
	x, err := project.ProvenExport(t.Context(), "x.html", []byte(src.get("/sessions/"+webtest.Conflict+"/export.html")))
	if err == nil {
		_, err = to.Import(t.Context(), "x.html", x, "test")
	}
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, lines, "id: session/"+webtest.Conflict)
	if body := s.get("/"); !strings.Contains(body, "Which signal") {
		t.Errorf("the overview: %s", body)
	}
}

// Two decisions at once: one is taken, the other one is told what changed.
func TestDecisionsAtOnce(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	got := make(chan int, 2)
	for _, value := range []string{"unchecked", "verified"} {
		form := url.Values{"version": {"3"}, "place": {"A1.status"}, "take": {"other"}, "value": {value}}
		go func() { got <- s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/conflicts", form, nil).status }()
	}
	if a, b := <-got, <-got; min(a, b) != http.StatusOK || max(a, b) != http.StatusConflict {
		t.Errorf("got %d and %d, want 200 and 409", a, b)
	}
	if n := history(t, p, webtest.Conflict).State.Version(); n != 4 {
		t.Errorf("the session is at version %d, want 4", n)
	}
}

// While another process keeps the store, pages are shown, and a change is refused until it is free.
func TestBusyStore(t *testing.T) {
	t.Parallel() // it waits
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	db, err := sql.Open("sqlite", filepath.Join(p.StateDir(), "brenner.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	s.get("/sessions/" + webtest.Conflict)
	began := time.Now()
	r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"x"}}, nil)
	t.Logf("refused after %s", time.Since(began))
	if r.status != http.StatusServiceUnavailable || len(history(t, p, webtest.Conflict).State.Notes) != 0 {
		t.Errorf("a note: got %d, want 503: %.300s", r.status, r.body)
	}
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"x"}}, nil); r.status != http.StatusOK {
		t.Errorf("a note afterwards: got %d", r.status)
	}
}
