package playbookcmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/text"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project/lessons"
)

func restoreSnapshot(a *ui.App, c *cobra.Command, opt *actFlags, address string, apply bool) error {
	p, err := a.Open()
	if err != nil {
		return err
	}
	s, address, err := lessons.ReadSnapshot(c.Context(), p, address)
	if err != nil {
		return err
	}
	open := lessons.Preview
	if apply {
		open = lessons.Change
	}
	return actIn(a, c, opt, open, func(b *lessons.Book, act playbook.Act) (*lessons.Returned, error) {
		return b.Return(c.Context(), act, s, address, apply)
	}, returnedText)
}

func returnedText(a *ui.App, r *lessons.Returned) string {
	if a.Quiet {
		return ""
	}
	var b strings.Builder
	row := func(what string, ids []string) {
		if len(ids) > 0 {
			fmt.Fprintf(&b, "%s %s: %s\n", text.Count(len(ids), "bullet"), what, strings.Join(ids, ", "))
		}
	}
	row("returned to the state of the snapshot", r.Changed)
	row("added", r.Added)
	row("quarantined, not in the snapshot", r.Quarantined)
	changes := len(r.Changed) + len(r.Added) + len(r.Quarantined)
	switch {
	case changes == 0:
		fmt.Fprintf(&b, "The playbook already is as in %s.\n", ui.Clean(r.Record))
	case r.Applied:
		fmt.Fprintf(&b, "Restored %s; %d unchanged. The state before: %s.\n", ui.Clean(r.Record), r.Unchanged, ui.OrDash(r.Snapshot))
	default:
		fmt.Fprintf(&b, "Preview: nothing was changed; %d would stay unchanged. Restore with --apply --reason ….\n", r.Unchanged)
	}
	return b.String()
}

func playbookSnapshotCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Keep the state of the playbook as a record",
		Long: `Keeps all bullets, with counters, stages and merges, as the next version of the record
"playbook" of type playbook_snapshot, unless the latest version already has this state.
` + "`playbook import`, `dedupe --apply`, `rollback` and `restore --snapshot`" + ` keep the state before what
they have changed, unless it has no bullets. ` + "`playbook restore --snapshot`" + ` returns to a snapshot.
No agent is shown one.`,
		Example: `  brenner playbook snapshot --reason "before the night run"
  brenner store log playbook
  brenner store show playbook@v1

Exit codes: 0 kept, or already kept; 1 storing failed, or the playbook is damaged; 4 --as
is not an authority; 75 the store is busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return act(a, c, &opt, func(b *lessons.Book, act playbook.Act) (*lessons.Kept, error) { return b.Snapshot(c.Context(), act) },
				func(a *ui.App, k *lessons.Kept) string {
					switch {
					case a.Quiet:
						return k.Record + "\n"
					case !k.Written:
						return fmt.Sprintf("%s already has this state: %s\n", k.Record, text.Count(k.Bullets, "bullet"))
					}
					return fmt.Sprintf("%s: %s, after %s of the journal\n", k.Record, text.Count(k.Bullets, "bullet"), text.Plural(k.Entries, "entry", "entries"))
				})
		},
	}
	opt.add(c, "reason for the record")
	return c
}

func playbookDedupeCommand(a *ui.App) *cobra.Command {
	var opt actFlags
	var o keeper.DedupeOptions
	c := &cobra.Command{
		Use:   "dedupe",
		Short: "Find and merge bullets that are the same lesson",
		Long: `Compares all bullets of each domain and lists those that ` + "`playbook add`" + ` would have counted
as one (cosine of at least playbook.match, and no difference in negations, opposites,
quantifiers, numbers, units or identifiers): pairs get there if playbook.match was higher
before, if the model has changed, or from an older import. Without --apply, nothing changes.

Of two bullets, the one in the higher stage stays, then a person's, then the older one. A
bullet is merged only into one that it matches itself: if a matches b and b matches c, but
a does not match c, then c stays. Quarantined bullets, and those for other roles, are left
alone.

With --apply, the bullet that stays gets the counts of the other one and stands for it in
matches and credits. The merged one keeps its text, counts, origin and history, in the
stage MERGED, in no prompt. ` + "`playbook rollback --session BATCH`" + ` separates all of them, and
` + "`playbook restore ID`" + ` one. A snapshot of the playbook before is kept.`,
		Example: `  brenner playbook dedupe
  brenner playbook dedupe --domain chem --json
  brenner playbook dedupe --apply --reason "after the import"

Exit codes: 0 done, even if there is nothing to merge; 1 storing failed, or the playbook is
damaged; 2 invalid flag; 4 --as is not an authority; 75 the store is busy, or the
embeddings endpoint is unreachable.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			open := lessons.Preview
			if o.Apply {
				open = lessons.Change
			}
			return actIn(a, c, &opt, open, func(b *lessons.Book, act playbook.Act) (*lessons.Deduped, error) { return b.Merge(c.Context(), act, o) }, dedupeText)
		},
	}
	opt.add(c, "reason for the journal")
	c.Flags().StringVar(&o.Domain, "domain", "", "domain to compare (default: each of them)")
	c.Flags().BoolVar(&o.Apply, "apply", false, "merge the bullets; without it nothing changes")
	return c
}

func dedupeText(a *ui.App, r *lessons.Deduped) string {
	if a.Quiet {
		return ui.EachLine(r.Merges, func(m *keeper.MergedPair) string { return m.Goes })
	}
	var b strings.Builder
	for i := range r.Merges {
		m := &r.Merges[i]
		fmt.Fprintf(&b, "%s stays (%s): %s\n", m.Stays, m.Why, ui.Clean(m.StaysText))
		fmt.Fprintf(&b, "%s goes, cosine %.2f: %s\n", m.Goes, m.Cosine, ui.Clean(m.GoesText))
		fmt.Fprintf(&b, "  %s then: %s\n\n", m.Stays, bulletState(m.After))
	}
	if len(r.Apart) > 0 {
		fmt.Fprintf(&b, "%s of similar bullets with different meanings or roles stay apart.\n", text.Count(len(r.Apart), "pair"))
	}
	switch n := text.Count(len(r.Merges), "bullet"); {
	case len(r.Merges) == 0:
		fmt.Fprintf(&b, "%s compared: nothing to merge.\n", text.Count(r.Compared, "bullet"))
	case r.Applied:
		fmt.Fprintf(&b, "%s compared, %s merged. The state before: %s.\nUndo: brenner playbook rollback --session %s --reason …\n", text.Count(r.Compared, "bullet"), n, ui.OrDash(r.Snapshot), r.Batch)
	default:
		fmt.Fprintf(&b, "%s compared, %s to merge. Preview: nothing was changed. Merge with --apply.\n", text.Count(r.Compared, "bullet"), n)
	}
	return b.String()
}
