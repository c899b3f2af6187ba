package loopcmd

import (
	"path/filepath"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/loop"
	"brenner/project"
)

// goOnCommand is how somebody goes on with a loop: with the plan that it was begun
// with, and its key.
func goOnCommand(p *project.Project, o *loop.Opened) string {
	const plan = "PLAN.yaml" // where the file is not known, or cannot be shown in a command
	command := "brenner loop run " + plan
	if o.File != "" {
		file := filepath.FromSlash(o.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Config.Project.Dir, file)
		}
		command = text.CommandToCopy("brenner loop run", plan, ui.FromHere(file))
	}
	if o.Key != "" {
		command += " --run " + o.Key
	}
	return command
}
