package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/text"
	"brenner/store/record"
)

func storeStatusCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the spine of the project, and everything that is not current",
		Long: `Shows how many records there are, who holds the project's spine (brief, summary, the memo of
each module), and what needs somebody: versions that rest on what does not hold any more,
results of tasks whose inputs moved, forks, stale summaries, modules whose memo is due.`,
		Example: `  brenner store status

Exit codes: 0 everything is current; 5 something needs a person.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return WithRecords(a, c, &f, false, func(ctx context.Context, r *Records) error {
				s, err := r.Status(ctx)
				if err != nil {
					return err
				}
				if !s.Whole() {
					a.Exit = ui.ExitPerson
				}
				return a.Show(statusDocument(s))
			})
		},
	}
	f.add(c)
	return c
}

// statusResult is the state of a project's records.
type statusResult struct {
	Schema      string             `json:"schema"`
	Current     bool               `json:"current"`
	Records     int                `json:"records"`
	Census      []countDocument    `json:"census"`
	Spine       []spineDocument    `json:"spine"`
	NeedsUpdate []outdatedDocument `json:"needs_update"`
	NeedsRebase []outdatedDocument `json:"needs_rebase"`
	Forks       []forkDocument     `json:"forks"`
	Summaries   []string           `json:"stale_summaries"`
	Due         []dueDocument      `json:"compression_due"`
	Refused     int                `json:"refused_attempts"`
}

type countDocument struct {
	Type    string `json:"type"`
	Module  string `json:"module"`
	Status  string `json:"status"`
	Records int    `json:"records"`
}

type spineDocument struct {
	Type   string `json:"type"`
	Module string `json:"module"`
	Holder string `json:"holder"` // empty where nobody is
	Status string `json:"status"`
}

type outdatedDocument struct {
	ID        string `json:"id"`
	Version   int    `json:"version"`
	Type      string `json:"type"`
	Module    string `json:"module"`
	Canonical bool   `json:"canonical"`
	Reason    string `json:"reason"`
}

type dueDocument struct {
	Module  string `json:"module"`
	Changed int    `json:"changed"`
	Limit   int    `json:"limit"`
	Memo    string `json:"memo"`
	count   string // for people
}

func statusDocument(s *govern.Status) *statusResult {
	res := &statusResult{
		Schema: "brenner.store.status/v1", Current: s.Whole(), Records: s.Records, Census: []countDocument{}, Spine: []spineDocument{},
		NeedsUpdate: outdatedDocuments(s.NeedsUpdate), NeedsRebase: outdatedDocuments(s.NeedsRebase), Forks: forkDocuments(s.Forks),
		Summaries: refStrings(s.StaleSummaries), Due: []dueDocument{}, Refused: s.Refused,
	}
	for _, c := range s.Census {
		res.Census = append(res.Census, countDocument(c))
	}
	for _, e := range s.Spine {
		res.Spine = append(res.Spine, spineDocument{e.Type, e.Module, nameOf(e.Holder), e.Status})
	}
	for _, d := range s.Due {
		res.Due = append(res.Due, dueDocument{d.Module, d.Changed, d.Limit, nameOf(d.Memo), d.Count()})
	}
	return res
}

// nameOf gives a ref, or nothing for none.
func nameOf(ref record.Ref) string {
	if ref == (record.Ref{}) {
		return ""
	}
	return ref.String()
}

func outdatedDocuments(all []govern.Outdated) []outdatedDocument {
	out := []outdatedDocument{}
	for _, o := range all {
		out = append(out, outdatedDocument{o.Ref.ID, o.Ref.Version, o.Type, o.Module, o.Canonical, o.Reason})
	}
	return out
}

func (r *statusResult) Print(a *ui.App) error {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s\n\n", text.Count(r.Records, "record"))
		rows := [][]string{{"SPINE", "MODULE", "HOLDER", "STATUS"}}
		for _, s := range r.Spine {
			rows = append(rows, []string{s.Type, s.Module, ui.OrDash(s.Holder), ui.OrDash(s.Status)})
		}
		b.WriteString(ui.Columns(rows) + "\n")
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	for _, o := range r.NeedsUpdate {
		line(record.NeedsUpdate, "%s@v%d (%s): %s", ui.Clean(o.ID), o.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, o := range r.NeedsRebase {
		line(record.NeedsRebase, "%s@v%d (%s): %s", ui.Clean(o.ID), o.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, f := range r.Forks {
		line("fork", "%s (%s): %s go different ways", ui.Clean(f.ID), ui.Clean(f.Type), versionList(f.Tips))
	}
	for _, s := range r.Summaries {
		line("stale_summary", "%s", ui.Clean(s))
	}
	for _, d := range r.Due {
		line("compression", "%s: %s records, as they stand, are in no memo; `brenner store consolidate --module %s`", ui.Clean(d.Module), d.count, ui.Clean(d.Module))
	}
	if r.Refused > 0 && !a.Quiet {
		line("refused", "%s outside the scope of a role; `brenner store log --refused`", text.Count(r.Refused, "attempt"))
	}
	if r.Current && !a.Quiet {
		b.WriteString("Everything is current.\n")
	}
	return a.Write([]byte(b.String()))
}

func storeSnapshotCommand(a *ui.App) *cobra.Command {
	return snapshotCommand(a, "brenner store snapshot > state.md")
}

// snapshotCommand is `store snapshot` and `project snapshot`.
func snapshotCommand(a *ui.App, example string) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Write the state of the project for people, from canonical versions alone",
		Long: `Writes, in Markdown, the project's question and scope, its hypotheses and models, the evidence,
what each module knows and what is open: from canonical versions, with the source of each.`,
		Example: "  " + example + "\n\nExit codes: 0 written; 1 the store is damaged.",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return WithRecords(a, c, &f, false, func(ctx context.Context, r *Records) error {
				s, err := r.Snapshot(ctx)
				if err != nil {
					return err
				}
				return a.Show(&snapshotResult{Schema: "brenner.store.snapshot/v1", Text: s.Text, From: refStrings(s.From)})
			})
		},
	}
	f.add(c)
	return c
}

// snapshotResult is the state of a project.
type snapshotResult struct {
	Schema string   `json:"schema"`
	From   []string `json:"from"`
	Text   string   `json:"markdown"`
}

func (r *snapshotResult) Print(a *ui.App) error { return a.Write([]byte(ui.CleanLines(r.Text, ""))) }
