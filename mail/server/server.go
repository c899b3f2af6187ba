// Package server is an Agent Mail server over a mail.Box, on the official Go MCP
// SDK: streamable HTTP without sessions, so that a restart is not noticed and no
// client that vanishes leaves anything behind.
//
// It promises: nobody without a token is heard; an agent acts for itself and reads
// its own mail, whatever it asks for; a name is never changed, mail is never marked
// as read by being read, and a message with an idempotency key is delivered once;
// pages of other sites cannot reach it through a browser (Host and Origin checks).
//
// It must not know how mail is kept, or what messages say.
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

// MaxRequest is how many bytes a request may have: a message of the largest size,
// and what JSON makes of it.
const MaxRequest = 16 << 20

// longestWait is how long a fetch waits for mail at most: some clients take a
// minute without an answer for a failure.
const longestWait = 50 * time.Second

// Options say how a server works.
type Options struct {
	Box mail.Box
	// Operator is the token of whoever runs the server: it may act for all agents.
	// Empty means that nobody needs a token, which is only for loopback addresses.
	Operator string `json:"-"`
	// Hosts are names under which the server may be asked, beside those of this
	// machine itself (localhost, 127.0.0.1, ::1).
	Hosts []string
	// Path is where the mail is, beside /mcp and /api; empty is nowhere else.
	Path    string
	Version string // of the program
	Log     *slog.Logger
	// Name gives a new agent a name that did not bring one; nil makes them up.
	Name func() string
}

// Server answers for a box.
type Server struct {
	box      mail.Box
	operator string // the hash of the operator's token
	hosts    []string
	path     string // without a slash at its end
	version  string
	name     func() string
	grace    time.Duration // for what is under way when the server ends
	mcp      *mcp.Server
	handler  http.Handler
}

// New makes a server; it is an http.Handler.
func New(o Options) (*Server, error) {
	if o.Box == nil {
		return nil, &fault.Error{Code: mail.Invalid, Op: "make a mail server", Detail: "there is no box"}
	}
	s := &Server{
		box: o.Box, hosts: o.Hosts, path: strings.TrimRight(cmp.Or(o.Path, mail.DefaultPath), "/"),
		version: cmp.Or(o.Version, "dev"), name: o.Name, grace: 5 * time.Second,
	}
	if o.Operator != "" {
		s.operator = Hash(o.Operator)
	}
	if s.name == nil {
		s.name = madeUp
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "brenner-mail", Title: "Agent Mail", Version: s.version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: o.Log,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	for _, t := range tools() {
		s.mcp.AddTool(t.described(), s.answering(t))
	}
	s.addResources()
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Log, MaxRequestBodyBytes: MaxRequest,
		DisableLocalhostProtection:   true, // the gate checks more
		PropagateRequestCancellation: true,
	})
	s.handler = s.gate(streamable)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

const instructions = `Agent Mail: mailboxes for agents that work on one project.

Say who you are with register_agent (project_key is the absolute path of the project's folder).
fetch_inbox shows what was sent to you; it marks nothing as read. With wait_seconds it waits for mail.
A message with ack_required wants acknowledge_message. Answer with reply_message, which stays in the thread.`

// DefaultAddress is where a server listens.
const DefaultAddress = "127.0.0.1:8765"

// CannotListen is the code of an address that cannot be listened at.
const CannotListen fault.Code = "MAIL_CANNOT_LISTEN"

// Listen takes an address. One that others can reach needs a token.
func Listen(ctx context.Context, address string, hasToken bool) (net.Listener, error) {
	const op = "listen for mail"
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &fault.Error{Code: mail.Invalid, Op: op, Place: address, Cause: err, Hint: "write it like " + DefaultAddress}
	}
	if !hasToken && !baseurl.Loopback(host) {
		return nil, &fault.Error{
			Code: mail.NoAuth, Op: op, Place: address, Detail: "others can reach this address, and there is no token",
			Hint: "listen at 127.0.0.1, or do not switch the token off",
		}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &fault.Error{Code: CannotListen, Op: op, Place: address, Cause: err, Hint: "another program may be there already; --addr chooses another port, 0 any free one"}
	}
	return l, nil
}

// Serve answers at a listener until the context ends; then what waits for mail is
// ended at once, and everything else may come to its end.
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
			err = h.Close() // who is in the middle of a request for so long has stopped
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
