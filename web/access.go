package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/internal/webgate"
)

// policy lets pages load only what this server serves, and lets nothing in a page run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// admission is how long a cookie is valid.
const admission = 12 * time.Hour

// maxForm bounds the bytes of a form.
const maxForm = 1 << 20

// gate sets the headers of every response and admits requests to this host, from its own pages, with
// a valid cookie.
func (s *Server) gate(next http.Handler) http.Handler {
	var origins http.CrossOriginProtection
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		webgate.Refuse(w, http.StatusForbidden, "requests from other origins are not allowed")
	}))
	admit := origins.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.admit(w, r, next) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.fromProxy(r):
			webgate.Refuse(w, http.StatusForbidden, "only the proxy may ask")
		case !webgate.KnownHost(r.Host, s.door.Hosts):
			webgate.Refuse(w, http.StatusForbidden, "unknown host "+fault.Shown(r.Host))
		case !webgate.SameOrigin(r):
			webgate.Refuse(w, http.StatusForbidden, "requests from other origins are not allowed")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			admit.ServeHTTP(w, r)
		}
	})
}

// admit serves what anyone may see, exchanges the token for a cookie, and requires one for the rest.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/static/"):
		s.pages.static(w, r)
	case r.URL.Path == "/enter" && r.Method == http.MethodPost && s.remote:
		s.enterWithToken(w, r)
	case r.URL.Path == "/enter":
		s.enter(w, r)
	case s.login != nil && strings.HasPrefix(r.URL.Path, "/login"):
		s.loginPages(w, r)
	case s.remote && s.admitted(r) == "":
		s.renderLogin(w, r, http.StatusUnauthorized, "")
	case s.admitted(r) == "":
		s.refusePage(w, r, http.StatusUnauthorized, "closed", "This browser is not admitted",
			"Open the address that `brenner serve` printed. It works once; restart the command for a new one.")
	default:
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), personKey{}, s.admitted(r))))
	}
}

// personKey is the key of the admitted person in a request's context.
type personKey struct{}

// personOf returns the name of the person who sent a request.
func personOf(r *http.Request) string {
	name, _ := r.Context().Value(personKey{}).(string)
	return name
}

// checkWrite returns an error if a request may not change anything. Who may decide what is checked where
// it is decided; here, everyone may write who is the operator or an authority.
func (s *Server) checkWrite(r *http.Request) error {
	name := personOf(r)
	switch {
	case s.readOnly:
		return errReadOnly()
	case name != s.project.Config.Operator && !slices.Contains(s.project.Config.Authorities, name):
		return &fault.Error{Code: ReadOnly, Detail: fault.Shown(name) + " may read, but change nothing", Hint: "only the operator and the authorities: of brenner.yaml may"}
	}
	return nil
}

// enter exchanges the token for a cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	hash := hashOf(r.URL.Query().Get("token"))
	s.mu.Lock()
	valid := s.token != "" && same(hash, s.token)
	if valid && r.Method == http.MethodGet { // not for HEAD, with which programs look at links
		s.token = ""
	}
	s.mu.Unlock()
	switch {
	case r.Method != http.MethodGet:
		w.WriteHeader(http.StatusNoContent)
		return
	case valid:
		s.remember(w, r, s.project.Config.Operator)
	case s.admitted(r) == "":
		s.refusePage(w, r, http.StatusUnauthorized, "closed", "This address no longer works",
			"Each address works once. Stop `brenner serve` with Ctrl-C and start it again for a new one.")
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// remember admits a person's browser with a cookie.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, name string) {
	expires := s.project.Now().Add(admission)
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: s.signed(expires.Unix(), name), Path: "/", MaxAge: int(admission.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure(r),
	})
}

// secure reports whether a request came over TLS.
func (s *Server) secure(r *http.Request) bool { return r.TLS != nil || len(s.door.Proxies) > 0 }

func (s *Server) cookieName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "brenner-" + s.port
}

// admitted returns the person whose valid cookie a request has, or "".
func (s *Server) admitted(r *http.Request) string {
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return ""
	}
	until, rest, _ := strings.Cut(cookie.Value, ".")
	digits, _, _ := strings.Cut(rest, ".")
	expires, err := strconv.ParseInt(until, 10, 64)
	name, hexErr := hex.DecodeString(digits)
	if err != nil || hexErr != nil || !s.known(string(name)) || !same(cookie.Value, s.signed(expires, string(name))) || s.project.Now().Unix() >= expires {
		return ""
	}
	return string(name)
}

// signed returns the value of a person's cookie that is valid until a time.
func (s *Server) signed(expires int64, name string) string {
	value := strconv.FormatInt(expires, 10) + "." + hex.EncodeToString([]byte(name))
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(value))
	return value + "." + hex.EncodeToString(mac.Sum(nil))
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
