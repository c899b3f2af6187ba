package web_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"flag"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/loop/runner"
	"brenner/playbook"
	"brenner/project"
	"brenner/project/lessons"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/web"
	"brenner/web/webtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// site is a running server and a browser that is admitted to it.
type site struct {
	*http.Client
	t       testing.TB
	base    string
	enter   string
	project *project.Project
	stop    func() // ends the server
}

// serve runs a server for a project until the test ends.
func serve(t testing.TB, p *project.Project, readOnly bool) *site {
	t.Helper()
	return serveWith(t, p, func(o *webOptions) { o.ReadOnly = readOnly })
}

type webOptions = web.Options

// serveWith is serve with other options.
func serveWith(t testing.TB, p *project.Project, change func(*webOptions)) *site {
	t.Helper()
	s := serveUnknown(t, p, change)
	if r := s.do(http.MethodGet, strings.TrimPrefix(s.enter, s.base), nil, nil); r.status != http.StatusOK {
		t.Fatalf("entering: got %d, want 200: %.300s", r.status, r.body)
	}
	return s
}

// serveUnknown is serve with a browser that is not admitted.
func serveUnknown(t testing.TB, p *project.Project, change func(*webOptions)) *site {
	t.Helper()
	o := web.Options{Project: p, Poll: 5 * time.Millisecond, Door: web.Door{Listen: "127.0.0.1:0"}}
	if change != nil {
		change(&o)
	}
	server, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	enter := server.Address(l)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	jar, _ := cookiejar.New(nil)                                                         // it has no error
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the test's own certificate
	base, _, _ := strings.Cut(enter, "/enter")
	s := &site{Client: &http.Client{Jar: jar, Transport: transport}, t: t, base: base, enter: enter, project: p}
	s.stop = sync.OnceFunc(func() {
		cancel()
		s.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

type response struct {
	status int
	header http.Header
	body   string
}

func (s *site) do(method, path string, form url.Values, change func(*http.Request)) response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	got, err := s.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{got.StatusCode, got.Header, string(body)}
}

func (s *site) get(path string) string {
	s.t.Helper()
	r := s.do(http.MethodGet, path, nil, nil)
	if r.status != http.StatusOK {
		s.t.Errorf("GET %s: got %d, want 200: %.400s", path, r.status, r.body)
	}
	return r.body
}

// history reads the session of a project.
func history(t testing.TB, p *project.Project, thread string) *session.History {
	t.Helper()
	st, err := p.OpenToRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// changing matches what differs between two runs of the same session, and what changes with the prompts:
// the message that was sent, and counts of tokens. Answers to one round come in any order.
var changing = regexp.MustCompile(`[0-9]+</span> call.answered|(?s:<details class="sent">.*?</details>)|[0-9]{1,3}(\x{202f}[0-9]{3})+|[0-9a-f]{64}|[0-9a-f]{12}\b|d-[0-9a-f-]{36}|\?[0-9a-f]{12}"|[0-9]+\.[0-9]</td>|[0-9.]+ s</dd>|/tmp/[^ "<]+`)

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = changing.ReplaceAllString(got, "~")
	path := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from %s; look at both and run the test with -update\ngot: %s", name, path, got)
	}
}

// pages returns the pages of the session Conflict, by name.
func pages() map[string]string {
	const s = "/sessions/" + webtest.Conflict
	return map[string]string{
		"home": "/", "session": s, "artifact": s + "/artifact", "diff": s + "/diff?from=2&to=3", "blame": s + "/artifact/H1.killed",
		"conflicts": s + "/conflicts", "predictions": s + "/predictions", "without": s + "/without/GreenValley", "trace": s + "/trace",
		"call": s + "/trace/r1.1/GreenValley/ask", "proof": s + "/proof", "proven": s + "/proof?verify=1",
		"stalemates": "/stalemates", "store": "/store?type=roster", "record": "/store/reply/" + webtest.Conflict + "/BlueLake", "playbook": "/playbook",
	}
}

func TestPages(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	for name, path := range pages() {
		golden(t, name, s.get(path))
	}
	golden(t, "part", s.get("/sessions/"+webtest.Conflict+"?part=live"))
}

func TestFirstRun(t *testing.T) {
	s := serve(t, webtest.Empty(t), false)
	body := s.get("/")
	golden(t, "first", body)
	for _, want := range []string{"brenner session start --preset default-3-agent --via rehearsal", "--question"} {
		if !strings.Contains(body, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
}

// A page's document is the one of the command that it names.
func TestDocuments(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	for name, schema := range map[string]string{
		"home": "brenner.session.list/v1", "session": "brenner.session/v1", "artifact": "brenner.session.show/v1", "blame": "brenner.blame/v1", "diff": "brenner.session.diff/v1",
		"conflicts": "brenner.session.conflicts/v1", "without": "brenner.session.without/v1", "trace": "brenner.trace.list/v1",
		"call": "brenner.trace.call/v1", "proof": "brenner.verify/v1", "predictions": "brenner.session.show/v1",
		"stalemates": "brenner.stalemate.list/v1", "record": "brenner.store.show/v1", "playbook": "brenner.playbook.list/v1",
	} {
		path := pages()[name]
		and := "?"
		if strings.Contains(path, "?") {
			and = "&"
		}
		r := s.do(http.MethodGet, path+and+"format=json", nil, nil)
		if !strings.HasPrefix(r.body, `{"schema":"`+schema+`"`) || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: want %s, got %s %.120s", path, schema, r.header.Get("Content-Type"), r.body)
		}
	}
	for _, path := range []string{"/sessions/RS-20261115-none?format=json", "/start?format=json"} { // a missing session, and a form
		r := s.do(http.MethodGet, path, nil, nil)
		if r.status != http.StatusNotFound || !strings.HasPrefix(r.body, `{"schema":"brenner.error/v1"`) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}

func TestResolveConflict(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	const path = "/sessions/" + webtest.Conflict + "/conflicts"
	take := regexp.MustCompile(`name="take" value="(d-[0-9a-f-]+)"`).FindStringSubmatch(s.get(path))
	if take == nil {
		t.Fatal("the page has no candidate")
	}
	form := url.Values{"version": {"3"}, "place": {"A1.status"}, "take": {take[1]}, "why": {"the estimate was a guess"}}
	r := s.do(http.MethodPost, path, form, nil)
	if r.status != http.StatusOK || !strings.Contains(r.body, "Version 4 is written") || !strings.Contains(r.body, "No open conflicts") || !strings.Contains(r.body, "by operator in version 4") {
		t.Errorf("the first decision: %d\n%s", r.status, r.body)
	}
	h := history(t, p, webtest.Conflict)
	if c := h.State.Commits[len(h.State.Commits)-1]; c.Author != p.Config.Operator || c.Version != 4 {
		t.Errorf("the journal has version %d by %q, want version 4 by %q", c.Version, c.Author, p.Config.Operator)
	}
	if body := s.get("/sessions/" + webtest.Conflict + "/artifact/A1.status"); !strings.Contains(body, "It takes the value of <strong>") || !strings.Contains(body, "Reply and kickoff") {
		t.Errorf("the author of the value that was taken is missing: %s", body)
	}
	if r := s.do(http.MethodPost, path, form, nil); r.status != http.StatusOK || !strings.Contains(r.body, "Version 4 is written") {
		t.Errorf("the same decision again: got %d, want it to stand\n%s", r.status, r.body)
	}
	form.Set("why", "another reason")
	r = s.do(http.MethodPost, path, form, nil)
	if r.status != http.StatusConflict || !strings.Contains(r.body, "moved on") || !strings.Contains(r.body, "Version 4") {
		t.Errorf("another decision: got %d, want 409\n%s", r.status, r.body)
	}
	if n := history(t, p, webtest.Conflict).State.Version(); n != 4 {
		t.Errorf("the refused decision made version %d", n)
	}
}

func TestResolveWithAnotherValue(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	const path = "/sessions/" + webtest.Conflict + "/conflicts"
	form := func(place, value string) url.Values {
		return url.Values{"version": {"3"}, "place": {place}, "take": {"other"}, "value": {value}}
	}
	for name, bad := range map[string]url.Values{
		"not a status": form("A1.status", "maybe"), "not in conflict": form("H1.claim", "Mine."), "no such place": form("Z9", "x"),
		"no version": {"place": {"A1.status"}, "take": {"other"}, "value": {"unchecked"}},
	} {
		if r := s.do(http.MethodPost, path, bad, nil); r.status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400: %s", name, r.status, r.body)
		}
	}
	empty := form("A1.status", " ")
	empty.Set("why", `Both are "right".`)
	r := s.do(http.MethodPost, path, empty, nil)
	for _, want := range []string{"Not written", "nothing is decided yet", "Both are &#34;right&#34;.", `value="other" required checked`, "<button>Decide A1.status"} {
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, want) {
			t.Errorf("an empty value: got %d, want 400 and %q: %s", r.status, want, r.body)
		}
	}
	if r := s.do(http.MethodPost, path, form("A1.status", "unchecked"), nil); r.status != http.StatusOK || !strings.Contains(r.body, "is now</h2>") || !strings.Contains(r.body, "<p>unchecked</p>") {
		t.Errorf("another value: %d %s", r.status, r.body)
	}
	if body := s.get("/sessions/" + webtest.Conflict + "/artifact/A1.status"); !strings.Contains(body, "<p>unchecked</p>") {
		t.Errorf("A1.status is not unchecked: %s", body)
	}
}

func TestNote(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"Look at <H2>."}}, nil)
	if r.status != http.StatusOK || !strings.Contains(r.body, "Look at &lt;H2&gt;.") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {" "}}, nil); r.status != http.StatusBadRequest {
		t.Errorf("an empty note: got %d, want 400", r.status)
	}
	path := "/sessions/" + webtest.Conflict
	if !strings.Contains(s.get(path), `name="notes" value="1"`) {
		t.Error("the form does not say how many notes it shows")
	}
	if body := s.get(path); !strings.Contains(body, "That round is not planned; to run it: ") || !strings.Contains(body, "brenner session resume "+webtest.Conflict+" --rounds 3") {
		t.Errorf("the form does not say that no round will show the note: %s", body)
	}
	again := url.Values{"text": {"Look at <H2>."}, "notes": {"1"}}
	var sent sync.WaitGroup
	for range 3 {
		sent.Go(func() { s.do(http.MethodPost, path+"/notes", again, nil) })
	}
	sent.Wait()
	if n := len(history(t, p, webtest.Conflict).State.Notes); n != 2 {
		t.Errorf("a form that was sent three times: the session has %d notes, want 2", n)
	}
	long := strings.Repeat("ä", 20_001)
	if r := s.do(http.MethodPost, path+"/notes", url.Values{"text": {long}}, nil); r.status != http.StatusBadRequest || !strings.Contains(r.body, "20001 characters") || !strings.Contains(r.body, long) {
		t.Errorf("a long note: got %d, want 400, the limit and the text: %.900s", r.status, r.body)
	}
}

func TestLoop(t *testing.T) {
	p := webtest.WithLoop(t)
	s := serve(t, p, false)
	golden(t, "loop", s.get("/loops/night-k"))
	golden(t, "report", s.get("/loops/night-k/report"))
	steer := func(do, phase string, want int) {
		t.Helper()
		if r := s.do(http.MethodPost, "/loops/night-k", url.Values{"do": {do}, "phase": {phase}}, nil); r.status != want {
			t.Errorf("%s in phase %s: got %d, want %d: %.800s", do, phase, r.status, want, r.body)
		}
	}
	is := func(want string) {
		t.Helper()
		sum, err := p.LoopStatus(t.Context(), "night-k")
		if err != nil || sum.Phase != want {
			t.Errorf("the loop is %v, %v; want %s", sum, err, want)
		}
	}
	steer("pause", session.PhaseRunning, 409)
	st, err := p.OpenStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	lease, err := st.Hold(runner.Lock("night-k"), store.Holder{Doing: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release() //nolint:errcheck // the lock ends with the test
	steer("pause", session.PhaseRunning, 200)
	is(project.PhasePaused)
	steer("pause", session.PhaseRunning, 409)
	steer("dance", project.PhasePaused, 400)
	steer("continue", project.PhasePaused, 200)
	is(session.PhaseRunning)
	steer("stop", session.PhaseRunning, 200)
	is(project.PhaseStopping)
	if r := s.do(http.MethodGet, "/loops/none", nil, nil); r.status != 404 {
		t.Errorf("no such loop: got %d, want 404: %s", r.status, r.body)
	}

	s = serve(t, webtest.WithNight(t, "../examples/night"), false)
	if body := s.get("/loops/night-k/report"); !strings.Contains(body, `<a href="/sessions/RS-20261115-night-k-0001">RS-20261115-night-k-0001</a>: A1.status is in conflict`) {
		t.Errorf("the report has no link to a session: %s", body)
	}
	attention(t, s, "night-k")
}

// attention fails if the overview, the page and the report of a loop do not name the same number of items.
func attention(t *testing.T, s *site, name string) {
	t.Helper()
	rep, err := s.project.LoopReport(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	n := itoa(len(rep.Person)) + " item"
	if body := s.get("/"); len(rep.Person) == 0 || !strings.Contains(body, "<strong>"+n) || strings.Contains(body, "conflict to decide") || strings.Contains(body, "Nothing waits") {
		t.Errorf("the overview does not say that %s of the loop need a person, once: %s", n, body)
	}
	if body := s.get("/loops/" + name); !strings.Contains(body, `/report">`+n) {
		t.Errorf("the page of the loop does not say %s: %s", n, body)
	}
}

// A session that failed before it opened waits for a person, with the reason and without a link.
func TestFailedLoop(t *testing.T) {
	p := webtest.WithFailures(t)
	s := serve(t, p, false)
	attention(t, s, "broken-k")
	for _, path := range []string{"/loops/broken-k", "/loops/broken-k/report"} {
		if body := s.get(path); strings.Contains(body, `href="/sessions/RS-`) || !strings.Contains(body, "PROGRAM_SETUP_INVALID") {
			t.Errorf("%s links to a session that does not exist, or lacks the reason: %s", path, body)
		}
	}
}

// What is decided and repaired later no longer counts, on any page.
func TestRepairedLoop(t *testing.T) {
	p := webtest.WithNight(t, "../examples/night")
	s := serve(t, p, false)
	for _, thread := range []string{"RS-20261115-night-k-0001", "RS-20261115-night-k-0002"} {
		h := history(t, p, thread)
		form := url.Values{"version": {itoa(h.State.Version())}, "place": {"A1.status"}, "take": {"other"}, "value": {"unchecked"}}
		if r := s.do(http.MethodPost, "/sessions/"+thread+"/conflicts", form, nil); r.status != http.StatusOK {
			t.Fatalf("deciding: %d %s", r.status, r.body)
		}
	}
	attention(t, s, "night-k")
}

func TestLessons(t *testing.T) {
	p := webtest.Empty(t)
	book, err := lessons.Change(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	act, err := book.Act("", "test")
	if err == nil {
		_, err = book.AddLesson(t.Context(), act, playbook.Insight{Text: "Name the test <b>first</b> and the result that would kill the hypothesis.", Section: playbook.Helpful, Person: true})
	}
	book.Close()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, p, false)
	body := s.get("/playbook")
	if !strings.Contains(body, "SHADOW: counted, in no prompt") {
		t.Errorf("the stage is not explained: %s", body)
	}
	head := regexp.MustCompile(`name="head" value="([0-9a-f]+)"`).FindStringSubmatch(body)
	if head == nil || !strings.Contains(body, "&lt;b&gt;first") {
		t.Fatalf("no form, or a text that acts: %s", body)
	}
	form := url.Values{"head": {head[1]}, "id": {"pb-00001"}, "do": {"retire"}, "reason": {"too broad"}}
	if r := s.do(http.MethodPost, "/playbook", form, nil); r.status != 200 || !strings.Contains(r.body, "QUARANTINE") {
		t.Errorf("retiring: %d %s", r.status, r.body)
	}
	if r := s.do(http.MethodPost, "/playbook", form, nil); r.status != 409 {
		t.Errorf("again: got %d, want 409", r.status)
	}
}

// A conflict that is a stalemate waits for a ruling, and is not listed once more.
func TestWaitsOnce(t *testing.T) {
	body := serve(t, webtest.WithStalemate(t), false).get("/")
	if !strings.Contains(body, "Stalemate about H1.claim to rule on") || strings.Contains(body, "to decide") {
		t.Errorf("got %s", body)
	}
}

func TestReadOnly(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, true)
	body := s.get("/sessions/" + webtest.Conflict + "/conflicts")
	if !strings.Contains(body, "Read only") || strings.Contains(body, "<button>Decide") {
		t.Errorf("the page offers changes: %s", body)
	}
	r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"x"}}, nil)
	if r.status != http.StatusForbidden || len(history(t, p, webtest.Conflict).State.Notes) != 0 {
		t.Errorf("a note: %d %s", r.status, r.body)
	}
}

func TestAccess(t *testing.T) {
	s := serveUnknown(t, webtest.WithConflict(t), nil)
	enter := strings.TrimPrefix(s.enter, s.base)
	check := func(name string, want int, method, path string, change func(*http.Request)) {
		t.Helper()
		r := s.do(method, path, nil, change)
		if r.status != want {
			t.Errorf("%s: got %d, want %d: %.200s", name, r.status, want, r.body)
		}
		for header, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"} {
			if got := r.header.Get(header); got != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got, value)
			}
		}
		if !strings.HasPrefix(path, "/static/") && r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Cache-Control is %q", name, r.header.Get("Cache-Control"))
		}
	}
	host := func(r *http.Request) { r.Host = "evil.example.com" }
	check("without a cookie", 401, "GET", "/", nil)
	check("an event stream without a cookie", 401, "GET", "/events", nil)
	check("a change without a cookie", 401, "POST", "/sessions/"+webtest.Conflict+"/notes", nil)
	check("a style", 200, "GET", "/static/style.css", nil)
	check("outside of static", 404, "GET", "/static/../server.go", nil)
	check("another host", 403, "GET", enter, host)
	check("a wrong token", 401, "GET", "/enter?token=x", nil)
	check("no token", 401, "GET", "/enter", nil)
	check("a look at the link", 204, "HEAD", enter, nil)
	check("the token", 200, "GET", enter, nil)
	check("the cookie", 200, "GET", "/", nil)
	check("the token again, admitted", 200, "GET", enter, nil)
	check("the cookie, another host", 403, "GET", "/", host)
	check("another origin", 403, "POST", "/sessions/"+webtest.Conflict+"/notes", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") })
	check("another site", 403, "POST", "/sessions/"+webtest.Conflict+"/notes", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	check("a page that is missing", 404, "GET", "/nowhere", nil)
	check("a forged cookie", 401, "GET", "/", func(r *http.Request) {
		for _, c := range s.Jar.Cookies(r.URL) {
			r.Header.Set("Cookie", c.Name+"=99999999999.6f70657261746f72."+strings.Repeat("0", 64))
		}
	})
	s.Jar, _ = cookiejar.New(nil)
	check("the token again", 401, "GET", enter, nil)
}

func TestThreadIDsAreNotPaths(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	for _, id := range []string{"..%2f..%2fetc%2fpasswd", "%3Cscript%3E", "RS-20261115-none", "x.jsonl", "RS-20261115-cell-fate@v2"} {
		for _, rest := range []string{"", "/artifact", "/conflicts", "/proof?verify=1"} {
			r := s.do(http.MethodGet, "/sessions/"+id+rest, nil, nil)
			if r.status != http.StatusNotFound || strings.Contains(r.body, "<script>") {
				t.Errorf("%s%s: got %d, want 404: %s", id, rest, r.status, r.body)
			}
		}
	}
	for path, want := range map[string]int{
		"/artifact?v=99": 404, "/artifact/Z9.claim": 400, "/artifact/H99": 404, "/without/RedSky": 400,
		"/trace/r9.9/X/ask": 404,
	} {
		if r := s.do(http.MethodGet, "/sessions/"+webtest.Conflict+path, nil, nil); r.status != want || !strings.Contains(r.body, `class="tabs"`) {
			t.Errorf("%s: got %d, want %d and the session's tabs: %.600s", path, r.status, want, r.body)
		}
	}
}

// Texts of agents stay texts: no element, attribute or address of theirs is in a page.
func TestHostileTexts(t *testing.T) {
	s := serve(t, webtest.WithAttacks(t), false)
	const path = "/sessions/" + webtest.Hostile
	for _, page := range []string{"/", path, path + "/artifact", path + "/artifact/H1", path + "/predictions", path + "/trace", path + "/trace/r1.1/BlueLake/ask", path + "/without/BlueLake", path + "/conflicts"} {
		body := s.get(page)
		for _, bad := range []string{"<script>document", "<img", "<svg", `href="javascript:`, `src="https`, "\u202e", "\u200b", "\U000e0041"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s contains %q", page, bad)
			}
		}
		if len(body) > 300<<10 {
			t.Errorf("%s has %d bytes", page, len(body))
		}
	}
	body := s.get(path + "/artifact")
	for _, want := range []string{"&lt;script&gt;", `<a href="https://example.org/fine" rel="noreferrer">`, "[U+202E]", `<a href="https://evil.example.com/pixel.png" rel="noreferrer">`} {
		if !strings.Contains(body, want) {
			t.Errorf("the artifact lacks %q", want)
		}
	}
}

// listen opens the event stream and returns its lines.
func (s *site) listen(ctx context.Context, query, lastID string) (<-chan string, int) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/events"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	got, err := s.Do(r) //nolint:bodyclose // the goroutine closes it
	if err != nil {
		s.t.Fatal(err)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer got.Body.Close()
		for in := bufio.NewScanner(got.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines, got.StatusCode
}

func waitFor(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended before %q", want)
			}
			if strings.HasPrefix(line, want) {
				return
			}
		case <-late:
			t.Fatalf("no %q", want)
		}
	}
}

func TestEvents(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serve(t, p, false)
	const stream = "session/" + webtest.Conflict
	seen := history(t, p, webtest.Conflict).State.Head.Seq
	notes := 0
	note := func() {
		t.Helper()
		notes++
		if r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {"More."}, "notes": {itoa(notes - 1)}}, nil); r.status != http.StatusOK {
			t.Fatal(r.status, r.body)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one, _ := s.listen(ctx, "?stream="+stream+"&after="+itoa(seen), "")
	all, _ := s.listen(ctx, "?stream=", "")
	waitFor(t, one, "retry:")
	waitFor(t, all, "event: moved") // it has not said what it has seen
	other, _ := s.listen(ctx, "?stream=session/RS-20261115-cell", "")
	waitFor(t, other, "event: moved") // of nothing: this is not a prefix
	note()
	waitFor(t, one, "id: "+stream+":"+itoa(seen+1))
	waitFor(t, one, "data: "+itoa(seen+1)+" "+flow.KindNoted)
	waitFor(t, all, "id: "+stream+":"+itoa(seen+1))

	behind, _ := s.listen(ctx, "?stream="+stream, stream+":"+itoa(seen))
	waitFor(t, behind, "id: "+stream+":"+itoa(seen+1))
	current, _ := s.listen(ctx, "?stream="+stream, stream+":"+itoa(seen+1))
	note()
	waitFor(t, current, "id: "+stream+":"+itoa(seen+2))
	for _, id := range []string{"x", stream + ":x", stream + ":99999", "session/other:1", ":"} {
		lines, status := s.listen(ctx, "?stream="+stream, id)
		if status != http.StatusOK {
			t.Errorf("Last-Event-ID %q: %d", id, status)
		}
		waitFor(t, lines, "id: "+stream+":"+itoa(seen+2))
	}
	select {
	case line := <-other:
		if strings.HasPrefix(line, "id: session/"+webtest.Conflict) {
			t.Errorf("a listener to another stream got %q", line)
		}
	default:
	}
}

// The first session of a project appears on its first page.
func TestEventsOfNewStore(t *testing.T) {
	p := webtest.Empty(t)
	s := serve(t, p, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines, _ := s.listen(ctx, "?stream=&after=0", "")
	waitFor(t, lines, "retry:")
	webtest.Play(t, p, webtest.Conflict, "Why?", 1, nil)
	waitFor(t, lines, "id: session/"+webtest.Conflict)
}

func TestTooManyListeners(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range 200 {
		if _, status := s.listen(ctx, "?stream=x", ""); status != http.StatusOK {
			t.Fatalf("listener %d: %d", i, status)
		}
	}
	if _, status := s.listen(ctx, "?stream=x", ""); status != http.StatusServiceUnavailable {
		t.Errorf("listener 201: got %d, want 503", status)
	}
}

// Long lists stop, with a link that continues them.
func TestLongLists(t *testing.T) {
	s := serve(t, webtest.WithManyRounds(t), false)
	const path = "/sessions/" + webtest.Long + "/artifact"
	seen := 0
	for next := path; next != ""; {
		body := s.get(next)
		shown := strings.Count(body, `<article class="item" id="A`)
		if seen += shown; shown > 200 {
			t.Errorf("%s shows %d items, want at most 200", next, shown)
		}
		next = ""
		if link := regexp.MustCompile(`<a href="([^"]*)">Show more`).FindStringSubmatch(body); link != nil {
			next = path + strings.ReplaceAll(link[1], "&amp;", "&")
		}
	}
	if seen != 500 {
		t.Errorf("the pages show %d items, want 500", seen)
	}
	for _, after := range []string{"-1", "x", "99999999999999999999", "500"} {
		s.get(path + "?section=assumption_ledger&after=" + after)
	}
}

func TestUnknownMethods(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	for _, page := range []string{"/", "/sessions/" + webtest.Conflict} {
		if r := s.do(http.MethodDelete, page, nil, nil); r.status != http.StatusMethodNotAllowed {
			t.Errorf("DELETE %s: got %d, want 405", page, r.status)
		}
	}
}

func TestUnknownVersions(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	for _, page := range []string{"artifact?v=", "artifact/H1?v=", "diff?from=", "diff?to="} {
		for _, v := range []string{"abc", "-1", "0", "99", "99999999999999999999"} {
			if r := s.do(http.MethodGet, "/sessions/"+webtest.Conflict+"/"+page+v, nil, nil); r.status != http.StatusNotFound {
				t.Errorf("%s%s: got %d, want 404", page, v, r.status)
			}
		}
	}
}
