// Package tape records all traffic with models and replays it without a network:
// byte by byte and piece by piece, failures included.
//
// A tape is a file of JSON lines. The first names its schema; each other line is
// one request with its response. A seal, a hash over the line and the previous
// seal, detects lines that were changed, lost or moved. A line is written as soon
// as its exchange is over, so a killed run leaves a playable tape.
//
// Request headers are not recorded, response headers only if harmless, and the
// values of secret headers are masked everywhere.
//
// It must not know what requests mean, or which model they are for.
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

// Schema is the schema id of tapes.
const Schema = "brenner.tape/v1"

// Codes of tape errors.
const (
	Miss      fault.Code = "TAPE_MISS"        // The tape has no recording of a request; the message names the nearest one.
	Damaged   fault.Code = "TAPE_DAMAGED"     // A tape was cut or changed.
	Unwritten fault.Code = "TAPE_NOT_WRITTEN" // The tape cannot be written; no further requests are sent.
)

// Options configure recording and playing.
type Options struct {
	// Secrets are masked on the tape. Those sent in headers are detected anyway.
	Secrets []string
}

// head is the first line.
type head struct {
	Schema string `json:"schema"`
}

// line is any other line.
type line struct {
	Entry json.RawMessage `json:"entry"`
	Seal  string          `json:"seal"`
}

// entry is one exchange.
type entry struct {
	Key      string    `json:"key"`            // hash of the request
	Call     string    `json:"call,omitempty"` // distinguishes equal requests
	Request  request   `json:"request"`
	Response *response `json:"response,omitempty"`
	Failure  *failure  `json:"broke,omitempty"` // how it failed
}

type request struct {
	Method string          `json:"method"`
	Host   string          `json:"host"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"` // as JSON if valid, otherwise as a string
}

type response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   []piece           `json:"body"` // as received
}

// piece is the result of one read. It is stored as a string, or as Base64 if it is
// not valid UTF-8: a piece may end within a character.
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

// seal hashes the bytes of an entry together with the previous seal.
func seal(before string, entry []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, before+"\n")
	_, _ = h.Write(entry)
	return hex.EncodeToString(h.Sum(nil))
}

// readRequest returns the entry of a request, its canonical body, and a copy of the
// request with an unread body. The host is not part of the key, so that a recording
// can be replayed for another host.
func readRequest(r *http.Request, m mask) (entry, string, *http.Request, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return entry{}, "", nil, err
		}
	}
	unread := r.Clone(r.Context())
	unread.Body = io.NopCloser(bytes.NewReader(body))
	text := canonical(m.over(body))
	e := entry{
		Call:    r.Header.Get("Idempotency-Key"),
		Request: request{Method: r.Method, Host: r.URL.Host, Path: r.URL.EscapedPath(), Body: json.RawMessage(text)},
	}
	e.Key = e.Request.key()
	return e, text, unread, nil
}

func (r *request) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, r.Path, canonical(r.Body)}, "\n")))
	return hex.EncodeToString(sum[:])
}

// canonical returns a body as canonical JSON: no spaces, sorted keys, numbers
// unchanged. A body that is not JSON becomes a string.
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
	if err := e.Encode(v); err != nil { // cannot happen
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Minimum lengths of secrets. A shorter value is a placeholder key of a local server;
// masking it would mask ordinary words in requests and change their keys.
const (
	shortestSent       = 16
	shortestConfigured = 8
)

// mask masks secrets, in all their escaped forms.
type mask struct{ secrets secret.Finder }

func maskFor(r *http.Request, configured []string) mask {
	var all []string
	take := func(one string, shortest int) {
		if len(one) >= shortest {
			all = append(all, one)
		}
	}
	for _, s := range configured {
		take(s, shortestConfigured)
	}
	for name, values := range r.Header {
		for _, v := range values {
			for _, one := range secret.InHeader(name, v) {
				take(one, shortestSent)
			}
		}
	}
	return mask{secret.New(all, 1)}
}

// over replaces secrets by stars of equal length, which keeps the boundaries of
// pieces.
func (m *mask) over(text []byte) []byte { return []byte(m.text(string(text))) }

func (m *mask) text(s string) string {
	return m.secrets.Replace(s, func(n int) string { return strings.Repeat("*", n) })
}

// safeHeaders returns the response headers about the body and about retries.
func safeHeaders(h http.Header, m mask) map[string]string {
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
