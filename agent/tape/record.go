package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"brenner/agent"
)

// Recorder is a transport that records exchanges.
type Recorder struct {
	next    http.RoundTripper
	secrets []string

	mu     sync.Mutex // guards the fields below; serializes lines
	w      io.Writer
	sealed string
	failed error
}

// Record starts a tape. Each line is one Write; w should not be buffered.
func Record(next http.RoundTripper, w io.Writer, o Options) (*Recorder, error) {
	first, err := json.Marshal(head{Schema})
	if err != nil {
		return nil, err
	}
	r := &Recorder{next: next, secrets: o.Secrets, w: w, sealed: seal("", first)}
	if _, err := w.Write(append(first, '\n')); err != nil {
		return nil, writeFailure(err)
	}
	return r, nil
}

// Err returns the error of writing the tape, if any. The response itself was still
// returned to the caller, because it has been paid for.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func writeFailure(err error) *agent.Failure {
	return &agent.Failure{Code: Unwritten, Detail: "cannot write the tape", Hint: "free some disk space, or run without --record-tape", Cause: err}
}

// RoundTrip forwards a request and records it. It fails once the tape cannot be written.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.Err(); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	m := maskFor(req, r.secrets)
	e, _, unread, err := readRequest(req, m)
	if err != nil {
		return nil, err
	}
	resp, err := r.next.RoundTrip(unread)
	if err != nil {
		e.Failure = failureOf(req.Context(), err, m)
		r.write(e)
		return nil, err
	}
	e.Response = &response{Status: resp.StatusCode, Header: safeHeaders(resp.Header, m), Body: []piece{}}
	resp.Body = &recordedBody{ReadCloser: resp.Body, done: func(l *recordedBody, err error) {
		body := m.over(l.data)
		switch {
		case l.full:
			e.Failure = tooLarge()
		case m.secrets.Spread(body):
			e.Failure = unmaskable()
		default:
			e.Response.Body = l.pieces(body)
			if err != nil {
				e.Failure = failureOf(req.Context(), err, m)
			}
		}
		r.write(e)
	}}
	return resp, nil
}

func (r *Recorder) write(e entry) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	written := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return
	}
	sealed := seal(r.sealed, written)
	if err == nil {
		// By hand, because an encoder would reformat the entry.
		whole := append(append([]byte(`{"entry":`), written...), `,"seal":"`+sealed+"\"}\n"...)
		_, err = r.w.Write(whole)
	}
	if err != nil {
		r.failed = writeFailure(err)
		return
	}
	r.sealed = sealed
}

// recordedBody records the bytes read through it, in pieces.
type recordedBody struct {
	io.ReadCloser
	done func(l *recordedBody, err error)

	mu    sync.Mutex // a body may be closed while it is read
	ended bool
	data  []byte
	ends  []int // offsets where pieces end
	full  bool  // over the limit; nothing is kept
}

// maxKept limits the memory for one body.
var maxKept = 64 << 20

func (l *recordedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return n, err
	}
	if n > 0 && !l.full {
		l.keep(p[:n])
	}
	switch {
	case errors.Is(err, io.EOF):
		l.end(nil)
	case err != nil:
		l.end(err)
	}
	return n, err
}

func (l *recordedBody) keep(piece []byte) {
	const each = 32 // overhead of a piece
	if len(l.data)+len(piece)+each*len(l.ends) > maxKept {
		l.full, l.data, l.ends = true, nil, nil
		return
	}
	l.data = append(l.data, piece...)
	l.ends = append(l.ends, len(l.data))
}

// Close ends a body that was not read to its end.
func (l *recordedBody) Close() error {
	l.mu.Lock()
	if !l.ended { // first: closing makes a concurrent Read fail
		l.end(nil)
	}
	l.mu.Unlock()
	return l.ReadCloser.Close()
}

func (l *recordedBody) end(err error) {
	l.ended = true
	l.done(l, err)
}

// pieces splits a body into the pieces in which it was received.
func (l *recordedBody) pieces(body []byte) []piece {
	from := 0
	all := make([]piece, 0, len(l.ends))
	for _, to := range l.ends {
		all = append(all, body[from:to])
		from = to
	}
	return all
}
