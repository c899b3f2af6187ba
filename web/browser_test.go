//go:build browser

package web_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"brenner/config"
	"brenner/loop/runner"
	"brenner/playbook"
	"brenner/project"
	"brenner/project/launch"
	"brenner/project/lessons"
	"brenner/session"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/web"
	"brenner/web/webtest"
)

var pictures = flag.String("pictures", "", "directory for a picture of every page, at three widths in both themes")

// chrome is a real browser.
type chrome struct {
	t    testing.TB
	ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string // messages on the console, and requests to other origins
}

// browse opens a browser that is admitted to a server.
func browse(t testing.TB, s *site) *chrome {
	t.Helper()
	b := &chrome{t: t, base: s.base}
	report := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, fmt.Sprintf(format, args...))
	}
	ctx, quit := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(chromedp.NoSandbox), chromedp.WithBrowserOption(chromedp.WithConsolef(report)))
	t.Cleanup(quit)
	b.ctx = ctx
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil { // the browser ends with this context
		t.Fatalf("start the browser: %v", err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for e, err := range chromedp.Events(ctx, network.RequestWillBeSent) {
			if err != nil {
				return
			}
			if u := e.Request.URL; !strings.HasPrefix(u, s.base) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "file:") {
				report("request to %s", u)
			}
		}
	}()
	if s.enter != "" {
		b.do("enter", chromedp.Navigate(s.enter))
	}
	return b
}

// fresh serves a project to a browser only.
func fresh(t testing.TB, p *project.Project, change func(*webOptions)) *chrome {
	t.Helper()
	return browse(t, serveUnknown(t, p, change))
}

// do takes steps that stay on the page.
func (b *chrome) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// settled is true when a page is loaded and follows its stream: nothing on it is replaced
// unless its journal grows.
const settled = "document.readyState === 'complete' && (!document.body.hasAttribute('sse-connect') || document.body.dataset.live === 'yes')"

// open opens a page of the server.
func (b *chrome) open(path string) {
	b.t.Helper()
	b.do("open "+path, chromedp.Navigate(b.base+path))
	b.until(settled)
}

// follow takes steps that lead to another page, and waits for it.
func (b *chrome) follow(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	value[bool](b, "window.left = true")
	b.do(what, steps...)
	b.until("!window.left && " + settled)
}

// value evaluates an expression in the page.
func value[T any](b *chrome, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true. It may be false, or fail, while a page replaces another one.
func (b *chrome) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-ctx.Done():
			b.t.Fatalf("never true: %s (%v)\n%s", expression, err, value[string](b, "document.body.innerText.slice(0, 2000)"))
		}
	}
}

// shows waits for a text on the page.
func (b *chrome) shows(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("!!document.body && document.body.innerText.includes(%q)", text))
}

// press presses a key until an expression is true.
func (b *chrome) press(key, expression string) {
	b.t.Helper()
	for range 400 {
		b.do("press a key", chromedp.KeyEvent(key))
		if value[bool](b, expression) {
			return
		}
	}
	b.t.Fatalf("no key leads to %s; the focus is on %s", expression, value[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
}

// silent fails if the browser reported a problem since the last call.
func (b *chrome) silent(what string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("%s: %s", what, p)
	}
	b.problems = nil
}

func (b *chrome) scheme(name string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

func axe(t *testing.T) string {
	t.Helper()
	file := os.Getenv("BRENNER_TEST_AXE")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("axe-core is missing (make web installs it): %v", err)
	}
	return string(data)
}

// accessible fails if axe-core finds a violation on the page.
func (b *chrome) accessible(what, axe string) {
	b.t.Helper()
	value[bool](b, axe+"; true")
	const run = `axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " | " + (n.any[0] || n.all[0] || n.none[0] || {}).message).join("\n    ")).join("\n  "))`
	if found := value[string](b, run); found != "" {
		b.t.Errorf("%s: axe found\n  %s", what, found)
	}
}

// check looks at a page in both themes: by axe-core at 320 px, and at 200 %, and for anything that is
// wider than the screen. With -pictures it takes pictures.
func (b *chrome) check(name, path, axe string) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int64{320, 640, 900, 1600} {
			if *pictures == "" && width > 640 {
				continue
			}
			what := fmt.Sprintf("%s, %s, %d px", name, scheme, width)
			scale := 1.0
			if width == 640 { // 1280 px at 200 %
				scale = 2
			}
			b.do(what, chromedp.EmulateViewport(width, 900, chromedp.EmulateScale(scale)), chromedp.Navigate(path))
			b.until(settled)
			if wide := value[float64](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				b.t.Errorf("%s: the page is %g px wider than the screen", what, wide)
			}
			if title := value[string](b, "document.title"); strings.Contains(title, "owned") && !strings.Contains(title, "document.title") {
				b.t.Errorf("%s: a text ran", what)
			}
			if width <= 640 {
				b.accessible(what, axe)
			}
			b.silent(what)
			if *pictures != "" && width != 640 {
				b.picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), width)
			}
		}
	}
}

func (b *chrome) picture(file string, width int64) {
	b.t.Helper()
	high := min(value[float64](b, "document.documentElement.scrollHeight"), 2400)
	beyond := true
	got, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: float64(width), Height: high, Scale: 1},
	})
	if err == nil {
		err = os.WriteFile(file, got.Data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// withLesson adds a lesson to the playbook of a project.
func withLesson(t *testing.T, p *project.Project) *project.Project {
	t.Helper()
	book, err := lessons.Change(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	act, err := book.Act("", "test")
	if err == nil {
		_, err = book.AddLesson(t.Context(), act, playbook.Insight{Text: "Name the result that would kill the hypothesis.", Section: playbook.Helpful, Person: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBrowserPages(t *testing.T) {
	source := axe(t)
	conflict := withLesson(t, webtest.WithConflict(t))
	b := fresh(t, conflict, nil)
	for name, path := range pages() {
		b.check(name, b.base+path, source)
	}
	for name, path := range map[string]string{"missing": "/nowhere", "start": "/start"} {
		b.open(path)
		b.mu.Lock()
		b.problems = nil // a missing page is one
		b.mu.Unlock()
		if name == "missing" {
			b.accessible(name, source)
			continue
		}
		b.check(name, b.base+path, source)
	}
	stuckProject := webtest.WithStalemate(t)
	b = fresh(t, stuckProject, nil)
	b.check("stalemate", b.base+stuck(t, stuckProject), source)
	b = fresh(t, webtest.WithNight(t, "../examples/night"), nil)
	b.check("waiting", b.base+"/", source)
	b.check("loop", b.base+"/loops/night-k", source)
	b.check("report", b.base+"/loops/night-k/report", source)
	b = fresh(t, webtest.Empty(t), nil)
	b.check("first", b.base+"/", source)
	hostile := fresh(t, webtest.WithAttacks(t), nil)
	for name, path := range map[string]string{
		"session": "", "artifact": "/artifact", "blame": "/artifact/H1.claim", "diff": "/diff", "trace": "/trace", "call": "/trace/r1.1/BlueLake/ask", "conflicts": "/conflicts",
	} {
		hostile.check("hostile-"+name, hostile.base+"/sessions/"+webtest.Hostile+path, source)
	}
}

// A browser without the cookie gets a page that says what to do.
func TestBrowserClosed(t *testing.T) {
	s := serveUnknown(t, webtest.Empty(t), nil)
	s.enter = ""
	b := browse(t, s)
	b.open("/")
	b.shows("This browser is not admitted")
	b.accessible("closed", axe(t))
}

// A person on another machine logs in with a token.
func TestBrowserLogin(t *testing.T) {
	p := webtest.WithConflict(t)
	token, hash := web.NewToken()
	p.Config.Serve.People = []config.Person{{Name: "Guest", Token: hash}}
	visit := serveRemote(t, p, web.Door{Listen: "127.0.0.1:0", Proxies: []string{"127.0.0.1"}, Hosts: []string{"lab.example.org"}})
	b := browse(t, &site{base: visit().base, t: t})
	headers := network.Headers(map[string]any{"X-Forwarded-Proto": "https"})
	if _, err := chromedp.Call(b.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers}); err != nil {
		t.Fatal(err)
	}
	b.open("/")
	b.shows("Your token")
	b.accessible("login", axe(t))
	b.follow("log in", chromedp.SendKeys(chromedp.CSS("#token"), "wrong"), chromedp.Click(chromedp.CSS("form button")))
	b.shows("This token is not valid")
	b.follow("log in", chromedp.SendKeys(chromedp.CSS("#token"), token), chromedp.Click(chromedp.CSS("form button")))
	b.shows("Waiting for you")
	b.shows("Read only: nothing can be changed here by Guest")
	b.accessible("read only", axe(t))
}

// edit writes the next version of the session Conflict, as another process does.
func edit(t testing.TB, p *project.Project, claim string) {
	t.Helper()
	ed, err := p.OpenEditor(t.Context(), webtest.Conflict, p.Config.Operator)
	if err != nil {
		t.Fatal(err)
	}
	defer p.CloseStore(ed.Store)
	delta, err := session.EditDelta("H2.claim", claim, "test")
	if err == nil {
		_, _, err = ed.ApplyByHand(t.Context(), webtest.Conflict, delta)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What another process writes appears without a reload, and the focus stays.
func TestBrowserLive(t *testing.T) {
	p := webtest.WithConflict(t)
	b := fresh(t, p, func(o *webOptions) { o.Poll = 0 })
	b.open("/sessions/" + webtest.Conflict)
	value[bool](b, "window.kept = true, document.getElementById('v1').focus(), true")
	edit(t, p, "Another claim.")
	b.until("!!document.getElementById('v4')")
	if focus := value[string](b, "document.activeElement.id + ' ' + window.kept"); focus != "v1 true" {
		t.Errorf("the focus is on %q", focus)
	}
	b.silent("live")
}

// BenchmarkBrowserLive measures how long an entry of another process takes to the screen.
func BenchmarkBrowserLive(bench *testing.B) {
	p := webtest.WithConflict(bench)
	b := fresh(bench, p, func(o *webOptions) { o.Poll = 0 })
	b.open("/sessions/" + webtest.Conflict)
	value[bool](b, `new MutationObserver(() => { window.seen = Date.now() }).observe(document.getElementById('live'), {childList: true}), true`)
	total, version := int64(0), 3
	for bench.Loop() {
		version++
		edit(bench, p, "Claim "+itoa(version))
		wrote := time.Now().UnixMilli()
		b.until(fmt.Sprintf("!!document.getElementById('v%d')", version))
		total += int64(value[float64](b, "window.seen")) - wrote
	}
	bench.ReportMetric(float64(total)/float64(bench.N), "ms-on-screen")
}

// A page without a part that follows the journal says when it is no longer the newest.
func TestBrowserMovedOn(t *testing.T) {
	conflict, stalemate := webtest.WithConflict(t), webtest.WithStalemate(t)
	for path, p := range map[string]*project.Project{
		"/conflicts": conflict, "/artifact": conflict, "/predictions": conflict, "/diff": conflict, "/artifact/H1.killed": conflict, "/without/GreenValley": conflict,
		strings.TrimPrefix(stuck(t, stalemate), "/sessions/"+webtest.Stuck): stalemate,
	} {
		thread := webtest.Conflict
		if p == stalemate {
			thread = webtest.Stuck
		}
		b := fresh(t, p, nil)
		b.open("/sessions/" + thread + path)
		if !value[bool](b, "document.getElementById('changed').hidden") {
			t.Errorf("%s: the page says that it is old", path)
		}
		ed, err := p.OpenEditor(t.Context(), thread, p.Config.Operator)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ed.Note(t.Context(), thread, "Look at "+path); err != nil {
			t.Fatal(err)
		}
		p.CloseStore(ed.Store)
		b.until("!document.getElementById('changed').hidden")
		b.shows("The session has moved on")
		b.silent(path)
	}
}

// A page says that the server is gone, and continues when it is back.
func TestBrowserDisconnected(t *testing.T) {
	p := webtest.WithConflict(t)
	s := serveUnknown(t, p, nil)
	b := browse(t, s)
	b.open("/sessions/" + webtest.Conflict)
	s.stop()
	b.until("!document.querySelector('.lost').hidden")
	value[bool](b, "window.scrollTo(0, document.body.scrollHeight), true")
	if top := value[float64](b, "document.querySelector('.lost').getBoundingClientRect().top"); top < 0 {
		t.Errorf("the notice is out of view after scrolling: its top is at %g", top)
	}
	b.accessible("disconnected", axe(t))
}

// By keyboard alone: resolve a conflict, find who wrote a line, pause a loop.
func TestBrowserKeyboard(t *testing.T) {
	p := webtest.WithConflict(t)
	b := fresh(t, p, nil)
	b.open("/")
	focused := func(css string) string { return fmt.Sprintf("document.activeElement.matches(%q)", css) }
	b.press(kb.Tab, focused("a[href$='/conflicts']"))
	if outline := value[string](b, "getComputedStyle(document.activeElement).outlineStyle"); outline == "none" {
		t.Error("the focus is invisible")
	}
	b.follow("follow", chromedp.KeyEvent(kb.Enter))
	b.shows("Which value stands?")
	b.press(kb.Tab, focused("input[type=radio]"))
	b.do("choose", chromedp.KeyEvent(" "))
	b.press(kb.Tab, focused("input[name=why]"))
	b.do("type", chromedp.KeyEvent("measured twice"))
	b.press(kb.Tab, focused("form button"))
	b.follow("decide", chromedp.KeyEvent(kb.Enter))
	b.shows("Version 4 is written")

	b.press(kb.Tab, focused("a[href$='/artifact']"))
	b.follow("follow", chromedp.KeyEvent(kb.Enter))
	b.shows("Hypothesis Slate")
	b.press(kb.Tab, focused("a.author[href*='H1.claim']"))
	b.follow("follow", chromedp.KeyEvent(kb.Enter))
	b.shows("Who wrote H1.claim")
	b.shows("BlueLake")
	b.silent("keyboard")

	p = webtest.WithLoop(t)
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
	b = fresh(t, p, nil)
	b.open("/loops/night-k")
	b.press(kb.Tab, focused("button[value=pause]"))
	b.follow("pause", chromedp.KeyEvent(kb.Enter))
	b.until("document.activeElement === document.querySelector('button[value=continue]')")
	b.follow("continue", chromedp.Click(chromedp.CSS("button[value=continue]")))
	b.follow("stop", chromedp.Click(chromedp.CSS("button[value=stop]")))
	b.shows("Stopping")
	b.silent("loop")
}

// The other forms, with a mouse.
func TestBrowserForms(t *testing.T) {
	p := withLesson(t, webtest.WithConflict(t))
	b := fresh(t, p, nil)
	b.open("/sessions/" + webtest.Conflict)
	b.follow("leave a note", chromedp.SendKeys(chromedp.CSS("#note-text"), "Look at <H2>."), chromedp.Click(chromedp.CSS("#notes form button")))
	b.shows("Look at <H2>.")
	b.open("/sessions/" + webtest.Conflict + "/proof")
	b.follow("verify", chromedp.Click(chromedp.CSS("main button")))
	b.shows("Proven")
	b.open("/sessions/" + webtest.Conflict + "/conflicts")
	b.follow("write another value", chromedp.Click(chromedp.CSS("input[value=other]")), chromedp.SendKeys(chromedp.CSS("textarea"), "unchecked"), chromedp.Click(chromedp.CSS("form button")))
	b.shows("Version 4 is written")
	b.open("/sessions/" + webtest.Conflict + "/diff")
	b.follow("compare", chromedp.SetValue(chromedp.CSS("input[name=from]"), "2"), chromedp.Click(chromedp.CSS("form button")))
	b.shows("From version 2 to version 4")
	b.open("/playbook")
	b.follow("retire", chromedp.Click(chromedp.CSS(".lesson summary")), chromedp.SendKeys(chromedp.CSS(".lesson input[name=reason]"), "too broad"), chromedp.Click(chromedp.CSS(".lesson button[value=retire]")))
	b.shows("QUARANTINE")
	b.silent("forms")

	p = webtest.WithStalemate(t)
	b = fresh(t, p, nil)
	b.open("/stalemates")
	b.follow("open it", chromedp.Click(chromedp.CSS("tbody th a")))
	b.shows("Which position stands?")
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.Click(chromedp.CSS("input[value=RedSky]")), chromedp.SendKeys(chromedp.CSS("#cause"), "Two meanings."), chromedp.SendKeys(chromedp.CSS("#reasons"), "Dust would glow."),
	}
	for i := range int(value[float64](b, "document.querySelectorAll('input[name^=reject-]').length")) {
		steps = append(steps, chromedp.SendKeys(chromedp.CSS(fmt.Sprintf("input[name=reject-%d]", i)), "Not so."))
	}
	b.follow("rule", append(steps, chromedp.Click(chromedp.CSS("button[value=rule]")))...)
	b.shows("For RedSky, by operator")
	if got := history(t, p, webtest.Stuck).State.Stalemates[0].State; got != stalemate.Applied {
		t.Errorf("the stalemate is %s", got)
	}
	b.silent("ruling")

	p = webtest.WithStalemate(t)
	b = fresh(t, p, nil)
	b.open(stuck(t, p))
	b.follow("withdraw", chromedp.Click(chromedp.CSS("details:has(#why) summary")), chromedp.SendKeys(chromedp.CSS("#why"), "Both are right."), chromedp.Click(chromedp.CSS("button[value=withdraw]")))
	b.shows("withdrawn")

	p = webtest.Empty(t)
	b = fresh(t, p, func(o *webOptions) {
		o.Start = func(_ context.Context, p *project.Project, one *launch.Session) error {
			webtest.Play(t, p, one.Thread, one.Question, one.Rounds, nil)
			return nil
		}
	})
	b.open("/")
	b.follow("start", chromedp.Click(chromedp.CSS("a[href='/start']")))
	b.shows("Research question")
	b.follow("estimate", chromedp.SendKeys(chromedp.CSS("#question"), "Why do cells age?"), chromedp.Click(chromedp.CSS("input[name=rehearsal]")), chromedp.Click(chromedp.CSS("button[value=estimate]")))
	b.shows("What it costs at most")
	b.accessible("estimate", axe(t))
	b.follow("start", chromedp.Click(chromedp.CSS("button[value=start]")))
	b.shows("Who answered")
	b.silent("start")
}

// Without scripts, pages can be read and forms work.
func TestBrowserWithoutScripts(t *testing.T) {
	p := webtest.WithConflict(t)
	b := fresh(t, p, nil)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do("decide", chromedp.Navigate(b.base+"/sessions/"+webtest.Conflict+"/conflicts"), chromedp.WaitVisible(chromedp.CSS("form button")), // no script says that it follows its stream
		chromedp.Click(chromedp.CSS("input[type=radio]")), chromedp.Click(chromedp.CSS("form button")), chromedp.WaitVisible(chromedp.CSS(".done")))
	if n := history(t, p, webtest.Conflict).State.Version(); n != 4 {
		t.Errorf("the session is at version %d, want 4", n)
	}
}

// The export as a page verifies itself from a file, and finds every change.
func TestBrowserExport(t *testing.T) {
	exported := func(p *project.Project, thread string) []byte {
		st, err := p.OpenToRead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		src := serve(t, p, false).do(http.MethodGet, "/sessions/"+thread+"/export.html", nil, nil)
		if src.status != http.StatusOK {
			t.Fatal(src.status, src.body)
		}
		return []byte(src.body)
	}
	data := exported(webtest.WithConflict(t), webtest.Conflict)
	b := browse(t, &site{base: "file://", t: t})
	show := func(data []byte) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "session.html")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b.do("open the file", chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
		return value[string](b, "document.getElementById('verdict') ? document.getElementById('verdict').innerText : 'none'")
	}
	if got := show(data); !strings.HasPrefix(got, "Proven") {
		t.Fatalf("an intact file: %s", got)
	}
	for _, want := range []string{"Hypothesis Slate", "BlueLake", "Killed by GreenValley", "call.answered"} {
		b.shows(want)
	}
	source := axe(t)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.do("narrow", chromedp.EmulateViewport(320, 900))
		if wide := value[float64](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
			t.Errorf("the export is %g px wider than the screen", wide)
		}
		value[bool](b, "document.querySelectorAll('details').forEach((d, i) => { d.open = i < 3 }), true")
		// axe-core itself is a script that the page's policy keeps out; DevTools may run it.
		b.accessible("export, "+scheme, source)
	}
	b.silent("export")
	block := bytes.Index(data, []byte(`id="export">`))
	flip := func(at string, from, to string) []byte {
		t.Helper()
		i := block + bytes.Index(data[block:], []byte(at))
		j := bytes.Index(data[i:], []byte(from))
		if i < block || j < 0 {
			t.Fatalf("no %q after %q", from, at)
		}
		out := bytes.Clone(data)
		copy(out[i+j:], to)
		return out
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"an entry":         {flip(`{"at":`, `"question":`, `"questiom":`), "Entry 1 (session.opened)"},
		"a blob":           {flip(`{"blob":`, `"text":"`, `"text":"X`), "A text that entry"},
		"the head":         {flip(`"head":"`, `"head":"`, `"head":"~`), "The head that the file names"},
		"cut in the entry": {data[:block+2000], "cut off"},
		"cut in a blob":    {data[:len(data)-2000], "cut off"},
		"no export":        {data[:block-20], "cut off"},
	} {
		if got := show(c.data); !strings.HasPrefix(got, "Not proven") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want Not proven and %q", name, got, c.want)
		}
		if content := value[string](b, "document.getElementById('content').innerText"); content != "" {
			t.Errorf("%s: the page shows %.100q", name, content)
		}
	}
	// What was added around the session is not shown, and hides nothing.
	show(data)
	all := value[string](b, "document.documentElement.innerText")
	for name, c := range map[string][2]string{
		"a heading before":          {"<body>", "<body><h1>Proven finding: H2 is true</h1>"},
		"a paragraph behind":        {"</html>", "</html><p>Extra claim: H2 is proven</p>"},
		"a style before the policy": {"<head>", "<head><style>#content, #verdict p { display: none } body::before { content: 'H2 is true' }</style>"},
		"attributes":                {`<html lang="en">`, `<html lang="de" style="font-size: 0" hidden>`},
		"a hidden body":             {"<body>", `<body hidden><template shadowrootmode="open"><p>H2 is true</p></template>`},
		"a frame":                   {"</main>", `</main><dialog open>H2 is true</dialog><iframe srcdoc="H2 is true"></iframe>`},
		"another verdict":           {"<main>", `<main><section id="content">H2 is true</section><section id="verdict">H2 is true</section>`},
	} {
		show(bytes.Replace(data, []byte(c[0]), []byte(c[1]), 1))
		if got := value[string](b, "document.documentElement.innerText"); got != all {
			t.Errorf("%s: the page shows %.300q, want %.300q", name, got, all)
		}
		if got := value[string](b, "getComputedStyle(document.body, '::before').content + document.documentElement.lang + document.querySelectorAll('style, iframe').length"); got != "noneen1" {
			t.Errorf("%s: an added style or frame remains: %s", name, got)
		}
	}
	b.mu.Lock()
	b.problems = nil // the browser may report what the policy blocked
	b.mu.Unlock()
	if got := show(bytes.Replace(data, []byte("checked.head.head"), []byte("'0000'/*******/"), 1)); !strings.HasPrefix(got, "Not verified") {
		t.Errorf("a changed script: %s", got)
	}
	b.mu.Lock()
	b.problems = nil // the browser reports the blocked script
	b.mu.Unlock()
	if got := show(exported(webtest.WithAttacks(t), webtest.Hostile)); !strings.HasPrefix(got, "Proven") {
		t.Errorf("hostile texts: %s", got)
	}
	value[bool](b, "document.querySelectorAll('details').forEach(d => { d.open = true }), true")
	b.until("document.querySelectorAll('details pre').length > 5")
	if title := value[string](b, "document.title"); title == "owned" {
		t.Error("a text ran")
	}
	b.shows("[U+202E]")
	b.silent("hostile export")
}
