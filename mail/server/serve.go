package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/mail"
)

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
