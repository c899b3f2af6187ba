package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/store/record"
)

func storePromoteCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var o govern.PromoteOptions
	c := &cobra.Command{
		Use:   "promote ADDRESS -m REASON",
		Short: "Make a version the canonical one",
		Long: `Makes a version canonical: the one that contexts and snapshots show. It is the only way, and
it needs a reason and the name of somebody who may decide: the operator, or one of the
authorities of brenner.yaml. Of a project_brief, project_summary, integrated_memo and
model_spec each module has one; --replace lets the one before give way.

Gates can refuse it, and say why: a stale summary, missing links, inputs that have moved,
a rehearsal, compression that is due. What rests on the version before is marked
needs_update. A version that needs an update can be promoted again: then somebody says that
it still holds. A version that was canonical before and gave way is past: revert puts what it
said as a new version.`,
		Example: `  brenner store promote memo-fate -m "checked against all three papers"
  brenner store promote memo-fate@v3 -m "v4 goes further than its papers" --as Sydney
  brenner store revert memo-fate@v2 -m "v3 was wrong" && brenner store promote memo-fate -m "v3 was wrong"

Exit codes: 0 promoted; 2 there is no such version; 4 a gate is closed, and nothing is changed;
5 somebody else promoted a version meanwhile; 75 the store is busy.`,
		Args: oneOf("a record"),
		RunE: func(c *cobra.Command, args []string) error {
			return showRecords(a, c, &f, true, promotionText, func(ctx context.Context, r *Records) (*govern.Promotion, error) {
				return r.Promote(ctx, r.Who, args[0], o)
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&o.Reason, "message", "m", "", "why it is to hold")
	c.Flags().BoolVar(&o.Replace, "replace", false, "let the record give way that is canonical for its type and module")
	return c
}

func promotionText(a *ui.App, r *govern.Promotion) string {
	var b strings.Builder
	was := ""
	if r.Was > 0 && r.Was != r.Record.Version {
		was = fmt.Sprintf(", in place of v%d", r.Was)
	}
	if r.Replaced != "" {
		was += ", in place of " + ui.Clean(r.Replaced)
	}
	fmt.Fprintf(&b, "%s is canonical%s\n", nameOf(&r.Record), was)
	if !a.Quiet {
		for _, s := range r.Stale {
			fmt.Fprintf(&b, "  %s@v%d needs an update: it rests on %s\n", ui.Clean(s.Ref.ID), s.Ref.Version, ui.Clean(s.Because))
		}
	}
	return b.String()
}

func storeRevertCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var reason string
	c := &cobra.Command{
		Use:   "revert ADDRESS -m REASON",
		Short: "Put a new version that says what an earlier one said",
		Long: `Puts a new version with the content, the summary and the links of an earlier one. Nothing
is taken away, and nothing is promoted by it.`,
		Example: `  brenner store revert memo-fate@v2 -m "v3 took up a paper that was withdrawn"

Exit codes: 0 put; 2 there is no such version, or it is the latest already; 4 the role may not
write this type; 75 the store is busy.`,
		Args: oneOf("a version"),
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return ui.Usage(c, "-m is needed: why is it to go back?", "")
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				put, err := r.Revert(ctx, r.Who, args[0], reason)
				return govern.NewWritten(put), err
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&reason, "message", "m", "", "why it is to go back")
	return c
}

func storeForksCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "forks",
		Short: "List records whose versions go different ways",
		Example: `  brenner store forks

Exit codes: 0 there are none; 5 there are some, and somebody has to decide.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRecords(a, c, &f, false, forksText, func(ctx context.Context, r *Records) (*forkList, error) {
				forks, err := r.Forks(ctx)
				if len(forks) > 0 {
					a.Exit = ui.ExitPerson
				}
				return &forkList{Schema: "brenner.store.forks/v1", Forks: forks}, err
			})
		},
	}
	f.add(c)
	return c
}

// forkList is a list of forks.
type forkList struct {
	Schema string        `json:"schema"`
	Forks  []govern.Fork `json:"forks"`
}

func forksText(a *ui.App, r *forkList) string {
	if len(r.Forks) == 0 {
		return "No forks.\n"
	}
	rows := [][]string{{"RECORD", "TYPE", "MODULE", "WAYS"}}
	for _, f := range r.Forks {
		rows = append(rows, []string{f.ID, f.Type, f.Module, govern.Versions(f.Tips)})
	}
	text := ui.Columns(rows)
	if !a.Quiet {
		text += "`brenner store merge ID` joins them; `brenner store pin` makes a task of it\n"
	}
	return text
}

func storeMergeCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var take, file, message, summary string
	c := &cobra.Command{
		Use:   "merge ID --file FILE|--take VERSION -m REASON",
		Short: "Join the ways of a fork in one version",
		Long: `Puts a version that goes on from all ways that a record went: with the content of a file, or
with that of one of the ways as it is. A new text has the links of all of them, a way that is
taken as it is has its own.`,
		Example: `  brenner store merge memo-fate --file joined.md -m "both are right about different stages"
  brenner store merge memo-fate --take v3 -m "v4 rests on a withdrawn paper"

Exit codes: 0 put; 2 there is no fork, or the file cannot be read; 4 the role may not write this
type; 75 the store is busy.`,
		Args: oneOf("a record"),
		RunE: func(c *cobra.Command, args []string) error {
			m := govern.MergeDraft{ID: args[0], Change: message, Summary: summary}
			if at, err := record.ParseAddress(args[0]); err != nil {
				return err
			} else if at.Said() {
				return ui.Usage(c, ui.Clean(args[0])+" names one version, and a merge joins all ways of a record", "leave out the version; --take v2 says whose content is taken")
			}
			if (take == "") == (file == "") {
				return ui.Usage(c, "either --file or --take is needed", "")
			}
			if take != "" {
				address, err := record.ParseAddress("x@" + take)
				if err != nil || address.Version == 0 {
					return ui.Usage(c, "--take "+ui.Clean(take)+" is no version", "write it like v2")
				}
				m.Take = address.Version
			} else {
				data, err := a.ReadFile("the merged text", file)
				if err != nil {
					return err
				}
				m.Content = data
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				put, err := r.Merge(ctx, r.Who, m)
				return govern.NewWritten(put), err
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVar(&take, "take", "", "the version whose content is taken as it is")
	c.Flags().StringVar(&file, "file", "", "a file with the joined content, or - for standard input")
	c.Flags().StringVar(&summary, "summary", "", "what it says, in a sentence or two")
	c.Flags().StringVarP(&message, "message", "m", "", "what was decided, and why")
	return c
}

func storeDeprecateCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var o govern.DeprecateOptions
	var all bool
	c := &cobra.Command{
		Use:   "deprecate ADDRESS -m REASON | --unused",
		Short: "Mark a record, or a version, as no longer in use",
		Long: `Marks a record as deprecated: contexts leave it out, and whoever asks for it still finds it.
What others rest on is not deprecated unless --anyway says so, and then they are marked
needs_update; the canonical brief,
summary, memo or model of a module never is: another one has to take its place first.

--unused takes all records at which nothing that stands has pointed for the time of
store.unused_after in brenner.yaml; --dry-run only lists them.`,
		Example: `  brenner store deprecate note-7 -m "withdrawn by its authors"
  brenner store deprecate --unused --dry-run

Exit codes: 0 done; 2 there is no such record; 4 it is still used, or it is not allowed; 75 the
store is busy.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if all == (len(args) == 1) || f.Dry && !all {
				return ui.Usage(c, "either a record or --unused is needed, and --dry-run goes with --unused", "")
			}
			if all {
				if err := ui.Unused(c, "does not go with --unused: that takes what nothing rests on, and says so", "message", "anyway"); err != nil {
					return err
				}
			}
			if !all {
				o.Address = args[0]
			}
			o.Dry = f.Dry
			return showRecords(a, c, &f, !f.Dry, deprecationText, func(ctx context.Context, r *Records) (*govern.Deprecation, error) {
				return r.Retire(ctx, r.Who, o)
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&o.Reason, "message", "m", "", "why it is no longer in use")
	c.Flags().BoolVar(&o.Anyway, "anyway", false, "though others rest on it")
	c.Flags().BoolVar(&all, "unused", false, "all that nothing has pointed at for long")
	c.Flags().BoolVar(&f.Dry, "dry-run", false, "list them only")
	return c
}

func deprecationText(_ *ui.App, r *govern.Deprecation) string {
	if len(r.Marks) == 0 {
		return "Nothing to deprecate.\n"
	}
	var b strings.Builder
	for _, m := range r.Marks {
		word := "is deprecated"
		switch {
		case r.DryRun:
			word = "would be deprecated"
		case m.Status == record.NeedsUpdate: // it rested on one of the others
			word = "needs an update"
		}
		fmt.Fprintf(&b, "%s@v%d %s: %s\n", ui.Clean(m.ID), m.Version, word, ui.Clean(m.Reason))
	}
	return b.String()
}
