package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mailServer is a `brenner mail serve` in a separate process.
type mailServer struct {
	process *exec.Cmd
	base    string // http://127.0.0.1:PORT
	stderr  bytes.Buffer
}

// startMail starts a mail server for the project in dir, and waits until it prints its
// URL.
func startMail(dir string, env []string, args ...string) (*mailServer, error) {
	s := &mailServer{process: exec.Command("brenner", append([]string{"mail", "serve"}, args...)...)}
	s.process.Dir, s.process.Env, s.process.Stderr = dir, env, &s.stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("mail serve: %w, %s", s.process.Wait(), s.stderr.String())
	}
	s.base = strings.TrimSuffix(strings.TrimSpace(line), "/mcp/")
	return s, nil
}

// stop interrupts the server as Ctrl-C does.
func (s *mailServer) stop() error {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("mail serve: %w: %s", err, s.stderr.String())
	}
	return nil
}

// kill kills the server with SIGKILL.
func (s *mailServer) kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	_ = s.process.Wait() // reports the kill
	return nil
}

// mailserver [ARGUMENT…]: runs a mail server on a free port and sets AGENT_MAIL_BASE_URL.
// It must exit with 0 at the end of the script.
func mailserver(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: mailserver [argument…]")
	}
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GORACE", "GOCOVERDIR", "BRENNER_TRUST_FILE"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	s, err := startMail(ts.MkAbs("."), env, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	ts.Check(err)
	ts.Setenv("AGENT_MAIL_BASE_URL", s.base)
	ts.Defer(func() { ts.Check(s.stop()) })
}
