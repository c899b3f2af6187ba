package postgrestest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Bouncer starts PgBouncer in transaction mode with four connections to the server of an address, and
// returns the address through it. It ends with the test.
func Bouncer(t testing.TB, address string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if errors.Is(err, exec.ErrNotFound) {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("PgBouncer is not installed (Debian: apt-get install pgbouncer)")
	}
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "brenner-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	host, behind, _ := net.SplitHostPort(hostOf(address))
	file := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=%s port=%s user=%s password=%s\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=%d\nauth_type=any\npool_mode=transaction\n"+
		"default_pool_size=4\nmax_client_conn=200\nunix_socket_dir=\nlogfile=%s\n", host, behind, User, os.Getenv("PGPASSWORD"), port, filepath.Join(dir, "log"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := own(dir, file); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-q", file)
	if err := unprivileged(c); err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // it ends with the thread that started it
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // how it ended does not matter
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Signal(syscall.SIGKILL); <-ended })
	to := "127.0.0.1:" + strconv.Itoa(port)
	for {
		line, err := net.DialTimeout("tcp", to, time.Second)
		if err == nil {
			_ = line.Close()
			return strings.Replace(address, hostOf(address), to, 1)
		}
		select {
		case <-ended:
			t.Fatal("PgBouncer did not start")
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
