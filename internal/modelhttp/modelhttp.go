// Package modelhttp is shared by all clients of model endpoints: it restricts redirects, reads
// error responses and removes secrets from what is shown.
//
// It guarantees that a key is sent only to its own host and never shown. It must not know the
// content of requests, or where keys come from.
package modelhttp

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"

	"brenner/internal/secret"
	"brenner/internal/text"
)

// mostRedirects is the maximum number of redirects.
const mostRedirects = 5

// SameHost is a client's CheckRedirect. It allows a redirect only with an unchanged request and to
// the original host, because the request carries the key.
func SameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	home := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && req.Method == first.Method
	if home && len(via) < mostRedirects {
		return nil
	}
	return &Redirected{To: req.URL.Scheme + "://" + req.URL.Host + req.URL.Path, Loop: home}
}

// Redirected is a refused redirect.
type Redirected struct {
	To   string // without query and fragment, which the server chooses
	Loop bool   // too many redirects to the same host
}

func (r *Redirected) Error() string { return "redirect to " + r.To + " refused" }

// Base returns the URL as a base_url, without the last path element.
func (r *Redirected) Base() string {
	base := strings.TrimRight(r.To, "/")
	for _, last := range []string{"/chat/completions", "/responses", "/embeddings"} {
		base = strings.TrimSuffix(base, last)
	}
	return base
}

// longestError is how many bytes of an error response are read.
const longestError = 64 << 10

// BOM is the byte order mark that some servers on Windows send first.
const BOM = "\xef\xbb\xbf"

// ErrorBody is an endpoint's error response. Secrets must be hidden before any of it is
// shown.
type ErrorBody struct {
	Message string
	Code    string
	Kind    string
	Param   string
	Proper  bool   // in the API's form, not a proxy's page
	Raw     string // the response, set by ReadError
}

// Complete reports whether the message, as shown, is everything that the response says.
func (b *ErrorBody) Complete() bool {
	return len(b.Message) <= longestMessage && (b.Proper || strings.TrimSpace(b.Raw) == b.Message)
}

// ReadError reads an error response of limited length. After a read error it uses what
// arrived.
func (s *Secrets) ReadError(body io.Reader) ErrorBody {
	data, err := io.ReadAll(io.LimitReader(body, longestError))
	if err == nil && len(data) == longestError {
		data = s.dropPartial(data)
	}
	if s.tagged(data) {
		data = nil
	}
	b := Parse(data)
	b.Raw = string(data)
	return b
}

// Evidence returns the beginning of an unusable response, to be stored; "" if it contains a secret
// that cannot be masked.
func (s *Secrets) Evidence(data []byte) string {
	if len(data) > longestError {
		data = s.dropPartial(data[:longestError])
	}
	kept := s.Text(text.Clean(string(data), text.Output)) // control characters could split a secret
	if s.find.Spread([]byte(kept)) || s.tagged([]byte(kept)) {
		return ""
	}
	return kept
}

// Page returns the text of an unexpected web page.
func (s *Secrets) Page(data []byte) string {
	if len(data) > longestError {
		data = s.dropPartial(data[:longestError])
	}
	if s.tagged(data) {
		data = nil
	}
	return Tidy(string(data))
}

// tagged reports whether a web page contains a secret that is split by tags.
func (s *Secrets) tagged(data []byte) bool {
	return bytes.IndexByte(data, '<') >= 0 && s.find.In(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s.Text(string(data)), "")))
}

// Parse extracts the message from the body of an error response. Its form varies between servers.
func Parse(data []byte) ErrorBody {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte(BOM)))
	if bytes.HasPrefix(data, []byte("[")) { // Google's
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 {
			data = list[0]
		}
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(data, &outer) != nil {
		return ErrorBody{Message: Tidy(string(data))}
	}
	for _, key := range []string{"response", "error"} { // the Responses API nests one in the other
		if inner := outer[key]; len(inner) > 0 && string(inner) != "null" {
			var object map[string]json.RawMessage
			if json.Unmarshal(inner, &object) != nil {
				return ErrorBody{Message: Tidy(word(inner)), Proper: true} // Ollama's is a string
			}
			outer = object
		}
	}
	s := ErrorBody{Code: word(outer["code"]), Kind: word(outer["type"]), Param: word(outer["param"]), Proper: true}
	for _, key := range []string{"message", "detail", "msg"} {
		if s.Message = Tidy(word(outer[key])); s.Message != "" {
			return s
		}
	}
	s.Message = Tidy(string(data))
	return s
}

func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Tidy returns a message, which may be a web page, as one line.
func Tidy(message string) string {
	if strings.HasPrefix(strings.TrimSpace(message), "<") {
		message = plain(message)
	}
	return text.Clean(message, text.Words)
}

// plain returns the text of a page, or of its title if it has one.
func plain(page string) string {
	title := regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	if found := title.FindStringSubmatch(page); len(found) == 2 && strings.TrimSpace(found[1]) != "" {
		page = found[1]
	}
	page = regexp.MustCompile(`(?is)<(script|style)[^>]*>.*?</(script|style)>`).ReplaceAllString(page, " ")
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "))
}

const (
	hidden = "[secret]"

	longestMessage = 300 // shown characters of an endpoint's message

	// Shorter values are placeholders for local servers. Hiding them would make messages
	// unreadable.
	shortestSecret = 4
)

// Secrets removes sent keys from shown text: some endpoints repeat them. The zero value hides none.
type Secrets struct {
	find    secret.Finder
	longest int // how much of a truncated text may be the beginning of a secret
}

// NewSecrets returns a Secrets that hides the given values.
func NewSecrets(given ...string) Secrets {
	s := Secrets{find: secret.New(given, shortestSecret)}
	for _, g := range given {
		s.longest = max(s.longest, secret.MostPerLetter*len(g))
	}
	return s
}

// Hide returns text with its secrets replaced.
func Hide(find *secret.Finder, text string) string {
	return find.Replace(text, func(int) string { return hidden })
}

// Text returns t with its secrets replaced.
func (s *Secrets) Text(t string) string { return Hide(&s.find, t) }

// Shown returns an endpoint's message for display.
func (s *Secrets) Shown(message string) string {
	return text.Clip(s.Text(message), longestMessage)
}

// dropPartial returns a truncated text without a tail that may be the beginning of a secret.
func (s *Secrets) dropPartial(cut []byte) []byte { return cut[:len(cut)-min(len(cut), s.longest)] }

// WideTransport returns a transport that keeps enough idle connections to one endpoint for
// a number of sessions: the default one keeps two.
func WideTransport(sessions int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 4 * sessions
	t.MaxIdleConns = max(t.MaxIdleConns, t.MaxIdleConnsPerHost)
	return t
}
