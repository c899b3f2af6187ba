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

// maxPerText bounds the JSON bytes of a vector; 8,000 numbers take half of it.
const maxPerText = 256 << 10

// malformed is a response that does not match the request.
type malformed struct{ detail string }

func (m *malformed) Error() string { return m.detail }

// refusal is an error response of the endpoint.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)) }

// bounded limits how much of a response is read.
type bounded struct {
	model *Model
	limit int
}

// Do sends a request of go-openai.
func (b *bounded) Do(req *http.Request) (*http.Response, error) {
	resp, err := b.model.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return nil, &refusal{status: resp.StatusCode, message: b.model.hide.ReadError(resp.Body).Message}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(b.limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > b.limit:
		return nil, &malformed{fmt.Sprintf("the response has more than %d bytes", b.limit)}
	case !json.Valid(data):
		return nil, &malformed{"the response is not JSON"}
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
	f := m.classify(err)
	f.Op = op
	f.Detail, f.Hint = m.hide.Text(f.Detail), m.hide.Text(f.Hint)
	return f
}

func (m *Model) classify(err error) *fault.Error {
	var no *refusal
	var bad *malformed
	var away *modelhttp.Redirected
	switch {
	case errors.As(err, &no):
		return m.refusalError(no)
	case errors.As(err, &away) && away.Loop:
		return &fault.Error{
			Code: embedding.Refused, Detail: "redirect loop",
			Hint: "check the settings of the server, or of its proxy",
		}
	case errors.As(err, &away):
		return &fault.Error{
			Code: embedding.Refused, Detail: "redirected to another host, which would get the key",
			Hint: "if " + fault.Shown(away.Base()) + " is right, set it as base_url",
		}
	case errors.As(err, &bad):
		return &fault.Error{
			Code: embedding.Malformed, Detail: bad.detail,
			Hint: "check that " + m.BaseURL + " serves embeddings, and that " + fault.Shown(m.Options.Model) + " is a model for them",
		}
	case errors.As(err, new(*json.UnmarshalTypeError)):
		return &fault.Error{Code: embedding.Malformed, Detail: "unexpected JSON in the response", Hint: "base_url often ends with /v1"}
	}
	detail := err.Error()
	var at *url.Error
	if errors.As(err, &at) {
		detail = at.Err.Error() // the message already has the address
	}
	return &fault.Error{
		Code: embedding.Unavailable, Detail: "cannot connect: " + detail,
		Hint: "check base_url " + m.BaseURL + ", and that the server runs",
	}
}

func (m *Model) refusalError(no *refusal) *fault.Error {
	f := &fault.Error{Code: embedding.Refused, Detail: no.Error()}
	if no.message != "" {
		f.Detail += ": " + m.hide.Shown(no.message)
	}
	switch {
	case no.status == http.StatusUnauthorized || no.status == http.StatusForbidden:
		f.Hint = "set " + m.keyName() + " to a key for this endpoint"
	case no.status == http.StatusNotFound:
		f.Hint = "no such model or path; base_url often ends with /v1"
	case no.status == http.StatusTooManyRequests, no.status >= 500:
		f.Code, f.Hint = embedding.Unavailable, "retry later"
	default:
		f.Hint = "check the model's name"
	}
	return f
}
