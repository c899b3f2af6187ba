package patchcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/patch"
)

// recordOption is the record that patches are for, instead of files.
type recordOption struct {
	storecmd.RecordFlags
	address string
	change  string
	summary string
}

func (o *recordOption) add(c *cobra.Command) {
	c.Flags().StringVar(&o.address, "record", "", "the record of the store that it is about, instead of a file: memo-fate, memo-fate@v3; the latest version if none is named")
	o.AddWho(c)
}

// alone refuses flags that say something about files, or about records where none is
// meant.
func (o *recordOption) alone(c *cobra.Command, files ...string) error {
	with, flags := "does not go with --record", files
	if o.address == "" {
		with, flags = "needs --record", []string{"as", "role", "project", "message", "summary"}
	}
	return ui.Unused(c, with, flags...)
}

// patchRecord holds patches against a record of the store and, unless it is only a
// try, puts what they make of it.
func patchRecord(a *ui.App, c *cobra.Command, opt *patchApplyOptions, args []string, try bool, as func(patchesApplied) ui.Result) error {
	plan, err := readPatches(a, args)
	if err != nil {
		return err
	}
	shown := patchesApplied{plan: plan, dryRun: opt.Dry}
	if !plan.Ok() { // a patch that cannot be read is held against nothing
		a.Exit = ui.ExitFailed
		return a.Show(as(shown))
	}
	return storecmd.WithRecords(a, c, &opt.RecordFlags, !try, func(ctx context.Context, r *storecmd.Records) error {
		p := &govern.Patching{Address: opt.address, Change: opt.change, Summary: opt.summary, Try: try}
		for _, one := range plan.patches {
			p.Patches = append(p.Patches, one.patch)
		}
		out, err := r.Patch(ctx, r.Who, p)
		if err != nil {
			return err
		}
		shown.take(out)
		switch {
		case out.Stuck != nil:
			shown.stuck, shown.of = out.Stuck.ID, out.Base.ID
			a.Exit = ui.ExitPerson
		case !plan.Ok():
			a.Exit = ui.ExitFailed
		case opt.Dry:
			name := out.Base.String()
			shown.diff = patch.Unified("a/"+name, "b/"+name, out.Before.Canonical(), out.After.Canonical())
		}
		return a.Show(as(shown))
	})
}

// readPatches reads patches that are for no file.
func readPatches(a *ui.App, args []string) (*patchPlan, error) {
	names, err := patchFiles(a, args)
	if err != nil {
		return nil, err
	}
	plan := &patchPlan{}
	for _, name := range names {
		p, err := readPatch(a, name)
		if err != nil {
			return nil, err
		}
		p.report.Problems = p.unread
		plan.patches = append(plan.patches, p)
	}
	return plan, nil
}

// take takes over what came of patches of a record.
func (r *patchesApplied) take(out *govern.Patched) {
	on := &patchedFile{path: out.Base.String()}
	for i, one := range r.plan.patches {
		one.target, one.report = on, out.Reports[i]
		for j := range one.report.Problems {
			if p := &one.report.Problems[j]; p.Behind > 0 {
				p.Hint += fmt.Sprintf("; --record %s@v%d keeps what it makes beside the others", out.Base.ID, out.Base.Version-p.Behind)
			}
		}
		if i < len(out.Put) {
			one.version, one.status = out.Put[i].Record.Ref().String(), out.Put[i].Record.Status
			r.written = append(r.written, one.version)
		}
	}
}

// versions says which versions of a record there are now.
func (r *patchesApplied) versions(out *strings.Builder, quiet bool) {
	for _, one := range r.plan.patches {
		if one.version != "" && !quiet {
			fmt.Fprintf(out, "%s: %s\n", ui.Clean(one.version), one.status)
		}
	}
	if r.stuck != "" {
		fmt.Fprintf(out, "this is a stalemate: the same was refused for the third time; `brenner stalemate show %s %s`\n", ui.Clean(r.of), ui.Clean(r.stuck))
	}
}
