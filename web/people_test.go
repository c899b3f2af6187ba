package web_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/web"
	"brenner/web/webtest"
)

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"lab.example.org"}}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private))
}

// visitor is a browser on another machine.
type visitor struct {
	*http.Client
	t    *testing.T
	base string
}

// serveRemote serves a project to other machines, and returns how to make browsers for it.
func serveRemote(t *testing.T, p *project.Project, door web.Door) func() *visitor {
	t.Helper()
	server, err := web.New(web.Options{Project: p, Poll: 5 * time.Millisecond, Door: door})
	if err != nil {
		t.Fatal(err)
	}
	l, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if address := server.Address(l); !strings.HasPrefix(address, "https://lab.example.org") || strings.Contains(address, "token") {
		t.Errorf("the address is %s", address)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	scheme := "http://"
	if door.Cert != "" {
		scheme = "https://"
	}
	return func() *visitor {
		jar, _ := cookiejar.New(nil)                                                         // it has no error
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the test's own certificate
		t.Cleanup(transport.CloseIdleConnections)
		return &visitor{Client: &http.Client{Jar: jar, Transport: transport}, t: t, base: scheme + l.Addr().String()}
	}
}

func (v *visitor) do(method, path string, form url.Values, change func(*http.Request)) response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	got, err := v.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return response{got.StatusCode, got.Header, string(body)}
}

// Other machines get in only with TLS, a name and people.
func TestDoors(t *testing.T) {
	cert, key := certificate(t)
	people := []config.Person{{Name: "Sydney", Token: strings.Repeat("0", 64)}}
	for name, c := range map[string]struct {
		door   web.Door
		people []config.Person
		want   fault.Code
		detail string
	}{
		"this machine":     {web.Door{Listen: "127.0.0.1:0"}, nil, "", ""},
		"no TLS":           {web.Door{Listen: "0.0.0.0:0", Hosts: []string{"lab.example.org"}}, people, web.NotLoopback, "unencrypted"},
		"no people":        {web.Door{Listen: "0.0.0.0:0", Hosts: []string{"lab.example.org"}, Cert: cert, Key: key}, nil, web.NotLoopback, "no people"},
		"no name":          {web.Door{Listen: "0.0.0.0:0", Cert: cert, Key: key}, people, web.NotLoopback, "name"},
		"half a key":       {web.Door{Listen: "127.0.0.1:0", Cert: cert}, people, web.CannotListen, "belong together"},
		"not a key":        {web.Door{Listen: "127.0.0.1:0", Cert: cert, Key: cert}, people, web.CannotListen, ""},
		"not an address":   {web.Door{Listen: "127.0.0.1"}, people, web.CannotListen, ""},
		"all there":        {web.Door{Listen: "127.0.0.1:0", Cert: cert, Key: key}, nil, "", ""},
		"not a proxy":      {web.Door{Listen: "127.0.0.1:0", Proxies: []string{"notanip"}, Hosts: []string{"lab.example.org"}}, nil, web.CannotListen, "not an IP address: notanip"},
		"proxy, no people": {web.Door{Listen: "127.0.0.1:0", Proxies: []string{"127.0.0.1"}, Hosts: []string{"lab.example.org"}}, nil, web.NotLoopback, "no people"},
	} {
		p := webtest.Empty(t)
		p.Config.Serve.People = c.people
		server, err := web.New(web.Options{Project: p, Door: c.door})
		if err != nil {
			t.Fatal(err)
		}
		l, err := server.Listen(t.Context())
		if fault.CodeOf(err) != c.want || err != nil && !strings.Contains(err.Error(), c.detail) {
			t.Errorf("%s: got %v, want %q %q", name, err, c.want, c.detail)
		}
		if err == nil {
			_ = l.Close() // nothing was accepted
		}
	}
}

// Over TLS, the page is served, and its cookie is for TLS only.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	s := serveWith(t, webtest.WithConflict(t), func(o *webOptions) { o.Door.Cert, o.Door.Key = cert, key })
	if !strings.HasPrefix(s.enter, "https://") || !strings.Contains(s.get("/"), "cell") {
		t.Errorf("the address is %s", s.enter)
	}
}

// People log in with tokens. Everyone may read, authorities decide under their names, and only the
// operator starts sessions.
func TestPeopleBehindProxy(t *testing.T) {
	p := webtest.WithConflict(t)
	p.Config.Authorities = []string{"Sydney"}
	tokens := make(map[string]string)
	for _, name := range []string{"operator", "Sydney", "Guest"} {
		token, hash := web.NewToken()
		tokens[name] = token
		p.Config.Serve.People = append(p.Config.Serve.People, config.Person{Name: name, Token: hash})
	}
	visit := serveRemote(t, p, web.Door{Listen: "127.0.0.1:0", Proxies: []string{"127.0.0.1"}, Hosts: []string{"lab.example.org"}})
	proxied := func(r *http.Request) {
		r.Header.Set("X-Forwarded-Proto", "https")
		r.Header.Set("X-Forwarded-Host", "lab.example.org")
	}
	v := visit()
	expect := func(name string, r response, want int) {
		t.Helper()
		if r.status != want {
			t.Errorf("%s: got %d, want %d: %.300s", name, r.status, want, r.body)
		}
	}
	expect("past the proxy", v.do(http.MethodGet, "/", nil, nil), 403)
	expect("unencrypted to the proxy", v.do(http.MethodGet, "/", nil, func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "http") }), 403)
	expect("another host", v.do(http.MethodGet, "/", nil, func(r *http.Request) { proxied(r); r.Header.Set("X-Forwarded-Host", "evil.example.com") }), 403)
	r := v.do(http.MethodGet, "/", nil, proxied)
	expect("not logged in", r, 401)
	if !strings.Contains(r.body, "Your token") || strings.Contains(r.body, "Records") {
		t.Errorf("the page for strangers: %s", r.body)
	}
	expect("events", v.do(http.MethodGet, "/events", nil, proxied), 401)
	expect("a printed token", v.do(http.MethodGet, "/enter?token=", nil, proxied), 401)
	expect("a wrong token", v.do(http.MethodPost, "/enter", url.Values{"token": {"x"}}, proxied), 401)
	expect("an empty token", v.do(http.MethodPost, "/enter", url.Values{"token": {""}}, proxied), 401)

	const notes = "/sessions/" + webtest.Conflict + "/notes"
	// as logs a person in and returns how it sends requests. The cookie is for TLS only: the proxy has it.
	as := func(name string) func(method, path string, form url.Values) response {
		t.Helper()
		v := visit()
		v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		r := v.do(http.MethodPost, "/enter", url.Values{"token": {tokens[name]}}, proxied)
		cookie, attributes, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
		if r.status != http.StatusSeeOther || !strings.Contains(attributes, "Secure") || !strings.Contains(attributes, "HttpOnly") || !strings.Contains(attributes, "SameSite=Strict") {
			t.Fatalf("%s logs in: %d %s", name, r.status, r.header)
		}
		return func(method, path string, form url.Values) response {
			return v.do(method, path, form, func(r *http.Request) { proxied(r); r.Header.Set("Cookie", cookie) })
		}
	}
	guest, sydney, operator := as("Guest"), as("Sydney"), as("operator")
	if r := guest(http.MethodGet, "/sessions/"+webtest.Conflict+"/conflicts", nil); r.status != 200 || !strings.Contains(r.body, "Read only") || strings.Contains(r.body, "<button>Decide") {
		t.Errorf("a guest: %d %s", r.status, r.body)
	}
	expect("a guest's note", guest(http.MethodPost, notes, url.Values{"text": {"x"}}), 403)
	expect("a guest's start", guest(http.MethodPost, "/start", url.Values{"do": {"estimate"}, "question": {"Why?"}}), 403)
	expect("an authority's note", sydney(http.MethodPost, notes, url.Values{"text": {"Look again."}}), 303)
	expect("an authority's start", sydney(http.MethodGet, "/start", nil), 403)
	expect("the operator's start", operator(http.MethodGet, "/start", nil), 200)
	if all := history(t, p, webtest.Conflict).State.Notes; len(all) != 1 || all[0].Author != "Sydney" {
		t.Errorf("the journal has the notes %+v", all)
	}
	p.Config.Serve.People = p.Config.Serve.People[:2]
	expect("a guest who was removed", guest(http.MethodGet, "/", nil), 401)
}

// People log in at an OpenID Connect provider, by a verified email address.
func TestOpenIDConnect(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]string{} // by code
	idp := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: private.Public(), KeyID: "k", Algorithm: oidc.RS256}}}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			idp.ServeHTTP(w, r)
			return
		}
		if r.FormValue("code_verifier") == "" {
			http.Error(w, "no verifier", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"a","token_type":"Bearer","id_token":%q}`, oidctest.SignIDToken(private, "k", oidc.RS256, claims[r.FormValue("code")]))
	}))
	defer provider.Close()
	idp.SetIssuer(provider.URL)
	p := webtest.WithConflict(t)
	p.Config.Serve = config.Serve{Issuer: provider.URL, ClientID: "brenner", People: []config.Person{{Name: "Sydney", Email: "sydney@example.org"}}}
	visit := serveRemote(t, p, web.Door{Listen: "127.0.0.1:0", Proxies: []string{"127.0.0.1"}, Hosts: []string{"lab.example.org"}})
	v := visit()
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	get := func(path, cookie string) response {
		t.Helper()
		return v.do(http.MethodGet, path, nil, func(r *http.Request) {
			r.Header.Set("X-Forwarded-Proto", "https")
			r.Header.Set("X-Forwarded-Host", "lab.example.org")
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
		})
	}
	if r := get("/", ""); r.status != 401 || !strings.Contains(r.body, "Log in with") {
		t.Errorf("the first page: %d %s", r.status, r.body)
	}
	// begin begins a login and returns its cookie, state and nonce.
	begin := func() (cookie, state, nonce string) {
		t.Helper()
		r := get("/login", "")
		to, err := url.Parse(r.header.Get("Location"))
		if err != nil || !strings.HasPrefix(to.String(), provider.URL) || to.Query().Get("code_challenge_method") != "S256" ||
			to.Query().Get("redirect_uri") != "https://lab.example.org/login/back" {
			t.Fatalf("the login leads to %s", r.header.Get("Location"))
		}
		cookie, _, _ = strings.Cut(r.header.Get("Set-Cookie"), ";")
		return cookie, to.Query().Get("state"), to.Query().Get("nonce")
	}
	token := func(nonce, email string, verified bool, audience string) string {
		return fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"1","exp":%d,"nonce":%q,"email":%q,"email_verified":%t}`, provider.URL, audience, p.Now().Add(time.Hour).Unix(), nonce, email, verified)
	}
	cookie, state, nonce := begin()
	claims["good"] = token(nonce, "Sydney@example.org", true, "brenner")
	claims["nonce"] = token("other", "sydney@example.org", true, "brenner")
	claims["stranger"] = token(nonce, "eve@example.org", true, "brenner")
	claims["unverified"] = token(nonce, "sydney@example.org", false, "brenner")
	claims["audience"] = token(nonce, "sydney@example.org", true, "another")
	for code, c := range map[string]struct{ cookie, state string }{
		"nonce": {cookie, state}, "stranger": {cookie, state}, "unverified": {cookie, state}, "audience": {cookie, state},
		"good": {cookie, "other"}, "none": {cookie, state},
	} {
		if r := get("/login/back?code="+code+"&state="+c.state, c.cookie); r.status != 401 || strings.Contains(strings.Join(r.header.Values("Set-Cookie"), " "), "brenner-login=;") == false {
			t.Errorf("code %s: got %d, want 401: %.300s", code, r.status, r.body)
		}
	}
	if r := get("/login/back?code=good&state="+state, ""); r.status != 401 {
		t.Errorf("without the cookie: got %d, want 401", r.status)
	}
	r := get("/login/back?code=good&state="+state, cookie)
	if r.status != 200 || !strings.Contains(r.body, "Welcome, Sydney") {
		t.Fatalf("a good login: %d %s", r.status, r.body)
	}
	for _, set := range r.header.Values("Set-Cookie") {
		if name, _, _ := strings.Cut(set, "="); name != "brenner-login" {
			value, _, _ := strings.Cut(set, ";")
			if r := get("/", value); r.status != 200 {
				t.Errorf("after the login: got %d, want 200", r.status)
			}
			return
		}
	}
	t.Error("the login set no cookie")
}
