package check

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// program is brenner-temporal, built from this tree.
var program string

func TestMain(m *testing.M) {
	os.Exit(withProgram(m))
}

func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "check")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "brenner-temporal")
	build := exec.Command("go", "build", "-C", "../../engine/temporal", "-o", program, "./cmd/brenner-temporal")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "brenner-temporal does not compile:", err)
		return 1
	}
	return m.Run()
}

// start is how a file starts the program.
type start struct {
	file    string
	args    []string
	env     map[string]string
	config  string        // brenner.yaml of its project; empty means none
	timeout time.Duration // from SIGTERM to SIGKILL
}

// starts returns every start of the program in deploy/.
func starts(t *testing.T) []start {
	t.Helper()
	all := slices.Concat(startsOfCompose(t), startsOfKubernetes(t), []start{startOfUnit(t)})
	for _, file := range []string{"compose.yaml", "kubernetes/worker.yaml", "brenner-worker.service"} {
		if !slices.ContainsFunc(all, func(s start) bool { return s.file == file && s.args[0] == "worker" }) {
			t.Errorf("%s starts no worker", file)
		}
	}
	return all
}

// TestProgramHasCommands starts the program with the arguments of each file and --help, which is read last: an unknown
// flag, or a value of the wrong form, comes first.
func TestProgramHasCommands(t *testing.T) {
	for _, s := range starts(t) {
		out, err := exec.Command(program, append(slices.Clone(s.args), "--help")...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: brenner-temporal %s: %v\n%s", s.file, strings.Join(s.args, " "), err, out)
			continue
		}
		// The help of an unknown command is that of the program.
		if usage := regexp.MustCompile(`(?m)^  brenner\S* ` + s.args[0] + `\b`); !usage.Match(out) {
			t.Errorf("%s: brenner-temporal has no command %s:\n%s", s.file, s.args[0], out)
		}
	}
}

// TestProgramHasSettings reads the configuration of each worker as the program does: brenner.yaml is valid, each variable
// sets a key, and the time for a drain covers an agent's.
func TestProgramHasSettings(t *testing.T) {
	for _, s := range starts(t) {
		if s.args[0] != "worker" {
			continue
		}
		values, warnings := settings(t, &s)
		if warnings != "" {
			t.Errorf("%s: %s", s.file, warnings)
		}
		for name := range s.env {
			if strings.HasPrefix(name, "BRENNER_") && !slices.ContainsFunc(values, func(v setting) bool { return v.Origin == name }) {
				t.Errorf("%s: %s sets no key", s.file, name)
			}
		}
		i := slices.IndexFunc(values, func(v setting) bool { return v.Key == "timeouts.agent" })
		if i < 0 {
			t.Fatal("no timeouts.agent")
		}
		var text string
		if err := json.Unmarshal(values[i].Value, &text); err != nil {
			t.Fatal(err)
		}
		agent, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if s.timeout <= agent {
			t.Errorf("%s kills a worker after %s, while an agent has %s", s.file, s.timeout, agent)
		}
	}
}

type setting struct {
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Origin string          `json:"origin"`
}

// settings returns the effective configuration of a start, and what the program warns about.
func settings(t *testing.T, s *start) (values []setting, warnings string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "brenner.yaml"), []byte(s.config), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "config", "show", "--json")
	c.Dir, c.Env = dir, []string{"HOME=" + dir}
	for name, value := range s.env {
		c.Env = append(c.Env, name+"="+value)
	}
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", s.file, err, out, &stderr)
	}
	var doc struct{ Values []setting }
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return doc.Values, stderr.String()
}

// startOfUnit returns the start of brenner-worker.service. The variables that it needs are those of its comment.
func startOfUnit(t *testing.T) start {
	t.Helper()
	const file = "brenner-worker.service"
	text := read(t, file)
	value := func(name string) string {
		t.Helper()
		found := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no %s", file, name)
		}
		return found[1]
	}
	args, ok := strings.CutPrefix(value("ExecStart"), "/usr/bin/env brenner-temporal ")
	if !ok {
		t.Fatalf("%s does not start brenner-temporal", file)
	}
	// systemd's minute is min.
	timeout, err := time.ParseDuration(strings.Replace(value("TimeoutStopSec"), "min", "m", 1))
	if err != nil {
		t.Fatal(err)
	}
	s := start{file: file, args: strings.Fields(args), env: map[string]string{}, timeout: timeout}
	for _, name := range regexp.MustCompile(`BRENNER_[A-Z_]+`).FindAllString(text, -1) {
		s.env[name] = map[string]string{"BRENNER_STORE": "postgres://brenner@db.example/research?project=cells"}[name]
		if s.env[name] == "" {
			s.env[name] = "temporal.example:7233"
		}
	}
	if len(s.env) == 0 {
		t.Errorf("%s names no variables", file)
	}
	return s
}

// secret matches the names of variables that hold secrets.
var secret = regexp.MustCompile(`(?i)passw|pwd|secret|token|api_?key`)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
