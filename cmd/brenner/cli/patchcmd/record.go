package patchcmd

import (
	"context"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/patch/files"
	"brenner/project"
)

// recordOption names the record that patches are for, instead of files.
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
			return showChecked(a, r.Checked())
		}
		return showApplied(a, r)
	}
	q := &project.RecordPatches{Patches: patches, Address: opt.address, Change: opt.change, Summary: opt.summary, DryRun: opt.Dry}
	return storecmd.WithRecords(a, c, &opt.RecordFlags, !check && !opt.Dry, func(ctx context.Context, d *storecmd.Records) error {
		if check {
			r, err := project.CheckRecord(ctx, d.Door, d.Who, q)
			if err != nil {
				return err
			}
			return showChecked(a, r)
		}
		r, err := project.PatchRecord(ctx, d.Door, d.Who, q)
		if err != nil {
			return err
		}
		return showApplied(a, r)
	})
}
