package postgres

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/postgres/postgrestest"
)

// listen returns the address of a server that greets each connection and handles it.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return "postgres://brenner@" + l.Addr().String() + "/research?project=cells"
}

// refuseTLS answers the request for TLS as a server without it does, and ends the connection at the second message.
func refuseTLS(c net.Conn) {
	message := make([]byte, 8)
	if _, err := io.ReadFull(c, message); err == nil && message[7] == 47 { // the request for TLS
		_, _ = c.Write([]byte("N"))
		_, _ = io.ReadFull(c, message)
	}
}

// A connection that fails is blamed on TLS only where nothing but TLS is accepted.
func TestOptionalTLS(t *testing.T) {
	t.Parallel()
	proxy := listen(t, refuseTLS)
	other := listen(t, func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.2p1\r\n")) })
	server := postgrestest.Address(t)
	for _, test := range []struct {
		address string
		want    fault.Code
		text    string
	}{
		{proxy, store.Unreachable, "does not answer"},
		{proxy + "&sslmode=prefer", store.Unreachable, "does not answer"},
		{proxy + "&sslmode=disable", store.Unreachable, "does not answer"},
		{proxy + "&sslmode=require", store.Denied, "has no TLS"},
		{proxy + "&sslmode=verify-full", store.Denied, "has no TLS"},
		{other, store.Unreachable, "the server"},
		{server + "&target_session_attrs=read-only", store.Denied, "target_session_attrs"},
		{strings.Replace(server, "sslmode=disable", "sslmode=prefer", 1) + "&target_session_attrs=read-only", store.Denied, "target_session_attrs"},
	} {
		wait := time.Minute
		if test.want == store.Unreachable { // which is tried again
			wait = 100 * time.Millisecond
		}
		_, err := Open(t.Context(), parse(t, test.address), Options{Wait: wait})
		wantFault(t, err, test.want, test.text)
		if err != nil && test.want == store.Unreachable && strings.Contains(err.Error(), "TLS") {
			t.Errorf("it names TLS: %v", err)
		}
	}
}

// What two attempts have failed for is named once.
func TestCausesAreNamedOnce(t *testing.T) {
	t.Parallel()
	for address, cause := range map[string]string{
		"postgres://brenner@127.0.0.1:1/research?project=cells":     "connection refused",
		"postgres://brenner@missing.invalid/research?project=cells": "lookup missing.invalid",
	} {
		_, err := Open(t.Context(), parse(t, address), Options{Wait: 2 * time.Second})
		if err == nil || strings.Count(err.Error(), cause) != 1 {
			t.Errorf("want %q once: %v", cause, err)
		}
	}
}
