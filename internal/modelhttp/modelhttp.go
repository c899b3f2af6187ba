// Package modelhttp is what all clients of an endpoint with models have in common:
// where a request may be sent on to, what a refusal says, and what may be shown of it.
//
// It promises: the key goes to the host that it was meant for, and stands in nothing
// that is shown. It must not know what is asked, or where keys come from.
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

// mostRedirects is how often a request is sent on.
const mostRedirects = 5

// SameHost is a client's CheckRedirect. It lets a request be sent on only as it is, and
// to the host that it was meant for: it carries the key.
func SameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	home := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && req.Method == first.Method
	if home && len(via) < mostRedirects {
		return nil
	}
	return &Redirected{To: req.URL.Scheme + "://" + req.URL.Host + req.URL.Path, Loop: home}
}

// Redirected is a request that was to be sent on, and was not.
type Redirected struct {
	To   string // without query and fragment: they are whatever the other side made them
	Loop bool   // it was sent on to the same host again and again
}

func (r *Redirected) Error() string { return "it was to be sent on to " + r.To }

// Base gives the address as a base_url, which has no last part of the path.
func (r *Redirected) Base() string {
	base := strings.TrimRight(r.To, "/")
	for _, last := range []string{"/chat/completions", "/responses", "/embeddings"} {
		base = strings.TrimSuffix(base, last)
	}
	return base
}

// longestError is how many bytes of a refusal are looked at.
const longestError = 64 << 10

// BOM is what some servers on Windows begin every text with.
const BOM = "\xef\xbb\xbf"

// Said is what an endpoint says of its "no". Nothing of it may be shown before
// secrets are hidden.
type Said struct {
	Message string
	Code    string
	Kind    string
	Param   string
	Proper  bool // it is in the form of the API, not a page of some proxy
}

// ReadSaid reads as much of a refusal as anybody wants to know. What has come before
// the line broke says enough.
func (s *Secrets) ReadSaid(body io.Reader) Said {
	data, err := io.ReadAll(io.LimitReader(body, longestError))
	if err == nil && len(data) == longestError {
		data = s.whole(data)
	}
	return Parse(data)
}

// Page gives the words of a web page that came where something else was expected.
func (s *Secrets) Page(data []byte) string {
	if len(data) > longestError {
		data = s.whole(data[:longestError])
	}
	return Tidy(string(data))
}

// Parse finds the words in the body of a refusal. There are almost as many forms of
// it as there are servers.
func Parse(data []byte) Said {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte(BOM)))
	if bytes.HasPrefix(data, []byte("[")) { // Google's
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 {
			data = list[0]
		}
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(data, &outer) != nil {
		return Said{Message: Tidy(string(data))}
	}
	for _, key := range []string{"response", "error"} { // an event of the Responses API has one in the other
		if inner := outer[key]; len(inner) > 0 && string(inner) != "null" {
			var object map[string]json.RawMessage
			if json.Unmarshal(inner, &object) != nil {
				return Said{Message: Tidy(word(inner)), Proper: true} // Ollama's is a text
			}
			outer = object
		}
	}
	s := Said{Code: word(outer["code"]), Kind: word(outer["type"]), Param: word(outer["param"]), Proper: true}
	for _, key := range []string{"message", "detail", "msg"} {
		if s.Message = Tidy(word(outer[key])); s.Message != "" {
			return s
		}
	}
	s.Message = Tidy(string(data))
	return s
}

// word gives a value as text, whatever it is.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Tidy makes one line of a message that may be a web page.
func Tidy(message string) string {
	if strings.HasPrefix(strings.TrimSpace(message), "<") {
		message = plain(message)
	}
	return text.Clean(message, text.Words)
}

// plain gives the words of a page: those of its title, where it has one.
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

	longestMessage = 300 // characters of what an endpoint says that are shown

	// Shorter values are no secrets but words that local servers want as a key; to
	// hide them would make messages unreadable.
	shortestSecret = 4
)

// Secrets keeps what was given to be sent out of what is shown: some endpoints repeat
// the key that they refuse. The zero value hides nothing.
type Secrets struct {
	find    secret.Finder
	longest int // how much of a text that was cut off may be the beginning of a secret
}

// NewSecrets hides these.
func NewSecrets(given ...string) Secrets {
	s := Secrets{find: secret.New(given, shortestSecret)}
	for _, g := range given {
		s.longest = max(s.longest, secret.MostPerLetter*len(g))
	}
	return s
}

// Hide gives a text with something else for secrets.
func Hide(find secret.Finder, text string) string {
	return find.Replace(text, func(int) string { return hidden })
}

// Text gives a text without secrets.
func (s *Secrets) Text(t string) string { return Hide(s.find, t) }

// Shown gives what an endpoint said, for a message of ours.
func (s *Secrets) Shown(message string) string {
	return text.Clip(s.Text(message), longestMessage)
}

// whole gives the beginning of what was cut off, without what may be the beginning
// of a secret.
func (s *Secrets) whole(cut []byte) []byte { return cut[:len(cut)-min(len(cut), s.longest)] }
