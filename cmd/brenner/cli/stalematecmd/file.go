package stalematecmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/project/patched"
	"brenner/session"
)

// subjectArg is ui.SessionArg for a first argument that may also be a file which refused patches.
func subjectArg(a *ui.App, c *cobra.Command) *cobra.Command {
	c = ui.SessionArg(a, 0, c)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 || strings.HasPrefix(args[0], "RS-") {
			return run(c, args)
		}
		p, err := a.Open()
		if err != nil {
			return err
		}
		id, err := patched.Subject(c.Context(), p, args[0])
		if err != nil {
			return err
		}
		if id != "" {
			args = slices.Clone(args)
			args[0] = id
		}
		if err = run(c, args); id == "" && isFile(args[0]) && fault.CodeOf(err) == session.NotAnExport {
			return &fault.Error{
				Code: session.NoStalemate, Detail: "no stalemate about " + fault.Shown(args[0]) + ": no refused patch of it was counted", Hint: "`brenner stalemate list` lists all stalemates",
			}
		}
		return err
	}
	return c
}

// isFile reports whether an argument is a file, and not a session in one.
func isFile(arg string) bool {
	_, rest, ok := project.ExportFile(arg)
	return ok && rest == "" && !strings.HasSuffix(arg, ".jsonl")
}

// openOnFile opens a stalemate about a file that refused no patch yet, which a request describes.
func openOnFile(a *ui.App, c *cobra.Command, flags *sessioncmd.AuthorFlags, file string, request []byte) error {
	if request == nil {
		return &fault.Error{
			Code: govern.NothingGiven, Op: "open a stalemate about " + file, Detail: "no refused patch of it was counted",
			Hint: "describe the stalemate with --request FILE; what counts: docs/patch.md, Files that refuse patches",
		}
	}
	var id string
	err := storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) (err error) {
		id, err = patched.Keep(ctx, r, file)
		return err
	})
	if err != nil {
		return err
	}
	return openOnRecord(a, c, flags, id, request)
}
