package openai

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/agent"
	"brenner/internal/modelhttp"
	"brenner/internal/text"
)

// dialect is one of the two forms in which an endpoint can be asked.
type dialect interface {
	stream(context.Context, *sdk.Client, *exchange) (stream, error)
	send(context.Context, *sdk.Client, *exchange) error
	chunk(data []byte, a *answer) error
	body(data []byte, a *answer) error
}

// stream is what both of go-openai's streams are.
type stream interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// exchange is one request and what comes of it.
type exchange struct {
	*model
	call   agent.Call
	form   form
	answer answer
	begun  bool    // the endpoint has accepted the request
	events *events // the answer as it streams in …
	whole  []byte  // … or all of it
}

// run asks. The refusal is given where the endpoint gave one.
func (x *exchange) run(ctx context.Context) (agent.Reply, *agent.Failure, *refusal) {
	x.answer = answer{limit: x.MaxReplyBytes, count: x.Count, progress: func(n int) {
		if x.Progress != nil {
			x.Progress(x.call.ID, n)
		}
	}}
	err := x.talk(ctx)
	if err == nil || x.answer.finish != "" && !errors.Is(err, errTooLarge) {
		// An answer that was finished is one, whatever went wrong after its end.
		reply, f := x.reply()
		return reply, f, nil
	}
	f := x.failure(ctx, err)
	f.Partial = text.FirstBytes(x.hide.answer(strings.ToValidUTF8(x.answer.text.String(), "\uFFFD")), longestPartial)
	var no *refusal
	errors.As(err, &no)
	return agent.Reply{}, f, no
}

// talk sends the request and takes the answer in.
func (x *exchange) talk(ctx context.Context) error {
	config := sdk.DefaultConfig(x.Key)
	config.BaseURL, config.OrgID, config.HTTPClient = x.BaseURL, x.Organization, x
	client := sdk.NewClientWithConfig(config)
	if !x.form.stream {
		if err := x.dialect.send(ctx, client, x); err != nil {
			return err
		}
		return x.dialect.body(x.whole, &x.answer)
	}
	s, err := x.dialect.stream(ctx, client, x)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if x.events == nil { // it was asked for a stream, and does not know how
		return x.dialect.body(x.whole, &x.answer)
	}
	var timer *time.Timer
	defer func() {
		if timer != nil {
			timer.Stop()
		}
	}()
	for {
		data, err := s.RecvRaw()
		if errors.Is(err, io.EOF) && (x.events.done || x.answer.finish != "") {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.dialect.chunk(x.answer.disguise(data), &x.answer); err != nil {
			return err
		}
		if x.answer.finish == "" && x.answer.endless(x.call.MaxReply) {
			return errEndless
		}
		if x.answer.finish != "" && timer == nil {
			// What it cost may still come. Some servers keep the line open for ever.
			timer = time.AfterFunc(linger, func() { _ = x.events.Close() })
		}
	}
}

// Do is where go-openai's requests go out and their answers come in: it asks as
// the options say, and takes in no more than there is room for.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := x.dress(req); err != nil {
		return nil, err
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, unqueried(err)
	}
	x.alive()
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		return nil, x.refused(resp)
	}
	x.begun = true
	src := bufio.NewReader(resp.Body)
	if first, err := src.Peek(len(modelhttp.BOM)); err == nil && string(first) == modelhttp.BOM {
		_, _ = src.Discard(len(modelhttp.BOM))
	}
	limit := 2*x.MaxReplyBytes + 64<<10 // as JSON, with what stands around it
	if x.form.stream {
		first, err := begins(src, limit)
		if errors.Is(err, errTooLarge) {
			_ = resp.Body.Close()
			return nil, err
		}
		if err == nil && first != '{' && first != '[' && first != '<' {
			x.events = &events{src: src, body: resp.Body, alive: x.alive, limit: limit, room: 4*x.MaxReplyBytes + 1<<20}
			resp.Body = x.events
			return resp, nil
		}
	}
	defer func() { _ = resp.Body.Close() }()
	x.whole, err = io.ReadAll(io.LimitReader(lively{src, x.alive}, int64(limit)+1))
	switch {
	case len(x.whole) > limit:
		return nil, errTooLarge
	case err != nil:
		return nil, err
	case bytes.HasPrefix(bytes.TrimSpace(x.whole), []byte("<")):
		return nil, &page{x.hide.Page(x.whole)}
	}
	resp.Body = io.NopCloser(strings.NewReader("{}")) // go-openai may read this; we have the answer
	return resp, nil
}

// dress puts on a request what go-openai has no place for.
func (x *exchange) dress(req *http.Request) error {
	for name, value := range x.Headers {
		req.Header.Set(name, value)
	}
	if id := x.id(); id != "" {
		req.Header.Set("Idempotency-Key", id)
	}
	// Of go-openai's requests a temperature of zero would be left out; the number
	// that stands for it there is the smallest one. In a text the quotes would be
	// escaped: this can only be the parameter.
	const nearly, zero = `"temperature":1e-45`, `"temperature":0`
	if x.Temperature == nil || *x.Temperature != 0 || req.GetBody == nil {
		return nil
	}
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	data = bytes.Replace(data, []byte(nearly), []byte(zero), 1)
	req.ContentLength = int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.Body, err = req.GetBody()
	return err
}

// id names a request, so that an endpoint that remembers them answers it once. The
// same question in another form is another request, and has another name.
func (x *exchange) id() string {
	id := x.call.ID
	if id == "" {
		return ""
	}
	if !sendable(id) {
		sum := sha256.Sum256([]byte(id))
		id = hex.EncodeToString(sum[:])
	}
	if !x.form.stream {
		id += "+whole"
	}
	if !x.form.tellUsage {
		id += "+uncounted"
	}
	if !x.form.schema && x.Structured != Fences {
		id += "+fences"
	}
	if !x.form.maxTokens {
		id += "+completion"
	}
	return id
}

func (x *exchange) alive() {
	if x.call.Alive != nil {
		x.call.Alive()
	}
}

// begins gives the first byte that is no space, and leaves it there.
func begins(r *bufio.Reader, most int) (byte, error) {
	for range most {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		}
		return b, r.UnreadByte()
	}
	return 0, errTooLarge
}

// lively tells of every sign of life.
type lively struct {
	r     io.Reader
	alive func()
}

func (l lively) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}

// page is a web page where an answer was expected.
type page struct{ text string }

func (p *page) Error() string { return "a web page: " + p.text }
