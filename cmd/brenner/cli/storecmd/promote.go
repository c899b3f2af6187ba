package storecmd

import (
	"context"
	"fmt"
	"math"
	"slices"
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
		Long: `Makes a version canonical, so that contexts and snapshots show it. No other command does. It
requires a reason and an actor with authority: the operator, or one of the authorities of
brenner.yaml. A module has at most one canonical project_brief, project_summary,
integrated_memo and model_spec; --replace displaces the current one.

A gate refuses the promotion if there is a reason against it: a stale summary, missing links,
outdated dependencies, a rehearsal, compression that is due. Versions that depend on the
previously canonical version, directly or not, are marked needs_update. --stale promotes a
version with outdated dependencies as it is: the journal says so, and it stays marked until a
version that depends on current ones is put and promoted. A deprecated version, such as one that
a later version replaced, cannot be promoted; use revert.`,
		Example: `  brenner store promote memo-fate -m "checked against all three papers"
  brenner store promote memo-fate@v3 -m "v4 goes further than its papers" --as Sydney
  brenner store promote memo-fate -m "note-1@v2 changes no result" --stale
  brenner store revert memo-fate@v2 -m "v3 was wrong" && brenner store promote memo-fate -m "v3 was wrong"

Exit codes: 0 promoted; 2 no such version; 4 a gate refused it, nothing was changed;
5 another version was promoted meanwhile; 75 the store is busy.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			return showRecords(a, c, &f, true, promotionText, func(ctx context.Context, r *Records) (*govern.Promotion, error) {
				return r.Promote(ctx, r.Actor, args[0], o)
			})
		},
	}
	f.AddActor(c)
	c.Flags().StringVarP(&o.Reason, "message", "m", "", "the reason for the promotion")
	c.Flags().BoolVar(&o.Replace, "replace", false, "displace the record that is canonical for this type and module")
	c.Flags().BoolVar(&o.Stale, "stale", false, "even if it depends on outdated versions; it stays marked")
	return c
}

func promotionText(a *ui.App, r *govern.Promotion) string {
	var b strings.Builder
	replaced := ""
	if r.Was > 0 && r.Was != r.Record.Version {
		replaced = fmt.Sprintf(", replacing v%d", r.Was)
	}
	if r.Replaced != "" {
		replaced += ", replacing " + ui.Clean(r.Replaced)
	}
	fmt.Fprintf(&b, "%s is canonical%s\n", nameOf(&r.Record), replaced)
	if !a.Quiet {
		for _, why := range r.Despite {
			fmt.Fprintf(&b, "  it is still stale: it depends on %s\n", ui.Clean(why))
		}
		for _, s := range r.Stale {
			fmt.Fprintf(&b, "  %s@v%d needs an update: it depends on %s\n", ui.Clean(s.Ref.ID), s.Ref.Version, ui.Clean(s.Because))
		}
	}
	return b.String()
}

func storeRevertCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var reason string
	c := &cobra.Command{
		Use:   "revert ADDRESS -m REASON",
		Short: "Put a new version with the content of an earlier one",
		Long: `Puts a new version with the content, the summary and the links of an earlier one, or of the
latest if that is deprecated: this restores the record. Nothing is removed or promoted.`,
		Example: `  brenner store revert memo-fate@v2 -m "v3 cites a withdrawn paper"

Exit codes: 0 put; 2 no such version, or it is already the latest; 4 the role may not write this
type; 75 the store is busy.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return ui.Usage(c, "-m is required: the reason for the revert", "")
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				put, err := r.Revert(ctx, r.Actor, args[0], reason)
				return govern.NewWritten(put), err
			})
		},
	}
	f.AddActor(c)
	c.Flags().StringVarP(&reason, "message", "m", "", "the reason for the revert")
	return c
}

func storeForksCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "forks",
		Short: "List records with unmerged branches, and records that compete",
		Long: `Lists the records with several unmerged branches. If a module has several records of a type of
which only one can be canonical (project_brief, project_summary, integrated_memo, model_spec),
they are a fork, too, until one is left: merge them and promote the result, deprecate the others,
or displace them with promote --replace.`,
		Example: `  brenner store forks

Exit codes: 0 no forks; 5 forks found, a decision is required.`,
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
	rows := [][]string{{"RECORD", "TYPE", "MODULE", "TIPS"}}
	for _, f := range r.Forks {
		tips := govern.Versions(f.Tips)
		if len(f.Rivals) > 0 {
			tips = ui.Some(f.Rivals)
		}
		rows = append(rows, []string{f.ID, f.Type, f.Module, tips})
	}
	text := ui.Columns(rows)
	if !a.Quiet {
		text += "`brenner store merge ID` merges branches, `brenner store merge ID OTHER` records; `brenner store pin` makes it a task\n"
	}
	return text
}

func storeMergeCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var take, file, message, summary string
	c := &cobra.Command{
		Use:   "merge ID [OTHER…] --file FILE|--take VERSION|OTHER -m REASON",
		Short: "Merge the branches of a record, or several records, into one version",
		Long: `Puts a version that continues all branches of a record, with the content of a file or of one
of the tips. Content from a file gets the links of all tips, the content of a tip only its own.
With OTHER, the version also supersedes these records of the same type and module once it is
promoted; until then, the fork stays listed.`,
		Example: `  brenner store merge memo-fate --file joined.md -m "both are right about different stages"
  brenner store merge memo-fate --take v3 -m "v4 cites a withdrawn paper"
  brenner store merge memo-fate memo-2 --take memo-2 -m "it has all of the first one"

Exit codes: 0 put; 2 no fork, or the file cannot be read; 4 the role may not write this type;
75 the store is busy.`,
		Args: ui.Args(1, math.MaxInt, ""),
		RunE: func(c *cobra.Command, args []string) error {
			m := govern.MergeDraft{ID: args[0], Others: args[1:], Change: message, Summary: summary}
			for _, arg := range args {
				if at, err := record.ParseAddress(arg); err != nil {
					return err
				} else if at.HasVersion() {
					return ui.Usage(c, ui.Clean(arg)+" names a version; merge takes a record", "omit the version; select the content with --take v2")
				}
			}
			if (take == "") == (file == "") {
				return ui.Usage(c, "either --file or --take is required", "")
			}
			switch {
			case slices.Contains(args, take):
				m.TakeFrom = take
			case take != "":
				address, err := record.ParseAddress("x@" + take)
				if err != nil || address.Version == 0 {
					return ui.Usage(c, "--take: "+ui.Clean(take)+" is neither a version nor a record that is merged", "write it like v2, or name one of "+ui.Clean(strings.Join(args, ", ")))
				}
				m.Take = address.Version
			default:
				data, err := a.ReadFile("the merged text", file)
				if err != nil {
					return err
				}
				m.Content = data
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				put, err := r.Merge(ctx, r.Actor, m)
				return govern.NewWritten(put), err
			})
		},
	}
	f.AddActor(c)
	c.Flags().StringVar(&take, "take", "", "use the content of this version, or of this one of the records, unchanged")
	c.Flags().StringVar(&file, "file", "", "a file with the merged content, or - for standard input")
	c.Flags().StringVar(&summary, "summary", "", "a summary of one or two sentences")
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
		Long: `Marks a record as deprecated: contexts omit it, but it can still be shown. A record that others
depend on is refused unless --anyway is given; its dependents are then marked needs_update. The
canonical brief, summary, memo or model of a module is always refused: replace it first.

--unused deprecates all records that no current version has linked to for the period
store.unused_after of brenner.yaml; --dry-run only lists them.`,
		Example: `  brenner store deprecate note-7 -m "withdrawn by its authors"
  brenner store deprecate --unused --dry-run

Exit codes: 0 done; 2 no such record; 4 still used, or not allowed; 75 the store is busy.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if all == (len(args) == 1) || f.Dry && !all {
				return ui.Usage(c, "either a record or --unused is required; --dry-run requires --unused", "")
			}
			if all {
				if err := ui.Unused(c, "cannot be used with --unused", "message", "anyway"); err != nil {
					return err
				}
			}
			if !all {
				o.Address = args[0]
			}
			o.Dry = f.Dry
			return showRecords(a, c, &f, !f.Dry, deprecationText, func(ctx context.Context, r *Records) (*govern.Deprecation, error) {
				return r.Retire(ctx, r.Actor, o)
			})
		},
	}
	f.AddActor(c)
	c.Flags().StringVarP(&o.Reason, "message", "m", "", "the reason")
	c.Flags().BoolVar(&o.Anyway, "anyway", false, "even if other records depend on it")
	c.Flags().BoolVar(&all, "unused", false, "all records that have not been linked to for long")
	c.Flags().BoolVar(&f.Dry, "dry-run", false, "only list them")
	return c
}

func deprecationText(_ *ui.App, r *govern.Deprecation) string {
	if len(r.Marks) == 0 {
		return "Nothing to deprecate.\n"
	}
	var b strings.Builder
	for _, m := range r.Marks {
		state := "is deprecated"
		switch {
		case r.DryRun:
			state = "would be deprecated"
		case m.Status == record.NeedsUpdate: // it depends on one of the others
			state = "needs an update"
		}
		fmt.Fprintf(&b, "%s@v%d %s: %s\n", ui.Clean(m.ID), m.Version, state, ui.Clean(m.Reason))
	}
	return b.String()
}
