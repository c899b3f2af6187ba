package openai

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
)

const askDoctor = "`brenner doctor` says what is wrong with it"

// failure says why there is no answer. What it says of the endpoint's words has no
// secret in it, and neither has its cause.
func (x *exchange) failure(ctx context.Context, err error) *agent.Failure {
	var f *agent.Failure
	switch {
	case ctx.Err() != nil:
		f = agent.Ended(ctx)
		f.Usage = x.spent() // it was at work, as far as we know
		return f
	case errors.As(err, &f): // from a tape
		own := *f
		own.Usage = x.spent()
		if !x.begun && own.Code != agent.TimedOut && own.Code != agent.Idle {
			own.Usage = agent.Usage{}
		}
		return &own
	}
	f = x.judge(err)
	f.Detail = x.hide.Text(f.Detail)
	f.Hint = x.hide.Text(f.Hint)
	if f.Cause == nil && !errors.As(err, new(*refusal)) {
		f.Cause = x.hide.cause(err)
	}
	if x.begun || f.Code == agent.TimedOut {
		f.Usage = x.spent()
	}
	return f
}

func (x *exchange) judge(err error) *agent.Failure {
	var no *refusal
	var away *modelhttp.Redirected
	var web *page
	switch {
	case errors.As(err, &no):
		return x.refusal(no)
	case errors.As(err, &away):
		return x.sentOn(away)
	case errors.As(err, &web):
		return &agent.Failure{
			Code: agent.Malformed, Detail: x.host + " gave a web page: " + x.hide.Shown(web.text),
			Hint: "the base_url is probably that of a web site; those of endpoints often end with /v1",
		}
	case errors.Is(err, errEndless):
		return &agent.Failure{
			Code: agent.TooLarge, Detail: fmt.Sprintf("%s pays no heed to the most tokens of an answer (%d), and goes on far beyond them; the rest was not read", x.host, x.call.MaxReply),
			Hint: "raise budget.reply_tokens, or ask another model",
		}
	case errors.Is(err, errTooLarge):
		return &agent.Failure{
			Code: agent.TooLarge, Detail: fmt.Sprintf("the answer has more than %d bytes; the rest was not read", x.MaxReplyBytes),
			Hint: "a model that does not come to an end needs a lower budget.reply_tokens, or another model",
		}
	case errors.Is(err, errMalformed):
		return &agent.Failure{
			Code: agent.Malformed, Detail: x.host + " answered with what is not the JSON of this API", Retry: true,
			Hint: "if this happens again, look at the server's log; " + askDoctor,
		}
	case isOurs(err):
		return &agent.Failure{
			Code: agent.Refused, Detail: "the model " + fault.Shown(x.Model) + " cannot be asked in this way",
			Hint: "leave temperature and reasoning effort out for this model, or change them",
		}
	case x.begun && !late(err):
		return &agent.Failure{
			Code: agent.Cut, Detail: "the answer broke off before its end", Retry: true,
			Hint: "if this happens again, the server or something between it and here ends long answers",
		}
	}
	return x.unreachable(err)
}

// isOurs tells whether go-openai itself would not send the request.
func isOurs(err error) bool {
	return slices.ContainsFunc([]error{
		sdk.ErrChatCompletionInvalidModel, sdk.ErrReasoningModelLimitationsOther, sdk.ErrReasoningModelMaxTokensDeprecated,
		sdk.ErrReasoningEffortUnsupported, sdk.ErrReasoningSamplingUnsupported,
	}, func(one error) bool { return errors.Is(err, one) })
}

// unreachable is why not even a "no" has come.
func (x *exchange) unreachable(err error) *agent.Failure {
	f := &agent.Failure{
		Code: agent.Unavailable, Detail: "the connection to " + x.host + " failed", Retry: true,
		Hint: "is " + x.BaseURL + " the right base_url? " + askDoctor,
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns):
		f.Detail = "no machine is known by the name " + x.host
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Detail = "nothing listens at " + x.host
	case errors.As(err, &certificate):
		f.Detail, f.Retry = "the certificate of "+x.host+" cannot be trusted", false
		f.Hint = "add the authority that signed it to the system's; " + askDoctor
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.Detail, f.Retry = x.host+" does not speak TLS", false
		f.Hint = "the base_url of a server without TLS begins with http://"
	case late(err):
		f.Code, f.Detail = agent.TimedOut, x.host+" did not answer in time"
	}
	return f
}

// late tells whether a limit of the client or the network was passed.
func late(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// refusal judges an endpoint's "no". Codes are looked at first: what they mean
// comes with different numbers from different servers.
func (x *exchange) refusal(no *refusal) *agent.Failure {
	status := no.number()
	f := &agent.Failure{}
	switch {
	case no.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active") || status == http.StatusPaymentRequired:
		f.Code, f.Detail = agent.QuotaSpent, "the account at "+x.host+" is used up"
		f.Hint = "look at its plan and billing, or ask another model"
		f.Retry, f.After = no.after > 0, no.after // it opens again by itself
	case no.tooLong(status):
		f.Code, f.Detail = agent.TooLong, "the question does not fit into "+fault.Shown(x.Model)
		f.Hint = "give the agents smaller views or replies, or use a model with a larger context window"
	case no.is("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"):
		f.Code, f.Detail = agent.Filtered, "a content filter of "+x.host+" stopped the question"
		f.Hint = rephrase
	case status == http.StatusUnauthorized || no.is("invalid_api_key") || status == http.StatusBadRequest && no.names("api key not valid"):
		x.unauthorised(f)
	case status == http.StatusForbidden:
		f.Code, f.Detail = agent.Forbidden, x.host+" does not let this key ask "+fault.Shown(x.Model)
		f.Hint = "look at what the key, its project and its region may use"
	case no.is("model_not_found") || status == http.StatusNotFound && no.aboutModel():
		f.Code, f.Detail = agent.ModelUnknown, x.host+" has no model "+fault.Shown(x.Model)
		f.Hint = "`brenner doctor` lists those that it has; a server of your own may have to load it first"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		f.Code, f.Detail = agent.Refused, fmt.Sprintf("there is no %s API at %s", x.API, x.BaseURL)
		f.Hint = "a base_url often ends with /v1; few servers but OpenAI's have the responses API"
	case status == http.StatusTooManyRequests:
		f.Code, f.Detail, f.Retry, f.After = agent.RateLimited, x.host+" is asked too much at once", true, no.after
		f.Hint = "lower the number of calls at one time for this endpoint"
	default:
		x.otherwise(f, status, no)
	}
	words := x.hide.Shown(no.said.Message)
	if no.status != 0 {
		f.Detail += fmt.Sprintf(" (%d)", no.status)
	}
	if words != "" {
		f.Detail += ": " + words
	}
	return f
}

const rephrase = "put the question in other words, or ask another model"

func (x *exchange) unauthorised(f *agent.Failure) {
	f.Code, f.Detail = agent.NoAuth, x.host+" does not accept the key"
	if x.Key == "" {
		f.Detail = x.host + " wants a key, and none is set"
	}
	f.Hint = "set " + cmp.Or(x.KeyName, "OPENAI_API_KEY") + " to a key of this endpoint; " + askDoctor
}

// otherwise judges by the number alone.
func (x *exchange) otherwise(f *agent.Failure, status int, no *refusal) {
	switch status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		f.Retry = true
	default:
		f.Retry = status >= 500
	}
	if f.Retry {
		f.Code, f.Detail = agent.Unavailable, x.host+" has a fault of its own"
		f.Hint = "if it lasts, ask another endpoint; " + askDoctor
		if status == http.StatusServiceUnavailable { // the one fault that others know the end of
			f.After = no.after
		}
		return
	}
	f.Code, f.Detail = agent.Refused, x.host+" refuses the request"
	if x.form.schema && no.names("response_format", "json_schema", "text.format", "structured output") {
		f.Hint = "it cannot hold answers to a schema: set structured to auto or fences"
		return
	}
	f.Hint = "leave out what it names, or ask another model; " + askDoctor
}

// number gives the status that a refusal would have had as a response. One that
// comes in the middle of an answer has it in its code, or has words for it.
func (r *refusal) number() int {
	if r.status != 0 {
		return r.status
	}
	if n, err := strconv.Atoi(r.said.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	if strings.HasPrefix(r.said.Code, "rate_limit") || strings.HasPrefix(r.said.Kind, "rate_limit") {
		return http.StatusTooManyRequests
	}
	if strings.HasPrefix(r.said.Code, "invalid_") || strings.HasPrefix(r.said.Kind, "invalid_") {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// is tells whether a refusal has one of these codes, as code or as type.
func (r *refusal) is(codes ...string) bool {
	return slices.Contains(codes, r.said.Code) || slices.Contains(codes, r.said.Kind)
}

// tooLong tells whether a refusal says that the question was too long; servers of
// one's own have no code for it, and each has other words.
func (r *refusal) tooLong(status int) bool {
	if status == http.StatusRequestEntityTooLarge || r.is("context_length_exceeded", "exceed_context_size_error") {
		return true
	}
	return (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError) &&
		r.names("maximum context length", "context length exceeded", "context window", "context size", "prompt is too long", "input is too long",
			"longer than the maximum", "exceeds the context", "exceeds the maximum number of tokens", "greater than the context length")
}

// aboutModel tells a model that is not there from a path that is not there.
func (r *refusal) aboutModel() bool {
	if r.names("model") {
		return true
	}
	return r.said.Proper && !strings.EqualFold(r.said.Message, "not found") && !r.names("url", "path", "route", "endpoint")
}

// longestPartial is how many bytes of an answer without an end are kept.
const longestPartial = 1 << 20

// refusal is an endpoint's "no".
type refusal struct {
	status int // 0 where it came in the middle of an answer
	said   modelhttp.Said
	after  time.Duration
}

func (r *refusal) Error() string {
	if r.status == 0 {
		return "the endpoint broke off: " + r.said.Message
	}
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}

func (x *exchange) refused(resp *http.Response) *refusal {
	return &refusal{status: resp.StatusCode, said: x.hide.ReadSaid(resp.Body), after: later(resp, time.Now())}
}

// longestWait is what is believed at most of a time that an endpoint names.
const longestWait = 366 * 24 * time.Hour

// later finds out when to come back; 0 where nobody said. Who is asked too much
// also tells how full the buckets are: others tell it with every answer, and it
// has nothing to do with why they refuse.
func later(resp *http.Response, now time.Time) time.Duration {
	h := resp.Header
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent // by the clock of whoever names a date
	}
	if d := retryAfter(h, now); d > 0 || resp.StatusCode != http.StatusTooManyRequests {
		return d
	}
	return reset(h, now)
}

func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && bounded(ms/1000) > 0 {
		return bounded(ms / 1000)
	}
	at := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(at, 64); err == nil {
		return bounded(seconds)
	}
	if date, err := http.ParseTime(at); err == nil {
		return bounded(date.Sub(now).Seconds())
	}
	return 0
}

// reset reads the headers that tell how full the buckets are. Only an empty one
// makes anybody wait; of several, the last to be full again.
func reset(h http.Header, now time.Time) time.Duration {
	var last time.Duration
	for _, which := range []string{"-Requests", "-Tokens", ""} {
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+which)) == "0" {
			last = max(last, moment(h.Get("X-Ratelimit-Reset"+which), now))
		}
	}
	return last
}

// moment reads "6m0s", seconds, or a point in time in seconds or milliseconds.
func moment(text string, now time.Time) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return bounded(d.Seconds())
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0
	case n > 1e11:
		return bounded(n/1000 - float64(now.Unix()))
	case n > 1e9:
		return bounded(n - float64(now.Unix()))
	}
	return bounded(n)
}

func bounded(seconds float64) time.Duration {
	switch {
	case math.IsInf(seconds, 0):
		return 0 // nobody means it
	case seconds > longestWait.Seconds():
		return longestWait
	case seconds > 0:
		return time.Duration(seconds * float64(time.Second))
	}
	return 0 // and for what is no number
}
