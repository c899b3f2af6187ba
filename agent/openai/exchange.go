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
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/internal/modelhttp"
	"brenner/internal/text"
)

// dialect is one of the two APIs.
type dialect interface {
	stream(context.Context, *sdk.Client, *exchange) (stream, error)
	send(context.Context, *sdk.Client, *exchange) error
	chunk(data []byte, a *answer) error
	body(data []byte, a *answer) error
}

// stream is implemented by both of go-openai's streams.
type stream interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// exchange is one request and its response.
type exchange struct {
	*model
	call   agent.Call
	form   form
	answer answer
	begun  bool        // the endpoint has accepted the request
	sent   atomic.Bool // the whole request was written
	events *events     // a streamed response …
	whole  []byte      // … or the complete body
	wrong  []byte      // the malformed event of a stream
}

// run sends the request. It also returns the endpoint's refusal, if there was one.
func (x *exchange) run(ctx context.Context) (agent.Reply, *agent.Failure, *refusal) {
	x.answer = answer{limit: x.MaxReplyBytes, count: x.Count, progress: func(n int) {
		if x.Progress != nil {
			x.Progress(x.call.ID, n)
		}
	}}
	err := x.talk(ctx)
	if errors.Is(err, errEndless) { // the endpoint ignores the limit, so the reply is cut here
		x.answer.finish = length
	}
	if err == nil || x.answer.finish != "" && !errors.Is(err, errTooLarge) {
		// A finished reply counts, whatever went wrong after its end.
		reply, f := x.reply()
		return reply, f, nil
	}
	f := x.failure(ctx, err)
	var no *refusal
	errors.As(err, &no)
	f.Partial = x.evidence(f.Code, no)
	return agent.Reply{}, f, no
}

// evidence returns what is kept of a response without a complete reply: the text so far, with the
// event that could not be read, or else the response itself.
func (x *exchange) evidence(code fault.Code, no *refusal) string {
	kept := text.FirstBytes(x.hide.answer(strings.ToValidUTF8(x.answer.text.String(), "\uFFFD")), longestPartial)
	switch {
	case no != nil && no.status != 0:
		if no.detail.Complete() {
			return ""
		}
		return x.hide.Evidence([]byte(no.detail.Raw))
	case strings.TrimSpace(kept) == "" && (code == agent.Malformed || code == agent.Cut):
		return x.hide.Evidence(x.received())
	case x.wrong != nil:
		return kept + "\n\n[unreadable]\n" + x.hide.Evidence(x.wrong) + "\n"
	}
	return kept
}

// received returns the response as it arrived, or its beginning.
func (x *exchange) received() []byte {
	if x.events != nil {
		return x.events.head
	}
	return x.whole
}

// talk sends the request and reads the response.
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
	if x.events == nil { // the endpoint ignored the request to stream
		return x.dialect.body(x.whole, &x.answer)
	}
	var timer *time.Timer
	defer func() {
		if timer != nil {
			timer.Stop()
		}
	}()
	for {
		done, err := x.receive(s)
		if done || err != nil {
			return err
		}
		if x.answer.finish != "" && timer == nil {
			// The usage may still follow. Some servers never close the connection.
			timer = time.AfterFunc(linger, func() { _ = x.events.Close() })
		}
	}
}

// receive reads one event of a stream. It returns true at the end.
func (x *exchange) receive(s stream) (done bool, err error) {
	data, err := s.RecvRaw()
	switch {
	case errors.Is(err, io.EOF) && (x.events.done || x.answer.finish != ""):
		return true, nil
	case errors.Is(err, io.EOF) && x.events.foreign:
		return false, errMalformed // for example, plain text
	case err != nil:
		return false, err
	}
	err = x.dialect.chunk(x.answer.encodeBytes(data), &x.answer)
	if errors.Is(err, errMalformed) {
		x.wrong = bytes.Clone(data)
	}
	if err == nil && x.answer.finish == "" && x.answer.endless(x.call.MaxReply) {
		return false, errEndless
	}
	return false, err
}

// Do implements go-openai's HTTPDoer. It adds headers from the options and limits
// how much it reads.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := x.setHeaders(req); err != nil {
		return nil, err
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { x.sent.Store(w.Err == nil) },
	}))
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, stripQuery(err)
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
	limit := 2*x.MaxReplyBytes + 64<<10 // as JSON, with the fields around it
	if x.form.stream {
		first, err := firstByte(src, limit)
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
	x.whole, err = io.ReadAll(io.LimitReader(aliveReader{src, x.alive}, int64(limit)+1))
	switch {
	case len(x.whole) > limit:
		return nil, errTooLarge
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(x.whole)) == 0:
		return nil, errNoBody
	case bytes.HasPrefix(bytes.TrimSpace(x.whole), []byte("<")):
		return nil, &page{x.hide.Page(x.whole)}
	}
	resp.Body = io.NopCloser(strings.NewReader("{}")) // for go-openai; the body is already read
	return resp, nil
}

// setHeaders adds what go-openai does not support: headers, the idempotency key
// and a temperature of zero.
func (x *exchange) setHeaders(req *http.Request) error {
	for name, value := range x.Headers {
		req.Header.Set(name, value)
	}
	if id := x.id(); id != "" {
		req.Header.Set("Idempotency-Key", id)
	}
	// go-openai omits a temperature of zero and sends the smallest number instead.
	// Within a string the quotes would be escaped, so this matches only the parameter.
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

// id returns the idempotency key. The same question in another form is another
// request, with another key.
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
	if !x.form.reportUsage {
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

// firstByte returns the first non-space byte without consuming it.
func firstByte(r *bufio.Reader, limit int) (byte, error) {
	for range limit {
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

// aliveReader calls alive on every read.
type aliveReader struct {
	r     io.Reader
	alive func()
}

func (l aliveReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}

// page is the error for a web page in place of a response.
type page struct{ text string }

func (p *page) Error() string { return "a web page: " + p.text }
