package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What deploy/ starts is really run: the command of the systemd unit and those of
// the crontab, in a home as their comments say it is.
func TestDeployedCommandsRun(t *testing.T) {
	const unit = "../../deploy/brenner-loop.service"
	bin := filepath.Join(t.TempDir(), "brenner")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, commands := range map[string][]string{
		"brenner-loop.service": fromUnit(t, unit),
		"brenner-loop.cron":    fromCrontab(t, "../../deploy/brenner-loop.cron"),
	} {
		t.Run(name, func(t *testing.T) {
			home := aHome(t)
			if err := os.Symlink(bin, filepath.Join(home, "go", "bin", "brenner")); err != nil { // as `go install` puts it
				t.Fatal(err)
			}
			project := filepath.Join(home, "research")
			for _, command := range commands {
				c := exec.Command("/bin/sh", "-c", command)
				c.Dir = home
				if name == "brenner-loop.service" {
					c.Dir = project // its WorkingDirectory
				}
				c.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
				if name == "brenner-loop.service" {
					c.Env[1] = "PATH=" + strings.ReplaceAll(setting(t, unit, "Environment=PATH="), "%h", home)
				}
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
			}
			c := exec.Command(bin, "loop", "status", "-q", "-C", project)
			c.Env = []string{"HOME=" + home}
			out, err := c.Output()
			// However often it was started, it was one night.
			if err != nil || strings.Count(string(out), "night-20") != 1 || strings.Count(string(out), "\n") != 1 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// fromUnit gives the command of a unit, twice: after a crash it is started again.
func fromUnit(t *testing.T, file string) []string {
	t.Helper()
	command := strings.NewReplacer("%%", "%", "$$", "$").Replace(strings.Trim(setting(t, file, "ExecStart=/bin/sh -c "), "'"))
	return []string{command, command}
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

// fromCrontab gives the commands of a crontab, without their times.
func fromCrontab(t *testing.T, file string) []string {
	t.Helper()
	var commands []string
	for line := range strings.Lines(read(t, file)) {
		if fields := strings.Fields(line); len(fields) > 6 && strings.Trim(fields[0], "0123456789*") == "" {
			_, command, _ := strings.Cut(line, " * * * ")
			commands = append(commands, strings.ReplaceAll(strings.TrimSpace(command), `\%`, "%"))
		}
	}
	if len(commands) != 2 {
		t.Fatalf("%s has the commands %q", file, commands)
	}
	return commands
}

func aHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "go", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"brenner.yaml": "question: Nothing\n",
		"sky.yaml":     "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - role: hypothesis_generator\n    rounds: [{reply: Nothing.}]\n",
		"night.yaml": "schema: brenner.loop.plan/v1\nvia: rehearsal\nscript: sky.yaml\nquestions: [Why]\n" +
			"rosters: [{id: one, entries: [{agentName: BlueLake, role: hypothesis_generator}]}]\nsession: {rounds: 1}\n",
	} {
		path := filepath.Join(home, "research", name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
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
