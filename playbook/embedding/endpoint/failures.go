package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"brenner/internal/fault"
	"brenner/internal/modelhttp"
	"brenner/playbook/embedding"
)

// mostPerText bounds the JSON bytes of a vector; 8,000 numbers take half of it.
const mostPerText = 256 << 10

// malformed is an answer that does not match the request.
type malformed struct{ detail string }

func (m *malformed) Error() string { return m.detail }

// refusal is an error answer of the endpoint.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)) }

// bounded limits how much of an answer is read.
type bounded struct {
	model *Model
	room  int
}

// Do sends a request of go-openai.
func (b *bounded) Do(req *http.Request) (*http.Response, error) {
	resp, err := b.model.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return nil, &refusal{status: resp.StatusCode, message: b.model.hide.ReadSaid(resp.Body).Message}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(b.room)+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > b.room:
		return nil, &malformed{fmt.Sprintf("its answer has more than %d bytes", b.room)}
	case !json.Valid(data):
		return nil, &malformed{"its answer is not JSON"}
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// fault returns why there are no vectors. It never contains the key.
func (m *Model) fault(ctx context.Context, err error) error {
	op := "embed at " + m.host
	if ctx.Err() != nil {
		return &fault.Error{Code: embedding.Unavailable, Op: op, Cause: ctx.Err()}
	}
	f := m.judge(err)
	f.Op = op
	f.Detail, f.Hint = m.hide.Text(f.Detail), m.hide.Text(f.Hint)
	return f
}

func (m *Model) judge(err error) *fault.Error {
	var no *refusal
	var bad *malformed
	var away *modelhttp.Redirected
	switch {
	case errors.As(err, &no):
		return m.refused(no)
	case errors.As(err, &away) && away.Loop:
		return &fault.Error{
			Code: embedding.Refused, Detail: "it sends the request on and on, and never answers it",
			Hint: "look at the settings of the server, or of the proxy before it",
		}
	case errors.As(err, &away):
		return &fault.Error{
			Code: embedding.Refused, Detail: "it wants the request sent elsewhere, and with it the key",
			Hint: "if " + fault.Shown(away.Base()) + " is right, make it the base_url",
		}
	case errors.As(err, &bad):
		return &fault.Error{
			Code: embedding.Malformed, Detail: bad.detail,
			Hint: "is " + m.BaseURL + " an endpoint with embeddings, and " + fault.Shown(m.Options.Model) + " a model for them?",
		}
	case errors.As(err, new(*json.UnmarshalTypeError)):
		return &fault.Error{Code: embedding.Malformed, Detail: "its answer is not the JSON of this API", Hint: "the base_url often ends with /v1"}
	}
	detail := err.Error()
	var at *url.Error
	if errors.As(err, &at) {
		detail = at.Err.Error() // the message has the address already
	}
	return &fault.Error{
		Code: embedding.Unavailable, Detail: "it cannot be reached: " + detail,
		Hint: "is " + m.BaseURL + " the right base_url, and does the server run?",
	}
}

func (m *Model) refused(no *refusal) *fault.Error {
	f := &fault.Error{Code: embedding.Refused, Detail: no.Error()}
	if no.message != "" {
		f.Detail += ": " + m.hide.Shown(no.message)
	}
	switch {
	case no.status == http.StatusUnauthorized || no.status == http.StatusForbidden:
		f.Hint = "set " + m.keyFrom() + " to a key of this endpoint"
	case no.status == http.StatusNotFound:
		f.Hint = "there is no such model or no such path; a base_url often ends with /v1"
	case no.status == http.StatusTooManyRequests, no.status >= 500:
		f.Code, f.Hint = embedding.Unavailable, "run the command again later"
	default:
		f.Hint = "look at the model's name"
	}
	return f
}
