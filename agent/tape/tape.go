// Package tape records all traffic with models, and plays it: what was played is
// what came then, byte by byte and piece by piece, failures included, and needs no
// network.
//
// A tape is a file of JSON lines. The first names its schema; each of the others
// is one request with what came of it, and is sealed by a hash over it and the
// seal before it, so that a line that was changed, lost or moved shows. Lines are
// written when an exchange is over, each at once: a run that is killed leaves a
// tape that can be played as far as it got.
//
// Headers of requests are not on a tape, of those of responses only harmless ones,
// and the values of headers that look like secrets are nowhere on it.
//
// It must not know what is asked, or of whom.
package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/secret"
)

// Schema names the format.
const Schema = "brenner.tape/v1"

// The codes of tapes.
const (
	Miss      fault.Code = "TAPE_MISS"        // The tape has no recording of a request; the message names the nearest one.
	Damaged   fault.Code = "TAPE_DAMAGED"     // A tape was cut or changed.
	Unwritten fault.Code = "TAPE_NOT_WRITTEN" // The tape cannot be written; no further requests are sent.
)

// Options are the same for recording and playing.
type Options struct {
	// Secrets must not be on the tape, wherever they stand. Those that are sent in
	// headers are known without being told.
	Secrets []string
}

// head is the first line.
type head struct {
	Schema string `json:"schema"`
}

// line is any other.
type line struct {
	Entry json.RawMessage `json:"entry"`
	Seal  string          `json:"seal"`
}

// entry is one exchange.
type entry struct {
	Key      string    `json:"key"`            // hash of what was asked
	Call     string    `json:"call,omitempty"` // whose it was, among equal ones
	Request  request   `json:"request"`
	Response *response `json:"response,omitempty"`
	Broke    *broke    `json:"broke,omitempty"` // how it ended, where not well
}

type request struct {
	Method string          `json:"method"`
	Host   string          `json:"host"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"` // as JSON, where it is some, else as a string
}

type response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   []piece           `json:"body"` // as it came
}

// piece is what came at once. It is a text, unless it cannot be one: a piece may
// end within a character.
type piece []byte

type encoded struct {
	Base64 string `json:"base64"`
}

func (p piece) MarshalJSON() ([]byte, error) {
	if utf8.Valid(p) {
		return json.Marshal(string(p))
	}
	return json.Marshal(encoded{base64.StdEncoding.EncodeToString(p)})
}

func (p *piece) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*p = piece(text)
		return nil
	}
	var e encoded
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(e.Base64)
	*p = raw
	return err
}

// seal hashes an entry as it stands in its line, and all that was before it.
func seal(before string, entry []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, before+"\n")
	_, _ = h.Write(entry)
	return hex.EncodeToString(h.Sum(nil))
}

// question takes a request in: what of it is put on the tape, its body as one text
// however it is written, and its key. The host is no part of the key: the same
// question by another way is the same question. The request goes on with its body
// unread.
func question(r *http.Request, m mask) (entry, string, *http.Request, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return entry{}, "", nil, err
		}
	}
	on := r.Clone(r.Context())
	on.Body = io.NopCloser(bytes.NewReader(body))
	text := canonical(m.over(body))
	e := entry{
		Call:    r.Header.Get("Idempotency-Key"),
		Request: request{Method: r.Method, Host: r.URL.Host, Path: r.URL.EscapedPath(), Body: json.RawMessage(text)},
	}
	e.Key = e.Request.key()
	return e, text, on, nil
}

func (r *request) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, r.Path, canonical(r.Body)}, "\n")))
	return hex.EncodeToString(sum[:])
}

// canonical gives a body as JSON in one form: without spaces between values, keys
// in order, numbers as they were. What is no JSON becomes a string.
func canonical(body []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		v = string(body)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // what was decoded can be encoded
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A shorter value is a word that local servers want as a key. To hide it would
// hide words in questions, and make one recording two.
const (
	shortestSent  = 16
	shortestGiven = 8
)

// mask hides secrets, in all the ways in which they may be written.
type mask struct{ secrets secret.Finder }

func maskFor(r *http.Request, given []string) mask {
	var all []string
	take := func(one string, shortest int) {
		if len(one) >= shortest {
			all = append(all, one)
		}
	}
	for _, s := range given {
		take(s, shortestGiven)
	}
	for name, values := range r.Header {
		if !secret.Header(name) {
			continue
		}
		for _, v := range values {
			take(v, shortestSent)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer …"
				take(token, shortestSent)
			}
		}
	}
	return mask{secret.New(all, 1)}
}

// over gives a text with stars for secrets, as many as there were bytes, so that a
// text that comes in pieces has them where it had them.
func (m mask) over(text []byte) []byte { return []byte(m.text(string(text))) }

func (m mask) text(s string) string {
	return m.secrets.Replace(s, func(n int) string { return strings.Repeat("*", n) })
}

// harmless gives the headers of a response that say something about its body, or
// about when to come back.
func harmless(h http.Header, m mask) map[string]string {
	kept := map[string]string{}
	for name := range h {
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, "x-ratelimit-"), lower == "content-type", lower == "date", lower == "location",
			lower == "retry-after", lower == "retry-after-ms", lower == "x-request-id":
			kept[name] = m.text(h.Get(name))
		}
	}
	return kept
}
