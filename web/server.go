// Package web serves a project as pages for a browser: what runs, what it produced, who wrote which
// line, and what waits for a decision.
//
// It stores nothing of its own. A page is a function of the store, and a form does what a command
// does. Pages need a cookie that a token in a printed address is exchanged for, once. Text of agents
// is shown as text: it cannot run, load or send anything.
package web

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/trust"
	"brenner/project"
	"brenner/project/launch"
	"brenner/session"
	"brenner/store"
)

// DefaultAddress is the default listen address.
const DefaultAddress = "127.0.0.1:8790"

// Codes of the server.
const (
	CannotListen fault.Code = "WEB_CANNOT_LISTEN" // The page's server cannot listen on this address.
	NotLoopback  fault.Code = "WEB_NOT_LOOPBACK"  // Other machines could reach the page's server without TLS, a known name or people.
)

// Options configure a server.
type Options struct {
	Project *project.Project
	// ReadOnly refuses every change.
	ReadOnly bool
	// Door is from where the server can be reached; by default from this machine only.
	Door Door
	// Start starts a session; nil runs it with this program in another process.
	Start func(context.Context, *project.Project, *launch.Session) error
	// Poll is how often the store is asked which journals grew; 0 means 200 ms, or 500 ms for a database.
	Poll time.Duration
	// Beat is how often an idle connection gets a comment; 0 means 15 s.
	Beat time.Duration
}

// Server serves the pages of a project. It is an http.Handler.
type Server struct {
	project  *project.Project
	readOnly bool
	beat     time.Duration
	// startSession starts a session.
	startSession func(context.Context, *project.Project, *launch.Session) error
	pages        *pages
	feed         *feed
	handler      http.Handler
	door         Door
	remote       bool   // other machines can reach it: people log in
	login        *login // with an OpenID Connect provider; nil without one
	key          []byte // signs cookies
	port         string // part of the cookie's name: cookies do not distinguish ports

	choices func() launch.Choices // of the form that starts sessions

	hadStore atomic.Bool // the project had a store

	mu     sync.Mutex
	token  string               // hash of the token that is still valid, or ""
	starts map[string]*starting // by thread
	// damaged are the sessions in which a page found damage.
	damaged damages
}

// New returns a server for a project. Its feed starts with Serve.
func New(o Options) (*Server, error) {
	pages, err := parsePages()
	if err != nil {
		return nil, err
	}
	p := o.Project
	s := &Server{
		project: p, readOnly: o.ReadOnly, door: o.Door, beat: cmp.Or(o.Beat, 15*time.Second), pages: pages, key: cookieKey(p),
		choices: sync.OnceValue(func() launch.Choices { return launch.ChoicesOf(p) }), starts: make(map[string]*starting), damaged: make(damages),
		feed: newFeed(cmp.Or(o.Poll, p.StorePoll()), func(ctx context.Context) (store.Store, error) {
			st, err := p.OpenToRead(ctx)
			if err != nil {
				return nil, err
			}
			return st, nil
		}, p.Log),
	}
	if s.startSession = o.Start; s.startSession == nil {
		s.startSession = launch.Start
	}
	s.handler = s.gate(s.routes())
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// cookieKey returns the key of the project's cookies. It is the same after a restart, so that open
// pages reconnect. Without a key of the user, cookies end with the process.
func cookieKey(p *project.Project) []byte {
	book, err := trust.Find(p.Environ)
	var key []byte
	if err == nil {
		key, err = book.Key()
	}
	if err != nil {
		p.Log.Warn().Err(err).Msg("after a restart, the page asks for a new address")
		key = []byte(rand.Text())
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("brenner serve\n" + p.StateDir()))
	return mac.Sum(nil)
}

// Door says from where the server can be reached, and how people are admitted.
type Door struct {
	Listen string // address; empty for DefaultAddress
	// Cert and Key are the files of a certificate; empty for none.
	Cert, Key string
	// Proxies are the addresses of a proxy that ends TLS; requests from elsewhere are refused.
	Proxies []string
	// Hosts are the names by which browsers reach the server, besides loopback addresses.
	Hosts []string
}

// remote reports whether other machines can reach the server.
func (d *Door) remote(host string) bool { return len(d.Proxies) > 0 || !baseurl.Loopback(host) }

// check returns an error if a server would be open to other machines without transport security or
// without people.
func (d *Door) check(host, port string, people bool) error {
	const op = "serve the page"
	refuse := func(detail, hint string) error {
		return &fault.Error{Code: NotLoopback, Op: op, Place: d.Listen, Detail: "other machines could reach it, " + detail, Hint: hint}
	}
	for _, proxy := range d.Proxies {
		if net.ParseIP(proxy) == nil {
			return &fault.Error{Code: CannotListen, Op: op, Place: "--behind-proxy", Detail: "not an IP address: " + fault.Shown(proxy), Hint: "pass the address from which the proxy connects, such as 127.0.0.1"}
		}
	}
	switch {
	case (d.Cert == "") != (d.Key == ""):
		return &fault.Error{Code: CannotListen, Op: op, Detail: "--cert and --key belong together", Hint: "pass both"}
	case !d.remote(host):
		return nil
	case d.Cert == "" && len(d.Proxies) == 0:
		return refuse("unencrypted", "pass --cert and --key, or --behind-proxy; or listen on 127.0.0.1 and forward the port: ssh -L "+port+":127.0.0.1:"+port+" HOST")
	case len(d.Hosts) == 0:
		return refuse("by a name that it does not know", "pass --host NAME, as in the address that people open")
	case !people:
		return refuse("and no people are configured", "set serve.people in brenner.yaml; `brenner serve token NAME` prints an entry")
	}
	return nil
}

// Listen opens a listener.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	const op = "serve the page"
	if err := s.gone(ctx); err != nil { // it notes whether there is a store
		return nil, err
	}
	address := cmp.Or(s.door.Listen, DefaultAddress)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &fault.Error{Code: CannotListen, Op: op, Place: address, Cause: err, Hint: "use a form such as " + DefaultAddress}
	}
	if err := s.door.check(host, port, s.hasPeople()); err != nil {
		return nil, err
	}
	s.remote = s.door.remote(host)
	if s.remote && s.project.Config.Serve.Issuer != "" {
		if s.login, err = newLogin(ctx, s.project); err != nil {
			return nil, err
		}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &fault.Error{Code: CannotListen, Op: op, Place: address, Cause: err, Hint: "pass --listen with another port; 0 picks a free one"}
	}
	if s.door.Cert == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(s.door.Cert, s.door.Key)
	if err != nil {
		_ = l.Close() // nothing was accepted
		return nil, &fault.Error{Code: CannotListen, Op: op, Place: s.door.Cert, Cause: err, Hint: "pass a certificate and its key as PEM files"}
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// Address returns the address to open. On this machine only, it has a token that admits one browser; an
// earlier token is no longer valid.
func (s *Server) Address(l net.Listener) string {
	host, port, _ := net.SplitHostPort(l.Addr().String()) // it is an address
	scheme := "http"
	if s.door.Cert != "" {
		scheme = "https"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.port = port
	switch {
	case len(s.door.Proxies) > 0:
		return "https://" + s.door.Hosts[0] + "/"
	case s.remote:
		return scheme + "://" + net.JoinHostPort(s.door.Hosts[0], port) + "/"
	}
	token := rand.Text()
	s.token = hashOf(token)
	return scheme + "://" + net.JoinHostPort(host, port) + "/enter?token=" + token
}

// Serve serves requests until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { s.feed.run(ctx) })
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	group.Go(func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if err := h.Shutdown(grace); err != nil {
			_ = h.Close() // a request that takes this long has stalled
		}
	})
	err := h.Serve(l)
	end()
	if !errors.Is(err, http.ErrServerClosed) {
		return &fault.Error{Code: CannotListen, Op: "serve the page", Cause: err}
	}
	return nil
}

// version returns the version that a parameter of a request names; 0 for none.
func version(r *http.Request, name string) (int, error) {
	given := r.URL.Query().Get(name)
	n := number(given)
	if given != "" && n == 0 {
		return 0, &fault.Error{Code: session.NoVersion, Detail: "not a version: " + fault.Shown(given), Hint: "versions are numbers from 1"}
	}
	return n, nil
}

// number parses a positive number of a request; anything else is 0.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
