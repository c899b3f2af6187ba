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

// mailServer is a `brenner mail serve` that runs as a process of its own.
type mailServer struct {
	process *exec.Cmd
	base    string // http://127.0.0.1:PORT
	said    bytes.Buffer
}

// startMail starts a mail server for the project in a folder, and waits until it
// says where it is.
func startMail(dir string, env []string, args ...string) (*mailServer, error) {
	s := &mailServer{process: exec.Command("brenner", append([]string{"mail", "serve"}, args...)...)}
	s.process.Dir, s.process.Env, s.process.Stderr = dir, env, &s.said
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("it does not serve: %w, %s", s.process.Wait(), s.said.String())
	}
	s.base = strings.TrimSuffix(strings.TrimSpace(line), "/mcp/")
	return s, nil
}

// stop ends the server as Ctrl-C does.
func (s *mailServer) stop() error {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("it ended with %w: %s", err, s.said.String())
	}
	return nil
}

// kill ends the server as kill -9 does.
func (s *mailServer) kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	_ = s.process.Wait() // it says that it was killed
	return nil
}

// mailserver [ARGUMENT…]: runs a mail server beside the script, at a free port that
// AGENT_MAIL_BASE_URL names from then on. It must end well with the script.
func mailserver(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: mailserver [argument…]")
	}
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GORACE", "GOCOVERDIR"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	s, err := startMail(ts.MkAbs("."), env, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	ts.Check(err)
	ts.Setenv("AGENT_MAIL_BASE_URL", s.base)
	ts.Defer(func() { ts.Check(s.stop()) })
}
