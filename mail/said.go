package mail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Said is what a server said when it refused something, in its own words.
type Said struct {
	Type    string          `json:"type"`
	Message string          `json:"message"`
	Hint    string          `json:"hint"`
	Data    json.RawMessage `json:"data"`
}

func (s *Said) Error() string { return "the server says: " + text.Clip(s.Message, mostShown) }

// refused makes the one kind of error of whatever form a refusal has.
func (c *Client) refused(op string, s *Said) error {
	s.Message, s.Type, s.Hint = c.mask(s.Message), c.mask(s.Type), c.mask(s.Hint)
	s.Data = json.RawMessage(c.mask(string(s.Data)))
	f := &fault.Error{Code: judge(s), Op: op, Place: c.url, Hint: s.Hint, Cause: s}
	if f.Hint == "" && f.Code == NoAuth {
		f.Hint = "give the token with " + EnvToken + ", or register the agent anew"
	}
	return f
}

// judge finds out what a refusal is about. A server of ours says it in one word;
// others have words of their own.
func judge(s *Said) fault.Code {
	if code, ok := known(s.Type); ok {
		return code
	}
	low := strings.ToLower(s.Type + " " + s.Message)
	has := func(words ...string) bool { return text.HasAny(low, words...) }
	switch {
	case has("contact") && has("block", "polic", "request", "approv", "requir", "not allowed", "denied"):
		return Blocked
	case has("token", "unauthor", "credential") && has("invalid", "missing", "requir", "match", "wrong", "expired", "unauthor"):
		return NoAuth
	case has("already") && has("name", "agent", "regist", "taken"):
		return NameTaken
	case has("not found", "no such", "there is no", "unknown", "does not exist", "not registered"):
		return NotFound
	}
	return Refused
}

// httpStatus is an answer that HTTP itself calls a failure.
type httpStatus struct {
	status  int
	body    []byte
	shown   string
	session string // that the request was made in
}

func (s *httpStatus) Error() string { return fmt.Sprintf("HTTP %d: %s", s.status, s.shown) }

func (c *Client) refusedByHTTP(op, session string, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what came is what is shown
	s := &httpStatus{status: resp.StatusCode, body: body, session: session}
	// Some servers put a JSON-RPC error into an HTTP one.
	var reply rpcReply
	if json.Unmarshal(body, &reply) == nil && reply.Error != nil && reply.Error.Message != "" && resp.StatusCode < 500 && resp.StatusCode != http.StatusNotFound {
		body = []byte(reply.Error.Message)
	}
	s.shown = c.shown(body)
	f := &fault.Error{Code: Garbled, Op: op, Place: c.url, Cause: s}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		f.Code, f.Hint = NoAuth, "give the server's token with "+EnvToken
	case http.StatusForbidden:
		f.Code, f.Hint = NoAuth, "the token or the address is not allowed there"
	case http.StatusRequestEntityTooLarge:
		f.Code, f.Hint = TooLarge, "send less, or the text in parts"
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		f.Code = Unreachable
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.Code = Unsure
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		f.Hint = "it sends requests on to " + c.shown([]byte(resp.Header.Get("Location"))) + ", where the token was not sent; if that is the server, give its address with " + EnvBaseURL
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		f.Hint = "look at the address and its path (" + EnvPath + "); the usual one is " + DefaultPath
	}
	return f
}

func (c *Client) garbled(op, detail string, body []byte) error {
	return &fault.Error{Code: Garbled, Op: op, Place: c.url, Detail: detail + ": " + c.shown(body), Hint: "is this an Agent Mail server?"}
}

// shown gives the beginning of a body, for people.
func (c *Client) shown(body []byte) string {
	masked := c.mask(string(bytes.ToValidUTF8(body, []byte("\ufffd"))))
	return fault.Shown(text.Clip(strings.TrimSpace(masked), mostShown))
}

// mostShown is how much of what a server says is shown, in characters.
const mostShown = 400

// mask takes tokens out of a text.
func (c *Client) mask(text string) string {
	for _, token := range append(c.keys.all(), c.token) {
		if len(token) > 3 {
			text = strings.ReplaceAll(text, token, "[token]")
		}
	}
	return secretMember.ReplaceAllString(text, "${1}${2}[token]")
}

// secretMember finds members of JSON that hold a secret, also of JSON that is a text in
// other JSON, or that was cut off: a token that we never came to keep is one as well.
var secretMember = regexp.MustCompile(`(?i)(\\*"[^"\\]*(?:token|secret|password|authorization|api[-_]?key)[^"\\]*\\*"\s*:\s*(?:\[\s*)?)` +
	`(?:(\\*")(?:\\+[^"\\]|[^"\\])+|[^"\\,}\]\[{\s]+)`)
