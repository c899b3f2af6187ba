package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"brenner/agent"
)

// Recorder is a transport that puts on a tape what passes through it.
type Recorder struct {
	next    http.RoundTripper
	secrets []string

	mu     sync.Mutex // of all below: lines are written one after the other
	w      io.Writer
	sealed string
	failed error
}

// Record begins a tape. Each line is one Write: a file needs no buffer around it,
// and should have none.
func Record(next http.RoundTripper, w io.Writer, o Options) (*Recorder, error) {
	first, err := json.Marshal(head{Schema})
	if err != nil {
		return nil, err
	}
	r := &Recorder{next: next, secrets: o.Secrets, w: w, sealed: seal("", first)}
	if _, err := w.Write(append(first, '\n')); err != nil {
		return nil, unwritten(err)
	}
	return r, nil
}

// Err tells whether the tape is as it should be. An answer that could not be put
// on it was given to whoever asked all the same: it has been paid for.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func unwritten(err error) *agent.Failure {
	return &agent.Failure{Code: Unwritten, Detail: "the tape cannot be written", Hint: "make room for it, or go on without --record-tape", Cause: err}
}

// RoundTrip sends a request on. It refuses to where the tape could not hold it.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.Err(); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	m := maskFor(req, r.secrets)
	e, _, on, err := question(req, m)
	if err != nil {
		return nil, err
	}
	resp, err := r.next.RoundTrip(on)
	if err != nil {
		e.Broke = brokeBy(req.Context(), err, m)
		r.write(e)
		return nil, err
	}
	e.Response = &response{Status: resp.StatusCode, Header: harmless(resp.Header, m), Body: []piece{}}
	resp.Body = &listener{ReadCloser: resp.Body, over: func(l *listener, err error) {
		body := m.over(l.heard)
		switch {
		case l.full:
			e.Broke = tooMuch()
		case m.split(body):
			e.Broke = unfit()
		default:
			e.Response.Body = l.pieces(body)
			if err != nil {
				e.Broke = brokeBy(req.Context(), err, m)
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
		// By hand, because an encoder would write the entry anew.
		whole := append(append([]byte(`{"entry":`), written...), `,"seal":"`+sealed+"\"}\n"...)
		_, err = r.w.Write(whole)
	}
	if err != nil {
		r.failed = unwritten(err)
		return
	}
	r.sealed = sealed
}

// listener keeps what is read through it, piece by piece.
type listener struct {
	io.ReadCloser
	over func(l *listener, err error)

	mu    sync.Mutex // a body may be closed while it is read
	ended bool
	heard []byte
	ends  []int // of the pieces
	full  bool  // more came than is kept; then nothing is
}

// mostKept is how much memory the body of one exchange may take. Much more than
// this nobody reads.
var mostKept = 64 << 20

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return n, err
	}
	if n > 0 && !l.full {
		l.hear(p[:n])
	}
	switch {
	case errors.Is(err, io.EOF):
		l.end(nil)
	case err != nil:
		l.end(err)
	}
	return n, err
}

func (l *listener) hear(piece []byte) {
	const each = 32 // what a piece takes beside its bytes
	if len(l.heard)+len(piece)+each*len(l.ends) > mostKept {
		l.full, l.heard, l.ends = true, nil, nil
		return
	}
	l.heard = append(l.heard, piece...)
	l.ends = append(l.ends, len(l.heard))
}

// Close ends what was not heard to its end: whoever reads had enough.
func (l *listener) Close() error {
	l.mu.Lock()
	if !l.ended { // before it is closed: whoever still reads would hear of nothing else
		l.end(nil)
	}
	l.mu.Unlock()
	return l.ReadCloser.Close()
}

func (l *listener) end(err error) {
	l.ended = true
	l.over(l, err)
}

// pieces cuts a body as it came.
func (l *listener) pieces(body []byte) []piece {
	from := 0
	all := make([]piece, 0, len(l.ends))
	for _, to := range l.ends {
		all = append(all, body[from:to])
		from = to
	}
	return all
}

// split tells whether a secret is in a body all the same, after it was masked:
// spread over texts that a reader puts together, as the pieces of a stream are.
// There it has no one place where stars could stand.
func (m mask) split(body []byte) bool {
	if len(m.secrets) == 0 {
		return false
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	together := texts{}
	if !together.add(body) {
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				together.add(data)
			}
		}
	}
	for _, text := range together {
		if m.secrets.In(text.String()) {
			return true
		}
	}
	return false
}

// texts are the strings of JSON values, put together where they stand at the same
// place.
type texts map[string]*strings.Builder

// add takes in the strings of a value; false means that it is none.
func (t texts) add(data []byte) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return false
	}
	kind := ""
	if object, ok := v.(map[string]any); ok {
		kind = fmt.Sprint(object["type"])
	}
	t.walk(v, "", kind)
	return true
}

// walk goes by the names on the way to a string, without those by which one text
// is given in several forms. Streams of several texts tell them apart by a type or
// an index, but need not: so strings are put together with and without the type.
func (t texts) walk(v any, path, kind string) {
	switch v := v.(type) {
	case string:
		t.put("path "+path, v)
		t.put("kind "+kind+" "+path, v)
	case []any:
		for _, one := range v {
			t.walk(one, path, kind)
		}
	case map[string]any:
		if n, ok := v["index"].(float64); ok && n != 0 {
			path += fmt.Sprintf("#%v", n)
		}
		for name, one := range v {
			switch name {
			case "text":
				t.walk(one, path, kind)
			case "message":
				t.walk(one, path+".delta", kind)
			default:
				t.walk(one, path+"."+name, kind)
			}
		}
	}
}

func (t texts) put(place, text string) {
	if t[place] == nil {
		t[place] = &strings.Builder{}
	}
	t[place].WriteString(text)
}
