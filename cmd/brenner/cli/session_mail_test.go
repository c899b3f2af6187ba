package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/mail"
)

// bureau is a project with a mail server and agents that have joined.
type bureau struct {
	t      *testing.T
	dir    string
	env    []string
	base   string
	agents map[string]*mcpAgent
}

func openBureau(t *testing.T, names ...string) *bureau {
	t.Helper()
	b := &bureau{t: t, dir: t.TempDir(), env: []string{"HOME=" + t.TempDir()}, agents: make(map[string]*mcpAgent)}
	b.base = serving(t, b.env, b.dir)
	b.env = append(b.env, mail.EnvBaseURL+"="+b.base)
	for _, name := range names {
		token := strings.TrimSpace(b.says("mail", "token", name))
		b.agents[name] = joinAs(t, b.base, b.dir, name, token)
	}
	return b
}

func (b *bureau) says(args ...string) string {
	b.t.Helper()
	return says(b.t, b.env, append(args, "-C", b.dir)...)
}

// exits runs a command, and wants it to end with a code; it gives what it printed.
func (b *bureau) exits(want int, args ...string) string {
	b.t.Helper()
	var out bytes.Buffer
	code, errs := brenner(b.t.Context(), b.env, &out, append(args, "-C", b.dir)...)
	if code != want {
		b.t.Errorf("%v: exit %d, not %d: %.600s%.600s", args, code, want, out.String(), errs)
	}
	return out.String() + errs
}

// start begins a session, and gives what waits for its end.
func (b *bureau) start(want int, args ...string) (end func() string) {
	b.t.Helper()
	var done sync.WaitGroup
	var out bytes.Buffer
	done.Go(func() {
		code, errs := brenner(b.t.Context(), b.env, &out, append([]string{"session", "start", "-C", b.dir, "--via", "mail"}, args...)...)
		if code != want {
			b.t.Errorf("session start: exit %d, not %d: %.600s%.600s", code, want, out.String(), errs)
		}
	})
	b.t.Cleanup(done.Wait)
	return func() string {
		done.Wait()
		return out.String()
	}
}

// threadStatus is what `session status --json` says of a thread.
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

func (b *bureau) status(thread string) threadStatus {
	b.t.Helper()
	var s threadStatus
	if err := json.Unmarshal([]byte(b.says("session", "status", thread, "--json")), &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// stands wants a phase, and these agents to have acknowledged and answered.
func (b *bureau) stands(thread, phase string, acked, answered []string) {
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
		b.t.Errorf("the thread is %+v, not %s, %v, %v", s.Mail, phase, acked, answered)
	}
}

const trial = "RS-20260101-by-mail"

func TestThreeAgentsByMail(t *testing.T) {
	b := openBureau(t, "BlueLake", "PurpleMountain", "GreenValley")
	end := b.start(0, "--preset", "default-3-agent", "--rounds", "1", "--question", "How do cells know where they are?", "--thread-id", trial)
	blue, purple, green := b.agents["BlueLake"], b.agents["PurpleMountain"], b.agents["GreenValley"]
	kickoffs := make(map[*mcpAgent]float64)
	for _, a := range []*mcpAgent{blue, purple, green} {
		id, body := a.next("KICKOFF: ")
		if kickoffs[a] = id; !strings.Contains(body, "**Recipient**: "+a.name) {
			t.Errorf("%s got %.200s", a.name, body)
		}
	}
	b.stands(trial, "awaiting_responses", nil, nil)
	blue.acknowledge(kickoffs[blue])
	b.stands(trial, "awaiting_responses", []string{"BlueLake"}, nil)
	blue.reply(kickoffs[blue], hypothesis("a gradient"))
	purple.acknowledge(kickoffs[purple])
	b.stands(trial, "partially_complete", []string{"BlueLake", "PurpleMountain"}, []string{"BlueLake"})
	purple.reply(kickoffs[purple], "Nothing yet.")
	green.reply(kickoffs[green], delta(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Noise","attack":"It is too noisy."}}`))
	if out := end(); !strings.Contains(out, "done, round 1 of 1, version 2") {
		t.Errorf("%.600s", out)
	}
	b.stands(trial, "compiled", []string{"BlueLake", "GreenValley", "PurpleMountain"}, []string{"BlueLake", "GreenValley", "PurpleMountain"})
	if _, body := purple.next("COMPILED: v2"); !strings.Contains(body, "> - H1: a gradient") || strings.Contains(body, "\nversion: 2") {
		t.Errorf("an agent is sent its view, and not %.400s", body)
	}
	if got := b.says("mail", "inbox"); strings.Count(got, "COMPILED: v2") != 1 {
		t.Errorf("people read all of it in %s", got)
	}
	b.criticised(green)
}

// criticised is what happens after a session was published.
func (b *bureau) criticised(critic *mcpAgent) {
	t := b.t
	t.Helper()
	critic.write(trial, "CRITIQUE: H1", delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"A factor of 30."}}`))
	b.stands(trial, "in_critique", []string{"BlueLake", "GreenValley", "PurpleMountain"}, []string{"BlueLake", "GreenValley", "PurpleMountain"})
	if out := b.says("session", "compile", trial); !strings.Contains(out, "mail thread") {
		t.Errorf("%.800s", out)
	}
	if out := b.exits(2, "session", "compile", trial); !strings.Contains(out, "has no unmerged messages from its agents") {
		t.Errorf("what was merged is merged again: %.400s", out)
	}
	for range 2 {
		if out := b.says("session", "publish", trial); !strings.Contains(out, "COMPILED: v3") {
			t.Error(out)
		}
	}
	if got := b.says("mail", "inbox"); strings.Count(got, "COMPILED: v3") != 1 {
		t.Error(got)
	}
	if out := b.says("blame", trial, "H1"); !strings.Contains(out, "GreenValley, in message ") {
		t.Error(out)
	}
	if out := b.says("trace", "find", "A factor of 30."); !strings.Contains(out, "Message  message ") {
		t.Error(out)
	}
	if out := b.says("store", "lineage", trial+"@v3"); !strings.Contains(out, "derives_from reply/"+trial+"/GreenValley@v2") ||
		!strings.Contains(out, "replies_to kickoff/"+trial+"/GreenValley@v1") {
		t.Errorf("the letter is a reply like any other: %s", out)
	}
	b.says("verify", trial)
	b.says("session", "replay", trial)
	file := b.dir + "/export.jsonl"
	b.says("session", "export", trial, "--out", file)
	b.says("verify", file)
}

// Who comes too late for a round is heard before the next one.
func TestALateAnswerCounts(t *testing.T) {
	b := openBureau(t, "BlueLake", "RedSky")
	end := b.start(3, "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic",
		"--rounds", "1", "--quorum", "1", "--timeout", "900ms", "--question", "Why?", "--thread-id", trial)
	blue, red := b.agents["BlueLake"], b.agents["RedSky"]
	late, _ := red.next("KICKOFF: ")
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("dust"))
	end()
	red.reply(late, delta(`{"operation":"ADD","section":"adversarial_critique","payload":{"name":"Late","attack":"It is late."}}`))
	var done sync.WaitGroup
	done.Go(func() { b.exits(3, "session", "resume", trial, "--rounds", "2") }) // round 1 lacks an answer, and always will
	for _, a := range []*mcpAgent{blue, red} {
		id, body := a.next("KICKOFF: [round 2]")
		if !strings.Contains(body, "It is late.") {
			t.Errorf("%s does not see what came late", a.name)
		}
		a.reply(id, "Nothing new.")
	}
	done.Wait()
	if out := b.says("session", "show", trial, "--json"); strings.Count(out, "It is late.") != 1 {
		t.Errorf("%.600s", out)
	}
	b.says("verify", trial)
}

// A thread of another tool is followed, and becomes a session.
func TestAThreadOfAnotherTool(t *testing.T) {
	b := openBureau(t, "Lead", "BlueLake", "RedSky")
	lead, blue, red := b.agents["Lead"], b.agents["BlueLake"], b.agents["RedSky"]
	if out := b.exits(2, "session", "status", trial); !strings.Contains(out, "no store yet") {
		t.Error(out)
	}
	ask := func(body string, to ...string) {
		lead.call("send_message", map[string]any{"sender_name": "Lead", "to": to, "subject": "KICKOFF: Why is it dark?", "body_md": body, "thread_id": trial})
	}
	ask("Say what you think.", "BlueLake", "RedSky")
	b.stands(trial, "awaiting_responses", nil, nil)
	id, _ := blue.next("KICKOFF: ")
	blue.call("reply_message", map[string]any{"sender_name": "BlueLake", "message_id": id, "body_md": hypothesis("dust")})
	b.stands(trial, "partially_complete", []string{"BlueLake"}, []string{"BlueLake"})
	if out := b.exits(2, "session", "compile", trial); !strings.Contains(out, "it has no roster") || !strings.Contains(out, "--to NAME --role ROLE") {
		t.Error(out)
	}
	if out := b.says("session", "list"); strings.Contains(out, trial) {
		t.Error("a thread that cannot be merged leaves nothing behind: " + out)
	}
	who := []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic"}
	if out := b.says(append([]string{"session", "compile", trial}, who...)...); !strings.Contains(out, "Why is it dark?") || !strings.Contains(out, "compiled from its mail thread") {
		t.Errorf("%.800s", out)
	}
	ask("Once more.", "BlueLake", "RedSky")
	red.next("KICKOFF: ")
	id, _ = red.next("KICKOFF: ")
	red.reply(id, delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"There is no dust."}}`))
	out := b.says("session", "compile", trial, "--json")
	if !strings.Contains(out, `"version":3`) || !strings.Contains(out, `"letters":1`) {
		t.Errorf("%.800s", out)
	}
	if out := b.says("store", "show", "reply/"+trial+"/RedSky"); !strings.Contains(out, "of RedSky, a letter: ") {
		t.Error(out)
	}
	b.says("verify", trial)
	b.says("session", "replay", trial)
}

// A kickoff of ours says everything that is needed.
func TestAThreadWithARoster(t *testing.T) {
	b := openBureau(t, "BlueLake", "RedSky")
	body := b.says("kickoff", "compose", "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic", "--question", "Why is it dark?", "--json")
	var k struct {
		Messages []struct{ Body string }
	}
	if err := json.Unmarshal([]byte(body), &k); err != nil {
		t.Fatal(err)
	}
	b.says("mail", "send", "--to", "BlueLake,RedSky", "--subject", "KICKOFF: it", "--thread", trial, k.Messages[0].Body)
	for _, a := range b.agents {
		id, _ := a.next("KICKOFF: ")
		a.reply(id, hypothesis(a.name))
	}
	out := b.says("session", "compile", trial)
	if !strings.Contains(out, "Question: Why is it dark?") || !strings.Contains(out, "adversarial_critic") {
		t.Errorf("%.800s", out)
	}
}

func TestMailThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	b := &bureau{t: t, dir: dir, env: []string{"HOME=" + t.TempDir(), mail.EnvBaseURL + "=http://127.0.0.1:1"}}
	args := []string{"session", "start", "--via", "mail", "--preset", "default-3-agent", "--question", "Why?", "--thread-id", trial}
	if out := b.exits(75, args...); !strings.Contains(out, "brenner mail serve") {
		t.Error(out)
	}
	if out := b.exits(2, "session", "status", trial); !strings.Contains(out, "no store yet") {
		t.Error("nothing is written where nobody can be asked: " + out)
	}
	if out := b.exits(75, "session", "compile", trial); !strings.Contains(out, "127.0.0.1:1") {
		t.Error(out)
	}
	if out := b.exits(2, "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--serve-mail"); !strings.Contains(out, "has no effect") {
		t.Error(out)
	}
}

// One agent is asked by mail and one is scripted; both answers have the round's
// instant.
func TestAMixedRoster(t *testing.T) {
	b := openBureau(t, "BlueLake")
	script := filepath.Join(b.dir, "script.yaml")
	text := "schema: brenner.rehearsal/v1\nquestion: Why is it dark?\nagents:\n  - name: RedSky\n    rounds:\n      - reply: |\n" +
		strings.ReplaceAll("\n"+hypothesis("scripted"), "\n", "\n          ") + "\n"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		b.exits(0, "session", "start", "--script", script, "--via", "BlueLake=mail", "--rounds", "1", "--thread-id", trial,
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
		if err := json.Unmarshal([]byte(b.says("blame", trial, item, "--json")), &blame); err != nil {
			t.Fatal(err)
		}
		instants[blame.Origins[0].At] = true
	}
	if len(instants) != 1 {
		t.Errorf("the answers have the instants %v", instants)
	}
}

func TestNobodySharesAMailbox(t *testing.T) {
	b := openBureau(t, "BlueLake")
	for _, other := range []string{"bluelake", "Operator"} {
		out := b.exits(2, "session", "start", "--via", "mail", "--question", "Why?", "--thread-id", trial,
			"--to", "BlueLake", "--role", "hypothesis_generator", "--to", other, "--role", "adversarial_critic")
		if !strings.Contains(out, "would share the mailbox of") {
			t.Errorf("%s: %s", other, out)
		}
	}
	if out := b.says("session", "list"); strings.Contains(out, trial) {
		t.Error(out)
	}
}

// Who was asked cannot begin a round of its own, and so win where others answered
// the same question; and who says the same twice has said it once.
func TestAnAgentCannotBeginARound(t *testing.T) {
	b := openBureau(t, "Lead", "BlueLake", "RedSky")
	lead, blue, red := b.agents["Lead"], b.agents["BlueLake"], b.agents["RedSky"]
	ask := func() map[*mcpAgent]float64 {
		lead.call("send_message", map[string]any{"sender_name": "Lead", "to": []string{"BlueLake", "RedSky"}, "subject": "KICKOFF: Why?", "body_md": "Say.", "thread_id": trial})
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
	if out := b.says(append([]string{"session", "compile", trial}, who...)...); !strings.Contains(out, "kickoff of Lead") && strings.Contains(out, "H2") {
		t.Errorf("%.800s", out)
	}
	if out := b.says("session", "show", trial); strings.Count(out, "It is dust.") != 1 {
		t.Errorf("%.800s", out)
	}
	id = ask()
	blue.reply(id[blue], claim("It is light."))
	red.call("send_message", map[string]any{"sender_name": "RedSky", "to": []string{"RedSky"}, "subject": "KICKOFF: haha", "body_md": "Mine.", "thread_id": trial})
	red.reply(id[red], claim("It is night."))
	if out := b.exits(5, "session", "compile", trial); !strings.Contains(out, "H1.claim") {
		t.Errorf("%.800s", out)
	}
}
