package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeployedCommandsRun runs the commands of deploy/, from the systemd unit and the
// crontab, in a home directory as their comments describe it, at their scheduled times.
func TestDeployedCommandsRun(t *testing.T) {
	const unit = "../../deploy/brenner-loop.service"
	bin, err := exec.LookPath("brenner") // this test binary
	if err != nil {
		t.Fatal(err)
	}
	for name, commands := range map[string][]timed{
		"brenner-loop.service": fromUnit(t, unit),
		"brenner-loop.cron":    fromCrontab(t, "../../deploy/brenner-loop.cron"),
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t)
			if err := os.Symlink(bin, filepath.Join(home, "go", "bin", "brenner")); err != nil { // as `go install` puts it
				t.Fatal(err)
			}
			project, path := filepath.Join(home, "research"), "/usr/bin:/bin"
			if name == "brenner-loop.service" {
				path = strings.ReplaceAll(setting(t, unit, "Environment=PATH="), "%h", home)
			}
			for _, command := range commands {
				c := exec.Command("/bin/sh", "-c", command.line)
				c.Dir = home
				if name == "brenner-loop.service" {
					c.Dir = project // its WorkingDirectory
				}
				c.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, "fixed") + ":" + path, "NOW=" + command.at}
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", command.line, err, out)
				}
			}
			c := exec.Command(bin, "loop", "status", "-q", "-C", project)
			c.Env = []string{"HOME=" + home}
			out, err := c.Output()
			// All starts belong to one night, named after the evening's date.
			if err != nil || string(out) != "night-2026-11-15\n" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// timed is a command and the local time at which it runs.
type timed struct{ at, line string }

// fixedDate is a `date` at which it is always $NOW. It calls the real one, GNU (-d) or
// BSD (-j, -v).
const fixedDate = `#!/bin/sh
PATH=/usr/bin:/bin
case $1 in
-d) exec date -d "$NOW $2" "$3" ;;
-v*) exec date -j "$1" -f '%F %H:%M' "$NOW" "$2" ;;
esac
date -d "$NOW" "$1" 2>/dev/null || date -j -f '%F %H:%M' "$NOW" "$1"
`

// fromUnit returns the command of a unit at both ends of a night: when the timer starts
// it, and when it restarts after a crash in the morning.
func fromUnit(t *testing.T, file string) []timed {
	t.Helper()
	command := strings.NewReplacer("%%", "%", "$$", "$").Replace(strings.Trim(setting(t, file, "ExecStart=/bin/sh -c "), "'"))
	evening := setting(t, strings.TrimSuffix(file, "service")+"timer", "OnCalendar=*-*-* ")
	return []timed{{"2026-11-15 " + evening, command}, {"2026-11-16 06:59", command}}
}

// setting returns the value after prefix in a unit file.
func setting(t *testing.T, file, prefix string) string {
	t.Helper()
	for line := range strings.Lines(read(t, file)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok {
			return value
		}
	}
	t.Fatalf("%s has no %s", file, prefix)
	return ""
}

// fromCrontab returns the commands of a crontab at their times in one night.
func fromCrontab(t *testing.T, file string) []timed {
	t.Helper()
	var commands []timed
	for line := range strings.Lines(read(t, file)) {
		var minute, hour int
		if n, _ := fmt.Sscanf(line, "%d %d * * *", &minute, &hour); n != 2 {
			continue
		}
		day := 15
		if hour < 12 {
			day = 16 // after midnight
		}
		_, command, _ := strings.Cut(line, " * * * ")
		commands = append(commands, timed{
			fmt.Sprintf("2026-11-%d %02d:%02d", day, hour, minute),
			strings.ReplaceAll(strings.TrimSpace(command), `\%`, "%"),
		})
	}
	if len(commands) != 2 || commands[0].at > commands[1].at {
		t.Fatalf("%s has the commands %q", file, commands)
	}
	return commands
}

func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"go/bin", "fixed", "research"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "fixed", "date"), []byte(fixedDate), 0o755); err != nil { //nolint:gosec // an executable
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"brenner.yaml": "question: Nothing\n",
		"sky.yaml":     "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n",
		"night.yaml": "schema: brenner.loop.plan/v1\nvia: rehearsal\nscript: sky.yaml\nquestions: [Why]\n" +
			"rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\nsession: {rounds: 1}\n",
	} {
		if err := os.WriteFile(filepath.Join(home, "research", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
