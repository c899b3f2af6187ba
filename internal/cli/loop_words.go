package cli

import (
	"path/filepath"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/config"
	"brenner/loop"
)

// goOnCommand is how somebody goes on with a loop: with the plan that it was begun
// with, and its key.
func goOnCommand(cfg *config.Config, o *loop.Opened) string {
	file := "PLAN.yaml"
	if o.File != "" {
		file = filepath.FromSlash(o.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(cfg.Project.Dir, file)
		}
		file = inShell(fromHere(file))
	}
	command := "brenner loop run " + file
	if o.Key != "" {
		command += " --run " + o.Key
	}
	return command
}

// inShell gives a text as a shell takes it for one word.
func inShell(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r) || r > 0x7f
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// clock gives an instant as people here read it: their own time, to the second.
func (a *app) clock(instant string) string {
	at, err := artifact.ParseInstant(instant)
	if err != nil {
		return instant
	}
	return at.In(a.Now().Location()).Truncate(time.Second).Format("2006-01-02 15:04:05 MST")
}
