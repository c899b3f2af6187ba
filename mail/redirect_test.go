package mail_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/mailtest"
)

// roundTrip adapts a function to http.RoundTripper.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// A redirect is followed only with the same scheme, host and method, because of the token.
func TestRedirectsKeepTarget(t *testing.T) {
	const from = "https://mail.example/mcp/"
	for name, c := range map[string]struct {
		status int
		to     string
		follow bool
	}{
		"another path":       {http.StatusTemporaryRedirect, "https://mail.example/api/", true},
		"without encryption": {http.StatusTemporaryRedirect, "http://mail.example/mcp/", false},
		"another host":       {http.StatusTemporaryRedirect, "https://other.example/mcp/", false},
		"another port":       {http.StatusTemporaryRedirect, "https://mail.example:444/mcp/", false},
		"another method":     {http.StatusFound, "https://mail.example/api/", false},
	} {
		t.Run(name, func(t *testing.T) {
			var went []string
			network := roundTrip(func(r *http.Request) *http.Response {
				went = append(went, r.Method+" "+r.URL.String())
				answer := &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("later")), Request: r}
				if r.URL.String() == from {
					answer.StatusCode = c.status
					answer.Header.Set("Location", c.to)
				}
				return answer
			})
			client, err := mail.New(mail.Options{URL: from, Token: "a token", HTTP: &http.Client{Transport: network}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Health(t.Context())
			if sent := slices.Contains(went, "POST "+c.to); sent != c.follow {
				t.Errorf("sent %q", went)
			}
			for _, request := range went {
				if !c.follow && request != "POST "+from {
					t.Errorf("sent %q", request)
				}
			}
			if !c.follow && (fault.CodeOf(err) != mail.Garbled || !strings.Contains(fault.HintOf(err), c.to)) {
				t.Errorf("%v (%s)", err, fault.HintOf(err))
			}
		})
	}
}

// An agent's token is sent only to the server that made it, although the keyring has those of other servers.
func TestAgentTokensStayAtTheirServer(t *testing.T) {
	keys := &mail.Keyring{}
	var sent []string
	for _, d := range []*mailtest.Double{mailtest.New(t, mailtest.Quirks{Tokens: true}), mailtest.New(t, mailtest.Quirks{Tokens: true})} {
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		recording := recorder(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			sent = append(sent, string(body))
			r.Body = io.NopCloser(bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			return transport.RoundTrip(r)
		})
		c, err := mail.New(mail.Options{URL: d.URL + "/mcp", Keys: keys, HTTP: &http.Client{Transport: recording}})
		if err != nil {
			t.Fatal(err)
		}
		must(t, func() error { _, err := c.EnsureProject(t.Context(), project); return err })
		must(t, func() error {
			_, err := c.Register(t.Context(), mail.Registration{Project: project, Name: "BlueLake"})
			return err
		})
		must(t, func() error {
			_, err := c.Send(t.Context(), mail.Draft{Project: project, From: "BlueLake", To: []string{"BlueLake"}, Subject: "s", Body: "b"})
			return err
		})
		own := keys.Token(c.URL(), project, "BlueLake")
		if all := strings.Join(sent, "\n"); own == "" || !strings.Contains(all, own) || strings.Count(all, `_token":"`) != strings.Count(all, own) {
			t.Errorf("the token is %q; sent:\n%s", own, all)
		}
		sent = nil
	}
}

// recorder adapts a function to http.RoundTripper.
type recorder func(*http.Request) (*http.Response, error)

func (f recorder) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
