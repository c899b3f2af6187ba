package openai

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/agent"
	"brenner/internal/modelhttp"
	"brenner/internal/text"
)

// model is one model at one endpoint.
type model struct {
	Options
	host    string // for messages
	client  http.Client
	dialect dialect
	hide    secrets
	// guessing means that tokens are estimated, not counted.
	guessing bool
	// Features that the endpoint does not support. They are discovered from a
	// refusal and remembered for the life of the agent.
	unsupported struct{ stream, usage, schema, maxTokens atomic.Bool }
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
		m.Count, m.guessing = agent.EstimateTokens, true
	}
	m.client.CheckRedirect = modelhttp.SameHost
	return m
}

// form is the set of features that a request uses.
type form struct {
	stream      bool // stream the reply
	reportUsage bool // … with the usage at its end
	schema      bool // constrain the reply to the schema
	maxTokens   bool // send the limit as max_tokens, its old name
}

func (m *model) form(c *agent.Call) form {
	return form{
		stream:      !m.unsupported.stream.Load(),
		reportUsage: !m.unsupported.usage.Load(),
		schema:      m.Structured != Fences && c.Schema != nil && !m.unsupported.schema.Load(),
		maxTokens:   !m.unsupported.maxTokens.Load(),
	}
}

// Ask sends the question, and repeats it without a feature that the endpoint
// refuses. Each repetition has one feature less.
func (m *model) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	var spent agent.Usage
	for asked := 1; ; asked++ {
		x := &exchange{model: m, call: c, form: m.form(&c)}
		reply, f, no := x.run(ctx)
		if f == nil {
			reply.Attempts, reply.Usage = asked, spent.Plus(reply.Usage)
			reply.NoSchema = m.Structured == Auto && c.Schema != nil && !x.form.schema
			return reply, nil
		}
		spent = spent.Plus(f.Usage)
		if no == nil || ctx.Err() != nil || !m.noteUnsupported(x.form, no) {
			f.Attempts, f.Usage = asked, spent
			return agent.Reply{}, f
		}
	}
}

// noteUnsupported records the unsupported feature that a refusal names. It returns false if
// the refusal is about something else.
func (m *model) noteUnsupported(f form, no *refusal) bool {
	if f.schema && m.Structured == Auto && no.refusesSchema() { // some servers answer 500 then, or in the stream
		m.unsupported.schema.Store(true)
		return true
	}
	if no.status != http.StatusBadRequest && no.status != http.StatusUnprocessableEntity && no.status != http.StatusNotImplemented {
		return false
	}
	switch {
	case f.stream && f.reportUsage && no.names("stream_options", "include_usage"):
		m.unsupported.usage.Store(true)
	case f.stream && no.refusesStream():
		m.unsupported.stream.Store(true)
	case f.maxTokens && no.names("max_completion_tokens"):
		m.unsupported.maxTokens.Store(true)
	default:
		return false
	}
	return true
}

// names reports whether a refusal mentions one of these parameters.
func (r *refusal) names(parameters ...string) bool {
	return text.HasAny(strings.ToLower(r.detail.Param+" "+r.detail.Message), parameters...)
}

// refusesSchema reports whether a refusal is about the schema, or about the grammar that a server makes of it.
func (r *refusal) refusesSchema() bool {
	return r.names("response_format", "schema", "text.format", "structured output", "grammar", "guided decoding", "invalid format", "for format", "initialize samplers")
}

func (r *refusal) refusesStream() bool {
	if r.detail.Param == "stream" {
		return true
	}
	return r.names("stream") && r.names("support", "implement", "allow", "disable", "cannot", "false")
}

// input returns the tokens of the question, by our own count.
func (m *model) input(c agent.Call) int {
	n := 0
	for _, t := range c.Turns {
		n += m.Count(t.Text)
	}
	return n
}

// chat is the API that all endpoints speak: POST …/chat/completions.
type chat struct{}

func (c chat) stream(ctx context.Context, client *sdk.Client, x *exchange) (stream, error) {
	r := c.request(x)
	if x.form.reportUsage {
		r.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	s, err := client.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c chat) send(ctx context.Context, client *sdk.Client, x *exchange) error {
	_, err := client.CreateChatCompletion(ctx, c.request(x))
	return err
}

func (chat) request(x *exchange) sdk.ChatCompletionRequest {
	r := sdk.ChatCompletionRequest{Model: x.Model, Seed: x.Seed, ReasoningEffort: x.ReasoningEffort}
	for _, t := range x.call.Turns {
		role := sdk.ChatMessageRoleUser
		if t.Own {
			role = sdk.ChatMessageRoleAssistant
		}
		r.Messages = append(r.Messages, sdk.ChatCompletionMessage{Role: role, Content: t.Text})
	}
	if t := x.Temperature; t != nil {
		r.Temperature = max(float32(*t), math.SmallestNonzeroFloat32) // see setHeaders
	}
	if x.form.schema {
		r.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type: sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{
				Name: schemaName, Schema: json.RawMessage(x.call.Schema), Strict: true,
			},
		}
	}
	// Self-hosted servers support only the limit's old name and would ignore the new
	// one; newer OpenAI models refuse the old name.
	r.MaxTokens = x.call.MaxReply //nolint:staticcheck // deprecated, but many servers support nothing else
	if !x.form.maxTokens || errors.Is(sdk.NewReasoningValidator().Validate(r), sdk.ErrReasoningModelMaxTokensDeprecated) {
		r.MaxTokens, r.MaxCompletionTokens = 0, x.call.MaxReply //nolint:staticcheck // as above
	}
	return r
}

// message is a message of the model, or a part of one. Its texts are strings, or
// parts where the server sends arrays.
type message[text string | parts] struct {
	Content text            `json:"content"`
	Refusal text            `json:"refusal"`
	Calls   json.RawMessage `json:"tool_calls"`

	// Reasoning is sent in members of several names and forms. None is a reason to refuse the reply.
	Thoughts  json.RawMessage `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Reasoning json.RawMessage `json:"reasoning"`         // OpenRouter, Ollama
	Thinking  json.RawMessage `json:"thinking"`          // Ollama, gateways to Anthropic
	Blocks    json.RawMessage `json:"thinking_blocks"`   // LiteLLM, where it sends no text
	Details   json.RawMessage `json:"reasoning_details"` // OpenRouter, where it sends no text
}

// thoughts returns the reasoning in members of its own.
func (m *message[text]) thoughts() string {
	all := thoughtsIn(m.Thoughts) + thoughtsIn(m.Reasoning)
	for _, same := range []json.RawMessage{m.Thinking, m.Blocks, m.Details} {
		if all == "" {
			all = thoughtsIn(same)
		}
	}
	return all
}

// thoughtsIn returns the reasoning in a member. An object of unknown form is kept as it came.
func thoughtsIn(member json.RawMessage) string {
	if !isSet(member) {
		return ""
	}
	var p parts
	if err := p.UnmarshalJSON(member); err != nil || p.text+p.reasoning == "" && member[0] == '{' {
		return string(member)
	}
	return p.text + p.reasoning
}

// completion is a complete response or one chunk of a stream.
type completion[text string | parts] struct {
	Model   string `json:"model"`
	Choices []struct {
		Index   int           `json:"index"`
		Delta   message[text] `json:"delta"`
		Message message[text] `json:"message"`
		Finish  string        `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (chat) chunk(data []byte, a *answer) error {
	var plain completion[string]
	if decode(data, &plain) == nil { // the usual case, and twice as fast
		return plain.take(data, a)
	}
	var c completion[parts]
	if err := decode(data, &c); err != nil {
		return err
	}
	return c.take(data, a)
}

func (c *completion[text]) take(data []byte, a *answer) error {
	if isSet(c.Error) {
		return &refusal{detail: modelhttp.Parse(data)}
	}
	if c.Model != "" {
		a.model = c.Model
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 { // we request one choice
			continue
		}
		for _, m := range []message[text]{choice.Delta, choice.Message} {
			content, thoughts := textOf(m.Content)
			refusal, _ := textOf(m.Refusal)
			a.addReasoning(thoughts + m.thoughts())
			if err := errors.Join(a.add(content), a.addRefusal(refusal), a.addCalls(m.Calls)); err != nil {
				return err
			}
		}
		if choice.Finish != "" && choice.Finish != string(sdk.FinishReasonNull) {
			a.finish = finishReason(choice.Finish)
		}
	}
	a.addUsage(c.Usage, "prompt_tokens", "completion_tokens")
	return nil
}

func (c chat) body(data []byte, a *answer) error {
	var one struct {
		Choices json.RawMessage `json:"choices"`
		Error   json.RawMessage `json:"error"`
	}
	if decode(data, &one) == nil && !isSet(one.Choices) && !isSet(one.Error) {
		return errMalformed // for example, a body of another API
	}
	if err := c.chunk(data, a); err != nil {
		return err
	}
	if a.finish == "" { // some servers omit it; a body is complete
		a.finish = stopped
	}
	return nil
}

func finishReason(reason string) string {
	switch reason {
	case length, "max_tokens":
		return length
	case filtered:
		return filtered
	}
	return stopped
}

func isSet(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null"
}
