// Package openai is the kind of agent that asks a model at any endpoint that
// speaks as OpenAI's do: hosted ones, gateways, and servers of one's own.
//
// It promises: a reply is what the model wrote, whole; whatever else happens is a
// *agent.Failure that says what the user can do; memory is bounded whatever the
// endpoint sends; and the key goes to the configured host only, and is in nothing
// that comes back, errors and their causes included.
//
// It must not know what is asked, when to ask again, or where the key comes from.
package openai

import (
	"bytes"
	"encoding/json"
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

// The two forms in which an endpoint can be asked.
const (
	Chat      = "chat"      // POST …/chat/completions: what everybody speaks
	Responses = "responses" // POST …/responses
)

// How a model is made to give deltas that can be read.
const (
	Fences = "fences" // as the prompt says, in Markdown
	Schema = "schema" // by a JSON schema; an endpoint that cannot is a failure
	Auto   = "auto"   // by a JSON schema where the endpoint can, else by fences
)

// PublicBaseURL is where OpenAI's own models are.
const PublicBaseURL = "https://api.openai.com/v1"

// The codes of agents that cannot be made.
const (
	NoModel      fault.Code = "NO_MODEL"            // No model for an agent.
	InvalidSetup fault.Code = "MODEL_SETUP_INVALID" // Invalid options for an agent; nothing was sent.
)

// defaultMaxReply is far more than any model writes, and far less than a machine
// has.
const defaultMaxReply = 16 << 20

// Options say which model is asked, and how. All but Model can be left out.
type Options struct {
	BaseURL      string // without the last part of the path; empty means PublicBaseURL
	Key          string `json:"-"` // sent as a bearer token; empty sends none
	KeyName      string // where the key comes from, for messages; empty means OPENAI_API_KEY
	Organization string
	Headers      map[string]string `json:"-"` // sent with every request; values are secrets where the names look so
	Model        string            // as the endpoint names it

	API             string // Chat or Responses; empty means Chat
	Temperature     *float64
	Seed            *int
	ReasoningEffort string

	Structured string // Fences, Schema or Auto; empty means Fences
	Schema     []byte // JSON schema of {"prose": …, "deltas": […]}; needed unless Fences
	Strict     bool   // the schema keeps to what OpenAI's strict mode can hold

	MaxReplyBytes int // of the answer's text; 0 means 16 MiB

	// Client sends the requests; its transport is where tapes and tests come in.
	// Redirects are this package's business, whatever the client says of them.
	Client *http.Client
	// Count counts the tokens of a text. Without it tokens are guessed, and a
	// question that the endpoint cuts short goes unnoticed.
	Count func(string) int
	// Progress is told how many tokens of an answer have come so far. It is called
	// from the goroutines of the calls.
	Progress func(call string, output int)
}

// String gives what may be shown of the options, and of an agent made with them,
// to whoever prints one.
func (o Options) String() string { return o.Model + " at " + o.BaseURL }

// GoString is String for %#v.
func (o Options) GoString() string { return o.String() }

// New makes an agent. It sends nothing: an endpoint that cannot be reached shows
// when it is asked.
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

// check says everything that is wrong at once, and repeats no value that could be
// a secret.
func (o *Options) check() error {
	var l fault.List
	wrong := func(hint, format string, args ...any) { l.Add(InvalidSetup, "", hint, format, args...) }
	if strings.TrimSpace(o.Model) == "" {
		l.Add(NoModel, "", "name one with --model or agents.models", "nothing says which model to ask")
	}
	if !baseurl.Valid(o.BaseURL) {
		wrong(baseurl.Hint, "the base URL is no address of an endpoint")
	}
	if o.API != Chat && o.API != Responses {
		wrong("chat or responses", "%s is no API", fault.Shown(o.API))
	}
	if o.API == Responses && o.Seed != nil {
		wrong("leave the seed out, or ask with the chat API", "the Responses API takes no seed")
	}
	switch o.Structured {
	case Fences:
	case Schema, Auto:
		if text := bytes.TrimSpace(o.Schema); !json.Valid(text) || !bytes.HasPrefix(text, []byte("{")) {
			wrong("", "structured answers need a JSON schema")
		}
	default:
		wrong("fences, schema or auto", "%s is no form of answers", fault.Shown(o.Structured))
	}
	o.checkHeaders(wrong)
	return l.Err()
}

func (o *Options) checkHeaders(wrong func(hint, format string, args ...any)) {
	if !sendable(o.Key) || !sendable(o.Organization) {
		wrong("look for a line break in it", "the key or the organization cannot be sent")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		if !isName(name) || !sendable(o.Headers[name]) {
			wrong("", "the header %s cannot be sent", fault.Shown(name))
		}
	}
}

// sendable tells whether a header can have this value.
func sendable(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

// isName tells whether a header can have this name.
func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// In answers only what cannot be a word is hidden: an answer is verbatim, and
// "lm-studio" may well stand in one.
const shortestInAnswers = 16

// secrets keeps the key, and what else was given to be sent in headers that look
// secret, out of everything that comes back: some endpoints repeat the key that
// they refuse.
type secrets struct {
	modelhttp.Secrets // out of what endpoints say of their "no"
	answers           secret.Finder
}

func secretsOf(o Options) secrets {
	given := []string{o.Key}
	for name, value := range o.Headers {
		if !secret.Header(name) {
			continue // its value may be a word that every answer has
		}
		given = append(given, value)
		if _, token, ok := strings.Cut(value, " "); ok { // "Bearer …"
			given = append(given, token)
		}
	}
	return secrets{Secrets: modelhttp.NewSecrets(given...), answers: secret.New(given, shortestInAnswers)}
}

func (s *secrets) answer(t string) string { return modelhttp.Hide(s.answers, t) }

// cause gives an error that can be shown. Where a secret is anywhere in its chain,
// only the text of it is left, without the secret: whoever unwraps it finds
// nothing.
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
	switch e := err.(type) { //nolint:errorlint // every step of the chain is looked at by itself
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && s.inside(inner)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), s.inside)
	}
	return false
}

// sentOn says what to do about a request that was to be sent on.
func (x *exchange) sentOn(away *modelhttp.Redirected) *agent.Failure {
	if away.Loop {
		return &agent.Failure{
			Code: agent.Refused, Detail: x.host + " sends the request on and on, and never answers it",
			Hint: "look at the settings of the server, or of the proxy before it; " + askDoctor,
		}
	}
	return &agent.Failure{
		Code: agent.Refused, Detail: x.host + " wants the request sent elsewhere, and with it the key",
		Hint: "if that address is right, make it the base_url: " + fault.Shown(x.hide.Text(away.Base())),
	}
}

// unqueried takes the query and the fragment out of the address that an error of
// the client names: after a redirect they are whatever the other side made them.
func unqueried(err error) error {
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
