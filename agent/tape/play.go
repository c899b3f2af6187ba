package tape

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"brenner/agent"
	"brenner/internal/fault"
	words "brenner/internal/text"
)

// Player is a transport that replays a tape.
type Player struct {
	secrets []string

	mu     sync.Mutex
	tracks []*track
}

// track is one recorded exchange.
type track struct {
	entry
	line   int
	text   string // the canonical body of the request
	played bool
}

// Play reads and checks a tape.
func Play(r io.Reader, o Options) (*Player, error) {
	p := &Player{secrets: o.Secrets}
	lines := bufio.NewReader(r)
	sealed := ""
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0 && n > 1:
			return p, nil
		case errors.Is(err, io.EOF):
			return nil, damaged(n, "incomplete line", "the recording was cut off here; delete this line to play the rest")
		case err != nil:
			return nil, &fault.Error{Code: Damaged, Op: "read tape", Line: n, Cause: err}
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		if n == 1 {
			var h head
			if json.Unmarshal(text, &h) != nil || h.Schema != Schema {
				return nil, damaged(n, "not a tape of schema "+Schema, "record one with --record-tape")
			}
			sealed = seal("", text)
			continue
		}
		t, err := parse(text, n, sealed)
		if err != nil {
			return nil, err
		}
		sealed = seal(sealed, t.raw)
		if t.Failure == nil || t.Failure.How != failedStopped { // cancelled calls are not replayed
			p.tracks = append(p.tracks, &t.track)
		}
	}
}

type parsed struct {
	track
	raw []byte
}

func parse(text []byte, n int, before string) (parsed, error) {
	const again = "record it again, or play the original"
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return parsed{}, damaged(n, "invalid JSON: "+fault.Shown(err.Error()), again)
	}
	if l.Seal != seal(before, l.Entry) {
		return parsed{}, damaged(n, "seal mismatch: this line was changed, or an earlier one is missing or was moved", again)
	}
	t := parsed{track: track{line: n}, raw: l.Entry}
	if err := json.Unmarshal(l.Entry, &t.entry); err != nil {
		return parsed{}, damaged(n, "invalid entry: "+fault.Shown(err.Error()), again)
	}
	if t.Key != t.Request.key() || t.Response == nil && t.Failure == nil {
		return parsed{}, damaged(n, "inconsistent entry", again)
	}
	t.text = canonical(t.Request.Body)
	return t, nil
}

func damaged(n int, detail, hint string) error {
	return &fault.Error{Code: Damaged, Op: "read tape", Line: n, Detail: detail, Hint: hint}
}

// RecordedAt reports whether some of the tape was recorded at a host.
func (p *Player) RecordedAt(host string) bool {
	return slices.ContainsFunc(p.tracks, func(t *track) bool { return t.Request.Host == host })
}

// RoundTrip replays the recording of a request. Among equal requests the one of the
// same call comes first, otherwise the one recorded first.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	m := maskFor(req, p.secrets)
	e, text, _, err := readRequest(req, m)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	t := p.take(e)
	if t == nil {
		return nil, p.missed(e, text)
	}
	if t.Failure != nil && t.Failure.How == failedSecret {
		return nil, t.withheld()
	}
	if t.Response == nil {
		if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteRequest != nil && t.Failure.How == failedClosed {
			trace.WroteRequest(httptrace.WroteRequestInfo{})
		}
		return nil, t.Failure.err(req.URL.Hostname())
	}
	header := http.Header{}
	for name, value := range t.Response.Header {
		header.Set(name, value)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", t.Response.Status, http.StatusText(t.Response.Status)), StatusCode: t.Response.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: -1, Request: req,
		Body: &playedBody{ctx: req.Context(), rest: t.Response.Body, failure: t.Failure, host: req.URL.Hostname()},
	}, nil
}

func (p *Player) take(e entry) *track {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first *track
	for _, t := range p.tracks {
		if t.played || t.Key != e.Key {
			continue
		}
		if t.Call == e.Call {
			first = t
			break
		}
		if first == nil {
			first = t
		}
	}
	if first != nil {
		first.played = true
	}
	return first
}

// playedBody replays a response body in its recorded pieces.
type playedBody struct {
	ctx     context.Context
	rest    []piece
	at      int // offset in the first piece
	failure *failure
	host    string
}

func (s *playedBody) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	for len(s.rest) > 0 && s.at == len(s.rest[0]) {
		s.rest, s.at = s.rest[1:], 0
	}
	if len(s.rest) == 0 {
		if s.failure != nil {
			return 0, s.failure.err(s.host)
		}
		return 0, io.EOF
	}
	n := copy(b, s.rest[0][s.at:])
	s.at += n
	return n, nil
}

func (s *playedBody) Close() error { return nil }

// modelOf returns the model named in a request body.
func modelOf(text string) string {
	var b struct {
		Model string `json:"model"`
	}
	if json.NewDecoder(strings.NewReader(text)).Decode(&b) != nil {
		return ""
	}
	return b.Model
}

// missed returns the failure for a request without a recording, with the nearest one.
func (p *Player) missed(e entry, text string) *agent.Failure {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &agent.Failure{
		Code: Miss, Detail: fmt.Sprintf("no recording of %s %s%s", e.Request.Method, e.Request.Host, e.Request.Path),
		Hint: "use the same flags, roster and prompts as for the recording, or record again with --record-tape",
	}
	if model := modelOf(text); model != "" {
		f.Detail += ", model " + fault.Shown(model)
	}
	if equal := p.equal(e.Key); equal > 0 {
		f.Detail += fmt.Sprintf(": all %d recordings were already played", equal)
		return f
	}
	near := p.nearest(e, text)
	if near == nil {
		f.Detail += ": no other recording at this address"
		return f
	}
	at := words.Common(near.text, text)
	f.Detail += fmt.Sprintf("; the nearest is line %d (model %s, call %s), which differs at byte %d of the body: recorded %q, now %q",
		near.line, fault.Shown(modelOf(near.text)), fault.Shown(near.Call), at+1, around(near.text, at), around(text, at))
	return f
}

// withheld returns the failure for a recording without a playable body.
func (t *track) withheld() *agent.Failure {
	return &agent.Failure{
		Code: Miss, Detail: fmt.Sprintf("line %d has no response to play: %s", t.line, t.Failure.Text),
		Hint: "the endpoint repeats the key in its responses; use another endpoint, and record again with --record-tape",
	}
}

func (p *Player) equal(key string) int {
	n := 0
	for _, t := range p.tracks {
		if t.Key == key {
			n++
		}
	}
	return n
}

// nearest prefers a recording of the same call, then of the same model, then the
// longest common prefix.
func (p *Player) nearest(e entry, text string) *track {
	var best *track
	most := -1
	model := modelOf(text)
	for _, t := range p.tracks {
		if t.Request.Path != e.Request.Path || t.Request.Method != e.Request.Method {
			continue
		}
		score := words.Common(t.text, text)
		if modelOf(t.text) == model {
			score += 1 << 40
		}
		if e.Call != "" && t.Call == e.Call {
			score += 1 << 41
		}
		if score > most {
			best, most = t, score
		}
	}
	return best
}

// around returns an excerpt around an offset.
func around(text string, at int) string {
	const before, after = 20, 40
	from, to := max(0, at-before), min(len(text), at+after)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}
