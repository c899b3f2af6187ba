package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/mail"
)

// mailProject is a project with a mail server and agents that have joined.
type mailProject struct {
	t      *testing.T
	dir    string
	env    []string
	base   string
	agents map[string]*mcpAgent
}

func newMailProject(t *testing.T, names ...string) *mailProject {
	t.Helper()
	b := &mailProject{t: t, dir: t.TempDir(), env: []string{"HOME=" + t.TempDir()}, agents: make(map[string]*mcpAgent)}
	b.base = serveMail(t, b.env, b.dir)
	b.env = append(b.env, mail.EnvBaseURL+"="+b.base)
	for _, name := range names {
		token := strings.TrimSpace(b.mustRun("mail", "token", name))
		b.agents[name] = joinAs(t, b.base, b.dir, name, token)
	}
	return b
}

func (b *mailProject) mustRun(args ...string) string {
	b.t.Helper()
	return mustRun(b.t, b.env, append(args, "-C", b.dir)...)
}

// wantExit runs a command, checks its exit code, and returns its output.
func (b *mailProject) wantExit(want int, args ...string) string {
	b.t.Helper()
	var out bytes.Buffer
	code, errs := brenner(b.t.Context(), b.env, &out, append(args, "-C", b.dir)...)
	if code != want {
		b.t.Errorf("%v: exit %d, want %d: %.600s%.600s", args, code, want, out.String(), errs)
	}
	return out.String() + errs
}

// start starts a session and returns a function that waits for its end.
func (b *mailProject) start(want int, args ...string) (end func() string) {
	b.t.Helper()
	var done sync.WaitGroup
	var out bytes.Buffer
	done.Go(func() {
		code, errs := brenner(b.t.Context(), b.env, &out, append([]string{"session", "start", "-C", b.dir, "--via", "mail"}, args...)...)
		if code != want {
			b.t.Errorf("session start: exit %d, want %d: %.600s%.600s", code, want, out.String(), errs)
		}
	})
	b.t.Cleanup(done.Wait)
	return func() string {
		done.Wait()
		return out.String()
	}
}

// threadStatus is the thread in `session status --json`.
type threadStatus struct {
	Phase string `json:"phase"` // of the session
	Mail  struct {
		Phase    string `json:"phase"`
		Compiled int    `json:"compiled"`
		Agents   []struct {
			Name         string `json:"name"`
			Acknowledged bool   `json:"acknowledged"`
			Answered     bool   `json:"answered"`
		} `json:"agents"`
		Names map[string]string `json:"names"`
	} `json:"mail"`
}

func (b *mailProject) status(thread string) threadStatus {
	b.t.Helper()
	var s threadStatus
	if err := json.Unmarshal([]byte(b.mustRun("session", "status", thread, "--json")), &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// checkThread checks the phase and which agents have acknowledged and answered.
func (b *mailProject) checkThread(thread, phase string, acked, answered []string) {
	b.t.Helper()
	s := b.status(thread)
	var have [2][]string
	for _, a := range s.Mail.Agents {
		if a.Acknowledged {
			have[0] = append(have[0], a.Name)
		}
		if a.Answered {
			have[1] = append(have[1], a.Name)
		}
	}
	slices.Sort(have[0])
	slices.Sort(have[1])
	if s.Mail.Phase != phase || !slices.Equal(have[0], acked) || !slices.Equal(have[1], answered) {
		b.t.Errorf("thread: %+v, want %s, %v, %v", s.Mail, phase, acked, answered)
	}
}

const mailThread = "RS-20260101-by-mail"

func TestThreeAgentsByMail(t *testing.T) {
	b := newMailProject(t, "BlueLake", "PurpleMountain", "GreenValley")
	end := b.start(0, "--preset", "default-3-agent", "--rounds", "1", "--question", "How do cells know where they are?", "--thread-id", mailThread)
	blue, purple, green := b.agents["BlueLake"], b.agents["PurpleMountain"], b.agents["GreenValley"]
	kickoffs := make(map[*mcpAgent]float64)
	for _, a := range []*mcpAgent{blue, purple, green} {
		id, body := a.next("KICKOFF: ")
		if kickoffs[a] = id; !strings.Contains(body, "**Recipient**: "+a.name) {
			t.Errorf("%s received %.200s", a.name, body)
		}
	}
	b.checkThread(mailThread, "awaiting_responses", nil, nil)
	blue.acknowledge(kickoffs[blue])
	b.checkThread(mailThread, "awaiting_responses", []string{"BlueLake"}, nil)
	blue.reply(kickoffs[blue], hypothesis("a gradient"))
	purple.acknowledge(kickoffs[purple])
	b.checkThread(mailThread, "partially_complete", []string{"BlueLake", "PurpleMountain"}, []string{"BlueLake"})
	purple.reply(kickoffs[purple], "NO CHANGES: nothing yet")
	green.reply(kickoffs[green], delta(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Noise","attack":"It is too noisy."}}`))
	if out := end(); !strings.Contains(out, "done, round 1 of 1, version 2") {
		t.Errorf("%.600s", out)
	}
	b.checkThread(mailThread, "compiled", []string{"BlueLake", "GreenValley", "PurpleMountain"}, []string{"BlueLake", "GreenValley", "PurpleMountain"})
	if _, body := purple.next("COMPILED: v2"); !strings.Contains(body, "> - H1: a gradient") || strings.Contains(body, "\nversion: 2") {
		t.Errorf("an agent received more than its view: %.400s", body)
	}
	if got := b.mustRun("mail", "inbox"); strings.Count(got, "COMPILED: v2") != 1 {
		t.Errorf("operator's inbox: %s", got)
	}
	for _, args := range [][]string{{"session", "show", mailThread, "--json"}, {"session", "status", mailThread}, {"trace", "list", mailThread}, {"blame", mailThread, "H1"}} {
		out := b.mustRun(args...)
		if !strings.Contains(out, "by mail") && args[0] != "trace" || strings.Contains(out, "GPT-5.2") || strings.Contains(out, "Opus 4.5") {
			t.Errorf("%v names another author than the mailbox: %.2000s", args, out)
		}
	}
	if out := b.wantExit(0, "session", "resume", mailThread, "--mail-url", "http://127.0.0.1:1"); !strings.Contains(out, "--mail-url has no effect: the session has ended, and no agent is asked") {
		t.Errorf("an ended session says nothing about --mail-url: %.900s", out)
	}
	b.checkCritique(green)
}

// A session stays with its mail server: another address in the environment receives neither its mail nor
// a token. A flag changes it.
func TestMailServerIsPinned(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	asked := make(chan string, 1000)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Authorization") }))
	defer other.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() {
		brenner(ctx, b.env, io.Discard, "session", "start", "-C", b.dir, "--via", "mail", "--to", "BlueLake", "--role", "hypothesis_generator", "--rounds", "1", "--question", "Why?", "--thread-id", mailThread)
	})
	_, body := b.agents["BlueLake"].next("KICKOFF: ")
	interrupt()
	first.Wait()
	if strings.Contains(body, strings.TrimPrefix(b.base, "http://")) {
		t.Error("a kickoff names a host")
	}
	b.env = append(b.env, mail.EnvBaseURL+"="+other.URL)
	for _, args := range [][]string{{"session", "resume", mailThread, "--timeout", "300ms"}, {"session", "status", mailThread}} {
		var out bytes.Buffer
		_, errs := brenner(t.Context(), b.env, &out, append(args, "-C", b.dir)...)
		if len(asked) > 0 {
			t.Errorf("%v: the other server was asked, with %q", args, <-asked)
		}
		if args[1] == "resume" && !strings.Contains(errs, "is used, as the journal says; to change that, pass --mail-url") {
			t.Errorf("no warning: %s", errs)
		}
	}
	var out bytes.Buffer
	brenner(t.Context(), b.env, &out, "session", "resume", mailThread, "--timeout", "300ms", "--mail-url", other.URL, "-C", b.dir)
	if len(asked) == 0 {
		t.Error("--mail-url has no effect")
	}
	b.mustRun("verify", mailThread)
}

// checkCritique checks what follows a critique of a published session.
func (b *mailProject) checkCritique(critic *mcpAgent) {
	t := b.t
	t.Helper()
	critic.write(mailThread, "CRITIQUE: H1", delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"A factor of 30."}}`))
	b.checkThread(mailThread, "in_critique", []string{"BlueLake", "GreenValley", "PurpleMountain"}, []string{"BlueLake", "GreenValley", "PurpleMountain"})
	if out := b.mustRun("session", "compile", mailThread); !strings.Contains(out, "mail thread") {
		t.Errorf("%.800s", out)
	}
	if out := b.wantExit(2, "session", "compile", mailThread); !strings.Contains(out, "has no unmerged messages from its agents") {
		t.Errorf("merged again: %.400s", out)
	}
	for range 2 {
		if out := b.mustRun("session", "publish", mailThread); !strings.Contains(out, "COMPILED: v3") {
			t.Error(out)
		}
	}
	if got := b.mustRun("mail", "inbox"); strings.Count(got, "COMPILED: v3") != 1 {
		t.Error(got)
	}
	if out := b.mustRun("blame", mailThread, "H1"); !strings.Contains(out, "GreenValley, in message ") {
		t.Error(out)
	}
	if out := b.mustRun("trace", "find", "A factor of 30."); !strings.Contains(out, "Message  message ") {
		t.Error(out)
	}
	if out := b.mustRun("store", "lineage", mailThread+"@v3"); !strings.Contains(out, "derives_from reply/"+mailThread+"/GreenValley@v2") ||
		!strings.Contains(out, "replies_to kickoff/"+mailThread+"/GreenValley@v1") {
		t.Errorf("the message is not stored as a reply: %s", out)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
	file := b.dir + "/export.jsonl"
	b.mustRun("session", "export", mailThread, "--out", file)
	b.mustRun("verify", file)
}

// A late reply is merged before the next round. The limit is long enough for the first reply on a busy machine.
func TestLateReplyIsMerged(t *testing.T) {
	t.Parallel()
	b := newMailProject(t, "BlueLake", "RedSky")
	end := b.start(3, "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic",
		"--rounds", "1", "--quorum", "1", "--timeout", "15s", "--question", "Why?", "--thread-id", mailThread)
	blue, red := b.agents["BlueLake"], b.agents["RedSky"]
	late, _ := red.next("KICKOFF: ")
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("dust"))
	end()
	red.reply(late, delta(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Late","attack":"It is late."}}`))
	var done sync.WaitGroup
	done.Go(func() { b.wantExit(0, "session", "resume", mailThread, "--rounds", "2") }) // each agent took part in a round
	for _, a := range []*mcpAgent{blue, red} {
		id, body := a.next("KICKOFF: [round 2]")
		if !strings.Contains(body, "It is late.") {
			t.Errorf("%s does not see the late reply", a.name)
		}
		a.reply(id, "NO CHANGES: nothing new")
	}
	done.Wait()
	if out := b.mustRun("session", "show", mailThread, "--json"); strings.Count(out, "It is late.") != 1 {
		t.Errorf("%.600s", out)
	}
	b.mustRun("verify", mailThread)
}

// A thread started by another tool is followed and becomes a session.
func TestThreadFromAnotherTool(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	lead, blue, red := b.agents["Lead"], b.agents["BlueLake"], b.agents["RedSky"]
	if out := b.wantExit(2, "session", "status", mailThread); !strings.Contains(out, "no store yet") {
		t.Error(out)
	}
	ask := func(body string, to ...string) {
		lead.call("send_message", map[string]any{"sender_name": "Lead", "to": to, "subject": "KICKOFF: Why is it dark?", "body_md": body, "thread_id": mailThread})
	}
	ask("Say what you think.", "BlueLake", "RedSky")
	b.checkThread(mailThread, "awaiting_responses", nil, nil)
	id, _ := blue.next("KICKOFF: ")
	blue.call("reply_message", map[string]any{"sender_name": "BlueLake", "message_id": id, "body_md": hypothesis("dust")})
	b.checkThread(mailThread, "partially_complete", []string{"BlueLake"}, []string{"BlueLake"})
	if out := b.wantExit(2, "session", "compile", mailThread); !strings.Contains(out, "it has no roster") || !strings.Contains(out, "--to NAME --role ROLE") {
		t.Error(out)
	}
	if out := b.mustRun("session", "list"); strings.Contains(out, mailThread) {
		t.Error("a thread that cannot be merged left something: " + out)
	}
	who := []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic"}
	if out := b.mustRun(append([]string{"session", "compile", mailThread}, who...)...); !strings.Contains(out, "Why is it dark?") || !strings.Contains(out, "compiled from its mail thread") {
		t.Errorf("%.800s", out)
	}
	ask("Once more.", "BlueLake", "RedSky")
	red.next("KICKOFF: ")
	id, _ = red.next("KICKOFF: ")
	red.reply(id, delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"There is no dust."}}`))
	out := b.mustRun("session", "compile", mailThread, "--json")
	if !strings.Contains(out, `"version":3`) || !strings.Contains(out, `"letters":1`) {
		t.Errorf("%.800s", out)
	}
	if out := b.mustRun("store", "show", "reply/"+mailThread+"/RedSky"); !strings.Contains(out, "of RedSky, a letter: ") {
		t.Error(out)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
}

// A kickoff composed by brenner is sufficient to compile a thread.
func TestCompileThreadWithRoster(t *testing.T) {
	b := newMailProject(t, "BlueLake", "RedSky")
	body := b.mustRun("kickoff", "compose", "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic", "--question", "Why is it dark?", "--json")
	var k struct {
		Messages []struct{ Body string }
	}
	if err := json.Unmarshal([]byte(body), &k); err != nil {
		t.Fatal(err)
	}
	b.mustRun("mail", "send", "--to", "BlueLake,RedSky", "--subject", "KICKOFF: it", "--thread", mailThread, k.Messages[0].Body)
	for _, a := range b.agents {
		id, _ := a.next("KICKOFF: ")
		a.reply(id, hypothesis(a.name))
	}
	out := b.mustRun("session", "compile", mailThread)
	if !strings.Contains(out, "Question: Why is it dark?") || !strings.Contains(out, "adversarial_critic") {
		t.Errorf("%.800s", out)
	}
}

func TestMailServerUnreachable(t *testing.T) {
	dir := t.TempDir()
	b := &mailProject{t: t, dir: dir, env: []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=http://127.0.0.1:1"}}
	args := []string{"session", "start", "--via", "mail", "--preset", "default-3-agent", "--question", "Why?", "--thread-id", mailThread}
	if out := b.wantExit(75, args...); !strings.Contains(out, "brenner mail serve") {
		t.Error(out)
	}
	if out := b.wantExit(2, "session", "status", mailThread); !strings.Contains(out, "no store yet") {
		t.Error("written although no agent can be asked: " + out)
	}
	if out := b.wantExit(75, "session", "compile", mailThread); !strings.Contains(out, "127.0.0.1:1") {
		t.Error(out)
	}
	if out := b.wantExit(2, "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--serve-mail"); !strings.Contains(out, "has no effect") {
		t.Error(out)
	}
}

// One agent is asked by mail and one is scripted; both replies have the round's time.
func TestMixedRoster(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	script := filepath.Join(b.dir, "script.yaml")
	text := "schema: brenner.rehearsal/v1\nquestion: Why is it dark?\nagents:\n  - name: RedSky\n    rounds:\n      - reply: |\n" +
		strings.ReplaceAll("\n"+hypothesis("scripted"), "\n", "\n          ") + "\n"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		b.wantExit(0, "session", "start", "--script", script, "--via", "BlueLake=mail", "--rounds", "1", "--thread-id", mailThread,
			"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic")
	})
	blue := b.agents["BlueLake"]
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("mailed"))
	done.Wait()
	if _, body := blue.next("COMPILED: "); !strings.Contains(body, "It is scripted.") {
		t.Errorf("%.600s", body)
	}
	instants := make(map[string]bool)
	var blame struct {
		Origins []struct {
			At    string `json:"at"`
			Agent string `json:"agent"`
		} `json:"origins"`
	}
	for _, item := range []string{"H1", "H2"} {
		if err := json.Unmarshal([]byte(b.mustRun("blame", mailThread, item, "--json")), &blame); err != nil {
			t.Fatal(err)
		}
		instants[blame.Origins[0].At] = true
	}
	if len(instants) != 1 {
		t.Errorf("times of the replies: %v", instants)
	}
}

func TestMailboxesAreNotShared(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	for _, other := range []string{"bluelake", "Operator"} {
		out := b.wantExit(2, "session", "start", "--via", "mail", "--question", "Why?", "--thread-id", mailThread,
			"--to", "BlueLake", "--role", "hypothesis_generator", "--to", other, "--role", "adversarial_critic")
		if !strings.Contains(out, "would share the mailbox of") {
			t.Errorf("%s: %s", other, out)
		}
	}
	if out := b.mustRun("session", "list"); strings.Contains(out, mailThread) {
		t.Error(out)
	}
}

// An agent cannot start a round and so override others who answered the same question.
// The same reply sent twice counts once.
func TestAgentCannotStartRound(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	lead, blue, red := b.agents["Lead"], b.agents["BlueLake"], b.agents["RedSky"]
	ask := func() map[*mcpAgent]float64 {
		lead.call("send_message", map[string]any{"sender_name": "Lead", "to": []string{"BlueLake", "RedSky"}, "subject": "KICKOFF: Why?", "body_md": "Say.", "thread_id": mailThread})
		ids := make(map[*mcpAgent]float64)
		for _, a := range []*mcpAgent{blue, red} {
			ids[a], _ = a.next("KICKOFF: Why?")
		}
		return ids
	}
	claim := func(text string) string {
		return delta(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"` + text + `"}}`)
	}
	who := []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic", "--unified"}
	id := ask()
	blue.reply(id[blue], hypothesis("dust"))
	blue.reply(id[blue], hypothesis("dust"))
	if out := b.mustRun(append([]string{"session", "compile", mailThread}, who...)...); !strings.Contains(out, "kickoff of Lead") && strings.Contains(out, "H2") {
		t.Errorf("%.800s", out)
	}
	if out := b.mustRun("session", "show", mailThread); strings.Count(out, "It is dust.") != 1 {
		t.Errorf("%.800s", out)
	}
	id = ask()
	blue.reply(id[blue], claim("It is light."))
	red.call("send_message", map[string]any{"sender_name": "RedSky", "to": []string{"RedSky"}, "subject": "KICKOFF: haha", "body_md": "Mine.", "thread_id": mailThread})
	red.reply(id[red], claim("It is night."))
	if out := b.wantExit(5, "session", "compile", mailThread); !strings.Contains(out, "H1.claim") {
		t.Errorf("%.800s", out)
	}
}
