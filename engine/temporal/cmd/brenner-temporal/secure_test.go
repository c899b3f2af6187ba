package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	engineKey  = "planted-engine-key"
	engineHost = "temporal.test" // in the server's certificate
)

// authority signs certificates for both sides. Its files are those of a user.
type authority struct {
	t           *testing.T
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.sign("ca")
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name+".pem") }

// sign makes NAME.pem, with a certificate, and NAME-key.pem. The first certificate is that of the authority.
func (a *authority) sign(name string) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, IsCA: a.key == nil,
	}
	if a.key == nil {
		a.certificate, a.key = c, key
	}
	data, err := x509.CreateCertificate(rand.Reader, c, a.certificate, &key.PublicKey, a.key)
	if err == nil && a.certificate == c {
		a.certificate, err = x509.ParseCertificate(data)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	for file, text := range map[string][]byte{name: certificate, name + "-key": private} {
		if err := os.WriteFile(a.file(file), text, 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(certificate, private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

// guard is a gate in front of the engine. It wants a client certificate of the authority, and the key with each call.
func (f *fleet) guard(a *authority, calls *atomic.Int64) (address string) {
	f.t.Helper()
	target := &url.URL{Scheme: "http", Host: f.engine.Address}
	plain := &http.Transport{Protocols: new(http.Protocols)}
	plain.Protocols.SetUnencryptedHTTP2(true)
	quiet := log.New(io.Discard, "", 0) // clients are refused, and end
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: plain, FlushInterval: -1, ErrorLog: quiet}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+engineKey {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "16") // unauthenticated
			w.Header().Set("Grpc-Message", "unauthorized")
			return
		}
		calls.Add(1)
		forward.ServeHTTP(w, r)
	}))
	authorities := x509.NewCertPool()
	authorities.AddCert(a.certificate)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.sign(engineHost)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authorities}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.StartTLS()
	f.t.Cleanup(plain.CloseIdleConnections)
	f.t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.Listener.Addr().String()
}

// With TLS, a client certificate and an API key, a loop runs on a worker. Without any of them, or with a wrong one, the program
// says what is wrong, and does not show the key, or send it in clear text.
func TestOnServerTLSAndKey(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, other := newAuthority(t), newAuthority(t)
	a.sign("client")
	other.sign("client")
	var calls atomic.Int64
	address := f.guard(a, &calls)
	const prefix = "BRENNER_ENGINE_TEMPORAL_"
	with := func(changes ...string) []string {
		return append([]string{
			prefix + "ADDRESS=" + address, prefix + "API_KEY_ENV=ENGINE_KEY", "ENGINE_KEY=" + engineKey, prefix + "TLS_ENABLED=true", prefix + "TLS_CA=" + a.file("ca"),
			prefix + "TLS_CERT=" + a.file("client"), prefix + "TLS_KEY=" + a.file("client-key"), prefix + "TLS_SERVER=" + engineHost,
		}, changes...)
	}
	w := f.machine(with()...).work()
	user := f.machine(with()...)
	if out, code := user.run("loop", "run", user.plan("night", 1, 1), "--run", "k", "--place", "temporal", "-v"); code != 0 {
		t.Fatalf("exit %d\n%s\n%s", code, out, w.out)
	}
	if f.artifacts("night-k"); calls.Load() == 0 {
		t.Error("no call has passed the gate")
	}
	refused := []struct {
		change, code, says string
		exit               int
		cut                bool // the server may close the connection before its reason is read
		m                  *machine
	}{
		{change: prefix + "TLS_CA=" + other.file("ca"), code: "ENGINE_TLS", says: "unknown authority"},
		{change: prefix + "TLS_CA=", code: "ENGINE_TLS", says: "unknown authority"},
		{change: prefix + "TLS_CA=missing.pem", code: "ENGINE_TLS", says: "missing.pem"},
		{change: prefix + "TLS_CA=" + a.file("ca-key"), code: "ENGINE_TLS", says: "no certificate"},
		{change: prefix + "TLS_CERT=missing.pem", code: "ENGINE_TLS", says: "missing.pem"},
		{change: prefix + "TLS_KEY=", code: "ENGINE_TLS", says: "engine.temporal.tls.cert and engine.temporal.tls.key"},
		{change: prefix + "TLS_KEY= " + prefix + "TLS_CERT=", code: "ENGINE_TLS", says: "a certificate", cut: true},
		{change: prefix + "TLS_KEY=" + other.file("client-key") + " " + prefix + "TLS_CERT=" + other.file("client"), code: "ENGINE_TLS", says: "a certificate", cut: true},
		{change: prefix + "TLS_KEY=" + other.file("client-key"), code: "ENGINE_TLS", says: "does not match"},
		{change: prefix + "TLS_SERVER=", code: "ENGINE_TLS", says: "x509: "},
		{change: prefix + "TLS_ENABLED=false", code: "ENGINE_TLS", says: "engine.temporal.tls.enabled is not true"},
		{ // the key is not sent in clear text
			change: strings.Join([]string{prefix + "TLS_ENABLED=false", prefix + "TLS_CA=", prefix + "TLS_CERT=", prefix + "TLS_KEY=", prefix + "TLS_SERVER="}, " "),
			code:   "ENGINE_TLS", says: "x509: ",
		},
		{change: prefix + "ADDRESS=" + f.engine.Address, code: "ENGINE_TLS", says: "engine.temporal.tls", cut: true},
		{change: "ENGINE_KEY=wrong", code: "ENGINE_DENIED", says: "engine.temporal.api_key_env", exit: 4},
		{change: "ENGINE_KEY=", code: "KEY_NOT_SET", says: "ENGINE_KEY"},
	}
	for i := range refused {
		r := &refused[i]
		r.m = f.machine(with(strings.Fields(r.change)...)...)
		r.m.start("", "worker", "--json")
	}
	for i := range refused {
		r := &refused[i]
		code := r.m.wait()
		if r.cut && code == 75 {
			r.code, r.exit = "ENGINE_UNREACHABLE", 75
		}
		if code != max(r.exit, 2) || !strings.Contains(r.m.out.String(), `"`+r.code+`"`) || !strings.Contains(r.m.out.String(), r.says) {
			t.Errorf("%s: exit %d, want %s that says %q\n%s", r.change, code, r.code, r.says, r.m.out)
		}
		if strings.Contains(r.m.out.String(), engineKey) {
			t.Errorf("%s: the key is shown\n%s", r.change, r.m.out)
		}
	}
}
