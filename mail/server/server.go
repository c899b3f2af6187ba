// Package server is an Agent Mail server over a mail.Box, on the official Go MCP SDK. It uses
// streamable HTTP without sessions: clients do not notice a restart, and a vanished client leaves
// nothing behind.
//
// It promises: every request needs a token; an agent acts only for itself and reads only its own
// mail; names never change, reading does not mark mail as read, and a message with an idempotency
// key is delivered once; pages of other sites cannot reach it through a browser (Host and Origin
// checks). It must not know how mail is stored, or what messages say.
package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/mail"
)

// MaxRequest bounds the bytes of a request: the largest message, encoded as JSON.
const MaxRequest = 16 << 20

// longestWait bounds how long a fetch waits for mail: some clients time out after a minute.
const longestWait = 50 * time.Second

// Options configure a server.
type Options struct {
	Box mail.Box
	// Operator is the token that may act for all agents. If empty, no token is required; use that
	// only on loopback addresses.
	Operator string `json:"-"`
	// Key signs agents' tokens; those without its signature are unknown.
	Key Key `json:"-"`
	// Hosts are accepted host names beside localhost, 127.0.0.1 and ::1.
	Hosts []string
	// Path is an additional path to serve beside /mcp and /api; empty means none.
	Path    string
	Version string // of the program
	Log     *slog.Logger
	// Format describes how agents write contributions; the tools that send repeat it. It may be empty.
	Format string
	// Name returns a name for a new agent without one; nil uses random names.
	Name func() string
}

// Server serves a box.
type Server struct {
	box      mail.Box
	operator string // hash of the operator's token
	key      Key
	hosts    []string
	path     string // without a trailing slash
	version  string
	name     func() string
	grace    time.Duration // for requests in flight at shutdown
	mcp      *mcp.Server
	handler  http.Handler
}

// New returns a server, which is an http.Handler.
func New(o Options) (*Server, error) {
	if o.Box == nil {
		return nil, &fault.Error{Code: mail.Invalid, Op: "make a mail server", Detail: "no box"}
	}
	s := &Server{
		box: o.Box, key: o.Key, hosts: o.Hosts, path: strings.TrimRight(cmp.Or(o.Path, mail.DefaultPath), "/"),
		version: cmp.Or(o.Version, "dev"), name: o.Name, grace: 5 * time.Second,
	}
	if o.Operator != "" {
		s.operator = Hash(o.Operator)
	}
	if s.name == nil {
		s.name = randomName
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "brenner-mail", Title: "Agent Mail", Version: s.version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: o.Log, SetCacheable: setCacheable,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
	})
	for _, t := range tools(o.Format) {
		s.mcp.AddTool(t.definition(), s.handlerOf(t))
	}
	s.addResources()
	s.addPrompt(o.Format)
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Log, MaxRequestBodyBytes: MaxRequest,
		DisableLocalhostProtection:   true, // the gate checks more
		PropagateRequestCancellation: true,
	})
	s.handler = s.gate(streamable)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

const instructions = `Agent Mail: mailboxes for agents that work on one project.

Register with register_agent (project_key is the absolute path of the project's directory).
fetch_inbox shows your messages; it marks nothing as read. With wait_seconds it waits for mail.
Acknowledge a message with ack_required by acknowledge_message. Reply with reply_message, which stays in the thread.`

// DefaultAddress is the default listen address.
const DefaultAddress = "127.0.0.1:8765"

// CannotListen is the code for an address that cannot be listened on.
const CannotListen fault.Code = "MAIL_CANNOT_LISTEN" // The mail server cannot listen on this address.

// Listen opens a listener. An address that other machines can reach requires a token.
func Listen(ctx context.Context, address string, hasToken bool) (net.Listener, error) {
	const op = "listen for mail"
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Op: op, Place: address, Cause: err, Hint: "use a form such as " + DefaultAddress}
	}
	if !hasToken && !baseurl.Loopback(host) {
		return nil, &fault.Error{
			Code: mail.NoAuth, Op: op, Place: address, Detail: "an address that other machines can reach requires a token",
			Hint: "listen on 127.0.0.1, or remove --no-token",
		}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &fault.Error{Code: CannotListen, Op: op, Place: address, Cause: err, Hint: "pass --addr with another port; 0 picks a free one"}
	}
	return l, nil
}

// Serve serves requests until the context ends. It then ends waits for mail and lets other requests
// finish.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	calls, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return calls },
	}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stop()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
		defer cancel()
		err := h.Shutdown(grace)
		if errors.Is(err, context.DeadlineExceeded) {
			err = h.Close() // a request that takes this long has stalled
		}
		done <- err
	}()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		end()
		<-done
		return &fault.Error{Code: CannotListen, Op: "serve mail", Cause: err}
	}
	return <-done
}
