// Package openai implements agents that ask a model at an OpenAI-compatible
// endpoint: hosted, behind a gateway, or self-hosted.
//
// It promises: a reply is the model's complete text; everything else is an
// *agent.Failure with a hint for the user; memory is bounded whatever the endpoint
// sends; and the key goes only to the configured host and appears in nothing that
// is returned, including errors and their causes.
//
// It must not know what is asked, when to retry, or where the key comes from.
package openai

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
	"brenner/internal/secret"
)

// The two APIs.
const (
	Chat      = "chat"      // POST …/chat/completions, which all endpoints speak
	Responses = "responses" // POST …/responses
)

// How a model is asked for deltas.
const (
	Fences = "fences" // in Markdown, as the prompt describes
	Schema = "schema" // by a JSON schema; fails if unsupported
	Auto   = "auto"   // by a JSON schema if supported, otherwise by fences
)

// PublicBaseURL is OpenAI's own endpoint.
const PublicBaseURL = "https://api.openai.com/v1"

// Codes of errors from New.
const (
	NoModel      fault.Code = "NO_MODEL"            // No model for an agent.
	InvalidSetup fault.Code = "MODEL_SETUP_INVALID" // Invalid options for an agent; nothing was sent.
)

// defaultMaxReply exceeds the reply of any model and still fits in memory.
const defaultMaxReply = 16 << 20

// Options configure an agent. Only Model is required.
type Options struct {
	BaseURL      string // without the API's path; empty means PublicBaseURL
	Key          string `json:"-"` // sent as a bearer token; empty sends none
	KeyName      string // where the key comes from, for messages; empty means OPENAI_API_KEY
	Organization string
	Headers      map[string]string `json:"-"` // sent with every request; values are secret if the name suggests it
	Model        string            // as the endpoint names it

	API             string // Chat or Responses; empty means Chat
	Temperature     *float64
	Seed            *int
	ReasoningEffort string

	Structured string // Fences, Schema or Auto, for calls with a schema; empty means Fences

	MaxReplyBytes int // of the reply's text; 0 means 16 MiB

	// Client sends the requests; tapes and tests replace its transport. This package
	// sets its own redirect policy.
	Client *http.Client
	// Count counts tokens. Without it tokens are estimated, and a question that the
	// endpoint truncates goes unnoticed.
	Count func(string) int
	// Progress, if not nil, is called from the calls' goroutines with the number of
	// tokens received so far.
	Progress func(call string, output int)
}

// String returns the options without secrets.
func (o Options) String() string { return o.Model + " at " + baseurl.Shown(o.BaseURL) }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// New makes an agent. It sends nothing: an unreachable endpoint fails when it is
// asked.
func New(o Options) (agent.Agent, error) {
	if o.BaseURL == "" {
		o.BaseURL = PublicBaseURL
	}
	if o.API == "" {
		o.API = Chat
	}
	if o.Structured == "" {
		o.Structured = Fences
	}
	if o.MaxReplyBytes <= 0 {
		o.MaxReplyBytes = defaultMaxReply
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if err := o.check(); err != nil {
		return nil, err
	}
	return newModel(o), nil
}

// check reports all errors, and repeats no value that could be a secret.
func (o *Options) check() error {
	var l fault.List
	wrong := func(hint, format string, args ...any) { l.Add(InvalidSetup, "", hint, format, args...) }
	if strings.TrimSpace(o.Model) == "" {
		l.Add(NoModel, "", "pass --model, or set agents.models", "no model")
	}
	if !baseurl.Valid(o.BaseURL) {
		wrong(baseurl.Hint, "invalid base URL")
	}
	if o.API != Chat && o.API != Responses {
		wrong("use chat or responses", "unknown API %s", fault.Shown(o.API))
	}
	if o.API == Responses && o.Seed != nil {
		wrong("remove the seed, or use the chat API", "the Responses API does not support a seed")
	}
	switch o.Structured {
	case Fences, Schema, Auto:
	default:
		wrong("use fences, schema or auto", "structured: unknown value %s", fault.Shown(o.Structured))
	}
	o.checkHeaders(wrong)
	return l.Err()
}

func (o *Options) checkHeaders(wrong func(hint, format string, args ...any)) {
	if !sendable(o.Key) || !sendable(o.Organization) {
		wrong("check it for line breaks", "the key or the organization is not a valid header value")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		if !isName(name) || !sendable(o.Headers[name]) {
			wrong("", "invalid header %s", fault.Shown(name))
		}
	}
}

// sendable reports whether value is a valid header value.
func sendable(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

// isName reports whether name is a valid header name.
func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// Only long secrets are masked in replies: a reply is verbatim, and a short key such
// as "lm-studio" may be an ordinary word in it.
const shortestInReplies = 16

// secrets masks the key and the values of secret headers in everything that is
// returned: some endpoints repeat the key that they refuse.
type secrets struct {
	modelhttp.Secrets // for error responses
	answers           secret.Finder
}

func secretsOf(o Options) secrets {
	values := []string{o.Key}
	for name, value := range o.Headers {
		values = append(values, secret.InHeader(name, value)...)
	}
	return secrets{Secrets: modelhttp.NewSecrets(values...), answers: secret.New(values, shortestInReplies)}
}

func (s *secrets) answer(t string) string { return modelhttp.Hide(&s.answers, t) }

// cause returns an error without secrets. If its chain contains one, only the
// masked text remains.
func (s *secrets) cause(err error) error {
	if err == nil || !s.inside(err) {
		return err
	}
	return errors.New(s.Text(err.Error()))
}

func (s *secrets) inside(err error) bool {
	if text := err.Error(); s.Text(text) != text {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // each link of the chain is checked separately
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && s.inside(inner)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), s.inside)
	}
	return false
}

// redirected returns the failure for a refused redirect.
func (x *exchange) redirected(away *modelhttp.Redirected) *agent.Failure {
	if away.Loop {
		return &agent.Failure{
			Code: agent.Refused, Detail: x.host + ": redirect loop",
			Hint: "check the settings of the server or its proxy; " + runDoctor,
		}
	}
	return &agent.Failure{
		Code: agent.Refused, Detail: x.host + " redirects to another host; not followed, to protect the key",
		Hint: "if that address is right, set base_url to " + fault.Shown(x.hide.Text(away.Base())),
	}
}

// stripQuery removes query and fragment from the URL in a client error: after a
// redirect they come from the server, and may repeat the key.
func stripQuery(err error) error {
	var at *url.Error
	if !errors.As(err, &at) {
		return err
	}
	own := *at
	if i := strings.IndexAny(own.URL, "?#"); i >= 0 {
		own.URL = own.URL[:i]
	}
	return &own
}
