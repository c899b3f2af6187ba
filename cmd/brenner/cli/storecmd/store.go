package storecmd

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/store"
	"brenner/store/record"
)

// Command returns the store commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "store",
		GroupID: ui.Other,
		Short:   "Keep typed, versioned records: notes, memos, models, reviews and what rests on what",
		Long: `The records of a project: each has an id, a type, a module, a summary and versions that are
never changed. One version of a record may be canonical, and only promote makes it so.

An address is an id, or the beginning of one that is unique, with a version if one is
meant: note-1, note-1@v3, note-1@canonical, note-1@latest.`,
	}
	c.AddCommand(
		storePutCommand(a), storeShowCommand(a), storeDiffCommand(a), storeLogCommand(a), storePromoteCommand(a),
		storeRevertCommand(a), storeStatusCommand(a), storeLineageCommand(a), storeForksCommand(a), storeMergeCommand(a),
		storePinCommand(a), storeDeprecateCommand(a), storeConsolidateCommand(a), storeSnapshotCommand(a), storeCheckCommand(a),
	)
	ui.Group(c)
	return c
}

// RecordFlags are the flags of everything that is done with records.
type RecordFlags struct {
	Project string
	As      string
	role    string
	Dry     bool // nothing is written, not even the store's own form
}

func (f *RecordFlags) add(c *cobra.Command) {
	ui.AddProjectFlag(c, &f.Project)
}

// AddWho adds the flags of who does it.
func (f *RecordFlags) AddWho(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.As, "as", "", "who does it; the operator of brenner.yaml if not given. Who is neither that nor an authority has the rights of store.people")
	c.Flags().StringVar(&f.role, "role", "", "do it as an agent of this role, with what that may read and write")
}

// Records is the door to a project's records, and who stands in it.
type Records struct {
	*govern.Door
	Who     govern.Actor
	project *project.Project
}

// openRecords opens the door; commands that only look create nothing.
func openRecords(ctx context.Context, a *ui.App, f *RecordFlags, write bool) (*Records, error) {
	p, err := a.Open(f.Project, "", nil)
	if err != nil {
		return nil, err
	}
	st, err := recordStore(ctx, a, p, f, write)
	if err != nil {
		return nil, err
	}
	who := govern.Actor{Name: f.As, Role: f.role}
	if who.Name == "" {
		who.Name = p.Config.Operator
	}
	if strings.TrimSpace(who.Name) != who.Name || strings.ContainsFunc(who.Name, unicode.IsControl) {
		_ = st.Close()
		return nil, &fault.Error{Code: govern.BadRecord, Place: "--as " + fault.Shown(who.Name), Detail: "that is no name: it is blank, begins or ends so, or has a control character"}
	}
	return &Records{Door: p.Door(st), Who: who, project: p}, nil
}

// recordStore opens the store as a command needs it.
func recordStore(ctx context.Context, a *ui.App, p *project.Project, f *RecordFlags, write bool) (store.Store, error) {
	switch {
	case write:
		return p.OpenToWrite(ctx)
	case f.role != "":
		return p.OpenToRefuse(ctx)
	case f.Dry:
		return p.OpenUnchanged(ctx)
	}
	return p.OpenToRead(ctx)
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

// WithRecords opens the door for one command.
func WithRecords(a *ui.App, c *cobra.Command, f *RecordFlags, write bool, do func(ctx context.Context, r *Records) error) error {
	r, err := openRecords(c.Context(), a, f, write)
	if err != nil {
		return err
	}
	defer a.CloseStore(r.Store)
	return do(c.Context(), r)
}

// recordDocument is a version in JSON.
type recordDocument struct {
	ID        string            `json:"id"`
	Type      string            `json:"type"`
	Version   int               `json:"version"`
	Parent    int               `json:"parent_version"`
	Status    string            `json:"status"`
	Canonical bool              `json:"canonical"`
	Module    string            `json:"module"`
	Summary   string            `json:"summary"`
	SummaryBy string            `json:"summary_by"`
	Stale     bool              `json:"summary_stale"`
	Content   string            `json:"content_sha256"`
	Change    string            `json:"change"`
	Creator   string            `json:"creator"`
	At        string            `json:"created_at"`
	Tags      []string          `json:"tags"`
	Links     []ui.LinkDocument `json:"links"`
}

func documentOf(r *record.Record, canonical int) recordDocument {
	return recordDocument{
		ID: r.ID, Type: r.Type, Version: r.Version, Parent: r.Parent, Status: r.Status, Canonical: canonical == r.Version, Module: r.Module,
		Summary: r.Summary, SummaryBy: r.SummaryBy, Stale: r.StaleSummary(), Content: r.Content, Change: r.Change, Creator: r.Creator,
		At: artifact.FormatInstant(r.At), Tags: append([]string{}, r.Tags...), Links: ui.LinkDocuments(r.Links),
	}
}

func (r *recordDocument) ref() string { return fmt.Sprintf("%s@v%d", ui.Clean(r.ID), r.Version) }

// statusWord says the status, and that a version is the canonical one where its
// status says something else.
func (r *recordDocument) statusWord() string {
	if r.Canonical && r.Status != record.Canonical {
		return record.Canonical + ", " + r.Status
	}
	return r.Status
}

func refStrings(refs []record.Ref) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref.String()
	}
	return out
}
