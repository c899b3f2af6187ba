// Package storecmd holds the commands about records: store, context and project.
package storecmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/project"
	"brenner/store/record"
)

// Command returns the store commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "store",
		GroupID: ui.Other,
		Short:   "Keep typed, versioned records: notes, memos, models, reviews and what rests on what",
		Long: `The records of a project: each has an id, a type, a module, a summary and versions that are
never changed. One version of a record may be canonical, and only promote makes it so.

An address is an id, or the beginning of one that is unique, with a version if one is
meant: note-1, note-1@v3, note-1@canonical, note-1@latest.`,
	},
		storePutCommand(a), storeShowCommand(a), storeDiffCommand(a), storeLogCommand(a), storePromoteCommand(a),
		storeRevertCommand(a), storeStatusCommand(a), storeLineageCommand(a), storeForksCommand(a), storeMergeCommand(a),
		storePinCommand(a), storeDeprecateCommand(a), storeConsolidateCommand(a), storeSnapshotCommand(a), storeCheckCommand(a))
}

// RecordFlags are the flags of everything that is done with records.
type RecordFlags struct {
	As   string
	role string
	Dry  bool // nothing is written, not even the store's own form
}

func (f *RecordFlags) add(c *cobra.Command) {
	ui.InProject(c)
}

// AddWho adds the flags of who does it.
func (f *RecordFlags) AddWho(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.As, "as", "", "who does it; the operator of brenner.yaml if not given. Who is neither that nor an authority has the rights of store.people")
	c.Flags().StringVar(&f.role, "role", "", "do it as an agent of this role, with what that may read and write")
}

// oneOf wants one argument, and says which.
func oneOf(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 1 {
			return ui.Usage(c, what+" is needed", "")
		}
		return cobra.MaximumNArgs(1)(c, args)
	}
}

// Records is the door to a project's records, and the actor in it.
type Records = project.Records

// WithRecords opens the door for one command.
func WithRecords(a *ui.App, c *cobra.Command, f *RecordFlags, write bool, do func(ctx context.Context, r *Records) error) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	r, err := p.OpenRecords(c.Context(), project.RecordsOptions{As: f.As, Role: f.role, Write: write, Dry: f.Dry})
	if err != nil {
		return err
	}
	defer a.CloseStore(r.Store)
	return do(c.Context(), r)
}

// showRecords opens the door for one command, and shows what was done or read.
func showRecords[V any](a *ui.App, c *cobra.Command, f *RecordFlags, write bool, text func(*ui.App, V) string, do func(context.Context, *Records) (V, error)) error {
	return WithRecords(a, c, f, write, func(ctx context.Context, r *Records) error {
		v, err := do(ctx, r)
		return ui.Show(a, v, err, text)
	})
}

// nameOf returns how a version is named in a line for people.
func nameOf(r *govern.VersionRow) string { return fmt.Sprintf("%s@v%d", ui.Clean(r.ID), r.Version) }

// statusWord says the status, and that a version is the canonical one where its
// status says something else.
func statusWord(r *govern.VersionRow) string {
	if r.Canonical && r.Status != record.Canonical {
		return record.Canonical + ", " + r.Status
	}
	return r.Status
}
