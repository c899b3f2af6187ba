package main

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"brenner/agent/openai/openaitest"
)

// envKills is the variable with the number of kills of TestKilledSessionsResume.
const envKills = "BRENNER_TEST_KILLS"

const killedThread = "RS-20261115-killed"

// killProject runs sessions of models at a loopback address, one directory each. Every
// connection through the proxy of the environment is to another host.
type killProject struct {
	t       *testing.T
	models  *openaitest.Server
	proxied atomic.Int64
	env     []string
	dir     string

	asked  int
	killAt atomic.Int64     // the request at which to kill; 0 for none
	victim chan *os.Process // of the session
}

func newKillProject(t *testing.T) *killProject {
	t.Helper()
	k := &killProject{t: t, victim: make(chan *os.Process, 1)}
	k.models = openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		if int64(r.N) == k.killAt.Load() {
			if err := (<-k.victim).Kill(); err != nil {
				t.Error(err)
			}
		}
		return behave(r, r.N)
	})
	proxy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	go func() {
		for {
			c, err := proxy.Accept()
			if err != nil {
				return
			}
			k.proxied.Add(1)
			_ = c.Close()
		}
	}()
	k.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		k.env = append(k.env, name+"=http://"+proxy.Addr().String())
	}
	return k
}

// run runs a command and returns its output and exit code, -1 if it was killed.
func (k *killProject) run(args ...string) (string, int) {
	var out bytes.Buffer
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = k.dir, k.env, &out, &out
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	if k.killAt.Load() > 0 {
		k.victim <- c.Process
	}
	_ = c.Wait() // the exit code tells
	return out.String(), c.ProcessState.ExitCode()
}

// start starts the session, behind a command.
func (k *killProject) start(behind ...string) (string, int) {
	return k.run(append(behind, "brenner", "session", "start", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "2",
		"--thread-id", killedThread, "--via", "openai", "--model", "m", "--base-url", k.models.BaseURL())...)
}

func (k *killProject) artifact(name string) string {
	return filepath.Join(k.dir, ".brenner", "sessions", killedThread, name)
}

// begin makes an empty project and starts a session in it that is killed: at the rename of
// the n-th artifact file, at the n-th request, or at a write.
func (k *killProject) begin(at string, n int) (killed bool) {
	k.dir, k.asked = k.t.TempDir(), k.models.Asked()
	strace := []string{"strace", "-f", "-qq", "-o", os.DevNull}
	var code int
	switch at {
	case "rename":
		const calls = "rename,renameat,renameat2"
		strace = append(strace, "-P", k.artifact([]string{"artifact.md", "artifact.json"}[n%2]), "-e", "trace="+calls, "-e", "inject="+calls+":signal=KILL")
		_, code = k.start(strace...)
	case "write": // strace counts for each thread
		strace = append(strace, "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=KILL:when="+strconv.Itoa(1+n%20))
		_, code = k.start(strace...)
	case "request":
		k.killAt.Store(int64(k.asked + 1 + n%6))
		_, code = k.start()
		k.killAt.Store(0)
	}
	return code < 0
}

// resume continues a killed session with a command and checks the artifact's files and the
// proof. The session may not exist yet; then it is started again.
func (k *killProject) resume(want int, command ...string) {
	out, code := k.run(append(command, killedThread)...)
	if code == 2 && (strings.Contains(out, "no store yet") || strings.Contains(out, "no such session")) {
		out, code = k.start()
	}
	if code != want {
		k.t.Errorf("%v: exit %d, want %d\n%s", command, code, want, out)
	}
	var files [2][]byte // before other commands can write them
	for i, name := range []string{"artifact.md", "artifact.json"} {
		var err error
		if files[i], err = os.ReadFile(k.artifact(name)); err != nil {
			k.t.Error(err)
		}
	}
	for i, format := range []string{"markdown", "json"} {
		if shown, code := k.run("brenner", "session", "show", killedThread, "--format", format); code != 0 || shown != string(files[i]) {
			k.t.Errorf("%s: exit %d; the file has %d bytes, the artifact %d", format, code, len(files[i]), len(shown))
		}
	}
	if out, code := k.run("brenner", "verify"); code != 0 {
		k.t.Errorf("verify: exit %d\n%s", code, out)
	}
	k.checkHidden()
	// At most the calls of one round were in flight.
	if n := k.models.Asked() - k.asked; n < 6 || n > 9 {
		k.t.Errorf("asked %d times", n)
	}
}

// checkHidden checks that no temporary file is left, and that git ignores the state.
func (k *killProject) checkHidden() {
	var hidden []string
	err := filepath.WalkDir(k.dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".") && path != k.dir {
			hidden = append(hidden, d.Name())
		}
		return err
	})
	if want := []string{".brenner", ".gitignore"}; err != nil || !slices.Equal(hidden, want) {
		k.t.Errorf("got the hidden files %v, %v, want %v", hidden, err, want)
	}
}

// Sessions killed at any time, and at each rename, resume without any flag: their artifact
// files are right, and no host but the endpoint of the session is asked.
func TestKilledSessionsResume(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	wanted := 6
	if n, err := strconv.Atoi(os.Getenv(envKills)); err == nil {
		wanted = n
	}
	k := newKillProject(t)
	k.dir = t.TempDir()
	out, want := k.start()
	if want < 0 || want == 2 {
		t.Fatalf("exit %d\n%s", want, out)
	}
	resume := []string{"brenner", "session", "resume"}
	kills := make(map[string]int)
	for i, done := 0, 0; done < wanted && !t.Failed(); i++ {
		if i == 2*wanted {
			t.Fatalf("only %v sessions were killed", kills)
		}
		at, command, code := []string{"rename", "write", "rename", "request"}[i%4], resume, want
		if at == "rename" { // the session has ended: reading it is enough
			switch kills[at] / 2 % 4 {
			case 1:
				command = []string{"brenner", "session", "status"}
			case 2:
				command, code = []string{"brenner", "session", "show"}, 0
			case 3:
				command, code = []string{"brenner", "verify"}, 0
			}
		}
		n := i / 4
		if at == "rename" {
			n = kills[at]
		}
		if !k.begin(at, n) {
			continue
		}
		k.resume(code, command...)
		if done++; t.Failed() {
			t.Logf("after kill %d, at %s %d", done, at, n)
		}
		kills[at]++
	}
	if n := k.proxied.Load(); n > 0 {
		t.Errorf("%d connections to other hosts", n)
	}
	t.Logf("killed and resumed: %v", kills)
}

// A disk that is full while the store is created leaves none, or one that the next command completes.
func TestFullDiskWhileCreating(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	k := newKillProject(t)
	put := []string{"brenner", "session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--question", "Why?", "--rounds", "1"}
	for _, n := range []int{1, 20, 58, 70, 76, 82} { // strace counts for each thread
		k.dir = t.TempDir()
		strace := []string{"strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace=pwrite64", "-e", "inject=pwrite64:error=ENOSPC:when=" + strconv.Itoa(n) + "+"}
		if out, code := k.run(append(strace, put...)...); code != 0 && !strings.Contains(out, "no space left on") {
			t.Errorf("full at %d: exit %d\n%s", n, code, out)
		}
		if out, code := k.run(put...); code != 0 {
			t.Errorf("after %d: exit %d\n%s", n, code, out)
		}
		k.checkHidden()
	}
}
