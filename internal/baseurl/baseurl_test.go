package baseurl_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/internal/baseurl"
)

func TestParse(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:11434/v1":   "localhost:11434",
		"https://models.example/v1/":  "models.example",
		"HTTP://127.0.0.1":            "127.0.0.1",
		"http://[::1]:8080":           "[::1]:8080",
		"":                            "",
		"localhost:11434":             "",
		"/v1":                         "",
		"ftp://host/v1":               "",
		"http://":                     "",
		"http://:8080":                "",
		"http://me:secret@host/v1":    "",
		"http://me@host/v1":           "",
		"http://host/v1?key=secret":   "",
		"http://host/v1?":             "",
		"http://host/v1#models":       "",
		"http://host:port/v1":         "",
		"http://ho\x00st/v1":          "",
		"https://host/%zz":            "",
		"https://host with space/v1":  "",
		"http://host/v1\nX-Header: x": "",
	} {
		u, ok := baseurl.Parse(address)
		switch {
		case ok != (want != "") || ok != baseurl.Valid(address):
			t.Errorf("%q: %v", address, ok)
		case ok && (u.Host != want || !baseurl.IsWeb(address)):
			t.Errorf("%q is at %q", address, u.Host)
		}
	}
}

// Addresses that differ in spelling only are the same.
func TestNormal(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:11434/v1/":   "http://localhost:11434/v1",
		"HTTP://Models.Example:80/V1":  "http://models.example/V1",
		"https://models.example:443":   "https://models.example",
		"https://models.example:80/v1": "https://models.example:80/v1",
		"http://[::1]:80/v1":           "http://[::1]/v1",
		"not an address":               "not an address",
	} {
		if got := baseurl.Normal(address); got != want || baseurl.Normal(got) != got {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

// A webhook may have a key in its query, which an endpoint may not.
func TestIsWeb(t *testing.T) {
	for address, want := range map[string]bool{
		"https://host/hook?key=x#y": true,
		"https://me:x@host/hook":    false,
		"mailto:me@host":            false,
		"":                          false,
	} {
		if baseurl.IsWeb(address) != want {
			t.Errorf("%q: not %v", address, want)
		}
	}
}

func TestShown(t *testing.T) {
	for address, want := range map[string]string{
		"":                                     "",
		"What is http://me:pw@host about?":     "What is http://me:pw@host about?",
		"http://localhost:11434/v1":            "http://localhost:11434/v1",
		"http://me:hunter2@host/v1":            "http://[secret]@host/v1",
		"http://me@host":                       "http://[secret]@host",
		"ftp://me:a@b:c/d@host/v1":             "ftp://[secret]@host/v1",
		"https://host/hook?key=abc&room=lab":   "https://host/hook?key=[secret]&room=lab",
		"https://host/?room=lab;Token=x#y":     "https://host/?room=lab;Token=[secret]#[secret]",
		"https://host/?sig=x&sv=2020":          "https://host/?sig=[secret]&sv=2020",
		"https://host/?a=0123456789abcdef01":   "https://host/?a=[secret]",
		"https://host/?0123456789abcdef01":     "https://host/?[secret]",
		"https://me:pw@ho\x00st/%zz?key=a%zzb": "https://[secret]@ho\x00st/%zz?key=[secret]",
		"https://host/?key=":                   "https://host/?key=",
	} {
		if got := baseurl.Shown(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

// No password of an address is shown, whatever it is.
func TestShownHidesPasswords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.StringMatching(`[A-Za-z0-9/:@%+]{6,20}`).Draw(t, "password")
		for _, address := range []string{
			"http://me:" + password + "@host/v1", "https://host/?api_key=" + strings.NewReplacer("?", "", "#", "").Replace(password),
		} {
			if got := baseurl.Shown(address); strings.Contains(got, password) {
				t.Errorf("%s: got %s", address, got)
			}
		}
	})
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "localhost.example": false, "127.0.0.1.example": false,
	} {
		if baseurl.Loopback(host) != want {
			t.Errorf("%q: not %v", host, want)
		}
	}
}
