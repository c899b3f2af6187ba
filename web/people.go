package web

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"brenner/internal/fault"
	"brenner/project"
)

// NewToken returns a token for a person, and its hash for the configuration.
func NewToken() (token, hash string) {
	token = rand.Text()
	return token, hashOf(token)
}

// hasPeople reports whether anyone can log in.
func (s *Server) hasPeople() bool {
	for _, p := range s.project.Config.Serve.People {
		if p.Token != "" || p.Email != "" && s.project.Config.Serve.Issuer != "" {
			return true
		}
	}
	return false
}

// known reports whether a name is still one of the server's people: on this machine the operator, from
// other machines those of the configuration.
func (s *Server) known(name string) bool {
	if !s.remote {
		return name == s.project.Config.Operator
	}
	for _, p := range s.project.Config.Serve.People {
		if p.Name == name {
			return true
		}
	}
	return false
}

// fromProxy reports whether a request comes from the proxy, if there is one, and came to it over TLS.
func (s *Server) fromProxy(r *http.Request) bool {
	if len(s.door.Proxies) == 0 {
		return true
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr) // "" is no proxy
	if !slices.Contains(s.door.Proxies, host) || r.Header.Get("X-Forwarded-Proto") != "https" {
		return false
	}
	if name := r.Header.Get("X-Forwarded-Host"); name != "" {
		r.Host = name
	}
	return true
}

// loginPage is the form for people on other machines.
type loginPage struct {
	Problem string
	Issuer  string // host of the provider, or ""
	Tokens  bool
}

func (s *Server) renderLogin(w http.ResponseWriter, r *http.Request, status int, problem string) {
	if status == http.StatusUnauthorized && r.URL.Path == "/events" {
		w.WriteHeader(status) // a page that was open longer than its cookie is valid
		return
	}
	page := loginPage{Problem: problem}
	if s.login != nil {
		u, _ := url.Parse(s.project.Config.Serve.Issuer) // it was used
		page.Issuer = u.Host
	}
	for _, p := range s.project.Config.Serve.People {
		page.Tokens = page.Tokens || p.Token != ""
	}
	s.render(w, r, &view{Page: "login", Title: "Log in", Data: page, Status: status})
}

// enterWithToken admits a person with a token.
func (s *Server) enterWithToken(w http.ResponseWriter, r *http.Request) {
	hash := hashOf(r.PostFormValue("token"))
	for _, p := range s.project.Config.Serve.People {
		if p.Token != "" && same(hash, strings.ToLower(p.Token)) {
			s.remember(w, r, p.Name)
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
	}
	s.renderLogin(w, r, http.StatusUnauthorized, "This token is not valid.")
}

// login is an OpenID Connect provider that people log in with.
type login struct {
	oauth  oauth2.Config
	verify *oidc.IDTokenVerifier
}

// NoProvider is the code of an OpenID Connect provider that does not answer as one.
const NoProvider fault.Code = "WEB_NO_PROVIDER" // The OpenID Connect provider of serve.oidc cannot be used.

func newLogin(ctx context.Context, p *project.Project) (*login, error) {
	c := &p.Config.Serve
	provider, err := oidc.NewProvider(context.WithoutCancel(ctx), c.Issuer)
	if err != nil {
		return nil, &fault.Error{Code: NoProvider, Op: "serve the page", Place: c.Issuer, Cause: err, Hint: "check serve.oidc.issuer in brenner.yaml"}
	}
	l := &login{verify: provider.Verifier(&oidc.Config{ClientID: c.ClientID, Now: p.Now})}
	l.oauth = oauth2.Config{ClientID: c.ClientID, Endpoint: provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email"}}
	if c.SecretEnv != "" {
		l.oauth.ClientSecret = p.Variable(c.SecretEnv)
	}
	return l, nil
}

// at returns the client for a request: the browser comes back to the host that it asked.
func (l *login) at(r *http.Request) *oauth2.Config {
	client := l.oauth
	client.RedirectURL = "https://" + r.Host + "/login/back"
	return &client
}

// loginCookie keeps what a login needs until the browser is back: state, nonce and the verifier of PKCE.
const loginCookie = "brenner-login"

// loginPages sends a browser to the provider, and admits the person who comes back.
func (s *Server) loginPages(w http.ResponseWriter, r *http.Request) {
	// It comes back from another site, so that a strict cookie would not be sent.
	cookie := http.Cookie{Name: loginCookie, Path: "/login", MaxAge: 600, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodGet:
		state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		cookie.Value = state + "." + nonce + "." + verifier
		http.SetCookie(w, &cookie)
		http.Redirect(w, r, s.login.at(r).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), http.StatusSeeOther)
	case r.URL.Path == "/login/back" && r.Method == http.MethodGet:
		name, err := s.login.person(r, s.project)
		cookie.MaxAge = -1
		http.SetCookie(w, &cookie)
		if err != nil {
			s.project.Log.Warn().Err(err).Msg("a login failed")
			s.renderLogin(w, r, http.StatusUnauthorized, fault.DetailOf(fault.Distinct(err)[0]).Message)
			return
		}
		s.remember(w, r, name)
		// A redirect would still count as coming from the provider's site, without the new cookie.
		s.render(w, r, &view{Page: "welcome", Title: "Welcome", Data: name})
	default:
		http.NotFound(w, r)
	}
}

// NotAdmitted is the code of a login by someone who is not one of the server's people.
const NotAdmitted fault.Code = "WEB_NOT_ADMITTED" // The login did not succeed, or is of someone who is not in serve.people.

// person returns who logged in at the provider.
func (l *login) person(r *http.Request, p *project.Project) (string, error) {
	refused := func(detail string, cause error) error {
		return &fault.Error{Code: NotAdmitted, Detail: detail, Cause: cause, Hint: "log in again"}
	}
	cookie, err := r.Cookie(loginCookie)
	if err != nil {
		return "", refused("the login took too long, or began in another browser", nil)
	}
	parts := strings.Split(cookie.Value, ".")
	if len(parts) != 3 || !same(parts[0], r.URL.Query().Get("state")) {
		return "", refused("the login began elsewhere", nil)
	}
	token, err := l.at(r).Exchange(r.Context(), r.URL.Query().Get("code"), oauth2.VerifierOption(parts[2]))
	if err != nil {
		return "", refused("the provider did not confirm the login", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := l.verify.Verify(r.Context(), raw)
	if err != nil || !same(id.Nonce, parts[1]) {
		return "", refused("the provider's answer is not valid", err)
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil || claims.Email == "" || !claims.Verified {
		return "", refused("the provider names no verified email address", err)
	}
	for _, one := range p.Config.Serve.People {
		if one.Email != "" && strings.EqualFold(one.Email, claims.Email) {
			return one.Name, nil
		}
	}
	return "", refused(fault.Shown(claims.Email)+" is not one of the people of this project", nil)
}
