package web_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"brenner/project"
	"brenner/project/launch"
	"brenner/session/stalemate"
	"brenner/web/webtest"
)

// stuck returns the page of the only stalemate of a project.
func stuck(t *testing.T, p *project.Project) string {
	t.Helper()
	h := history(t, p, webtest.Stuck)
	if n := len(h.State.Stalemates); n != 1 {
		t.Fatalf("the session has %d stalemates, want 1", n)
	}
	return "/sessions/" + webtest.Stuck + "/stalemates/" + h.State.Stalemates[0].ID
}

func TestRule(t *testing.T) {
	p := webtest.WithStalemate(t)
	s := serve(t, p, false)
	path := stuck(t, p)
	body := s.get(path)
	golden(t, "stalemate", body)
	form := url.Values{"do": {"rule"}, "for": {"RedSky"}, "cause": {"Two meanings of night."}, "reasons": {"Stars are finite in age.\n\nDust would glow."}, "confidence": {"0.8"}}
	if r := s.do(http.MethodPost, path, form, nil); r.status != http.StatusBadRequest || !strings.Contains(r.body, "rejected") {
		t.Errorf("without reasons against the other positions: got %d, want 400: %s", r.status, r.body)
	}
	for i := range strings.Count(body, `name="reject-`) {
		form.Set("reject-"+itoa(i), "It is <not> so.")
	}
	bad := url.Values{"do": {"rule"}, "for": {"RedSky"}, "confidence": {"NaN"}}
	bad.Set("cause", `A "cause".`)
	bad.Set("reject-0", "No <dust>.")
	r := s.do(http.MethodPost, path, bad, nil)
	for _, want := range []string{"Not written", `value="RedSky" required checked`, `value="A &#34;cause&#34;."`, `value="No &lt;dust&gt;."`, `value="NaN"`, `name="version" value="`} {
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, want) {
			t.Errorf("a confidence of NaN: got %d, want 400 and %q: %s", r.status, want, r.body)
		}
	}
	form.Set("version", itoa(history(t, p, webtest.Stuck).State.Version()-1))
	if r := s.do(http.MethodPost, path, form, nil); r.status != http.StatusConflict || !strings.Contains(r.body, "moved on") {
		t.Errorf("a ruling on another version: got %d, want 409: %s", r.status, r.body)
	}
	form.Del("version")
	if r := s.do(http.MethodPost, path, form, nil); r.status != http.StatusOK || !strings.Contains(r.body, "The ruling") {
		t.Fatalf("ruling: %d %s", r.status, r.body)
	}
	h := history(t, p, webtest.Stuck)
	if now := h.State.Stalemates[0]; now.State != stalemate.Applied || now.By != p.Config.Operator {
		t.Errorf("the journal has %s by %q", now.State, now.By)
	}
	if body := s.get("/sessions/" + webtest.Stuck + "/artifact/H1.claim"); !strings.Contains(body, "<p>The universe has an age.</p>") {
		t.Errorf("H1.claim is not the ruling's: %s", body)
	}
	if r := s.do(http.MethodPost, path, form, nil); r.status != http.StatusConflict || h.State.Version() != history(t, p, webtest.Stuck).State.Version() {
		t.Errorf("the same ruling again: got %d and another version", r.status)
	}
}

func TestWithdraw(t *testing.T) {
	p := webtest.WithStalemate(t)
	s := serve(t, p, false)
	path := stuck(t, p)
	if r := s.do(http.MethodPost, path, url.Values{"do": {"withdraw"}, "why": {"Both are right."}}, nil); r.status != http.StatusOK {
		t.Errorf("withdrawing: %d %s", r.status, r.body)
	}
	if got := history(t, p, webtest.Stuck).State.Stalemates[0].State; got != stalemate.Withdrawn {
		t.Errorf("the stalemate is %s", got)
	}
	if r := s.do(http.MethodGet, "/stalemates/ST-none", nil, nil); r.status != http.StatusNotFound {
		t.Errorf("no such stalemate: got %d, want 404", r.status)
	}
}

// The estimate comes before the button, and the button starts what was estimated, once.
func TestStart(t *testing.T) {
	p := webtest.Empty(t)
	var started []launch.Session
	s := serveWith(t, p, func(o *webOptions) {
		o.Start = func(_ context.Context, p *project.Project, one *launch.Session) error {
			started = append(started, *one)
			webtest.Play(t, p, one.Thread, one.Question, one.Rounds, nil)
			return nil
		}
	})
	golden(t, "start", s.get("/start"))
	form := url.Values{"do": {"estimate"}, "question": {"Why <do> cells age?"}, "preset": {"default-3-agent"}, "rounds": {"1"}, "rehearsal": {"1"}}
	r := s.do(http.MethodPost, "/start", form, nil)
	thread := regexp.MustCompile(`name="thread" value="(RS-[a-z0-9-]+)"`).FindStringSubmatch(r.body)
	if r.status != http.StatusOK || thread == nil || !strings.Contains(r.body, "What it costs at most") || len(started) > 0 {
		t.Fatalf("the estimate: %d, %d started: %s", r.status, len(started), r.body)
	}
	golden(t, "estimate", r.body)
	form.Set("do", "start")
	form.Set("thread", thread[1])
	if r = s.do(http.MethodPost, "/start", form, nil); r.status != http.StatusOK || !strings.Contains(r.body, "Why &lt;do&gt; cells age?") {
		t.Errorf("starting: %d %s", r.status, r.body)
	}
	if len(started) != 1 || started[0].Question != "Why <do> cells age?" || !started[0].Rehearsal || history(t, p, thread[1]).State.Version() == 0 {
		t.Errorf("started %+v", started)
	}
	for name, bad := range map[string]url.Values{
		"no question": {"do": {"estimate"}, "question": {" "}, "preset": {"default-3-agent"}}, "no such preset": {"do": {"estimate"}, "question": {"Why?"}, "preset": {"none"}},
		"too many rounds": {"do": {"estimate"}, "question": {"Why?"}, "preset": {"default-3-agent"}, "rounds": {"99999999"}},
	} {
		if r := s.do(http.MethodPost, "/start", bad, nil); r.status != http.StatusBadRequest || !strings.Contains(r.body, "This cannot start") {
			t.Errorf("%s: got %d, want 400: %s", name, r.status, r.body)
		}
	}
	for _, rounds := range []string{"0", "-1", "abc", "1000000", "99999999999999999999", "1.5"} {
		bad := url.Values{"do": {"estimate"}, "question": {"Why?"}, "preset": {"default-3-agent"}, "rounds": {rounds}, "rehearsal": {"1"}}
		if r := s.do(http.MethodPost, "/start", bad, nil); r.status != http.StatusBadRequest || !strings.Contains(r.body, "the number of rounds: ") {
			t.Errorf("%s rounds: got %d, want 400 and the limits: %s", rounds, r.status, r.body)
		}
	}
	for name, value := range map[string]string{"question": "Another?", "rounds": "2", "preset": "default-7-agent", "rehearsal": ""} {
		other := maps.Clone(form)
		other.Set(name, value)
		if r := s.do(http.MethodPost, "/start", other, nil); r.status != http.StatusConflict && r.status != http.StatusBadRequest || len(started) != 1 {
			t.Errorf("the id of a session with another %s: got %d, want 409, %d started: %s", name, r.status, len(started), r.body)
		}
	}
	if r := serve(t, p, true).do(http.MethodPost, "/start", form, nil); r.status != http.StatusForbidden {
		t.Errorf("read only: got %d, want 403", r.status)
	}
}

// A form that is sent several times at once starts one session, and every response leads to it.
func TestStartAtOnce(t *testing.T) {
	p := webtest.Empty(t)
	began, proceed := make(chan struct{}, 8), make(chan struct{})
	s := serveWith(t, p, func(o *webOptions) {
		o.Start = func(_ context.Context, p *project.Project, one *launch.Session) error {
			began <- struct{}{}
			<-proceed
			webtest.Play(t, p, one.Thread, one.Question, one.Rounds, nil)
			return nil
		}
	})
	form := url.Values{"do": {"start"}, "question": {"Why?"}, "preset": {"default-3-agent"}, "rounds": {"1"}, "rehearsal": {"1"}, "thread": {"RS-20261115-once"}}
	got := make(chan response, 4)
	send := func() { got <- s.do(http.MethodPost, "/start", form, nil) }
	go send()
	<-began
	for range 3 {
		go send()
	}
	close(proceed)
	for range 4 {
		if r := <-got; r.status != http.StatusOK || !strings.Contains(r.body, "Who answered") {
			t.Errorf("got %d, want the session: %.600s", r.status, r.body)
		}
	}
	if len(began) > 0 {
		t.Errorf("%d more sessions started", len(began))
	}
}

// Without a way to any agent there is no button that starts the session, but what to set.
func TestStartWithoutAgents(t *testing.T) {
	s := serve(t, webtest.Empty(t), false)
	form := url.Values{"do": {"estimate"}, "question": {"Why?"}, "preset": {"default-3-agent"}}
	r := s.do(http.MethodPost, "/start", form, nil)
	if r.status != http.StatusOK || strings.Contains(r.body, `value="start"`) || !strings.Contains(r.body, "No agent can be reached") || !strings.Contains(r.body, "preset <strong>default-3-agent") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// What is wrong with a request is said in words, and an address with a slash at its end leads to the page.
func TestWordsOfRefusals(t *testing.T) {
	s := serve(t, webtest.WithConflict(t), false)
	if body := s.get("/stalemates/"); !strings.Contains(body, "<h1>Stalemates</h1>") {
		t.Errorf("with a slash: %s", body)
	}
	r := s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {strings.Repeat("x", 2<<20)}}, nil)
	if r.status != http.StatusRequestEntityTooLarge || !strings.Contains(r.body, "Too much text") || !strings.Contains(r.body, "bytes") {
		t.Errorf("a large form: got %d, want 413 and the limit: %.900s", r.status, r.body)
	}
	r = s.do(http.MethodPost, "/sessions/"+webtest.Conflict+"/notes", url.Values{"text": {" "}}, nil)
	if strings.Contains(r.body, http.StatusText(r.status)) {
		t.Errorf("the title is not plain: %s", r.body)
	}
	if body := serve(t, webtest.WithNight(t, "../examples/night"), false).get("/loops/night-k/report"); strings.Contains(body, "style=") || strings.Contains(body, "from 2026-") {
		t.Errorf("the report has styles that the policy blocks, or dates for programs: %s", body)
	}
}
