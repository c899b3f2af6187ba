package webgate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"brenner/internal/webgate"
)

func TestKnownHost(t *testing.T) {
	names := []string{"lab.example.org"}
	for host, want := range map[string]bool{
		"127.0.0.1:8790": true, "localhost": true, "LOCALHOST:1": true, "[::1]:8790": true, "127.9.9.9": true,
		"lab.example.org": true, "Lab.Example.Org:443": true,
		"": false, "evil.example.com": false, "127.0.0.1.evil.example.com": false, "lab.example.org.evil.example.com": false,
		"localhost.evil.example.com:8790": false, "10.0.0.1": false, "0.0.0.0:1": false,
	} {
		if is := webgate.KnownHost(host, names); is != want {
			t.Errorf("KnownHost(%q) = %t, want %t", host, is, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for name, c := range map[string]struct {
		origins []string
		want    bool
	}{
		"none":                                  {nil, true},
		"own":                                   {[]string{"http://127.0.0.1:8790"}, true},
		"another port":                          {[]string{"http://127.0.0.1:3000"}, false},
		"another site":                          {[]string{"https://evil.example.com"}, false},
		"null":                                  {[]string{"null"}, false},
		"empty":                                 {[]string{""}, false},
		"not a URL":                             {[]string{"http://[::1"}, false},
		"two":                                   {[]string{"http://127.0.0.1:8790", "https://evil.example.com"}, false},
		"null, and the browser says from where": {[]string{"null"}, true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8790/", nil)
		if strings.Contains(name, "browser") {
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		r.Header["Origin"] = c.origins
		if is := webgate.SameOrigin(r); is != c.want {
			t.Errorf("%s: SameOrigin = %t, want %t", name, is, c.want)
		}
	}
}

func TestRefuse(t *testing.T) {
	w := httptest.NewRecorder()
	webgate.Refuse(w, http.StatusForbidden, "no <b>")
	if w.Code != http.StatusForbidden || w.Body.String() != "no <b>\n" || w.Header().Get("X-Content-Type-Options") != "nosniff" ||
		w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
}
