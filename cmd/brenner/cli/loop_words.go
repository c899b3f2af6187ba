package cli

import (
	"path/filepath"
	"time"

	"brenner/artifact"
	"brenner/loop"
)

// goOnCommand is how somebody goes on with a loop: with the plan that it was begun
// with, and its key.
func goOnCommand(cfg *Project, o *loop.Opened) string {
	const plan = "PLAN.yaml" // where the file is not known, or cannot be shown in a command
	command := "brenner loop run " + plan
	if o.File != "" {
		file := filepath.FromSlash(o.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(cfg.Project.Dir, file)
		}
		command = toCopy("brenner loop run", plan, fromHere(file))
	}
	if o.Key != "" {
		command += " --run " + o.Key
	}
	return command
}

// clock gives an instant as people here read it: their own time, to the second.
func (a *app) clock(instant string) string {
	at, err := artifact.ParseInstant(instant)
	if err != nil {
		return instant
	}
	return at.In(a.Now().Location()).Truncate(time.Second).Format("2006-01-02 15:04:05 MST")
}
