package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What deploy/ starts is really run: the command of the systemd unit and those of
// the crontab, in a home as their comments say it is. Each runs at a moment that it is
// made for, whatever the time is here.
func TestDeployedCommandsRun(t *testing.T) {
	const unit = "../../deploy/brenner-loop.service"
	bin, err := exec.LookPath("brenner") // this test binary, which is the program under that name
	if err != nil {
		t.Fatal(err)
	}
	for name, commands := range map[string][]timed{
		"brenner-loop.service": fromUnit(t, unit),
		"brenner-loop.cron":    fromCrontab(t, "../../deploy/brenner-loop.cron"),
	} {
		t.Run(name, func(t *testing.T) {
			home := aHome(t)
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
			// However often it was started, it was one night: that of the evening.
			if err != nil || string(out) != "night-2026-11-15\n" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// timed is a command, and the local time at which it runs.
type timed struct{ at, line string }

// fixedDate is a `date` for which it is always $NOW; the real one does the rest, be it
// GNU's (-d) or BSD's (-j, -v).
const fixedDate = `#!/bin/sh
PATH=/usr/bin:/bin
case $1 in
-d) exec date -d "$NOW $2" "$3" ;;
-v*) exec date -j "$1" -f '%F %H:%M' "$NOW" "$2" ;;
esac
date -d "$NOW" "$1" 2>/dev/null || date -j -f '%F %H:%M' "$NOW" "$1"
`

// fromUnit returns the command of a unit at the two ends of a night: when the timer
// starts it, and when it is started again after a crash in the morning.
func fromUnit(t *testing.T, file string) []timed {
	t.Helper()
	command := strings.NewReplacer("%%", "%", "$$", "$").Replace(strings.Trim(setting(t, file, "ExecStart=/bin/sh -c "), "'"))
	evening := setting(t, strings.TrimSuffix(file, "service")+"timer", "OnCalendar=*-*-* ")
	return []timed{{"2026-11-15 " + evening, command}, {"2026-11-16 06:59", command}}
}

// setting gives what a unit says behind some words.
func setting(t *testing.T, file, words string) string {
	t.Helper()
	for line := range strings.Lines(read(t, file)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), words); ok {
			return value
		}
	}
	t.Fatalf("%s says nothing of %s", file, words)
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

func aHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, folder := range []string{"go/bin", "fixed", "research"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "fixed", "date"), []byte(fixedDate), 0o755); err != nil { //nolint:gosec // it is a program
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
