package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/lint"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/tokens"
	"brenner/session"
	"brenner/store"
	"brenner/store/record"
)

func (a *app) storeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "store",
		GroupID: other,
		Short:   "Keep typed, versioned records: notes, memos, models, reviews and what rests on what",
		Long: `The records of a project: each has an id, a type, a module, a summary and versions that are
never changed. One version of a record may be canonical, and only promote makes it so.

An address is an id, or the beginning of one that is unique, with a version if one is
meant: note-1, note-1@v3, note-1@canonical, note-1@latest.`,
	}
	c.AddCommand(
		a.storePutCommand(), a.storeShowCommand(), a.storeDiffCommand(), a.storeLogCommand(), a.storePromoteCommand(),
		a.storeRevertCommand(), a.storeStatusCommand(), a.storeLineageCommand(), a.storeForksCommand(), a.storeMergeCommand(),
		a.storePinCommand(), a.storeDeprecateCommand(), a.storeConsolidateCommand(), a.storeSnapshotCommand(), a.storeCheckCommand(),
	)
	group(c)
	return c
}

// recordFlags are the flags of everything that is done with records.
type recordFlags struct {
	project string
	as      string
	role    string
	dry     bool // nothing is written, not even the store's own form
}

func (f *recordFlags) add(c *cobra.Command) {
	addProjectFlag(c, &f.project)
}

// addWho adds the flags of who does it.
func (f *recordFlags) addWho(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.as, "as", "", "who does it; the operator of brenner.yaml if not given. Who is neither that nor an authority has the rights of store.people")
	c.Flags().StringVar(&f.role, "role", "", "do it as an agent of this role, with what that may read and write")
}

// records is the door to a project's records, and who stands in it.
type records struct {
	*govern.Door
	who    govern.Actor
	config *Project
}

// openRecords opens the door; commands that only look create nothing.
func (a *app) openRecords(ctx context.Context, f *recordFlags, write bool) (*records, error) {
	cfg, err := a.open(f.project, "", nil)
	if err != nil {
		return nil, err
	}
	st, err := a.recordStore(ctx, cfg, f, write)
	if err != nil {
		return nil, err
	}
	who := govern.Actor{Name: f.as, Role: f.role}
	if who.Name == "" {
		who.Name = cfg.Operator
	}
	if strings.TrimSpace(who.Name) != who.Name || strings.ContainsFunc(who.Name, unicode.IsControl) {
		_ = st.Close()
		return nil, &fault.Error{Code: govern.BadRecord, Place: "--as " + fault.Shown(who.Name), Detail: "that is no name: it is blank, begins or ends so, or has a control character"}
	}
	return &records{Door: cfg.door(st), who: who, config: cfg}, nil
}

// recordStore opens the store as a command needs it.
func (a *app) recordStore(ctx context.Context, cfg *Project, f *recordFlags, write bool) (store.Store, error) {
	switch {
	case write:
		return cfg.openToWrite(ctx)
	case f.role != "":
		return cfg.openToRefuse(ctx)
	case f.dry:
		return cfg.openUnchanged(ctx)
	}
	return cfg.openToRead(ctx)
}

// door makes the way to the records of a store.
func (p *Project) door(st store.Store) *govern.Door {
	meaning := session.NewMeaning(st)
	return &govern.Door{
		Store: st, Types: p.AllTypes(), Access: p.Access(), Views: p.ContextViews(), Now: p.Now, Count: tokens.New().Count,
		Rules: govern.Rules{
			Compression: p.Records.Compression, Unused: p.Records.Unused, Unattended: p.Records.Unattended,
			Authorities: append([]string{p.Operator}, p.Authorities...), People: p.Records.People, Call: p.Session.Context,
		},
		Artifact: func(ctx context.Context, ref record.Ref) ([]byte, []string, error) {
			return researchArtifact(ctx, st, ref)
		},
		Meant: func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error) {
			ref, known, err := meaning.Of(ctx, from, to)
			return ref.Type, ref.Content, known, err
		},
	}
}

// researchArtifact puts a version of a session's artifact together, and says what
// lint holds against it.
func researchArtifact(ctx context.Context, st store.Store, ref record.Ref) ([]byte, []string, error) {
	h, err := session.Load(ctx, st, ref.ID)
	if fault.CodeOf(err) == session.NoSession {
		return nil, nil, &fault.Error{Code: store.NoRecord, Detail: "no session wrote " + ref.String()}
	}
	if err != nil {
		return nil, nil, err
	}
	art, err := h.Artifact(ctx, ref.Version)
	if err != nil {
		return nil, nil, err
	}
	var faults []string
	for _, f := range lint.Check(artifact.Document{Artifact: art}).Findings {
		if f.Severity == lint.Error {
			faults = append(faults, strings.TrimSpace(f.Item+" "+f.Message))
		}
	}
	return art.JSON(), faults, nil
}

// oneOf wants one argument, and says which.
func oneOf(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 1 {
			return usage(c, what+" is needed", "")
		}
		return cobra.MaximumNArgs(1)(c, args)
	}
}

// withRecords opens the door for one command.
func (a *app) withRecords(c *cobra.Command, f *recordFlags, write bool, do func(ctx context.Context, r *records) error) error {
	r, err := a.openRecords(c.Context(), f, write)
	if err != nil {
		return err
	}
	defer a.closeStore(r.Store)
	return do(c.Context(), r)
}

// recordDocument is a version in JSON.
type recordDocument struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Version   int            `json:"version"`
	Parent    int            `json:"parent_version"`
	Status    string         `json:"status"`
	Canonical bool           `json:"canonical"`
	Module    string         `json:"module"`
	Summary   string         `json:"summary"`
	SummaryBy string         `json:"summary_by"`
	Stale     bool           `json:"summary_stale"`
	Content   string         `json:"content_sha256"`
	Change    string         `json:"change"`
	Creator   string         `json:"creator"`
	At        string         `json:"created_at"`
	Tags      []string       `json:"tags"`
	Links     []linkDocument `json:"links"`
}

type linkDocument struct {
	Relation string `json:"relation"`
	ID       string `json:"id"`
	Version  int    `json:"version"`
}

func documentOf(r *record.Record, canonical int) recordDocument {
	return recordDocument{
		ID: r.ID, Type: r.Type, Version: r.Version, Parent: r.Parent, Status: r.Status, Canonical: canonical == r.Version, Module: r.Module,
		Summary: r.Summary, SummaryBy: r.SummaryBy, Stale: r.StaleSummary(), Content: r.Content, Change: r.Change, Creator: r.Creator,
		At: artifact.FormatInstant(r.At), Tags: append([]string{}, r.Tags...), Links: linkDocuments(r.Links),
	}
}

func linkDocuments(links []record.Link) []linkDocument {
	out := make([]linkDocument, len(links))
	for i, l := range links {
		out[i] = linkDocument(l)
	}
	return out
}

func (r *recordDocument) ref() string { return fmt.Sprintf("%s@v%d", clean(r.ID), r.Version) }

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
