package project

import (
	"path/filepath"
	"testing"

	"brenner/config"
	"brenner/loop"
)

// The command is quoted for a shell. If the plan cannot be shown in a command, a
// placeholder is.
func TestResumeCommand(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	p := &Project{Config: &config.Config{}}
	p.Config.Project.Dir = here
	for file, want := range map[string]string{
		"": "PLAN.yaml", "night.yaml": "night.yaml", "a b/night.yaml": "'a b/night.yaml'", "$(x)": "'$(x)'", "größe.yaml": "'größe.yaml'",
		"it's": "PLAN.yaml", "it’s": "PLAN.yaml", "a\u202eb": "PLAN.yaml", "a\u00a0b": "PLAN.yaml", "a\x1b[31m": "PLAN.yaml",
	} {
		if got := p.resumeCommand(&loop.State{Opened: loop.Opened{File: file, Key: "k"}}); got != "brenner loop run "+want+" --run k" {
			t.Errorf("%q: got %s, want %s", file, got, want)
		}
	}
}
