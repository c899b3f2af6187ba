package cli_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
)

// writePlan writes a plan with scripted agents to a directory.
func writePlan(t *testing.T, dir string) string {
	t.Helper()
	for name, text := range map[string]string{
		"sky.yaml": "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n",
		"night.yaml": `schema: brenner.loop.plan/v1
via: rehearsal
script: sky.yaml
questions: [Why is the sky dark at night]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]
session: {rounds: 1}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "night.yaml")
}

// hook is a webhook server for reports.
type hook struct {
	mu     sync.Mutex
	status int
	keys   []string
	bodies []map[string]any
}

func (h *hook) set(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	data, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(data, &body)
	h.keys, h.bodies = append(h.keys, r.Header.Get("Idempotency-Key")), append(h.bodies, body)
	if h.status == http.StatusFound {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(h.status)
}

func TestReportIsSentToWebhook(t *testing.T) {
	h := &hook{status: http.StatusNoContent}
	server := httptest.NewServer(h)
	defer server.Close()
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL + "/reports"}
	plan := writePlan(t, dir)
	for range 2 { // the second run has nothing to do or send
		mustRun(t, env, "loop", "run", plan, "--run", "a", "-C", dir)
	}
	if len(h.bodies) != 1 || h.bodies[0]["schema"] != "brenner.loop.report/v1" || h.bodies[0]["done"] != 1.0 || h.keys[0] != fmt.Sprintf("night-a/%v/1", h.bodies[0]["started_at"]) {
		t.Errorf("%v, %v", h.keys, h.bodies)
	}

	// A failed delivery is reported; the loop is done and its report is written. Redirects
	// are not followed, since their target is not trusted.
	for _, status := range []int{http.StatusInternalServerError, http.StatusFound} {
		h.status = status
		var out bytes.Buffer
		code, errs := brenner(t.Context(), env, &out, "loop", "run", plan, "--run", fmt.Sprint(status), "-C", dir)
		if code != 1 || !strings.Contains(errs, fmt.Sprint(status)) || !strings.Contains(out.String(), "did not reach webhook") {
			t.Errorf("exit %d: %s%s", code, out.String(), errs)
		}
		if _, err := os.Stat(filepath.Join(dir, ".brenner", "loops", fmt.Sprintf("night-%d", status), "report.md")); err != nil {
			t.Error(err)
		}
	}
	// Only the server error is retried.
	if len(h.bodies) != 1+3+1 {
		t.Errorf("%d requests", len(h.bodies))
	}

	// A run that was killed between its end and its report delivers the report later.
	if err := os.RemoveAll(filepath.Join(dir, ".brenner", "loops", "night-a")); err != nil {
		t.Fatal(err)
	}
	h.status = http.StatusOK
	mustRun(t, env, "loop", "run", plan, "--run", "a", "-C", dir)
	if _, err := os.Stat(filepath.Join(dir, ".brenner", "loops", "night-a", "report.md")); err != nil {
		t.Error(err)
	}
}

// A failed delivery is journaled even if the status line is not valid text.
func TestWebhookWithInvalidStatusLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 400 \xff\xfe\r\nContent-Length: 0\r\n\r\n"))
	}))
	defer server.Close()
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL}
	var out bytes.Buffer
	code, errs := brenner(t.Context(), env, &out, "loop", "run", writePlan(t, dir), "-C", dir)
	if code != 1 || !strings.Contains(out.String(), "did not reach webhook: the server responded with 400 \ufffd") {
		t.Errorf("exit %d: %s%s", code, out.String(), errs)
	}
}

// A webhook that is down is retried with increasing delays.
func TestWebhookIsRetried(t *testing.T) {
	h := &hook{status: http.StatusBadGateway}
	server := httptest.NewServer(h)
	defer server.Close()
	dir := t.TempDir()
	var waits []time.Duration
	var out bytes.Buffer
	code := cli.Run(t.Context(), []string{"loop", "run", writePlan(t, dir), "-C", dir}, ui.Streams{
		In: strings.NewReader(""), Out: &out, Err: &out, Environ: []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL, "BRENNER_RETRY_ATTEMPTS=4"}, Now: time.Now,
		Pause: func(_ context.Context, d time.Duration) {
			if waits = append(waits, d); len(waits) == 3 {
				h.set(http.StatusOK)
			}
		},
	})
	if code != 0 || fmt.Sprint(waits) != "[1s 2s 4s]" || len(h.keys) != 4 || h.keys[0] != h.keys[3] {
		t.Errorf("exit %d, waits %v, requests %v: %s", code, waits, h.keys, out.String())
	}
}

// Until a report is delivered, the same command fails and runs nothing, with or without a
// key.
func TestReportIsRetriedUntilDelivered(t *testing.T) {
	for _, key := range [][]string{nil, {"--run", "a"}} {
		h := &hook{status: http.StatusInternalServerError}
		server := httptest.NewServer(h)
		dir := t.TempDir()
		env := []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL, "BRENNER_RETRY_ATTEMPTS=1"}
		name := "night"
		if key != nil {
			name = "night-a"
		}
		command := append([]string{"loop", "run", writePlan(t, dir), "-C", dir}, key...)
		for range 3 {
			var out bytes.Buffer
			code, errs := brenner(t.Context(), env, &out, command...)
			if code != 1 || !strings.Contains(errs, "loop report "+name+" --send`") || strings.Count(out.String(), "did not reach webhook") != 1 {
				t.Fatalf("exit %d: %s%s", code, out.String(), errs)
			}
		}
		h.set(http.StatusOK)
		out := mustRun(t, env, "loop", "report", name, "--send", "-C", dir)
		if out != name+": report sent to webhook\n" || len(h.keys) != 4 || h.keys[0] != h.keys[3] {
			t.Errorf("%v: %s", h.keys, out)
		}
		if out := mustRun(t, env, "loop", "status", name, "-C", dir); strings.Contains(out, "did not reach") {
			t.Errorf("outdated status: %s", out)
		}
		if out := mustRun(t, env, "loop", "report", name, "--send", "-C", dir); !strings.Contains(out, "nothing sent") || len(h.keys) != 4 {
			t.Errorf("%v: %s", h.keys, out)
		}
		server.Close()
	}
}

// A loop that was continued ends again, with a report of its own.
func TestEachEndHasItsReport(t *testing.T) {
	h := &hook{status: http.StatusNotFound}
	server := httptest.NewServer(h)
	defer server.Close()
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL}
	plan := writePlan(t, dir)
	var out bytes.Buffer
	if code, errs := brenner(t.Context(), env, &out, "loop", "run", plan, "-C", dir); code != 1 || len(h.keys) != 1 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	h.set(http.StatusOK)
	data, err := os.ReadFile(plan)
	if err == nil {
		err = os.WriteFile(plan, append(data, "rounds: 2\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := mustRun(t, env, "loop", "run", plan, "--go-on", "-C", dir)
	began := h.bodies[0]["started_at"]
	if strings.Contains(text, "did not reach") || fmt.Sprint(h.keys) != fmt.Sprintf("[night/%v/1 night/%v/2]", began, began) {
		t.Errorf("%v: %s", h.keys, text)
	}
}

func TestReportIsSentToOperatorMailbox(t *testing.T) {
	b := newMailProject(t)
	b.env = append(b.env, "BRENNER_REPORT_MAIL=true")
	b.mustRun("loop", "run", writePlan(t, b.dir))
	inbox := b.mustRun("mail", "inbox", "--bodies")
	if !strings.Contains(inbox, "REPORT: loop night, done, all rounds") || !strings.Contains(inbox, "## All sessions") {
		t.Errorf("mailbox:\n%s", inbox)
	}
}

// Each model is called by its id, with the session's seed, once per entry of the matrix.
func TestModelsAndSeeds(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // it does not report context sizes
			http.NotFound(w, r)
			return
		}
		var body struct {
			Model  string `json:"model"`
			Seed   *int   `json:"seed"`
			Stream bool   `json:"stream"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		seed := "without"
		if body.Seed != nil {
			seed = strconv.Itoa(*body.Seed)
		}
		mu.Lock()
		asked = append(asked, body.Model+" "+seed)
		mu.Unlock()
		chunk := `{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"NO CHANGES: nothing"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5000,"completion_tokens":1,"total_tokens":5001}}`
		if !body.Stream {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Replace(strings.Replace(chunk, `"delta"`, `"message"`, 1), ".chunk", "", 1))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
	}))
	defer server.Close()
	dir := t.TempDir()
	plan := filepath.Join(dir, "night.yaml")
	err := os.WriteFile(plan, []byte(`schema: brenner.loop.plan/v1
questions: [Why is the sky dark at night]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]
models:
  - {id: a, model_id: model-a, via: openai}
  - {id: b, model_id: model-b, via: openai}
seeds: [0, 8]
session: {rounds: 1}
`), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir(), "OPENAI_BASE_URL=" + server.URL + "/v1"}
	out := mustRun(t, env, "loop", "run", plan, "--no-preflight", "-C", dir)
	slices.Sort(asked)
	if want := "[model-a 0 model-a 8 model-b 0 model-b 8]"; fmt.Sprint(asked) != want {
		t.Errorf("asked %v, want %s", asked, want)
	}
	if !strings.Contains(out, "4 of 4 sessions done") || strings.Contains(out, "Rehearsal") {
		t.Error(out)
	}

	// The session records the seed, and resuming it manually uses the same one.
	threads := strings.Fields(mustRun(t, env, "session", "list", "-q", "-C", dir))
	slices.Sort(threads)
	trace := mustRun(t, env, "trace", "list", threads[1], "--json", "-C", dir)
	if !strings.Contains(trace, `"seed":8`) || !strings.Contains(trace, `"model_id":"model-a"`) {
		t.Error(trace)
	}
	if call := mustRun(t, env, "trace", "show", threads[1], "--agent", "BlueLake", "--round", "1", "-C", dir); !strings.Contains(call, "seed 8; answered by") {
		t.Error(call)
	}
	asked = nil
	mustRun(t, env, "session", "resume", threads[1], "--rounds", "2", "-C", dir)
	if fmt.Sprint(asked) != "[model-a 8]" {
		t.Errorf("resumed manually: asked %v", asked)
	}
}

// One agent with a mailbox answers two concurrent sessions, each in its own thread.
func TestLoopByMail(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	plan := filepath.Join(b.dir, "night.yaml")
	err := os.WriteFile(plan, []byte(`schema: brenner.loop.plan/v1
via: mail
questions: [Why is the sky dark at night, Why is it blue by day]
rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]
session: {rounds: 1}
`), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	var out bytes.Buffer
	done.Go(func() {
		if code, errs := brenner(t.Context(), b.env, &out, "loop", "run", plan, "-C", b.dir); code != 0 {
			t.Errorf("exit %d: %.600s", code, errs)
		}
	})
	defer done.Wait()
	blue := b.agents["BlueLake"]
	first, one := blue.next("KICKOFF: ")
	second, two := blue.next("KICKOFF: ")
	if one == two {
		t.Error("both sessions sent the same message")
	}
	blue.reply(second, hypothesis("an answer"))
	blue.reply(first, hypothesis("another"))
	done.Wait()
	if !strings.Contains(out.String(), "2 of 2 sessions done") {
		t.Errorf("%.800s", out.String())
	}
}

// verify detects a loop whose session was removed from the store file with its records.
func TestVerifyDetectsRemovedSession(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir()}
	mustRun(t, env, "loop", "run", writePlan(t, dir), "-C", dir)
	if out := mustRun(t, env, "verify", "-C", dir); !strings.Contains(out, "loop night: proven") {
		t.Fatal(out)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, ".brenner", "brenner.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"PRAGMA foreign_keys = OFF",
		"DELETE FROM entries WHERE stream IN (SELECT id FROM streams WHERE name LIKE 'session/%')",
		"DELETE FROM streams WHERE name LIKE 'session/%'",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code, _ := brenner(t.Context(), env, &out, "verify", "-C", dir)
	if code != 1 || !strings.Contains(out.String(), "loop night: STORE_DAMAGED") || !strings.Contains(out.String(), "the store has no such session") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

// A webhook that never answers does not delay an interrupt: the next run sends the report
// again with the same key.
func TestInterruptedDelivery(t *testing.T) {
	h := &hook{status: http.StatusNoContent}
	came, leave := make(chan struct{}), make(chan struct{})
	var hang atomic.Bool
	hang.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			close(came)
			<-leave
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer close(leave)
	dir := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "BRENNER_REPORT_WEBHOOK=" + server.URL}
	plan := writePlan(t, dir)
	var out bytes.Buffer
	streams := ui.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Environ: env, Now: time.Now, Interrupts: &ui.Interrupts{}}
	go func() {
		<-came
		streams.Interrupts.Signal()
		streams.Interrupts.Signal() // stop immediately
	}()
	if code := cli.Run(t.Context(), []string{"loop", "run", plan, "--run", "a", "-C", dir}, streams); code != ui.ExitInterrupted {
		t.Errorf("exit %d: %s", code, out.String())
	}
	hang.Store(false)
	mustRun(t, env, "loop", "run", plan, "--run", "a", "-C", dir)
	if len(h.keys) != 1 || h.keys[0] != fmt.Sprintf("night-a/%v/1", h.bodies[0]["started_at"]) {
		t.Errorf("then: %v", h.keys)
	}
}
