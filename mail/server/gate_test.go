package server_test

import (
	"net/http"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/server"
)

const ping = `{"jsonrpc":"2.0","id":0,"method":"ping"}`

func TestGate(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"valid":                 {func(*http.Request) {}, 200},
		"JSON only":             {func(r *http.Request) { r.Header.Set("Accept", "application/json") }, 200},
		"events first":          {func(r *http.Request) { r.Header.Set("Accept", "text/event-stream, application/json") }, 200},
		"no Accept":             {func(r *http.Request) { r.Header.Del("Accept") }, 200},
		"no token":              {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"a wrong token":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		"another scheme":        {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+operator) }, 401},
		"lower-case scheme":     {func(r *http.Request) { r.Header.Set("Authorization", "bearer "+operator) }, 200},
		"another host":          {func(r *http.Request) { r.Host = "evil.example.com" }, 403},
		"localhost":             {func(r *http.Request) { r.Host = "localhost:1" }, 200},
		"another origin":        {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example.com") }, 403},
		"null origin":           {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"its own origin":        {func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 200},
		"another port's origin": {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:6274") }, 403},
		"another local program": {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 403},
		"two origins":           {func(r *http.Request) { r.Header["Origin"] = []string{"http://" + r.Host, "http://localhost:3000"} }, 403},
		"slash at the end":      {func(r *http.Request) { r.URL.Path = "/mcp/" }, 200},
		"api":                   {func(r *http.Request) { r.URL.Path = "/api" }, 200},
		"api with a slash":      {func(r *http.Request) { r.URL.Path = "/api/" }, 200},
		"elsewhere":             {func(r *http.Request) { r.URL.Path = "/" }, 404},
		"OAuth":                 {func(r *http.Request) { r.Method, r.URL.Path = "GET", "/.well-known/oauth-protected-resource/mcp" }, 404},
		"OAuth below":           {func(r *http.Request) { r.Method, r.URL.Path = "GET", "/mcp/.well-known/openid-configuration" }, 404},
		"OAuth registration":    {func(r *http.Request) { r.URL.Path = "/register" }, 404},
		"a stream":              {func(r *http.Request) { r.Method = "GET" }, 405},
		"DELETE":                {func(r *http.Request) { r.Method = "DELETE" }, 405},
		"an old version":        {func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2024-11-05") }, 200},
		"a new version":         {func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2025-11-25") }, 200},
		"an old session":        {func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "gone") }, 200},
	} {
		status, header, text := s.post(t, c.change, strings.NewReader(ping))
		if status != c.want {
			t.Errorf("%s: %d, want %d: %.200s", name, status, c.want, text)
		}
		if status == 401 && header.Get("WWW-Authenticate") != "Bearer" || status == 405 && header.Get("Allow") != "POST" {
			t.Errorf("%s: %v", name, header)
		}
		kind := "text/plain"
		if status == 401 {
			kind = "application/json"
		}
		if status >= 400 && (!strings.HasPrefix(header.Get("Content-Type"), kind) || strings.Contains(text, operator)) {
			t.Errorf("%s: %v, %q", name, header, text)
		}
	}
}

func TestRequestsAreBounded(t *testing.T) {
	s := open(t)
	big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{"body_md":"` + strings.Repeat("x", 20<<20) + `"}}}`
	status, _, text := s.post(t, func(*http.Request) {}, strings.NewReader(big))
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "16777216") {
		t.Errorf("%d: %s", status, text)
	}
	status, _, text = s.post(t, func(r *http.Request) { r.ContentLength = -1 }, strings.NewReader(big)) // in chunks
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d: %s", status, text)
	}
	for _, broken := range []string{"", "{", "[]", "null", "\x00", `{"jsonrpc":"1.0"}`} {
		if status, _, text := s.post(t, func(*http.Request) {}, strings.NewReader(broken)); status >= 500 || status < 400 {
			t.Errorf("%q: %d: %s", broken, status, text)
		}
	}
}

func TestListenRequiresToken(t *testing.T) {
	for address, code := range map[string]fault.Code{"0.0.0.0:0": mail.NoAuth, ":0": mail.NoAuth, "nowhere": mail.Invalid, "127.0.0.1:-1": server.CannotListen} {
		if l, err := server.Listen(t.Context(), address, false); fault.CodeOf(err) != code {
			t.Errorf("%s: %v, %v", address, l, err)
		}
	}
	l, err := server.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}
