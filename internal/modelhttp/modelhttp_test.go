package modelhttp_test

import (
	"strings"
	"testing"

	"brenner/internal/modelhttp"
)

func TestParse(t *testing.T) {
	for body, want := range map[string]modelhttp.ErrorBody{
		`{"error":{"message":"no","type":"t","code":7,"param":"p"}}`: {Message: "no", Kind: "t", Code: "7", Param: "p", Proper: true},
		`{"error":"pull it first"}`:                                  {Message: "pull it first", Proper: true},
		`{"error":null,"detail":"Not Found"}`:                        {Message: "Not Found", Proper: true},
		`{"response":{"error":{"message":"late"}}}`:                  {Message: "late", Proper: true},
		modelhttp.BOM + ` [{"error":{"message":"Google's"}}]`:        {Message: "Google's", Proper: true},
		`{"other":1}`:                       {Message: `{"other":1}`, Proper: true},
		"404\n page":                        {Message: "404 page"},
		"<title>Bad &amp; gone</title><p>x": {Message: "Bad & gone"},
		"":                                  {},
	} {
		if got := modelhttp.Parse([]byte(body)); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// A truncated response never shows a part of a secret.
func TestReadErrorDropsPartialSecrets(t *testing.T) {
	const key = "sk-0123456789"
	s := modelhttp.NewSecrets(key)
	for n := range len(key) + 1 {
		body := "no " + strings.Repeat(" ", 64<<10-len("no ")-n) + key + " more"
		if got := s.Text(s.ReadError(strings.NewReader(body)).Message); got != "no" {
			t.Errorf("%d bytes of the key: got %q", n, got)
		}
		if got := s.Text(s.Page([]byte(body))); got != "no" {
			t.Errorf("%d bytes of the key on a page: got %q", n, got)
		}
	}
	if got := s.Shown(strings.Repeat("x", 295) + key); got != strings.Repeat("x", 295)+"[sec…" {
		t.Errorf("%q", got)
	}
}
