package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"brenner/loop/runner"
)

func (f *fleet) dial() client.Client {
	f.t.Helper()
	c, err := client.Dial(client.Options{HostPort: f.engine.Address})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

// history returns the number of events of a workflow, and what is in them.
func (f *fleet) history(c client.Client, id string) (events int, text []byte) {
	f.t.Helper()
	all := c.GetWorkflowHistory(f.t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for all.HasNext() {
		e, err := all.Next()
		if err != nil {
			f.t.Fatal(err)
		}
		line, err := protojson.Marshal(e)
		if err != nil {
			f.t.Fatal(err)
		}
		// Payloads are base64 in JSON.
		for _, p := range e.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads() {
			line = append(line, p.GetData()...)
		}
		for _, p := range e.GetActivityTaskScheduledEventAttributes().GetInput().GetPayloads() {
			line = append(line, p.GetData()...)
		}
		events, text = events+1, append(text, line...)
	}
	return events, text
}

// awaitEnd waits for the end of a loop that workers run.
func (f *fleet) awaitEnd(name string, workers ...*machine) {
	f.t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for ; ; time.Sleep(100 * time.Millisecond) {
		s, err := runner.Load(f.t.Context(), f.open(), name)
		if err == nil && s.Ended != "" {
			return
		}
		if time.Now().After(deadline) {
			for _, w := range workers {
				f.t.Log(w.out)
			}
			f.t.Fatalf("loop %s has not ended: %v", name, err)
		}
	}
}

// A submitted loop runs on a worker with one slot, and a schedule runs its plan once for each key. The engine's histories are
// short and have names only.
func TestOnServerSubmittedAndScheduled(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.machine().work("--at-once", "1", "--loops")
	user := f.machine()
	plan := user.plan("night", 2, 2)
	if out, code := user.run("submit", plan, "--run", "k"); code != 0 || !strings.Contains(out, "night-k: submitted") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	f.awaitEnd("night-k", w)
	f.check("night-k", f.alone("night", 2))
	if out, code := user.run("submit", plan, "--run", "k"); code != 0 || !strings.Contains(out, "has already ended") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := user.run("schedule", "night-k", "--cron", "0 0 1 1 *", "--run", "day-%F"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	for flag, bad := range map[string]string{"--cron": "each night", "--run": "the %F"} { // the schedule stays as it is
		if out, code := user.run("schedule", "night-k", "--cron", "0 0 1 1 *", flag, bad); code != 2 {
			t.Errorf("%s %q: exit %d\n%s", flag, bad, code, out)
		}
	}
	c := f.dial()
	day := "night-day-" + time.Now().UTC().Format(time.DateOnly)
	for range 2 {
		if err := c.ScheduleClient().GetHandle(t.Context(), f.project+"/loop/night-k").Trigger(t.Context(), client.ScheduleTriggerOptions{Overlap: enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL}); err != nil {
			t.Fatal(err)
		}
		f.awaitEnd(day, w)
	}
	if s := f.state(day); s.Runs != 1 || len(f.artifacts(day)) != 2 {
		t.Errorf("%d runs, want 1", s.Runs)
	}
	if out, code := user.run("schedule", "night-k", "--off"); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	s := f.state("night-k")
	for _, one := range []struct {
		id     string
		events int
	}{{f.project + "/" + s.Jobs[0].Thread, eventsOfSession}, {f.project + "/" + s.Jobs[1].Thread, eventsOfSession}, {f.project + "/loop/night-k", 11}} {
		events, text := f.history(c, one.id)
		t.Logf("%s: %d events, %d bytes", one.id, events, len(text))
		if events > one.events {
			t.Errorf("%s has %d events, want at most %d", one.id, events, one.events)
		}
		for _, planted := range []string{question, reply, apiKey, f.postgres.Password} {
			if bytes.Contains(text, []byte(planted)) {
				t.Errorf("the history of %s has %q", one.id, planted)
			}
		}
	}
}

// A session goes to a worker that has what its roster needs and the loop's settings.
func TestOnServerQueues(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	other := f.machine()
	other.write("brenner.yaml", "priority: [BlueLake]\n")
	other.work("--at-once", "1", "--tags", "gpu")
	plain := f.machine().work()
	user := f.machine()
	plan := user.write("night.yaml", "schema: brenner.loop.plan/v1\nname: night\nvia: openai\nmodels: [{model_id: m}]\nquestions: ['"+question+"?']\n"+
		"rosters: [{id: one, needs: gpu, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\nsession: {rounds: 1}\n")
	user.start("", "loop", "run", plan, "--run", "k", "--place", "temporal", "-v")
	for !strings.Contains(other.out.String(), "CONFIG_DIFFERS") && !strings.Contains(other.out.String(), "differs from the one") {
		select {
		case <-user.ended:
			t.Fatalf("the loop has ended without a worker\n%s\n%s", user.out, other.out)
		case <-time.After(100 * time.Millisecond):
		}
	}
	f.machine().work("--tags", "gpu")
	if code := user.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, user.out)
	}
	if strings.Contains(plain.out.String(), "RS-") {
		t.Errorf("a worker without the tag was given the session\n%s", plain.out)
	}
}

// A loop without workers says so, and an engine that cannot be reached is an error before anything begins.
func TestOnServerSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	user := f.machine("BRENNER_ENGINE_TEMPORAL_NAMESPACE=elsewhere")
	plan := user.plan("night", 1, 1)
	if out, code := user.run("loop", "run", plan, "--place", "temporal", "--json"); code != 2 || !strings.Contains(out, "ENGINE_NAMESPACE") {
		t.Errorf("exit %d\n%s", code, out)
	}
	user = f.machine("BRENNER_ENGINE_TEMPORAL_ADDRESS=127.0.0.1:1")
	if out, code := user.run("worker", "--json"); code != 75 || !strings.Contains(out, "ENGINE_UNREACHABLE") {
		t.Errorf("exit %d\n%s", code, out)
	}
	user = f.machine()
	if out, code := user.run("submit", user.plan("night", 1, 1), "--run", "k"); code != 0 || !strings.Contains(out, "no worker takes loops") {
		t.Errorf("exit %d\n%s", code, out)
	}
	user.start("no worker takes sessions", "loop", "run", user.plan("night", 1, 1), "--place", "temporal")
	user.signal(syscall.SIGTERM)
	if code := user.wait(); code != 130 {
		t.Errorf("exit %d\n%s", code, user.out)
	}
}

// envSessions is the variable with the number of sessions of TestOnServerThroughput.
const envSessions = "BRENNER_TEST_ENGINE_SESSIONS"

// The time of a loop of rehearsal sessions on two workers, and in one process, by turns. It only logs.
func TestOnServerThroughput(t *testing.T) {
	n := number(envSessions, 20)
	f := newFleet(t)
	for range 2 {
		f.machine().work("--at-once", "8")
	}
	user := f.machine()
	var b strings.Builder
	fmt.Fprintf(&b, "schema: brenner.loop.plan/v1\nname: many\nvia: rehearsal\nscript: script.yaml\nrosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\nconcurrency: 16\nsession: {rounds: 1}\nquestions:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - Why %d?\n", i+1)
	}
	user.write("script.yaml", "schema: brenner.rehearsal/v1\nquestion: Why?\nagents: [{role: hypothesis_generator, rounds: [{reply: A moon.}]}]\n")
	plan := user.write("many.yaml", b.String())
	for turn := range 2 {
		for _, place := range []string{"", "temporal"} {
			args := []string{"loop", "run", plan, "--run", strconv.Itoa(turn) + place, "-q"}
			if place != "" {
				args = append(args, "--place", place)
			}
			begin := time.Now()
			if out, code := user.run(args...); code != 0 {
				t.Fatalf("exit %d\n%s", code, out)
			}
			t.Logf("%d sessions, place %q: %.1f a second", n, place, float64(n)/time.Since(begin).Seconds())
		}
	}
}
