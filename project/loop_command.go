package project

import (
	"path/filepath"

	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/loop"
)

// goOnCommand returns the command that goes on with a loop: with the plan that it was
// begun with, and its key.
func (p *Project) goOnCommand(o *loop.Opened) string {
	const plan = "PLAN.yaml" // where the file is not known, or cannot be shown in a command
	command := "brenner loop run " + plan
	if o.File != "" {
		file := filepath.FromSlash(o.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Config.Project.Dir, file)
		}
		command = text.CommandToCopy("brenner loop run", plan, files.FromHere(file))
	}
	if o.Key != "" {
		command += " --run " + o.Key
	}
	return command
}
