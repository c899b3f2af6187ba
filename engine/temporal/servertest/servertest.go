// Package servertest runs a real Temporal server for tests, with its state in a real PostgreSQL server.
//
// Only tests import it. The server is the program in ../testserver, which `make engine` builds: it takes many minutes where
// none of its parts is in Go's build cache.
package servertest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner/store/postgres/postgrestest"
)

// Variable names the environment variable with the path of the program.
const Variable = "BRENNER_TEST_TEMPORAL"

// Server is a running Temporal server with the namespace "default".
type Server struct {
	Address  string               // HOST:PORT
	Postgres *postgrestest.Server // with its state

	port    int
	command *exec.Cmd
	log     string
}

// shared is the server of all tests of a package.
var shared *Server

// Main runs the tests of a package with a PostgreSQL server and a Temporal server, and returns the exit code.
func Main(m *testing.M) int {
	if os.Getenv(Variable) == "" {
		return m.Run()
	}
	return postgrestest.MainOn(func(p *postgrestest.Server) int {
		dir, err := os.MkdirTemp("", "brenner-temporal-")
		if err == nil {
			defer func() { _ = os.RemoveAll(dir) }()
			shared, err = start(p, dir+"/log")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer shared.Kill()
		return m.Run()
	})
}

// Get returns the server of the tests. A test that kills it, or PostgreSQL, must run it again, and not be parallel to others.
func Get(t testing.TB) *Server {
	t.Helper()
	if shared == nil {
		t.Skip("no Temporal server: `make engine` builds one and sets " + Variable)
	}
	return shared
}

func start(p *postgrestest.Server, log string) (*Server, error) {
	if p == nil {
		return nil, errors.New("tests with a Temporal server need PostgreSQL (Debian: apt-get install postgresql)")
	}
	s := &Server{Postgres: p, log: log}
	var err error
	if s.port, err = freePorts(); err != nil {
		return nil, err
	}
	s.Address = "127.0.0.1:" + strconv.Itoa(s.port)
	err = s.Run()
	return s, err
}

// freePorts returns the first of four ports that are free, below those of outgoing connections.
func freePorts() (int, error) {
	const services, first, last = 4, 10_000, 19_000
	for port := first + os.Getpid()%1000*services; port < last; port += services {
		if allFree(port, services) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no %d free ports", services)
}

func allFree(port, n int) bool {
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port+i))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}

// Run starts the server, at the same ports as before, and waits until it takes requests.
func (s *Server) Run() error {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c := exec.Command(os.Getenv(Variable), "-port", strconv.Itoa(s.port), "-postgres", "127.0.0.1:"+strconv.Itoa(s.Postgres.Port), "-user", postgrestest.User)
	c.Env = append(os.Environ(), "PGPASSWORD="+s.Postgres.Password)
	c.Stderr = log
	out, err := c.StdoutPipe()
	if err == nil {
		_, err = c.StdinPipe() // the server ends when this process does
	}
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s.command = c
	ready := make(chan bool, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.TrimSpace(line) == s.Address
	}()
	select {
	case ok := <-ready:
		if ok {
			return nil
		}
	case <-time.After(3 * time.Minute):
	}
	s.Kill()
	text, _ := os.ReadFile(s.log)
	return fmt.Errorf("the Temporal server did not start: %s", text)
}

// Kill kills the server.
func (s *Server) Kill() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait() // how it ended is known
		s.command = nil
	}
}
