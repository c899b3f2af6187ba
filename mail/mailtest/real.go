//go:build realmail

package mailtest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Real is mcp-mail, as scripts/real-mail.sh installed it.
type Real struct {
	Base string // its address, without a path

	tb      testing.TB
	place   string
	dir     string
	env     []string
	process *exec.Cmd
	log     *os.File
}

// NewReal starts a server with settings. It ends with the test.
func NewReal(tb testing.TB, settings ...string) *Real {
	tb.Helper()
	r := &Real{tb: tb, place: os.Getenv("BRENNER_REAL_MAIL"), dir: tb.TempDir()}
	if r.place == "" {
		tb.Fatal("BRENNER_REAL_MAIL must be the directory in which scripts/real-mail.sh installed the server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		tb.Fatal(err)
	}
	r.Base = "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	if r.log, err = os.Create(filepath.Join(r.dir, "server.log")); err != nil {
		tb.Fatal(err)
	}
	r.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir}, settings...)
	r.start()
	tb.Cleanup(func() {
		r.kill()
		_ = r.log.Close()
		if said, err := os.ReadFile(r.log.Name()); err == nil && tb.Failed() {
			tb.Logf("the server's log:\n%s", said[max(0, len(said)-4000):])
		}
	})
	return r
}

// Restart kills the server and starts it again at the same address.
func (r *Real) Restart() {
	r.kill()
	r.start()
}

func (r *Real) kill() {
	_ = r.process.Process.Kill()
	_ = r.process.Wait() // reports the kill
}

// start starts the server and waits until it responds.
func (r *Real) start() {
	r.tb.Helper()
	_, port, _ := net.SplitHostPort(r.Base[len("http://"):])
	r.process = exec.Command(filepath.Join(r.place, "bin", "python"), filepath.Join(root(), "scripts", "real-mail", "serve.py"), port)
	r.process.Dir, r.process.Env, r.process.Stdout, r.process.Stderr = r.dir, r.env, r.log, r.log
	if err := r.process.Start(); err != nil {
		r.tb.Fatal(err)
	}
	var last error
	for range 600 {
		resp, err := http.Post(r.Base+"/mcp/", "application/json", nil) //nolint:noctx // loopback
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		last = err
		time.Sleep(100 * time.Millisecond)
	}
	r.tb.Fatal(fmt.Errorf("the server did not start: %w", last))
}

// root returns the directory of the module.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
