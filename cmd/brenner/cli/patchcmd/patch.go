package patchcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/patch"
)

// Command returns the patch commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "patch",
		GroupID: ui.Other,
		Short:   "Make, check and apply anchor patches of text files and records",
		Long: `An anchor patch (` + patch.Protocol + `) changes a text behind anchors: text that stands
there. It names the hash of the text that it is for, applies to that text only, and
whole or not at all. It changes a file or, with --record, a text of the store, of which
it makes a new version.`,
	}
	c.AddCommand(patchMakeCommand(a), patchCheckCommand(a), patchApplyCommand(a))
	ui.Group(c)
	return c
}

func writePatchProblems(out *strings.Builder, file string, problems []patch.Problem, word string, quiet bool) {
	for i := range problems {
		p := &problems[i]
		place := ui.Clean(file)
		if where := p.Place(); where != "" {
			place += ": " + ui.Clean(where)
		}
		fmt.Fprintf(out, "%s: %s%s: %s\n", place, word, p.Code, ui.Clean(p.Message))
		if !quiet && p.Hint != "" {
			fmt.Fprintf(out, "    fix: %s\n", ui.Clean(p.Hint))
		}
	}
}
