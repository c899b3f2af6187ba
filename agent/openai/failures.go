package openai

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
)

const runDoctor = "run `brenner doctor`"

// failure converts an error to a Failure. Neither its texts nor its cause contain
// a secret.
func (x *exchange) failure(ctx context.Context, err error) *agent.Failure {
	var f *agent.Failure
	switch {
	case ctx.Err() != nil:
		f = agent.ContextFailure(ctx)
		f.Usage = x.spent() // the endpoint may have processed the request
		return f
	case errors.As(err, &f): // from a tape
		own := *f
		own.Usage = x.spent()
		if !x.begun && own.Code != agent.TimedOut && own.Code != agent.Idle {
			own.Usage = agent.Usage{}
		}
		return &own
	}
	f = x.classify(err)
	f.Detail = x.hide.Text(f.Detail)
	f.Hint = x.hide.Text(f.Hint)
	said := errors.As(err, new(*refusal)) || errors.As(err, new(*page)) || errors.Is(err, syscall.ECONNREFUSED) || f.Code == agent.HostUnknown || !x.begun && x.cutOff(err)
	if f.Cause == nil && !said { // by the detail
		f.Cause = x.hide.cause(err)
	}
	if x.begun || f.Code == agent.TimedOut || f.Code == agent.Unavailable && x.cutOff(err) {
		f.Usage = x.spent()
	}
	return f
}

func (x *exchange) classify(err error) *agent.Failure {
	var no *refusal
	var away *modelhttp.Redirected
	var web *page
	switch {
	case errors.As(err, &no):
		return x.refusal(no)
	case errors.As(err, &away):
		return x.redirected(away)
	case errors.As(err, &web):
		return &agent.Failure{
			Code: agent.Malformed, Detail: x.host + " returned a web page: " + x.hide.Shown(web.text),
			Hint: "check base_url: this seems to be a web site; the address of an endpoint often ends with /v1",
		}
	case errors.Is(err, errTooLarge):
		return &agent.Failure{
			Code: agent.TooLarge, Detail: fmt.Sprintf("reply exceeds %d bytes; the rest was not read", x.MaxReplyBytes),
			Hint: "lower budget.reply_tokens, or ask another model",
		}
	case errors.Is(err, errNoBody):
		return &agent.Failure{
			Code: agent.Malformed, Detail: x.host + " accepted the request, but sent nothing", Retry: true,
			Hint: "if this persists, check the server's log; " + runDoctor,
		}
	case errors.Is(err, errMalformed):
		return &agent.Failure{
			Code: agent.Malformed, Detail: x.host + ": response is not the JSON of this API", Retry: true,
			Hint: "if this persists, check the server's log; " + runDoctor,
		}
	case isSDKError(err):
		return &agent.Failure{
			Code: agent.Refused, Detail: "model " + fault.Shown(x.Model) + " does not support these parameters",
			Hint: "remove or change temperature and reasoning effort for this model",
		}
	case x.begun && !isTimeout(err):
		return &agent.Failure{
			Code: agent.Cut, Detail: "the connection ended before the reply was complete", Retry: true,
			Hint: "if this persists, the server or a proxy cuts off long responses",
		}
	}
	return x.unreachable(err)
}

// isSDKError reports whether go-openai itself rejected the request.
func isSDKError(err error) bool {
	return slices.ContainsFunc([]error{
		sdk.ErrChatCompletionInvalidModel, sdk.ErrReasoningModelLimitationsOther, sdk.ErrReasoningModelMaxTokensDeprecated,
		sdk.ErrReasoningEffortUnsupported, sdk.ErrReasoningSamplingUnsupported,
	}, func(one error) bool { return errors.Is(err, one) })
}

// unreachable classifies errors without a response.
func (x *exchange) unreachable(err error) *agent.Failure {
	f := &agent.Failure{
		Code: agent.Unavailable, Detail: "cannot connect to " + x.host, Retry: true,
		Hint: "check base_url " + x.BaseURL + "; " + runDoctor,
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns):
		f.Detail = "cannot resolve host " + x.host
		if dns.IsNotFound {
			f.Code, f.Retry = agent.HostUnknown, false
		}
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Detail = x.host + ": connection refused"
	case errors.As(err, &certificate):
		f.Detail, f.Retry = x.host+": untrusted certificate", false
		f.Hint = "add its certificate authority to those that this system trusts; " + runDoctor
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.Detail, f.Retry = x.host+" does not speak TLS", false
		f.Hint = "use http:// in base_url for a server without TLS"
	case isTimeout(err):
		f.Code, f.Detail = agent.TimedOut, x.host+": timeout"
	case x.cutOff(err):
		f.Detail = x.host + ": the connection was closed before a reply"
		f.Hint = "if this persists, check the server's log; " + runDoctor
	}
	return f
}

// cutOff reports whether the connection was closed after the request was sent, so the endpoint may
// have processed it.
func (x *exchange) cutOff(err error) bool {
	return x.sent.Load() && slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}, func(end error) bool { return errors.Is(err, end) })
}

// isTimeout reports whether err is a timeout of the client or the network.
func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// refusal classifies an error response. Error codes come first: servers send the
// same code with different status numbers.
func (x *exchange) refusal(no *refusal) *agent.Failure {
	status := no.number()
	f := &agent.Failure{}
	switch {
	case no.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active") || status == http.StatusPaymentRequired:
		f.Code, f.Detail = agent.QuotaSpent, x.host+": quota exhausted"
		f.Hint = "check the account's plan and billing, or ask another model"
		f.Retry, f.After = no.after > 0, no.after // then the quota resets by itself
	case no.tooLong(status):
		f.Code, f.Detail = agent.TooLong, "the question and the longest reply exceed the context window of "+fault.Shown(x.Model)
		f.Hint = "set budget.reply_tokens lower, kickoff: short for the model, or a larger context window at the server"
	case no.is("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"):
		f.Code, f.Detail = agent.Filtered, x.host+": content filter blocked the question"
		f.Hint = rephrase
	case status == http.StatusUnauthorized || no.is("invalid_api_key") || status == http.StatusBadRequest && no.names("api key not valid"):
		x.unauthorised(f)
	case status == http.StatusForbidden:
		f.Code, f.Detail = agent.Forbidden, x.host+": this key has no access to "+fault.Shown(x.Model)
		f.Hint = "check the permissions of the key, its project and its region"
	case no.is("model_not_found") || status == http.StatusNotFound && no.aboutModel():
		f.Code, f.Detail = agent.ModelUnknown, x.host+": no model "+fault.Shown(x.Model)
		f.Hint = "`brenner doctor --via openai --base-url " + baseurl.Shown(x.BaseURL) + "` lists its models; a local server may have to load it first"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		f.Code, f.Detail = agent.Refused, fmt.Sprintf("no %s API at %s", x.API, x.BaseURL)
		f.Hint = "check base_url: it often ends with /v1; few servers have the responses API"
	case status == http.StatusTooManyRequests:
		f.Code, f.Detail, f.Retry, f.After = agent.RateLimited, x.host+": rate limit exceeded", true, no.after
		f.Hint = "lower the number of concurrent calls to this endpoint"
	default:
		x.classifyStatus(f, status, no)
	}
	message := x.hide.Shown(no.detail.Message)
	if no.status != 0 {
		f.Detail += fmt.Sprintf(" (%d)", no.status)
	}
	if message != "" {
		f.Detail += ": " + message
	}
	return f
}

const rephrase = "rephrase the question, or ask another model"

func (x *exchange) unauthorised(f *agent.Failure) {
	name := cmp.Or(x.KeyName, "OPENAI_API_KEY")
	f.Code, f.Detail = agent.NoAuth, x.host+": key rejected"
	if x.Key == "" {
		f.Detail = x.host + " requires a key, but " + name + " is not set"
	}
	f.Hint = "set " + name + " to a key for this endpoint; " + runDoctor
}

// classifyStatus classifies by status alone.
func (x *exchange) classifyStatus(f *agent.Failure, status int, no *refusal) {
	switch status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		f.Retry = true
	default:
		f.Retry = status >= 500
	}
	if f.Retry && x.form.schema && no.refusesSchema() { // some servers fail where they cannot make a grammar
		f.Retry, f.Code, f.Detail, f.Hint = false, agent.Refused, x.host+": request refused", NoSchemaHint
		return
	}
	if f.Retry {
		f.Code, f.Detail = agent.Unavailable, x.host+": server error"
		f.Hint = "if this persists, use another endpoint; " + runDoctor
		if status == http.StatusServiceUnavailable { // the only server error with a meaningful Retry-After
			f.After = no.after
		}
		return
	}
	f.Code, f.Detail = agent.Refused, x.host+": request refused"
	if x.form.schema && no.refusesSchema() {
		f.Hint = NoSchemaHint
		return
	}
	f.Hint = "remove the parameter that it names, or ask another model; " + runDoctor
}

// NoSchemaHint is the hint for an endpoint that refuses a schema. A session keeps how its models are asked.
const NoSchemaHint = "the endpoint does not support this schema: set structured to auto or fences for the model under agents.models and start " +
	"another session, or resume with another --model"

// number returns the refusal's HTTP status. A refusal in the middle of a stream
// has it in its code or type.
func (r *refusal) number() int {
	if r.status != 0 {
		return r.status
	}
	if n, err := strconv.Atoi(r.detail.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	if strings.HasPrefix(r.detail.Code, "rate_limit") || strings.HasPrefix(r.detail.Kind, "rate_limit") {
		return http.StatusTooManyRequests
	}
	if strings.HasPrefix(r.detail.Code, "invalid_") || strings.HasPrefix(r.detail.Kind, "invalid_") {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// is reports whether a refusal has one of these codes, as code or as type.
func (r *refusal) is(codes ...string) bool {
	return slices.Contains(codes, r.detail.Code) || slices.Contains(codes, r.detail.Kind)
}

// tooLong reports whether the question was too long. Self-hosted servers have no
// code for it, and each has its own wording.
func (r *refusal) tooLong(status int) bool {
	if status == http.StatusRequestEntityTooLarge || r.is("context_length_exceeded", "exceed_context_size_error") {
		return true
	}
	return (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError) &&
		r.names("maximum context length", "context length exceeded", "context window", "context size", "prompt is too long", "input is too long",
			"longer than the maximum", "exceeds the context", "exceeds the maximum number of tokens", "greater than the context length")
}

// aboutModel distinguishes a missing model from a missing path.
func (r *refusal) aboutModel() bool {
	if r.names("model") {
		return true
	}
	return r.detail.Proper && !strings.EqualFold(r.detail.Message, "not found") && !r.names("url", "path", "route", "endpoint")
}

// longestPartial is how many bytes of an incomplete reply are kept.
const longestPartial = 1 << 20

// refusal is an error response of an endpoint.
type refusal struct {
	status int // 0 in the middle of a stream
	detail modelhttp.ErrorBody
	after  time.Duration
}

func (r *refusal) Error() string {
	if r.status == 0 {
		return "the endpoint reported an error: " + r.detail.Message
	}
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}

func (x *exchange) refused(resp *http.Response) *refusal {
	return &refusal{status: resp.StatusCode, detail: x.hide.ReadError(resp.Body), after: retryDelay(resp, time.Now())}
}

// longestWait caps the wait that an endpoint may ask for.
const longestWait = 366 * 24 * time.Hour

// retryDelay returns how long to wait; 0 if unknown. Rate-limit headers count only with
// status 429: some endpoints send them with every response.
func retryDelay(resp *http.Response, now time.Time) time.Duration {
	h := resp.Header
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent // by the server's clock
	}
	if d := retryAfter(h, now); d > 0 || resp.StatusCode != http.StatusTooManyRequests {
		return d
	}
	return reset(h, now)
}

func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && clampSeconds(ms/1000) > 0 {
		return clampSeconds(ms / 1000)
	}
	at := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(at, 64); err == nil {
		return clampSeconds(seconds)
	}
	if date, err := http.ParseTime(at); err == nil {
		return clampSeconds(date.Sub(now).Seconds())
	}
	return 0
}

// reset reads the rate-limit headers. Of the exhausted limits, the last one to
// reset counts.
func reset(h http.Header, now time.Time) time.Duration {
	var last time.Duration
	for _, which := range []string{"-Requests", "-Tokens", ""} {
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+which)) == "0" {
			last = max(last, parseReset(h.Get("X-Ratelimit-Reset"+which), now))
		}
	}
	return last
}

// parseReset parses "6m0s", seconds, or a Unix time in seconds or milliseconds.
func parseReset(text string, now time.Time) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return clampSeconds(d.Seconds())
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0
	case n > 1e11:
		return clampSeconds(n/1000 - float64(now.Unix()))
	case n > 1e9:
		return clampSeconds(n - float64(now.Unix()))
	}
	return clampSeconds(n)
}

func clampSeconds(seconds float64) time.Duration {
	switch {
	case math.IsInf(seconds, 0):
		return 0
	case seconds > longestWait.Seconds():
		return longestWait
	case seconds > 0:
		return time.Duration(seconds * float64(time.Second))
	}
	return 0 // also for NaN
}
