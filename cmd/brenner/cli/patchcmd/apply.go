package patchcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/patch"
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
				return patchRecord(a, c, &opt, args, true, func(r patchesApplied) ui.Result { return patchesChecked{r.plan} })
			}
			plan, err := PlanPatches(a, args, opt.root, opt.file, opt.skip)
			if err != nil {
				return err
			}
			if !plan.Ok() {
				a.Exit = ui.ExitFailed
			}
			return a.Show(patchesChecked{plan})
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
				return patchRecord(a, c, &opt, args, opt.Dry, func(r patchesApplied) ui.Result { return r })
			}
			return applyPatches(a, opt, args)
		},
	}
	addPatchFlags(c, &opt)
	c.Flags().StringVarP(&opt.change, "message", "m", "", "with --record: what changed, and why; the notes of the patch if not given")
	c.Flags().StringVar(&opt.summary, "summary", "", "with --record: what the new version says, in a sentence or two on one line; the program takes it from the text if not given")
	c.Flags().BoolVar(&opt.Dry, "dry-run", false, "print what would change as a unified diff, and write nothing")
	return c
}

func applyPatches(a *ui.App, opt patchApplyOptions, args []string) error {
	plan, err := PlanPatches(a, args, opt.root, opt.file, opt.skip)
	if err != nil {
		return err
	}
	r := patchesApplied{plan: plan, dryRun: opt.Dry}
	if plan.Ok() && !opt.Dry {
		unlock, err := plan.Lock()
		if err != nil {
			return err
		}
		defer unlock()
	}
	switch {
	case !plan.Ok():
		a.Exit = ui.ExitFailed
	case opt.Dry:
		for _, f := range plan.changed() {
			r.diff += patch.Unified("a/"+f.path, "b/"+f.path, f.before.Canonical(), f.now.Canonical())
		}
	default:
		if r.written, err = plan.write(a.Disk); err != nil {
			if len(r.written) > 0 {
				a.Say("written before that: " + ui.Clean(strings.Join(r.written, ", ")) + "; run it again with --skip-applied\n")
			}
			return err
		}
	}
	return a.Show(r)
}

// patchesChecked is what a check found.
type patchesChecked struct{ plan *patchPlan }

func (r patchesChecked) Print(a *ui.App) error {
	var out strings.Builder
	for _, p := range r.plan.patches {
		p.describe(&out, "applies to", a.Quiet)
	}
	return a.Write([]byte(out.String()))
}

func (r patchesChecked) Document() any {
	return struct {
		Schema  string         `json:"schema"`
		OK      bool           `json:"ok"`
		Patches []patchDetails `json:"patches"`
	}{"brenner.patch.check/v1", r.plan.Ok(), r.plan.details()}
}

func (p *plannedPatch) describe(out *strings.Builder, does string, quiet bool) {
	writePatchProblems(out, p.file, p.report.Problems, "", quiet)
	writePatchProblems(out, p.file, p.report.Warnings, "warning: ", quiet)
	switch {
	case quiet || len(p.report.Problems) > 0:
	case p.target == nil: // of a record: another one cannot be read, and so none was looked at
		fmt.Fprintf(out, "%s: can be read, and was held against nothing\n", ui.Clean(p.file))
	case p.skipped:
		fmt.Fprintf(out, "%s: applied already to %s\n", ui.Clean(p.file), ui.Clean(p.target.path))
	default:
		fmt.Fprintf(out, "%s: %s %s: %s\n", ui.Clean(p.file), does, ui.Clean(p.target.path), text.Count(len(p.report.Operations), "operation"))
	}
}

// patchesApplied is what was written, or would be.
type patchesApplied struct {
	plan    *patchPlan
	dryRun  bool
	diff    string
	written []string
	stuck   string // the stalemate, where the same was refused too often
	of      string // the record that it is about
}

func (r patchesApplied) Print(a *ui.App) error {
	var out strings.Builder
	does := "applied to"
	if r.dryRun || !r.plan.Ok() {
		does = "would apply to"
	}
	for _, p := range r.plan.patches {
		p.describe(&out, does, a.Quiet)
	}
	if !r.plan.Ok() && !a.Quiet {
		out.WriteString("nothing was written\n")
	}
	r.versions(&out, a.Quiet)
	a.Say(out.String())
	// A diff is for the eyes and for other programs: as it is, but for what could
	// deceive a terminal.
	return a.Write([]byte(ui.CleanText(r.diff)))
}

func (r patchesApplied) Document() any {
	return struct {
		Schema  string         `json:"schema"`
		OK      bool           `json:"ok"`
		DryRun  bool           `json:"dry_run"`
		Written []string       `json:"written"`
		Diff    string         `json:"diff"`
		Patches []patchDetails `json:"patches"`
		Stuck   string         `json:"stalemate,omitempty"`
	}{"brenner.patch.apply/v1", r.plan.Ok(), r.dryRun, r.written, r.diff, r.plan.details(), r.stuck}
}
