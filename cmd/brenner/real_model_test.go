//go:build realmodel

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/agent/openai/openaitest"
)

// modelContext is the context size of the small model's server, in tokens.
const modelContext = 4096

// realAgent is the agent whose model is real.
const realAgent = "BlueLake"

// TestRealModel runs sessions in which a small model behind llama.cpp's server has one role. Two others only say that
// they have no changes: so each role has the scopes that it has in a team, and no other agent interferes. The model's replies
// are not judged, only what becomes of them.
func TestRealModel(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "brenner")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	idle := openaitest.New(t, func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "NO CHANGES: nothing to add to what is there"}
	})
	hypotheses := []string{"Light", "Warmth", "Food", "Owls", "Cats", "Habit"}
	for _, c := range []realSession{
		{role: "hypothesis_generator", structured: "fences", rounds: 1, hypotheses: hypotheses[:2]},
		{role: "hypothesis_generator", structured: "schema", rounds: 1, hypotheses: hypotheses}, // no room for more
		{role: "test_designer", structured: "schema", rounds: 1, hypotheses: hypotheses[:3]},
		{role: "adversarial_critic", structured: "schema", rounds: 1, hypotheses: hypotheses[:2]},
	} {
		t.Run(c.structured+"/"+c.role, func(t *testing.T) {
			t.Parallel()
			c.T, c.bin, c.dir = t, bin, t.TempDir()
			c.configure(startModel(t), idle.BaseURL())
			c.check()
		})
	}
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		c := realSession{T: t, bin: bin, dir: t.TempDir(), role: "test_designer", structured: "fences", rounds: 1}
		c.configure(startModel(t), idle.BaseURL())
		c.checkTooLong()
	})
}

// startModel starts a server and returns its address.
func startModel(t *testing.T) string {
	t.Helper()
	place := os.Getenv("BRENNER_REAL_MODEL")
	if place == "" {
		t.Fatal("BRENNER_REAL_MODEL must be the directory in which scripts/real-model.sh installed the model")
	}
	server := exec.Command(filepath.Join(place, "bin", "python"), filepath.Join("..", "..", "scripts", "real-model", "serve.py"), fmt.Sprint(modelContext))
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = log
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = server.Wait()
		_ = log.Close()
		if said, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the server's log:\n%s", said)
		}
	})
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server did not start: %v", err)
		}
		if strings.HasPrefix(line, "http://") {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return strings.TrimSpace(line)
		}
	}
}

// realSession is a session of one agent with the small model.
type realSession struct {
	*testing.T
	bin, dir, address, role, structured string
	rounds                              int
	hypotheses                          []string
}

// The session's id and its tape. All sessions have the same id, so that their prompts differ less.
const (
	realThread = "RS-20261115-mice"
	realTape   = "session.tape"
)

func (c *realSession) configure(address, idle string) {
	c.Helper()
	c.address = address
	settings := "question: Why do mice sleep by day?\nroster:\n  entries:\n"
	names := []string{"GreenValley", "RedSky"}
	for _, role := range []string{"hypothesis_generator", "test_designer", "adversarial_critic"} {
		name, model := realAgent, "Small"
		if role != c.role {
			name, names, model = names[0], names[1:], "Idle"
		}
		settings += fmt.Sprintf("    - {agentName: %s, role: %s, model: %s}\n", name, role, model)
	}
	settings += fmt.Sprintf(`agents:
  models:
    - {model: Small, via: openai, id: SmolLM2, base_url: '%s/v1', structured: %s, temperature: 1.2, seed: 7}
    - {model: Idle, via: openai, id: idle, base_url: '%s'}
session: {repair: %t}
stop: {quiet_rounds: 0}
budget: {reply_tokens: 512}
`, address, c.structured, idle, c.structured == "fences")
	c.write("brenner.yaml", settings)
}

// run runs a command, decodes the JSON that it prints, and returns its exit code.
func (c *realSession) run(into any, args ...string) int {
	c.Helper()
	command := exec.Command(c.bin, args...)
	command.Dir, command.Env = c.dir, []string{"HOME=" + c.dir, "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		c.Fatal(err)
	}
	if raw, ok := into.(*string); ok {
		*raw = string(out)
	} else if err := json.Unmarshal(out, into); err != nil {
		c.Fatalf("brenner %s: %v\n%s\n%s", strings.Join(args, " "), err, out, said.String())
	}
	return command.ProcessState.ExitCode()
}

// start runs the session.
func (c *realSession) start(more ...string) (s sessionResult, exit int) {
	c.Helper()
	args := []string{"session", "start", "--timeout", "15m", "--rounds", fmt.Sprint(c.rounds), "--thread-id", realThread, "--record-tape", realTape, "--json"}
	for _, h := range c.hypotheses {
		args = append(args, "--hypotheses", h)
	}
	exit = c.run(&s, append(args, more...)...)
	return s, exit
}

// sessionResult is what `session start --json` prints.
type sessionResult struct {
	Phase, Reason, Verdict string
	Spent                  int `json:"tokens_spent"`
	Agents                 []agentResult
	Rejected               []refusalResult
}

type refusalResult struct{ Code, Message string }

// copied reports whether the model copied the example of its kickoff, as small ones do. A kickoff with a schema has none.
func (r refusalResult) copied() bool {
	return r.Code == "AMBIGUOUS_DELTA" && strings.Contains(r.Message, "the example of the kickoff")
}

type agentResult struct {
	Name     string
	Outcomes []outcomeResult
}

type outcomeResult struct {
	Outcome           string
	Applied, Rejected int
	Cut               bool
}

// callResult is what `trace show --json` prints.
type callResult struct {
	Call struct {
		Call, Agent, Status, Code, Outcome string
		Model                              string `json:"model_observed"`
		Round, Attempts                    int
		Input                              int `json:"input_tokens"`
		Output                             int `json:"output_tokens"`
		Guessed, Cut                       bool
		Kickoff                            string
		Context                            int `json:"context_tokens"`
	}
	In struct {
		Items   []string `json:"items_shown"`
		LeftOut []string `json:"left_out"`
	}
	Out struct {
		Taken, Refused int
		Shown          int `json:"only_shown"`
		Problems       []refusalResult
	}
	Deltas []json.RawMessage
}

// checkResult is what `delta check --json` prints.
type checkResult struct {
	Blocks []struct {
		OK    bool
		Delta struct {
			Operation, Section string
			Target             *string `json:"target_id"`
		}
		Flags, Changes []string
		Problems       []refusalResult
	}
}

// check runs a session and checks it.
func (c *realSession) check() {
	s, exit := c.start()
	if s.Phase != "ended" || s.Reason != "rounds" || len(s.Agents) != 3 {
		c.Fatalf("the session did not end after its rounds: %+v", s)
	}
	useful, verdict := 3, "partial"
	outcomes := s.Agents[slices.IndexFunc(s.Agents, func(a agentResult) bool { return a.Name == realAgent })].Outcomes
	for i := range outcomes {
		if outcomes[i].Outcome == "contributed" || outcomes[i].Outcome == "no_changes" {
			useful, verdict = 0, "complete"
		}
	}
	if exit != useful || s.Verdict != verdict {
		c.Errorf("exit %d and verdict %s after %+v", exit, s.Verdict, outcomes)
	}
	served := c.served()
	sums := make([]callResult, c.rounds)
	spent := 0
	for _, call := range c.calls() {
		spent += call.Call.Input + call.Call.Output
		if call.Call.Agent != realAgent {
			continue
		}
		c.checkCall(&call, served[call.Call.Call])
		sum := &sums[call.Call.Round-1]
		sum.Out.Taken += call.Out.Taken
		sum.Out.Refused += call.Out.Refused
		sum.Call.Cut = sum.Call.Cut || call.Call.Cut
	}
	if spent != s.Spent {
		c.Errorf("%d tokens spent, but the calls have %d", s.Spent, spent)
	}
	for i := range sums {
		if !outcomes[i].follows(&sums[i]) {
			c.Errorf("round %d: %+v does not follow from its replies: %+v", i+1, outcomes[i], sums[i].Out)
		}
	}
	if c.structured == "schema" && len(s.Rejected) > 0 {
		c.Errorf("rejected in spite of the schema: %+v", s.Rejected)
	}
	var proof string
	if c.run(&proof, "verify") != 0 || c.run(&proof, "session", "replay", realThread) != 0 {
		c.Errorf("the session cannot be proved:\n%s", proof)
	}
	if c.structured == "schema" {
		c.checkVariants(served[realThread+"/r1.1/"+realAgent+"/ask"].schema)
	}
}

// follows reports whether an outcome is what docs/sessions.md says of such replies.
func (o *outcomeResult) follows(replies *callResult) bool {
	taken, refused := replies.Out.Taken, replies.Out.Refused
	switch o.Outcome {
	case "contributed":
		return taken > 0 && o.Applied > 0
	case "refused":
		return taken+refused > 0 && o.Applied == 0
	case "unreadable":
		return taken == 0 && refused > 0
	case "cut":
		return taken == 0 && replies.Call.Cut
	case "no_changes", "prose_only":
		return taken+refused == 0
	}
	return false
}

// checkCall compares a call with what the server sent and with what the reader says about the stored reply.
func (c *realSession) checkCall(call *callResult, served *servedReply) {
	c.Helper()
	about := &call.Call
	if served == nil || about.Status != "answered" || about.Attempts != 1 || about.Model != "SmolLM2" {
		c.Fatalf("%s was not answered at once: %+v", about.Call, about)
	}
	c.Logf("%s: %s, %d tokens in and %d out; %d blocks taken, %d refused; %.0f tokens/s read, %.1f written", about.Call, about.Outcome,
		about.Input, about.Output, call.Out.Taken, call.Out.Refused, served.Timings.Read, served.Timings.Written)
	if about.Guessed || about.Input != served.Usage.Input || about.Output != served.Usage.Output {
		c.Errorf("%s: the server counts %+v tokens, the journal has %+v", about.Call, served.Usage, about)
	}
	if about.Kickoff != "short" || about.Context != modelContext {
		c.Errorf("%s: the kickoff is not short, or the context size not the server's: %+v", about.Call, about)
	}
	if about.Cut != (served.finish == "length") {
		c.Errorf("%s: cut is %t, but the server's reason is %s", about.Call, about.Cut, served.finish)
	}
	if (served.schema != nil) != (c.structured == "schema") {
		c.Errorf("%s: asked with the schema %s", about.Call, served.schema)
	}
	var reply string
	c.run(&reply, "trace", "show", about.Call, "--reply")
	if c.structured == "fences" && reply != served.text {
		c.Errorf("%s: the stored reply is %q, the server sent %q", about.Call, reply, served.text)
	}
	c.write("reply.md", reply)
	var read checkResult
	c.run(&read, "delta", "check", "--reply", "reply.md", "--json")
	taken := 0
	for i := range read.Blocks {
		if read.Blocks[i].OK {
			taken++
		}
	}
	for _, p := range call.Out.Problems { // delta check does not know the kickoff
		if p.copied() {
			taken--
		}
	}
	if taken != call.Out.Taken || len(read.Blocks) != call.Out.Taken+call.Out.Refused+call.Out.Shown {
		c.Errorf("%s: of %d blocks %d can be taken, but the summary has %+v\n%s", about.Call, len(read.Blocks), taken, call.Out, reply)
	}
	if c.structured == "schema" {
		c.checkStructured(call, &read, served, reply)
	}
}

// checkStructured checks that the schema left nothing to refuse, repair or reject.
func (c *realSession) checkStructured(call *callResult, read *checkResult, served *servedReply, reply string) {
	c.Helper()
	var sent struct{ Deltas []json.RawMessage }
	if served.finish == "stop" && (json.Unmarshal([]byte(served.text), &sent) != nil || len(sent.Deltas) != len(call.Deltas)) {
		c.Errorf("%s: %d deltas were read of %s", call.Call.Call, len(call.Deltas), served.text)
	}
	for _, b := range read.Blocks {
		c.Logf("%s in %s", b.Delta.Operation, b.Delta.Section)
		unknown := b.Delta.Target != nil && !slices.Contains(call.In.Items, *b.Delta.Target)
		if !b.OK || len(b.Flags)+len(b.Changes)+len(b.Problems) > 0 || unknown || (b.Delta.Operation == "ADD") != (b.Delta.Target == nil) {
			c.Errorf("%s: %+v\n%s", call.Call.Call, b, reply)
		}
	}
}

// calls returns the session's calls.
func (c *realSession) calls() []callResult {
	c.Helper()
	var list struct{ Calls []struct{ Call string } }
	c.run(&list, "trace", "list", realThread, "--json")
	all := make([]callResult, len(list.Calls))
	for i, one := range list.Calls {
		c.run(&all[i], "trace", "show", one.Call, "--json")
	}
	return all
}

// servedReply is a reply as the server sent it.
type servedReply struct {
	text, finish string
	schema       json.RawMessage // that it was held to
	Usage        struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	}
	Timings struct { // tokens per second
		Read    float64 `json:"prompt_per_second"`
		Written float64 `json:"predicted_per_second"`
	}
}

// served reads the session's tape and returns the server's replies by call.
func (c *realSession) served() map[string]*servedReply {
	c.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, realTape))
	if err != nil {
		c.Fatal(err)
	}
	replies := map[string]*servedReply{}
	for line := range strings.Lines(string(data)) {
		var taped struct {
			Entry struct {
				Call     string
				Request  struct{ Body json.RawMessage }
				Response struct{ Body []string }
			}
		}
		if err := json.Unmarshal([]byte(line), &taped); err != nil {
			c.Fatalf("%v\n%s", err, line)
		}
		var request struct {
			Format struct {
				Schema struct{ Schema json.RawMessage } `json:"json_schema"`
			} `json:"response_format"`
		}
		_ = json.Unmarshal(taped.Entry.Request.Body, &request) // requests that belong to no call have no body
		reply := &servedReply{schema: request.Format.Schema.Schema}
		for event := range strings.Lines(strings.Join(taped.Entry.Response.Body, "")) {
			reply.add(c.T, event)
		}
		replies[taped.Entry.Call] = reply
	}
	return replies
}

// add adds an event of a stream.
func (r *servedReply) add(t *testing.T, event string) {
	t.Helper()
	event, found := strings.CutPrefix(strings.TrimSpace(event), "data: ")
	if !found || event == "[DONE]" {
		return
	}
	var chunk struct {
		Choices []struct {
			Delta  struct{ Content string }
			Finish string `json:"finish_reason"`
		}
		*servedReply
	}
	chunk.servedReply = r
	if err := json.Unmarshal([]byte(event), &chunk); err != nil {
		t.Fatalf("%v\n%s", err, event)
	}
	for _, choice := range chunk.Choices {
		r.text += choice.Delta.Content
		r.finish += choice.Finish
	}
}

// checkTooLong starts sessions whose first message would be larger than the model's context: a question that
// cannot be shortened is refused before anything is sent, a context is shown in part.
func (c *realSession) checkTooLong() {
	long := strings.Repeat("Mice sleep by day. ", modelContext/4)
	c.write("long.txt", long)
	var said string
	if exit := c.run(&said, "session", "start", "--thread-id", realThread, "--question", "@long.txt", "--json"); exit != 2 || !strings.Contains(said, `"CONTEXT_TOO_LARGE"`) {
		c.Errorf("a question that is too long: exit %d\n%s", exit, said)
	}
	if c.run(&said, "session", "show", realThread); said != "" {
		c.Errorf("the refused session is stored:\n%s", said)
	}
	if s, _ := c.start("--context", "@long.txt"); s.Phase != "ended" {
		c.Errorf("the session did not end: %+v", s)
	}
	for _, call := range c.calls() {
		about := &call.Call
		if about.Agent != realAgent {
			continue
		}
		if about.Status != "answered" || about.Input+about.Output > modelContext || len(call.In.LeftOut) == 0 {
			c.Errorf("a context that is too long: %+v, left out %q", about, call.In.LeftOut)
		}
	}
}
