package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// otherHosts is a proxy that connects to nothing and records where requests go. Requests to
// this machine do not use a proxy.
type otherHosts struct {
	mu    sync.Mutex
	hosts []string
}

type otherHostsKey struct{}

// recordOtherHosts sets $ELSEWHERE of a script to the address of such a proxy.
func recordOtherHosts(env *testscript.Env) {
	o := &otherHosts{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if host := r.URL.Hostname(); !slices.Contains(o.hosts, host) {
			o.hosts = append(o.hosts, host)
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	env.Defer(server.Close)
	env.Setenv("ELSEWHERE", server.URL)
	env.Values[otherHostsKey{}] = o
}

// elsewhere [HOST…]: exactly these hosts were contacted through the proxy since the last call.
func elsewhere(ts *testscript.TestScript, neg bool, args []string) {
	o, ok := ts.Value(otherHostsKey{}).(*otherHosts)
	if neg || !ok {
		ts.Fatalf("usage: elsewhere [host…]")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.hosts)
	if !slices.Equal(o.hosts, args) {
		ts.Fatalf("contacted %q, want %q", o.hosts, args)
	}
	o.hosts = nil
}
