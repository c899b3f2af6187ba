package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
)

// mailProject is a project in which the mail server and sessions are separate processes.
type mailProject struct {
	t      *testing.T
	dir    string
	env    []string
	server *mailServer
	down   sync.Mutex // held while the server is down
}

func newMailProject(t *testing.T) *mailProject {
	t.Helper()
	h := &mailProject{t: t, dir: t.TempDir()}
	h.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "GORACE=atexit_sleep_ms=0"}
	h.serve("127.0.0.1:0")
	h.env = append(h.env, mail.EnvBaseURL+"="+h.server.base)
	t.Cleanup(func() {
		if err := h.server.stop(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *mailProject) serve(address string) {
	var err error
	if h.server, err = startMail(h.dir, h.env, "--addr", address); err != nil {
		h.t.Error(err)
	}
}

// restart kills the server with SIGKILL and starts it again on the same address.
func (h *mailProject) restart() {
	h.down.Lock()
	defer h.down.Unlock()
	address := strings.TrimPrefix(h.server.base, "http://")
	if err := h.server.kill(); err != nil {
		h.t.Error(err)
	}
	h.serve(address)
}

// running returns the server, waiting for a restart in progress.
func (h *mailProject) running() *mailServer {
	h.down.Lock()
	defer h.down.Unlock()
	return h.server
}

func (h *mailProject) command(args ...string) *exec.Cmd {
	c := exec.Command("brenner", args...)
	c.Dir, c.Env = h.dir, h.env
	return c
}

func (h *mailProject) output(args ...string) string {
	h.t.Helper()
	out, err := h.command(args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// correspond runs an agent that survives restarts of the server and answers each kickoff
// once. before is called before each answer.
func (h *mailProject) correspond(ctx context.Context, base, name, token string, before func()) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := mail.New(mail.Options{URL: base + mail.DefaultPath, Token: token, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		h.t.Error(err)
		return
	}
	retry := func(do func() error) {
		for ctx.Err() == nil {
			err := do()
			switch fault.CodeOf(err) {
			case mail.Unreachable, mail.Unsure: // the server is being killed
				h.running()
				continue
			case "":
			default:
				if ctx.Err() == nil {
					h.t.Errorf("%s: %v", name, err)
				}
			}
			return
		}
	}
	seen := mail.ID("0")
	for ctx.Err() == nil {
		var all []mail.Message
		retry(func() (err error) {
			all, err = c.Inbox(ctx, mail.InboxQuery{Project: h.dir, Agent: name, After: seen}, 5*time.Second)
			return err
		})
		for _, m := range all {
			seen = m.ID
			if mail.PrefixOf(m.Subject) != "KICKOFF" {
				continue
			}
			before()
			retry(func() error { return c.Acknowledge(ctx, h.dir, name, m.ID) })
			retry(func() error {
				_, err := c.SendOnce(ctx, mail.Draft{
					Project: h.dir, From: name, To: []string{m.From}, Thread: m.Thread, ReplyTo: m.ID, Subject: "DELTA[x]: " + name,
					Body: "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"` + name + " answers " + string(m.ID) + `"}}` + "\n```\n",
				}, mail.MarkerOf(m.Thread, 0, name, string(m.ID)))
				return err
			})
		}
	}
}

// Server and session are killed with SIGKILL while agents answer, and restarted: no
// message is lost or duplicated.
func TestMailSessionSurvivesKills(t *testing.T) {
	const thread = "RS-20260101-killed"
	h := newMailProject(t)
	base := h.server.base
	ctx, cancel := context.WithCancel(t.Context())
	var agents sync.WaitGroup
	defer agents.Wait()
	defer cancel()
	served, kill := make(chan struct{}), make(chan struct{})
	kills := map[string]func(){ // at the agents' first and second kickoffs, one at a time
		"BlueLake 1": func() { h.restart(); close(served) },
		"RedSky 1":   func() { <-served; close(kill) },
		"RedSky 2":   h.restart,
	}
	for _, name := range []string{"BlueLake", "RedSky"} {
		token := strings.TrimSpace(h.output("mail", "token", name))
		n := 0
		agents.Go(func() {
			h.correspond(ctx, base, name, token, func() {
				n++
				if do := kills[name+" "+strconv.Itoa(n)]; do != nil {
					do()
				}
			})
		})
	}
	first := h.command("session", "start", "--via", "mail", "--rounds", "2", "--question", "Why?", "--thread-id", thread,
		"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic")
	var out bytes.Buffer
	first.Stdout, first.Stderr = &out, &out
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-kill
	_ = first.Process.Kill() // kill -9
	_ = first.Wait()
	if got := h.output("session", "resume", thread); !strings.Contains(got, "done, round 2 of 2, version 3") {
		t.Fatalf("%s\nbefore that:\n%s", got, out.String())
	}
	var doc struct{ Messages []mail.Message }
	if err := json.Unmarshal([]byte(h.output("mail", "thread", thread, "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, m := range doc.Messages {
		count[mail.PrefixOf(m.Subject)+" "+m.From+" to "+strings.Join(m.To, ",")]++
	}
	for what, want := range map[string]int{
		"KICKOFF Operator to BlueLake": 2, "KICKOFF Operator to RedSky": 2, "DELTA BlueLake to Operator": 2, "DELTA RedSky to Operator": 2,
		"COMPILED Operator to BlueLake": 2, "COMPILED Operator to RedSky": 2, "COMPILED Operator to Operator": 2,
	} {
		if count[what] != want {
			t.Errorf("%s: %d, want %d", what, count[what], want)
		}
	}
	if got := h.output("session", "show", thread, "--json"); strings.Count(got, `"claim"`) < 4 {
		t.Errorf("%.900s", got)
	}
	h.output("verify", thread)
}
