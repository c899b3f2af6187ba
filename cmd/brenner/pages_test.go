package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the real output to README.md, the pages of docs and the golden file")

// Pages show real output. Each ```console block has commands after "$ " and their output; the
// test runs them in order in one directory, with a copy of some files of the repository.
func TestPagesShowRealOutput(t *testing.T) {
	root := filepath.Join("..", "..")
	models := modelServer(t, nil)
	for _, test := range []struct{ page, from, to string }{
		{"README.md", "examples", "examples"},
		{"docs/tour.md", "examples", "examples"},
		{"docs/loops.md", "examples", "examples"},
		{"docs/merge.md", "examples", "examples"},
		{"docs/models.md", "", ""},
		{"docs/patch.md", "examples/patch", ""},
		{"docs/stalemate.md", "examples/stuck", ""},
		{"docs/walkthrough.md", "", ""},
		{"examples/review-article/README.md", "examples", "examples"},
	} {
		t.Run(test.page, func(t *testing.T) {
			dir := t.TempDir()
			if test.from != "" {
				if err := os.CopyFS(filepath.Join(dir, test.to), os.DirFS(filepath.Join(root, test.from))); err != nil {
					t.Fatal(err)
				}
			}
			if test.page == "README.md" || test.page == "docs/tour.md" { // they run in the clone
				settings, err := os.ReadFile(filepath.Join(root, "brenner.yaml"))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "brenner.yaml"), settings, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			endpoint := ""
			if test.page == "docs/models.md" {
				endpoint = models
			}
			showsRealOutput(t, filepath.Join(root, test.page), dir, endpoint)
		})
	}
}

// showsRealOutput runs the commands of a page in dir and compares their output with the
// page; with -update it rewrites the page. As in the scripts, brenner is this test binary.
func showsRealOutput(t *testing.T, page, dir, endpoint string) {
	t.Helper()
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	after := fill(t, string(before), func(command string) string {
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		// No settings, keys or locale, which would change the output. The race detector
		// makes every process sleep for a second at exit.
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0", "TZ=UTC", "OPENAI_BASE_URL=" + endpoint}
		out, _ := c.CombinedOutput() // a command may fail; the page shows its error
		return string(out)
	})
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if normalise(string(before)) != normalise(after) {
		t.Errorf("%s does not show the real output; fix it with `go test ./cmd/brenner -run %s -update`. It should be:\n%s", filepath.Base(page), t.Name(), after)
	}
}

// normalise replaces what differs from run to run: hashes, times, dates, durations and
// token counts (which depend on the length of times). It also sorts the lines of agents
// that replied and sessions that ended.
func normalise(text string) string {
	text = regexp.MustCompile(`\b[0-9a-f]{12,64}\b`).ReplaceAllString(text, "(hash)")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`).ReplaceAllString(text, "(time)")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(text, "(time)")
	text = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `).ReplaceAllString(text, "(clock) ")
	text = regexp.MustCompile(`\bRS-\d{8}-`).ReplaceAllString(text, "RS-(day)-")
	text = regexp.MustCompile(`d-[0-9a-f]{8}(-[0-9a-f]{4}){3}-\(?[0-9a-f]*(hash\))?`).ReplaceAllString(text, "(delta)")
	text = regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|µs|s)\b`).ReplaceAllString(text, "(took)")
	text = regexp.MustCompile(`\b\d{4,6}\b`).ReplaceAllString(text, "(tokens)")
	text = regexp.MustCompile(` {2,}`).ReplaceAllString(text, "  ")
	lines := strings.Split(text, "\n")
	reply := regexp.MustCompile(`^(round \d+: \w+ (replied|sent)|\(clock\) RS-)`)
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && reply.MatchString(lines[end]) {
			end++
		}
		slices.Sort(lines[i:end])
		i = max(i, end-1)
	}
	return strings.Join(lines, "\n")
}

// fill inserts the output of each command after it.
func fill(t *testing.T, text string, run func(string) string) string {
	t.Helper()
	var out strings.Builder
	inside, commands := false, 0
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case line == "```console\n":
			inside = true
			out.WriteString(line)
		case line == "```\n":
			inside = false
			out.WriteString(line)
		case !inside:
			out.WriteString(line)
		case strings.HasPrefix(line, "$ "):
			commands++
			out.WriteString(line)
			out.WriteString(run(strings.TrimSpace(line[2:])))
		}
	}
	if commands == 0 {
		t.Fatal("no commands")
	}
	return out.String()
}
