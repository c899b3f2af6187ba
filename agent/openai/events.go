package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/internal/modelhttp"
)

var errTooLarge = errors.New("reply too large")

// events filters a response for go-openai's stream reader, and passes only data
// lines. That reader accepts lines of any length, keeps all other lines in memory,
// stops after a number of them, loses an error that follows them, and does not
// distinguish a finished stream from one that was cut off.
type events struct {
	src   *bufio.Reader
	body  io.Closer
	alive func()
	limit int // bytes per line
	room  int // remaining bytes of all lines, including those not kept

	out, rest []byte // the current line, and its unread rest
	line      []byte // buffer for lines longer than the reader's
	done      bool   // [DONE] was received
	head      []byte // the beginning of the response, as evidence
	foreign   bool   // a line that no event stream has
}

// longestHead is how much of a stream's beginning is kept.
const longestHead = 64 << 10

func (e *events) Close() error { return e.body.Close() }

func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		line, err := e.next()
		if err != nil {
			return 0, err
		}
		e.alive()
		e.keep(line)
		e.pass(line)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// keep adds a line to the evidence, unless it is blank or a comment.
func (e *events) keep(line []byte) {
	if bare := bytes.TrimSpace(line); len(bare) > 0 && bare[0] != ':' {
		e.head = append(e.head, line[:min(len(line), longestHead-len(e.head))]...)
	}
}

// pass keeps a line if it has data.
func (e *events) pass(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		e.foreign = e.foreign || !isField(line)
		return
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		e.done = true
	}
	prefix := "data: "
	if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
		// go-openai would handle exactly these bytes itself; the added space prevents it.
		prefix, data = `data: { "error":`, rest
	}
	e.out = append(append(append(e.out[:0], prefix...), data...), '\n')
	e.rest = e.out
}

// isField reports whether a line without data can be part of an event stream.
func isField(line []byte) bool {
	name, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
	return slices.Contains([]string{"", "event", "id", "retry", "data"}, string(name))
}

// next returns a line, valid until the next call. A last line without a line break
// counts if it is complete.
func (e *events) next() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.src.ReadSlice('\n')
		if e.room -= len(part); e.room < 0 {
			return nil, errTooLarge
		}
		if err == nil && len(e.line) == 0 {
			return part, nil
		}
		if len(e.line)+len(part) > e.limit {
			return nil, errTooLarge
		}
		e.line = append(e.line, part...)
		switch {
		case err == nil:
			return e.line, nil
		case errors.Is(err, bufio.ErrBufferFull):
			e.alive()
		case errors.Is(err, io.EOF) && complete(e.line):
			return e.line, nil
		default:
			e.keep(e.line)
			e.foreign = e.foreign || !isField(e.line)
			return nil, err
		}
	}
}

func complete(line []byte) bool {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	return ok && (string(data) == "[DONE]" || json.Valid(data))
}

// responses is OpenAI's newer API: POST …/responses.
type responses struct{}

func (r responses) stream(ctx context.Context, client *sdk.Client, x *exchange) (stream, error) {
	s, err := client.CreateResponseStream(ctx, r.request(x))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (r responses) send(ctx context.Context, client *sdk.Client, x *exchange) error {
	_, err := client.CreateResponse(ctx, r.request(x))
	return err
}

func (responses) request(x *exchange) sdk.CreateResponseRequest {
	store := false // sessions are kept in our own journal only
	r := sdk.CreateResponseRequest{Model: x.Model, MaxOutputTokens: x.call.MaxReply, Store: &store}
	var input []sdk.ResponseInputMessage
	for _, t := range x.call.Turns {
		role := sdk.ChatMessageRoleUser
		if t.Own {
			role = sdk.ChatMessageRoleAssistant
		}
		input = append(input, sdk.ResponseInputMessage{Role: role, Content: t.Text})
	}
	r.Input = input
	if t := x.Temperature; t != nil {
		exact := float32(*t)
		r.Temperature = &exact
	}
	if x.ReasoningEffort != "" {
		r.Reasoning = &sdk.ResponseReasoning{Effort: x.ReasoningEffort}
	}
	if x.form.schema {
		r.Text = &sdk.ResponseTextConfig{Format: &sdk.ResponseTextFormat{
			Type: "json_schema", Name: schemaName, Schema: json.RawMessage(x.call.Schema), Strict: true,
		}}
	}
	return r
}

// response is a complete response, or its state in a stream event.
type response struct {
	Model  string `json:"model"`
	Status string `json:"status"`
	Output []struct {
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Content   []responsePart  `json:"content"`
		Summary   []responsePart  `json:"summary"` // of its reasoning
	} `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type responsePart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

func (responses) chunk(data []byte, a *answer) error {
	var e struct {
		Type     sdk.ResponseStreamEventType `json:"type"`
		Delta    json.RawMessage             `json:"delta"`
		Response json.RawMessage             `json:"response"`
		Error    json.RawMessage             `json:"error"`
	}
	if err := decode(data, &e); err != nil {
		return err
	}
	if e.Type == sdk.ResponseStreamEventError || isSet(e.Error) {
		return &refusal{detail: modelhttp.Parse(data)}
	}
	if e.Type == "" {
		return errMalformed // for example, a chunk of the chat API
	}
	var delta parts
	switch e.Type {
	case sdk.ResponseStreamEventOutputTextDelta, sdk.ResponseStreamEventRefusalDelta,
		sdk.ResponseStreamEventReasoningTextDelta, sdk.ResponseStreamEventReasoningSummaryTextDelta:
		if err := decode(e.Delta, &delta); err != nil {
			return err
		}
	case sdk.ResponseStreamEventCompleted, sdk.ResponseStreamEventIncomplete, sdk.ResponseStreamEventFailed:
		return readState(e.Response, a)
	}
	switch e.Type {
	case sdk.ResponseStreamEventOutputTextDelta:
		a.addReasoning(delta.reasoning)
		return a.add(delta.text)
	case sdk.ResponseStreamEventRefusalDelta:
		return a.addRefusal(delta.text)
	}
	a.addReasoning(delta.text + delta.reasoning)
	return nil
}

func (responses) body(data []byte, a *answer) error { return readState(data, a) }

// readState reads how a response ended, and its text if none was streamed.
func readState(data []byte, a *answer) error {
	var r response
	if err := decode(data, &r); err != nil {
		return err
	}
	a.addUsage(r.Usage, "input_tokens", "output_tokens")
	if isSet(r.Error) {
		return &refusal{detail: modelhttp.Parse(data)}
	}
	if r.Status == "" && r.Output == nil {
		return errMalformed // for example, a body of the chat API
	}
	a.model = r.Model
	if err := r.readOutput(a); err != nil {
		return err
	}
	switch {
	case r.Status == string(sdk.ResponseStatusFailed) || r.Status == string(sdk.ResponseStatusCancelled):
		return &refusal{detail: modelhttp.ErrorBody{Message: "response status " + r.Status}}
	case r.Incomplete.Reason == "max_output_tokens":
		a.finish = length
	case r.Incomplete.Reason != "":
		a.finish = finishReason(r.Incomplete.Reason)
	default:
		a.finish = stopped
	}
	return nil
}

// readOutput reads the calls of tools and, if none was streamed, the text.
func (r *response) readOutput(a *answer) error {
	streamed, thought := a.text.Len() > 0 || a.refusal.Len() > 0, a.reasoning.Len() > 0
	for _, item := range r.Output {
		if item.Type == "function_call" {
			if err := a.addCall(len(a.calls), item.Name, item.Arguments); err != nil {
				return err
			}
		}
		for _, part := range append(item.Summary, item.Content...) {
			if isReasoning(item.Type) || isReasoning(part.Type) {
				if !thought {
					a.addReasoning(part.Text)
				}
				continue
			}
			if streamed {
				continue
			}
			if err := errors.Join(a.add(part.Text), a.addRefusal(part.Refusal)); err != nil {
				return err
			}
		}
	}
	return nil
}
