//go:build browser

package web_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"brenner/config"
	"brenner/web"
	"brenner/web/webtest"
)

// idp is an OpenID Connect provider on another site: it shows a page, and sends the browser
// back with a code, which is good for one exchange with the verifier of PKCE.
type idp struct {
	oidctest.Server
	private *rsa.PrivateKey
	now     func() time.Time

	mu    sync.Mutex
	begun map[string]url.Values // requests by code
}

func (p *idp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case "/auth":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Provider</title><form action="/approve"><input type="hidden" name="asked" value="%s"><button name="email" value="sydney@example.org">Sydney</button><button name="email" value="eve@example.org">Eve</button></form>`, html.EscapeString(r.URL.RawQuery))
	case "/approve":
		asked, _ := url.ParseQuery(r.FormValue("asked")) // it was a query
		asked.Set("email", r.FormValue("email"))
		code := rand.Text()
		p.begun[code] = asked
		http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode(), http.StatusFound)
	case "/token":
		asked := p.begun[r.FormValue("code")]
		delete(p.begun, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if asked == nil || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("redirect_uri") != r.FormValue("redirect_uri") {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		claims := fmt.Sprintf(`{"iss":%q,"aud":"brenner","sub":"1","exp":%d,"nonce":%q,"email":%q,"email_verified":true}`, "http://"+r.Host, p.now().Add(time.Hour).Unix(), asked.Get("nonce"), asked.Get("email"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"a","token_type":"Bearer","id_token":%q}`, oidctest.SignIDToken(p.private, "k", oidc.RS256, claims))
	default:
		p.Server.ServeHTTP(w, r)
	}
}

// A person logs in at a provider on another site, over TLS, and decides under that person's name.
func TestBrowserOpenIDConnect(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := webtest.WithConflict(t)
	own := &idp{private: private, now: p.Now, begun: make(map[string]url.Values)}
	own.PublicKeys = []oidctest.PublicKey{{PublicKey: private.Public(), KeyID: "k", Algorithm: oidc.RS256}}
	provider := httptest.NewServer(own)
	defer provider.Close()
	issuer := strings.Replace(provider.URL, "127.0.0.1", "localhost", 1) // another site than the page's
	own.SetIssuer(issuer)
	p.Config.Authorities = []string{"Sydney"}
	p.Config.Serve = config.Serve{Issuer: issuer, ClientID: "brenner", People: []config.Person{{Name: "Sydney", Email: "sydney@example.org"}}}
	cert, key := certificate(t)
	visit := serveRemote(t, p, web.Door{Listen: "0.0.0.0:0", Hosts: []string{"lab.example.org"}, Cert: cert, Key: key})
	_, port, _ := strings.Cut(strings.TrimPrefix(visit().base, "https://[::]"), ":")
	b := browse(t, &site{base: "https://127.0.0.1:" + port, t: t})
	if _, err := chromedp.Call(b.ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}); err != nil {
		t.Fatal(err)
	}
	login := func(email string) {
		t.Helper()
		b.open("/")
		b.follow("log in", chromedp.Click(chromedp.CSS("a[href='/login']")))
		b.follow("choose", chromedp.Click(chromedp.CSS(fmt.Sprintf("button[value=%q]", email))))
	}
	login("eve@example.org")
	b.shows("is not one of the people of this project")
	login("sydney@example.org")
	b.shows("Welcome, Sydney")
	b.accessible("welcome", axe(t))
	b.follow("continue", chromedp.Click(chromedp.CSS("a[href='/']")))
	b.shows("Waiting for you")
	b.open("/sessions/" + webtest.Conflict + "/conflicts")
	b.follow("decide", chromedp.Click(chromedp.CSS("input[type=radio]")), chromedp.Click(chromedp.CSS("form button")))
	b.shows("Version 4 is written, by Sydney")
}
