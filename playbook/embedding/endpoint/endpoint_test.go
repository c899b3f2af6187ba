package endpoint_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"brenner/internal/fault"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/embeddingtest"
	"brenner/playbook/embedding/endpoint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is a key that must not appear anywhere.
const canary = "sk-canary-+/=0123456789abcdef"

// at returns a model at a server; its connections end with the test.
func at(t *testing.T, s *embeddingtest.Server, change func(*endpoint.Options)) *endpoint.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := endpoint.Options{BaseURL: s.BaseURL() + "/", Key: canary, Model: "small", Client: &http.Client{Transport: transport}}
	if change != nil {
		change(&o)
	}
	m, err := endpoint.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformance(t *testing.T) {
	s := embeddingtest.NewServer(t, nil)
	embeddingtest.Run(t, func(t *testing.T) embedding.Embedder { return at(t, s, nil) })
}

func TestRequest(t *testing.T) {
	s := embeddingtest.NewServer(t, nil)
	m := at(t, s, nil)
	if _, err := m.Embed(t.Context(), []string{"one", "two"}); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()
	if len(got) != 1 || got[0].Path != "/v1/embeddings" || got[0].Auth != "Bearer "+canary || got[0].Model != "small" || len(got[0].Input) != 2 {
		t.Errorf("requests: %+v", got)
	}
	if want := "small@" + strings.TrimPrefix(s.URL, "http://"); m.Model() != want {
		t.Errorf("model %s, want %s", m.Model(), want)
	}
	keyless := at(t, s, func(o *endpoint.Options) { o.Key = "" })
	if _, err := keyless.Embed(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[1].Auth; strings.TrimSpace(strings.TrimPrefix(got, "Bearer")) != "" {
		t.Errorf("a key was sent without one being set: %q", got)
	}
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestFailures(t *testing.T) {
	vectors := func(rows string) http.HandlerFunc { return respond(200, `{"object":"list","data":[`+rows+`]}`) }
	const one = `{"index":0,"embedding":[1,2]}`
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		code   fault.Code
		want   string
	}{
		"a wrong key":         {respond(401, `{"error":{"message":"wrong key `+canary+`"}}`), embedding.Refused, "wrong key [secret]"},
		"an escaped key":      {respond(403, `{"error":"no: `+strings.ReplaceAll(canary, "+", `\u002b`)+`"}`), embedding.Refused, "no: [secret]"},
		"no model":            {respond(404, `{"message":"no such model"}`), embedding.Refused, "no such model"},
		"HTML":                {respond(200, `<html>`), embedding.Malformed, "not JSON"},
		"too many requests":   {respond(429, ``), embedding.Unavailable, "429"},
		"server error":        {respond(500, "oops\x1b[31m\n"), embedding.Unavailable, "oops [31m"},
		"a bad request":       {respond(400, `{"error":{"message":"`+strings.Repeat("long ", 1000)+`"}}`), embedding.Refused, "long…"},
		"missing vector":      {vectors(one), embedding.Malformed, "the number of vectors differs"},
		"duplicate index":     {vectors(one + "," + one), embedding.Malformed, "invalid or duplicate index"},
		"a wrong index":       {vectors(one + `,{"index":-1,"embedding":[1]}`), embedding.Malformed, "invalid or duplicate index"},
		"no direction":        {vectors(one + `,{"index":1,"embedding":[0,0]}`), embedding.Malformed, "invalid vector"},
		"no numbers":          {vectors(one + `,{"index":1}`), embedding.Malformed, "invalid vector"},
		"different lengths":   {vectors(one + `,{"index":1,"embedding":[1]}`), embedding.Malformed, "different lengths"},
		"strings for numbers": {vectors(one + `,{"index":1,"embedding":["a"]}`), embedding.Malformed, "unexpected JSON"},
		"endless response": {func(w http.ResponseWriter, _ *http.Request) {
			for range 20 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 64<<10)))
			}
		}, embedding.Malformed, "more than"},
		"connection closed":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, embedding.Unavailable, "EOF"},
		"error of a proxy":       {respond(502, "<html><head><title>502 Bad\n Gateway</title></head><body><p>x</body></html>"), embedding.Unavailable, ": 502 Bad Gateway"},
		"error in Google's form": {respond(400, `[{"error":{"code":400,"message":"no such model","status":"INVALID_ARGUMENT"}}]`), embedding.Refused, ": no such model"},
		"redirect loop": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, embedding.Refused, "redirect loop"},
		"redirect to another host": {http.RedirectHandler("http://example.invalid/v1/embeddings", http.StatusTemporaryRedirect).ServeHTTP, embedding.Refused, "another host"},
	} {
		t.Run(name, func(t *testing.T) {
			m := at(t, embeddingtest.NewServer(t, test.answer), nil)
			got, err := m.Embed(t.Context(), []string{"one", "two"})
			if fault.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" || got != nil {
				t.Errorf("vectors %v, error %v (%s)", got, err, fault.CodeOf(err))
			}
			if text := fmt.Sprintf("%v %+v %#v %s", err, m, m, fault.HintOf(err)); strings.Contains(text, canary) {
				t.Errorf("the key is in %s", text)
			}
		})
	}
}

// A refusal is read up to a bound, which may cut the key.
func TestKeyCutByBoundIsMasked(t *testing.T) {
	half := canary[:len(canary)/2]
	m := at(t, embeddingtest.NewServer(t, respond(500, "oops "+strings.Repeat(" ", 64<<10-len("oops "+half))+canary)), nil)
	_, err := m.Embed(t.Context(), []string{"one"})
	if err == nil || !strings.Contains(err.Error(), "oops") || strings.Contains(err.Error(), "sk-") {
		t.Errorf("%v", err)
	}
}

// The hint shortens the address of a redirect to a base URL.
func TestRedirectHintNamesBaseURL(t *testing.T) {
	away := http.RedirectHandler("http://example.invalid/v1/embeddings?k="+canary, http.StatusTemporaryRedirect)
	_, err := at(t, embeddingtest.NewServer(t, away.ServeHTTP), nil).Embed(t.Context(), []string{"one"})
	if want := "if http://example.invalid/v1 is right, set it as base_url"; fault.HintOf(err) != want {
		t.Errorf("hint %q, want %q", fault.HintOf(err), want)
	}
}

func TestConnectionRefused(t *testing.T) {
	s := embeddingtest.NewServer(t, nil)
	m := at(t, s, nil)
	s.Close()
	_, err := m.Embed(t.Context(), []string{"one"})
	if fault.CodeOf(err) != embedding.Unavailable || !strings.Contains(err.Error(), "cannot connect") {
		t.Errorf("%v", err)
	}
}

func TestSetup(t *testing.T) {
	for name, o := range map[string]endpoint.Options{
		"no base URL": {Model: "m"},
		"no scheme":   {BaseURL: "localhost:1/v1", Model: "m"},
		"a user":      {BaseURL: "http://u:p@localhost/v1", Model: "m"},
		"no model":    {BaseURL: "http://localhost/v1", Model: " "},
		"a bad key":   {BaseURL: "http://localhost/v1", Model: "m", Key: "a\nb"},
		"empty":       {},
	} {
		if _, err := endpoint.New(o); fault.CodeOf(err) != embedding.Setup || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
