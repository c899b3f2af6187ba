// Package patchcmd holds the commands of `brenner patch`.
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
)

// Command returns the patch commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "patch",
		GroupID: ui.Other,
		Short:   "Make, check and apply anchor patches of text files and records",
		Long: `An anchor patch (` + patch.Protocol + `) changes a text behind anchors: text that stands
there. It names the hash of the text that it is for, applies to that text only, and
whole or not at all. It changes a file or, with --record, a text of the store, of which
it makes a new version.`,
	}, patchMakeCommand(a), patchCheckCommand(a), patchApplyCommand(a))
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

// recordOption names the record that patches are for, instead of files.
type recordOption struct {
	storecmd.RecordFlags
	address string
	change  string
	summary string
}

func (o *recordOption) add(c *cobra.Command) {
	c.Flags().StringVar(&o.address, "record", "", "the record of the store that it is about, instead of a file: memo-fate, memo-fate@v3; the latest version if none is named")
	o.AddActor(c)
}

// alone refuses flags about files with a record, and flags about records without one.
func (o *recordOption) alone(c *cobra.Command, aboutFiles ...string) error {
	with, flags := "does not go with --record", aboutFiles
	if o.address == "" {
		with, flags = "needs --record", []string{"as", "role", "project", "message", "summary"}
	}
	return ui.Unused(c, with, flags...)
}

// patchRecord checks patches of a record of the store, or applies them.
func patchRecord(a *ui.App, c *cobra.Command, opt *patchApplyOptions, args []string, check bool) error {
	patches, err := files.ReadSources(args, readPatch(a))
	if err != nil {
		return err
	}
	if r := patches.Unapplied(); !r.OK { // the store is not needed to say so
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
		Short: "Make the patch that turns one text into another",
		Long: `Makes the patch that turns OLD into NEW, with anchors that stand only once where there
are some, and with both hashes. With --blocks, what is to change comes from
search/replace blocks in an agent's reply:

  <<<<<<< SEARCH
  whole lines as they stand in OLD
  =======
  what shall stand there
  >>>>>>> REPLACE

A file's name on the line above a block says which file it is for; blocks for other
files are left out, and counted. "-" is standard input. With --record, OLD is a version of
a record of the store, the latest if none is named.`,
		Example: `  brenner patch make memo.md memo-new.md -o memo.patch.json
  brenner patch make --record memo-fate memo-new.md -o memo.patch.json
  brenner patch make --blocks reply.md memo.md

Exit codes: 0 made; 1 the texts do not differ, a block does not fit, or the file
cannot be written; 2 a file cannot be read, or there is no such record; 4 the role may not
read it.`,
		Args: func(c *cobra.Command, args []string) error {
			want := 2
			if opt.blocks != "" {
				want = 1
			}
			if opt.address != "" {
				want--
			}
			if len(args) != want {
				return ui.Usage(c, text.Count(want, "file")+" needed, "+text.Count(len(args), "file")+" given", "")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return makePatch(a, c, opt, args) },
	}
	f := c.Flags()
	f.StringVar(&opt.path, "path", "", "the path that the patch names; OLD's if not given")
	f.StringVar(&opt.blocks, "blocks", "", "a reply with search/replace blocks, instead of NEW")
	f.StringVar(&opt.notes, "notes", "", "a word about the patch, kept in its meta")
	f.StringVarP(&opt.out, "out", "o", "", "write the patch to this file instead")
	opt.recordOption.add(c)
	return c
}

func makePatch(a *ui.App, c *cobra.Command, opt patchMakeOptions, args []string) error {
	if err := opt.alone(c); err != nil {
		return err
	}
	for _, input := range append(slices.Clone(args), opt.blocks) {
		if sameFile(opt.out, input) {
			return ui.Usage(c, "--out "+ui.Clean(opt.out)+" is a file that the patch is made from", "give the patch a name of its own, such as "+ui.Clean(opt.out)+".patch.json")
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

// sameFile reports whether two names lead to one regular file.
func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil || !a.Mode().IsRegular() {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// oldText returns the text that a patch is made for, the path that the patch names, and
// the name of the text for messages.
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

// readText reads a text with its line ends and its byte order mark.
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

// madeText says what came of making a patch of the text that source names.
func madeText(a *ui.App, r *files.Made, source string) string {
	var out strings.Builder
	writePatchProblems(&out, source, r.Problems, "", a.Quiet)
	if !r.OK {
		a.Say(out.String())
		return ""
	}
	writePatchProblems(&out, source, r.Warnings, "warning: ", a.Quiet)
	if len(r.Others) > 0 {
		out.WriteString("left out: blocks for " + ui.Clean(strings.Join(r.Others, ", ")) + "\n")
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
