package patchcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/patch/files"
)

type patchApplyOptions struct {
	recordOption
	root string
	file string
	skip bool
}

func addPatchFlags(c *cobra.Command, opt *patchApplyOptions) {
	f := c.Flags()
	f.StringVar(&opt.root, "root", ".", "the folder that the paths of patches are below")
	f.StringVar(&opt.file, "file", "", "the file that the one patch is for, whatever path it names")
	opt.recordOption.add(c)
	f.BoolVar(&opt.skip, "skip-applied", false, "leave out patches whose result (result_sha256) the file holds already")
}

func patchArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return ui.Usage(c, "a patch is needed: a file, or a folder of patches", "")
	}
	return nil
}

func patchCheckCommand(a *ui.App) *cobra.Command {
	var opt patchApplyOptions
	c := &cobra.Command{
		Use:   "check PATCH…",
		Short: "Say whether patches apply, and everything that is wrong with them",
		Long: `Says of each patch whether it applies, and if not everything that is wrong with it. An
anchor that looks right and is not found is explained: the message names the invisible
character or the whitespace that differs, and its line. Nothing is written. A folder
stands for all .json files in it, by name; a patch sees what those before it make of
its file. "-" is standard input. With --record the patches are for a record of the store;
one for an older version than the latest needs a rebase, and it is said how many versions
it is behind.`,
		Example: `  brenner patch check memo.patch.json
  brenner patch check memo.patch.json --record memo-fate
  brenner patch check patches/ --root ../project

Exit codes: 0 all apply; 1 some do not; 2 a patch or the root cannot be read.`,
		Args: patchArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opt.alone(c, "root", "file", "skip-applied"); err != nil {
				return err
			}
			if opt.address != "" {
				return patchRecord(a, c, &opt, args, true)
			}
			r, err := files.Check(opt.request(a, args))
			return showChecked(a, r, err)
		},
	}
	addPatchFlags(c, &opt)
	return c
}

func patchApplyCommand(a *ui.App) *cobra.Command {
	var opt patchApplyOptions
	c := &cobra.Command{
		Use:   "apply PATCH…",
		Short: "Apply patches: all of them, or none",
		Long: `Applies patches to the files that they name, below --root. All of them are worked out
first, and when one does not apply nothing is written. A file is replaced in one step
and keeps its line ends, its byte order mark and its permissions; whoever reads it, or
kills this command, finds the old text or the new one. When a folder of patches was
killed between two files, run it again with --skip-applied.

With --record each patch makes a new version of a record. A patch for an older version is
not applied, unless that version is named (--record memo-fate@v3): then what it makes is
kept beside the others with the status needs_rebase. What is refused is kept, too: the
same for the third time is a stalemate, and a request for a ruling is put into the store.`,
		Example: `  brenner patch apply memo.patch.json --dry-run
  brenner patch apply memo.patch.json --record memo-fate -m "takes up the third paper"
  brenner patch apply patches/

Exit codes: 0 applied; 1 a patch does not apply, or a file cannot be written; 2 a patch
or the root cannot be read, or there is no such record; 4 the role may not change it; 5 the
same was refused for the third time: a ruling is needed; 75 the store is busy.`,
		Args: patchArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opt.alone(c, "root", "file", "skip-applied"); err != nil {
				return err
			}
			if opt.address != "" {
				return patchRecord(a, c, &opt, args, false)
			}
			return applyPatches(a, &opt, args)
		},
	}
	addPatchFlags(c, &opt)
	c.Flags().StringVarP(&opt.change, "message", "m", "", "with --record: what changed, and why; the notes of the patch if not given")
	c.Flags().StringVar(&opt.summary, "summary", "", "with --record: what the new version says, in a sentence or two on one line; the program takes it from the text if not given")
	c.Flags().BoolVar(&opt.Dry, "dry-run", false, "print what would change as a unified diff, and write nothing")
	return c
}

func (o *patchApplyOptions) request(a *ui.App, args []string) *files.Request {
	return &files.Request{Patches: args, Root: o.root, File: o.file, SkipApplied: o.skip, DryRun: o.Dry, Read: readPatch(a)}
}

// readPatch returns the reader of patch files; "-" is standard input.
func readPatch(a *ui.App) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) { return a.ReadFile("patch", path) }
}

func applyPatches(a *ui.App, opt *patchApplyOptions, args []string) error {
	r, err := files.Apply(opt.request(a, args))
	if err != nil && r != nil && len(r.Written) > 0 {
		a.Say("written before that: " + ui.Clean(strings.Join(r.Written, ", ")) + "; run it again with --skip-applied\n")
	}
	return showApplied(a, r, err)
}

func showChecked(a *ui.App, r *files.Checked, err error) error {
	if err == nil && !r.OK {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, r, err, checkedText)
}

func checkedText(a *ui.App, r *files.Checked) string {
	var out strings.Builder
	for i := range r.Patches {
		describe(&out, &r.Patches[i], "applies to", a.Quiet)
	}
	return out.String()
}

func describe(out *strings.Builder, p *files.Outcome, does string, quiet bool) {
	writePatchProblems(out, p.File, p.Problems, "", quiet)
	writePatchProblems(out, p.File, p.Warnings, "warning: ", quiet)
	switch {
	case quiet || !p.OK:
	case !p.Compared: // of a record: another patch cannot be read, and so none was compared
		fmt.Fprintf(out, "%s: can be read, and was held against nothing\n", ui.Clean(p.File))
	case p.Skipped:
		fmt.Fprintf(out, "%s: applied already to %s\n", ui.Clean(p.File), ui.Clean(p.Path))
	default:
		fmt.Fprintf(out, "%s: %s %s: %s\n", ui.Clean(p.File), does, ui.Clean(p.Path), text.Count(len(p.Operations), "operation"))
	}
}

func showApplied(a *ui.App, r *files.Applied, err error) error {
	switch {
	case err != nil:
	case r.Stalemate != "":
		a.Exit = ui.ExitPerson
	case !r.OK:
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, r, err, appliedText)
}

func appliedText(a *ui.App, r *files.Applied) string {
	var out strings.Builder
	does := "applied to"
	if r.DryRun || !r.OK {
		does = "would apply to"
	}
	for i := range r.Patches {
		describe(&out, &r.Patches[i], does, a.Quiet)
	}
	if !r.OK && !a.Quiet {
		out.WriteString("nothing was written\n")
	}
	for i := range r.Patches {
		if p := &r.Patches[i]; p.Version != "" && !a.Quiet {
			fmt.Fprintf(&out, "%s: %s\n", ui.Clean(p.Version), p.Status)
		}
	}
	if r.Stalemate != "" {
		fmt.Fprintf(&out, "this is a stalemate: the same was refused for the third time; `brenner stalemate show %s %s`\n", ui.Clean(r.Record), ui.Clean(r.Stalemate))
	}
	a.Say(out.String())
	// A diff is printed as it is, except for what could deceive a terminal.
	return ui.CleanText(r.Diff)
}
