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

var update = flag.Bool("update", false, "write the real output into README.md, the pages of docs and the golden file")

// The README and the tour show what the program prints. Each ```console block holds commands
// behind "$ " and their output; this runs them, in order, in one directory.
func TestReadmeShowsRealOutput(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, page := range []string{"README.md", "docs/tour.md"} {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
				t.Fatal(err)
			}
			settings, err := os.ReadFile(filepath.Join(root, "brenner.yaml"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "brenner.yaml"), settings, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			showsRealOutput(t, filepath.Join(root, page), dir)
		})
	}
}

// showsRealOutput runs the commands of a page in a folder, and wants the page to show
// what they print; with -update it does from then on. The brenner that they run is the
// one that TestMain put on the PATH, as in the scripts.
func showsRealOutput(t *testing.T, page, folder string) {
	t.Helper()
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	after := fill(t, string(before), func(command string) string {
		c := exec.Command("sh", "-c", command)
		c.Dir = folder
		// Only this: settings of brenner, keys or a locale would change what is printed.
		// The race detector lets every process sleep for a second at its end.
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0", "TZ=UTC"}
		out, _ := c.CombinedOutput() // a command may well fail: then that is what it shows
		return string(out)
	})
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if steady(string(before)) != steady(after) {
		t.Errorf("%s shows other output than the program prints; `go test ./cmd/brenner -run %s -update` mends it. It should be:\n%s", filepath.Base(page), t.Name(), after)
	}
}

// steady takes out of a text what differs from run to run: hashes, instants,
// days and clocks, how long things took, counts of tokens (which follow the length of
// instants), and the order in which agents answered and sessions ended.
func steady(text string) string {
	text = regexp.MustCompile(`\b[0-9a-f]{12,64}\b`).ReplaceAllString(text, "(hash)")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`).ReplaceAllString(text, "(time)")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(text, "(time)")
	text = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `).ReplaceAllString(text, "(clock) ")
	text = regexp.MustCompile(`\bRS-\d{8}-`).ReplaceAllString(text, "RS-(day)-")
	text = regexp.MustCompile(`d-[0-9a-f]{8}(-[0-9a-f]{4}){3}-\(?[0-9a-f]*(hash\))?`).ReplaceAllString(text, "(delta)")
	text = regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s)\b`).ReplaceAllString(text, "(took)")
	text = regexp.MustCompile(`\b\d{4,6}\b`).ReplaceAllString(text, "(tokens)")
	text = regexp.MustCompile(` {2,}`).ReplaceAllString(text, "  ")
	lines := strings.Split(text, "\n")
	answer := regexp.MustCompile(`^(round \d+: \w+ (answered|sent)|\(clock\) RS-)`)
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && answer.MatchString(lines[end]) {
			end++
		}
		slices.Sort(lines[i:end])
		i = max(i, end-1)
	}
	return strings.Join(lines, "\n")
}

// fill puts the output of each command behind it.
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
		t.Fatal("the README shows no commands")
	}
	return out.String()
}
