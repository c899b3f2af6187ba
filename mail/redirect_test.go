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

// roundTrip is a network of one function.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// A token goes where it was meant for, encrypted if it was meant to be, and only with
// the request that it is of.
func TestARequestIsSentOnOnlyAsItIs(t *testing.T) {
	const from = "https://mail.example/mcp/"
	for name, c := range map[string]struct {
		status int
		to     string
		goes   bool
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
			if sent := slices.Contains(went, "POST "+c.to); sent != c.goes {
				t.Errorf("sent %q", went)
			}
			for _, request := range went {
				if !c.goes && request != "POST "+from {
					t.Errorf("sent %q", request)
				}
			}
			if !c.goes && (fault.CodeOf(err) != mail.Garbled || !strings.Contains(fault.HintOf(err), c.to)) {
				t.Errorf("%v (%s)", err, fault.HintOf(err))
			}
		})
	}
}
