package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
)

const surfaceGolden = "testdata/surface.golden"

// TestSurface compares everything that scripts and files can rely on with a golden file:
// commands, flags, codes, schemas, configuration keys and variables. It reads only what
// the program prints and what docs/ lists. The order of lines does not matter, and no line
// holds a description, so that descriptions can be reworded.
func TestSurface(t *testing.T) {
	s := surface{t: t, dir: t.TempDir()}
	s.command("brenner", "")
	s.codesAndSchemas()
	s.configuration()
	if *update {
		if err := os.WriteFile(surfaceGolden, []byte(strings.Join(s.lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(strings.TrimSpace(s.file(surfaceGolden)), "\n")
	lost, added := missing(want, s.lines), missing(s.lines, want)
	if len(lost)+len(added) > 0 {
		t.Errorf("the program differs from %s.\nlost (%d):\n  %s\nnew (%d):\n  %s\nIf this is intended, run `go test ./cmd/brenner -run TestSurface -update`, and note in CHANGELOG.md what users notice.",
			surfaceGolden, len(lost), strings.Join(lost, "\n  "), len(added), strings.Join(added, "\n  "))
	}
}

// missing returns the lines of a that b does not have.
func missing(a, b []string) (lines []string) {
	for _, line := range a {
		if !slices.Contains(b, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

type surface struct {
	t     *testing.T
	dir   string // an empty project
	lines []string
	help  []commandHelp
	named []string // environment variables named in help or in the file written by init
}

// add adds a line, once.
func (s *surface) add(format string, args ...any) {
	if line := strings.TrimSpace(fmt.Sprintf(format, args...)); !slices.Contains(s.lines, line) {
		s.lines = append(s.lines, line)
	}
}

// run returns what a command line prints to standard output, with an environment
// variable set if one is given. Hundreds of processes would be slow: it runs in this one.
func (s *surface) run(variable, line string) string {
	var out, log strings.Builder
	streams := ui.Streams{
		In: strings.NewReader(""), Out: &out, Err: &log, Now: time.Now,
		Environ: []string{"HOME=" + s.dir, "BRENNER_PROJECT=" + s.dir, variable},
	}
	if code := cli.Run(s.t.Context(), strings.Fields(line)[1:], streams); code != 0 && variable == "" {
		s.t.Fatalf("%s: exit %d\n%s%s", line, code, &out, &log)
	}
	return out.String()
}

func (s *surface) decode(line string, into any) {
	if err := json.Unmarshal([]byte(s.run("", line)), into); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
}

func (s *surface) file(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

var (
	// flagLine is "  -C, --project string   description (default x)"; bool flags print no type.
	flagLine = regexp.MustCompile(`^ +(-\w, )? *(--[\w-]+\S*)(?: (\S.*?))? {2,}.*?(\(default .*\))?$`)
	// variable is BRENNER_VIA or BRENNER_ROSTER_AGENT_<NAME>, but not BRENNER_ROSTER_….
	variable  = regexp.MustCompile(`\b(BRENNER|AGENT_MAIL|OPENAI)((_[A-Z]+)+\b|[A-Z_]+<[A-Z]+>[A-Z_]*)`)
	codeRow   = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|")
	exitRow   = regexp.MustCompile(`(?m)^\| (\d+) \|`)
	fileKey   = regexp.MustCompile(`^ *#?(\w+):`)
	listEntry = regexp.MustCompile(`^ *#  +[^#]*`)
	entryKey  = regexp.MustCompile(`[\s{](\w+):\s`)
)

// command adds a command and, by what its help lists, all commands below it. Help lists
// no hidden commands and flags; the program has none.
func (s *surface) command(path, summary string) {
	var help struct{ Text string }
	s.decode(path+" --help --json", &help)
	s.help = append(s.help, commandHelp{path, summary, help.Text})
	s.named = append(s.named, variable.FindAllString(help.Text, -1)...)
	_, text, _ := strings.Cut(help.Text, "Usage:\n")
	section, below := "Usage:", [][2]string{}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
		case line[0] != ' ':
			section = line
		case section == "Usage:":
			s.add("command %s", strings.TrimSpace(line))
		case section == "Aliases:":
			s.add("aliases of %s: %s", path, strings.TrimSpace(line))
		case section == "Flags:":
			f := flagLine.FindStringSubmatch(line)
			if f == nil {
				s.t.Fatalf("%s: not a flag: %s", path, line)
			}
			s.add("flag of %s: %s%s %s %s", path, f[1], f[2], cmp.Or(f[3], "bool"), f[4])
		case strings.HasSuffix(section, "ommands:"):
			name, summary, _ := strings.Cut(strings.TrimSpace(line), " ")
			below = append(below, [2]string{name, strings.TrimSpace(summary)})
		}
	}
	for _, sub := range below {
		s.command(path+" "+sub[0], sub[1])
	}
}

func (s *surface) codesAndSchemas() {
	for _, row := range codeRow.FindAllStringSubmatch(s.file("../../docs/codes.md"), -1) {
		s.add("code %s", row[1])
	}
	for _, row := range exitRow.FindAllStringSubmatch(s.file("../../docs/exit-codes.md"), -1) {
		s.add("exit code %s", row[1])
	}
	var lint struct {
		Rules []struct{ ID, Severity string }
	}
	s.decode("brenner artifact lint --rules --json", &lint)
	for _, rule := range lint.Rules {
		s.add("lint rule %s %s", rule.ID, rule.Severity)
	}
	for name := range strings.FieldsSeq(s.run("", "brenner schema")) {
		s.add("schema %s sha256 %x", name, sha256.Sum256([]byte(s.run("", "brenner schema "+name))))
	}
}

// configuration adds all keys with their built-in values, the keys of list entries in the
// file written by init, and the environment variables: those that change the output of
// config show, and those that help or that file names.
func (s *surface) configuration() {
	var shown struct {
		Values []struct {
			Key   string
			Value json.RawMessage
		}
	}
	s.decode("brenner config show --json", &shown)
	names := []string{}
	for _, v := range shown.Values {
		value := string(v.Value)
		if strings.Contains(value, "{") {
			value = "(objects)" // presets, which have descriptions
		}
		s.add("key %s = %s", v.Key, value)
		names = append(names, "BRENNER_"+strings.ToUpper(strings.ReplaceAll(v.Key, ".", "_")))
	}
	s.run("", "brenner init")
	template, list := s.file(filepath.Join(s.dir, "brenner.yaml")), ""
	for line := range strings.Lines(template) {
		if key := fileKey.FindStringSubmatch(line); key != nil {
			list = key[1]
		}
		for _, key := range entryKey.FindAllStringSubmatch(listEntry.FindString(line), -1) {
			s.add("key in %s: %s", list, key[1])
		}
	}
	s.named = append(s.named, variable.FindAllString(template, -1)...)
	unset := s.run("", "brenner config show --json")
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(names, s.named...)))) {
		switch {
		case s.run(name+"=:", "brenner config show --json") != unset:
			s.add("variable %s of the configuration", name)
		case slices.Contains(s.named, name):
			s.add("variable %s", name)
		}
	}
}
