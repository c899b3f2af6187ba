package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"brenner/agent/openai/openaitest"
	"brenner/cmd/brenner/cli/ui"
	"brenner/engine/temporal/servertest"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/journal"
	"brenner/store/postgres"
	"brenner/store/postgres/postgrestest"
)

// actAs makes the test binary act as the program, with a clock that stands still.
const actAs = "BRENNER_TEST_ACT"

// beat is the silence after which a worker of the tests is taken for dead.
const beat = 3 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(actAs) != "" {
		os.Exit(act()) //nolint:forbidigo // a main of the tests
	}
	os.Exit(servertest.Main(m)) //nolint:forbidigo // a main of the tests
}

func act() int {
	if code, ok := project.Supervise(os.Args[1:]); ok {
		return code
	}
	streams := ui.System()
	streams.Now = func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range signals {
			if !streams.Interrupts.Signal() {
				os.Exit(ui.ExitInterrupted) //nolint:forbidigo // as main does
			}
		}
	}()
	return program(beat).Run(context.Background(), os.Args[1:], streams)
}

// What must not reach the engine. The question and the replies are planted, and the key is the model's.
const (
	question = "Why do the cells of a naked mole rat not age"
	reply    = "Because their hyaluronan is long"
	apiKey   = "sk-planted-key"
)

// fleet is a project on several machines, which are processes with directories and homes of their own.
type fleet struct {
	t        *testing.T
	postgres *postgrestest.Server
	engine   *servertest.Server
	models   *openaitest.Server
	store    *postgres.Store
	project  string
	all      sync.WaitGroup

	mu       sync.Mutex
	requests map[string]int // by call
	asked    int
	at       int // the request at which something happens
	then     func()
	repeated int
	others   bool // requests are those of another project
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, engine: servertest.Get(t), project: "t" + strings.ToLower(rand.Text()[:12]), requests: make(map[string]int)}
	f.postgres = f.engine.Postgres
	f.models = openaitest.New(t, f.answer)
	t.Cleanup(f.all.Wait)
	return f
}

// answer is what the model says. A call that is asked again must not have an answer in the store.
func (f *fleet) answer(r openaitest.Request) openaitest.Answer {
	if again, call := f.note(r.Header.Get("Idempotency-Key")); again {
		if thread, _, _ := strings.Cut(call, "/"); f.answered(thread, call) > 0 {
			f.t.Errorf("the call %s was asked again after its answer was stored", call)
		}
	}
	text := reply + ".\n\n```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","ref":"x","payload":{"name":"N","claim":"` + reply + `"},"rationale":"r"}` + "\n```\n"
	return openaitest.Answer{Text: text, Usage: &openaitest.Usage{Input: 4000, Output: 50}}
}

// note counts a request. It reports whether its call was made before. The models are asked for their list without a call, and loops of one
// plan, at one time, have the same first calls.
func (f *fleet) note(call string) (again bool, _ string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.others || call == "" || strings.HasPrefix(call, "preflight/") {
		return false, ""
	}
	f.requests[call]++
	if again = f.requests[call] > 1; again {
		f.repeated++
	}
	if f.asked++; f.asked == f.at {
		f.then()
	}
	return again, call
}

// count says whether requests are counted.
func (f *fleet) count(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.others = !on
}

// when does something at the n-th request from now.
func (f *fleet) when(n int, then func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.then = f.asked+n, then
}

func (f *fleet) counts() (calls, requests, repeated int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests), f.asked, f.repeated
}

func (f *fleet) address() string { return f.postgres.Address("postgres") + "&project=" + f.project }

// open opens the store of the fleet once a process has created it.
func (f *fleet) open() *postgres.Store {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store == nil {
		at, err := postgres.ParseAddress(f.address())
		if err == nil {
			f.store, err = postgres.Open(context.Background(), at, postgres.Options{ReadOnly: true})
		}
		if err != nil {
			f.t.Fatal(err)
		}
		st := f.store
		f.t.Cleanup(func() { _ = st.Close() })
	}
	return f.store
}

// answered returns how many answers of a call are stored; of all calls of the session, if the call is empty.
func (f *fleet) answered(thread, call string) (n int) {
	entries, err := f.open().Entries(context.Background(), session.Prefix+thread, 0)
	if err != nil {
		f.t.Error(err)
	}
	for i := range entries {
		if entries[i].Kind != flow.KindAnswered {
			continue
		}
		body, err := journal.Decode[flow.Answered](&entries[i], journal.BadEntry)
		if err != nil {
			f.t.Error(err)
		} else if call == "" || body.Call == call {
			n++
		}
	}
	return n
}

// machine is a directory and a home, and the process that runs there.
type machine struct {
	f       *fleet
	program string // this one, unless it is set
	dir     string
	env     []string
	command *exec.Cmd
	out     *output
	ended   chan struct{}
}

// output is what a process prints.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	await string
	seen  chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(p)
	if o.await != "" && bytes.Contains(o.text.Bytes(), []byte(o.await)) {
		o.await = ""
		close(o.seen)
	}
	return n, err
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (f *fleet) machine(more ...string) *machine {
	f.t.Helper()
	home := f.t.TempDir()
	m := &machine{f: f, dir: filepath.Join(home, "project")}
	m.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, actAs + "=1", "PGPASSWORD=" + f.postgres.Password, "BRENNER_STORE=" + f.address(),
		"BRENNER_ENGINE_TEMPORAL_ADDRESS=" + f.engine.Address, "OPENAI_BASE_URL=" + f.models.BaseURL(), "OPENAI_API_KEY=" + apiKey,
	}, more...)
	if err := os.Mkdir(m.dir, 0o755); err != nil {
		f.t.Fatal(err)
	}
	return m
}

// start starts a process and waits until it has printed a text.
func (m *machine) start(await string, args ...string) {
	m.f.t.Helper()
	m.out = &output{await: await, seen: make(chan struct{})}
	c := exec.Command(cmp.Or(m.program, os.Args[0]), args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = m.dir, m.env, m.out, m.out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		m.f.t.Fatal(err)
	}
	m.command, m.ended = c, make(chan struct{})
	ended := m.ended
	m.f.all.Go(func() { _ = c.Wait(); close(ended) })
	m.f.t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	if await == "" {
		return
	}
	select {
	case <-m.out.seen:
	case <-ended:
		m.f.t.Fatalf("%s ended: %s", strings.Join(args, " "), m.out)
	}
}

func (m *machine) work(args ...string) *machine {
	m.f.t.Helper()
	m.start("working, ", append([]string{"worker", "-v"}, args...)...)
	return m
}

func (m *machine) signal(s syscall.Signal) { _ = m.command.Process.Signal(s) }

// wait waits for the end of the process and returns its exit code.
func (m *machine) wait() int {
	<-m.ended
	return m.command.ProcessState.ExitCode()
}

// run runs a command to its end.
func (m *machine) run(args ...string) (out string, code int) {
	m.f.t.Helper()
	m.start("", args...)
	code = m.wait()
	return m.out.String(), code
}

// plan writes a plan and returns its path.
func (m *machine) plan(name string, sessions, concurrency int, more ...string) string {
	m.f.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "schema: brenner.loop.plan/v1\nname: %s\nvia: openai\nmodels: [{model_id: m}]\nrosters: [default-3-agent]\nconcurrency: %d\nsession: {rounds: 2}\n%s\nquestions:\n", name, concurrency, strings.Join(more, "\n"))
	for i := range sessions {
		fmt.Fprintf(&b, "  - %s %d?\n", question, i+1)
	}
	return m.write(name+".yaml", b.String())
}

func (m *machine) write(name, text string) string {
	m.f.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
		m.f.t.Fatal(err)
	}
	return name
}

func (f *fleet) state(name string) *loop.State {
	f.t.Helper()
	s, err := runner.Load(context.Background(), f.open(), name)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// artifacts returns the results of a loop's sessions, all of which must be done.
func (f *fleet) artifacts(name string) (all []string) {
	f.t.Helper()
	s := f.state(name)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Status != loop.Finished || j.Settled.Artifact == "" {
			f.t.Errorf("%s is %s: %s %s", j.Thread, j.Status, j.Settled.Code, j.Settled.Detail)
		}
		all = append(all, j.Thread+" "+j.Settled.Artifact)
	}
	return all
}

// apart returns another project with the same models: an artifact names their address.
func (f *fleet) apart() *fleet {
	return &fleet{t: f.t, postgres: f.postgres, engine: f.engine, models: f.models, project: f.project + "_alone"}
}

// alone runs a plan in one process, with a store of its own, and returns the results.
func (f *fleet) alone(name string, sessions int) []string {
	f.t.Helper()
	one := f.apart()
	f.count(false)
	defer f.count(true)
	m := one.machine()
	if out, code := m.run("loop", "run", m.plan(name, sessions, 4), "--run", "k"); code != 0 {
		f.t.Fatalf("exit %d\n%s", code, out)
	}
	return one.artifacts(name + "-k")
}

// check checks a loop that was disturbed: the results of an undisturbed run, one answer for each call, and no fault.
func (f *fleet) check(name string, want []string) {
	f.t.Helper()
	if got := f.artifacts(name); strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.t.Errorf("got results\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s := f.state(name)
	for i := range s.Jobs {
		const calls = 6
		if n := f.answered(s.Jobs[i].Thread, ""); n != calls {
			f.t.Errorf("%s has %d answers, want %d", s.Jobs[i].Thread, n, calls)
		}
	}
	if out, code := f.machine().run("verify"); code != 0 {
		f.t.Errorf("verify: exit %d\n%s", code, out)
	}
}

// number returns that of an environment variable, or another one.
func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}
