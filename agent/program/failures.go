package program

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"brenner/agent"
	"brenner/agent/program/supervisor"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// The codes of programs that did not answer, beside those of all agents.
const (
	Missing   fault.Code = "PROGRAM_MISSING"   // The program is not installed, or cannot be run.
	Failed    fault.Code = "PROGRAM_FAILED"    // The program exited with an unrecognised error.
	NoAnswer  fault.Code = "PROGRAM_NO_ANSWER" // The program exited normally without a final message.
	OnStderr  fault.Code = "ANSWER_ON_STDERR"  // The program wrote to standard error only; that output is kept as evidence.
	TurnLimit fault.Code = "TURN_LIMIT"        // The program took more turns than allowed.
	Lost      fault.Code = "PROGRAM_LOST"      // The program's supervisor could not report its result.
	BadSpool  fault.Code = "SPOOL_UNUSABLE"    // The directory for program runs cannot be used or is full; output was not kept.
)

func (p *Program) missing() *agent.Failure {
	argv, _ := p.argv()
	return &agent.Failure{Code: Missing, Detail: "the program " + fault.Shown(argv[0]) + " is not there", Hint: p.kind.install}
}

func unusable(err error) *agent.Failure {
	return &agent.Failure{
		Code: BadSpool, Detail: "the run of a program cannot be written down",
		Hint: "look at the space and the permissions of the folders for runs and for temporary files", Cause: err,
	}
}

// answer gives the reply, where there is one: the program's end was good, and it
// says itself that the answer is whole. One that had said so and did not end by
// itself has answered, too.
func (x *execution) answer(s said) (agent.Reply, bool) {
	good := x.status.End == supervisor.ByItself && x.status.Exit == 0 ||
		x.kind.tells && x.status.End != supervisor.ByItself && x.status.End != supervisor.Flood
	if x.status.Failure != "" || x.status.Spool != "" || !good || !s.final || strings.TrimSpace(s.text) == "" || x.truncated(s) {
		return agent.Reply{}, false
	}
	reply := agent.Reply{Text: x.hide.answer(s.text), Model: s.model, Usage: x.usage(s), Attempts: 1}
	if reply.Model == "" {
		reply.Model = x.Model
	}
	return reply, true
}

// truncated tells whether the model has seen less than half of the question.
func (x *execution) truncated(s said) bool {
	return !x.guessing && s.usage != nil && s.usage.Input > 0 && 2*s.usage.Input < x.Count(x.text)
}

// judge says what a run comes to.
func (x *execution) judge(ctx context.Context) (agent.Reply, *agent.Failure) {
	s := x.kind.read(x.out, x.errs)
	if reply, ok := x.answer(s); ok {
		return reply, nil
	}
	var f *agent.Failure
	if ctx.Err() != nil && !x.looped {
		f = agent.Ended(ctx)
	} else {
		f = x.failure(s)
		f.Attempts = 1
	}
	f.Partial = x.evidence(s)
	if x.status.Failure == "" && f.Code != agent.NoAuth && f.Code != Missing {
		f.Usage = x.usage(s)
	}
	if left := x.status.Left; len(left) > 0 {
		f.Detail += fmt.Sprintf("; it left %d processes behind, which were ended: %s", len(left), fault.Shown(strings.Join(left, ", ")))
	}
	return agent.Reply{}, f
}

func (x *execution) name() string { return fault.Shown(filepath.Base(x.argv[0])) }

// failure says why there is no answer, from the surest sign to the least sure one.
func (x *execution) failure(s said) *agent.Failure {
	switch {
	case x.status.Spool != "":
		f := unusable(nil)
		f.Detail, f.Retry = "what "+x.name()+" wrote could not be kept: "+x.hide.shown(x.status.Spool), true
		return f
	case x.status.Failure != "":
		return &agent.Failure{Code: Missing, Detail: x.name() + " could not be started: " + x.hide.shown(x.status.Failure), Hint: x.kind.install}
	case x.looped || s.turns:
		return x.tooManyTurns(s)
	case x.status.End == supervisor.WallPassed:
		return &agent.Failure{
			Code: agent.TimedOut, Detail: fmt.Sprintf("%s was not done within %s, and was ended", x.name(), x.Wall), Retry: true,
			Hint: "give programs more time, or ask for less",
		}
	case x.status.End == supervisor.Flood:
		return &agent.Failure{
			Code: agent.TooLarge, Detail: fmt.Sprintf("%s wrote more than %d bytes, and was ended", x.name(), x.MaxOutput),
			Hint: "look at what it writes: a program that does not come to an end needs another task or another model",
		}
	case x.status.End != supervisor.ByItself:
		return &agent.Failure{
			Code: Failed, Detail: x.name() + " was ended from outside (" + string(x.status.End) + ")", Retry: true,
			Hint: "somebody sent a signal to its supervisor",
		}
	case x.status.Exit == 0 && s.trouble == "":
		return x.silent(s)
	}
	return x.broke(s)
}

func (x *execution) tooManyTurns(s said) *agent.Failure {
	f := &agent.Failure{
		Code: TurnLimit, Detail: fmt.Sprintf("%s took more than %d turns with its tools, and was ended", x.name(), x.Turns),
		Hint: "the model does the same again and again: ask for less, allow more turns, or take another model",
	}
	if words := x.hide.shown(s.trouble); !x.looped && words != "" {
		f.Detail = x.name() + " stopped its model: " + words
	}
	return f
}

// silent is a program that ended as if all were well.
func (x *execution) silent(s said) *agent.Failure {
	words := x.complaint()
	switch {
	case x.truncated(s):
		return &agent.Failure{
			Code: agent.Truncated, Detail: fmt.Sprintf("the model has seen %d tokens of about %d", s.usage.Input, x.Count(x.text)),
			Hint: "give the model a larger context window, or the agents smaller views",
		}
	case s.final && x.kind.tells || s.final && words == "":
		return &agent.Failure{Code: agent.Empty, Detail: x.name() + " gave a blank answer", Retry: true}
	case s.final:
		return &agent.Failure{
			Code: OnStderr, Detail: x.name() + " wrote nothing to stdout, and to stderr: " + words,
			Hint: "an answer has to come on stdout; put a `2>&1` into the command, if that on stderr is one",
		}
	}
	f := &agent.Failure{
		Code: NoAnswer, Detail: x.name() + " ended with exit code 0 and without a final message", Retry: true,
		Hint: "it may have been ended by a signal, or be of a version that writes another form; `brenner doctor` says which one it is",
	}
	if words != "" {
		f.Detail += ": " + words
	}
	return f
}

// broke is a program that says itself that it has failed.
func (x *execution) broke(s said) *agent.Failure {
	words := x.hide.shown(s.trouble)
	if words == "" {
		words = x.complaint()
	}
	f := x.meant(s.trouble)
	if f == nil {
		f = x.meant(words)
	}
	if f == nil {
		f = &agent.Failure{Code: Failed, Detail: x.name() + " failed", Hint: "run it by hand to see what is wrong: " + x.hide.shown(Plan{Argv: x.argv}.CommandLine())}
	}
	switch x.kind.exits[x.status.Exit] {
	case exitNoLogin:
		f = x.noLogin()
	case exitTurns:
		return x.tooManyTurns(s)
	case exitLater:
		f = &agent.Failure{Code: agent.Unavailable, Detail: x.name() + " cannot answer now", Retry: true, Hint: "it says itself that it can be asked later"}
	case exitUsage:
		f = &agent.Failure{Code: Failed, Detail: x.name() + " does not take its command line", Hint: "its version may be too old or too new: `brenner doctor` says which one it is"}
	}
	switch {
	case x.status.Signal != "":
		f.Detail += " (" + x.status.Signal + ")"
		f.Retry = true
	case x.status.Exit != 0:
		f.Detail += fmt.Sprintf(" (exit code %d)", x.status.Exit)
	}
	if words != "" {
		f.Detail += ": " + words
	}
	return f
}

func (x *execution) noLogin() *agent.Failure {
	return &agent.Failure{Code: agent.NoAuth, Detail: x.name() + " is not logged in, or its key is not accepted", Hint: x.kind.login}
}

// meant finds out what a program's words mean. It gives nil where they mean
// nothing to us.
func (x *execution) meant(words string) *agent.Failure {
	low := strings.ToLower(words)
	has := func(words ...string) bool { return text.HasAny(low, words...) }
	status := statusIn(words)
	if status == 0 && x.kind.http != nil {
		status = x.kind.http(x.status.Exit)
	}
	f := &agent.Failure{}
	switch {
	case has("context length", "context window", "prompt is too long", "input is too long", "maximum number of tokens"):
		f.Code, f.Detail = agent.TooLong, "the question does not fit into the model"
		f.Hint = "give the agents smaller views or replies, or use a model with a larger context window"
	case status == 401 || has("not logged in", "please log in", "please run /login", "invalid api key", "api key not valid", "missing environment variable", "set an auth method"):
		return x.noLogin()
	case has("usage limit", "insufficient_quota", "credit balance", "requests per day"):
		f.Code, f.Detail = agent.QuotaSpent, "the account of "+x.name()+" is used up"
		f.Hint = "look at its plan, or ask another model"
	case status == 403:
		f.Code, f.Detail = agent.Forbidden, x.name()+" may not do this with its login"
		f.Hint = "look at what the account may use"
	case status == 404 && has("model"):
		f.Code, f.Detail = agent.ModelUnknown, x.name()+" knows no model "+fault.Shown(x.Model)
		f.Hint = "name one that it has"
	case status == 429 || has("rate limit"):
		f.Code, f.Detail, f.Retry = agent.RateLimited, x.name()+" asks too much at once", true
		f.Hint = "lower the number of calls at one time"
	case status >= 500 || has("high demand", "overloaded", "temporary errors"):
		f.Code, f.Detail, f.Retry = agent.Unavailable, "the model behind "+x.name()+" has a fault of its own", true
		f.Hint = "if it lasts, ask another model"
	case status >= 400:
		f.Code, f.Detail = agent.Refused, "the model behind "+x.name()+" refuses the request"
		f.Hint = "look at the model's name and at its endpoint"
	case has("stream disconnected", "stream ended", "premature close", "unexpected eof", "terminated"):
		f.Code, f.Detail, f.Retry = agent.Cut, "the answer of the model behind "+x.name()+" broke off", true
		f.Hint = "if this happens again, something between it and here ends long answers"
	case has("invalid_stream", "empty response", "no finish reason", "malformed function call"):
		f.Code, f.Detail, f.Retry = agent.Empty, x.name()+" got a blank answer from its model", true
		f.Hint = "if this happens again, ask another model"
	case has("connection refused", "econnrefused", "fetch failed", "error sending request", "enotfound", "connection failed", "network"):
		f.Code, f.Detail, f.Retry = agent.Unavailable, x.name()+" does not reach its model", true
		f.Hint = "is the network there, and the address right?"
	default:
		return nil
	}
	return f
}

// statusIn finds the number of an HTTP status in a program's words: each puts it
// differently.
func statusIn(words string) int {
	found := regexp.MustCompile(`(?i)(?:status(?: code)?[:=]?|"code"\s*:|code[:=]|api error:?|http)\s*"?([45]\d\d)\b`).FindStringSubmatch(words)
	if len(found) != 2 {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // three digits
	return n
}

// complaint gives the line of stderr that says most: the first that speaks of an
// error, else the last.
func (x *execution) complaint() string {
	var last string
	for line := range strings.Lines(string(tail(x.errs))) {
		line = x.hide.shown(line)
		if strings.Contains(strings.ToLower(line), "error") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}

// evidence is what came, for whoever wants to know what happened.
func (x *execution) evidence(s said) string {
	var b strings.Builder
	b.WriteString(x.hide.evidence(s.text))
	if errs := strings.TrimSpace(x.hide.evidence(string(x.errs))); errs != "" {
		b.WriteString("\n\n[stderr]\n" + errs + "\n")
	}
	return strings.TrimLeft(b.String(), "\n")
}
