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
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// Codes of programs that failed, in addition to those of all agents.
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
	why, hint := p.Problem()
	return &agent.Failure{Code: Missing, Detail: "program " + why + ": " + fault.Shown(argv[0]), Hint: hint}
}

func spoolFailure(err error) *agent.Failure {
	return &agent.Failure{
		Code: BadSpool, Detail: "cannot store the run of a program",
		Hint: "check space and permissions of the directories for runs and temporary files", Cause: err,
	}
}

// answer returns the reply if there is one: the program succeeded and marked its
// reply as complete. A program that did so and was then stopped has also answered.
func (x *execution) answer(s output) (agent.Reply, bool) {
	good := x.status.End == supervisor.Exited && x.status.Exit == 0 ||
		x.kind.marksEnd && x.status.End != supervisor.Exited && x.status.End != supervisor.Flood
	if x.status.Failure != "" || x.status.Spool != "" || !good || !s.final || strings.TrimSpace(s.text) == "" || x.truncated(s) {
		return agent.Reply{}, false
	}
	reply := agent.Reply{Text: x.hide.answer(s.text), Model: s.model, Usage: x.usage(s), Attempts: 1}
	if reply.Model == "" {
		reply.Model = x.Model
	}
	return reply, true
}

// truncated reports whether the model has seen less than half of the question.
func (x *execution) truncated(s output) bool {
	return !x.guessing && s.usage != nil && s.usage.Input > 0 && 2*s.usage.Input < x.Count(x.text)
}

// outcome returns the result of a run.
func (x *execution) outcome(ctx context.Context) (agent.Reply, *agent.Failure) {
	s := x.kind.read(x.out, x.errs)
	if reply, ok := x.answer(s); ok {
		return reply, nil
	}
	var f *agent.Failure
	if ctx.Err() != nil && !x.looped && !x.hopeless {
		f = x.explain(agent.ContextFailure(ctx), "")
	} else {
		f = x.failure(s)
		f.Attempts = 1
	}
	f.Partial = x.evidence(s)
	if x.status.Failure == "" && f.Code != agent.NoAuth && f.Code != Missing {
		if f.Usage = x.usage(s); f.Code == agent.Cut && f.Usage.Guessed && x.failures > 1 {
			f.Usage.Input *= x.failures // each had the whole question
		}
	}
	if left := x.status.Left; len(left) > 0 {
		f.Detail += fmt.Sprintf("; killed leftover processes (%d): %s", len(left), fault.Shown(strings.Join(left, ", ")))
	}
	return agent.Reply{}, f
}

func (x *execution) name() string { return fault.Shown(filepath.Base(x.argv[0])) }

// failure returns why there is no reply; the most reliable evidence comes first.
func (x *execution) failure(s output) *agent.Failure {
	switch {
	case x.status.Spool != "":
		f := spoolFailure(nil)
		f.Detail, f.Retry = "cannot store the output of "+x.name()+": "+x.hide.shown(x.status.Spool), true
		return f
	case x.status.Failure != "":
		return &agent.Failure{Code: Missing, Detail: "cannot start " + x.name() + ": " + x.hide.shown(x.status.Failure), Hint: x.kind.install}
	case x.looped || s.turns:
		return x.tooManyTurns(s)
	case x.hopeless:
		return x.explain(&agent.Failure{Code: Failed, Detail: x.name() + " repeated failed requests and was stopped", Retry: true, Hint: "see its message"}, s.trouble)
	case x.status.End == supervisor.TimeExceeded:
		return x.explain(&agent.Failure{
			Code: agent.TimedOut, Detail: fmt.Sprintf("%s did not finish within %s and was stopped", x.name(), x.Wall), Retry: true,
			Hint: "raise --timeout, or ask for less",
		}, "")
	case x.status.End == supervisor.Flood:
		return &agent.Failure{
			Code: agent.TooLarge, Detail: fmt.Sprintf("%s wrote more than %d bytes and was stopped", x.name(), x.MaxOutput),
			Hint: "check its output, or ask another model",
		}
	case x.status.End != supervisor.Exited:
		return &agent.Failure{
			Code: Failed, Detail: x.name() + " was stopped from outside (" + string(x.status.End) + ")", Retry: true,
			Hint: "its supervisor received a signal; run the command again",
		}
	case x.status.Exit == 0 && s.trouble == "":
		return x.noReply(s)
	}
	return x.failed(s)
}

// explain returns why the requests of a stopped program failed, or f if they did not.
func (x *execution) explain(f *agent.Failure, trouble string) *agent.Failure {
	if x.trouble == "" || f.Code == agent.Stopped {
		return f
	}
	for _, message := range []string{x.trouble, trouble} {
		if cause := x.classifyFailure(message); cause != nil {
			cause.Detail += " (" + f.Detail + "): " + x.hide.shown(message)
			return cause
		}
	}
	f.Detail += ": " + x.hide.shown(x.trouble)
	return f
}

func (x *execution) tooManyTurns(s output) *agent.Failure {
	f := &agent.Failure{
		Code: TurnLimit, Detail: fmt.Sprintf("%s took more than %d turns with its tools and was stopped", x.name(), x.Turns),
		Hint: "the model may be in a loop: ask for less, raise turns in agents.programs, or use another model",
	}
	if message := x.hide.shown(s.trouble); !x.looped && message != "" {
		f.Detail = x.name() + " stopped its model: " + message
	}
	return f
}

// noReply returns the failure of a program that exited normally without a reply.
func (x *execution) noReply(s output) *agent.Failure {
	message := x.stderrMessage()
	switch {
	case x.truncated(s):
		return &agent.Failure{
			Code: agent.Truncated, Detail: fmt.Sprintf("the model read only %d of about %d tokens", s.usage.Input, x.Count(x.text)),
			Hint: "use a larger context window, or smaller views",
		}
	case s.final && x.kind.marksEnd || s.final && message == "":
		return &agent.Failure{Code: agent.Empty, Detail: x.name() + " returned a blank reply", Retry: true}
	case s.final:
		return &agent.Failure{
			Code: OnStderr, Detail: x.name() + " wrote only to stderr: " + message,
			Hint: "replies must be on stdout; if this is the reply, use [sh, -c, 'COMMAND 2>&1'] as command",
		}
	}
	f := &agent.Failure{
		Code: NoAnswer, Detail: x.name() + " exited with code 0 and no final message", Retry: true,
		Hint: "it may have been killed, or its version may be unsupported; `brenner doctor` shows the version",
	}
	if message != "" {
		f.Detail += ": " + message
	}
	return f
}

// failed returns the failure of a program that reported an error.
func (x *execution) failed(s output) *agent.Failure {
	message := x.hide.shown(s.trouble)
	if message == "" {
		message = x.stderrMessage()
	}
	f := x.classifyFailure(s.trouble)
	if f == nil {
		f = x.classifyFailure(message)
	}
	if f == nil {
		f = &agent.Failure{Code: Failed, Detail: x.name() + " failed", Hint: "run it by hand: `brenner doctor` shows its command line"}
	}
	switch x.kind.exits[x.status.Exit] {
	case exitNoLogin:
		f = x.noLogin()
	case exitTurns:
		return x.tooManyTurns(s)
	case exitLater:
		f = &agent.Failure{Code: agent.Unavailable, Detail: x.name() + " asks to retry later", Retry: true, Hint: "try again later"}
	case exitUsage:
		f = x.unsupported()
	}
	switch {
	case x.status.Signal != "":
		f.Detail += " (" + x.status.Signal + ")"
		f.Retry = true
	case x.status.Exit != 0:
		f.Detail += fmt.Sprintf(" (exit code %d)", x.status.Exit)
	}
	if message != "" {
		f.Detail += ": " + message
	}
	return f
}

// unsupported returns the failure of a program that does not know its arguments.
func (x *execution) unsupported() *agent.Failure {
	f := &agent.Failure{Code: Failed, Detail: x.name() + " rejects its command line", Hint: "its version may be unsupported; `brenner doctor` shows it"}
	if x.kind.tested != "" {
		f.Hint += ", and " + x.kind.tested + " was tested"
	}
	return f
}

func (x *execution) noLogin() *agent.Failure {
	f := &agent.Failure{Code: agent.NoAuth, Detail: x.name() + " is not logged in, or its key was rejected", Hint: x.kind.login}
	if x.BaseURL != "" {
		f.Hint = "set " + strings.Join(x.keyNames(), " or ") + " to a key for " + baseurl.Shown(x.BaseURL) + ", or key_env of the model to another variable"
	}
	return f
}

// classifyFailure interprets a program's error message. It returns nil if the
// message is unknown.
func (x *execution) classifyFailure(message string) *agent.Failure {
	low := strings.ToLower(message)
	has := func(parts ...string) bool { return text.HasAny(low, parts...) }
	status := statusIn(message)
	if status == 0 && x.kind.http != nil {
		status = x.kind.http(x.status.Exit)
	}
	f := &agent.Failure{}
	switch {
	case has("context length", "context window", "prompt is too long", "input is too long", "maximum number of tokens"):
		f.Code, f.Detail = agent.TooLong, "the question exceeds the model's context window"
		f.Hint = "use smaller views or replies, or a model with a larger context window"
	case status == 401 || has("auth: ", "authenticationerror", "not logged in", "please log in", "please run /login", "invalid api key", "api key not valid", "no api key", "missing environment variable", "set an auth method"):
		return x.noLogin()
	case has("usage limit", "insufficient_quota", "credit balance", "requests per day"):
		f.Code, f.Detail = agent.QuotaSpent, x.name()+": quota exhausted"
		f.Hint = "check the account's plan, or ask another model"
	case status == 403:
		f.Code, f.Detail = agent.Forbidden, x.name()+": permission denied"
		f.Hint = "check the account's permissions"
	case status == 404 && has("model") || regexp.MustCompile(`\bmodel\b.{0,100}(does not exist|not found)`).MatchString(low):
		f.Code, f.Detail = agent.ModelUnknown, x.name()+": no model "+fault.Shown(x.Model)
		f.Hint = "pass --model with a model that it supports"
	case status == 429 || has("rate limit", "ratelimiterror", "too many requests"):
		f.Code, f.Detail, f.Retry = agent.RateLimited, x.name()+": rate limit exceeded", true
		f.Hint = "lower the number of concurrent calls"
	case status >= 500 || !has("connection error") && has("high demand", "overloaded", "internalservererror", "internal server error", "bad gateway", "service unavailable", "temporary errors"):
		f.Code, f.Detail, f.Retry = agent.Unavailable, x.name()+": its model reported a server error", true
		f.Hint = "if this persists, ask another model"
	case status >= 400:
		f.Code, f.Detail = agent.Refused, x.name()+": its model refused the request"
		f.Hint = "check the model's name and its endpoint"
	default:
		return x.classifyReply(has)
	}
	return f
}

// classifyReply interprets a message about an incomplete reply, or none.
func (x *execution) classifyReply(has func(...string) bool) *agent.Failure {
	f := &agent.Failure{}
	switch {
	case has("stream disconnected", "stream ended", "premature close", "unexpected eof", "terminated", "closed unexpectedly", "incomplete json", "peer closed"):
		f.Code, f.Detail, f.Retry = agent.Cut, x.name()+": the reply of its model was cut off", true
		f.Hint = "if this persists, the server or a proxy cuts off long responses"
	case has("max_output_tokens", "maximum output token", "has hit a token limit", reachedLimit):
		f.Code, f.Detail = agent.Cut, x.name()+": the reply reached the limit of its model's output"
		f.Hint = "raise the model's output limit at its server or in the program's settings, or ask for less"
	case has("invalid_stream", "empty response", "no finish reason", "malformed function call"):
		f.Code, f.Detail, f.Retry = agent.Empty, x.name()+": blank reply from its model", true
		f.Hint = "if this persists, ask another model"
	case has("connection refused", "econnrefused", "fetch failed", "error sending request", "enotfound", "connection failed", "connection error", "network"):
		f.Code, f.Detail, f.Retry = agent.Unavailable, x.name()+" cannot reach its model", true
		f.Hint = "check the network and the model's address"
	case has("unknown option", "unknown argument", "unknown flag", "unexpected argument", "unrecognized argument", "no such option"):
		return x.unsupported()
	default:
		return nil
	}
	return f
}

// statusIn finds an HTTP status in an error message; each program writes it
// differently.
func statusIn(message string) int {
	found := regexp.MustCompile(`(?i)(?:^|status(?: code)?[:=]?|"code"\s*:|code[:=]|api error:?|http)\s*"?([45]\d\d)\b`).FindStringSubmatch(message)
	if len(found) != 2 {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // three digits
	return n
}

// stderrMessage returns the first line of stderr that mentions an error or a key, or
// else the last line.
func (x *execution) stderrMessage() string {
	var last string
	for line := range strings.Lines(string(tail(x.errs))) {
		line = x.hide.shown(line)
		if text.HasAny(strings.ToLower(line), "error", "no api key") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}

// evidence returns the output of a failed run.
func (x *execution) evidence(s output) string {
	var b strings.Builder
	b.WriteString(x.hide.evidence(s.text))
	if errs := strings.TrimSpace(x.hide.evidence(string(x.errs))); errs != "" {
		b.WriteString("\n\n[stderr]\n" + errs + "\n")
	}
	return strings.TrimLeft(b.String(), "\n")
}
