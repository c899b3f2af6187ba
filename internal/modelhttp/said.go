package modelhttp

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"regexp"
	"strings"

	"brenner/internal/text"
)

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
