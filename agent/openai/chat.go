package openai

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"brenner/internal/modelhttp"

	sdk "github.com/sashabaranov/go-openai"
)

// chat is the form that everybody speaks: POST …/chat/completions.
type chat struct{}

func (c chat) stream(ctx context.Context, client *sdk.Client, x *exchange) (stream, error) {
	r := c.request(x)
	if x.form.tellUsage {
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
		r.Temperature = max(float32(*t), math.SmallestNonzeroFloat32) // see dress
	}
	if x.form.schema {
		r.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type: sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{
				Name: schemaName, Schema: json.RawMessage(x.Schema), Strict: x.Strict,
			},
		}
	}
	// Servers of one's own know the bound by its old name only, and would answer
	// without any; newer models at OpenAI refuse the old name.
	r.MaxTokens = x.call.MaxReply //nolint:staticcheck // deprecated, and all that many servers know
	if !x.form.maxTokens || errors.Is(sdk.NewReasoningValidator().Validate(r), sdk.ErrReasoningModelMaxTokensDeprecated) {
		r.MaxTokens, r.MaxCompletionTokens = 0, x.call.MaxReply //nolint:staticcheck // as above
	}
	return r
}

// message is what a model wrote, or a piece of it. Texts are strings; some servers
// give them in parts, and then they are words.
type message[text ~string] struct {
	Content   text `json:"content"`
	Refusal   text `json:"refusal"`
	Thoughts  text `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Reasoning text `json:"reasoning"`         // OpenRouter, Ollama
}

// completion is both a whole answer and a piece of one.
type completion[text ~string] struct {
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
	if decode(data, &plain) == nil { // almost always, and twice as fast
		return plain.take(data, a)
	}
	var c completion[words]
	if err := decode(data, &c); err != nil {
		return err
	}
	return c.take(data, a)
}

func (c *completion[text]) take(data []byte, a *answer) error {
	if isSet(c.Error) {
		return &refusal{said: modelhttp.Parse(data)}
	}
	if c.Model != "" {
		a.model = c.Model
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 { // we ask for one answer
			continue
		}
		for _, m := range []message[text]{choice.Delta, choice.Message} {
			a.think(string(m.Thoughts + m.Reasoning))
			if err := errors.Join(a.add(string(m.Content)), a.refuse(string(m.Refusal))); err != nil {
				return err
			}
		}
		if choice.Finish != "" && choice.Finish != string(sdk.FinishReasonNull) {
			a.finish = ending(choice.Finish)
		}
	}
	a.cost(c.Usage, "prompt_tokens", "completion_tokens")
	return nil
}

func (c chat) body(data []byte, a *answer) error {
	var one struct {
		Choices json.RawMessage `json:"choices"`
		Error   json.RawMessage `json:"error"`
	}
	if decode(data, &one) == nil && !isSet(one.Choices) && !isSet(one.Error) {
		return errMalformed // the body of another API, say
	}
	if err := c.chunk(data, a); err != nil {
		return err
	}
	if a.finish == "" { // some servers do not say; a body has an end of its own
		a.finish = stopped
	}
	return nil
}

func ending(word string) string {
	switch word {
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
