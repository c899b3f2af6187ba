package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"brenner/agent"
	"brenner/internal/modelhttp"
)

// model is one model at one endpoint.
type model struct {
	Options
	host    string // for messages
	client  http.Client
	dialect dialect
	hide    secrets
	// guessing means that tokens are not really counted.
	guessing bool
	// What the endpoint turned out not to be able to do. It is found out by being
	// refused, once, and remembered as long as the agent lives.
	cannot struct{ stream, tellUsage, schema, maxTokens atomic.Bool }
}

func newModel(o Options) *model {
	m := &model{Options: o, hide: secretsOf(o), dialect: chat{}}
	if o.API == Responses {
		m.dialect = responses{}
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		m.host = u.Host
	}
	if o.Client != nil {
		m.client = *o.Client
	}
	if o.Count == nil {
		m.Count, m.guessing = agent.Guess, true
	}
	m.client.CheckRedirect = modelhttp.SameHost
	return m
}

// form is how a question is put: with all that the endpoint is believed to be
// able to do.
type form struct {
	stream    bool // the answer comes bit by bit
	tellUsage bool // … and what it cost at its end
	schema    bool // the answer is held to the schema
	maxTokens bool // the bound has its old name
}

func (m *model) form() form {
	return form{
		stream:    !m.cannot.stream.Load(),
		tellUsage: !m.cannot.tellUsage.Load(),
		schema:    m.Structured != Fences && !m.cannot.schema.Load(),
		maxTokens: !m.cannot.maxTokens.Load(),
	}
}

// Ask puts the question, and puts it again in a simpler form where the endpoint
// says that it is the form that it cannot take. Each time there is one thing less
// that it could refuse.
func (m *model) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	var spent agent.Usage
	for asked := 1; ; asked++ {
		x := &exchange{model: m, call: c, form: m.form()}
		reply, f, no := x.run(ctx)
		if f == nil {
			reply.Attempts, reply.Usage = asked, spent.Plus(reply.Usage)
			return reply, nil
		}
		spent = spent.Plus(f.Usage)
		if no == nil || ctx.Err() != nil || !m.learn(x.form, no) {
			f.Attempts, f.Usage = asked, spent
			return agent.Reply{}, f
		}
	}
}

// learn finds out what an endpoint cannot do, from its refusal. False means that
// the refusal is about something else.
func (m *model) learn(f form, no *refusal) bool {
	if no.status != http.StatusBadRequest && no.status != http.StatusUnprocessableEntity && no.status != http.StatusNotImplemented {
		return false
	}
	switch {
	case f.schema && m.Structured == Auto && no.names("response_format", "json_schema", "text.format", "structured output"):
		m.cannot.schema.Store(true)
	case f.stream && f.tellUsage && no.names("stream_options", "include_usage"):
		m.cannot.tellUsage.Store(true)
	case f.stream && no.refusesStream():
		m.cannot.stream.Store(true)
	case f.maxTokens && no.names("max_completion_tokens"):
		m.cannot.maxTokens.Store(true)
	default:
		return false
	}
	return true
}

// names tells whether a refusal is about one of these parameters.
func (r *refusal) names(parameters ...string) bool {
	text := strings.ToLower(r.said.Param + " " + r.said.Message)
	for _, p := range parameters {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func (r *refusal) refusesStream() bool {
	if r.said.Param == "stream" {
		return true
	}
	return r.names("stream") && r.names("support", "implement", "allow", "disable", "cannot", "false")
}

// input is how many tokens the question has, by our own count.
func (m *model) input(c agent.Call) int {
	n := 0
	for _, t := range c.Turns {
		n += m.Count(t.Text)
	}
	return n
}
