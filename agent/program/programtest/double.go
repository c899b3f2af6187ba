// Package programtest provides test doubles for agents that are programs: a program
// that behaves, or misbehaves in each way that was observed in real ones, and a
// model on loopback for the real ones.
//
// The double is the test binary itself, started again: TestMain must pass the
// arguments after DoubleMarker to DoubleMain, and those after SupervisorMarker to
// SupervisorMain.
package programtest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/agent/agenttest"
)

// DoubleMarker is the first argument of a double.
const DoubleMarker = "__program-double"

// Behaviours of a double.
const (
	Answers     = "answers"      // replies with the text of the question's round
	Fails       = "fails"        // fails as many times as the next argument, retryably, then replies
	Hangs       = "hangs"        // hangs forever
	HangsDeaf   = "hangs-deaf"   // hangs and ignores all signals but SIGKILL
	Silent      = "silent"       // exits with code 0 and no output
	OnStderr    = "on-stderr"    // writes its reply to stderr
	LeavesChild = "leaves-child" // leaves a child that ignores signals and holds its output open
	WrapperDies = "wrapper-dies" // exits before its child has answered
	OwnSession  = "own-session"  // hangs, with a child in its own session
	Escapes     = "escapes"      // replies, and leaves an orphaned grandchild in its own session
	Loops       = "loops"        // calls tools forever
	Floods      = "floods"       // floods stdout
	FloodsErr   = "floods-err"   // floods stderr
	ThenHangs   = "then-hangs"   // replies, then hangs
	NotLoggedIn = "not-logged-in"
	PrintsEnv   = "prints-env" // replies with its directory and environment
	LeaksKey    = "leaks-key"  // prints its key in an error
	Crashes     = "crashes"    // dies by a signal
	idles       = "idles"      // a child process
)

// Double is a test program.
type Double struct {
	dir  string
	form string
}

// NewDouble makes a double with the output format of a kind, and with these replies
// for the rounds.
func NewDouble(t testing.TB, kind string, texts ...string) *Double {
	t.Helper()
	d := &Double{dir: t.TempDir(), form: kind}
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(d.dir, strconv.Itoa(i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Command returns the double's command line.
func (d *Double) Command(t testing.TB, behaviour string, more ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{self, DoubleMarker, d.dir, d.form, behaviour}, more...)
}

// Asked returns how often the double was started.
func (d *Double) Asked() int {
	data, err := os.ReadFile(filepath.Join(d.dir, "asked"))
	if err != nil {
		return 0
	}
	return len(data)
}

// Count returns how often the double noted an event.
func (d *Double) Count(event string) int {
	data, err := os.ReadFile(filepath.Join(d.dir, event))
	if err != nil {
		return 0
	}
	return len(data)
}

// Processes returns the command lines of all running processes of this double.
func (d *Double) Processes(t testing.TB) []string {
	t.Helper()
	var left []string
	for _, line := range commandLines(t) {
		if strings.Contains(line, DoubleMarker) && strings.Contains(line, d.dir) {
			left = append(left, line)
		}
	}
	return left
}

func commandLines(t testing.TB) []string {
	t.Helper()
	var lines []string
	if all, err := filepath.Glob("/proc/[0-9]*/cmdline"); err == nil && len(all) > 0 {
		for _, path := range all {
			if data, err := os.ReadFile(path); err == nil {
				lines = append(lines, strings.ReplaceAll(string(data), "\x00", " "))
			}
		}
		return lines
	}
	out, err := exec.Command("ps", "-axo", "args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}

// DoubleMain is the double's main function; args are those after the marker.
func DoubleMain(args []string) int {
	p := &player{dir: args[0], form: args[1], args: args}
	behaviour := args[2]
	if behaviour == idles {
		p.note("child")
		deaf()
		forever()
	}
	p.note("asked")
	if behaviour == Crashes {
		_ = os.Stdout.Sync() // nothing was written
		return crash()
	}
	question, err := io.ReadAll(os.Stdin) // blocks until stdin is closed
	if err != nil {
		return 1
	}
	answer, err := os.ReadFile(filepath.Join(p.dir, strconv.Itoa(max(1, agenttest.RoundOf(string(question))))))
	if err != nil {
		answer = nil
	}
	p.answer = string(answer)
	return p.play(behaviour, string(question))
}

// player is a running double.
type player struct {
	dir, form, answer string
	args              []string
}

func (p *player) play(behaviour, question string) int {
	switch behaviour {
	case Answers:
		return p.reply(p.answer)
	case Fails:
		if times, _ := strconv.Atoi(p.args[3]); p.count("asked") <= times {
			return p.fail("unexpected status 500 Internal Server Error: please come back")
		}
		return p.reply(p.answer)
	case Silent:
		return 0
	case OnStderr:
		fmt.Fprintln(os.Stderr, p.answer)
		return 0
	case NotLoggedIn:
		if p.form == "gemini-cli" {
			fmt.Fprintln(os.Stderr, "Please set an Auth method")
			return 41
		}
		return p.fail("unexpected status 401 Unauthorized: no")
	case PrintsEnv:
		return p.reply(p.surroundings(question))
	case LeaksKey:
		fmt.Fprintln(os.Stderr, "\x1b[31merror\x1b[0m: the key", os.Getenv("SECRET_KEY"), "is wrong")
		return p.fail("the key " + os.Getenv("SECRET_KEY") + " is wrong")
	}
	return p.misbehave(behaviour)
}

// misbehave plays behaviours that never end or leave processes behind.
func (p *player) misbehave(behaviour string) int {
	switch behaviour {
	case Hangs:
		forever()
	case HangsDeaf:
		deaf()
		p.note("deaf")
		forever()
	case ThenHangs:
		p.reply(p.answer)
		p.note("answered")
		forever()
	case LeavesChild:
		p.child(false)
		return p.reply(p.answer)
	case WrapperDies:
		p.child(false)
		return 0
	case OwnSession:
		p.child(true)
		forever()
	case Escapes:
		p.grandchild()
		return p.reply(p.answer)
	case Loops:
		for n := 0; ; n++ {
			p.tool(n)
		}
	case Floods:
		return flood(os.Stdout)
	case FloodsErr:
		return flood(os.Stderr)
	}
	fmt.Fprintln(os.Stderr, "no such behaviour:", behaviour)
	return 64
}

func flood(to *os.File) int {
	line := []byte(strings.Repeat("all work and no play ", 3000) + "\n")
	for {
		if _, err := to.Write(line); err != nil {
			return 1
		}
	}
}

// note records an event as a byte in a file.
func (p *player) note(event string) {
	f, err := os.OpenFile(filepath.Join(p.dir, event), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // the test will notice
	}
	_, _ = f.WriteString(".")
	_ = f.Close()
}

func (p *player) count(event string) int {
	data, _ := os.ReadFile(filepath.Join(p.dir, event)) // missing means 0
	return len(data)
}

// surroundings returns the directory, environment, question and arguments, as JSON.
func (p *player) surroundings(question string) string {
	dir, _ := os.Getwd()
	here, _ := os.ReadDir(dir)
	data, _ := json.Marshal(map[string]any{ // cannot fail
		"dir": dir, "files": len(here), "env": os.Environ(), "question": question, "args": p.args[3:],
	})
	return string(data)
}

// child starts a child that ignores signals and never exits, and waits until it is ready.
func (p *player) child(own bool) {
	before := p.count("child")
	cmd := exec.Command(os.Args[0], DoubleMarker, p.dir, p.form, idles)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // held open by the child
	if own {
		inSession(cmd)
	}
	if cmd.Start() != nil {
		return // the test will notice
	}
	p.await("child", before+1)
}

// grandchild starts one through a shell that exits immediately.
func (p *player) grandchild() {
	before := p.count("child")
	cmd := exec.Command("/bin/sh", "-c", `"$@" & exit 0`, "sh", os.Args[0], DoubleMarker, p.dir, p.form, idles)
	cmd.Stdout = os.Stdout
	inSession(cmd)
	if cmd.Run() != nil {
		return // the test will notice
	}
	p.await("child", before+1)
}

func (p *player) await(event string, n int) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for p.count(event) < n {
		<-tick.C
	}
}

// deaf ignores all signals that can be ignored.
func deaf() { signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }

func forever() { time.Sleep(time.Hour) }

type object = map[string]any

func line(values ...object) {
	for _, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			continue // cannot happen
		}
		_, _ = os.Stdout.Write(append(data, '\n')) // a missing reader is noticed elsewhere
	}
}

// reply writes a reply in the format of the kind, with the noise of real programs.
func (p *player) reply(text string) int {
	switch p.form {
	case "codex-cli":
		line(object{"type": "thread.started", "thread_id": "01a1"},
			object{"type": "item.completed", "item": object{"id": "item_0", "type": "error", "message": "Model metadata not found."}},
			object{"type": "turn.started"},
			object{"type": "item.completed", "item": object{"id": "item_1", "type": "agent_message", "text": "I am thinking aloud."}},
			object{"type": "item.completed", "item": object{"id": "item_2", "type": "command_execution", "command": "ls", "exit_code": 0}},
			object{"type": "item.completed", "item": object{"id": "item_3", "type": "agent_message", "text": text}},
			object{"type": "turn.completed", "usage": object{"input_tokens": 4958, "cached_input_tokens": 4000, "output_tokens": 7}})
	case "gemini-cli":
		_, _ = io.WriteString(os.Stdout, "Loaded cached credentials.\n") // printed by a library
		line(object{"type": "init", "session_id": "s", "model": "double-gemini"},
			object{"type": "message", "role": "user", "content": "the question"},
			object{"type": "message", "role": "assistant", "content": "I am thinking aloud.", "delta": true},
			object{"type": "tool_use", "tool_name": "list_directory"}, object{"type": "tool_result", "status": "success"})
		for _, part := range halves(text) {
			line(object{"type": "message", "role": "assistant", "content": part, "delta": true})
		}
		line(object{"type": "result", "status": "success", "stats": object{"total_tokens": 4965, "input_tokens": 4958, "output_tokens": 7}})
	case "claude-code":
		line(object{"type": "system", "subtype": "init"},
			object{"type": "assistant", "message": object{"model": "double-claude", "content": []object{{"type": "text", "text": text}}}},
			object{
				"type": "result", "subtype": "success", "is_error": false, "result": text, "num_turns": 1,
				"usage": object{"input_tokens": 58, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 4000, "output_tokens": 7},
			})
	default:
		return p.replyOther(text)
	}
	return 0
}

// replyOther is reply for the programs that are described as data.
func (p *player) replyOther(text string) int {
	switch p.form {
	case "opencode":
		p.tool(0)
		for _, part := range halves(text) {
			line(object{"type": "text", "part": object{"text": part}})
		}
		line(object{"type": "step_finish", "part": object{"reason": "stop", "tokens": object{"input": 4958, "output": 7}}})
	case "qwen-code":
		line(object{"type": "result", "subtype": "success", "is_error": false, "result": text, "usage": object{"input_tokens": 4958, "output_tokens": 7}})
	case "cline":
		line(object{"type": "run_result", "finishReason": "completed", "aggregateUsage": object{"inputTokens": 4958, "outputTokens": 7}, "text": text})
	case "pi":
		line(object{"type": "message_end", "message": object{
			"role": "assistant", "content": []object{{"type": "text", "text": text}}, "stopReason": "stop", "usage": object{"input": 4958, "output": 7},
		}})
	case "aider":
		_, _ = io.WriteString(os.Stdout, "Aider v0.86.2\nRepo-map: disabled\n\n"+text+"\n\nTokens: 5.0k sent, 7 received.\n")
	case "llm":
		_, _ = io.WriteString(os.Stderr, "Token usage: 4,958 input, 7 output\n")
		_, _ = io.WriteString(os.Stdout, text+"\n")
	case "continue":
		_, _ = io.WriteString(os.Stdout, text+"\n")
	default:
		if _, err := io.WriteString(os.Stdout, text); err != nil {
			return 1
		}
	}
	return 0
}

// halves splits text in two, between characters.
func halves(text string) []string {
	runes := []rune(text)
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

// fail reports an error in the format of the kind.
func (p *player) fail(why string) int {
	switch p.form {
	case "codex-cli":
		line(object{"type": "thread.started", "thread_id": "01a1"}, object{"type": "turn.started"},
			object{"type": "error", "message": "Reconnecting... 1/1"},
			object{"type": "turn.failed", "error": object{"message": why}})
		return 1
	case "gemini-cli":
		line(object{"type": "init", "session_id": "s", "model": "double-gemini"},
			object{"type": "result", "status": "error", "error": object{"type": "unknown", "message": "[API Error: " + why + "]"}, "stats": object{"input_tokens": 0}})
		if strings.Contains(why, "500") {
			return 244 // the low byte of 500
		}
		return 1
	case "claude-code":
		line(object{"type": "result", "subtype": "success", "is_error": true, "result": "API Error: " + why})
		return 1
	}
	switch p.form {
	case "opencode":
		line(object{"type": "error", "error": object{"name": "APIError", "data": object{"message": why}}})
		return 1
	case "qwen-code":
		line(object{"type": "result", "subtype": "error_during_execution", "is_error": true, "error": object{"message": "[API Error: " + why + "]"}})
		return 1
	case "pi":
		line(object{"type": "message_end", "message": object{"role": "assistant", "stopReason": "error", "errorMessage": why}})
		return 0
	case "aider":
		_, _ = io.WriteString(os.Stdout, "Aider v0.86.2\nRepo-map: disabled\n\n"+why+"\n")
		return 0
	}
	_, _ = io.WriteString(os.Stderr, why+"\n")
	if len(p.args) > 2 && p.args[2] == Fails {
		return 75
	}
	return 1
}

// tool reports another turn with a tool.
func (p *player) tool(n int) {
	switch p.form {
	case "codex-cli":
		line(object{"type": "item.completed", "item": object{"id": n, "type": "command_execution", "command": "ls"}})
	case "gemini-cli":
		line(object{"type": "tool_use", "tool_name": "list_directory"}, object{"type": "tool_result", "status": "success"})
	case "claude-code", "qwen-code":
		line(object{"type": "assistant", "message": object{"content": []object{{"type": "tool_use", "name": "Bash"}}}})
	case "opencode":
		line(object{"type": "text", "part": object{"text": "I am thinking aloud."}}, object{"type": "tool_use", "part": object{"tool": "read"}})
	case "cline":
		line(object{"type": "agent_event", "event": object{"type": "content_start", "contentType": "tool"}})
	case "pi":
		line(object{"type": "message_end", "message": object{"role": "assistant", "stopReason": "toolUse"}})
	}
}
