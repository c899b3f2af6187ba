package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
)

const (
	longestError   = 64 << 10 // bytes of an error's body that are looked at
	longestMessage = 300      // characters of it that are shown
	longestPartial = 1 << 20  // bytes of an answer without an end that are kept
)

// refusal is an endpoint's "no".
type refusal struct {
	status int // 0 where it came in the middle of an answer
	said   said
	after  time.Duration
}

func (r *refusal) Error() string {
	if r.status == 0 {
		return "the endpoint broke off: " + r.said.message
	}
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}

// said is what an endpoint says of its "no". Nothing of it may be shown before
// secrets are hidden.
type said struct {
	message string
	code    string
	kind    string
	param   string
	proper  bool // it is in the form of the API, not a page of some proxy
}

// refused reads as much of an error as anybody wants to know.
func (x *exchange) refused(resp *http.Response) *refusal {
	data, err := io.ReadAll(io.LimitReader(resp.Body, longestError))
	if err == nil && len(data) == longestError {
		data = x.hide.whole(data)
	}
	return &refusal{status: resp.StatusCode, said: parse(data), after: later(resp, time.Now())}
}

// parse finds the words in the body of an error. There are almost as many forms of
// it as there are servers.
func parse(data []byte) said {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))
	if bytes.HasPrefix(data, []byte("[")) { // Google's
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 {
			data = list[0]
		}
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(data, &outer) != nil {
		return said{message: tidy(string(data))}
	}
	for _, key := range []string{"response", "error"} { // an event of the Responses API has one in the other
		if inner, ok := outer[key]; ok && isSet(inner) {
			var object map[string]json.RawMessage
			if json.Unmarshal(inner, &object) != nil {
				return said{message: tidy(word(inner)), proper: true} // Ollama's is a text
			}
			outer = object
		}
	}
	s := said{code: word(outer["code"]), kind: word(outer["type"]), param: word(outer["param"]), proper: true}
	for _, key := range []string{"message", "detail", "msg"} {
		if s.message = tidy(word(outer[key])); s.message != "" {
			return s
		}
	}
	s.message = tidy(string(data))
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

// tidy makes one line of a message that may be a web page.
func tidy(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = plain(text)
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
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

// shown gives what an endpoint said, for a message of ours.
func (s *secrets) shown(message string) string {
	message = s.text(message)
	if runes := []rune(message); len(runes) > longestMessage {
		return string(runes[:longestMessage]) + "…"
	}
	return message
}
