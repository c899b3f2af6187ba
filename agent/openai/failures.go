package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

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
	for _, one := range []error{
		sdk.ErrChatCompletionInvalidModel, sdk.ErrReasoningModelLimitationsOther, sdk.ErrReasoningModelMaxTokensDeprecated,
		sdk.ErrReasoningEffortUnsupported, sdk.ErrReasoningSamplingUnsupported,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
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
