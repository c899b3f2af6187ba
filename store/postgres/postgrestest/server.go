// Package postgrestest runs a real PostgreSQL server for tests, and a proxy that cuts its lines.
//
// Only tests import it. The server is a child of the test binary and ends with it. Where no server
// is installed, tests are skipped, and fail in CI. The package must not know the store.
package postgrestest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// User is the name of the server's superuser.
const User = "brenner"

// addressKey is the environment variable with the address of the test binary's server.
const addressKey = "BRENNER_TEST_POSTGRES"

// errMissing reports that no server is installed.
var errMissing = errors.New("no PostgreSQL server is installed (Debian: apt-get install postgresql)")

// Main runs the tests of a package with a server and returns the exit code. The server's password is
// in PGPASSWORD.
func Main(m *testing.M) int { return MainOn(func(*Server) int { return m.Run() }) }

// MainOn is Main for tests that also stop the server. It is nil in a child of a test binary, and where no server is installed.
func MainOn(run func(*Server) int) int {
	if os.Getenv(addressKey) != "" { // a child of a test binary
		return run(nil)
	}
	s, err := start("fsync=on")
	switch {
	case errors.Is(err, errMissing) && os.Getenv("CI") == "":
		return run(nil) // Address skips
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Remove()
	for key, value := range map[string]string{addressKey: s.Address("postgres"), "PGPASSWORD": s.Password} {
		if err := os.Setenv(key, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := execute(Base(), "CREATE TABLE emptied (project text PRIMARY KEY)"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run(s)
}

// Address returns the address of a new, empty project on the test binary's server.
func Address(t testing.TB) string {
	t.Helper()
	if Base() == "" {
		t.Skip(errMissing)
	}
	return Project(t, Base())
}

// Base returns the address of the test binary's server, without a project; empty if there is none.
func Base() string { return os.Getenv(addressKey) }

// Project returns the address of a new project in a database. It is dropped when the test ends.
func Project(t testing.TB, base string) string {
	t.Helper()
	name := "t" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() { Exec(t, base, "DROP SCHEMA IF EXISTS brenner_"+name+" CASCADE") })
	return base + "&project=" + name
}

// Schema returns the name of the schema of an address.
func Schema(address string) string {
	_, name, _ := strings.Cut(address, "project=")
	name, _, _ = strings.Cut(name, "&")
	return "brenner_" + name
}

// Exec runs statements as the superuser in the database of an address.
func Exec(t testing.TB, address string, statements ...string) {
	t.Helper()
	base, _, _ := strings.Cut(address, "&")
	if err := execute(base, statements...); err != nil {
		t.Fatal(err)
	}
}

func execute(base string, statements ...string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// Server is a server with a directory of its own.
type Server struct {
	Password string
	Port     int

	bin, dir string
	settings []string
	command  *exec.Cmd
	ended    chan struct{}
}

// Start starts another server, which ends with the test.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(append([]string{"fsync=on"}, settings...)...)
	if errors.Is(err, errMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Remove)
	return s
}

func start(settings ...string) (*Server, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, Password: rand.Text(), settings: settings}
	if s.dir, err = os.MkdirTemp("", "brenner-postgres-"); err != nil {
		return nil, err
	}
	err = s.create()
	if err == nil {
		err = s.Run()
	}
	if err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// Installed reports whether a server is installed.
func Installed() bool {
	_, err := find()
	return err == nil
}

// find returns the directory of the newest installed server.
func find() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
	slices.Sort(found)
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	one, err := exec.LookPath("initdb")
	if err != nil {
		return "", errMissing
	}
	return filepath.Dir(one), nil
}

// run returns a command of the server. It refuses to run as root.
func (s *Server) run(name string, args ...string) (*exec.Cmd, error) {
	c := exec.Command(filepath.Join(s.bin, name), args...)
	c.Dir = s.dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	return c, unprivileged(c)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) create() error {
	secret := filepath.Join(s.dir, "password")
	if err := os.WriteFile(secret, []byte(s.Password), 0o600); err != nil {
		return err
	}
	if err := own(s.dir, secret); err != nil {
		return err
	}
	c, err := s.run("initdb", "-D", s.data(), "-U", User, "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--locale=C", "--no-sync")
	if err != nil {
		return err
	}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return os.Remove(secret)
}

// Run starts the server, at the same port as before.
func (s *Server) Run() error {
	if s.Port != 0 {
		return s.launch()
	}
	var err error
	for range 20 {
		if s.Port, err = freePort(); err == nil {
			err = s.launch()
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// freePort returns a port below those of outgoing connections.
func freePort() (int, error) {
	var last error
	for range 100 {
		n := 20_000 + int(rand.Text()[0])*97%4000 + int(rand.Text()[0])*31%4000 + int(rand.Text()[0])%97
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(n))
		if err == nil {
			return n, l.Close()
		}
		last = err
	}
	return 0, last
}

func (s *Server) launch() error {
	args := []string{
		"-D", s.data(), "-c", "listen_addresses=127.0.0.1", "-c", "port=" + strconv.Itoa(s.Port), "-c", "unix_socket_directories=",
		"-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "logging_collector=off", "-c", "restart_after_crash=on",
	}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	c, err := s.run("postgres", args...)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.Log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = log, log
	started := make(chan error)
	s.command, s.ended = c, make(chan struct{})
	go func() {
		runtime.LockOSThread() // the server ends with the thread that started it
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // how it ended does not matter
		}
		_ = log.Close()
		close(s.ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	return s.await()
}

// await waits until the server accepts connections.
func (s *Server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		c, err := s.run("pg_isready", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port), "-t", "5")
		if err != nil {
			return err
		}
		if c.Run() == nil {
			return nil
		}
		select {
		case <-s.ended:
			text, _ := os.ReadFile(s.Log())
			return fmt.Errorf("the server did not start: %s", text)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Log returns the path of the server's log.
func (s *Server) Log() string { return filepath.Join(s.dir, "log") }

// Address returns the address of a database, without a project.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", User, s.Port, database)
}

// Crash ends the server at once, without saving anything: it recovers when it runs again.
func (s *Server) Crash() { s.signal(syscall.SIGQUIT) }

// BecomeReplica makes the server a read-only one.
func (s *Server) BecomeReplica() error {
	s.signal(syscall.SIGINT)
	file := filepath.Join(s.data(), "standby.signal")
	err := os.WriteFile(file, nil, 0o600)
	if err == nil {
		err = own(file)
	}
	if err != nil {
		return err
	}
	return s.Run()
}

// RequireTLS makes the server refuse connections without TLS. It returns the file of the authority that signed its
// certificate, for the host localhost.
func (s *Server) RequireTLS() (authority string, err error) {
	s.signal(syscall.SIGINT)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	ours := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, ours, ours, &key.PublicKey, key)
	if err != nil {
		return "", err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	authority = filepath.Join(s.data(), "server.crt")
	for name, data := range map[string][]byte{
		"server.crt":  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		"server.key":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"pg_hba.conf": []byte("hostssl all all 127.0.0.1/32 scram-sha-256\n"),
	} {
		path := filepath.Join(s.data(), name)
		if err := errors.Join(os.WriteFile(path, data, 0o600), own(path)); err != nil {
			return "", err
		}
	}
	s.settings = append(s.settings, "ssl=on")
	return authority, s.Run()
}

func (s *Server) signal(how syscall.Signal) {
	if s.command == nil || s.command.Process == nil {
		return
	}
	_ = s.command.Process.Signal(how)
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		_ = s.command.Process.Kill()
		<-s.ended
	}
}

// Remove ends the server and removes its directory.
func (s *Server) Remove() {
	s.Crash()
	_ = os.RemoveAll(s.dir)
}
