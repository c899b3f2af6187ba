package mail_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
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
