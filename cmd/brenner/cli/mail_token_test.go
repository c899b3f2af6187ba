package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/mail"
	"brenner/mail/mailtest"
)

// The token in the environment goes only to the server that the environment, a file or, without either, a flag names.
func TestTokenGoesOnlyToItsServer(t *testing.T) {
	const token, sent = "s3cret-token", "Bearer s3cret-token"
	for name, test := range map[string]struct {
		inFile, inEnv bool // where the token's server is named
		flag, pass    bool // --url names the other server; which gets the token
	}{
		"the server of the environment":              {inEnv: true, pass: true},
		"the server of the file":                     {inFile: true, pass: true},
		"another one than that of the environment":   {inEnv: true, flag: true},
		"another one than that of the file":          {inFile: true, flag: true},
		"the only one that is named, by a flag":      {flag: true, pass: true},
		"another one than that of environment, file": {inFile: true, inEnv: true, flag: true},
	} {
		t.Run(name, func(t *testing.T) {
			its, other := mailtest.NewPoor(t, &mailtest.Poor{}), mailtest.NewPoor(t, &mailtest.Poor{})
			dir := t.TempDir()
			env, args := []string{"HOME=" + t.TempDir(), mail.EnvToken + "=" + token}, []string{"mail", "agents", "-C", dir}
			if test.inEnv {
				env = append(env, mail.EnvBaseURL+"="+its.URL)
			}
			if test.inFile {
				if err := os.WriteFile(filepath.Join(dir, "brenner.yaml"), []byte("mail: {base_url: "+its.URL+"}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			asked := its
			if test.flag {
				asked, args = other, append(args, "--url", other.URL)
			}
			code, errs := brenner(t.Context(), env, io.Discard, args...)
			want := []string{""}
			if test.pass {
				want = []string{sent}
			}
			if got := asked.Tokens(); code != 0 || !slices.Equal(got, want) {
				t.Errorf("exit %d, the server got %q, want %q\n%s", code, got, want, errs)
			}
			if test.flag && len(its.Tokens()) != 0 {
				t.Errorf("the other server got %q, want no request", its.Tokens())
			}
			if warned := strings.Contains(errs, "the token of "+mail.EnvToken+" is for "+its.URL+"; not sent to "+other.URL); warned == test.pass || strings.Contains(errs, token) {
				t.Errorf("it said %q", errs)
			}
		})
	}
}

// Neither a redirect nor a server that is moved to another address gets the token.
func TestTokenDoesNotFollowRedirects(t *testing.T) {
	other := mailtest.NewPoor(t, &mailtest.Poor{})
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	env := []string{"HOME=" + t.TempDir(), mail.EnvToken + "=s3cret-token", mail.EnvBaseURL + "=" + moved.URL}
	code, errs := brenner(t.Context(), env, io.Discard, "mail", "health", "-C", t.TempDir())
	if code == 0 || !strings.Contains(errs, "it redirects to "+other.URL) || len(other.Tokens()) != 0 {
		t.Errorf("exit %d, the other server got %q\n%s", code, other.Tokens(), errs)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
