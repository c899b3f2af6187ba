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

// Command returns the store commands, and the one that runs a task.
func Command(a *ui.App, run *cobra.Command) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "store",
		Short: "Manage typed, versioned records: notes, memos, models, reviews and their links",
		Long: `Manages the records of a project. Each has an id, a type, a module, a summary and immutable
versions. At most one version of a record is canonical, and only promote makes it so.

An address is an id or a unique prefix of one, with an optional version: note-1, note-1@v3,
note-1@canonical, note-1@latest.`,
	},
		storePutCommand(a), storeShowCommand(a), storeDiffCommand(a), storeLogCommand(a), storePromoteCommand(a),
		storeRevertCommand(a), storeStatusCommand(a), storeLineageCommand(a), storeForksCommand(a), storeMergeCommand(a),
		storePinCommand(a), run, storeDeprecateCommand(a), storeConsolidateCommand(a), storeSnapshotCommand(a), storeCheckCommand(a), storeCopyCommand(a))
}

// RecordFlags are the flags of all commands on records.
type RecordFlags struct {
	As   string
	role string
	Dry  bool // nothing is written, and the store is not upgraded
}

func (f *RecordFlags) add(c *cobra.Command) {
	ui.InProject(c)
}

// AddActor adds the flags that select the actor.
func (f *RecordFlags) AddActor(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.As, "as", "", "the acting person; defaults to the operator of brenner.yaml. A person without authority has the rights of store.people")
	c.Flags().StringVar(&f.role, "role", "", "act as an agent of this role, with its rights")
}

// Records provides access to a project's records as one actor.
type Records = project.Records

// WithRecords opens the records for one command.
func WithRecords(a *ui.App, c *cobra.Command, f *RecordFlags, write bool, do func(ctx context.Context, r *Records) error) error {
	for _, name := range []string{"as", "role"} { // an empty variable of a script must not mean the operator
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return ui.Usage(c, "--"+name+" has no value", "")
		}
	}
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

// showRecords opens the records for one command, and prints its result.
func showRecords[V any](a *ui.App, c *cobra.Command, f *RecordFlags, write bool, text func(*ui.App, V) string, do func(context.Context, *Records) (V, error)) error {
	return WithRecords(a, c, f, write, func(ctx context.Context, r *Records) error {
		v, err := do(ctx, r)
		return ui.Show(a, v, err, text)
	})
}

// nameOf returns the address of a version, for display.
func nameOf(r *govern.VersionRow) string { return fmt.Sprintf("%s@v%d", ui.Clean(r.ID), r.Version) }

// statusOf returns the status of a version, after "canonical" if it is that with another status.
func statusOf(r *govern.VersionRow) string {
	if r.Canonical && r.Status != record.Canonical {
		return record.Canonical + ", " + r.Status
	}
	return r.Status
}
