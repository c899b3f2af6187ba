// Package patchcmd implements `brenner patch`.
package patchcmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/internal/text"
	"brenner/patch"
	"brenner/patch/files"
	"brenner/project"
	"brenner/project/patched"
)

// Command returns the patch commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "patch",
		Short: "Make, check and apply anchor patches",
		Long: `An anchor patch (` + patch.Protocol + `) locates each edit by quoting nearby text. It contains
the hash of the text it is for and applies to that text only, all or nothing. It changes
a file or, with --record, creates a new version of a record.`,
	}, patchMakeCommand(a), patchCheckCommand(a), patchApplyCommand(a))
}

func writePatchProblems(out *strings.Builder, file string, problems []patch.Problem, label string, quiet bool) {
	for i := range problems {
		p := &problems[i]
		place := ui.Clean(file)
		if where := p.Place(); where != "" {
			place += ": " + ui.Clean(where)
		}
		fmt.Fprintf(out, "%s: %s%s: %s\n", place, label, p.Code, ui.Clean(p.Message))
		if !quiet && p.Hint != "" {
			fmt.Fprintf(out, "    fix: %s\n", ui.Clean(p.Hint))
		}
	}
}

// recordOption holds the flags for patching a record instead of files.
type recordOption struct {
	storecmd.RecordFlags
	address string
	change  string
	summary string
}

func (o *recordOption) add(c *cobra.Command) {
	c.Flags().StringVar(&o.address, "record", "", "record to patch instead of a file, such as memo-fate or memo-fate@v3 (default: latest version)")
	o.AddActor(c)
}

// checkFlags rejects file flags with --record, and record flags without it.
func (o *recordOption) checkFlags(c *cobra.Command, aboutFiles ...string) error {
	with, flags := "cannot be combined with --record", aboutFiles
	if o.address == "" {
		with, flags = "requires --record", []string{"as", "role", "project", "message", "summary"}
	}
	return ui.Unused(c, with, flags...)
}

// patchRecord checks patches of a record of the store, or applies them.
func patchRecord(a *ui.App, c *cobra.Command, opt *patchApplyOptions, args []string, check bool) error {
	patches, err := files.ReadSources(args, readPatch(a))
	if err != nil {
		return err
	}
	if r := patches.Unapplied(); !r.OK { // without opening the store
		if r.DryRun = opt.Dry; check {
			return showChecked(a, r.Checked(), nil)
		}
		return showApplied(a, r, nil)
	}
	q := &project.RecordPatches{Patches: patches, Address: opt.address, Change: opt.change, Summary: opt.summary, DryRun: opt.Dry}
	return storecmd.WithRecords(a, c, &opt.RecordFlags, !check && !opt.Dry, func(ctx context.Context, d *storecmd.Records) error {
		if check {
			r, err := project.CheckRecord(ctx, d.Records, d.Actor, q)
			return showChecked(a, r, err)
		}
		r, err := project.PatchRecord(ctx, d.Records, d.Actor, q)
		return showApplied(a, r, err)
	})
}

type patchMakeOptions struct {
	recordOption
	path   string
	blocks string
	notes  string
	out    string
}

func patchMakeCommand(a *ui.App) *cobra.Command {
	var opt patchMakeOptions
	c := &cobra.Command{
		Use:   "make OLD NEW | make --record ADDRESS NEW | make --blocks REPLY OLD",
		Short: "Make a patch from two texts or from search/replace blocks",
		Long: `Makes the patch that turns OLD into NEW, with unique anchors where possible and the hashes
of both. With --blocks, the changes come from search/replace blocks in an agent's reply:

  <<<<<<< SEARCH
  complete lines of OLD
  =======
  replacement lines
  >>>>>>> REPLACE

A file name on the line above a block names its file; blocks for other files are skipped
and reported. "-" is standard input. With --record, OLD is a version of a record, by
default the latest.`,
		Example: `  brenner patch make memo.md memo-new.md -o memo.patch.json
  brenner patch make --record memo-fate memo-new.md -o memo.patch.json
  brenner patch make --blocks reply.md memo.md

Exit codes: 0 made; 1 the texts are identical, a block does not match, or writing failed;
2 unreadable file, or no such record; 4 the role may not read it.`,
		Args: func(c *cobra.Command, args []string) error {
			want := 2
			if opt.blocks != "" {
				want = 1
			}
			if opt.address != "" {
				want--
			}
			if len(args) != want {
				return ui.Usage(c, fmt.Sprintf("expected %s, got %d", text.Count(want, "file"), len(args)), "")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return makePatch(a, c, opt, args) },
	}
	f := c.Flags()
	f.StringVar(&opt.path, "path", "", "target path in the patch (default: OLD)")
	f.StringVar(&opt.blocks, "blocks", "", "reply with search/replace blocks, instead of NEW")
	f.StringVar(&opt.notes, "notes", "", "note about the patch, kept in its meta")
	f.StringVarP(&opt.out, "out", "o", "", "output file (default: standard output)")
	opt.recordOption.add(c)
	return c
}

func makePatch(a *ui.App, c *cobra.Command, opt patchMakeOptions, args []string) error {
	if err := opt.checkFlags(c); err != nil {
		return err
	}
	for _, input := range append(slices.Clone(args), opt.blocks) {
		if sameFile(opt.out, input) {
			return ui.Usage(c, "--out: "+ui.Clean(opt.out)+" is an input file", "pass a different name, such as "+ui.Clean(opt.out)+".patch.json")
		}
	}
	name, old, source, err := oldText(a, c, &opt, args)
	if err != nil {
		return err
	}
	q := &files.MakeRequest{Path: name, Old: old, Notes: opt.notes, Out: opt.out}
	if opt.blocks != "" {
		q.Reply, err = a.ReadFile("reply", opt.blocks)
	} else {
		q.New, err = readText(a, "new text", args[len(args)-1])
	}
	if err != nil {
		return err
	}
	r, err := files.Make(q)
	if err == nil && !r.OK {
		a.Exit = ui.ExitFailed
	}
	return ui.Show(a, r, err, func(a *ui.App, r *files.Made) string { return madeText(a, r, source) })
}

// sameFile reports whether two names refer to the same regular file.
func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil || !a.Mode().IsRegular() {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// oldText returns the text that a patch is made for, the target path in the patch, and the
// name of the text for messages.
func oldText(a *ui.App, c *cobra.Command, opt *patchMakeOptions, args []string) (name string, old *patch.Text, source string, err error) {
	name = opt.path
	if p, ok := patch.CheckPath(name); name != "" && !ok {
		return "", nil, "", ui.Usage(c, "--path: "+p.Message, p.Hint)
	}
	if opt.address == "" {
		if name == "" {
			name = files.PathOf(args[0])
		}
		old, err = readText(a, "old text", args[0])
		return name, old, args[0], err
	}
	err = storecmd.WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *storecmd.Records) error {
		one, _, text, err := r.Text(ctx, r.Actor, opt.address)
		if name == "" {
			name = files.PathOf(one.ID)
		}
		old, source = text, one.Ref().String()
		return err
	})
	return name, old, source, err
}

// readText reads text, keeping line endings and byte order mark.
func readText(a *ui.App, what, file string) (*patch.Text, error) {
	data, err := a.ReadBytes(file)
	if err != nil {
		return nil, fileio.CannotRead("read "+what, file, err)
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, fault.InFile("read "+what, file, patch.Err(problems))
	}
	return t, nil
}

// madeText formats the result of making a patch; source names the old text.
func madeText(a *ui.App, r *files.Made, source string) string {
	var out strings.Builder
	writePatchProblems(&out, source, r.Problems, "", a.Quiet)
	if !r.OK {
		a.Say(out.String())
		return ""
	}
	writePatchProblems(&out, source, r.Warnings, "warning: ", a.Quiet)
	if len(r.Others) > 0 {
		out.WriteString("skipped blocks for " + ui.Clean(strings.Join(r.Others, ", ")) + "\n")
	}
	if !a.Quiet {
		a.Say(out.String())
	}
	if r.Written == "" {
		return string(r.Patch)
	}
	if !a.Quiet {
		a.Say("wrote " + ui.Clean(r.Written) + ": " + text.Count(r.Operations, "operation") + "\n")
	}
	return ""
}

type patchApplyOptions struct {
	recordOption
	root string
	file string
	skip bool
}

func addPatchFlags(c *cobra.Command, opt *patchApplyOptions) {
	f := c.Flags()
	f.StringVar(&opt.root, "root", ".", "directory that the paths in patches are relative to")
	f.StringVar(&opt.file, "file", "", "file to patch, overriding the path in the patch")
	opt.recordOption.add(c)
	f.BoolVar(&opt.skip, "skip-applied", false, "skip patches whose result (result_sha256) is already in the file")
}

func patchArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return ui.Usage(c, "missing argument: PATCH, a file or a directory of patches", "")
	}
	return nil
}

func patchCheckCommand(a *ui.App) *cobra.Command {
	var opt patchApplyOptions
	c := &cobra.Command{
		Use:   "check PATCH…",
		Short: "Check whether patches apply, without writing",
		Long: `Reports for each patch whether it applies, and if not, all problems. For an anchor that
looks right but is not found, the message names the invisible character or the whitespace
that differs, and its line. Nothing is written.

A directory means all .json files in it, in order of their names; each patch sees the
result of those before it. "-" is standard input. With --record, the patches are for a
record; a patch for an older version needs a rebase, and the message says how many
versions it is behind.`,
		Example: `  brenner patch check memo.patch.json
  brenner patch check memo.patch.json --record memo-fate
  brenner patch check patches/ --root ../project

Exit codes: 0 all apply; 1 some do not apply; 2 unreadable patch or root.`,
		Args: patchArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opt.checkFlags(c, "root", "file", "skip-applied"); err != nil {
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
		Short: "Apply patches, all or none",
		Long: `Applies patches to the files that they name, relative to --root. If one does not apply,
nothing is written. Each file is replaced atomically and keeps its line endings, byte
order mark and permissions. If the command was killed between two files, run it again
with --skip-applied.

With --record, each patch creates a new version of a record. A patch for an older version
applies only if that version is named (--record memo-fate@v3); its result gets the status
needs_rebase.

In a project with a store, refused patches are counted, of records and of files: the third
refusal for the same reason opens a stalemate.`,
		Example: `  brenner patch apply memo.patch.json --dry-run
  brenner patch apply memo.patch.json --record memo-fate -m "takes up the third paper"
  brenner patch apply patches/

Exit codes: 0 applied; 1 a patch does not apply, or writing failed; 2 unreadable patch or
root, or no such record; 4 the role may not change it; 5 refused for the third time, a
ruling is needed; 75 the store is busy.`,
		Args: patchArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opt.checkFlags(c, "root", "file", "skip-applied"); err != nil {
				return err
			}
			if opt.address != "" {
				return patchRecord(a, c, &opt, args, false)
			}
			return applyPatches(a, c, &opt, args)
		},
	}
	addPatchFlags(c, &opt)
	c.Flags().StringVarP(&opt.change, "message", "m", "", "what changed and why, with --record (default: the notes of the patch)")
	c.Flags().StringVar(&opt.summary, "summary", "", "one-line summary of the new version, with --record (default: generated from the text)")
	c.Flags().BoolVar(&opt.Dry, "dry-run", false, "print the changes as a unified diff, without writing")
	return c
}

func (o *patchApplyOptions) request(a *ui.App, args []string) *files.Request {
	return &files.Request{Patches: args, Root: o.root, File: o.file, SkipApplied: o.skip, DryRun: o.Dry, Read: readPatch(a)}
}

// readPatch returns the reader of patch files; "-" is standard input.
func readPatch(a *ui.App) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) { return a.ReadFile("patch", path) }
}

func applyPatches(a *ui.App, c *cobra.Command, opt *patchApplyOptions, args []string) error {
	r, err := patched.Apply(c.Context(), opt.request(a, args), func() (*project.Project, error) { return a.Open() })
	if err != nil && r != nil && len(r.Written) > 0 {
		a.Say("already written: " + ui.Clean(strings.Join(r.Written, ", ")) + "; run it again with --skip-applied\n")
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
	case !p.Compared: // for a record: another patch is unreadable, so none was compared
		fmt.Fprintf(out, "%s: readable, not compared\n", ui.Clean(p.File))
	case p.Skipped:
		fmt.Fprintf(out, "%s: already applied to %s\n", ui.Clean(p.File), ui.Clean(p.Path))
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
		out.WriteString("nothing written\n")
	}
	for i := range r.Patches {
		if p := &r.Patches[i]; p.Version != "" && !a.Quiet {
			fmt.Fprintf(&out, "%s: %s\n", ui.Clean(p.Version), p.Status)
		}
	}
	if r.Stalemate != "" {
		show := text.CommandToCopy("brenner stalemate show", "FILE "+r.Stalemate, r.Subject, r.Stalemate)
		out.WriteString("stalemate: refused three times for the same reason; see `" + ui.Clean(show) + "`\n")
	} else if r.Ruled != "" {
		out.WriteString("ruled: " + ui.Clean(r.Ruled) + "\n")
	}
	a.Say(out.String())
	// The diff is printed unchanged, except for characters unsafe on a terminal.
	return ui.CleanText(r.Diff)
}
